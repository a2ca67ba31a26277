package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// printResult writes a result as text, with what the commands and flags of this program can do about it. given are the
// words that name a protocol file and its parameters, if the result is about one.
func printResult(w io.Writer, r *checker.Result, states bool, settling, out string, given []string) error {
	err := report.WriteText(w, r, report.Advice{
		Decide: settling, Unchecked: "add --liveness", Packets: "--report shows all", Run: "add --property with its name",
		States: states,
	})
	if err != nil {
		return err
	}
	text := intendedEnd(r) + seeing(out, given, r)
	if out != "" {
		text = writtenTo(out, r) + text
	}
	_, err = io.WriteString(w, text)
	return err
}

// intendedEnd says how to declare that a protocol ends where it has no further step, if a deadlock may be that, or is "".
func intendedEnd(r *checker.Result) string {
	p := programOf(r.Machine)
	if r.Network != nil || p == nil || p.Final.Op != 0 || !slices.ContainsFunc(r.Findings, func(f checker.Finding) bool {
		return f.Property == spec.DeadlockFreedom.String() && f.Verdict == spec.Violated && f.Run() != nil
	}) {
		return ""
	}
	return "if the protocol may end in such a state, declare these ends: final(f), or the key final in JSON\n"
}

// protocolGiven returns the words of a command that name its protocol file and the parameters; nil for other subjects.
func protocolGiven(c *cobra.Command, name string, r *checker.Result) []string {
	p := programOf(r.Machine)
	if r.Network != nil || p == nil || star.SourceOf(p) == nil && murphi.SourceOf(p) == nil {
		return nil
	}
	given := []string{quoted(name)}
	if set, ok := c.Flags().Lookup("set").Value.(pflag.SliceValue); ok {
		for _, v := range set.GetSlice() {
			given = append(given, "--set", quoted(v))
		}
	}
	return given
}

// seeing says which commands show a violation move by move, or "". A protocol file tells more than its closed form.
func seeing(out string, given []string, r *checker.Result) string {
	shown := -1
	for i, f := range r.Findings {
		if shown < 0 && (f.Trace() != nil || f.Run() != nil) {
			shown = i
		}
	}
	closed := networkFile
	if r.Network == nil {
		closed = machineFile
	}
	switch {
	case shown < 0:
		return ""
	case out == "" || r.Network == nil && programOf(r.Machine) == nil:
		return "to see it happen: add --report FILE.html, or --out FOLDER and then unknot replay; or try the steps " +
			"in unknot explore\n"
	}
	if given == nil {
		given = []string{quoted(filepath.Join(out, closed))}
	}
	of, set := given[0], strings.Join(append([]string{""}, given[1:]...), " ")
	return fmt.Sprintf(
		"to see it happen: unknot replay %s %s%s, or unknot explore %[1]s --trace %[2]s%[3]s, or add --report FILE.html\n",
		of, quoted(filepath.Join(out, report.EvidenceFiles(r)[shown])), set)
}

// writtenTo says where evidence was written, and which command checks it.
func writtenTo(dir string, r *checker.Result) string {
	switch {
	case r.Network == nil && programOf(r.Machine) == nil:
		return fmt.Sprintf(
			"written to %s; the protocol is not written as guarded commands, so no second program checks it\n", dir)
	case !slices.ContainsFunc(r.Findings, func(f checker.Finding) bool { return f.Evidence != nil }):
		return fmt.Sprintf("written to %s, without evidence\n", dir)
	}
	return fmt.Sprintf("written to %s; check it with: unknot-verify %[1]s\n", dir)
}

// theorems says where the certificate that excludes deadlock is explained, and which theorem is about it. It is ""
// without evidence about a network.
func theorems(r *checker.Result, sc spec.Scenario) string {
	if r.Network == nil {
		return ""
	}
	text := ""
	for _, f := range r.Findings {
		c, certified := f.Evidence.(evidence.Certificate)
		name := ""
		if certified {
			name = theoremOf(c.Certificate, sc)
		}
		switch {
		case name != "":
			return fmt.Sprintf("why this certificate excludes deadlock: unknot help theorem; all definitions: unknot prove %s\n", name)
		case f.Evidence != nil:
			text = "the theorem of each kind of certificate: unknot help theorem\n"
		}
	}
	return text
}

// theoremOf names what Coq concludes about states from a certificate of freedom from deadlock, if packets move like this.
func theoremOf(c *proofs.Certificate, sc spec.Scenario) string {
	whole := c.Switching != spec.Wormhole
	switch {
	case c.Kind == proofs.Rank && (sc.Shared || sc.Sink > 0):
		return "rank_shared"
	case c.Kind == proofs.Rank && whole:
		return "rank_states"
	case c.Kind == proofs.Rank:
		return "rank_no_deadlock"
	case c.Kind == proofs.Escape && sc.Sink > 0:
		return "escape_packets"
	case c.Kind == proofs.Escape:
		return "escape_states"
	case c.Kind == proofs.ExtendedEscape && !sc.Shared && sc.Sink > 0:
		return "extended_flits"
	case c.Kind == proofs.ExtendedEscape && !sc.Shared:
		return "extended_no_deadlock"
	}
	return ""
}

func others(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "  ... and %d more\n", n)
	}
}
