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
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// endpoints is a network with replies as one would write it down without any theory:
// nodes, FIFOs of messages, and for every node a pool of FIFOs of replies that are
// still to be sent. It shares the relation with what is tested, and nothing else.
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

// heap is a state: the FIFOs of all channels, and behind them those of the pools.
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

// next returns what FIFO i's first message (with i < 0, m as it is injected) may
// become, and where.
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
			k, known := number[key(after)], false
			if k, known = number[key(after)]; !known {
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

// TestReplies: whether a network with replies can deadlock is what a search over
// nodes, messages and pools says, for whole packets; and a wormhole network that is
// free is so for messages that fit into a channel.
func TestReplies(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 3, Channels: 4, Tags: 2, Classes: 3, Ring: true, Sparse: true})
		if len(def.Classes) < 2 {
			rt.Skip("one class")
		}
		def.Buffer = rapid.IntRange(1, 2).Draw(rt, "buffer")
		fifos := rapid.IntRange(1, 2).Draw(rt, "places") // of which each holds as much as a channel
		endpoint := func() string { return rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "endpoint") }
		def.Replies = []routing.Reply{{Request: 0, Reply: 1, Places: fifos * def.Buffer, Endpoint: endpoint()}}
		if len(def.Classes) > 2 {
			switch rapid.IntRange(0, 2).Draw(rt, "third class") {
			case 1: // which the reply to the first is replied to with
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
				continue // a channel holds one message, and not as many
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
	if count["holds"] < 5 || count["violated"] < 5 {
		t.Errorf("verdicts %v: the draws are too tame", count)
	}
}
