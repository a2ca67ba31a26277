package sweep

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestOutputIsInOrder: in whatever order results arrive, those before the first missing one are
// written, in order.
func TestOutputIsInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var got, want bytes.Buffer
		o := &output{w: &got}
		for batch := range rapid.IntRange(1, 3).Draw(rt, "batches") {
			n := rapid.IntRange(1, 8).Draw(rt, "results")
			o.begin(n)
			come := make([]bool, n)
			next := 0
			for _, i := range rapid.Permutation(numbers(n)).Draw(rt, "order") {
				if err := o.add(i, &Result{Case: 100*batch + i}); err != nil {
					rt.Fatal(err)
				}
				for come[i] = true; next < n && come[next]; next++ {
					if err := writeLine(&want, Result{Case: 100*batch + next}); err != nil {
						rt.Fatal(err)
					}
				}
				if got.String() != want.String() {
					rt.Fatalf("written:\n%swant:\n%s", &got, &want)
				}
			}
		}
	})
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// TestOutputFails: a failed write ends the sweep.
func TestOutputFails(t *testing.T) {
	o := &output{w: full{}}
	if o.begin(1); o.add(0, &Result{}) == nil {
		t.Error("no error of a full disk")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestTally: an orbit counts by its first case, and a case holds if all that was decided of it does and nothing failed.
func TestTally(t *testing.T) {
	first, holds, violated := 0, Verdict{true, spec.Holds}, Verdict{true, spec.Violated}
	cases, orbits := Tally([]Result{
		{Deadlock: holds, Delivery: holds},
		{Deadlock: holds, Like: &first},
		{Deadlock: holds, Delivery: violated},
		{Error: "no route"},
	})
	if want := (Held{Hold: 2, All: 4}); cases != want {
		t.Errorf("cases %+v, want %+v", cases, want)
	}
	if want := (Held{Hold: 1, All: 3}); orbits != want { // the second case is of the first one's orbit
		t.Errorf("orbits %+v, want %+v", orbits, want)
	}
}
