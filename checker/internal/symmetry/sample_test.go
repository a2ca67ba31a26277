package symmetry

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// fuse is a context that counts how often it is looked at, and ends when it has been so often; 0: never.
type fuse struct {
	context.Context
	seen, most int
}

func (l *fuse) Err() error {
	if l.seen++; l.most > 0 && l.seen >= l.most {
		return context.Canceled
	}
	return l.Context.Err()
}

// counted is a machine that counts how many steps it made.
type counted struct {
	walk.Machine
	steps int
}

func (c *counted) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	from := len(dst)
	dst, err := c.Machine.AppendSuccessors(dst, s)
	c.steps += (len(dst) - from) / c.Layout().Words()
	return dst, err
}

func compiledFile(t *testing.T, text string) *compiled.Machine {
	t.Helper()
	f, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Program.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return compiled.New(m)
}

// TestSampleBounded: of 4,096 initial states, each with 3,000 steps, a sample makes no more steps than it may, and a
// state's more; then orbits are used, as nothing was learned. It ends with its context.
func TestSampleBounded(t *testing.T) {
	const wide = `machine(name = "wide")
A = processes("a", 3)
var("f", bool, over = [A, ["p", "q", "r", "t"]], init = any(bool))
var("x", range(3000))
def move(s, v):
    when(s.x == 0)
    s.x = v
rule("to {}", move, over = list(range(3000)))
`
	p := compiledFile(t, wide)
	_, least, err := renamingsOf(p)
	if err != nil {
		t.Fatal(err)
	}
	m := &counted{Machine: p}
	s, err := sampleOf(t.Context(), m, least)
	if err != nil || !s.Complete || !s.Pays() || m.steps > mostSampledSteps+3000 {
		t.Errorf("%d steps, %+v, error %v", m.steps, s, err)
	}
	m = &counted{Machine: p}
	if _, err = sampleOf(&fuse{t.Context(), 0, 5}, m, least); !errors.Is(err, context.Canceled) || m.steps > 5*3000 {
		t.Errorf("%d steps after the context has ended, error %v", m.steps, err)
	}
	if o, _, err := OfMachine(&fuse{t.Context(), 0, 5}, p, Options{Sampled: true}); o != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("orbits %v, error %v; want that of the context", o, err)
	}
	// A machine of more states than are sampled, of which few start: the context ends while orbits are sampled.
	p = compiledFile(t, `machine(name = "narrow")
A = processes("a", 6)
var("f", range(5), over = A)
def up(s, i):
    when(s.f[i] < 4)
    s.f[i] += 1
rule("{} up", up, over = A)
`)
	if _, least, err = renamingsOf(p); err != nil {
		t.Fatal(err)
	}
	whole := &fuse{Context: t.Context()}
	if s, err := sampleOf(whole, p, least); err != nil || s.Complete {
		t.Fatalf("%+v, error %v", s, err)
	}
	if _, err = sampleOf(&fuse{t.Context(), 0, whole.seen}, p, least); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; the context ended with the last orbit of the sample", err)
	}
}

// TestStartsOfGenerators: that 720 symmetries map initial states to initial states is seen in few of them, which
// generate all, each after a look at the context.
func TestStartsOfGenerators(t *testing.T) {
	const many = `machine(name = "many")
A = processes("a", 6)
var("f", bool, over = A, init = any(bool))
def flip(s, i):
    s.f[i] = not s.f[i]
rule("{} flips", flip, over = A)
`
	p := compiledFile(t, many)
	ctx := &fuse{Context: t.Context()}
	o, _, err := OfMachine(ctx, p, Options{})
	if err != nil || ctx.seen == 0 || ctx.seen > 2*6 { // at most one and another for each process
		t.Errorf("%v: the context was looked at %d times, error %v", o, ctx.seen, err)
	}
	if _, _, err := OfMachine(&fuse{t.Context(), 0, ctx.seen / 2}, p, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want that of the context", err)
	}
}
