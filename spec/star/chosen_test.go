package star_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// graph explores a program, and returns the steps of every state that can be reached: the rule and the state after it.
func graph(t *testing.T, p *program.Program) map[string][]string {
	t.Helper()
	start := p.Start()
	all := map[string][]string{fmt.Sprint(start): nil}
	for queue := [][]int{start}; len(queue) > 0; queue = queue[1:] {
		steps, err := programtest.Steps(p, queue[0])
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(queue[0])
		for _, x := range steps {
			after := fmt.Sprint(x.After)
			if all[key] = append(all[key], after); all[after] == nil {
				all[after] = []string{}
				queue = append(queue, x.After)
			}
		}
		slices.Sort(all[key])
	}
	return all
}

// TestChooseIf: choose([x for v in options if condition]), which is compiled option by option, has the steps of the same list made
// first, which is compiled as a whole.
func TestChooseIf(t *testing.T) {
	const machine = `machine(name = "m")
var("on", bool, over = range(3))
var("n", range(4))
var("m", ["a", "b"])
fifo("q", range(3), size = 2)
def made(list):
    return list
def f(s):
    when(s.n < 3 or s.on[0])
    %s
def g(s, i):
    s.on[i] = not s.on[i]
rule("f", f)
rule("g {}", g, over = range(3))
`
	const fill = "; s.n = i; when(not s.q.full); s.q.push(i)"
	for _, body := range []string{
		"i = CHOOSE([i for i in range(3) if not s.on[i]])" + fill,
		"i = CHOOSE([i for i in range(3) if s.on[i] and i != s.n if s.m == \"a\"])" + fill,
		"i = CHOOSE([(i + j) % 3 for i, j in [(0, 1), (1, 1), (2, 2)] if s.on[i] or s.on[j]])" + fill,
		"i = CHOOSE([(i + j) % 3 for (i, j) in [[0, 1], [1, 1]] if s.on[i] != s.on[j]])" + fill,
		"i = CHOOSE([2 - i for i in s.q if s.on[i]]); s.n = i",
		"i = CHOOSE([s.n for i in range(3) if s.on[i]]); s.n = i",
		"i = CHOOSE([0 for i in [1] if s.on[i]]); s.n = 3 - s.n",
		"i = CHOOSE([0 for i in [] if s.on[i]]); s.n = 3 - s.n",
		"i = CHOOSE([i for i in range(3) if s.on[i]]); s.n = i; s.m = CHOOSE([k for k in [\"a\", \"b\"] if k != s.m])",
		"i = CHOOSE([x for x in [CHOOSE([i for i in range(3) if s.on[i]])] if x != s.n]); s.n = i",
	} {
		var graphs [2]map[string][]string
		for k, f := range []string{
			strings.ReplaceAll(body, "CHOOSE", "choose"),
			strings.NewReplacer("CHOOSE", "choose(made", "])", "]))").Replace(body),
		} {
			text := fmt.Sprintf(machine, f)
			f, err := star.Load(context.Background(), "m.star", []byte(text), star.Options{})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			graphs[k] = graph(t, f.Program)
		}
		if diff := cmp.Diff(graphs[1], graphs[0]); diff != "" {
			t.Errorf("%s (-the list made first +compiled by option):\n%s", body, diff)
		}
	}
}

// TestOwnChoose: a file may give the name a meaning of its own, here that of the first of the list: each state has one step.
func TestOwnChoose(t *testing.T) {
	const machine = `machine(name = "m")
var("n", range(4))
%sdef f(s):
    when(s.n < 3)
    %s
rule("f", f)
`
	const step = "s.n = choose([i for i in range(4) if i > s.n])"
	for name, c := range map[string][2]string{
		"def":       {"def choose(list):\n    return list[0]\n", step},
		"name":      {"choose = min\n", step},
		"local":     {"", "choose = min\n    " + step},
		"parameter": {"def g(s, choose):\n    " + step + "\n", "g(s, min)"},
	} {
		f, err := star.Load(t.Context(), "m.star", []byte(fmt.Sprintf(machine, c[0], c[1])), star.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := map[string][]string{"[0]": {"[1]"}, "[1]": {"[2]"}, "[2]": {"[3]"}, "[3]": {}}
		got := graph(t, f.Program)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: steps (-want +got):\n%s", name, diff)
		}
	}
}

