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

// TestRanksAsMeasure: a certificate of measure or arrival that holds the ranks of channels is accepted if and only if
// the certificate with each site's rank written out is, whether tables are stored in fragments or not.
func TestRanksAsMeasure(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 8, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		if n.FlowCount() == 0 {
			return
		}
		stored, err := routing.Compile(t.Context(), routing.FromNetwork(n), routing.CompileOptions{Fragments: 1})
		if err != nil {
			rt.Fatal(err)
		}
		c := proofs.Certificate{Network: n.Digest(), Switching: n.Switching(), Property: spec.LivelockFreedom, Kind: proofs.Measure}
		if rapid.Bool().Draw(rt, "arrival") {
			c.Property, c.Kind = spec.Delivery, proofs.Arrival
		}
		ranks := rapid.SliceOfN(rapid.Int32Range(0, 9), n.Topology().Channels(), n.Topology().Channels()).Draw(rt, "ranks")
		if rapid.Bool().Draw(rt, "of the longest ways") { // which are right for most
			ranks = longest(n)
		}
		written := c
		for i := range n.Tables() {
			for _, channel := range n.Table(i).Channels {
				written.Measure = append(written.Measure, ranks[channel])
			}
		}
		c.Rank = ranks
		want := proofs.Verify(t.Context(), n, &written)
		for _, n := range []*spec.Network{n, stored} {
			got := proofs.Verify(t.Context(), n, &c)
			if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
				rt.Fatalf("%s by ranks %v: %v, written out %v", c.Kind, ranks, got, want)
			}
		}
		if want == nil && n.SiteCount() > 0 {
			accepted++
		} else if want != nil {
			refused++
		}
	})
	if seedtest.Usual() && (accepted == 0 || refused == 0) {
		t.Errorf("%d were accepted, %d refused", accepted, refused)
	}
}

// longest is the number of hops that may follow each channel, up to a bound.
func longest(n *spec.Network) []int32 {
	ranks := make([]int32, n.Topology().Channels())
	for range ranks {
		_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
			for _, h := range hops {
				if h.Channel >= 0 && s.Channel >= 0 {
					ranks[s.Channel] = min(100, max(ranks[s.Channel], ranks[h.Channel]+1))
				}
			}
			return nil
		})
	}
	return ranks
}

// TestListsOfAnotherKind: empty lists stand for none, and ranks together with measures are refused.
// Measures show nothing about deadlock, which involves packets for several destinations.
func TestListsOfAnotherKind(t *testing.T) {
	for _, s := range samples(t) {
		for _, c := range s.certs {
			d := clone(c)
			for _, l := range []*[]int32{&d.Rank, &d.Held, &d.Measure} {
				*l = append([]int32{}, *l...)
			}
			if err := proofs.Verify(t.Context(), s.n, d); err != nil {
				t.Errorf("%s, %s, empty lists: %v", s.name, c.Kind, err)
			}
			if d.Kind == proofs.Measure || d.Kind == proofs.Arrival {
				d.Rank = slices.Repeat([]int32{0}, s.n.Topology().Channels())
				if proofs.Verify(t.Context(), s.n, d) == nil {
					t.Errorf("%s, %s: both ranks and measures were accepted", s.name, c.Kind)
				}
				d.Rank, d.Property = nil, spec.DeadlockFreedom
				for _, d.Kind = range []proofs.Kind{proofs.Rank, proofs.Escape, proofs.ExtendedEscape} {
					if proofs.Verify(t.Context(), s.n, d) == nil {
						t.Errorf("%s, %s: measures were accepted for ranks of a certificate of kind %s", s.name, c.Kind, d.Kind)
					}
				}
			}
		}
	}
}

// TestFragmentOfTwoDestinations: a fragment that is right for the first destination, node 0 (a packet that ejects
// there), is wrong for another; and so is one after a fragment that is right.
func TestFragmentOfTwoDestinations(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddLink(spec.Link{From: 1, To: 0, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	p := spec.Parts{Name: "two destinations", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1,
		Rows:   [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}},
		Pieces: spec.Table{Sources: []spec.Source{{Node: 1, Row: 1}}, Channels: []spec.ChannelID{0, 1}, Rows: []spec.RowID{0, 0}},
		Ends:   [][2]int32{{0, 0}, {1, 1}, {1, 2}},
	}
	to := func(dest spec.NodeID, fragments ...int32) spec.Table {
		return spec.Table{Target: spec.Target{Dest: dest}, Fragments: fragments}
	}
	for _, c := range []struct {
		name, want string
		tables     []spec.Table
	}{
		{"to 0 alone", "", []spec.Table{to(0, 0)}},
		{"to 0, then to 2", "at 1->0 vc0 for 2, class 0, tag 0: a packet ejects at a node that is not its destination", []spec.Table{to(0, 0), to(2, 0)}},
		{"to 0, at 2 after it", "at 1->2 vc0 for 0, class 0, tag 0: a packet ejects at a node that is not its destination", []spec.Table{to(0, 0, 1)}},
	} {
		p.Tables = c.tables
		n, err := spec.NewNetwork(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := proofs.Verify(t.Context(), n, &proofs.Certificate{Network: n.Digest(), Property: spec.Delivery,
			Kind: proofs.Arrival, Rank: []int32{0, 0}}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
