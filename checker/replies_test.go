package checker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fixedseed"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// endpoints is a network with replies as one would write it down without any theory: nodes, FIFOs
// of messages, and for every node a pool of FIFOs of replies still to be sent. It shares only the
// relation with what is tested.
type endpoints struct {
	def   routing.Definition
	topo  *spec.Topology
	fifos int // of each pool
}

type msg struct {
	class, tag int
	from, to   spec.NodeID // of this message
	origin     spec.NodeID // who began
}

// heap is a state: the FIFOs of all channels, followed by those of the pools.
type heap [][]msg

func (e *endpoints) pool(v spec.NodeID, class int) int {
	pools := []string{}
	for _, r := range e.def.Replies {
		if !slices.Contains(pools, r.Endpoint) {
			pools = append(pools, r.Endpoint)
		}
	}
	for _, r := range e.def.Replies {
		if int(r.Request) == class {
			return e.topo.Channels() + (int(v)*len(pools)+slices.Index(pools, r.Endpoint))*e.fifos
		}
	}
	return -1
}

// next returns what the first message of FIFO i (if i < 0, m as it is injected) may become, and
// where.
func (e *endpoints) next(i int, at spec.ChannelID, v spec.NodeID, m msg) (to []int, as []msg) {
	hops, err := e.def.Routing.Next(nil, at, spec.Header{Dest: m.to, Class: spec.Class(m.class), Tag: spec.Tag(m.tag)})
	if err != nil {
		panic(err)
	}
	for _, h := range hops {
		if h.Channel != spec.Eject {
			moved := m
			moved.tag = int(h.Tag)
			to, as = append(to, int(h.Channel)), append(as, moved)
			continue
		}
		pool := e.pool(v, m.class)
		if pool < 0 {
			to, as = append(to, -1), append(as, m) // consumed
			continue
		}
		for _, r := range e.def.Replies {
			if int(r.Request) != m.class {
				continue
			}
			back := m.origin
			if v == m.origin {
				back = m.from
			}
			for k := range e.fifos {
				to, as = append(to, pool+k), append(as, msg{class: int(r.Reply), from: v, to: back, origin: m.origin})
			}
		}
	}
	return to, as
}

// stuck reports whether a state can be reached in which the first message of a FIFO
// never moves again; unknown beyond most states, or where a message has nowhere to go.
func (e *endpoints) stuck(most int) (stuck, known bool) {
	pools := map[string]bool{}
	for _, r := range e.def.Replies {
		pools[r.Endpoint] = true
	}
	empty := make(heap, e.topo.Channels()+e.topo.Nodes()*len(pools)*e.fifos)
	key := func(s heap) string { return fmt.Sprint(s) }
	number := map[string]int{key(empty): 0}
	all := []heap{empty}
	type step struct{ from, to, left int } // left: the FIFO that was left
	var steps []step
	for n := 0; n < len(all); n++ {
		s := all[n]
		put := func(left, to int, m msg) {
			after := make(heap, len(s))
			for i := range s {
				after[i] = slices.Clone(s[i])
			}
			if to >= 0 {
				if len(s[to]) >= e.def.Buffer {
					return
				}
				after[to] = append(after[to], m)
			}
			if left >= 0 {
				after[left] = after[left][1:]
			}
			k, known := number[key(after)]
			if !known {
				k = len(all)
				number[key(after)] = k
				all = append(all, after)
			}
			steps = append(steps, step{n, k, left})
		}
		for src := range spec.NodeID(e.topo.Nodes()) {
			for dst := range spec.NodeID(e.topo.Nodes()) {
				for c := range e.def.Classes {
					answer := slices.ContainsFunc(e.def.Replies, func(r routing.Reply) bool { return int(r.Reply) == c })
					if src == dst || answer || e.def.Flows != nil && !e.def.Flows(src, dst, spec.Class(c)) {
						continue
					}
					to, as := e.next(-1, spec.Injection(src), src, msg{class: c, from: src, to: dst, origin: src})
					if len(to) == 0 {
						return false, false
					}
					for i := range to {
						put(-1, to[i], as[i])
					}
				}
			}
		}
		for i, fifo := range s {
			if len(fifo) == 0 {
				continue
			}
			at, v := spec.ChannelID(i), spec.NodeID(0)
			if i < e.topo.Channels() {
				v = e.topo.Head(at)
			} else {
				v = spec.NodeID((i - e.topo.Channels()) / (len(pools) * e.fifos))
				at = spec.Injection(v)
			}
			to, as := e.next(i, at, v, fifo[0])
			if len(to) == 0 {
				return false, false
			}
			for k := range to {
				put(i, to[k], as[k])
			}
		}
		if len(all) > most {
			return false, false
		}
	}
	for i := range empty {
		moves := make([]bool, len(all)) // can the first message of i move, sooner or later
		for again := true; again; {
			again = false
			for _, st := range slices.Backward(steps) {
				if !moves[st.from] && (st.left == i || moves[st.to]) {
					moves[st.from], again = true, true
				}
			}
		}
		for n, s := range all {
			if len(s[i]) > 0 && !moves[n] {
				return true, true
			}
		}
	}
	return false, true
}

