package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/parameterized"
	"github.com/seed-105a2da2/unknot/checker/parameterized/machines"
	"github.com/seed-105a2da2/unknot/proofs/coq"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

func proveCommand(std streams) *cobra.Command {
	var b budget
	var own proveFlags
	c := &cobra.Command{
		Use:   "prove [FAMILY | THEOREM | FILE --for-all SIZES]",
		Short: "Prove a network or protocol file for every size, or show what is proved about known families",
		Long: `Prove lists the families of networks whose deadlock freedom is proved for every size, and
the theorems that Coq alone proves, about starvation and about arrival on a plane (p3).
With a FAMILY it prints the theorem, how it is proved, the formula of the rank, and the
files. Then z3 and cvc5, where installed, decide the file again: each condition must be
proved, and each wrong theorem beside it refuted. Coq, where installed, checks its proof.
With a THEOREM of proofs/coq it prints the statement in Coq, after all definitions behind
its words, and Coq checks its file.

With a network FILE and --for-all it proves deadlock freedom, livelock freedom and delivery
for every value of the named parameters. It fits a rank of the channels to small sizes, and
both solvers must prove the conditions for every size. See unknot help proofs.

With --for-all the exit code is 0 only if both solvers prove it, and the formulas were
compared with the file in every case of its conditions. It is 1 if a property is violated
at some size.

Exit codes: 0 all installed solvers agree, 1 violated, 2 usage or input, 3 unknown or out of
time, or without solvers, 4 a condition of a family is not proved, 130 interrupted.`,
		Example: `  unknot prove
  unknot prove dateline
  unknot prove rank_no_deadlock
  unknot prove my.star --for-all k
  unknot prove models/examples/protocols/10_token_ring.star --for-all n`,
		Args: wants(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, f := range families.All() {
				names = append(names, f.Name+"\t"+f.Theorem)
			}
			for _, g := range families.Generals() {
				names = append(names, g.Name+"\t"+g.Theorem)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listFamilies(std.out)
			}
			if len(own.sizes) > 0 {
				return own.prove(c, args[0], std)
			}
			if own.smt != "" || len(own.set) > 0 {
				return fmt.Errorf("--smt and --set are for a network file with --for-all")
			}
			if g, ok := families.FindGeneral(args[0]); ok {
				return proveGeneral(c.Context(), std.out, g)
			}
			if parts, err := coq.Statement(args[0]); err != nil || parts != nil {
				return cmp.Or(err, proveTheorem(c.Context(), std.out, args[0], parts))
			}
			f, ok := families.Find(args[0])
			if !ok && strings.HasSuffix(args[0], ".star") {
				return fmt.Errorf("%s: which parameters stand for every size? want --for-all k, say", args[0])
			}
			if !ok {
				var names []string
				for _, f := range families.All() {
					names = append(names, f.Name)
				}
				for _, g := range families.Generals() {
					names = append(names, g.Name)
				}
				theorems, err := coq.Theorems()
				return cmp.Or(err, fmt.Errorf("invalid family %.40q: want %s, or a theorem of proofs/coq%s",
					args[0], words.OneOf(names), words.Suggestion(args[0], append(names, theorems...))))
			}
			script, err := smt.Open(f.SMT)
			if err != nil {
				return err
			}
			if err := describeFamily(std.out, f, script); err != nil {
				return err
			}
			return cmp.Or(prove(c.Context(), std.out, script), proveInCoq(c.Context(), std.out, f.Files()))
		},
	}
	c.Flags().StringSliceVar(&own.sizes, "for-all", nil,
		"prove the network file for every value of these parameters, such as k or w,h, or the protocol for every n")
	c.Flags().StringArrayVar(&own.set, "set", nil, "with --for-all: set another parameter (repeatable)")
	writes(c.Flags(), &own.smt, "smt", "with --for-all: file for the conditions, in SMT-LIB 2", "smt2")
	b.register(c, std)
	return c
}

// proveFlags are those for a file of one's own.
type proveFlags struct {
	sizes, set []string
	smt        string
}

