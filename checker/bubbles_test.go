package checker_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// bubbleTorus is a torus under dimension order whose packets leave a place free where they enter a ring; adaptive: below
// channels of all minimal ways (Puente et al. 2001). forgets: the rings into which node (0,0) injects upwards are
// entered without that rule; bare: those of one direction are, everywhere. within: the room that a hop within a ring needs. few: only packets half around one column.
const bubbleTorus = `
k = param("k", 4, min = 2, max = 64)
adaptive = param("adaptive", False)
forgets = param("forgets", False)
bare = param("bare", "", choices = ["", "x+", "x-", "y+", "y-"])
within = param("within", 1)
few = param("few", False)
network(name = "bubble-torus", switching = "virtual-cut-through", buffer = 2, vcs = 2 if adaptive else 1)
r = {(x, y): node(at = (x, y)) for x in range(k) for y in range(k)}
for x in range(k):
    for y in range(k):
        link(r[x, y], r[(x + 1) % k, y], out = "x+", dim = 0)
        link(r[x, y], r[(x - 1) % k, y], out = "x-", dim = 0)
        link(r[x, y], r[x, (y + 1) % k], out = "y+", dim = 1)
        link(r[x, y], r[x, (y - 1) % k], out = "y-", dim = 1)

def toward(d, name):
    return name + ("+" if d <= k // 2 else "-")

def route(at, to):
    dx = (to.at[0] - at.node.at[0]) % k
    dy = (to.at[1] - at.node.at[1]) % k
    port = toward(dx, "x") if dx else toward(dy, "y")
    on = not at.injecting and at.vc == 0 and at.link.out == port
    bubble = 1 if forgets and at.node.at == (0, 0) and port == "y+" or port == bare else 2
    hops = [hop(at.node.port(port), 0, room = within if on else bubble)]
    if adaptive:
        if dx:
            hops.append(hop(at.node.port(toward(dx, "x")), 1))
        if dy:
            hops.append(hop(at.node.port(toward(dy, "y")), 1))
    return hops

if few:
    flows(lambda s, d, c: s.at[0] == d.at[0] and s.at[0] == 0 and (d.at[1] - s.at[1]) % k == 2)
`

// torusOf returns a bubbleTorus with such parameters: "k=4 few=true".
func torusOf(t testing.TB, set string) *spec.Network {
	t.Helper()
	return fileOf(t, "torus.star", []byte(bubbleTorus), set)
}

