package repair_test

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// drawnRoom draws a network of whole packets, many on a ring, in which some hops need room for two packets: those into the
// network more often than others, as in practice. free: in most, every hop but those straight back is permitted.
func drawnRoom(rt *rapid.T, free bool) *spec.Network {
	def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Ring: true, Sparse: true})
	if free && rapid.IntRange(0, 3).Draw(rt, "every hop") > 0 {
		def.Tags, def.Routing = 1, everyHop(def.Topology)
	}
	def.Buffer = 2
	def.Routing = someRoom{def.Routing, rapid.Uint64().Draw(rt, "room"), rapid.Uint64Range(0, 3).Draw(rt, "less")}
	return compile(rt, def)
}

// someRoom is a relation some of whose hops need room for two packets.
type someRoom struct {
	routing.Relation
	seed, less uint64
}

func (s someRoom) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	dst, err := s.Relation.AppendHops(dst, at, h)
	for i, hop := range dst {
		x := hash.Mix(s.seed, uint64(uint32(at))<<32|uint64(uint32(hop.Channel))) % 8
		if hop.Channel != spec.Eject && (at.IsInjection() && x > s.less || x > 6) {
			dst[i].Room = 2
		}
	}
	return dst, err
}

// TestConditionsWithRoom: whatever condition is accepted of a network whose hops need room, every set of units meets it
// without which the checker finds the network free, by ranks or by bubbles. And conditions are accepted of most sets
// that are no repair, and of some that bubbles matter to.
func TestConditionsWithRoom(t *testing.T) {
	seedtest.Sample(t, 12)
	met, open, bubbles := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		for range each {
			n := drawnRoom(rt, true)
			s := rapid.SampledFrom([]repair.Scheme{repair.Turns, repair.Hops}).Draw(rt, "scheme")
			brute := plainOf(n, s)
			if brute == nil || len(brute.keys) > 7 || n.FlowCount() == 0 || n.Room() < 2 {
				continue
			}
			g, err := repairs.New(t.Context(), n, string(s), 0)
			if err != nil || g.Variables != len(brute.keys) {
				rt.Fatal(g.Variables, "units, want", len(brute.keys), err)
			}
			var free []uint64
			for set := range uint64(1) << len(brute.keys) {
				is := isFree(rt, without(n, s, brute.without(set)))
				if is {
					free = append(free, set)
					if !brute.free(set) {
						bubbles++
					}
				}
				var clause []int32
				for v := range int32(len(brute.keys)) {
					clause = append(clause, 2*v+int32(set>>v&1))
				}
				switch accepted := meets(g, clause); {
				case accepted && is:
					rt.Fatalf("%s: free without %b, and so is its condition", s, set)
				case accepted:
					met++
				case !is:
					open++
				}
			}
			for range 50 {
				clause, yes, no := drawnClause(rt, len(brute.keys))
				if meets(g, clause) && slices.ContainsFunc(free, func(set uint64) bool { return set&yes == 0 && ^set&no == 0 }) {
					rt.Fatalf("%s: a repair does not meet the condition %v", s, clause)
				}
			}
		}
	})
	t.Logf("%d accepted, %d of no repair are open, %d repairs by bubbles", met, open, bubbles)
	if seedtest.Usual() && (met < 10*open || bubbles == 0) {
		t.Error("the conditions are too weak, or bubbles never matter")
	}
}

// without returns the keys of a set of units.
func (p *plain) without(set uint64) map[string]bool {
	forbidden := map[string]bool{}
	for k, number := range p.keys {
		forbidden[k] = set>>number&1 == 1
	}
	return forbidden
}

