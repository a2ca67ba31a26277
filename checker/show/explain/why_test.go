package explain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestNearestRefusals: of rules that lack one condition, those come first whose FIFO holds a message, whether they test a
// variable before they take it or not, then those that take none, then those whose FIFO is empty; those that lack two
// come after all of them, and one that is never possible is last. q holds get, and r nothing. Of equal ones those
// come first of which most holds: tested finds its message, another finds a message that is not its own.
func TestNearestRefusals(t *testing.T) {
	const text = `machine(name = "near")
var("busy", bool, init = True)
var("lamp", bool, init = True)
fifo("q", ["get", "put"], size = 2, init = ["get"])
fifo("r", ["get", "put"], size = 2)
def both(s):
    when(not s.busy)
    when(not s.lamp)
    s.q.pop()
def lit(s):
    when(not s.lamp)
    s.lamp = True
def dry(s):
    s.r.pop()
def tested(s):
    when(not s.busy)
    s.q.pop()
def tested_dry(s):
    when(s.r.head == "get")
    s.r.pop()
def apart(s):
    when(not s.busy)
    also(s.q.pop)
def another(s):
    s.q.take("put")
def fill(s):
    when(not s.busy)
    s.r.push("put")
rule("both", both)
rule("dry", dry)
rule("lit", lit)
rule("another", another)
rule("tested dry", tested_dry)
rule("tested", tested)
rule("apart", apart)
rule("fill", fill)
rule("feed", lambda s: s.r.push("get"))
rule("never", lambda s: when(s.busy and not s.busy))
`
	f, err := star.Load(t.Context(), "near.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Program.Machine()
	if err != nil {
		t.Fatal(err)
	}
	all, more := explain.Refusals(m, m.Start(nil)[:m.Layout().Words()], 8)
	var order []string
	for _, r := range all {
		order = append(order, r.Rule)
	}
	want := []string{"tested", "apart", "another", "lit", "fill", "dry", "tested dry", "both"}
	if diff := cmp.Diff(want, order); diff != "" || more != 1 {
		t.Errorf("%d more, want never; refused in the order: %s", more, diff)
	}
}