// prove proves a network file for every size.
func (f *proveFlags) prove(c *cobra.Command, name string, std streams) error {
	ctx := c.Context()
	text, err := readNetworkFile(ctx, name)
	if err != nil {
		return err
	}
	set, err := settingsOf("set", f.set)
	if err != nil {
		return err
	}
	if star.IsMachine(text) {
		return f.proveProtocol(c, name, text, set, std)
	}
	if filepath.Ext(name) == murphiFile {
		return fmt.Errorf("%s: --for-all reads Starlark, and not Murphi: write the protocol in a file NAME.star", name)
	}
	family, err := parameterized.Read(name, text, f.sizes, set)
	if err != nil {
		return err
	}
	p, err := family.Prove(ctx)
	if err != nil {
		return err
	}
	if err := f.write(ctx, p.Script); err != nil {
		return err
	}
	if err := describeProof(std.out, name, family, p, f.smt); err != nil {
		return err
	}
	return exitError(ctx, p.Verdict())
}

// write writes the conditions, where --smt says so.
func (f *proveFlags) write(ctx context.Context, script *smt.Script) error {
	if f.smt == "" || script == nil {
		return nil
	}
	return writeFile(ctx, f.smt, func(w io.Writer) error {
		_, err := io.WriteString(w, script.Text)
		return err
	})
}

// proveProtocol proves the invariants of a protocol file for every number of participants.
func (f *proveFlags) proveProtocol(
	c *cobra.Command, name string, text []byte, set map[string]string, std streams,
) error {
	ctx := c.Context()
	if len(f.sizes) != 1 {
		return fmt.Errorf("%s: %d sizes: a protocol is proved for every value of one parameter", name, len(f.sizes))
	}
	m, err := machines.Read(name, text, f.sizes[0], set)
	if errors.As(err, new(*spec.PosError)) {
		return fmt.Errorf("%w (unknot help proofs lists what is read; unknot check %s --set %s=N decides a size)",
			err, name, f.sizes[0])
	}
	if err != nil {
		return err
	}
	p, err := m.Prove(ctx)
	if err != nil {
		return err
	}
	if err := f.write(ctx, p.Script); err != nil {
		return err
	}
	if err := describeInvariant(std.out, name, m, p, f.smt); err != nil {
		return err
	}
	return exitError(ctx, p.Verdict())
}

// describeInvariant prints what is known about a protocol of every size.
func describeInvariant(w io.Writer, name string, m *machines.Machine, p *machines.Proof, file string) error {
	every := fmt.Sprintf("for every %s >= %d", m.Size, m.Least)
	if m.Most > 0 {
		every += fmt.Sprintf(" (the file accepts at most %d)", m.Most)
	}
	switch p.Verdict() {
	case spec.Violated:
		fmt.Fprintf(w, "%s: REFUTED at %s = %d, the smallest size\n\n", name, m.Size, p.Size)
		return printResult(w, p.Result, false, "", "", nil)
	case spec.Holds:
		fmt.Fprintf(w, "%s: %s PROVED %s\n", name, strings.Join(m.Properties(), ", "), every)
	default:
		fmt.Fprintf(w, "%s: UNKNOWN %s\n", name, every)
	}
	if p.Differs != nil {
		fmt.Fprintf(w, "\nnothing is proved of the file, as the formulas are not what it says: %v\n", p.Differs)
	}
	var left []item
	for _, u := range p.Uncovered {
		size := ""
		if u.Size != 0 {
			size = fmt.Sprintf(", from %s = %d on", m.Size, u.Size)
		}
		left = append(left, uncovered(u.Line, u.Condition, size, u.Why))
	}
	if err := describeUncovered(w, left); err != nil {
		return err
	}
	if p.Missing != "" {
		fmt.Fprintf(w, "\nno invariant was found: %s\n", p.Missing)
	}
	if len(p.Clauses) > 0 {
		fmt.Fprint(w, "\nwhat is true in every reachable state\n")
	}
	counted := false
	for i, c := range p.Clauses {
		own := ""
		if c.Own {
			own = "  # of the file"
		}
		if c.Counts != "" {
			own += ", by counting with " + c.Counts
			counted = true
		}
		fmt.Fprintf(w, "%4d  %s%s\n", i+1, c.Says, own)
	}
	fmt.Fprintln(w)
	switch {
	case p.Script != nil && p.Unproved == nil:
		fmt.Fprintf(w, "initial states have it and steps keep it: %s, proved by %s\n",
			words.Plural(p.Conditions, "condition"), strings.Join(p.Solvers, " and "))
		if counted {
			fmt.Fprintln(w, "by counting: the array names another participant for each key, and none of those for which the invariant "+
				"fails; these would be more than there are")
		}
	case p.Unproved != nil:
		fmt.Fprintf(w, "nothing was proved: %v\n", p.Unproved)
	}
	if len(p.Sizes) > 0 {
		fmt.Fprintf(w, "checked one by one: %s from %s = %d to %d; the formulas agree with the file in %s\n",
			words.Plural(len(p.Sizes), "size"), m.Size, p.Sizes[0], p.Sizes[len(p.Sizes)-1],
			words.Plural(p.Compared, "state"))
	}
	if len(p.Further) > 0 {
		fmt.Fprintf(w, "compared with the file, too: %s = %s\n", m.Size, numbers(p.Further))
	}
	for _, u := range p.Uncompared {
		fmt.Fprintf(w, "not compared with the file: %s = %s, as %s\n", m.Size, numbers(u.Sizes), u.Why)
	}
	if p.Verdict() == spec.Holds {
		fmt.Fprintln(w, "not proved: deadlock freedom, and that anything happens at some time")
	}
	if file != "" && p.Script != nil {
		fmt.Fprintf(w, "the conditions are in %s: z3 -smt2 and cvc5 --incremental decide them again\n", file)
	}
	return nil
}

