package combining_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// machineReduction is the machine's tree with one message a link.
func machineReduction() combining.ReduceOptions {
	return combining.ReduceOptions{FanOut: 2, Depth: 2, Level: combining.Forever, Capacity: 1, Rounds: 2}
}

func reduce(t testing.TB, o combining.ReduceOptions) *program.Program {
	t.Helper()
	p, err := combining.Reduce(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// words walks a reduction of one round and returns the words that the home has
// when all operands are in.
func words(t testing.TB, p *program.Program, clusters int) []int {
	t.Helper()
	var found []int
	seen := map[string]bool{}
	queue := [][]int{p.Start()}
	for len(queue) > 0 {
		values := queue[0]
		queue = queue[1:]
		if word, operands := combining.HomeWord(p, values); operands == clusters && !slices.Contains(found, word) {
			found = append(found, word)
		}
		steps, err := programtest.Steps(p, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			if key := fmt.Sprint(s.After); !seen[key] {
				seen[key] = true
				queue = append(queue, s.After)
			}
		}
	}
	slices.Sort(found)
	return found
}

// at finds a variable by its name.
func at(t rapid.TB, p *program.Program, name string) int {
	t.Helper()
	i := slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("%s has no variable %q", p.Name, name)
	}
	return i
}

// TestWords: the orders of the operands that a tree can produce, counted. Letters are
// digits in base 5, so the sequential word of four is 1234, and that of the commutative
// kind, where letter i counts 5^(i-1), is 1111.
func TestWords(t *testing.T) {
	number := func(digits ...int) int {
		x := 0
		for _, d := range digits {
			x = 5*x + d
		}
		return x
	}
	for i, tt := range []struct {
		name   string
		change func(o *combining.ReduceOptions)
		count  int // of words; that of each is that of a set of permutations
		first  int
	}{
		{"by position", func(o *combining.ReduceOptions) {}, 1, number(1, 2, 3, 4)},
		{"by position, home at the root", func(o *combining.ReduceOptions) { o.Home = combining.AtRoot }, 1, number(1, 2, 3, 4)},
		// Each of three switches has its two in either order.
		{"by arrival, home at the root", func(o *combining.ReduceOptions) { o.Home, o.Order = combining.AtRoot, combining.ByArrival }, 8, number(1, 2, 3, 4)},
		// 3 and 4 in either order at switch 5, then 2 before or behind, then 1.
		{"by arrival", func(o *combining.ReduceOptions) { o.Order = combining.ByArrival }, 8, number(1, 2, 3, 4)},
		{"nothing combined, home at the root", func(o *combining.ReduceOptions) { o.Home, o.Level = combining.AtRoot, combining.Pass }, 24, number(1, 2, 3, 4)},
		// The home's own comes first.
		{"nothing combined", func(o *combining.ReduceOptions) { o.Level = combining.Pass }, 6, number(1, 2, 3, 4)},
		{"nothing combined, by arrival", func(o *combining.ReduceOptions) { o.Level, o.Order = combining.Pass, combining.ByArrival }, 24, number(1, 2, 3, 4)},
		{"commutative, by arrival", func(o *combining.ReduceOptions) { o.Order, o.Commutative = combining.ByArrival, true }, 1, number(1, 1, 1, 1)},
		{"commutative, nothing combined", func(o *combining.ReduceOptions) { o.Level, o.Commutative = combining.Pass, true }, 1, number(1, 1, 1, 1)},
	} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		o := machineReduction()
		o.Rounds = 1
		tt.change(&o)
		got := words(t, reduce(t, o), 4)
		if len(got) != tt.count || got[0] != tt.first {
			t.Errorf("%s: %v; want %d, the least %d", tt.name, got, tt.count, tt.first)
		}
		for _, w := range got {
			var digits []int
			for x := w; x > 0; x /= 5 {
				digits = append(digits, x%5)
			}
			slices.Sort(digits)
			if want := []int{1, 2, 3, 4}; !o.Commutative && !slices.Equal(digits, want) {
				t.Errorf("%s: the letters of %d are %v", tt.name, w, digits)
			}
		}
	}
}

