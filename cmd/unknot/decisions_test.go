package main

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/modeltest"
)

// TestQuoted: a word is quoted for a shell unless it has only characters that mean nothing there,
// whichever place the other has.
func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"a": "a", "k=3": "k=3", "a/b.star": "a/b.star", "0->1": "'0->1'", "": "''", " a": "' a'", "$a": "'$a'",
		"a$": "'a$'", "a b": "'a b'", "'": `''\'''`, "*": "'*'",
	} {
		if got := quoted(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// TestUnder: a sweep names exactly the settings that were given, besides those that it always has.
func TestUnder(t *testing.T) {
	always := []string{"max-states=0", "max-sites=0"}
	for want, set := range map[string]func(f *sweepFlags){
		"":                 func(*sweepFlags) {},
		"switching=saf":    func(f *sweepFlags) { f.switching = "saf" },
		"from=csv":         func(f *sweepFlags) { f.from = "csv" },
		"route=lash":       func(f *sweepFlags) { f.engine = "lash" },
		"scope=hosts-vls":  func(f *sweepFlags) { f.scope = "hosts-vls" },
		"sl=2":             func(f *sweepFlags) { f.sl = "2" },
		"both-ways":        func(f *sweepFlags) { f.bothWays = true },
		"vcs=3":            func(f *sweepFlags) { f.vcs = 3 },
		`dest="a"`:         func(f *sweepFlags) { f.dest = []string{"a"} },
		`source="a, or b"`: func(f *sweepFlags) { f.source = []string{"a, or b"} },
	} {
		f := &sweepFlags{}
		set(f)
		all := always
		if want != "" {
			all = append(always[:2:2], want)
		}
		if diff := cmp.Diff(all, f.conditions().List()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want, diff)
		}
	}
}

// TestDiffExit: the exit code of a comparison is 1 whatever differs, and wherever it stands in what is
// compared; and 0 if nothing does. Of settings, nodes, links, flows and routes one differs each time.
func TestDiffExit(t *testing.T) {
	const lines = `network(name = "n", buffer = 1)
a, b, c = node("a"), node("b"), node("c")
both(a, b)
both(b, c)
flows([("a", "c")])
def route(at, to):
    return [hop(at.node.to(b if at.node != b else to))]
`
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	before := write("before.star", lines)
	for what, edit := range map[string][2]string{
		"nothing":  {"", ""},
		"settings": {"buffer = 1", "buffer = 2"},
		"nodes":    {"both(a, b)", "node(\"d\")\nboth(a, b)"},
		"links":    {"both(a, b)", "both(a, b)\nlink(a, c)"},
		"flows":    {`("a", "c")`, `("a", "c"), ("a", "b")`},
	} {
		text := strings.Replace(lines, edit[0], edit[1], 1)
		want := exitViolated
		if what == "nothing" {
			want = exitExpected
		}
		if code, out, errs := unknot(t, "diff", before, write("after.star", text)); code != want {
			t.Errorf("%s: exit %d, want %d\n%s%s", what, code, want, out, errs)
		}
	}
}

// TestFirstToSee: of the networks of a folder that are not as expected, the first is named.
func TestFirstToSee(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		expect := map[bool]string{true: "holds", false: "violated"}[name == "a" || name == "d"]
		text := "network(name = '" + name + "')\nexpect(deadlock_freedom = '" + expect +
			"')\nlink(node('x'), node('y'))\nflows([('x', 'y')])\ndef route(at, to):\n    return [hop(at.node.out[0])]\n"
		if err := os.WriteFile(filepath.Join(dir, name+".star"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, _ := unknot(t, "check", dir)
	if code != exitViolated || !strings.Contains(out, "2 of 4 as expected\nto see why: unknot check ") ||
		!strings.Contains(out, "b.star\n") || strings.Contains(out, "unknot check "+filepath.Join(dir, "c.star")) {
		t.Errorf("exit %d, want that b is named:\n%s", code, out)
	}
}

// TestUsageListsCommands: the list of commands has all that can be run, each with what it does.
func TestUsageListsCommands(t *testing.T) {
	_, out, errs := unknot(t, "--help")
	_, listed, found := strings.Cut(out+errs, "Commands:\n")
	if !found {
		t.Fatalf("no commands:\n%s%s", out, errs)
	}
	for _, name := range []string{"check", "show", "explore", "verify", "replay", "sweep", "untie", "graph", "models", "help"} {
		if !strings.Contains(listed, "\n  "+name+" ") && !strings.HasPrefix(listed, "  "+name+" ") {
			t.Errorf("%s is not listed:\n%s", name, listed)
		}
	}
}

// TestBoundOfExploring: --max-states bounds what is explored of what the tables leave open above its default, too, and
// with 0 nothing does; --explore says whether anything is.
func TestBoundOfExploring(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "3"})
	for args, want := range map[string]checker.Question{ // without a bound, the library has its own
		"": {}, "--max-states=5": {MaxStates: 5}, "--max-states=300000": {MaxStates: 300_000}, "--max-states=0": {MaxStates: math.MaxInt64},
		"--explore=never": {Explore: checker.Never}, "--explore always": {Explore: checker.Always}, "--explore=whole": {Explore: checker.Whole},
	} {
		var f checkFlags
		c := &cobra.Command{Use: "check"}
		f.networkFlags.register(c)
		f.exploreFlags.register(c)
		f.within = &f.budget
		if err := c.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		opt, _, err := f.networkQuestion(c, "ring", n, newMeter(streams{err: io.Discard}))
		if err != nil || opt.MaxStates != want.MaxStates || opt.Explore != want.Explore {
			t.Errorf("%q: explores %s, %d states, want %s, %d: %v", args, opt.Explore, opt.MaxStates, want.Explore, want.MaxStates, err)
		}
	}
}

// TestMostStatesBoundSettling: --max-states bounds exploring of any kind, so also the search that settles a verdict
// of the tables, which has 14 states or more here; the default bound does not end it.
func TestMostStatesBoundSettling(t *testing.T) {
	args := []string{"check", "gadget", "--set", "name=swap", "--switching", "saf", "--property", "deadlock-freedom"}
	if code, out, errs := unknot(t, args...); code != exitExpected {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for flag, want := range map[string]int{"--max-states=5": exitUnknown, "--explore=never": exitUnknown, "--max-states=1000": exitExpected} {
		if code, out, errs := unknot(t, append(args[:len(args):len(args)], flag)...); code != want {
			t.Errorf("%s: exit %d, want %d\n%s%s", flag, code, want, out, errs)
		}
	}
}
