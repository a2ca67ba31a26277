package parameterized

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
		if got := e.value(values); got != want[0] {
			r.Fatalf("%s is %d, want %d, for %v", e, got, want[0], values)
		}
		by := map[string]*term{"x1": number(values["x1"]), "d1": plus(named("k"), values["d1"]-size, number(1))}
		if got := e.replace(by).value(values); got != want[0] {
			r.Fatalf("%s is %d after replacing, want %d, for %v", e, got, want[0], values)
		}
	})
}

// drawn draws an integer term. The operand of a remainder is a coordinate, one more or one less: within the range in which
// its cases are right.
func drawn(r *rapid.T, depth int) *term {
	if depth == 0 {
		return rapid.SampledFrom([]*term{named("k"), named("x1"), named("d1"), number(-2), number(0), number(3)}).Draw(r, "leaf")
	}
	sub := func() *term { return drawn(r, depth-1) }
	switch rapid.IntRange(0, 5).Draw(r, "operation") {
	case 0:
		return plus(sub(), rapid.IntRange(-2, 2).Draw(r, "factor"), sub())
	case 1:
		return times(rapid.IntRange(-2, 2).Draw(r, "factor"), sub())
	case 2:
		return wrap(plus(named(rapid.SampledFrom([]string{"x1", "d1"}).Draw(r, "name")), rapid.IntRange(-1, 1).Draw(r, "factor"), number(1)), named("k"))
	case 3:
		return cases(condition(r, depth-1), sub(), sub())
	}
	return drawn(r, depth-1)
}

func condition(r *rapid.T, depth int) *term {
	if depth <= 0 {
		return compare(rapid.SampledFrom([]string{opLess, opAtMost, opEqual}).Draw(r, "comparison"), drawn(r, 0), drawn(r, 0))
	}
	switch rapid.IntRange(0, 3).Draw(r, "connective") {
	case 0:
		return not(condition(r, depth-1))
	case 1:
		return and(condition(r, depth-1), condition(r, depth-1))
	case 2:
		return or(condition(r, depth-1), condition(r, depth-1))
	}
	return compare(rapid.SampledFrom([]string{opLess, opAtMost, opEqual}).Draw(r, "comparison"), drawn(r, depth-1), drawn(r, depth-1))
}