// TestLeastWithRoom: of drawn networks whose hops need room, no set of turns or hops is a repair that costs less than is
// claimed, by trying all; what is proposed holds when every state is explored, too, and keeps the room of every hop.
func TestLeastWithRoom(t *testing.T) {
	seedtest.Sample(t, 12)
	found := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		for range 2 * each {
			n := drawnRoom(rt, true)
			s := rapid.SampledFrom([]repair.Scheme{repair.Turns, repair.Hops, repair.Dateline, repair.HopIndex,
				repair.Layers, repair.Escape, repair.Order}).Draw(rt, "scheme")
			if n.FlowCount() == 0 || n.Room() < 2 {
				continue
			}
			r, err := repair.Propose(rt.Context(), n, repair.Options{Schemes: []repair.Scheme{s}, Workers: 1, Effort: 300_000})
			if err != nil {
				rt.Fatal(err)
			}
			wantGood(rt, n, r)
			if len(r.Proposals) == 0 {
				continue
			}
			p := r.Proposals[0]
			found[string(s)+" "+p.Verdict.String()]++
			wantRoom(rt, n, &p)
			brute := plainOf(n, s)
			if s != repair.Turns && s != repair.Hops || brute == nil || len(brute.keys) > 7 {
				continue
			}
			least := brute.leastOf(func(set uint64) bool { return isFree(rt, without(n, s, brute.without(set))) })
			switch {
			case p.Verdict == spec.Violated && least >= 0, p.Verdict == spec.Holds && (p.AtLeast > least || p.Cost < least):
				rt.Fatalf("%s: %s, cost %d of at least %d, want %d: %s", s, p.Verdict, p.Cost, p.AtLeast, least, p.Because)
			case p.Verdict == spec.Holds && p.Cost == least && p.AtLeast == least:
				found["least"]++
			case p.Verdict == spec.Holds && p.Cost > least:
				found["more than least"]++
			}
		}
	})
	if t.Log(found); seedtest.Usual() && (found["least"] == 0 || found["more than least"] > found["least"]/10) {
		t.Error("least repairs are missed")
	}
}

// leastOf returns the fewest units without which the network is free, or -1.
func (p *plain) leastOf(free func(set uint64) bool) int {
	best := -1
	for set := range uint64(1) << len(p.keys) {
		cost := 0
		for k := range len(p.keys) {
			cost += int(set >> k & 1)
		}
		if (best < 0 || cost < best) && free(set) {
			best = cost
		}
	}
	return best
}

// wantRoom explores a repair, and compares the room of its hops with that of the network.
func wantRoom(rt *rapid.T, n *spec.Network, p *repair.Proposal) {
	if p.Network == nil {
		return
	}
	r, err := checker.Check(rt.Context(), p.Network, checker.Question{Workers: 1, Explore: checker.Always, MaxStates: 3000})
	if err != nil {
		rt.Fatal(err)
	}
	if f := r.Of("deadlock-freedom"); f.Verdict == spec.Violated {
		rt.Fatalf("%s: exploring finds that %s", p.Scheme, f.Because)
	}
	if p.Scheme == repair.Order {
		if p.Network.Room() > 1 {
			rt.Fatal("order: a hop needs room")
		}
		return
	}
	was, is := n.Topology(), p.Network.Topology()
	_ = routing.Sites(p.Network, func(at spec.Site, hops []spec.Hop) error {
		original := func(c spec.ChannelID) (spec.ChannelID, bool) {
			if c < 0 {
				return c, true
			}
			l, vc := is.LinkOf(c), is.VC(c)
			return was.Channel(l, vc%was.Link(l).VCs), p.Scheme != repair.Escape || vc < was.Link(l).VCs
		}
		from, known := original(at.Channel)
		if !known {
			return nil
		}
		before, _ := n.Hops(spec.Site{Channel: from, Header: at.Header})
		for _, h := range hops {
			old, known := original(h.Channel)
			if !known {
				continue
			}
			if !slices.Contains(before, spec.Hop{Channel: old, Tag: h.Tag, Room: h.Room}) {
				rt.Fatalf("%s: hop %v at %v, before %v", p.Scheme, h, at, before)
			}
		}
		return nil
	})
}