// TestComputedNumbers: sums, differences and products of variables with many values, which are compared and assigned unread,
// are in every state what the numbers there say. A number that does not fit makes the step wrong.
func TestComputedNumbers(t *testing.T) {
	const n, least, most = 20, -25, 420 // x and y have n values, z the others
	of := map[string]func(x, y int) int{
		"s.x * s.y":               func(x, y int) int { return x * y },
		"s.x - s.y":               func(x, y int) int { return x - y },
		"s.y - s.x - s.y":         func(x, _ int) int { return -x },
		"3 * s.x":                 func(x, _ int) int { return 3 * x },
		"5 - s.x":                 func(x, _ int) int { return 5 - x },
		"5 - (s.x + s.y)":         func(x, y int) int { return 5 - x - y },
		"s.x + s.y * 2":           func(x, y int) int { return x + 2*y },
		"(s.x + 1) * (s.y - 2)":   func(x, y int) int { return (x + 1) * (y - 2) },
		"s.x * s.y - s.x + 1":     func(x, y int) int { return x*y - x + 1 },
		"s.x * s.x + s.y * s.y":   func(x, y int) int { return x*x + y*y },
		"s.x * s.y * s.x":         func(x, y int) int { return x * y * x },
		"(s.x + s.y) * 2 - 3":     func(x, y int) int { return 2*(x+y) - 3 },
		"0 * s.x - s.y * s.y":     func(_, y int) int { return -y * y },
		"s.w * s.x + s.w - s.y":   func(x, y int) int { return -2*x - 2 - y }, // w stays -2
		"s.x + s.y + s.x + 7":     func(x, y int) int { return 2*x + y + 7 },
		"s.x * s.y - 400 - s.x*1": func(x, y int) int { return x*y - 400 - x },

		"(s.x + s.y) // 3":                              func(x, y int) int { return (x + y) / 3 },
		"(s.x - s.y) // 4":                              func(x, y int) int { return floor(x-y, 4) },
		"(s.x - s.y) % 4":                               func(x, y int) int { return x - y - 4*floor(x-y, 4) },
		"s.x * s.y % 7 - s.y":                           func(x, y int) int { return x*y%7 - y },
		"(s.x - s.y) // 1 + (s.x - s.y) % 1":            func(x, y int) int { return x - y },
		"(s.x + s.y - 300) // 1000":                     func(_, _ int) int { return -1 },
		"(s.x + s.y - 50) % 1000":                       func(x, y int) int { return x + y + 950 },
		"100 // (s.x + s.y + 1)":                        func(x, y int) int { return 100 / (x + y + 1) },
		"min(s.x, s.y)":                                 func(x, y int) int { return min(x, y) },
		"max(s.x, s.y, 7)":                              func(x, y int) int { return max(x, y, 7) },
		"max(s.x - s.y, s.y - s.x, 2 * s.x - 30) - s.y": func(x, y int) int { return max(x-y, y-x, 2*x-30) - y },
		"min([s.x, 3 * s.y, s.x + s.y - 2])":            func(x, y int) int { return min(x, 3*y, x+y-2) },
		"max([s.y * k - s.x for k in range(3) if k < 2 or s.x > 4])": func(x, y int) int {
			if x > 4 {
				return 2*y - x
			}
			return y - x
		},
		"min(max(s.x, s.y), max(s.y, 5), s.x + 2)":   func(x, y int) int { return min(max(x, y), max(y, 5), x+2) },
		"min(s.x, s.x, 100) * max(s.y, -3)":          func(x, y int) int { return x * y },
		"max(min(s.x, s.y) // 2, s.y % 2 - s.x)":     func(x, y int) int { return max(min(x, y)/2, y%2-x) },
		"min([0 - k for k in range(3)]) + s.x + s.y": func(x, y int) int { return x + y - 2 },
		"local(s)": func(x, y int) int { return 3*x + y - 1 },
		"(s.x - s.y) // 2 * 2 + max((s.x - s.y) % 2, 0)": func(x, y int) int { return x - y },
	}
	var text strings.Builder
	fmt.Fprintf(&text, `machine(name = "m")
var("x", range(%d))
var("y", range(%d))
var("z", range(%d, %d))
var("w", range(-2, 2))
def local(s):
    t, u = 0, s.x - s.y
    for k in range(3):
        t += s.x
        u = max(u, s.x)
    t = t + s.y
    t -= 1
    return t if t >= u - 1 else -20
`, n, n, least, most)
	names := slices.Sorted(maps.Keys(of))
	for i, e := range names {
		fmt.Fprintf(&text, "def set%d(s):\n    s.z = %s\nrule(\"set%d\", set%d)\n", i, e, i, i)
		fmt.Fprintf(&text, "def both%d(s):\n    s.x, s.y = %s, s.x\nrule(\"both%d\", both%d)\n", i, e, i, i)
		for k, op := range []string{"<", "<=", "==", "!=", ">=", ">"} {
			fmt.Fprintf(&text, "invariant(\"%d %d\", lambda s: %s %s 17)\n", i, k, e, op)
			fmt.Fprintf(&text, "invariant(\"%d %d m\", lambda s: s.y + 3 %s %s)\n", i, k, op, e)
		}
	}
	f, err := star.Load(t.Context(), "m.star", []byte(text.String()), star.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	p := f.Program
	compare := func(k, a, b int) bool {
		return []bool{a < b, a <= b, a == b, a != b, a >= b, a > b}[k]
	}
	alone := map[string]*program.Program{} // by its only rule, which may be several commands
	for _, r := range p.Rules {
		if alone[r.Name] == nil {
			q := *p
			q.Rules = nil
			alone[r.Name] = &q
		}
		alone[r.Name].Rules = append(alone[r.Name].Rules, r)
	}
	only := func(name string, state []int) (after []int, wrong bool) {
		steps, err := programtest.Steps(alone[name], state)
		if err != nil || len(steps) != 1 {
			return nil, true
		}
		return steps[0].After, false
	}
	at := func(name string) int {
		return slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == name })
	}
	x, y, z := at("x"), at("y"), at("z")
	for i := range n {
		for j := range n {
			state := p.Start()
			state[x], state[y] = i, j
			for k, e := range names {
				value := of[e](i, j)
				want := slices.Clone(state)
				want[z] = value - least
				after, wrong := only(fmt.Sprint("set", k), state)
				if fits := value >= least && value < most; wrong == fits || fits && !slices.Equal(after, want) {
					t.Fatalf("z = %s where x, y = %d, %d: %v, %v, want %v", e, i, j, after, wrong, want)
				}
				want = slices.Clone(state)
				want[x], want[y] = value, i
				after, wrong = only(fmt.Sprint("both", k), state)
				if fits := value >= 0 && value < n; wrong == fits || fits && !slices.Equal(after, want) {
					t.Fatalf("x, y = %s, x where x, y = %d, %d: %v, %v, want %v", e, i, j, after, wrong, want)
				}
				for op := range 6 { // in the order in which the file has them
					plain, mirrored := &p.Invariants[(6*k+op)*2].Holds, &p.Invariants[(6*k+op)*2+1].Holds
					if got := plain.Holds(state); got != compare(op, value, 17) {
						t.Fatalf("%s, operator %d, 17 where x, y = %d, %d: %t", e, op, i, j, got)
					}
					if got := mirrored.Holds(state); got != compare(op, j+3, value) {
						t.Fatalf("y + 3, operator %d, %s where x, y = %d, %d: %t", op, e, i, j, got)
					}
				}
			}
		}
	}
}

