package repair_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// choiceCase is a network as maps, to judge what a scheme must find that keeps every alternative and every discard. It
// shares nothing with the search.
type choiceCase struct {
	n              *spec.Network
	sources        []spec.Site // each alternative of each flow
	leaves, leads  map[spec.Site]bool
	next           map[spec.Site][]spec.Site // those from which a packet leaves the network
	discarded      bool                      // some flow always is
	unrouted, dead bool                      // at a source; anywhere else that a packet may be committed to
}

func choiceCaseOf(n *spec.Network) *choiceCase {
	c := &choiceCase{n: n, leaves: map[spec.Site]bool{}, next: map[spec.Site][]spec.Site{}}
	hops := map[spec.Site][]spec.Hop{}
	_ = routing.Sites(n, func(at spec.Site, all []spec.Hop) error {
		hops[at] = all
		return nil
	})
	ends := func(at spec.Site, discards bool) bool { // one hop takes a packet out
		return slices.ContainsFunc(hops[at], func(h spec.Hop) bool {
			home := !at.Channel.IsInjection() && n.Topology().Head(at.Channel) == at.Header.Dest
			return h.Channel == spec.Eject && (h.Discards() && discards || !h.Discards() && home)
		})
	}
	to := func(at spec.Site, h spec.Hop) spec.Site {
		header := at.Header
		header.Tag = h.Tag
		return spec.Site{Channel: h.Channel, Header: header}
	}
	closure := func(discards bool) map[spec.Site]bool {
		leads := map[spec.Site]bool{}
		for again := true; again; {
			again = false
			for at, all := range hops {
				if !leads[at] && (ends(at, discards) || slices.ContainsFunc(all, func(h spec.Hop) bool {
					return h.Channel != spec.Eject && leads[to(at, h)]
				})) {
					leads[at], again = true, true
				}
			}
		}
		return leads
	}
	c.leads = closure(true)
	arrives := closure(false)
	for i := range n.Tables() {
		t := n.Table(i)
		for k := range t.Sources {
			at := t.SourceSite(k)
			c.sources = append(c.sources, at)
			c.unrouted = c.unrouted || !c.leads[at]
			if !n.ContinuesFlow(t, k) {
				some, goes := false, false
				for j := k; j == k || n.ContinuesFlow(t, j); j++ {
					some, goes = some || c.leads[t.SourceSite(j)], goes || arrives[t.SourceSite(j)]
				}
				c.discarded = c.discarded || some && !goes
			}
		}
	}
	for at, all := range hops {
		c.leaves[at] = ends(at, true)
		c.dead = c.dead || !at.Channel.IsInjection() && !c.leads[at]
		for _, h := range all {
			if h.Channel != spec.Eject && c.leads[to(at, h)] {
				c.next[at] = append(c.next[at], to(at, h))
			}
		}
	}
	return c
}

// turns returns the turns that packets take which begin at a site, and whether one can travel in a cycle.
func (c *choiceCase) turns(from spec.Site) (turns map[[2]spec.ChannelID]bool, circles bool) {
	turns = map[[2]spec.ChannelID]bool{}
	const begun, done = 1, 2
	state := map[spec.Site]int{}
	var walk func(at spec.Site)
	walk = func(at spec.Site) {
		state[at] = begun
		for _, next := range c.next[at] {
			if !at.Channel.IsInjection() {
				turns[[2]spec.ChannelID{at.Channel, next.Channel}] = true
			}
			switch state[next] {
			case begun:
				circles = true
			case 0:
				walk(next)
			}
		}
		state[at] = done
	}
	walk(from)
	return turns, circles
}

// TestChoicesAreBruteForce: of drawn networks that commit or discard packets, the fewest layers, among which each
// alternative of each flow is shared out, are those of all assignments; the fewest turns of an order those of all sets of
// turns; and there is an escape if every alternative leaves the network and none lets packets circle.
func TestChoicesAreBruteForce(t *testing.T) {
	seedtest.Sample(t, 40)
	found, proofs, refused := map[[2]any]int{}, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		for range each {
			n := drawnChoices(rt)
			s := rapid.SampledFrom([]repair.Scheme{repair.Layers, repair.Order, repair.Escape}).Draw(rt, "scheme")
			c := choiceCaseOf(n)
			if n.Alternatives() == 0 && !n.Discards() || n.SiteCount() == 0 || len(c.sources) > 8 {
				continue
			}
			r, err := repair.Propose(rt.Context(), n, repair.Options{Workers: 1, Schemes: []repair.Scheme{s}})
			if c.discarded && s != repair.Layers {
				if err == nil || !strings.Contains(err.Error(), "would have packets arrive that are always discarded") {
					rt.Fatalf("%s: %v", s, err)
				}
				refused++
				continue
			}
			if err != nil {
				rt.Fatal(err)
			}
			if len(r.Proposals) == 0 {
				continue
			}
			p := r.Proposals[0]
			want, verdict := c.want(rt, s)
			got := p.Cost
			if p.Verdict != spec.Holds {
				got = -1
			}
			if s != repair.Order && p.Network != nil && p.Network.Topology().Channels() == n.Topology().Channels() {
				continue // only hops that lead nowhere had to go, though the dependency graph may have a cycle
			}
			if p.Verdict == spec.Unknown && want < 0 && c.dead && s != repair.Order {
				continue // a dead end in one alternative is kept, which was met before what shows that there is no repair
			}
			if p.Verdict != verdict || s != repair.Escape && got != want {
				rt.Fatalf("%s: %s at %d, want %s at %d: %s", s, p.Verdict, got, verdict, want, p.Because)
			}
			found[[2]any{s, want}]++
			if p.Least != nil {
				proofs++
			}
			c.wantKept(rt, &p)
		}
	})
	if t.Log(found, "proofs:", proofs, "refused:", refused); seedtest.Usual() && (proofs == 0 || refused == 0 || found[[2]any{repair.Layers, 2}] == 0) {
		t.Error("no proof, nothing refused, or no two layers")
	}
}

