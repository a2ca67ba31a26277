package star_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestCoverage: x counts from 0 to 3. By hand, in these 4 states: "up" may go on in three,
// and then its second condition does not refuse it; "odd" asks for two keys whether x is one
// of them, which is true once for each, and then meets its second condition, in a helper,
// with one of two choices, which counts once; "down" is always refused.
func TestCoverage(t *testing.T) {
	p := machine(t, `machine(name = "m")
var("x", range(4))
def helper(s, y):
    when(y < 3)
def up(s):
    when(s.x < 3)
    when(s.x != 3)
    s.x += 1
def odd(s, k):
    when(s.x == k)
    y = choose([1, 2])
    helper(s, k)
    s.x = choose([s.x])
def down(s):
    when(s.x > 3)
    when(s.x > 4)
rule("up", up)
rule("odd {}", odd, over = [1, 3])
rule("down", down)
`, nil)
	c, err := star.SourceOf(p).Coverage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for x := range 4 {
		c.Count([]int{x})
	}
	var got []string
	for _, w := range c.Whens {
		got = append(got, fmt.Sprintf("%s:%d:%d %s held %d refused %d%s", w.File, w.Line, w.Col, w.Rule, w.Held, w.Refused, w.Lacks(", ")))
	}
	want := []string{
		"m.star:6:5 up held 3 refused 1",
		"m.star:7:5 up held 3 refused 0, never refused",
		"m.star:10:5 odd {} held 2 refused 6",
		"m.star:4:5 odd {} held 1 refused 1",
		"m.star:15:5 down held 0 refused 4, never held",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCoverageOfAlso: conditions of what also calls count when the rule reaches it: x is not 0
// in three of four states, below 2 in one of these, and then not 1.
func TestCoverageOfAlso(t *testing.T) {
	p := machine(t, `machine(name = "m")
var("x", range(4))
def inner(s):
    when(s.x != 1)
def part(s, y):
    when(s.x < y)
    also(inner)
def up(s):
    when(s.x != 0)
    also(part, 2)
rule("up", up)
`, nil)
	c, err := star.SourceOf(p).Coverage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for x := range 4 {
		c.Count([]int{x})
	}
	var got []string
	for _, w := range c.Whens {
		got = append(got, fmt.Sprintf("%d %s held %d refused %d", w.Line, w.Rule, w.Held, w.Refused))
	}
	if diff := cmp.Diff([]string{"9 up held 3 refused 1", "6 up held 1 refused 2", "4 up held 0 refused 1"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCoverageOfFIFOs: room in a blocking FIFO, and the presence of a message to take, count as
// conditions, at the place of the call. Of two places none, one or both are full.
func TestCoverageOfFIFOs(t *testing.T) {
	p := machine(t, `machine(name = "m")
fifo("q", ["a", "b"], size = 2, blocking = True)
def send(s):
    s.q.push("a")
def out(s):
    also(s.q.take, "b")
rule("send", send)
rule("out", out)
`, nil)
	c, err := star.SourceOf(p).Coverage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range [][]int{{0, 0}, {1, 0}, {2, 0}, {2, 1}} {
		c.Count(state)
	}
	var got []string
	for _, w := range c.Whens {
		got = append(got, fmt.Sprintf("%d %s: %s held %d refused %d", w.Line, w.Rule, w.Why, w.Held, w.Refused))
	}
	if diff := cmp.Diff([]string{"4 send: there is room held 3 refused 1", "6 out: it is there held 2 refused 2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
