package symbolic

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/proofs/smt"
)

// TestTermsMeanWhatSolversRead: a drawn term has the value that its text in SMT-LIB 2 has, which another evaluator reads;
// so simplification and the cases of a remainder change nothing. Replacing a name is the same as giving it a value.
func TestTermsMeanWhatSolversRead(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		size := rapid.IntRange(1, 6).Draw(r, "k")
		values := map[string]int{"k": size, "x1": rapid.IntRange(0, size-1).Draw(r, "x"), "d1": rapid.IntRange(0, size-1).Draw(r, "d")}
		e := drawn(r, 4)
		script, err := smt.Parse("f", "(define-fun rank.1 () Int "+e.String()+")")
		if err != nil {
			r.Fatal(err)
		}
		want, err := script.Tuple("rank", values)
		if err != nil {
			r.Fatal(err)
		}
		if got := e.Value(values); got != want[0] {
			r.Fatalf("%s is %d, want %d, for %v", e, got, want[0], values)
		}
		by := map[string]*Term{"x1": Number(values["x1"]), "d1": Plus(Named("k"), values["d1"]-size, Number(1))}
		if got := e.Replace(by).Value(values); got != want[0] {
			r.Fatalf("%s is %d after replacing, want %d, for %v", e, got, want[0], values)
		}
	})
}

// drawn draws an integer term. The operand of a remainder is a coordinate, one more or one less: within the range in which
// its cases are right.
func drawn(r *rapid.T, depth int) *Term {
	if depth == 0 {
		return rapid.SampledFrom([]*Term{Named("k"), Named("x1"), Named("d1"), Number(-2), Number(0), Number(3)}).Draw(r, "leaf")
	}
	sub := func() *Term { return drawn(r, depth-1) }
	switch rapid.IntRange(0, 5).Draw(r, "operation") {
	case 0:
		return Plus(sub(), rapid.IntRange(-2, 2).Draw(r, "factor"), sub())
	case 1:
		return Times(rapid.IntRange(-2, 2).Draw(r, "factor"), sub())
	case 2:
		return Wrap(Plus(Named(rapid.SampledFrom([]string{"x1", "d1"}).Draw(r, "name")), rapid.IntRange(-1, 1).Draw(r, "factor"), Number(1)), Named("k"))
	case 3:
		return Cases(condition(r, depth-1), sub(), sub())
	}
	return drawn(r, depth-1)
}

func condition(r *rapid.T, depth int) *Term {
	if depth <= 0 {
		return Compare(rapid.SampledFrom([]string{OpLess, OpAtMost, OpEqual}).Draw(r, "comparison"), drawn(r, 0), drawn(r, 0))
	}
	switch rapid.IntRange(0, 3).Draw(r, "connective") {
	case 0:
		return Not(condition(r, depth-1))
	case 1:
		return And(condition(r, depth-1), condition(r, depth-1))
	case 2:
		return Or(condition(r, depth-1), condition(r, depth-1))
	}
	return Compare(rapid.SampledFrom([]string{OpLess, OpAtMost, OpEqual}).Draw(r, "comparison"), drawn(r, depth-1), drawn(r, depth-1))
}

// TestUnbound: a name without a value is a fault, and not 0.
func TestUnbound(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a value")
		}
	}()
	Plus(Named("k"), 1, Named("v1")).Value(map[string]int{"k": 1})
}
