package checker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/textbook"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// unnamed hides that a machine is a program's, so that its symmetries are checked in every
// state: the plain way.
type unnamed struct{ *program.Machine }

func (m unnamed) Symmetries() (all []func(dst, s []uint64) []uint64) {
	renamings, err := symmetry.Fieldwise(m.Program())
	if err != nil {
		panic(err)
	}
	for _, r := range renamings {
		all = append(all, r.Of(m.Layout()))
	}
	return all
}

func compiled(t rapid.TB, p *program.Program) *program.Machine {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sameOrbits explores a program modulo its renamings, verified as said, and again with its
// symmetries checked in every state: orbits, steps, deadlocks and verdicts are the same, and
// the verdicts are those over all states.
func sameOrbits(t rapid.TB, p *program.Program, verified string) *checker.Result {
	t.Helper()
	m := compiled(t, p)
	got := explore(t, m, checker.Question{Explore: checker.Whole, Symmetry: true})
	want := explore(t, unnamed{m}, checker.Question{Explore: checker.Whole, Symmetry: true})
	for _, x := range []*checker.Result{got, want} {
		for _, f := range x.Findings {
			how := verified
			if x == want {
				how = "verified in every state"
			}
			if f.Verdict == spec.Holds && !strings.Contains(f.Because.String(), how) {
				t.Errorf("%s of %s holds because %s; want %q", f.Property, p.Name, f.Because, how)
			}
		}
	}
	// The representatives of orbits differ, and so do the runs.
	told := cmpopts.IgnoreFields(checker.Finding{}, "Because", "Evidence")
	if diff := cmp.Diff(want, got, told, cmpopts.IgnoreFields(checker.Space{}, "Peak", "Reduced"),
		cmpopts.IgnoreFields(checker.Result{}, "Network", "Machine")); diff != "" {
		t.Errorf("%s: checked in every state (-) and on the rules (+):\n%s", p.Name, diff)
	}
	all := explore(t, m, checker.Question{Explore: checker.Whole})
	for i, f := range all.Findings {
		if f.Verdict != got.Findings[i].Verdict {
			t.Errorf("%s of %s: %s, modulo symmetries %s", f.Property, p.Name, f.Verdict, got.Findings[i].Verdict)
		}
	}
	return got
}

const onRules = "verified on its rules"

// TestOrbitsOfModels: the machines of the catalogue that name symmetries.
func TestOrbitsOfModels(t *testing.T) {
	for i, x := range []struct {
		model string
		set   map[string]string
	}{
		{"peterson", map[string]string{"n": "3"}},
		{"two-phase-commit", map[string]string{"managers": "4"}},
		{"invalidate-ack", map[string]string{"variant": "defer", "homes": "0,3", "writers": "0,3", "link": "1", "resharing": "no"}},
		{"invalidate-ack", map[string]string{"variant": "literal", "homes": "0,3", "writers": "0,3", "link": "1", "resharing": "no"}},
		{"invalidate-ack", map[string]string{"variant": "return", "homes": "0", "writers": "0,1", "link": "1", "resharing": "no"}},
	} {
		t.Run(x.model+" "+x.set["variant"], func(t *testing.T) {
			t.Parallel()
			if !seedtest.Sampled(i, 2) {
				t.Skip("not in the sample of this run")
			}
			e, ok := models.Find(x.model)
			if !ok {
				t.Fatal("not in the catalogue")
			}
			m, err := e.Machine(x.set)
			if err != nil {
				t.Fatal(err)
			}
			p := m.(*program.Machine).Program()
			if len(p.Renamings) == 0 {
				t.Fatal("it names no symmetries")
			}
			sameOrbits(t, p, onRules)
		})
	}
}

// TestOrbitsOfRandom: like parts in a ring or all alike, which look at each other and at a
// shared variable that names one of them.
func TestOrbitsOfRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "parts")
		p := program.New("like parts")
		part := make([]program.Var, n)
		for i := range part {
			part[i] = p.Var(fmt.Sprintf("part %d", i), 3)
		}
		turn := p.Var("turn", n+1)
		p.Init(turn, n)
		ring := rapid.Bool().Draw(t, "ring")
		for k := range rapid.IntRange(2, 5).Draw(t, "rules") {
			draw := func(most int) int { return rapid.IntRange(0, most).Draw(t, "value") }
			own, other, becomes, look, whose, how := draw(2), draw(2), draw(2), draw(3), draw(2), draw(2)
			for i := range n {
				var others []program.Expr
				for j := range n {
					if j != i && (!ring || j == (i+1)%n) {
						others = append(others, program.Eq(part[j], other))
					}
				}
				guard := []program.Expr{program.Eq(part[i], own)}
				switch look {
				case 0:
					guard = append(guard, program.Or(others...))
				case 1:
					guard = append(guard, program.And(others...))
				}
				switch whose {
				case 0:
					guard = append(guard, program.Ne(turn, i))
				case 1:
					guard = append(guard, program.Or(program.Eq(turn, i), program.Eq(turn, n)))
				}
				effect := []program.Stmt{program.Set(part[i], becomes)}
				switch how {
				case 0:
					effect = append(effect, program.Set(turn, i))
				case 1:
					effect = append(effect, program.If(program.Eq(turn, i), program.Set(turn, n)))
				}
				p.Rule(fmt.Sprintf("rule %d of %d", k, i), program.And(guard...), effect...)
			}
		}
		var some []program.Expr
		for i := range n {
			some = append(some, program.And(program.Eq(part[i], 2), program.Ne(turn, i)))
		}
		p.Invariant("none", program.Not(program.Or(some...)))
		for _, perm := range permutations(n)[1:] {
			r := rewriting.Identity(p)
			for i, x := range perm {
				r.Vars[part[i]] = part[x]
			}
			r.Values[turn] = append(slices.Clone(perm), n)
			p.Renamings = append(p.Renamings, r)
		}
		if ring {
			p.Renamings = slices.DeleteFunc(p.Renamings, func(r program.Renaming) bool {
				for i := range n {
					if (int(r.Vars[(i+1)%n])-int(r.Vars[i])+n)%n != 1%n {
						return true
					}
				}
				return false
			})
		}
		sameOrbits(t, p, onRules)
	})
}

