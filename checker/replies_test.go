package checker_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestRepliesByHand: networks whose verdict is obvious.
func TestRepliesByHand(t *testing.T) {
	const line = `
k, vcs, chain = param("k", 2), param("vcs", "1"), param("chain", "request-reply")
network(name = "line", classes = chain.split("-"), vcs = len(vcs), switching = param("switching", "saf"), buffer = param("buffer", 1))
n = [node(at = (x,)) for x in range(k)]
for x in range(k - 1):
    both(n[x], n[x + 1], out = "+", back = "-")
def route(at, to):
    return [hop(at.node.port("+" if at.node.at < to.at else "-"), int(vcs[at.cls]) if len(vcs) > 1 else 0)]
`
	const ring = `
lo = param("lo", "00")  # VC of each class before the dateline
network(name = "ring", classes = ["request", "reply"], vcs = 4)
replies("request", "reply")
n = [node() for _ in range(4)]
for i in range(4):
    link(n[i], n[(i + 1) % 4])
def route(at, to):
    return [hop(at.node.out[0], int(lo[at.cls]) + (0 if at.node.id > to.id else 1))]
`
	plain := line + `replies("request", "reply", buffer = param("room", 1))` + "\n"
	shared := line + `
others = lambda origin, at: [v for v in n if v not in (origin, at)]
replies("request", "forward", to = others, request_buffer = param("pool", "request"))
replies("forward", "reply")
`
	for _, c := range []struct {
		name, text string
		set        map[string]string
		want       spec.Verdict
		because    string
	}{
		{"one VC", plain, nil, spec.Violated, "requests both ways fill both places and both links"},
		{"more room", plain, map[string]string{"room": "3"}, spec.Violated, "as many more requests"},
		{"deeper", plain, map[string]string{"buffer": "2", "room": "2"}, spec.Violated, "the same with two in every channel"},
		{"virtual cut-through", plain, map[string]string{"switching": "vct"}, spec.Violated, "the same"},
		{"wormhole", plain, map[string]string{"switching": "wh"}, spec.Violated, "the same"},
		{"longer", plain, map[string]string{"k": "4"}, spec.Violated, "between any two neighbours"},
		{"two VCs", plain, map[string]string{"vcs": "01", "k": "4"}, spec.Holds, "replies wait for replies alone, and are consumed"},
		{"two VCs, wormhole", plain, map[string]string{"vcs": "01", "k": "4", "switching": "wh"}, spec.Holds, "the same"},
		{"bound", line + `replies("request", "reply", outstanding = 2)`, map[string]string{"k": "3"}, spec.Holds,
			"every request is taken, and a line has no cycle"},
		{"ring, shared", ring, nil, spec.Violated, "the dateline breaks the cycle of the links, not that through the request buffers"},
		{"ring, two and two", ring, map[string]string{"lo": "02"}, spec.Holds, "each class has a dateline of its own"},
		{"three hops", shared, map[string]string{"k": "3", "chain": "request-forward-reply", "vcs": "012"}, spec.Holds,
			"requests wait for forwards, these for replies"},
		{"three hops on two VCs", shared, map[string]string{"k": "3", "chain": "request-forward-reply", "vcs": "001"},
			spec.Violated, "forwards wait behind requests"},
		{"three hops, one request buffer", shared,
			map[string]string{"k": "3", "chain": "request-forward-reply", "vcs": "012", "pool": "forward"},
			spec.Violated,
			"every place has a request whose forward waits for a place"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := star.Load(context.Background(), "n.star", []byte(c.text), star.Options{Set: c.set})
			if err != nil {
				t.Fatal(err)
			}
			n := routingtest.Compile(t, file.Definition)
			for _, p := range []spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery} {
				want := c.want
				if p != spec.DeadlockFreedom {
					want = spec.Holds
				}
				if f := decideWithin(t, n, p, 1<<16); f.Verdict != want {
					t.Errorf("%s %s (%s), want %s: %s", p, f.Verdict, f.Because, want, c.because)
				}
			}
		})
	}
}