// want returns the least cost under a scheme, -1 without a repair, and the verdict.
func (c *choiceCase) want(rt *rapid.T, s repair.Scheme) (int, spec.Verdict) {
	if s == repair.Order {
		if cost := bruteOrder(rt, c.n); cost >= 0 {
			return cost, spec.Holds
		}
		return -1, spec.Violated
	}
	var flows []map[[2]spec.ChannelID]bool
	circles := false
	for _, at := range c.sources {
		turns, around := c.turns(at)
		flows, circles = append(flows, turns), circles || around
	}
	switch {
	case c.unrouted || circles:
		return -1, spec.Violated
	case c.dead && c.n.Alternatives() > 0:
		return -1, spec.Unknown
	case s == repair.Escape:
		if connectedBothWays(c.n.Topology()) {
			return 0, spec.Holds
		}
		return -1, spec.Unknown
	}
	if cost := bruteLayers(rt, flows); cost >= 0 {
		return cost, spec.Holds
	}
	return -1, spec.Violated
}

// connectedBothWays reports whether every node reaches every other.
func connectedBothWays(t *spec.Topology) bool {
	for v := range spec.NodeID(t.Nodes()) {
		seen, queue := map[spec.NodeID]bool{v: true}, []spec.NodeID{v}
		for ; len(queue) > 0; queue = queue[1:] {
			for _, l := range t.OutLinks(queue[0]) {
				if to := t.Link(l).To; !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			}
		}
		if len(seen) < t.Nodes() {
			return false
		}
	}
	return true
}

// wantKept: layers and an escape keep the alternatives, and discard where the network did; an order commits and
// discards nothing.
func (c *choiceCase) wantKept(rt *rapid.T, p *repair.Proposal) {
	if p.Network == nil {
		return
	}
	if p.Scheme == repair.Order {
		if p.Network.Alternatives() > 0 || p.Network.Discards() {
			rt.Fatal("order: packets are committed or discarded still")
		}
		return
	}
	if p.Network.Alternatives() != c.n.Alternatives() {
		rt.Fatalf("%s: %d alternatives, before %d", p.Scheme, p.Network.Alternatives(), c.n.Alternatives())
	}
	was, is := c.n.Topology(), p.Network.Topology()
	_ = routing.Sites(p.Network, func(at spec.Site, hops []spec.Hop) error {
		if !at.Channel.IsInjection() {
			l, vc := is.LinkOf(at.Channel), is.VC(at.Channel)
			if p.Scheme == repair.Escape && vc >= was.Link(l).VCs {
				if slices.ContainsFunc(hops, spec.Hop.Discards) {
					rt.Fatal("the escape discards")
				}
				return nil
			}
			at.Channel = was.Channel(l, vc%was.Link(l).VCs)
		}
		before, met := c.n.Hops(at)
		if !met || slices.ContainsFunc(before, spec.Hop.Discards) != slices.ContainsFunc(hops, spec.Hop.Discards) {
			rt.Fatalf("%s: discards at %v: %v, before %v", p.Scheme, at, hops, before)
		}
		for _, h := range hops {
			into := p.Scheme == repair.Escape && h.Channel >= 0 && is.VC(h.Channel) >= was.Link(is.LinkOf(h.Channel)).VCs
			if into && c.leaves[at] {
				rt.Fatalf("escape: a packet that may leave at %v is led on: %v", at, hops)
			}
		}
		return nil
	})
}

// TestRepliesUnderChoice: a ring on which every node asks either of two others, as the data choose, and the routing
// commits requests to one of two VCs. Copies of the VCs free it, each asks both still, and no scheme drops one of the
// alternatives that the data choose.
func TestRepliesUnderChoice(t *testing.T) {
	const text = `network(name = "asks", switching = "store-and-forward", classes = ["ask", "pass", "tell"])
replies("ask", "pass", to = lambda origin, at: [n for n in nodes if n != at and n != origin])
replies("pass", "tell")
nodes = [node(name = x) for x in "abcd".elems()]
for i in range(4):
    link(nodes[i], nodes[(i + 1) % 4], vcs = 2)
flows(lambda src, dst, cls: cls == 0 and (dst.id - src.id) % 4 == 1)
def route(at, to):
    l = at.node.out[0]
    return oblivious([hop(l, vc = 0), hop(l, vc = 1)])
`
	file, err := star.Load(t.Context(), "asks.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := routingtest.Compile(t, file.Definition)
	r, err := repair.Propose(t.Context(), n, repair.Options{Schemes: []repair.Scheme{repair.Layers, repair.HopIndex}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Proposals {
		if p.Verdict != spec.Holds || p.Network.Alternatives() != n.Alternatives() {
			t.Errorf("%s: %s: %s", p.Scheme, p.Verdict, p.Because)
			continue
		}
		if was, is := len(n.FlowsApart()), len(p.Network.FlowsApart()); was == 0 || is != was {
			t.Errorf("%s: %d flows of the data, before %d", p.Scheme, is, was)
		}
	}
	wantGood(t, n, r)
	for _, s := range []repair.Scheme{repair.Turns, repair.Hops, repair.Escape, repair.Order} {
		_, err := repair.Propose(t.Context(), n, repair.Options{Schemes: []repair.Scheme{s}})
		if err == nil || !strings.HasPrefix(err.Error(), "asks.star:10:23: scheme "+string(s)+" ") {
			t.Errorf("%s: %v", s, err)
		}
	}
}