// uncovered describes a place in which formulas and file were not compared.
func uncovered(line int, condition, size, why string) item {
	if line == 0 {
		return item{"", why}
	}
	return item{fmt.Sprintf("line %d", line), fmt.Sprintf("%s%s: %s", spec.Printable(condition), size, why)}
}

// describeUncovered lists the first place of each line in which formulas and file were not compared.
func describeUncovered(w io.Writer, all []item) error {
	if len(all) == 0 {
		return nil
	}
	var first []item
	for _, u := range all {
		if !slices.ContainsFunc(first, func(v item) bool { return v.name == u.name }) {
			first = append(first, u)
		}
	}
	fmt.Fprint(w, "\nnothing is proved of the file, as the formulas were not compared with it where these are true\n")
	if err := writeItems(w, first); err != nil {
		return err
	}
	if more := len(all) - len(first); more > 0 {
		fmt.Fprintf(w, "  and %s more on these lines\n", words.Plural(more, "condition"))
	}
	return nil
}

// numbers lists ascending numbers, "3 to 8, 11".
func numbers(all []int) string {
	var parts []string
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end] == all[end-1]+1 {
			end++
		}
		if part := strconv.Itoa(all[i]); end-i > 1 {
			parts = append(parts, fmt.Sprintf("%s to %d", part, all[end-1]))
		} else {
			parts = append(parts, part)
		}
		i = end
	}
	return strings.Join(parts, ", ")
}

