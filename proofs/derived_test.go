package proofs_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestNumbersLeftOut: a certificate that leaves out what the network tells is accepted, in both forms and whether tables
// are stored in fragments or not, if and only if the one with these numbers written out is.
func TestNumbersLeftOut(t *testing.T) {
	kinds := []proofs.Kind{proofs.ExtendedEscape, proofs.Measure, proofs.Arrival}
	accepted, refused := map[proofs.Kind]int{}, map[proofs.Kind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{
			Nodes: 5, Channels: 8, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Discards: true,
		}, spec.Wormhole)
		if n.SiteCount() == 0 {
			return
		}
		stored, err := routing.Compile(t.Context(), routing.FromNetwork(n), routing.CompileOptions{Fragments: 1})
		if err != nil {
			rt.Fatal(err)
		}
		kind := rapid.SampledFrom(kinds).Draw(rt, "kind")
		c := &proofs.Certificate{Network: n.Digest(), Switching: n.Switching(), Property: property(kind), Kind: kind}
		written := *c
		if kind == proofs.ExtendedEscape {
			channels := n.Topology().Channels()
			c.Rank = rapid.SliceOfN(rapid.Int32Range(0, 9), channels, channels).Draw(rt, "ranks")
			if rapid.Bool().Draw(rt, "of the longest ways") { // which are right for most
				c.Rank = longest(n)
			}
			written.Rank, written.Held = c.Rank, mostHeld(n, c.Rank)
		} else {
			written.Measure = apart(n)
		}
		want := proofs.Verify(t.Context(), n, &written) == nil
		for _, n := range []*spec.Network{n, stored} {
			if got := same(t.Context(), rt, n, c); got != want {
				rt.Fatalf("%s, %d fragments: accepted %t, with the numbers %t", kind, n.Fragments(), got, want)
			}
		}
		if kind == proofs.ExtendedEscape { // no other numbers show more
			for i := range written.Held {
				written.Held[i] = max(0, written.Held[i]-rapid.Int32Range(-2, 2).Draw(rt, "less"))
			}
			if !want && proofs.Verify(t.Context(), n, &written) == nil {
				rt.Fatalf("ranks %v are refused, but accepted with %v", c.Rank, written.Held)
			}
		}
		if want {
			accepted[kind]++
		} else {
			refused[kind]++
		}
	})
	for _, k := range kinds {
		if seedtest.Usual() && (accepted[k] == 0 || refused[k] == 0) {
			t.Errorf("%s: %d certificates were accepted, %d refused", k, accepted[k], refused[k])
		}
	}
}

// TestSamplesLeaveOut: the checker's certificates without what is held, and with distances for measures, if every hop
// is on a shortest way, as in all samples but one. One wrong rank in the place of another is refused, or is right with
// numbers written out.
func TestSamplesLeaveOut(t *testing.T) {
	escapes, minimal, refused := 0, 0, 0
	for _, s := range samples(t) {
		for _, c := range s.certs {
			d := clone(c)
			d.Held, d.Measure = nil, nil
			switch c.Kind {
			case proofs.ExtendedEscape:
				escapes++
				if !same(t.Context(), t, s.n, d) {
					t.Errorf("%s: ranks alone are refused", s.name)
				}
				for i := range d.Rank {
					was := d.Rank[i]
					for _, rank := range []int32{0, was + 1, slices.Max(c.Rank) + 1} {
						d.Rank[i] = rank
						full := clone(d)
						full.Held = mostHeld(s.n, d.Rank)
						ok := same(t.Context(), t, s.n, d)
						if ok != (proofs.Verify(t.Context(), s.n, full) == nil) {
							t.Errorf("%s: rank %d of channel %d: accepted %t, not so with what is held", s.name, rank, i, ok)
						} else if !ok {
							refused++
						}
					}
					d.Rank[i] = was
				}
			case proofs.Measure:
				full := clone(d)
				full.Measure = apart(s.n)
				ok := same(t.Context(), t, s.n, d)
				if err := proofs.Verify(t.Context(), s.n, full); ok != (err == nil) {
					t.Errorf("%s: accepted %t, with distances %v", s.name, ok, err)
				}
				if ok {
					minimal++
				}
			}
		}
	}
	if escapes < 2 || minimal < 3 || refused == 0 {
		t.Errorf("%d certificates of escapes, %d minimal networks, %d refused", escapes, minimal, refused)
	}
}

// mostHeld is, by site, the least rank of the channels of the sites from which some way leads there: a search from each.
func mostHeld(n *spec.Network, ranks []int32) []int32 {
	held := make([]int32, n.SiteCount())
	for i := range n.Tables() {
		t := n.Table(i)
		for s, c := range t.Channels {
			held[t.First+s] = ranks[c]
		}
		for s, c := range t.Channels {
			seen := map[int]bool{}
			var follow func(at int)
			follow = func(at int) {
				if seen[at] {
					return
				}
				seen[at] = true
				held[t.First+at] = min(held[t.First+at], ranks[c])
				for _, h := range n.Row(t.Rows[at]) {
					if next, ok := t.Find(h.Channel, h.Tag); ok {
						follow(next)
					}
				}
			}
			follow(s)
		}
	}
	return held
}

// apart is, by site, how many links its node is from the destination (Floyd 1962, Warshall 1962).
func apart(n *spec.Network) []int32 {
	const never = 1 << 29
	topo := n.Topology()
	d := make([][]int32, topo.Nodes())
	for v := range d {
		d[v] = slices.Repeat([]int32{never}, len(d))
		d[v][v] = 0
	}
	for l := range spec.LinkID(topo.Links()) {
		if link := topo.Link(l); link.From != link.To {
			d[link.From][link.To] = 1
		}
	}
	for via := range d {
		for a := range d {
			for b := range d {
				d[a][b] = min(d[a][b], d[a][via]+d[via][b], never)
			}
		}
	}
	var out []int32
	for i := range n.Tables() {
		t := n.Table(i)
		for _, c := range t.Channels {
			out = append(out, d[topo.Head(c)][t.Dest])
		}
	}
	return out
}
