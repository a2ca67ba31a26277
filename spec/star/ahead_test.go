package star_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// read returns the closed form of a machine, with the places of its rules, or the error of its file.
func read(text string, opt star.Options) (closed string, failed bool) {
	f, err := star.Load(context.Background(), "m.star", []byte(text), opt)
	if err != nil {
		return err.Error(), true
	}
	var b bytes.Buffer
	if err := program.WriteClosed(&b, f.Program); err != nil {
		return err.Error(), true
	}
	for _, r := range f.Program.Rules {
		b.WriteString(r.Where.Text + "\n")
	}
	return b.String(), false
}

// TestAhead: rules and properties evaluated on several cores give the same program as one after the
// other, or end in the same error, even if that is a bound of the file.
func TestAhead(t *testing.T) {
	wrong, bounded, right := 0, 0, 0
	seedtest.Sample(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		text := netgen.DrawProtocol(rt, false).Text
		leaves := rapid.SampledFrom([]int{0, 0, 0, 1, 5, 20, 60, 200}).Draw(rt, "runs")
		steps := rapid.SampledFrom([]int{0, 0, 0, 300, 2000, 10000}).Draw(rt, "steps")
		call := rapid.SampledFrom([]uint64{0, 0, 0, 20, 60}).Draw(rt, "steps of a call")
		opt := star.Options{MaxRouteSteps: call}
		want, failed := read(text, opt.Evaluating(1, leaves, steps))
		for _, workers := range []int{2, 5} {
			if got, _ := read(text, opt.Evaluating(workers, leaves, steps)); got != want {
				rt.Fatalf("%d workers: %s\nwant %s\n%s", workers, got, want, text)
			}
		}
		switch {
		case failed && (strings.Contains(want, "more than") || strings.Contains(want, "at most")):
			bounded++
		case failed:
			wrong++
		default:
			right++
		}
	})
	if seedtest.Usual() && (wrong == 0 || bounded == 0 || right == 0) {
		t.Errorf("%d errors, %d bounds, %d programs: want some of each", wrong, bounded, right)
	}
}

// TestAheadNumbers: parts of steps and faults are numbered in the order of the rules, even where many faults
// of one place share a variable; of several errors the first in order is reported.
func TestAheadNumbers(t *testing.T) {
	const machine = `
machine(name = "m")
n = 12
var("x", range(n), over = range(3))
fifo("q", range(n), size = 2, over = range(3))

def push(s, k, v):
    s.q[k].push(v)

def send(s, k):
    for i in range(3):
        if s.x[i] > k and i != k:
            also(push, (k + i) % 3, i + k)
    if s.x[k] > 4:
        fail("x is", s.x[k])

def take(s, k):
    v = s.q[k].pop()
    also(reset, (k + 1) % 3)
    s.x[k] = v

def reset(s, k):
    s.x[k] = 0
`
	times := 4
	if seedtest.Whole() {
		times = 20
	}
	for name, rules := range map[string]string{
		"numbers":         "rule('send', send, over = range(3))\nrule('take', take, over = [2, 0, 1])\nnever('big', lambda s: s.x[0] + s.x[1] > 15)\n",
		"errors":          "rule('take', take, over = range(3))\nrule('a', lambda s, k: s.y, over = range(2))\nrule('b', lambda s: s.z)\n",
		"a shared list":   "def counting():\n    list = [0]\n    def f(s):\n        list[0] += 1\n        s.x[0] = list[0]\n    return f\nrule('count', counting())\n",
		"part of itself":  "def again(s, k):\n    also(again, k)\nrule('take', take, over = range(3))\nrule('again', again, over = [0])\n",
		"counts of steps": "rule('take', take, over = range(3))\nrule('loop', lambda s: [s.x[0] == i for i in range(10000000)])\n",
	} {
		want, failed := read(machine+rules, star.Options{}.Evaluating(1, 0, 0))
		if failed == (name == "numbers") {
			t.Errorf("%s: %s", name, want)
		}
		for range times {
			if got, _ := read(machine+rules, star.Options{}.Evaluating(3, 0, 0)); got != want {
				t.Fatalf("%s: %s\nwant %s", name, got, want)
			}
		}
	}
}
