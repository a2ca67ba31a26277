package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/show/report"
)

// TestLargeDeadlock: of many packets that block each other ten lines are enough, a
// shortest cycle if that fits. A one-way ring of n has one cycle, of all its n channels.
// The 6 x 6 torus without CH has rings of 6 channels: 12 packets are two of them.
func TestLargeDeadlock(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []string
		lines int // of packets
		more  string
	}{
		{"all are told", []string{"ring", "--set", "n=10"}, 10, ""},
		{"one cycle of all", []string{"ring", "--set", "n=16"}, 10, "    ... and 6 more packets; a shortest cycle has 16 (--report shows all)\n"},
		{"two cycles",
			[]string{"star-channel", "--set", "k=6", "--set", "n=2", "--set", "ch=never", "--switching", "saf"}, 6,
			"    ... and 6 more packets; these 6 are a shortest cycle (--report shows all)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := unknot(t, append([]string{"check", "--property", "deadlock-freedom"}, tt.args...)...)
			if code != exitViolated || strings.Count(out, " and waits for ") != tt.lines ||
				!strings.Contains(out, tt.more) || (tt.more == "") != !strings.Contains(out, "more packets") {
				t.Errorf("exit %d, want %d lines of packets and %q:\n%s%s", code, tt.lines, tt.more, out, errs)
			}
		})
	}
}

// TestSeeing: after a violation, and only then, one line says which commands show it;
// with --out they are commands that work as they stand.
func TestSeeing(t *testing.T) {
	const hint = "\nto see it happen: "
	dir := filepath.Join(t.TempDir(), "evidence")
	for _, tt := range []struct {
		args  []string
		times int
	}{
		{[]string{"check", "ring"}, 1},
		{[]string{"check", "ring", "--set", "variant=dateline", "--liveness"}, 1}, // starvation, by a run
		{[]string{"check", "ring", "--set", "variant=dateline"}, 0},
		{[]string{"check", "ring", "--json"}, 0},
		// unknown
		{[]string{"check", "gadget", "--set", "name=swap", "--switching", "store-and-forward", "--property", "deadlock-freedom", "--explore=never"}, 0},
		{[]string{"check", "p3-rebalance", "--explore=whole", "--out", dir}, 1}, // a machine
		{[]string{"check", "ring", "--out", dir}, 1},
	} {
		_, out, errs := unknot(t, tt.args...)
		if strings.Count(out, hint) != tt.times {
			t.Errorf("%v: want the hint %d times:\n%s%s", tt.args, tt.times, out, errs)
		}
		_, line, _ := strings.Cut(out, hint+"unknot ")
		if command, _, named := strings.Cut(line, ", or unknot explore "); named {
			if code, out, errs := unknot(t, strings.Fields(command)...); code != exitExpected {
				t.Errorf("%s: exit %d\n%s%s", command, code, out, errs)
			}
		} else if tt.args[len(tt.args)-1] == dir {
			t.Errorf("%v: no command in\n%s", tt.args, out)
		}
	}
}

// TestIntendedEnd: a protocol that stops is told how to declare that it may, unless it declares where.
func TestIntendedEnd(t *testing.T) {
	const stops = "machine(name = \"m\")\nvar(\"x\", bool)\ndef f(s):\n    when(not s.x)\n    s.x = True\nrule(\"f\", f)\n"
	for text, want := range map[string]int{stops: 1, stops + "final(lambda s: s.x)\n": 0, stops + "final(lambda s: not s.x)\n": 0} {
		_, out, errs := unknot(t, "check", file(t, "m.star", text))
		if got := strings.Count(out, "final(f)"); got != want {
			t.Errorf("%s: the hint %d times, want %d:\n%s%s", text, got, want, out, errs)
		}
	}
}

// TestDeadEnd: the finding names the node where the routing function returns nothing,
// and for which destination. b is where packets from a to c get stuck, whose own packets
// to c have no first hop; with one from a that is not routed at all, that comes first.
func TestDeadEnd(t *testing.T) {
	const text = `network(name = "dead", switching = "virtual-cut-through")
a, b, c = node("a"), node("b"), node("c")
both(a, b, out = "e", back = "w")
both(b, c, out = "e", back = "w")
def route(at, to):
    if at.node == %s and to == c:
        return []
    return [hop(at.node.port("e" if at.node == a or to == c else "w"))]
`
	for node, want := range map[string]string{
		"b": "at b the routing function returns no hop towards c for a packet in a->b vc0",
		"a": "at a the routing function returns no first hop towards c",
	} {
		code, out, errs := unknot(t, "check", file(t, "dead.star", strings.Replace(text, "%s", node, 1)))
		if code != exitViolated || !strings.Contains(out, "\ndelivery violated: "+want+"\n") {
			t.Errorf("exit %d, want %q:\n%s%s", code, want, out, errs)
		}
	}
}

// TestShortName: what a machine is set to does not hide its verdicts; the name by which
// evidence is bound to it is told whole, once.
func TestShortName(t *testing.T) {
	code, out, errs := unknot(t, "check", "invalidate-ack")
	if code != exitViolated || !strings.HasPrefix(out, "invalidate/Ack:\n  deadlock freedom VIOLATED\n") ||
		strings.Count(out, "\nwhole name: invalidate/Ack: variant=literal, ") != 1 {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
	for name, want := range map[string]string{"ring, one way": "ring, one way",
		strings.Repeat("x", 70):       strings.Repeat("x", 70),
		"," + strings.Repeat("x", 70): "," + strings.Repeat("x", 70)} {
		if got := report.ShortName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
