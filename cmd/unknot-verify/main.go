// Command unknot-verify checks evidence against a network or machine in the
// closed form, or folders that unknot wrote.
//
//	unknot-verify [OPTION...] NETWORK.json EVIDENCE...
//	unknot-verify [OPTION...] MACHINE.json EVIDENCE...
//	unknot-verify [OPTION...] FOLDER...
//
// Each evidence file is a certificate, a closed set of states or a ranking of
// them (a property holds), or a trace or a run (it is violated). For each the
// program prints VERIFIED and what is shown, or REJECTED and why. A count of
// states, which stands for a set too large to be written, is UNCHECKED unless
// --recount asks to visit the states again, by a search that may take long. It
// stops at the first state beyond the count. All sets of a few messages are tried in
// at most 537 million steps. Every other check passes over the network and the file once,
// follows permitted hops from site to site ("unknot help trust" says where), or first works out numbers that a
// certificate leaves out, which may take a search of all nodes and links for each destination.
//
// --plain checks networks, certificates and counts in the form that is for readers: proofs/plain.go,
// proofs/bubbles/plain.go and proofs/machines/plain.go. All other checks have but one form.
//
// In a folder of unknot check --out, all evidence is checked against the closed form
// next to it, and the fields of result.json against what the evidence has shown; those
// that no evidence bears out are named as unchecked. In
// one of unknot ask --out, every part is checked, that the question calls for such parts,
// and that the answer follows from them; that they are about what is asked, and what the
// file says of them, is unchecked, and printed as such. In a
// folder with neither, and without a result, all folders below are checked.
//
// The tables of a network are read as they stand, in the order in which unknot
// writes them (unknot show --closed).
//
// Files are regular ones of at most 4 GiB, and no larger than the memory: their sizes are
// looked at before they are read. --timeout bounds the time (by default one hour; with
// --recount none), --memory the memory (by default seven eighths of what the computer has to spare,
// on Linux). At a limit the rest is UNCHECKED. Exit codes: 0 all verified, 1 rejected
// because the check itself failed, 2 usage, unreadable input or output that cannot be
// written, 3 something was left unchecked, 4 rejected.
//
// It shares with unknot only the packages spec, proofs and counterexamples, and runs
// machines by the plain meaning of their programs.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/seed-105a2da2/unknot/cmd/internal/memory"
	"github.com/seed-105a2da2/unknot/cmd/internal/version"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

const (
	exitVerified  = 0
	exitPanic     = 1
	exitUsage     = 2
	exitUnchecked = 3
	exitRejected  = 4
)

const usage = `usage: unknot-verify [--recount] [--plain] [--timeout TIME] [--memory SIZE] NETWORK.json|MACHINE.json EVIDENCE...
       unknot-verify [--recount] [--plain] [--timeout TIME] [--memory SIZE] FOLDER...
       unknot-verify --version|--help`

const help = usage + `

Checks evidence against a network or machine in the closed form, or folders that unknot
wrote. --recount visits counted states again, which may take long. --plain checks networks,
certificates and counts by code that is there to be read (proofs/plain.go, proofs/bubbles/plain.go and
proofs/machines/plain.go), and takes several times as long. --timeout, such as 10m, bounds the time (default 1h, with --recount
none; 0: none), --memory, such as 8GiB, the memory (default what the computer has to spare).

Exit codes: 0 all verified, 1 rejected because the check itself failed, 2 usage or input,
3 something was left unchecked, also at a limit, 4 rejected.
`

func main() {
	debug.SetGCPercent(25) // most of what it holds is one large network: a quarter less memory, and no more time
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, to, errs io.Writer) (exit int) {
	defer func() {
		if v := recover(); v != nil { // other than in a check: those continue with the next one
			fmt.Fprintf(errs, "REJECTED: the check failed: %s\n%s", spec.Printable(fmt.Sprint(v)), debug.Stack())
			exit = exitPanic
		}
	}()
	out := bufio.NewWriter(to) // it keeps the first error: an unwritten verdict does not count
	o, files, err := parse(args, memory.Spare("/proc", "/sys/fs/cgroup"))
	if err != nil {
		fmt.Fprintf(errs, "unknot-verify: %s\n%s\n", spec.Printable(err.Error()), usage)
		return exitUsage
	}
	ctx, end := o.begin(context.Background(), errs, os.Exit)
	defer end()
	code := exitVerified
	v := evidence.Verifier{Options: o.Options, Remark: func(text string) { fmt.Fprint(out, text) },
		Report: func(r evidence.Outcome) error {
			r.Err = limited(ctx, r.File, r.Err)
			code = max(code, tell(out, r))
			return nil
		}}
	switch info, fault := os.Stat(append(files, "")[0]); { // there is no file ""
	case len(args) == 1 && o.version:
		fmt.Fprintln(out, version.Line("unknot-verify"))
	case len(args) == 1 && o.help:
		fmt.Fprint(out, help)
	case o.version || o.help || len(files) == 0 || len(files) < 2 && (fault == nil && !info.IsDir() || files[0] == ""):
		fmt.Fprintln(errs, usage)
		return exitUsage
	case fault == nil && info.IsDir():
		err = v.Folders(ctx, files...)
	default:
		err = v.Files(ctx, "", files[0], files[1:])
	}
	var unchecked *evidence.UncheckedError
	if err = limited(ctx, "", err); errors.As(err, &unchecked) {
		code, err = max(code, tell(out, evidence.Outcome{Err: err})), nil
	}
	if err = cmp.Or(err, out.Flush()); err != nil {
		fmt.Fprintln(errs, "unknot-verify:", spec.Printable(err.Error()))
		return exitUsage
	}
	return code
}

// tell prints the outcome of a check, and returns its exit code.
func tell(out *bufio.Writer, o evidence.Outcome) int {
	defer out.Flush()
	var unchecked *evidence.UncheckedError
	var fault *evidence.PanicError
	code, word := exitVerified, "VERIFIED"
	switch {
	case errors.As(o.Err, &unchecked):
		code, word = exitUnchecked, "UNCHECKED"
	case errors.As(o.Err, &fault):
		code, word = exitPanic, "REJECTED"
	case o.Err != nil:
		code, word = exitRejected, "REJECTED"
	}
	fmt.Fprintf(out, "%s: %s\n", word, spec.Printable(o.String()))
	return code
}
