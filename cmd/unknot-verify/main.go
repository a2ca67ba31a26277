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
// at most 537 million steps. Every other check passes over the network and the file once, or
// follows permitted hops from site to site ("unknot help verdicts" says where).
//
// In a folder of unknot check --out, all evidence is checked against the closed form
// next to it, and the fields of result.json against what the evidence has shown; those
// that no evidence bears out are named as not machine-checked. In
// one of unknot ask --out, every part is checked, that the question calls for such parts,
// and that the answer follows from them; that they are about what is asked, and what the
// file says of them, is not machine-checked, and printed as such. In a
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
	"io/fs"
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

const usage = `usage: unknot-verify [--recount] [--timeout TIME] [--memory SIZE] NETWORK.json|MACHINE.json EVIDENCE...
       unknot-verify [--recount] [--timeout TIME] [--memory SIZE] FOLDER...
       unknot-verify --version|--help`

const help = usage + `

Checks evidence against a network or machine in the closed form, or folders that unknot
wrote. --recount visits counted states again, which may take long. --timeout, such as 10m, bounds
the time (default 1h, with --recount none; 0: none), --memory, such as 8GiB, the memory (default
what the computer has to spare).

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
	code := 0
	switch info, fault := os.Stat(append(files, "")[0]); { // there is no file ""
	case len(args) == 1 && o.version:
		fmt.Fprintln(out, version.Line("unknot-verify"))
	case len(args) == 1 && o.help:
		fmt.Fprint(out, help)
	case o.version || o.help || len(files) == 0 || len(files) < 2 && (fault == nil && !info.IsDir() || files[0] == ""):
		fmt.Fprintln(errs, usage)
		return exitUsage
	case fault == nil && info.IsDir():
		code, err = checkFolders(ctx, files, o.Options, out)
	default:
		code, err = checkFiles(ctx, "", files[0], files[1:], o.Options, out)
	}
	var unchecked *evidence.UncheckedError
	if err = limited(ctx, "", err); errors.As(err, &unchecked) {
		code, err = max(code, tell(out, "", err)), nil
	}
	if err = cmp.Or(err, out.Flush()); err != nil {
		fmt.Fprintln(errs, "unknot-verify:", spec.Printable(err.Error()))
		return exitUsage
	}
	return code
}

// checkFiles checks evidence about a subject, and the result in the folder dir that
// holds it; dir is "" if there is none.
func checkFiles(ctx context.Context, dir, subject string, files []string, opt evidence.Options, out *bufio.Writer) (int, error) {
	text, err := opt.ReadFile(subject)
	if err != nil {
		return 0, err
	}
	s, err := evidence.Read(ctx, subject, text)
	if err != nil {
		return 0, err
	}
	code, all := exitVerified, []evidence.Shown{}
	for _, file := range files {
		text, err := opt.ReadFile(file)
		if err != nil {
			return 0, err
		}
		shown, err := s.Check(ctx, file, text, opt)
		err = limited(ctx, file, err)
		code, all = max(code, tell(out, fmt.Sprintf("%s of %s", shown, s.Name()), err)), append(all, shown)
	}
	if dir != "" && code == exitVerified {
		claims, err := evidence.BearsOut(ctx, dir, s, all, opt)
		if err != nil {
			return tell(out, "", limited(ctx, dir, err)), nil
		}
		if claims != nil {
			fmt.Fprintln(out, evidence.Claims(claims))
		}
	}
	return code, nil
}

// tell prints the outcome of a check, and returns its exit code.
func tell(out *bufio.Writer, verified string, err error) int {
	defer out.Flush()
	var unchecked *evidence.UncheckedError
	var fault *evidence.PanicError
	code, word := exitVerified, "VERIFIED"
	switch {
	case errors.As(err, &unchecked):
		code, word, verified = exitUnchecked, "UNCHECKED", err.Error()
	case errors.As(err, &fault):
		code, word, verified = exitPanic, "REJECTED", err.Error()
	case err != nil:
		code, word, verified = exitRejected, "REJECTED", err.Error()
	}
	fmt.Fprintf(out, "%s: %s\n", word, spec.Printable(verified))
	return code
}

func checkFolders(ctx context.Context, dirs []string, opt evidence.Options, out *bufio.Writer) (code int, err error) {
	for _, dir := range dirs {
		worst, fault := checkFolder(ctx, dir, opt, out)
		code, err = max(code, worst), cmp.Or(err, fault)
	}
	return code, err
}

// checkFolder checks the contents of a folder: evidence; or the parts of an answer, with
// what remains to be believed; or else each folder in it.
func checkFolder(ctx context.Context, dir string, opt evidence.Options, out *bufio.Writer) (int, error) {
	f, err := evidence.OpenFolder(dir, opt)
	if errors.Is(err, fs.ErrNotExist) {
		subject, files, below, err := evidence.Files(dir)
		switch {
		case subject == "" && files == nil && below != nil:
			return checkFolders(ctx, below, opt, out)
		case err != nil:
			return 0, err
		}
		return checkFiles(ctx, dir, subject, files, opt, out)
	}
	if err != nil {
		return 0, err
	}
	code, good := exitVerified, 0
	for i, p := range f.Answer.Parts {
		of, shown, err := f.Check(ctx, i, opt)
		err = limited(ctx, p.Evidence, err)
		worst := tell(out, fmt.Sprintf("%s%s; the file says of it: %q", shown, of, p.Shows), err)
		if worst == exitVerified {
			good++
		}
		code = max(code, worst)
	}
	f.Summary(out, good)
	if err := f.Verdict(); err != nil {
		code = max(code, tell(out, "", fmt.Errorf("%s: %w", dir, err)))
	}
	return code, nil
}