// TestAnyOperation: the argument of the free semigroup. Random maps of {0, 1, 2} into
// itself, with composition, which does not commute: a random run of the machine, with
// its words read as compositions of the clusters' maps, must give the composition of
// all maps in order.
func TestAnyOperation(t *testing.T) {
	seedtest.Few(3, func() {
		rapid.Check(t, func(rt *rapid.T) {
			type mapping [3]int
			then := func(f, g mapping) mapping { return mapping{g[f[0]], g[f[1]], g[f[2]]} }
			o := machineReduction()
			o.Home = rapid.SampledFrom([]combining.Home{combining.AtLeaf, combining.AtRoot}).Draw(rt, "home")
			o.Eager = rapid.Bool().Draw(rt, "eager")
			o.Capacity = rapid.IntRange(1, 2).Draw(rt, "capacity")
			p := reduce(t, o)
			operands := make([]mapping, 4)
			sequential := mapping{0, 1, 2}
			for i := range operands {
				for k := range 3 {
					operands[i][k] = rapid.IntRange(0, 2).Draw(rt, "value")
				}
				sequential = then(sequential, operands[i])
			}
			runReduction(rt, p, len(operands), o.Rounds, func(word int) {
				got := mapping{0, 1, 2}
				for place := 125; place > 0; place /= 5 {
					got = then(got, operands[word/place%5-1])
				}
				if diff := cmp.Diff(sequential, got); diff != "" {
					rt.Fatal(diff)
				}
			})
		})
	})
}

// runReduction runs a random schedule to its end and passes each word to result when home
// has the operands of all clusters. Each round must have one, and the run must end in the
// intended state.
func runReduction(rt *rapid.T, p *program.Program, clusters, rounds int, result func(word int)) {
	values := p.Start()
	results := 0
	for {
		steps, err := programtest.Steps(p, values)
		if err != nil {
			rt.Fatal(err)
		}
		if len(steps) == 0 {
			break
		}
		_, before := combining.HomeWord(p, values)
		values = rapid.SampledFrom(steps).Draw(rt, "step").After
		if word, operands := combining.HomeWord(p, values); operands == clusters && before != clusters {
			results++
			result(word)
		}
	}
	if results != rounds || !p.Final.Holds(values) {
		rt.Fatalf("%s: %d results of %d rounds, final %v", p.Name, results, rounds, p.Final.Holds(values))
	}
}

// TestCommutativeOperations: random trees, levels and orders. The machine keeps the number of
// times that each operand is in a word. For any operation and random schedule, this must give
// the result of a loop over the operands.
func TestCommutativeOperations(t *testing.T) {
	operations := map[string]func(a, b int) int{
		"sum modulo 11": func(a, b int) int { return (a + b) % 11 },
		"product":       func(a, b int) int { return a * b % 13 },
		"xor":           func(a, b int) int { return a ^ b },
		"greatest":      func(a, b int) int { return max(a, b) },
	}
	seedtest.Few(1, func() {
		rapid.Check(t, func(rt *rapid.T) {
			operation := operations[rapid.SampledFrom([]string{"sum modulo 11", "product", "xor", "greatest"}).Draw(rt, "operation")]
			o := machineReduction()
			o.FanOut = rapid.IntRange(2, 5).Draw(rt, "fan-out")
			o.Depth = 1
			if o.FanOut == 2 {
				o.Depth = rapid.IntRange(1, 3).Draw(rt, "depth")
			}
			o.Home = rapid.SampledFrom([]combining.Home{combining.AtLeaf, combining.AtRoot}).Draw(rt, "home")
			o.Order = rapid.SampledFrom([]combining.Order{combining.ByPosition, combining.ByArrival}).Draw(rt, "order")
			o.Level = rapid.SampledFrom([]combining.Waiting{combining.Pass, combining.Window, combining.Forever}).Draw(rt, "level")
			o.Capacity, o.Commutative = rapid.IntRange(1, 2).Draw(rt, "capacity"), true
			clusters := o.FanOut
			for range o.Depth - 1 {
				clusters *= o.FanOut
			}
			p := reduce(t, o)
			operands := rapid.SliceOfN(rapid.IntRange(0, 10), clusters, clusters).Draw(rt, "operands")
			want := operands[0]
			for _, x := range operands[1:] {
				want = operation(want, x)
			}
			runReduction(rt, p, clusters, o.Rounds, func(word int) {
				var taken []int // each operand as often as it is in the word
				for c, rest := 0, word; rest > 0; c, rest = c+1, rest/(clusters+1) {
					for range rest % (clusters + 1) {
						taken = append(taken, operands[c])
					}
				}
				got := taken[0]
				for _, x := range taken[1:] {
					got = operation(got, x)
				}
				if got != want || len(taken) != clusters {
					rt.Fatalf("%s: %d of %v, want %d of %v", p.Name, got, taken, want, operands)
				}
			})
		})
	})
}