// describeProof prints what is known about every size of a network file.
func describeProof(w io.Writer, name string, f *parameterized.Family, p *parameterized.Proof, file string) error {
	checked := "no size was checked"
	if n := len(p.Sizes); n > 0 {
		checked = fmt.Sprintf("checked one by one: %s from %s to %s; the formulas agree with the file at %s",
			words.Plural(n, "size"), parameterized.Text(f.Sizes, p.Sizes[0]), parameterized.Text(f.Sizes, p.Sizes[n-1]),
			words.Plural(p.Sites, "site"))
	}
	switch {
	case p.Size != nil:
		fmt.Fprintf(w, "%s: REFUTED at %s, the smallest size that was found\n\n", name, parameterized.Text(f.Sizes, p.Size))
		return printResult(w, p.Result, false, "", "", nil)
	case p.Verdict() == spec.Holds:
		fmt.Fprintf(w, "%s: deadlock freedom, livelock freedom and delivery PROVED for every %s\n\n", name, parameterized.Text(f.Sizes, nil))
		if p.Escape {
			fmt.Fprint(w, "a packet is always offered a channel of lower rank than all that it holds: one of these escapes, "+
				"which begin at node (x1, ...):\n")
		} else {
			fmt.Fprintf(w, "every hop lowers the rank of the channel, which begins at node (x1, ...):\n")
		}
	case p.Script != nil:
		fmt.Fprintf(w, "%s: UNKNOWN for every %s\n\n", name, parameterized.Text(f.Sizes, nil))
		if len(p.Uncovered) > 0 {
			fmt.Fprintf(w, "a rank of the formulas:\n")
		} else {
			fmt.Fprintf(w, "a rank that is right at small sizes:\n")
		}
	default:
		fmt.Fprintf(w, "%s: UNKNOWN for every %s\n\n", name, parameterized.Text(f.Sizes, nil))
	}
	var ranks []item
	for _, r := range p.Rank {
		ranks = append(ranks, item{r.Channels, "(" + strings.Join(r.Formulas, ", ") + ")"})
	}
	if err := writeItems(w, ranks); err != nil {
		return err
	}
	if p.Cyclic != nil && !p.Escape {
		fmt.Fprintf(w, "no rank is lowered by every hop, as the channel dependency graph has a cycle at %s; and no VCs are found to "+
			"be escapes, of which a packet is always offered one that ranks below all that it holds\n",
			parameterized.Text(f.Sizes, p.Cyclic))
	}
	for _, d := range p.Unlowered {
		fmt.Fprintf(w, "no function that is linear in coordinates and sizes lowers every dependency from %s\n", d)
	}
	if p.Script != nil {
		conditions := 0
		for _, c := range p.Script.Checks {
			if c.Want == smt.Unsat {
				conditions++
			}
		}
		fmt.Fprintf(w, "\n%s, with an invariant of %s, ", words.Plural(conditions, "condition"),
			words.Plural(p.Compared, "comparison"))
		if p.Unproved == nil {
			fmt.Fprintf(w, "proved by %s\n", strings.Join(p.Solvers, " and "))
		} else {
			fmt.Fprintf(w, "not proved: %v\n", p.Unproved)
		}
	} else if p.Unproved != nil {
		fmt.Fprintf(w, "nothing was proved: %v\n", p.Unproved)
	}
	var left []item
	for _, u := range p.Uncovered {
		size := ""
		if u.Size != nil {
			size = ", from " + parameterized.Text(f.Sizes, u.Size) + " on"
		}
		left = append(left, uncovered(u.Line, u.Condition, size, u.Why))
	}
	if err := describeUncovered(w, left); err != nil {
		return err
	}
	fmt.Fprintln(w, checked)
	if len(p.Large) > 0 {
		var sizes []string
		for _, size := range p.Large {
			sizes = append(sizes, parameterized.Text(f.Sizes, size))
		}
		if len(sizes) > 10 {
			sizes = append(sizes[:10], fmt.Sprintf("and %d more", len(p.Large)-10))
		}
		fmt.Fprintf(w, "compared with the file, too: the links and %s at %s\n",
			words.Plural(p.Points, "packet"), strings.Join(sizes, "; "))
	}
	for _, size := range p.Idle {
		fmt.Fprintf(w, "%s: no node sends anything there, so unknot check has nothing to decide\n", parameterized.Text(f.Sizes, size))
	}
	if len(p.Uncompared) > 0 {
		var names []string
		for _, s := range f.Sizes {
			names = append(names, s.Name)
		}
		fmt.Fprintf(w, "not compared with the file: %s = %s, as such networks are large\n", strings.Join(names, " = "), numbers(p.Uncompared))
	}
	if p.Verdict() == spec.Holds {
		theorem := "lowered_never_stuck"
		if p.Escape {
			theorem = "escapes_sound"
		}
		fmt.Fprint(w, "\nassuming\n"+
			"  any switching, and packets of any length; a channel has flits of one packet at a time\n"+
			"  every node may send to every other at any time\n"+
			"  every choice among the permitted hops\n"+
			"  sinks always drain\n"+
			"  any delay (asynchronous)\n"+
			"the theorem behind the conditions is "+theorem+", see unknot help proofs; that they say what the file says "+
			"is tested, not proved\n")
	}
	if file != "" && p.Script != nil {
		fmt.Fprintf(w, "the conditions are in %s: z3 -smt2 and cvc5 --incremental decide them again\n", file)
	}
	return nil
}

func listFamilies(w io.Writer) error {
	var items []item
	for _, f := range families.All() {
		items = append(items, item{f.Name, f.Theorem})
	}
	for _, g := range families.Generals() {
		items = append(items, item{g.Name, g.Theorem})
	}
	if err := writeItems(w, items); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nunknot prove FAMILY shows the proof, and has the solvers decide it again.")
	return err
}

