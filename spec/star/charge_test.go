package star

import (
	"math"
	"strings"
	"testing"

	"go.starlark.net/starlark"
)

// TestComparisonVisits: Starlark compares tuples up to the first element that differs, so what lies behind it costs
// nothing, and what lies behind equal ones does.
func TestComparisonVisits(t *testing.T) {
	var many starlark.Tuple
	for i := range 1000 {
		many = append(many, starlark.MakeInt(i))
	}
	text := starlark.String(strings.Repeat("x", 100))
	for name, tt := range map[string]struct {
		x, y starlark.Value
		same bool
	}{
		"equal texts":     {text, starlark.String(strings.Repeat("x", 100)), true},
		"different texts": {text, starlark.String("y"), false},
		"equal numbers":   {starlark.MakeInt(7), starlark.MakeInt(7), true},
		"other numbers":   {starlark.MakeInt(7), starlark.MakeInt(8), false},
	} {
		visits := func(x, y starlark.Value) int {
			w := visitor{left: math.MaxInt, bytes: bytesCompared}
			w.compare(starlark.Tuple{x, many}, starlark.Tuple{y, many}, 0)
			return math.MaxInt - w.left
		}
		if got := visits(tt.x, tt.y); (got > len(many)) != tt.same {
			t.Errorf("%s before %d more values: %d visits", name, len(many), got)
		}
	}
}