// TestReplies: whether a network with replies can deadlock is what a search over nodes, messages and
// pools says, for whole packets; and a deadlock-free wormhole network stays so for messages that fit
// into a channel.
func TestReplies(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 3, Channels: 4, Tags: 2, Classes: 3, Ring: true, Sparse: true})
		if len(def.Classes) < 2 {
			rt.Skip("one class")
		}
		def.Buffer = rapid.IntRange(1, 2).Draw(rt, "buffer")
		fifos := rapid.IntRange(1, 2).Draw(rt, "places") // each holds as much as a channel
		endpoint := func() string { return rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "endpoint") }
		def.Replies = []routing.Reply{{Request: 0, Reply: 1, Places: fifos * def.Buffer, Endpoint: endpoint()}}
		if len(def.Classes) > 2 {
			switch rapid.IntRange(0, 2).Draw(rt, "third class") {
			case 1: // the reply to the first is itself replied to with this
				def.Replies = append(def.Replies, routing.Reply{Request: 1, Reply: 2, Places: fifos * def.Buffer, Endpoint: endpoint()})
			case 2: // another reply
				def.Replies = append(def.Replies, routing.Reply{Request: 0, Reply: 2, Places: fifos * def.Buffer, Endpoint: def.Replies[0].Endpoint})
			}
		}
		e := &endpoints{def: def, topo: def.Topology, fifos: fifos}
		stuck, known := e.stuck(1500)
		if !known {
			count["left out"]++
			return
		}
		want := map[bool]spec.Verdict{true: spec.Violated, false: spec.Holds}[stuck]
		count[want.String()]++
		for _, def.Switching = range []spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole} {
			if def.Switching == spec.Wormhole && def.Buffer > 1 {
				continue // a channel holds one message, not several
			}
			n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
			if err != nil {
				rt.Fatal(err)
			}
			if n.FlowCount() == 0 {
				continue
			}
			got := decideWithin(rt, n, spec.Deadlock, 1<<20).Verdict
			if def.Switching == spec.Wormhole && want == spec.Holds {
				continue // longer messages may block each other
			}
			if got != want {
				var text strings.Builder
				_ = spec.WriteClosed(&text, n)
				rt.Fatalf("%s: %s, want %s:\n%s", def.Switching, got, want, text.String())
			}
		}
	})
	t.Log(count)
	if fixedseed.Usual() && (count["holds"] == 0 || count["violated"] == 0) {
		t.Errorf("verdicts %v: the draws are too tame", count)
	}
}

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
replies("request", "forward", to = others, endpoint = param("endpoint", "request"))
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
		{"bound", line + `replies("request", "reply", outstanding = 2)`, map[string]string{"k": "3"}, spec.Holds, "every request is taken, and a line has no cycle"},
		{"ring, shared", ring, nil, spec.Violated, "the dateline breaks the cycle of the links, not that through the endpoints"},
		{"ring, two and two", ring, map[string]string{"lo": "02"}, spec.Holds, "each class has a dateline of its own"},
		{"three hops", shared, map[string]string{"k": "3", "chain": "request-forward-reply", "vcs": "012"}, spec.Holds, "requests wait for forwards, these for replies"},
		{"three hops on two VCs", shared, map[string]string{"k": "3", "chain": "request-forward-reply", "vcs": "001"}, spec.Violated, "forwards wait behind requests"},
		{"three hops, one endpoint", shared, map[string]string{"k": "3", "chain": "request-forward-reply", "vcs": "012", "endpoint": "forward"}, spec.Violated,
			"every place has a request whose forward waits for a place"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := star.Load(context.Background(), "n.star", []byte(c.text), star.Options{Set: c.set})
			if err != nil {
				t.Fatal(err)
			}
			n := routingtest.Compile(t, file.Definition)
			for _, p := range []spec.Property{spec.Deadlock, spec.Livelock, spec.Delivery} {
				want := c.want
				if p != spec.Deadlock {
					want = spec.Holds
				}
				if f := decideWithin(t, n, p, 1<<16); f.Verdict != want {
					t.Errorf("%s %s (%s), want %s: %s", p, f.Verdict, f.Because, want, c.because)
				}
			}
		})
	}
}