// permutations returns those of 0..n-1, the identity first.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, perm := range permutations(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(perm), n-1-i, n-1))
		}
	}
	return all
}

// TestSymmetryOfReachable: processes that differ only in unreachable states. Their rules do not
// show that they are alike, but every reachable state does. There are 172 orbits, as CMurphi
// finds.
func TestSymmetryOfReachable(t *testing.T) {
	p, err := programtest.Of(textbook.PetersonEntry().Machine(nil))
	if err != nil {
		t.Fatal(err)
	}
	const critical = 4
	p.Rule("never", program.And(program.Eq(program.Var(0), critical), program.Eq(program.Var(1), critical)))
	x := explore(t, compiled(t, p), checker.Question{Explore: checker.Whole, Symmetry: true})
	if because := finding(t, x, "mutual exclusion").Because; x.States != 172 || !strings.Contains(because.String(), `6 symmetries, verified in every state on "never", else on its rules`) {
		t.Errorf("%d states, mutual exclusion holds: %s", x.States, because)
	}
}

// TestOrbitsByRestOfRules: of some programs a few rules, an invariant or the intended end do not show that processes
// are alike, though they are in all reachable states. Those parts alone are checked there; the plain way
// checks all.
func TestOrbitsByRestOfRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := programtest.Of(textbook.PetersonEntry().Machine(nil))
		if err != nil {
			t.Fatal(err)
		}
		const critical = 4
		i := rapid.IntRange(0, 2).Draw(t, "process")
		x, y := program.Var(i), program.Var((i+1)%3)
		both := program.And(program.Eq(x, critical), program.Eq(y, critical))
		want := "verified in every state on "
		parts := rapid.IntRange(1, 7).Draw(t, "parts")
		if parts&1 != 0 {
			p.Rule("never", both, program.Set(x, 0))
			want += `"never", else on its rules`
		} else {
			want += "its claims, else on its rules"
		}
		if parts&2 != 0 {
			p.Invariant("not both", program.Not(both))
		}
		if parts&4 != 0 {
			p.Final = both
		}
		sameOrbits(t, p, want)

		// What can be told apart in a reachable state is refused.
		changed := *p // as p must not change: what is compiled beside a walk may still be
		p = &changed
		reachable := program.Eq(x, rapid.IntRange(1, critical).Draw(t, "place"))
		switch rapid.IntRange(0, 2).Draw(t, "part") {
		case 0:
			p.Rule("sometimes", reachable, program.Set(x, 0))
		case 1:
			p.Invariant("sometimes", program.Not(reachable))
		case 2:
			p.Final = program.Not(reachable)
		}
		if _, err := checker.Explore(t.Context(), compiled(t, p), checker.Question{Explore: checker.Whole, Symmetry: true}); err == nil {
			t.Error("processes that are not alike in a reachable state are taken to be")
		}
	})
}

