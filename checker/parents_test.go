package checker

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestLateViolation: a violation found where parents are no longer kept comes with a shortest trace:
// seven digits go from 0 to 7 one step at a time, and the last of the 8^7 states takes 49 steps. The
// second walk, for the path, may end earlier, at the last of the violations; the digest is
// still that of all states.
func TestLateViolation(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two million states, twice, take minutes under the race detector")
	}
	digits := 5
	if seedtest.Whole() {
		digits = 7
	}
	all := int64(1) << (3 * digits)
	for _, padding := range []int{1, 1 << 20} { // a bit map, and quotients
		p := program.New("digits")
		p.Var("padding", padding)
		var last, middle []program.Expr
		for i := range digits {
			x := p.Var(fmt.Sprint("digit ", i), 8)
			p.Rule(fmt.Sprint("count ", i), program.Lt(x, 7), program.Set(x, program.Add(x, 1)))
			last, middle = append(last, program.Eq(x, 7)), append(middle, program.Eq(x, 4))
		}
		p.Final = program.And(last...)
		p.Invariant("not the last", program.Not(program.And(last...)))
		p.Invariant("not the middle", program.Not(program.And(middle...)))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Explore(t.Context(), m, Question{Explore: Whole})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Of("not the last")
		if r.States != all || f == nil || f.Verdict != spec.Violated || f.Because.String() != fmt.Sprint(7*digits, " steps from the start") {
			t.Errorf("padding of %d: %d states, %+v; want %d, violated after %d steps", padding, r.States, f, all, 7*digits)
		}
		only, err := Explore(t.Context(), m, Question{Explore: Whole, Properties: []string{"deadlock-freedom", "not the middle"}})
		if err != nil {
			t.Fatal(err)
		}
		f = only.Of("not the middle")
		if f.Because.String() != fmt.Sprint(4*digits, " steps from the start") ||
			only.Of("deadlock-freedom").Verdict != spec.Holds || only.States != r.States ||
			only.Transitions != r.Transitions || only.Levels != 7*digits+1 {
			t.Errorf("padding of %d: %d states, %d levels, %+v; want %d, %d, violated after %d steps", padding,
				only.States, only.Levels, f, all, 7*digits+1, 4*digits)
		}
		var digest machines.SetDigest
		for n := range all {
			s := make([]uint64, m.Layout().Words())
			for i, f := range m.Layout().Fields()[1:] {
				f.Put(s, uint64(n>>(3*i)&7))
			}
			digest.Add(s)
		}
		if want := digest.String(); r.Digest != want || only.Digest != want {
			t.Errorf("padding of %d: digests %s and %s, want %s", padding, r.Digest, only.Digest, want)
		}
	}
}

// TestLateResponse: the same for a run that keeps a response pending by ending where no digit counts on. What
// the others depend on shows that they hold.
func TestLateResponse(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two million states, twice, and their graph")
	}
	p := program.New("digits")
	p.Var("padding", 1<<20)
	var first program.Var
	digits := 5
	if seedtest.Whole() {
		digits = 7
	}
	for i := range digits {
		x := p.Var(fmt.Sprint("digit ", i), 8)
		if i == 0 {
			first = x
		}
		p.Rule(fmt.Sprint("count ", i), program.Lt(x, 7), program.Set(x, program.Add(x, 1)))
	}
	p.Response("counts on", program.Lt(first, 7))
	p.Response("begins again", program.Eq(first, 7))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Explore(t.Context(), m, Question{Explore: Whole, Liveness: true})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Of("counts on"); f.Verdict != spec.Holds || f.Vacuous {
		t.Errorf("%+v; want that it holds", f)
	}
	want := fmt.Sprintf("after %d steps no step is left that fairness requires", 7*digits)
	if f := r.Of("begins again"); f.Verdict != spec.Violated || f.Because.String() != want || r.States != 1<<(3*digits) {
		t.Errorf("%d states, %+v; want %d, violated %s", r.States, f, 1<<(3*digits), want)
	}
}
