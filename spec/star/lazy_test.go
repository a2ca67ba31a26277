package star_test

import (
	"slices"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestEqualling compares the answer of one look-up to == and != with that of comparing each value.
func TestEqualling(t *testing.T) {
	all := []starlark.Value{starlark.None, starlark.False, starlark.True, starlark.MakeInt(0), starlark.MakeInt(1),
		starlark.MakeInt(-7), starlark.String(""), starlark.String("0"),
		starlark.String("\x031"), starlark.String("idle"), starlark.Tuple{}, starlark.Tuple{starlark.MakeInt(1)},
		starlark.Tuple{starlark.String("idle"), starlark.None}}
	others := append(slices.Clone(all), starlark.Float(1), starlark.Tuple{starlark.Float(1)}, starlark.MakeInt(1).Lsh(100), starlark.NewList(nil))
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), func(v starlark.Value) string { return v.Type() + v.String() }).Draw(rt, "values")
		other := rapid.SampledFrom(others).Draw(rt, "other")
		op := rapid.SampledFrom([]syntax.Token{syntax.EQL, syntax.NEQ, syntax.LE}).Draw(rt, "operator")
		free := rapid.Bool().Draw(rt, "free")
		n, alone := star.Equalling(values, free, op, other)
		if !alone {
			return
		}
		shift := 0
		if free {
			shift = 1
		}
		for i, v := range values {
			want, err := starlark.Compare(op, v, other)
			if got := (n == i+shift) == (op == syntax.EQL); err != nil || got != want {
				rt.Fatalf("%v %v %v: %v, want %v (%v)", v, op, other, got, want, err)
			}
		}
	})
}
