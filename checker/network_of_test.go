package checker_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestChoiceUnderAProtocol: a protocol runs over networks that commit and discard packets. Over a ring of three whose
// packets may take VC 1 at their second hop, those that are committed to VC 0 block each other, and adaptive ones do not:
// there the machine has the states of the network. Over a wire, a source that is committed to VC 0 waits for a packet
// that nobody takes there, unless it may be discarded; without commitment, VC 1 always stays free.
func TestChoiceUnderAProtocol(t *testing.T) {
	const ring = `kind = param("kind", "")
network(name = "ring", switching = "store-and-forward")
at = [node() for _ in range(3)]
for i in range(3):
    link(at[i], at[(i + 1) % 3], vcs = 2)
flows(lambda s, d, c: d.id == (s.id + 2) % 3)
def route(at, to):
    a = [hop(at.node.out[0], vc) for vc in range(2)]
    if at.injecting:
        return [a[0]]
    return oblivious(a) if kind == "hashed" else a + [discard()] if kind == "lossy" else a
`
	const around = `kind = param("kind", "")
machine(name = "m")
net = network_of("net.star", kind = kind)
rule("send", lambda s, i: net.send(s, i, (i + 2) % 3), over = net.nodes)
rule("take", lambda s, i: when(net.receive(s, i) != None), over = net.nodes)
`
	const wire = `kind = param("kind", "")
network(name = "wire", switching = "store-and-forward", classes = ["junk", "data"])
at = [node() for _ in range(2)]
link(at[0], at[1], vcs = 2)
flows(lambda s, d, c: s.id == 0)
def route(at, to):
    a = [hop(at.node.out[0], vc) for vc in range(2)]
    if at.cls_name == "junk":
        return [a[0]]
    if kind == "lossy":
        return oblivious([[a[0], discard()], a[1]])
    return oblivious(a) if kind == "hashed" else a
`
	const across = `kind = param("kind", "")
machine(name = "m")
net = network_of("net.star", kind = kind)
var("sent", bool)
def junk(s):
    when(not s.sent)
    s.sent = True
    net.send(s, 0, 1, "junk")
rule("junk", junk)
rule("data", lambda s: net.send(s, 0, 1, "data"))
rule("take", lambda s: when(net.receive(s, 1, "data") != None))
`
	for _, tt := range []struct {
		name, net, protocol, kind string
		want                      spec.Verdict
	}{
		{"ring", ring, around, "adaptive", spec.Holds}, {"ring", ring, around, "hashed", spec.Violated},
		{"ring", ring, around, "lossy", spec.Holds}, {"wire", wire, across, "adaptive", spec.Holds},
		{"wire", wire, across, "hashed", spec.Violated}, {"wire", wire, across, "lossy", spec.Holds},
	} {
		opt := star.Options{
			Set: map[string]string{"kind": tt.kind}, Open: func(string) ([]byte, error) { return []byte(tt.net), nil },
		}
		f, err := star.Load(t.Context(), "m.star", []byte(tt.protocol), opt)
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
		if x := r.Findings[0]; x.Verdict != tt.want {
			t.Errorf("%s, %s: %s %s, want %s", tt.name, tt.kind, x.Property, x.Verdict, tt.want)
		}
		if tt.name != "ring" || tt.want == spec.Violated {
			continue
		}
		l, err := star.Load(t.Context(), "net.star", []byte(tt.net), opt)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := checker.Check(t.Context(), routingtest.Compile(t, l.Definition), checker.Question{Explore: checker.Whole})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := r.States, alone.States; a != b {
			t.Errorf("%s, %s: the machine has %d states, the network %d", tt.name, tt.kind, a, b)
		}
	}
}
