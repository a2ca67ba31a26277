package machines

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
)

// TestPigeonholes: no function, and no participants beside its values, meet all conditions of counting. These are all
// functions of few keys to few participants, or to None, so conditions that are true together would prove anything.
func TestPigeonholes(t *testing.T) {
	const most = 3 // keys and participants
	met := map[countingPart]int{}
	for _, keys := range []string{"range(1, n)", "range(n)", "range(n + 1)", "range(2, n + 1)", "range(3)", "range(1, 2)"} {
		text := fmt.Sprintf("n = param(\"n\", 3, min = 2)\nmachine(name = \"m\")\nprocs = processes(\"p\", n)\n"+
			"var(\"f\", optional(procs), over = %s)\ndef r(s, i):\n    pass\nrule(\"r\", r, over = procs)\ninvariant(\"i\", lambda s: True)\n", keys)
		m, err := Read("f.star", []byte(text), "n", nil)
		if err != nil {
			t.Fatal(err)
		}
		f := m.variables[0]
		of := f.domain.set()
		for n := 2; n <= most; n++ {
			file, err := m.load(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			g, err := m.ground(n, file)
			if err != nil {
				t.Fatal(err)
			}
			for others := 0; others <= 3; others++ {
				q := func() *query {
					q := &query{m: m}
					for range others {
						q.constant(of)
					}
					return q
				}
				each(len(g.cells), -1, n-1, func(s []int) {
					each(others, 0, n, func(at []int) {
						failed := false
						for part := range countingParts {
							if breaks(g, q(), &counting{f, part}, s, at) {
								failed = true
								met[part]++
							}
						}
						if !failed {
							t.Fatalf("%s with n = %d: %v and %v meet all conditions", keys, n, s, at)
						}
					})
				})
			}
		}
	}
	for part := range countingParts {
		if met[part] == 0 {
			t.Errorf("nothing breaks %q", part)
		}
	}
}

// each calls f with all lists of so many numbers from lo to hi.
func each(n, lo, hi int, f func([]int)) {
	list := make([]int, n)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			f(list)
			return
		}
		for list[i] = lo; list[i] <= hi; list[i]++ {
			fill(i + 1)
		}
	}
	fill(0)
}

// breaks reports whether a condition is broken by some keys.
func breaks(g *ground, q *query, c *counting, s, at []int) (broken bool) {
	all, _ := c.opposite(q)
	env := map[string]int{g.m.Size: g.n}
	for i, x := range at {
		env[q.consts[i].name] = x
	}
	keys := q.consts[len(at):]
	each(len(keys), 0, g.n+1, func(values []int) {
		for i, b := range keys {
			env[b.name] = values[i]
		}
		broken = broken || g.value(symbolic.And(all...), env, s) != 0
	})
	return broken
}

// TestPremises: what is proved by counting is no premise of a proof by counting, its own or another one, as two could
// prove each other. It is one of steps, and clauses that are proved by induction are premises of both.
func TestPremises(t *testing.T) {
	m, err := Read("f.star", []byte(`n = param("n", 3, min = 2)
machine(name = "m")
procs = processes("p", n)
var("f", optional(procs), over = range(1, n))
var("x", bool, over = procs)
def r(s, i):
    s.x[i] = True
rule("r", r, over = procs)
invariant("i", lambda s, a, b: a == b or not s.x[a] or not s.x[b], over = [procs, procs])
`), "n", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &m.properties[0]
	f := m.variables[0]
	counted := clause{names: p.params, body: p.holds, own: true, counts: f}
	inductive := clause{names: p.params, body: p.holds, own: true}
	step := goal{of: &inductive, path: &m.rules[0].paths[0]}
	count := goal{of: &counted, counts: &counting{f, oneToOne}}
	for name, c := range map[string]struct {
		goal    *goal
		premise clause
		want    bool
	}{
		"counted, of counting":   {&count, counted, false},
		"inductive, of counting": {&count, inductive, true},
		"counted, of a step":     {&step, counted, true},
		"inductive, of a step":   {&step, inductive, true},
	} {
		if q := m.ask(c.goal, []clause{c.premise}); len(q.uses) > 0 != c.want {
			t.Errorf("%s: %v, want %v", name, !c.want, c.want)
		}
	}
}