// TestRequestBufferAssumptions: the assumptions about request buffers are stated.
func TestRequestBufferAssumptions(t *testing.T) {
	for _, c := range []struct {
		classes int
		replies []routing.Reply
		want    string
	}{
		{1, nil, ""},
		{2, nil, "dependencies between classes at the request buffers are not modelled"},
		{2, []routing.Reply{{Request: 0, Reply: 1, Slots: 3}},
			"request buffer a, 3 slots per node: a message that is replied to keeps a slot until its reply has left, any other is consumed at once"},
		{2, []routing.Reply{{Request: 0, Reply: 1, Outstanding: 2}},
			"request buffer a, 2 slots per node: one for each message that can be outstanding to it, so it never fills"},
	} {
		def := twoNodes()
		def.Classes, def.Replies = []string{"a", "b"}[:c.classes], c.replies
		n := routingtest.Compile(t, def)
		var got []string
		for _, a := range words.Written(decide(t, n, spec.DeadlockFreedom).Assumptions) {
			if strings.Contains(a, "request buffer") {
				got = append(got, a)
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%d classes, %v:\n%s\nwant\n%s", c.classes, c.replies, text, c.want)
		}
	}
}

// twoNodes is a pair of nodes with a link each way.
func twoNodes() routing.Definition {
	t := spec.NewTopology()
	a, b := t.AddNode("a"), t.AddNode("b")
	t.AddPair(a, b, 1)
	return routing.Definition{Name: "pair", Topology: t,
		Routing: routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: t.Channel(t.LinksBetween(t.Head(at), h.Dest)[0], 0)})
		}))}
}

// TestEveryRequestIsAFlow: which node is asked is the choice of the data, so a request that is not routed is not
// delivered, however many others of its requester are. A flow is a request with all that follows from it.
func TestEveryRequestIsAFlow(t *testing.T) {
	const three = `
network(name = "star", switching = "store-and-forward", classes = ["request", "forward", "reply"], vcs = 3)
a, b, c = [node(name = x) for x in "abc".elems()]
both(a, b)
both(a, c)
lost = param("lost", "")
def route(at, to):
    if at.injecting and lost == "%s-%s" % (at.node.name, to.name):
        return []
    return [hop(at.node.to(to) or at.node.to(a), at.cls)]
`
	const asks = three + "flows([(a, b, 0), (a, c, 0)])\n"
	const silent = asks + `replies("request", "reply", to = lambda origin, at: [] if at == c else [origin])`
	const forwards = three + "flows([(b, a, 0)])\n" + `
replies("request", "forward", to = lambda origin, at: [b, c])
replies("forward", "reply", to = lambda origin, at: [] if at == origin else [origin])
`
	for _, c := range []struct {
		name, text, lost string
		flows            int
		want             string // reason of a violation; "" if delivery holds
		because          string
	}{
		{"all routed", asks + `replies("request", "reply")`, "", 2, "", "a asks b and c"},
		{"one lost", asks + `replies("request", "reply")`, "a-c", 2, "at a the routing function returns no first hop for the request to c", "a cannot ask c"},
		{"one lost, with a bound", asks + `replies("request", "reply", outstanding = 2)`, "a-c", 4,
			"at a the routing function returns no first hop for the request to c",
			"the same; two requests and two replies are packets of their own"},
		{"no reply", silent, "", 2, "", "c consumes the request"},
		{"no reply, and lost", silent, "a-c", 2, "at a the routing function returns no first hop for the request to c",
			"a cannot ask c, whether c answers or not"},
		{"forwards", forwards, "", 2, "", "b asks a, which asks b or c"},
		{"a forward lost", forwards, "a-c", 2,
			"at a the routing function returns no hop for the forward to c for a packet in a request buffer request 0",
			"the data may have a ask c"},
		{"the other one lost", forwards, "a-b", 2,
			"at a the routing function returns no hop for the forward to b for a packet in a request buffer request 0",
			"the data may have a ask b"},
	} {
		file, err := star.Load(context.Background(), "n.star", []byte(c.text), star.Options{Set: map[string]string{"lost": c.lost}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		n := routingtest.Compile(t, file.Definition)
		if n.FlowCount() != c.flows {
			t.Errorf("%s: %d flows, want %d", c.name, n.FlowCount(), c.flows)
		}
		f := decideWithin(t, n, spec.Delivery, 1<<16)
		if f.Verdict == spec.Violated && f.Because.String() != c.want || (f.Verdict == spec.Holds) != (c.want == "") {
			t.Errorf("%s: delivery %s (%s), want %q: %s", c.name, f.Verdict, f.Because, c.want, c.because)
		}
	}
}
