package machines_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized/machines"
	"github.com/seed-105a2da2/unknot/spec"
)

const owned = `def enter(s, i):
    when(s.owner == None)
    s.at[i], s.owner = "critical", i
`

// TestMisread: formulas that mean something else than the file, from a size on alone that is not checked one by one,
// prove nothing about the file, if it has a number near that size.
func TestMisread(t *testing.T) {
	solvers(t)
	right := "twenty = 20\n" + lock + owned + locked
	m, err := machines.Read("f.star", []byte(right), "n", map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old, new, want string
	}{
		"nothing":      {"", "", ""},
		"a step more":  {"s.owner == None", "s.owner == None or n == twenty", "at n = 20: the file has a step that the formulas do not have, from "},
		"a step less":  {"s.owner == None", "s.owner == None and n < twenty - 1", "at n = 19: the formulas have a step that the file does not have, from "},
		"a wrong step": {"    when(s.owner == None)\n", "    when(s.owner == None)\n    if n == twenty + 2: fail(\"no\")\n", "at n = 22: the formulas do not have a wrong step of the file: "},
		"an initial state": {`["idle", "critical"], over = procs`, `["idle", "critical"], over = procs, init = lambda i: "critical" if i == twenty else "idle"`,
			"at n = 21: the formulas and the file differ in the initial value of at"},
		"the invariant": {"<= 1)", "<= (1 if n < twenty + 1 else 0))", "at n = 21: the formulas and the file differ in one, in "},
		"an error":      {"machine(name = \"lock\")\n", "machine(name = \"lock\")\nif n == twenty: fail(\"no\")\n", "at n = 20: f.star:4:17: fail: no"},
	} {
		t.Run(name, func(t *testing.T) {
			file := right
			if c.old != "" {
				file = replaced(t, right, c.old, c.new)
			}
			p, err := machines.Replaced(m, file).Prove(t.Context())
			switch {
			case err != nil:
				t.Fatal(err)
			case c.want == "":
				if p.Verdict() != spec.Holds || !slices.Contains(p.Further, 22) {
					t.Errorf("%v, compared at %v", p.Verdict(), p.Further)
				}
			case p.Verdict() != spec.Unknown || p.Differs == nil || !strings.HasPrefix(p.Differs.Error(), c.want):
				t.Errorf("%v: %v, want %s", p.Verdict(), p.Differs, c.want)
			}
		})
	}
}

// TestUncompared: a size that is too large is said to be not compared, and so are numbers that --set gives.
func TestUncompared(t *testing.T) {
	solvers(t)
	for name, c := range map[string]struct {
		top   string
		set   string
		least int // that is not compared
		why   string
	}{
		"many variables":    {"", "400000", 399999, "a state of n = 399999 takes more than 1000000 operators"},
		"many combinations": {"invariant(\"all\", lambda s: s.owner == None or any([s.at[i] == \"critical\" for i in procs]))\n", "30", 29, "the file is too large at n = 29: "},
	} {
		t.Run(name, func(t *testing.T) {
			text := lock + "x = param(\"x\", 1)\n" + owned + locked + c.top
			m, err := machines.Read("f.star", []byte(text), "n", map[string]string{"x": c.set})
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.Prove(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if p.Verdict() != spec.Holds || len(p.Uncompared) != 1 || p.Uncompared[0].Sizes[0] != c.least ||
				!strings.HasPrefix(p.Uncompared[0].Why, c.why) {
				t.Errorf("%v: %v", p.Verdict(), p.Uncompared)
			}
		})
	}
}

// TestManyNames: an invariant of many participants has more instances than fit into memory, and is unknown within seconds.
func TestManyNames(t *testing.T) {
	solvers(t)
	text := strings.Replace(lock, "min = 2", "min = 2, max = 3", 1) + owned + locked +
		`invariant("p", lambda s, a, b, c, d, e, f, g: s.at[a] == "idle" or s.at[b] == "idle" or a == b or s.at[c] == "idle",
    over = [procs, procs, procs, procs, procs, procs, procs])
`
	p := prove(t, "f.star", text, "n")
	if want := "a condition needs instances of more than "; p.Verdict() != spec.Unknown || !strings.HasPrefix(p.Missing, want) {
		t.Errorf("%v: %s, want %s", p.Verdict(), p.Missing, want)
	}
}