func fileOf(t testing.TB, name string, text []byte, set string) *spec.Network {
	t.Helper()
	params := map[string]string{}
	for _, p := range strings.Fields(set) {
		key, value, _ := strings.Cut(p, "=")
		params[key] = value
	}
	f, err := star.Load(t.Context(), name, text, star.Options{Set: params})
	if err != nil {
		t.Fatal(err)
	}
	n, err := routing.Compile(t.Context(), f.Definition, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBubbles: rings and tori are decided from their tables, whether they keep bubbles or one entry, or one hop around,
// does not; and so does exploring say, where that ends.
func TestBubbles(t *testing.T) {
	rings, err := os.ReadFile("../models/examples/field/rings_bubble.star")
	if err != nil {
		t.Fatal(err)
	}
	holds, violated := spec.Holds, spec.Violated
	for _, tt := range []struct {
		set      string
		torus    bool
		want     spec.Verdict
		explored bool // its states are few enough
		large    bool // takes more than some milliseconds
	}{
		{"rings=1 n=3", false, holds, true, false},
		{"rings=1 n=3 forgets=1", false, violated, true, false},
		{"rings=1 n=4", false, holds, true, false},
		{"rings=1 n=4 forgets=0", false, violated, true, false},
		{"rings=1 n=5", false, holds, true, true},
		{"rings=1 n=5 forgets=4", false, violated, true, true},
		{"rings=1 n=300", false, holds, false, false},
		{"rings=1 n=1000", false, holds, false, true},
		{"rings=1 n=60 forgets=7", false, violated, false, false},
		{"rings=2 n=3", false, violated, false, false},
		{"rings=2 n=3", false, violated, true, true},
		{"rings=2 n=3 own=true", false, holds, false, false},
		{"rings=3 n=8 own=true", false, holds, false, false},
		{"rings=3 n=4 own=true forgets=2", false, violated, false, false},
		{"k=4 few=true", true, holds, true, false},
		{"k=4 few=true forgets=true", true, violated, true, false},
		{"k=4 few=true within=2", true, violated, true, false},
		{"k=4 few=true bare=y+", true, violated, true, false},
		{"k=4", true, holds, false, false},
		{"k=4 forgets=true", true, violated, false, false},
		{"k=4 within=2", true, violated, false, false},
		{"k=4 bare=x+", true, violated, false, false},
		{"k=5 bare=x-", true, violated, false, false},
		{"k=4 bare=y+", true, violated, false, false},
		{"k=5 bare=y-", true, violated, false, false},
		{"k=5 adaptive=true", true, holds, false, false},
		{"k=5 adaptive=true forgets=true", true, violated, false, false},
		{"k=5 adaptive=true within=2", true, violated, false, false},
		{"k=5 adaptive=true bare=x+", true, violated, false, false},
		{"k=16 adaptive=true", true, holds, false, true},
		{"k=64", true, holds, false, true},
	} {
		if tt.large && !seedtest.Whole() {
			continue
		}
		text := rings
		if tt.torus {
			text = []byte(bubbleTorus)
		}
		n := fileOf(t, "file.star", text, tt.set)
		q := checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Never}
		f := checked(t, n, q)
		if f.Verdict != tt.want || tt.want == holds && f.Argument != checker.FreePlaces {
			t.Errorf("%s: %s (%s), want %s", tt.set, f.Verdict, f.Because, tt.want)
		}
		if q.Explore, q.MaxStates = checker.Always, 3_000_000; tt.explored {
			if f := checked(t, n, q); f.Verdict != tt.want || f.Method != checker.Explored {
				t.Errorf("%s explored: %s (%s), want %s", tt.set, f.Verdict, f.Because, tt.want)
			}
		}
	}
}

// checked returns the only finding.
func checked(t testing.TB, n *spec.Network, q checker.Question) checker.Finding {
	t.Helper()
	r, err := checker.Check(t.Context(), n, q)
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings[0]
}

// TestBubbleOfTheScenario: a scenario's bubble is one of every injection and every turn: rings hold by it, whatever else
// the scenario says, and the evidence names it. A ring without one is violated.
func TestBubbleOfTheScenario(t *testing.T) {
	n := torusOf(t, "k=4 forgets=true")
	for _, sc := range []spec.Scenario{{Bubble: 2}, {Bubble: 2, Sink: 1}, {Bubble: 2, Packets: 9}} {
		f := checked(t, n, checker.Question{Properties: []string{"deadlock-freedom"}, Scenario: sc, Explore: checker.Never})
		e, ok := f.Evidence.(evidence.Bubbles)
		if f.Verdict != spec.Holds || !ok || e.Bubble != 2 {
			t.Errorf("%s: %s (%s)", sc, f.Verdict, f.Because)
		} else if shown := e.Shown(); shown.Under == nil || shown.Under.Bubble != 2 || shown.AsDefined(n.Switching()) == nil {
			t.Errorf("%s: shown under %v, want a bubble of 2, which is not how the network is defined", sc, shown.Under)
		}
	}
	f := checked(t, n, checker.Question{Properties: []string{"deadlock-freedom"}, Scenario: spec.Scenario{Sink: 1}, Explore: checker.Never})
	if f.Verdict != spec.Violated {
		t.Errorf("without a bubble: %s (%s)", f.Verdict, f.Because)
	}
}

// TestBubblesUnderAProtocol: a protocol that sends around a ring of three, as in its network's file, keeps the bubbles
// of the hops there: it never blocks, unless one entry keeps none.
func TestBubblesUnderAProtocol(t *testing.T) {
	const net = `first = param("first", 2)
network(name = "ring", buffer = 2)
at = [node() for _ in range(3)]
for i in range(3):
    link(at[i], at[(i + 1) % 3])
def route(at, to):
    return [hop(at.node.out[0], room = 1 if not at.injecting else 2 if at.node.id else first)]
`
	const protocol = `first = param("first", 2)
machine(name = "m")
net = network_of("net.star", first = first)
rule("send", lambda s, i: net.send(s, i, (i + 2) % 3), over = net.nodes)
rule("take", lambda s, i: when(net.receive(s, i) != None), over = net.nodes)
`
	for first, want := range map[string]spec.Verdict{"1": spec.Violated, "2": spec.Holds} {
		f, err := star.Load(t.Context(), "m.star", []byte(protocol), star.Options{
			Set: map[string]string{"first": first}, Open: func(string) ([]byte, error) { return []byte(net), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Program.Machine()
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
		if err != nil {
			t.Fatal(err)
		}
		if x := r.Findings[0]; x.Verdict != want {
			t.Errorf("first = %s: %s %s, want %s", first, x.Property, x.Verdict, want)
		}
	}
}

// TestBubblesWithReplies: nodes around a ring that hold two requests each until the reply has left. The rings of requests
// and of replies, on VCs of their own, keep bubbles: no deadlock, in the file and in the closed form. On one VC replies
// wait behind requests that wait for slots. A hop around with room 2 blocks at once, an entry without a bubble lets a ring
// fill. With one request outstanding at a time there are always slots, but no trace fills the ring by so few, and the
// answer names the entry and the ring that leave it open.
func TestBubblesWithReplies(t *testing.T) {
	const ring = `n = param("n", 3)
own = param("own", True)
first = param("first", 2)
around = param("around", 1)
outstanding = param("outstanding", 0)
network(name = "ring", buffer = 2, vcs = 2 if own else 1, classes = ["request", "reply"])
at = [node() for _ in range(n)]
for i in range(n):
    link(at[i], at[(i + 1) % n])
def route(at, to):
    room = around if not at.injecting else 2 if at.node.id else first
    return [hop(at.node.out[0], at.cls if own else 0, room = room)]
if outstanding:
    replies("request", "reply", outstanding = outstanding)
else:
    replies("request", "reply", buffer = 2)
`
	holds, violated, unknown := spec.Holds, spec.Violated, spec.Unknown
	for _, tt := range []struct {
		set  string
		want spec.Verdict
	}{
		{"", holds},
		{"n=20", holds},
		{"own=false", violated},
		{"around=2", violated},
		{"first=1", violated},
		{"outstanding=1", holds},
		{"own=false outstanding=1", holds},
		{"own=false outstanding=1 first=1", unknown},
	} {
		n := fileOf(t, "ring.star", []byte(ring), tt.set)
		var text bytes.Buffer
		if err := spec.WriteClosed(&text, n); err != nil {
			t.Fatal(err)
		}
		closed, err := spec.ReadClosed(t.Context(), "ring.json", text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for form, n := range map[string]*spec.Network{"file": n, "closed form": closed} {
			f := checked(t, n, checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Never})
			if f.Verdict != tt.want {
				t.Errorf("%s, %s: %s (%s), want %s", form, tt.set, f.Verdict, f.Because, tt.want)
			}
			open := "a ring of 3 channels (0->1 vc0, 1->2 vc0, 2->0 vc0) may fill, as the hop from inject 0 into 0->1 vc0 keeps no bubble"
			if f.Verdict == unknown && !strings.Contains(f.Because.String(), open) {
				t.Errorf("%s, %s: %s, want %s", form, tt.set, f.Because, open)
			}
		}
	}
}
