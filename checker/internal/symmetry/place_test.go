package symmetry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestPlaceOfSymmetry: processes that a FIFO serves in turn are not alike. The refusal names the line
// that says they are, as it does for a symmetry that the file states.
func TestPlaceOfSymmetry(t *testing.T) {
	const turns = `machine(name = "rr")
procs = processes("process", 3)
var("wants", bool, over = procs)
fifo("bus", procs, blocking = True, arbiter = "round-robin", sources = procs)
def want(s, i):
    when(not s.wants[i])
    s.wants[i] = True
def send(s, i):
    when(s.wants[i])
    s.wants[i] = False
    s.bus.push(i, by = i)
rule("want", want, over = procs)
rule("send", send, over = procs)
rule("out", lambda s: also(s.bus.pop))
`
	const swapped = `machine(name = "m")
var("x", ["a", "b"], init = "b")
symmetry({"a": "b", "b": "a"})
def on(s):
    s.x = "a"
rule("on", on)
`
	const first = `machine(name = "m")
procs = processes("process", 2)
var("x", range(3), over = procs)
def up(s, i):
    when(s.x[i] < 2 and (i == 0 or s.x[0] > 0))
    s.x[i] += 1
rule("{} up", up, over = procs)
`
	for _, tt := range []struct{ text, place string }{
		{turns, "m.star:2:9: "},
		{swapped, "m.star:3:1: "},
		{first, "m.star:2:9: invalid symmetry 0: from the initial state a step leads to x[0]=1, but none from its image, the initial state, to x[1]=1"},
	} {
		f, err := star.Load(t.Context(), "m.star", []byte(tt.text), star.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := exploredModulo(t.Context(), f.Program); err == nil || !strings.HasPrefix(err.Error(), tt.place) {
			t.Errorf("error %v; want one at %s", err, tt.place)
		}
	}
}

// exploredModulo expands some states modulo the symmetries of a program.
func exploredModulo(ctx context.Context, p *program.Program) error {
	m, err := p.Machine()
	if err != nil {
		return err
	}
	o, _, err := symmetry.OfMachine(ctx, compiled.New(m), symmetry.Options{})
	if err != nil {
		return err
	}
	words := o.Layout().Words()
	for queue := o.Start(nil); len(queue) > 0 && len(queue) < 100*words; queue = queue[words:] {
		if queue, err = o.AppendSuccessors(queue, queue[:words]); err != nil {
			return err
		}
	}
	return nil
}
