package star_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