// TestEveryLineOfReductions: a result that is sent to one side only, an operand that is
// taken twice, an entry that is not freed, and so on.
func TestEveryLineOfReductions(t *testing.T) {
	everyLineCounts(t, combining.ReductionEntry(), [][]string{
		{"depth=1"}, {"depth=1", "fan-out=3", "home=root", "operation=commutative"},
		{"depth=1", "fan-out=3", "home=root", "order=arrival", "operation=commutative"},
		{"depth=1", "level=2", "operation=commutative", "home=root"}, {"depth=1", "fan-out=3", "eager=yes"},
		{"depth=1", "operation=commutative"}, {},
		{"pairs=0-1,2-3,01-23", "home=root"}, {"pairs=0-2,1-3", "home=root", "meet=common", "operation=commutative"},
	}, map[string]string{
		`when(part[0] != "in" or not s.letter[part[1], p].empty)`: "letters come beside the number of operands",
		"when(not s.letter[input, p].empty)":                      "likewise",
		"s.messages[w] = 0":                                       "later operands go on by themselves, and commute",
		"when(idle(s, w))":                                        "level 1, which loses operands",
		`s.operands[w, "all"] = s.up[input].head or 0`:            "likewise",
		"also(note_letter, w, input, p)":                          "likewise",
		`s.held[w, "all", p] = s.letter[input, p].head`:           "likewise",
		"s.up[input].pop()":                                       "likewise",
		"also(s.letter[input, p].pop)":                            "likewise",
		`when(s.operands[w, "all"] != 0)`:                         "likewise",
		`s.operands[w, "all"] = 0`:                                "likewise",
		`s.held[w, "all", p] = blank`:                             "likewise",
	})
}

// TestLevel1OfReductions: the second operand at a switch is lost, so no order gives a
// result, except where only one operand passes each switch.
func TestLevel1OfReductions(t *testing.T) {
	for _, order := range []combining.Order{combining.ByPosition, combining.ByArrival} {
		o := machineReduction()
		o.Level, o.Order, o.Commutative = combining.Record, order, true
		p := reduce(t, o)
		_, violated := verdicts(t, p)
		want := []string{"deadlock-freedom", "cluster 0 gets the result", "cluster 1 gets the result", "cluster 2 gets the result", "cluster 3 gets the result"}
		if diff := cmp.Diff(want, violated); diff != "" {
			t.Errorf("order %d (-want +got):\n%s", order, diff)
		}
		if found := words(t, p, 4); found != nil {
			t.Errorf("order %d: results %v", order, found)
		}
	}
	o := machineReduction()
	o.Level, o.Depth, o.Commutative = combining.Record, 1, true // 0 is at home, and 1 alone passes the switch
	if _, violated := verdicts(t, reduce(t, o)); violated != nil {
		t.Errorf("alone: %v", violated)
	}
}

func TestReduceRefuses(t *testing.T) {
	for want, change := range map[string]func(o *combining.ReduceOptions){
		"two partners with a fan-out of 3: want 2":            func(o *combining.ReduceOptions) { o.FanOut, o.Depth, o.Two = 3, 1, true },
		"a reduction of 8 clusters, fan-out 2":                func(o *combining.ReduceOptions) { o.Depth = 3 },
		"a reduction of 16 clusters, fan-out 4: want at most": func(o *combining.ReduceOptions) { o.FanOut, o.Commutative = 4, true },
	} {
		o := machineReduction()
		change(&o)
		if _, err := combining.Reduce(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}