// TestFewestBubblesIsBruteForce: of drawn networks, the fewest turns that are to need room for two packets are those of
// all sets of turns, and there are none if no set frees the network; no state of what is proposed is a deadlock, and no hop
// needs less room than before.
func TestFewestBubblesIsBruteForce(t *testing.T) {
	seedtest.Sample(t, 12)
	found := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		for range 5 * each {
			n := drawnRoom(rt, false)
			keys := map[[2]spec.ChannelID]int{}
			_ = routing.Sites(n, func(at spec.Site, hops []spec.Hop) error {
				for _, h := range hops {
					if turn := [2]spec.ChannelID{at.Channel, h.Channel}; h.Channel != spec.Eject {
						if _, known := keys[turn]; !known {
							keys[turn] = len(keys)
						}
					}
				}
				return nil
			})
			if len(keys) > 9 || n.FlowCount() == 0 {
				continue
			}
			r, err := repair.Propose(rt.Context(), n, repair.Options{Schemes: []repair.Scheme{repair.Bubble}, Workers: 1})
			if err != nil {
				rt.Fatal(err)
			}
			wantGood(rt, n, r)
			if len(r.Proposals) == 0 || r.Before.Of("delivery").Verdict != spec.Holds || r.Before.Of("livelock-freedom").Verdict != spec.Holds {
				continue
			}
			p := r.Proposals[0]
			with := func(set uint64) routing.Definition {
				def := routing.FromNetwork(n)
				was := def.Routing
				def.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
					hops, _ := was.AppendHops(nil, at, h)
					for _, hop := range hops {
						if k, is := keys[[2]spec.ChannelID{at, hop.Channel}]; is && set>>k&1 == 1 {
							hop.Room = 2
						}
						dst = append(dst, hop)
					}
					return dst
				})
				return def
			}
			least := -1
			for set := range uint64(1) << len(keys) {
				if cost := bits.OnesCount64(set); (least < 0 || cost < least) && isFree(rt, with(set)) {
					least = cost
				}
			}
			found[p.Verdict.String()]++
			switch {
			case p.Verdict == spec.Violated && least >= 0, p.Verdict == spec.Holds && (p.AtLeast > least || p.Cost < least):
				rt.Fatalf("%s, %d turns of at least %d, want %d: %s", p.Verdict, p.Cost, p.AtLeast, least, p.Because)
			case p.Verdict == spec.Holds && p.AtLeast == least && p.Cost == least:
				found["least"]++
			}
			if p.Network == nil {
				continue
			}
			q := checker.Question{Workers: 1, Explore: checker.Always, MaxStates: 3000}
			if r, err := checker.Check(rt.Context(), p.Network, q); err != nil || r.Of("deadlock-freedom").Verdict == spec.Violated {
				rt.Fatalf("exploring: %v, %v", r, err)
			}
			_ = routing.Sites(p.Network, func(at spec.Site, hops []spec.Hop) error {
				before, _ := n.Hops(at)
				for i, h := range hops {
					if b := before[i]; h.Channel != b.Channel || h.Tag != b.Tag || h.Room < b.Room {
						rt.Fatalf("hop %v, before %v", h, b)
					}
				}
				return nil
			})
		}
	})
	if t.Log(found); seedtest.Usual() && (found["least"] == 0 || found["least"]*10 < found["holds"]*9 || found["violated"] == 0) {
		t.Error("least sets are missed")
	}
}

// TestBubbleSchemeOnly: a ring of n fills through any entry, so all n must leave a place free; and that is enough (Carrión et al.
// 1997). Channels of one packet are refused at their first hop.
func TestBubbleSchemeOnly(t *testing.T) {
	ring := `network(name = "ring", switching = "virtual-cut-through", buffer = BUFFER)
n = [node() for _ in range(5)]
l = [link(n[i], n[(i + 1) % 5]) for i in range(5)]
def route(at, to):
    return [hop(l[at.node.id])]
`
	load := func(buffer string) *spec.Network {
		file, err := star.Load(t.Context(), "ring.star", []byte(strings.Replace(ring, "BUFFER", buffer, 1)), star.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return routingtest.Compile(t, file.Definition)
	}
	only := repair.Options{Schemes: []repair.Scheme{repair.Bubble}}
	r, err := repair.Propose(t.Context(), load("2"), only)
	if err != nil || r.Proposals[0].Cost != 5 || r.Proposals[0].AtLeast != 5 || r.Proposals[0].Check.Verdict() != spec.Holds {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := repair.Propose(t.Context(), load("1"), only); err == nil ||
		!strings.HasPrefix(err.Error(), "ring.star:5:13: scheme bubble needs channels that hold two whole packets: want ") {
		t.Error(err)
	}
}