// TestEndpointAssumptions: the assumptions about endpoints are stated.
func TestEndpointAssumptions(t *testing.T) {
	for _, c := range []struct {
		classes int
		replies []routing.Reply
		want    string
	}{
		{1, nil, ""},
		{2, nil, "dependencies between classes at the endpoints are not modelled"},
		{2, []routing.Reply{{Request: 0, Reply: 1, Places: 3}}, "endpoint a, 3 places per node: a message that is replied to takes a place until its reply has left; other messages are consumed at once"},
		{2, []routing.Reply{{Request: 0, Reply: 1, Outstanding: 2}}, "endpoint a, 2 places per node: one for each message that can be outstanding to it, so it never fills"},
	} {
		def := twoNodes()
		def.Classes, def.Replies = []string{"a", "b"}[:c.classes], c.replies
		n := routingtest.Compile(t, def)
		var got []string
		for _, a := range decide(t, n, spec.Deadlock).Assumptions {
			if strings.Contains(a, "endpoint") {
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
	return routing.Definition{Name: "pair", Topology: t, Routing: routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: t.Channel(t.Between(t.Head(at), h.Dest)[0], 0)})
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
		{"one lost, with a bound", asks + `replies("request", "reply", outstanding = 2)`, "a-c", 4, "at a the routing function returns no first hop for the request to c",
			"the same; two requests and two replies are packets of their own"},
		{"no reply", silent, "", 2, "", "c consumes the request"},
		{"no reply, and lost", silent, "a-c", 2, "at a the routing function returns no first hop for the request to c", "a cannot ask c, whether c answers or not"},
		{"forwards", forwards, "", 2, "", "b asks a, which asks b or c"},
		{"a forward lost", forwards, "a-c", 2, "at a the routing function returns no hop for the forward to c for a packet in a endpoint request 0", "the data may have a ask c"},
		{"the other one lost", forwards, "a-b", 2, "at a the routing function returns no hop for the forward to b for a packet in a endpoint request 0", "the data may have a ask b"},
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
		if f.Verdict == spec.Violated && f.Because != c.want || (f.Verdict == spec.Holds) != (c.want == "") {
			t.Errorf("%s: delivery %s (%s), want %q: %s", c.name, f.Verdict, f.Because, c.want, c.because)
		}
	}
}