// floor is the quotient of a number and a positive one, rounded down.
func floor(x, k int) int { return int(math.Floor(float64(x) / float64(k))) }

// TestRulesThatTouchMuch: rules whose combinations of values are far beyond what can be enumerated.
func TestRulesThatTouchMuch(t *testing.T) {
	const machine = "machine(name = \"m\")\n"
	for name, c := range map[string]struct {
		text   string
		states int // counted by hand
	}{
		// 1, 100, and 100 * 99 / 2 sets of at most two
		"a choice of 100": {`var("on", bool, over = range(100))
var("n", range(3))
def f(s):
    i = choose([i for i in range(100) if not s.on[i]])
    when(s.n < 2)
    s.on[i] = True
    s.n += 1
rule("f", f)`, 1 + 100 + 100*99/2},
		// every number, in one step or more
		"a choice of 1,000": {`var("x", range(1000))
def f(s):
    k = choose(range(1, 1000))
    when(s.x + k < 1000)
    s.x += k
rule("f", f)`, 1000},
		// x and y from 1 on; a step from a product below 50
		"a product of 400 and 400": {`var("x", range(1, 400))
var("y", range(1, 400))
def f(s):
    when(s.x * s.y < 50)
    s.x += 1
def g(s):
    when(s.x * s.y < 50)
    s.y += 1
rule("f", f)
rule("g", g)`, products()},
		// 0, 1 and 2, and 399, 398 and 397 with them
		"two sums": {`var("y", range(400))
var("z", range(400), init = 399)
def f(s):
    when(s.y < 2)
    s.y += 1
    s.z -= 1
rule("f", f)`, 3},
		// 100, 97, ..., 1
		"a difference": {`var("a", range(200), init = 100)
var("b", range(200), init = 3)
def f(s):
    when(s.a >= s.b)
    s.a = s.a - s.b
rule("f", f)`, 34},
		// 0, 1, ..., 8: the sum of the eight is below 8 until then, and each step adds 1 to the first that is least
		"a total of eight": {`var("x", range(9), over = range(8))
def f(s):
    t, least = 0, 99
    for i in range(8):
        t += s.x[i]
        least = min(least, s.x[i])
    when(t < 8)
    when(least * 8 <= t)
    for i in range(8):
        if s.x[i] == 0:
            s.x[i] += 1
            return
rule("f", f)`, 9},
		// 1000, 500, 250, 125, and from there 124, 62, 31, 30, 15, 14, 7, 6, 3, 2, 1, 0
		"halves": {`var("x", range(2000), init = 1000)
var("y", range(3000), init = 1000)
def f(s):
    when(s.x > 0 and s.x % 1000 == s.y % 1000)
    s.x = s.x // 2 if s.x % 2 == 0 else s.x - 1
    s.y = max(s.y, s.x)
    s.y = min(s.x, s.y)
rule("f", f)`, 16},
	} {
		f, err := star.Load(context.Background(), "m.star", []byte(machine+c.text), star.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := len(graph(t, f.Program)); got != c.states {
			t.Errorf("%s: %d states, want %d", name, got, c.states)
		}
	}
}

// products counts the pairs from (1, 1) on of which one is reached by adding 1 to a number of a pair with a product below 50.
func products() int {
	n := 0
	for x := 1; x < 400; x++ {
		for y := 1; y < 400; y++ {
			if x*y < 50 || (x-1)*y < 50 && x > 1 || x*(y-1) < 50 && y > 1 {
				n++
			}
		}
	}
	return n
}
