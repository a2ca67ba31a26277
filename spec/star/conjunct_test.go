package star_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestBrokenPart: for a violated property, the part of its condition that decides is named,
// with the values of that part alone. The state is x=1, y=0, at=[0, 2]; comments say which
// parts are True (T) and False (F).
func TestBrokenPart(t *testing.T) {
	const file = `load("lib.star", "near")
machine(name = "m")
var("x", range(3), init = 1)
var("y", range(3))
var("at", range(3), over = range(2), init = [0, 2])
rule("step", lambda s: when(s.x == 2))
def late(s):
    if s.x == 1:
        return False
    return s.y == 0
def both(s, k): return s.x == 1 and s.at[k] == 0
def high(s, k): return s.at[k] > 0 or s.y > 0
%s("p", lambda s: %s)
`
	const library = "def near(s):\n    return s.x < 2 and (\n        s.y + s.x > 5 or\n        s.y == 1)\n"
	for _, c := range []struct{ what, condition, want string }{
		{"invariant", `s.x == 1 and s.y == 2 and s.at[0] == 1`, `13:39: s.y == 2, where y=0`}, // T F
		{"invariant", `s.x == 1 and (s.y == 2 or s.at[0] == 1)`, `13:40: s.y == 2 or s.at[0] == 1, where y=0, at[0]=0`},
		{"invariant", `not (s.y == 2 or s.x == 1)`, `13:43: s.x == 1, where x=1`},                    // F T
		{"invariant", `not (s.y == 0 and s.x == 1)`, `13:31: s.y == 0 and s.x == 1, where y=0, x=1`}, // T T: neither alone
		{"invariant", `s.x == 2 if s.y == 0 else s.x == 1`, `13:26: s.x == 2, where x=1`},
		{"invariant", `all([s.at[k] < 2 or k == 0 for k in range(2)])`, `13:31: s.at[k] < 2 or k == 0, where at[1]=2`},
		{"invariant", `all([both(s, k) for k in range(2)])`, `11:37, called from m.star:13:31: s.at[k] == 0, where at[1]=2`},
		{"invariant", `s.x == 1 and both(s, 1)`, `11:37, called from m.star:13:39: s.at[k] == 0, where at[1]=2`},
		{"invariant", `not both(s, 0)`, `11:24, called from m.star:13:30: s.x == 1 and s.at[k] == 0, where x=1, at[0]=0`},
		{"invariant", `s.y == 0 and not (s.y == 2 or s.x == 1)`, `13:56: s.x == 1, where x=1`},
		{"invariant", `not late(s) and not both(s, 0)`, `11:24, called from m.star:13:46: s.x == 1 and s.at[k] == 0, where x=1, at[0]=0`},
		{"invariant", `bool(s.x == 2) if not late(s) else True`, `13:26: bool(s.x == 2), where x=1`}, // late says no more about it
		{"never", `any([late(s), s.x == 1])`, `13:22: any([late(s), s.x == 1]), where x=1`},
		{"invariant", `late(s)`, `9:16, called from m.star:13:26: return False, where x=1`},
		{"invariant", `near(s) and s.x == 5`, `lib.star:3:9, called from m.star:13:26: s.y + s.x > 5 or ..., where y=0, x=1`},
		{"invariant", `s.at[s.x + s.x] == 0`, `13:30: at has no [2]: its keys are 0, 1, where x=1`},
		{"never", `s.x == 2 or s.at[1] == 2`, `13:34: s.at[1] == 2, where at[1]=2`},                // F T
		{"never", `s.x == 1 and high(s, 1)`, `13:22: s.x == 1 and high(s, 1), where x=1, at[1]=2`}, // T T
		{"never", `high(s, 1)`, `12:24, called from m.star:13:22: s.at[k] > 0, where at[1]=2`},
		{"never", `any([high(s, k) for k in range(2)])`, `12:24, called from m.star:13:27: s.at[k] > 0, where at[1]=2`},
		{"never", `all([high(s, k) for k in [1]])`, `13:22: all([high(s, k) for k in [1]]), where at[1]=2`},
		{"never", `not late(s)`, `9:16, called from m.star:13:26: return False, where x=1`},
		// What does not decide stays out: an element that is as it should be, a filter, an argument.
		{"invariant", `not any([both(s, k) for k in range(2)])`, `11:24, called from m.star:13:35: s.x == 1 and s.at[k] == 0, where x=1, at[0]=0`},
		{"invariant", `all([s.at[k] == 2 for k in range(2) if both(s, k)])`, `13:31: s.at[k] == 2, where at[0]=0`},
		{"invariant", `all([not both(s, 1), s.y == 1])`, `13:26: all([not both(s, 1), s.y == 1]), where x=1, at[1]=2, y=0`},
		// Numbers and lists are conditions, too.
		{"invariant", `not s.x`, `13:30: s.x, where x=1`},
		{"invariant", `not (s.y or s.x)`, `13:38: s.x, where x=1`},
		{"invariant", `not [k for k in range(2) if s.at[k] == 0]`, `13:30: [k for k in range(2) if s.at[k] == 0], where at[0]=0, at[1]=2`},
		{"invariant", `all([s.at[k] for k in range(2)])`, `13:31: s.at[k], where at[0]=0`},
		{"invariant", `s.x == s.at[1] or s.y > s.x + s.at[1]`, `13:26: s.x == s.at[1] or s.y > s.x + s.at[1], where at[1]=2, x=1, y=0`},
		{"never", `any([s.at[k] for k in range(2)])`, `13:27: s.at[k], where at[1]=2`},
		{"reach", `s.x == 1 or s.y == 0`, `13:22: s.x == 1, where x=1`},
	} {
		f, err := star.Load(t.Context(), "m.star", fmt.Appendf(nil, file, c.what, c.condition), star.Options{Open: folder{"lib.star": library}.open})
		if err != nil {
			t.Fatal(err)
		}
		p := f.Program
		got := star.SourceOf(p).Broken(p.Invariants[0].Name, []int{1, 0, 0, 2})
		want := c.want
		if !strings.HasPrefix(want, "lib.star") {
			want = "m.star:" + want
		}
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.what, c.condition, diff)
		}
	}
}
