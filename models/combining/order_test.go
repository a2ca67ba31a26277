package combining

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestOrder: on random histories of two counters, the machine comes to a state in
// which its invariant is broken if and only if SerialOrder finds an order.
func TestOrder(t *testing.T) {
	add := func(state, input int) (after, output int) { return (state + input) % 4, state }
	orders := 0
	rapid.Check(t, func(t *rapid.T) {
		h := Histories{apply: add, show: strconv.Itoa, End: []int{rapid.IntRange(0, 3).Draw(t, "end"), rapid.IntRange(0, 3).Draw(t, "end")}}
		for i := range rapid.IntRange(0, 4).Draw(t, "operations") {
			call := rapid.IntRange(0, 5).Draw(t, "call")
			h.History = append(h.History, Operation{
				Process: i, Call: call, Return: call + rapid.IntRange(0, 3).Draw(t, "takes"),
				Input: rapid.IntRange(0, 2).Draw(t, "input"), Output: rapid.IntRange(0, 3).Draw(t, "output"), Cell: rapid.IntRange(0, 1).Draw(t, "cell"),
			})
		}
		used := [2]bool{}
		for _, op := range h.History {
			used[op.Cell] = true
		}
		_, want, err := SerialOrder(h.History, Object{Apply: add, End: func(cell, state int) bool { return cell > 1 || !used[cell] || state == h.End[cell] }}, RealTime)
		if err != nil {
			t.Fatal(err)
		}
		p := h.Order()
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		got := false
		for queue := [][]int{p.Start()}; len(queue) > 0 && !got; queue = queue[1:] { // a tree: every step does one more
			got = !p.Invariants[0].Holds.Holds(queue[0])
			steps, err := p.Steps(queue[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range steps {
				queue = append(queue, s.After)
			}
		}
		if got != want {
			t.Fatalf("the machine finds an order: %v, SerialOrder: %v, of %+v", got, want, h)
		}
		if want {
			orders++
		}
	})
	if orders == 0 {
		t.Error("no history had an order")
	}
}
