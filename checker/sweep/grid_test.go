package sweep

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestGrid: two parameters make a grid, with the slower one in the rows; a case that the results lack is empty.
func TestGrid(t *testing.T) {
	is := func(k, routing string, v spec.Verdict) Result {
		return Result{Set: map[string]string{"k": k, "routing": routing}, Deadlock: Verdict{true, v}}
	}
	results := []Result{
		is("4", "xy", spec.Holds), is("4", "any", spec.Violated), is("10", "xy", spec.Unknown),
		{Set: map[string]string{"k": "10", "routing": "any"}, Error: "k is too large"}, is("12", "xy", spec.Holds),
	}
	var b strings.Builder
	if err := gridOf(results).write(&b); err != nil {
		t.Fatal(err)
	}
	want := `k   routing=xy  any
4   holds       violated
10  unknown     no network
12  holds       
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	slow := []Result{is("4", "xy", spec.Holds), is("5", "xy", spec.Holds), is("4", "any", spec.Holds), is("5", "any", spec.Holds)}
	if g := gridOf(slow); g == nil || g.names != [2]string{"routing", "k"} {
		t.Errorf("got %+v, want routing in the rows", g)
	}
	first := 0
	for name, other := range map[string][]Result{
		"one case":                 results[:1],
		"one value of a parameter": {results[0], results[2]},
		"a link failed":            {results[0], results[1], {Set: results[2].Set, Links: []string{"a-b"}}, results[3]},
		"an orbit":                 {results[0], results[1], {Set: results[2].Set, Like: &first}, results[3]},
		"one parameter":            {{Set: map[string]string{"k": "4"}}, {Set: map[string]string{"k": "5"}}},
	} {
		if gridOf(other) != nil {
			t.Errorf("%s: a grid", name)
		}
	}
}
