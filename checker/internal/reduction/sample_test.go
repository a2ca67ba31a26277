package reduction

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// manyStarts is four counters that start with each value of a fifth variable. Unless they are apart, each step also
// changes a shared number, in another way than those of the others.
func manyStarts(t *testing.T, starts int, apart bool) *compiled.Machine {
	t.Helper()
	p := program.New("many starts")
	p.Var("start", starts)
	mixed := p.Var("mixed", 1009)
	for i := range 4 {
		x := p.Var(fmt.Sprint("counter ", i), 8)
		effect := []program.Stmt{program.Set(x, program.Add(x, 1))}
		if !apart {
			next := program.Add(program.Add(mixed, mixed), i) // a later one counts for less
			effect = append(effect, program.If(program.Lt(next, 1009), program.Set(mixed, next)).Otherwise(program.Set(mixed, i)))
		}
		p.Rule(fmt.Sprint("up ", i), program.Lt(x, 7), effect...)
	}
	for s := range starts {
		p.Starts = append(p.Starts, []int{s, 1, 0, 0, 0, 0})
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return compiled.New(m)
}

// TestSampleOfStarts: of more initial states than a sample may have states, it takes a few, and sees further levels. Of
// counters that have nothing in common one order of steps is enough: of 8^4 states for each start, 29 remain, one after
// the other. Of those that change one number, each in its way, no order is left out.
func TestSampleOfStarts(t *testing.T) {
	for _, starts := range []int{1, mostStarts, 2 * mostSampled} {
		for _, apart := range []bool{false, true} {
			m, err := New(t.Context(), manyStarts(t, starts, apart), Asked{Deadlock: true})
			if err != nil {
				t.Fatal(err)
			}
			s, err := m.Sample(t.Context())
			if err != nil || s.Complete || s.Levels < 3 || s.Pays() != apart {
				t.Errorf("%d starts, apart %v: %+v, pays %v, error %v", starts, apart, s, s.Pays(), err)
			}
		}
	}
}

// fuse is a context that ends when it is looked at for the nth time.
type fuse struct {
	context.Context
	looks, most int
}

func (l *fuse) Err() error {
	if l.looks++; l.looks >= l.most {
		return context.Canceled
	}
	return nil
}

// TestNewEnds: comparing rules looks at its context before each rule, and ends with it.
func TestNewEnds(t *testing.T) {
	p := program.New("alike")
	for i := range 9 {
		x := p.Var(fmt.Sprint(i), 2)
		p.Rule(fmt.Sprint(i), program.Eq(x, 0), program.Set(x, 1))
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	whole := &fuse{t.Context(), 0, 1 << 30}
	if _, err := New(whole, compiled.New(m), Asked{}); err != nil || whole.looks < 2*9 { // rules, and what their guards read
		t.Fatalf("%d looks, error %v", whole.looks, err)
	}
	for most := range whole.looks {
		if _, err := New(&fuse{t.Context(), 0, most + 1}, compiled.New(m), Asked{}); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at look %d: error %v", most+1, err)
		}
	}
}
