package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/coq"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/proofs/smt"
)

// TestProve: every family is listed, and prove prints its theorem, formula and files; the solvers that are installed
// agree, and without one the exit code is that of unknown.
func TestProve(t *testing.T) {
	if _, err := exec.LookPath("coqc"); err == nil {
		if code, out, errs := unknot(t, "prove", "e-cube"); !strings.Contains(out, "\n  coqc  checks Ecube.v\n") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	}
	if _, err := exec.LookPath("coqc"); err == nil {
		code, out, errs := unknot(t, "prove", "starvation")
		if code != exitExpected || !strings.Contains(out, "\n  coqc  checks Starvation.v\n") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	}
	installed, dir := 0, t.TempDir() // without Coq, which takes seconds for each family
	for _, v := range smt.Solvers() {
		if path, err := exec.LookPath(v.Name); err == nil {
			installed++
			if err := os.Symlink(path, filepath.Join(dir, v.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", dir)
	code, list, errs := unknot(t, "prove")
	if code != exitExpected {
		t.Fatal(errs)
	}
	for _, f := range families.All() {
		if !strings.Contains(list, "  "+f.Name+" ") {
			t.Errorf("%s is not listed", f.Name)
		}
		for _, s := range f.Coq {
			if parts, err := coq.Statement(s.Theorem); err != nil || len(parts) == 0 || parts[len(parts)-1].File != path.Base(s.File) {
				t.Errorf("%s: no theorem %s of %s is printed: %v", f.Name, s.Theorem, s.File, err)
			}
		}
		code, out, errs := unknot(t, "prove", f.Name)
		want := exitExpected
		if installed == 0 {
			want = exitUnknown
		}
		if code != want || strings.Count(out, "  proves ") != installed || strings.Count(out, "  not installed") != len(smt.Solvers())-installed+min(len(f.Coq), 1) {
			t.Errorf("%s: exit %d, %d solvers are installed\n%s%s", f.Name, code, installed, out, errs)
		}
		for _, part := range append(f.Files(), "  rank.1 = ", "  # not covered: ") {
			if !strings.Contains(out, part) {
				t.Errorf("%s does not print %q:\n%s", f.Name, part, out)
			}
		}
	}
	if code, out, errs := unknot(t, "prove", "p3"); code != exitUnknown || !strings.Contains(out, "  # not covered: ") {
		t.Errorf("p3 without Coq: exit %d, %s%s", code, out, errs)
	}
	if code, _, errs := unknot(t, "prove", "starvation"); code != exitUnknown || !strings.Contains(errs, "Coq is not installed") {
		t.Errorf("starvation without Coq: exit %d, %s", code, errs)
	}
	code, out, errs := unknot(t, "prove", "escape_states")
	if code != exitUnknown || !strings.Contains(out, "\n(* proofs/coq/Step.v *)\n") || !strings.Contains(out, "  Theorem escape_states : ") ||
		!strings.Contains(errs, "Coq is not installed") {
		t.Errorf("escape_states without Coq: exit %d, %s%s", code, out, errs)
	}
	if code, _, errs := unknot(t, "prove", "escape_state"); code != exitUsage || !strings.Contains(errs, "did you mean escape_states?") {
		t.Errorf("exit %d, %s", code, errs)
	}
	t.Setenv("PATH", "")
	if code, _, errs := unknot(t, "prove", "xy"); code != exitUnknown || !strings.Contains(errs, "no solver is installed") {
		t.Errorf("without solvers: exit %d, %s", code, errs)
	}
	if code, _, errs := unknot(t, "prove", "dateliné"); code != exitUsage || !strings.Contains(errs, "want xy, west-first") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// TestCheckNamesTheorem: the verdict of a member of a proven family names the theorem, in text and as data; a parameter
// that takes the network out of the family takes the name away, even if the verdict holds, too.
func TestCheckNamesTheorem(t *testing.T) {
	for _, c := range []struct {
		args   string
		family string // of the theorem
		named  bool
	}{
		{"torus --set routing=dateline", "dateline", true},
		{"torus --set routing=dateline --set tie=parity --set k=2 --switching saf", "dateline", true},
		{"torus --set routing=dateline --source (0,0)", "dateline", true},
		{"torus --set routing=dor --set k=5", "dateline", false},
		{"torus --set routing=dateline --sink 1", "dateline", true},
		{"torus --set routing=dateline --switching wormhole --length 3 --shared", "dateline", true},
		{"torus --set routing=dateline --switching wormhole --length 3 --shared --sink 1", "dateline", true},
		{"star-channel --set k=3 --set n=1", "star-channel", true},
		{"star-channel --set k=3 --set n=1 --sink 1", "star-channel", true},
		{"star-channel --set k=3 --set n=1 --switching wormhole --length 3 --shared", "star-channel", false}, // escapes
		{"torus --set routing=bubble --set adaptive=0", "bubble", true},
		{"torus --set routing=bubble --set adaptive=0 --sink 1", "bubble", false}, // assumes that sinks drain
		{"torus --set routing=dor --set k=3 --set n=1", "dateline", false},        // violated
		{"mesh --set routing=adaptive --set k=2 --set n=1", "dateline", false},
		{"invalidate-ack", "dateline", false},
	} {
		_, out, _ := unknot(t, append([]string{"check"}, strings.Fields(c.args)...)...)
		sentence := "  proved for every k >= 2, n >= 1, see unknot prove " + c.family + "\n"
		if strings.Contains(out, sentence) != c.named {
			t.Errorf("%s: want the theorem named: %v\n%s", c.args, c.named, out)
		}
		_, out, _ = unknot(t, append([]string{"check", "--json"}, strings.Fields(c.args)...)...)
		data := strings.Contains(out, `"fact": "every-size"`) && strings.Contains(out, `"family": "`+c.family+`"`)
		if data != c.named {
			t.Errorf("%s: want the theorem named: %v\n%s", c.args, c.named, out)
		}
	}
}

// TestCheckNamesArrival: so do the verdicts of P3's plane for the properties that its theorem is about, and for no other.
func TestCheckNamesArrival(t *testing.T) {
	const name = "  proved for every convex plane of convex regions, see unknot prove p3\n"
	for args, named := range map[string]int{
		"--set variant=beyond":                                      2, // and a deadlock
		"--set variant=beyond-horizontal --set moves=30":            2,
		"--set variant=beyond-vertical --set shape=brick":           2,
		"--set variant=beyond --set shape=bent --property delivery": 1,
		"--set variant=beyond --set shape=notch":                    0,
		"--set variant=beyond --set border=both":                    0,
		"--set variant=beyond --set numbers=horizontal":             0,
		"--set variant=horizontal":                                  0,
		"--set variant=never-back":                                  0,
		"":                                                          0,
	} {
		_, out, errs := unknot(t, append([]string{"check", "p3"}, strings.Fields(args)...)...)
		if got := strings.Count(out, name); got != named {
			t.Errorf("%s: named %d times, want %d\n%s%s", args, got, named, out, errs)
		}
	}
}

// TestProofsPage: the tables of the page are those of the families and of the catalogue; -update writes them. Each network
// that a family does not cover is violated, as the table says.
func TestProofsPage(t *testing.T) {
	const page, begins, ends = "guide/proofs.md", "## Proved for every size\n", "## The theory behind the verdicts\n"
	kept, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(kept), begins)
	_, tail, found2 := strings.Cut(rest, ends)
	if !found || !found2 {
		t.Fatalf("%s lacks the headings around its tables", page)
	}
	made := head + begins + familyTables() + ends + tail
	if *update {
		if err := os.WriteFile(page, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(made, string(kept)); diff != "" {
		t.Errorf("(-want +kept), write it anew with -update:\n%s", diff)
	}
	for _, f := range families.All() {
		for _, m := range f.Refuted {
			args := append(strings.Fields(m.Command())[1:], "--property", "deadlock-freedom")
			if code, out, errs := unknot(t, args...); code != exitViolated || !strings.Contains(out, "deadlock freedom VIOLATED") {
				t.Errorf("%s: exit %d\n%s%s", m.Command(), code, out, errs)
			}
		}
	}
	for _, g := range families.Generals() {
		for _, m := range g.Refuted {
			args := strings.Fields(m.Command())[1:]
			for _, p := range g.Properties {
				args = append(args, "--property", p.String())
			}
			if code, out, errs := unknot(t, args...); code != exitViolated {
				t.Errorf("%s: exit %d\n%s%s", m.Command(), code, out, errs)
			}
		}
	}
}

// familyTables writes what is proved for every size, for the sizes that are asked for, and refuted.
func familyTables() string {
	var b strings.Builder
	proved := map[string]bool{}
	row := func(name, sizes string, theorems []families.Statement, all []families.Network) {
		var coq, members []string
		for _, s := range theorems {
			coq = append(coq, "`"+s.Theorem+"`")
		}
		networks := 0
		for _, m := range all {
			members = append(members, "`"+strings.Join(append([]string{m.Model}, m.Set...), " ")+"`")
			networks += len(m.Settings())
			proved[m.Model] = true
		}
		fmt.Fprintf(&b, "| `unknot prove %s` | %s | %s | %s | %d |\n", name, sizes,
			cmp.Or(strings.Join(coq, ", "), "no"), strings.Join(slices.Compact(members), ", "), networks)
	}
	b.WriteString("\n| family | for every | Coq | its networks | ranks verified in tests |\n|---|---|---|---|---|\n")
	for _, f := range families.All() {
		row(f.Name, f.Sizes, f.Coq, f.Members)
	}
	b.WriteString("\nz3 and cvc5 decide all of them. All but `bubble` and `bubble-adaptive`, which are about whole packets, hold\nunder every switching, for packets of any length. A *rule at distance k/2* looks at the node, the destination, the dimension and the\ndirection, and permits one shortest way or both.\n")
	b.WriteString("\nCoq alone proves that packets arrive, and that none moves for ever. Of `p3` that is every shape but `notch`, which is not convex:\n" +
		"\n| theorem | for every | Coq | its networks | measures verified in tests |\n|---|---|---|---|---|\n")
	for _, g := range families.Generals() {
		if len(g.Members) > 0 {
			row(g.Name, g.Sizes, g.Coq, g.Members)
		}
	}
	b.WriteString("\n## Proved for the sizes that are asked for\n\n`unknot check` proves one size. These models have no theorem for every size:\n\n")
	for _, e := range models.Catalogue() {
		if !e.IsMachine() && !proved[e.Name] {
			fmt.Fprintf(&b, "* `unknot check %s`: %s\n", e.Name, e.Described().Summary)
		}
	}
	b.WriteString("\n## Refuted\n\nIf a condition of its theorem is changed, a family deadlocks. Packets on the plane of P3 then move for ever, or do not arrive.\nThe trace is for the size shown.\nCoq proves two of these deadlocks for every size: `two_vcs_deadlock` for CCCB, n >= 3, and `bubbles_needed` for tori, k >= 5.\n\n| family | change | command |\n|---|---|---|\n")
	refuted := func(name string, all []families.Network) {
		for _, m := range all {
			fmt.Fprintf(&b, "| %s | %s | `%s` |\n", name, m.Why, m.Command())
		}
	}
	for _, f := range families.All() {
		refuted(f.Name, f.Refuted)
	}
	for _, g := range families.Generals() {
		refuted(g.Name, g.Refuted)
	}
	return b.String() + "\n"
}

// TestProveFile: a network file is proved for every size, refuted with the smallest size, or refused at the place that
// formulas cannot say; the file of conditions is one that the solvers read again.
func TestProveFile(t *testing.T) {
	installed := true
	for _, v := range smt.Solvers() {
		if _, err := exec.LookPath(v.Name); err != nil {
			installed = false
		}
	}
	inFolder(t, map[string]string{
		"ring.star": `n = param("n", 4, min = 2)
vcs = param("vcs", 2)
network(vcs = vcs)
nodes = [node() for i in range(n)]
for i in range(n):
    link(nodes[i], nodes[(i + 1) % n])
def route(at, to):
    return [hop(at.node.out[0], 1 if vcs == 2 and at.node.id < to.id else 0)]
`,
		"lock.star": `n = param("n", 3, min = 2)
free = param("free", False)
machine(name = "lock")
procs = processes("process", n)
var("owner", optional(procs))
var("critical", bool, over = procs)
def enter(s, i):
    when(free or s.owner == None)
    s.critical[i], s.owner = True, i
rule("{} enters", enter, over = procs)
invariant("one", lambda s: count(procs, lambda i: s.critical[i]) <= 1)
`,
		"large.star": "n = param(\"n\", 30000, min = 30000)\nnetwork()\nnodes = [node(at = (i,)) for i in range(n)]\ndef route(at, to):\n    return []\n",
		"none.star":  "n = param(\"n\", 3, min = 3, max = 2)\nnetwork()\nnodes = [node(at = (i,)) for i in range(n)]\ndef route(at, to):\n    return []\n",
		"far.star": `n = param("n", 4, min = 1)
network(vcs = 2)
nodes = [node(at = (i,)) for i in range(n)]
for i in range(n):
    if i + 1 < n:
        both(nodes[i], nodes[i + 1], out = "+", back = "-")


def route(at, to):
    vc = 1 if n == 50000 else 0
    return [hop(at.node.port("+" if at.node.at[0] < to.at[0] else "-"), vc)]
`,
		"many.star": `n = param("n", 3, min = 2)
machine(name = "many")
procs = processes("process", n)
var("owner", optional(procs))
var("note", bool)
def enter(s, i):
    when(s.owner == None)
    s.owner, s.note = i, n == 900000
rule("{} enters", enter, over = procs)
invariant("no", lambda s: s.owner == None or not s.note or n == 900000)
`,
		"line.star": `n = param("n", 4, min = 1, max = 12)
network()
nodes = [node(at = (i,)) for i in range(n)]
for i in range(n):
    if i + 1 < n:
        both(nodes[i], nodes[i + 1], out = "+", back = "-")
def route(at, to):
    return [hop(at.node.port("+" if at.node.at[0] < to.at[0] else "-"))]
`,
		"tags.star": "k = param(\"k\", 3, min = 2)\nnetwork(tags = 2)\n",
	})
	for _, c := range []struct {
		args, want string
		code       int
		solved     bool
	}{
		{"prove ring.star --for-all n --smt n.smt2", "PROVED for every n >= 2", exitExpected, true},
		{"prove far.star --for-all n", "\n  line 10  n = 50000, from n = 50000 on: such networks have more than 20000 nodes", exitUnknown, true},
		{"prove large.star --for-all n", "nothing was proved: the smallest network has more than 1000 nodes, so it is not checked", exitUnknown, false},
		{"prove none.star --for-all n", "no size was checked", exitUnknown, false},
		{"prove many.star --for-all n", "from n = 900000 on: a state of n = 900000 takes more than", exitUnknown, true},
		{"prove line.star --for-all n", "PROVED for every n >= 1", exitExpected, true},
		{"prove lock.star --for-all n --smt lock.smt2", "lock.star: one PROVED for every n >= 2", exitExpected, true},
		{"prove lock.star --for-all n --set free=true", "REFUTED at n = 2, the smallest size", exitViolated, false},
		{"prove lock.star --for-all n,free", "2 sizes: a protocol is proved for every value of one parameter", exitUsage, false},
		{"prove ring.star --for-all n --set vcs=1", "REFUTED at n = 3, the smallest size that was found", exitViolated, false},
		{"prove tags.star --for-all k", "tags.star:2:1: network with tags=, which is not read for all sizes", exitUsage, false},
		{"prove ring.star --for-all k", "no parameter \"k\": want n or vcs", exitUsage, false},
		{"prove ring.star", "which parameters stand for every size? want --for-all k, say", exitUsage, false},
		{"prove xy --set k=3", "--smt and --set are for a network file with --for-all", exitUsage, false},
	} {
		code, out, errs := unknot(t, strings.Fields(c.args)...)
		if c.solved && !installed {
			if code != exitUnknown || !strings.Contains(out, "not installed") {
				t.Errorf("%s without solvers: exit %d\n%s%s", c.args, code, out, errs)
			}
			continue
		}
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%s: exit %d\n%s%swant %d, %s", c.args, code, out, errs, c.code, c.want)
		}
		if c.solved && strings.Contains(c.args, "ring.star") && !strings.Contains(out, "\nassuming\n  any switching, ") {
			t.Errorf("%s does not print what it assumes:\n%s", c.args, out)
		}
		if strings.Contains(c.args, "line.star") && !strings.Contains(out, "n = 1: no node sends anything there") {
			t.Errorf("%s does not name the size at which there is nothing to decide:\n%s", c.args, out)
		}
	}
	if !installed {
		return
	}
	text, err := os.ReadFile("n.smt2")
	if err != nil {
		t.Fatal(err)
	}
	script, err := smt.Parse("n.smt2", string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range smt.Solvers() {
		if err := v.Run(t.Context(), script); err != nil {
			t.Error(err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for want, all := range map[string][]int{"": nil, "3": {3}, "3 to 4": {3, 4}, "0, 2 to 5, 9": {0, 2, 3, 4, 5, 9}} {
		if got := numbers(all); got != want {
			t.Errorf("%v: %q, want %q", all, got, want)
		}
	}
}

// TestTheoremOfEvidence: the last line of an answer with evidence names the page first, and the theorem about the certificate
// that excludes deadlock, which depends on how the network is run; prove prints it.
func TestTheoremOfEvidence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, theorem string }{
		{"torus --set k=3", "rank_no_deadlock"},
		{"torus --set k=3 --switching vct", "rank_states"},
		{"torus --set k=3 --sink 1", "rank_shared"},
		{"torus --set k=3 --length 3 --shared", "rank_shared"},
		{"mesh --set routing=deflection --set k=3 --switching saf", "escape_states"},
		{"mesh --set routing=deflection --set k=3 --switching saf --sink 1", "escape_packets"},
		{"mesh --set routing=duato --set k=3", "extended_no_deadlock"},
		{"mesh --set routing=duato --set k=3 --sink 1", "extended_flits"},
		{"torus --set routing=bubble --set adaptive=0", ""}, // another kind
		{"torus --set k=4 --set n=1 --set routing=dor", ""}, // violated
	} {
		args := append(append([]string{"check"}, strings.Fields(c.args)...), "--out", t.TempDir())
		_, out, errs := unknot(t, args...)
		want := "the theorem of each kind of certificate: unknot help theorem\n"
		if c.theorem != "" {
			want = "why this certificate excludes deadlock: unknot help theorem; all definitions: unknot prove " + c.theorem + "\n"
			if parts, err := coq.Statement(c.theorem); err != nil || parts == nil {
				t.Errorf("no theorem %s: %v", c.theorem, err)
			}
		}
		if !strings.HasSuffix(out, "\n"+want) && !(c.theorem == "" && strings.Contains(out, "\n"+want)) {
			t.Errorf("%s: want %s\n%s%s", c.args, want, out, errs)
		}
	}
}
