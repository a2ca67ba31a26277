package star_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestSumsInEveryState: a property that adds values, texts or counts of a FIFO, in either order and with a constant or
// another, says of every state what the numbers there say.
func TestSumsInEveryState(t *testing.T) {
	const machine = `machine(name = "m")
var("a", ["x", "y"], over = range(2))
var("n", range(3), over = range(2))
var("t", ["xx", "xy", "yx", "yy"]) # stays as it is
fifo("q", ["k", "l"], size = 3)
def turn(s, i):
    when(s.a[i] == "x")
    s.a[i] = "y"
def push(s, v):
    when(not s.q.full)
    s.q.push(v)
def more(s, i):
    when(s.n[i] < 2)
    s.n[i] += 1
rule("flip {}", turn, over = range(2))
rule("send {}", push, over = [["k", "l"]])
rule("up {}", more, over = range(2))
`
	type state struct {
		a    [2]string
		n    [2]int
		k, l int // in the FIFO
	}
	of := map[string]func(s state) bool{
		`s.a[0] + s.a[1] == "yx"`:                 func(s state) bool { return s.a[0]+s.a[1] == "yx" },
		`"a" + s.a[1] == "ay"`:                    func(s state) bool { return "a"+s.a[1] == "ay" },
		`s.a[1] + "a" == "ya"`:                    func(s state) bool { return s.a[1]+"a" == "ya" },
		`1 + s.q.count("k") > 3`:                  func(s state) bool { return 1+s.k > 3 },
		`s.q.count("k") + 1 > 3`:                  func(s state) bool { return s.k+1 > 3 },
		`"kk".count("k") + s.q.count("k") == 4`:   func(s state) bool { return 2+s.k == 4 },
		`s.q.count("k") + "l".count("l") == 2`:    func(s state) bool { return s.k+1 == 2 },
		`s.q.count("k") + s.q.count("l") == 2`:    func(s state) bool { return s.k+s.l == 2 },
		`s.n[0] + s.q.count("l") == 3`:            func(s state) bool { return s.n[0]+s.l == 3 },
		`s.n[0] + s.n[1] > 3`:                     func(s state) bool { return s.n[0]+s.n[1] > 3 },
		`s.n[0] == s.n[0] + s.n[1]`:               func(s state) bool { return s.n[1] == 0 },
		`s.t == s.a[0] + s.a[1]`:                  func(s state) bool { return s.a[0]+s.a[1] == "xx" },
		`s.n[1] < s.n[0] + s.n[0]`:                func(s state) bool { return s.n[1] < 2*s.n[0] },
		`s.t.count("x") + s.q.count("k") == 3`:    func(s state) bool { return 2+s.k == 3 },
		`s.q.count("k") + s.t.count("x") == 3`:    func(s state) bool { return s.k+2 == 3 },
		`s.a[0].count("y") + s.q.count("k") == 3`: func(s state) bool { return map[string]int{"y": 1}[s.a[0]]+s.k == 3 },
		`1 + s.n[0] > 2`:                          func(s state) bool { return 1+s.n[0] > 2 },
		`s.n[0] + s.n[1] + s.n[0] == 5`:           func(s state) bool { return 2*s.n[0]+s.n[1] == 5 },
		`len([1] + [s.n[0]]) == 2`:                func(state) bool { return true },
	}
	var text strings.Builder
	text.WriteString(machine)
	for condition := range of {
		fmt.Fprintf(&text, "never(%q, lambda s: %s)\n", condition, condition)
	}
	f, err := star.Load(context.Background(), "m.star", []byte(text.String()), star.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	p := f.Program
	start := make([]int, len(p.Variables))
	for i, v := range p.Variables {
		start[i] = v.Initial
	}
	seen := map[string]bool{fmt.Sprint(start): true}
	for queue := [][]int{start}; len(queue) > 0; queue = queue[1:] {
		var s state
		for i, v := range p.Variables {
			name := fmt.Sprint(queue[0][i])
			if queue[0][i] < len(v.Names) {
				name = v.Names[queue[0][i]]
			}
			switch {
			case strings.HasPrefix(v.Name, "a["):
				s.a[v.Name[2]-'0'] = name
			case strings.HasPrefix(v.Name, "n["):
				s.n[v.Name[2]-'0'] = queue[0][i]
			case name == "k":
				s.k++
			case name == "l":
				s.l++
			}
		}
		for _, v := range p.Invariants {
			condition, is := of[strings.TrimPrefix(v.Name, "never: ")]
			if is && v.Holds.Holds(queue[0]) == condition(s) {
				t.Fatalf("%s in %+v: want %t", v.Name, s, condition(s))
			}
		}
		steps, err := programtest.Steps(p, queue[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range steps {
			if key := fmt.Sprint(x.After); !seen[key] {
				seen[key] = true
				queue = append(queue, x.After)
			}
		}
	}
	// Two texts of two, two numbers of three, and no, one, two or three messages of two kinds.
	if want := 2 * 2 * 3 * 3 * (1 + 2 + 4 + 8); len(seen) != want {
		t.Errorf("%d states, want %d", len(seen), want)
	}
}

// TestRanges: the values that a parameter takes, in words.
func TestRanges(t *testing.T) {
	for want, p := range map[string]star.Param{
		"true|false": {Kind: "bool"}, "a|b": {Kind: "string", Choices: []string{"a", "b"}}, "any text": {Kind: "string"},
		"any integer": {Kind: "int", Min: math.MinInt, Max: math.MaxInt}, "at most 3": {Kind: "int", Min: math.MinInt, Max: 3},
		"at least -1": {Kind: "int", Min: -1, Max: math.MaxInt}, "0..9": {Kind: "int", Min: 0, Max: 9}, "2..2": {Kind: "int", Min: 2, Max: 2},
	} {
		if got := p.Range(); got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
	}
}

// TestLargeSums: sums and differences of variables of 400 values are not looked at: rules that have them are compiled, and take
// the steps that the same arithmetic takes in Go.
func TestLargeSums(t *testing.T) {
	type state struct{ y, z int }
	for _, c := range []struct {
		body  string
		start state
		step  func(s state) (state, bool)
		fault string // of the last step
	}{
		{"    when(s.z > 0)\n    s.y = s.y + 1\n    s.z = s.z - 1\n", state{1, 2},
			func(s state) (state, bool) { return state{s.y + 1, s.z - 1}, s.z > 0 }, ""},
		{"    s.y += 7\n", state{0, 0}, func(s state) (state, bool) { return state{s.y + 7, s.z}, true }, "y: invalid value 406: want 0 to 399"},
		{"    s.z -= 3\n    s.y += 1\n", state{0, 10}, func(s state) (state, bool) { return state{s.y + 1, s.z - 3}, true }, "z: invalid value -2: want 0 to 399"},
		{"    when(s.y + s.z < 60 and s.y - 1 != s.z)\n    s.y, s.z = s.z + 2, s.y\n", state{0, 0},
			func(s state) (state, bool) { return state{s.z + 2, s.y}, s.y+s.z < 60 && s.y-1 != s.z }, ""},
		{"    when(s.y <= s.z)\n    s.y = s.y + s.z - 4\n    s.y += 5\n    s.y += -3 + 4\n", state{0, 150},
			func(s state) (state, bool) { return state{s.y + s.z + 2, s.z}, s.y <= s.z }, ""},
		{"    when(3 + s.y == s.z + 1 or s.y < s.z)\n    s.y = 2 + s.y\n    if s.y + s.z == 20:\n        s.z += 1\n", state{0, 15},
			func(s state) (state, bool) {
				next := state{s.y + 2, s.z}
				if next.y+next.z == 20 {
					next.z++
				}
				return next, 3+s.y == s.z+1 || s.y < s.z
			}, ""},
	} {
		text := fmt.Sprintf("machine(name = \"m\")\nvar(\"y\", range(400), init = %d)\nvar(\"z\", range(400), init = %d)\ndef f(s):\n%srule(\"f\", f)\nfinal(lambda s: True)\n",
			c.start.y, c.start.z, c.body)
		f, err := star.Load(t.Context(), "m.star", []byte(text), star.Options{}.Evaluating(1, 2000, 0)) // 2000 of 160,000 combinations
		if err != nil {
			t.Errorf("%s%v", c.body, err)
			continue
		}
		seen := map[state]bool{}
		for s, possible := c.start, true; possible && !seen[s] && max(s.y, s.z) < 400 && min(s.y, s.z) >= 0; s, possible = c.step(s) {
			seen[s] = true
		}
		found := walk(t, f.Program)
		if found.States != len(seen) || (c.fault != "") != (len(found.Broken) > 0) {
			t.Errorf("%s%d states, broken %q: want %d", c.body, found.States, found.Broken, len(seen))
		}
		if c.fault != "" && (len(found.Broken) != 1 || !strings.Contains(found.Broken[0], c.fault)) {
			t.Errorf("%sbroken %q: want %q", c.body, found.Broken, c.fault)
		}
	}
}