func describeFamily(w io.Writer, f families.Family, script *smt.Script) error {
	assuming := "assuming: sinks drain, and a channel has flits of one packet at a time; any node may send to any other"
	if f.Kind == 0 {
		assuming = "assuming: whole packets, and sinks drain; any node may send to any other"
	}
	for _, text := range []string{f.Name + ": " + f.Theorem, assuming, "source: " + f.Source, f.Reading} {
		for _, line := range fold(text, width) {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprint(w, "\nrank of a channel, compared lexicographically\n")
	for line := range strings.Lines(script.Formula("rank")) {
		fmt.Fprint(w, "  ", line)
	}
	var files []item
	for _, name := range f.Files() {
		files = append(files, item{name, f.Proves(name)})
	}
	fmt.Fprint(w, "\nfiles\n")
	if err := writeItems(w, files); err != nil {
		return err
	}
	describeNetworks(w, f.Members, f.Refuted)
	return nil
}

func describeNetworks(w io.Writer, members, refuted []families.Network) {
	fmt.Fprint(w, "\nnetworks, covered or not\n")
	for _, m := range members {
		fmt.Fprintf(w, "  %s\n", m.Command())
	}
	for _, m := range refuted {
		fmt.Fprintf(w, "  %s  # not covered: %s\n", m.Command(), m.Why)
	}
}

// proveGeneral prints a theorem that Coq alone proves, and has Coq check it again.
func proveGeneral(ctx context.Context, w io.Writer, g families.General) error {
	for _, text := range []string{g.Name + ": " + g.Theorem, g.Reading} {
		for _, line := range fold(text, width) {
			fmt.Fprintln(w, line)
		}
	}
	var files []item
	for _, name := range g.Files() {
		files = append(files, item{name, g.Proves(name)})
	}
	fmt.Fprint(w, "\nfiles\n")
	if err := writeItems(w, files); err != nil {
		return err
	}
	if len(g.Members) > 0 {
		describeNetworks(w, g.Members, g.Refuted)
	}
	return proveInCoqAlone(ctx, w, g.Files())
}

// proveTheorem prints what a theorem states, and has Coq check its file again.
func proveTheorem(ctx context.Context, w io.Writer, name string, parts []coq.Part) error {
	fmt.Fprintf(w, "%s, after the definitions on which its words rest, but those of Coq's library\n", name)
	for _, p := range parts {
		fmt.Fprintf(w, "\n(* proofs/coq/%s *)\n%s", p.File, p.Text)
	}
	return proveInCoqAlone(ctx, w, []string{"proofs/coq/" + parts[len(parts)-1].File})
}

// proveInCoqAlone has Coq check files again, where nothing else does.
func proveInCoqAlone(ctx context.Context, w io.Writer, files []string) error {
	fmt.Fprint(w, "\nprover\n")
	if _, err := exec.LookPath("coqc"); err != nil {
		fmt.Fprintln(w, "  coqc  not installed")
		return &codeError{exitUnknown, errors.New("nothing was checked again, as Coq is not installed: install coq")}
	}
	return proveInCoq(ctx, w, files)
}

// proveInCoq has Coq check files again, if it is installed.
func proveInCoq(ctx context.Context, w io.Writer, files []string) error {
	for _, name := range files {
		file, found := strings.CutPrefix(name, "proofs/coq/")
		if !found {
			continue
		}
		err := coq.Check(ctx, file)
		switch {
		case errors.Is(err, coq.ErrNotInstalled):
			fmt.Fprintln(w, "  coqc  not installed")
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fmt.Fprintf(w, "  coqc  NOT PROVED: %v\n", err)
			return &codeError{code: exitInternal}
		}
		fmt.Fprintf(w, "  coqc  checks %s\n", file)
	}
	return nil
}

// prove has each solver that is installed decide a file.
func prove(ctx context.Context, w io.Writer, script *smt.Script) error {
	fmt.Fprint(w, "\nsolvers\n")
	proved, refuted := 0, 0
	for _, c := range script.Checks {
		switch {
		case c.Want == smt.Unsat:
			proved++
		case c.IsWrong():
			refuted++
		}
	}
	var failed error
	ran := 0
	for _, v := range smt.Solvers() {
		err := v.Run(ctx, script)
		switch {
		case errors.Is(err, smt.ErrNotInstalled):
			fmt.Fprintf(w, "  %-4s  not installed\n", v.Name)
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fmt.Fprintf(w, "  %-4s  NOT PROVED: %v\n", v.Name, err)
			failed = &codeError{code: exitInternal}
		default:
			fmt.Fprintf(w, "  %-4s  proves %s for every size and refutes %s\n", v.Name,
				words.Plural(proved, "condition"), words.Plural(refuted, "wrong one"))
		}
		ran++
	}
	if ran == 0 {
		return &codeError{
			exitUnknown, errors.New("no solver is installed, so nothing was decided again: install z3 or cvc5"),
		}
	}
	return failed
}