// TestOrbitsOfSums: processes put their bits into a box, from which a cell adds them up. If each does so once, sums of bits
// are mapped to sums of bits in all reachable states, and the rule that adds is checked by itself; the plain way checks all.
// If one may do so twice, a carry tells the processes apart.
func TestOrbitsOfSums(t *testing.T) {
	for _, tt := range []struct {
		n, boxes int
		twice    bool
	}{{3, 1, false}, {4, 2, false}, {2, 1, true}, {3, 2, true}} {
		p := program.New("sums")
		var did, boxes []program.Var
		for i := range tt.n {
			did = append(did, p.Var(fmt.Sprintf("did %d", i), 2))
		}
		for i := range tt.boxes {
			boxes = append(boxes, p.Var(fmt.Sprintf("box %d", i), 1<<tt.n))
		}
		cell := p.Var("cell", 2<<tt.n)
		for i := range tt.n {
			for _, box := range boxes {
				rule := p.Rule("put", program.And(program.Eq(did[i], 0), program.Eq(box, 0)), program.Set(box, 1<<i), program.Set(did[i], 1))
				if tt.twice {
					rule.Effect = rule.Effect[:1]
					rule.Guard = program.And(rule.Guard, program.Lt(cell, 1<<tt.n))
				}
			}
		}
		for _, box := range boxes {
			p.Rule("serve", program.Ne(box, 0), program.Set(cell, program.Add(cell, box)), program.Set(box, 0))
		}
		p.Invariant("not all", program.Ne(cell, 1<<tt.n-1))
		for _, perm := range permutations(tt.n)[1:] {
			r := rewriting.Identity(p)
			bits := func(count int) (values []int) {
				for v := range count {
					w := v &^ (1<<tt.n - 1)
					for i := range tt.n {
						w |= v >> i & 1 << perm[i]
					}
					values = append(values, w)
				}
				return values
			}
			for i, x := range did {
				r.Vars[x] = did[perm[i]]
			}
			for _, box := range boxes {
				r.Values[box] = bits(1 << tt.n)
			}
			r.Values[cell] = bits(2 << tt.n)
			p.Renamings = append(p.Renamings, r)
		}
		if !tt.twice {
			sameOrbits(t, p, `verified in every state on "serve", else on its rules`)
			continue
		}
		for _, m := range []states.Machine{compiled(t, p), unnamed{compiled(t, p)}} {
			_, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Symmetry: true})
			if err == nil || !strings.Contains(err.Error(), "invalid symmetry") {
				t.Errorf("%d processes that put their bits twice: %v", tt.n, err)
			}
		}
	}
}
