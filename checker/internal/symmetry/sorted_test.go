package symmetry

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// alike draws a program of n parts with the same rules, a field each and one that names a part or none. Its renamings
// are all permutations of the parts, its generators the exchanges of neighbours.
func alike(t *rapid.T, n int) *program.Program {
	upTo := func(most int) int { return rapid.IntRange(0, most).Draw(t, "number") }
	p := program.New("alike")
	var does []program.Var
	for i := range n {
		does = append(does, p.Var(fmt.Sprint("does ", i), 3))
	}
	turn := p.Var("turn", n+1)
	p.Init(turn, n)
	for k := range 1 + upTo(3) {
		from, to, by, others, passed := upTo(2), upTo(2), upTo(2), upTo(3), upTo(2)
		for i := range n {
			guard := []program.Expr{program.Eq(does[i], from)}
			switch by {
			case 0:
				guard = append(guard, program.Eq(turn, i))
			case 1:
				guard = append(guard, program.Eq(turn, n))
			}
			var some []program.Expr
			for j := range n {
				if j != i && others < 3 {
					some = append(some, program.Eq(does[j], others))
				}
			}
			if others < 3 {
				guard = append(guard, program.Or(some...))
			}
			effect := []program.Stmt{program.Set(does[i], to)}
			switch passed {
			case 0:
				effect = append(effect, program.Set(turn, i))
			case 1:
				effect = append(effect, program.Set(turn, n))
			}
			p.Rule(fmt.Sprint("rule ", k), program.And(guard...), effect...)
		}
	}
	renaming := func(perm []int) program.Renaming {
		r := rewriting.Identity(p)
		for i, x := range perm {
			r.Vars[does[i]] = does[x]
		}
		r.Values[turn] = append(slices.Clone(perm), n)
		return r
	}
	var permute func(perm []int)
	permute = func(perm []int) {
		if len(perm) == n && !slices.IsSorted(perm) {
			p.Renamings = append(p.Renamings, renaming(perm))
		}
		for x := range n {
			if !slices.Contains(perm, x) {
				permute(append(slices.Clip(perm), x))
			}
		}
	}
	permute(nil)
	for k := range n - 1 {
		perm := make([]int, n)
		for i := range perm {
			perm[i] = i
		}
		perm[k], perm[k+1] = k+1, k
		p.Generators = append(p.Generators, renaming(perm))
	}
	return p
}

// TestGeneratedOrbits: modulo what exchanges generate, as many states, steps and levels are found as modulo all
// permutations, listed.
func TestGeneratedOrbits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := alike(t, rapid.IntRange(2, 4).Draw(t, "parts"))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		var found [2]walk.Result
		for k, listed := range []bool{false, true} {
			o, _, err := OfMachine(t.Context(), compiled.New(m), Options{Listed: listed})
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%d symmetries, verified on its rules", 1+len(p.Renamings))
			if o.How() != want || o.(*renamedOrbits).least.Listed() != listed {
				t.Fatalf("listed %v: %s, want %s", listed, o.How(), want)
			}
			space, r, err := walk.Explore(t.Context(), o, walk.Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			space.Release()
			found[k] = *r
		}
		a, b := &found[0], &found[1]
		if a.States != b.States || a.Transitions != b.Transitions || a.Levels != b.Levels || a.Widest != b.Widest {
			t.Fatalf("generated: %+v, listed: %+v", a, b)
		}
	})
}

// TestManyAlike: eight counters of three values have 45 states modulo all permutations, one for each number of ones
// and twos. If the last process is another than the others, those of the first six, listed, remain: 28 states for these,
// times 9. So it is if symmetries must be listed.
func TestManyAlike(t *testing.T) {
	const text = `machine(name = "many")
A = processes("a", 8)
var("x", range(3), over = A)
def up(s, i):
    when(s.x[i] < 2%s)
    s.x[i] += 1
rule("{} up", up, over = A)
`
	for _, tt := range []struct {
		name, guard, how string
		listed           bool
		states           int64
	}{
		{"all alike", "", "40320 symmetries, verified on its rules", false, 45},
		{"all alike, listed", "", "720 symmetries, verified on its rules", true, 28 * 9},
		{"one unlike", " and (i != A[7] or s.x[i] < 3)", "40320 symmetries", false, 45},
		{"one that is slower", " and (i != A[7] or s.x[i] < 1)", "720 symmetries, verified on its rules", false, 28 * 3 * 2},
	} {
		p := compiledFile(t, strings.Replace(text, "%s", tt.guard, 1))
		o, s, err := OfMachine(t.Context(), p, Options{Listed: tt.listed, Sampled: true})
		if err != nil || !s.Pays() || !strings.HasPrefix(o.How(), tt.how) {
			t.Errorf("%s: %v, error %v, want %s", tt.name, o, err, tt.how)
			continue
		}
		space, r, err := walk.Explore(t.Context(), o, walk.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		space.Release()
		if r.States != tt.states {
			t.Errorf("%s: %d states, want %d", tt.name, r.States, tt.states)
		}
	}
}
