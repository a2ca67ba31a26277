package machines_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// noted is the lock, where who enters leaves a note that nobody reads: another one where the condition is true.
const noted = lock + `var("note", ["a", "b"])
var("stage", range(n), over = procs)
def enter(s, i):
    when(s.owner == None)
    s.at[i], s.owner = "critical", i
    s.note = "b" if CONDITION else "a"
def move(s, i):
    s.stage[i] = 0 if s.stage[i] == n - 1 else s.stage[i] + 1
rule("{} moves", move, over = procs)
` + locked

// TestUncovered: a condition that is true from one size on, or of one combination of size, participant and state, is
// compared where it is first true, or nothing is said to be proved. Each file was proved before, whatever it means there.
// The size is where arithmetic says that the condition begins to be true.
func TestUncovered(t *testing.T) {
	solvers(t)
	for name, c := range map[string]struct {
		condition string
		left      int // the smallest size that is not compared; 0: none
	}{
		"a size that is compared":           {"n == 30", 0},
		"a size that is too large":          {"n == 900000", 900000},
		"a participant":                     {"i - 7 == 9 and i + 1 == n", 0},
		"a participant of a size too large": {"i - 70000 == 900000 and i + 1 == n", 970001},
		"a state":                           {"s.stage[i] - 3 == 14 and i == 11", 0},
		"at top level":                      {"large", 900001},
		"never":                             {"i == n + 1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains([]string{"a participant", "a size that is too large", "at top level"}, name) {
				seedtest.InFull(t)
			}
			text := strings.Replace(noted, "CONDITION", c.condition, 1)
			line := 11
			if name == "at top level" {
				text, line = strings.Replace(text, "procs = ", "large = n > 900000\nprocs = ", 1), 3
			}
			p := prove(t, "f.star", text, "n")
			found := slices.ContainsFunc(p.Uncovered, func(u machines.Uncovered) bool { return u.Line == line && u.Size == c.left })
			if want := spec.Holds; c.left == 0 && (p.Verdict() != want || len(p.Uncovered) > 0) {
				t.Errorf("%v (%v %v %v), %v, want %v", p.Verdict(), p.Missing, p.Unproved, p.Differs, p.Uncovered, want)
			} else if c.left > 0 && (p.Verdict() != spec.Unknown || !found) {
				t.Errorf("%v (%v %v %v), %v, want %d", p.Verdict(), p.Missing, p.Unproved, p.Differs, p.Uncovered, c.left)
			}
		})
	}
}

// TestMisreadSituation: formulas that say something else than the file are found out, where a condition is true of one
// combination of size, participant and state, that no number of the file names.
func TestMisreadSituation(t *testing.T) {
	solvers(t)
	for i, condition := range []string{
		"i - 7 == 9 and i + 1 == n", "s.stage[i] - 3 == 14 and i == 11", "s.stage[i] + i == n + 13",
	} {
		if i > 0 && !seedtest.Whole() {
			break
		}
		m, err := machines.Read("f.star", []byte(strings.Replace(noted, "CONDITION", condition, 1)), "n", nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := machines.Replaced(m, strings.Replace(noted, "CONDITION", "False", 1)).Prove(t.Context())
		if err != nil || p.Differs == nil || p.Verdict() != spec.Unknown {
			t.Errorf("%s: %v, %v, %v", condition, p.Verdict(), p.Differs, err)
		}
	}
}

// TestRangesOfRanges: pairs whose second participant has a range that depends on the first. The bound of the first was once
// 0 where work and oracle looked.
func TestRangesOfRanges(t *testing.T) {
	solvers(t)
	text := lock + `def enter(s, i, j):
    when(s.owner == None and s.at[j] == "idle")
    s.at[i], s.owner = "critical", i
def leave(s, i):
    when(s.at[i] == "critical")
    s.at[i], s.owner = "idle", None
rule("{} enters before {}", enter, over = [(i, j) for i in range(n) for j in range(i, n)])
rule("{} leaves", leave, over = procs)
invariant("one", lambda s: count(procs, lambda i: s.at[i] == "critical") <= 1)
invariant("pairs", lambda s: all([s.at[i] == "idle" or s.at[j] == "idle" for i in range(n) for j in range(i + 1, n)]))
`
	if p := prove(t, "f.star", text, "n"); p.Verdict() != spec.Holds {
		t.Errorf("%v: %v %v %v %v", p.Verdict(), p.Missing, p.Unproved, p.Differs, p.Uncovered)
	}
	// 100 participants have 4,950 pairs, and a step of each copies more than 100 values.
	below := strings.Replace(text, "range(i, n)]", "range(i)]", 1)
	m, err := machines.Read("f.star", []byte(below), "n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if few, many := m.Work(2), m.Work(100); few > 10_000 || many < 495_000 {
		t.Errorf("work of 2 is %d, of 100 %d", few, many)
	}
}

// TestClosed: a formula with a name that nothing binds is refused. No file has one, as far as we know.
func TestClosed(t *testing.T) {
	const want = "f.star:1:1: a formula with i_9, which is no participant and no size there"
	if err := machines.Unbound("i_9"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := machines.Unbound("n"); err != nil {
		t.Error(err)
	}
}
