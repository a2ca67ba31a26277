package proofs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestNumbersLeftOut: a certificate that leaves out what the network tells is accepted, in both forms and whether tables
// are stored in fragments or not, if and only if the one with these numbers written out is.
func TestNumbersLeftOut(t *testing.T) {
	for _, tt := range []struct {
		kind  proofs.Kind
		lists int // of ranks, for each network
	}{{proofs.ExtendedEscape, 8}, {proofs.Measure, 1}, {proofs.Arrival, 1}} {
		t.Run(tt.kind.String(), func(t *testing.T) {
			accepted, refused := 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				var def routing.Definition
				if tt.kind != proofs.ExtendedEscape && rapid.IntRange(0, 3).Draw(rt, "one site spoiled") > 0 {
					def = routing.Definition{Name: "spoiled", Topology: netgen.Topology(rt, netgen.TopologyOptions{Nodes: 5})}
					def.Routing = spoiled(rt, def.Topology)
				} else {
					def = netgen.Definition(rt, netgen.Options{
						Nodes: 4, Channels: 6, Tags: 3, Classes: 3, Sparse: true, Commits: true, Discards: true,
						MayFail: rapid.Bool().Draw(rt, "may fail"),
					})
				}
				n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
				if err != nil {
					rt.Fatal(err)
				}
				if n.SiteCount() == 0 {
					return
				}
				for range tt.lists {
					if leftOut(t.Context(), rt, n, tt.kind) {
						accepted++
					} else {
						refused++
					}
				}
			})
			if seedtest.Usual() && (accepted == 0 || refused == 0) {
				t.Errorf("%d certificates were accepted, %d refused", accepted, refused)
			}
		})
	}
}

// TestVerifyAll: of certificates checked together each is accepted or refused as it is alone, for the same reason.
func TestVerifyAll(t *testing.T) {
	accepted := map[[2]bool]int{} // measures, arrivals
	rapid.Check(t, func(rt *rapid.T) {
		def := routing.Definition{Name: "spoiled", Topology: netgen.Topology(rt, netgen.TopologyOptions{Nodes: 5})}
		def.Routing = spoiled(rt, def.Topology)
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Fragments: rapid.Int64Range(0, 1).Draw(rt, "fragments")})
		if err != nil {
			rt.Fatal(err)
		}
		if n.SiteCount() == 0 {
			return
		}
		var all []*proofs.Certificate
		for _, k := range []proofs.Kind{proofs.Measure, proofs.Arrival, proofs.Rank, proofs.Measure} {
			c := &proofs.Certificate{Network: n.Digest(), Switching: n.Switching(), Property: property(k), Kind: k}
			if k == proofs.Rank {
				c.Rank = longest(n)
			}
			all = append(all, c)
		}
		if wrong := rapid.IntRange(-4, 3).Draw(rt, "of another network"); wrong >= 0 {
			all[wrong].Network[0]++
		}
		got := proofs.VerifyAll(t.Context(), n, all)
		for i, c := range all {
			want := proofs.Verify(t.Context(), n, c)
			if (want == nil) != (got[i] == nil) || want != nil && want.Error() != got[i].Error() {
				rt.Fatalf("certificate %d, %s: together %v, alone %v", i, c.Kind, got[i], want)
			}
			if plain := proofs.VerifyPlain(t.Context(), n, c); (plain == nil) != (got[i] == nil) {
				rt.Fatalf("certificate %d, %s: together %v, plain %v", i, c.Kind, got[i], plain)
			}
		}
		accepted[[2]bool{got[0] == nil, got[1] == nil}]++
	})
	if seedtest.Usual() && len(accepted) < 4 {
		t.Errorf("certificates of measures and of arrivals are accepted as follows: %v, want each in both ways", accepted)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := samples(t)[0]
	for i, err := range proofs.VerifyAll(ctx, s.n, []*proofs.Certificate{nil, s.certs[0]}) {
		if err == nil {
			t.Errorf("certificate %d is accepted without a look", i)
		}
	}
}

// TestFalseWithoutNumbers: a certificate without numbers is refused where it says what is false, though one row that is
// wrong is right at another site or in another table. Traces that the checker replays show that it is false.
func TestFalseWithoutNumbers(t *testing.T) {
	for _, tt := range []struct {
		name, classes, links, rows, tables string
		kind                               proofs.Kind
		ranks                              []int32
		want                               spec.Verdict
	}{
		{
			// From 0 a packet for 1 goes to 1 or to 2, and is ejected where it is.
			name: "ejected by one row at two nodes", classes: `""`, links: "01 02 21", rows: `[-1,0],[0,0,1,0]`,
			tables: `{"dest":1,"class":0,"sources":[0,1],"sites":[0,0,0,1,0,0]}`,
			kind:   proofs.Arrival, want: spec.Violated,
		},
		{
			// From 1 a packet for 3 goes there, or by 2.
			name: "a way round", classes: `""`, links: "01 13 12 23", rows: `[-1,0],[0,0],[1,0,2,0],[3,0]`,
			tables: `{"dest":3,"class":0,"sources":[0,1],"sites":[0,0,2,1,0,0,2,0,3,3,0,0]}`,
			kind:   proofs.Arrival, want: spec.Holds,
		},
		{
			// Packets of class a leave the ring of channels 3, 4 and 5 after one of them. Those of class b go round.
			name: "one row in two classes", classes: `"a","b"`, links: "01 12 20 01 12 20 03 13 23",
			rows: `[-1,0],[0,0],[1,0],[2,0],[3,0],[4,0],[5,0],[6,0],[7,0],[8,0]`,
			tables: `{"dest":3,"class":0,"sources":[0,1,1,2,2,3],"sites":[0,0,5,1,0,6,2,0,4,3,0,8,4,0,9,5,0,7,6,0,0,7,0,0,8,0,0]},` +
				`{"dest":3,"class":1,"sources":[0,4,1,5,2,6],"sites":[3,0,5,4,0,6,5,0,4]}`,
			kind: proofs.ExtendedEscape, ranks: []int32{9, 9, 9, 5, 5, 5, 1, 1, 1}, want: spec.Violated,
		},
		{
			// In class b, a packet from 0 holds channels 0 and 1 and waits for 2, which one from 2 holds that waits for 0.
			name: "one channel under two tags", classes: `"a","b"`, links: "01 12 20 13 03",
			rows: `[-1,0],[0,0],[1,1],[1,1,3,0],[2,0],[2,1],[4,0]`,
			tables: `{"dest":3,"class":0,"sources":[1,2],"sites":[1,1,5,2,1,6,4,0,0]},` +
				`{"dest":3,"class":1,"sources":[0,1,2,4],"sites":[0,0,3,1,1,5,2,0,1,2,1,6,3,0,0,4,0,0]}`,
			kind: proofs.ExtendedEscape, ranks: []int32{1, 5, 3, 0, 0}, want: spec.Violated,
		},
	} {
		var links []string
		for _, l := range strings.Fields(tt.links) {
			links = append(links, fmt.Sprintf(`{"from":%c,"to":%c,"vcs":1,"out":"","in":"","dim":0}`, l[0], l[1]))
		}
		text := fmt.Sprintf(`{"format":"unknot-network-1","name":"n","switching":"wormhole","buffer":1,"tags":2,"selection":"",`+
			`"classes":[%s],"vcs":[],"nodes":[{"name":"0","at":[]},{"name":"1","at":[]},{"name":"2","at":[]},{"name":"3","at":[]}],`+
			`"links":[%s],"rows":[%s],"tables":[%s]}`, tt.classes, strings.Join(links, ","), tt.rows, tt.tables)
		n, err := spec.ReadClosed(t.Context(), "n.json", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{property(tt.kind).String()}})
		if err != nil || r.Findings[0].Verdict != tt.want {
			t.Fatalf("%s: the checker finds %v, want %s, error %v", tt.name, r.Findings, tt.want, err)
		}
		c := &proofs.Certificate{
			Network: n.Digest(), Switching: n.Switching(), Property: property(tt.kind), Kind: tt.kind, Rank: tt.ranks,
		}
		if ok := same(t.Context(), t, n, c); ok != (tt.want == spec.Holds) {
			t.Errorf("%s: accepted %t, but %s", tt.name, ok, tt.want)
		}
	}
}

// spoiled is the relation of all shortest ways, except in one channel for one destination: there packets are ejected, or
// take any link, instead or as well.
func spoiled(rt *rapid.T, topo *spec.Topology) routing.Relation {
	minimal := netgen.Minimal(topo, netgen.AnyVC)
	at := spec.ChannelID(rapid.IntRange(0, topo.Channels()-1).Draw(rt, "channel"))
	dest := spec.NodeID(rapid.IntRange(0, topo.Nodes()-1).Draw(rt, "destination"))
	instead := rapid.Bool().Draw(rt, "instead")
	wrong := spec.Hop{Channel: spec.Eject}
	if rapid.Bool().Draw(rt, "hop") {
		wrong.Channel = topo.Channel(rapid.SampledFrom(topo.OutLinks(topo.Head(at))).Draw(rt, "link"), 0)
	}
	return routing.Func(func(dst []spec.Hop, c spec.ChannelID, h spec.Header) []spec.Hop {
		strange := c == at && h.Dest == dest
		if !strange || !instead {
			dst, _ = minimal.AppendHops(dst, c, h) // which has no errors
		}
		if strange {
			dst = append(dst, wrong)
		}
		return dst
	})
}

// leftOut compares a certificate, with ranks that are drawn, to the one with all numbers, and reports whether it is
// accepted.
func leftOut(ctx context.Context, rt *rapid.T, n *spec.Network, kind proofs.Kind) bool {
	stored, err := routing.Compile(ctx, routing.FromNetwork(n), routing.CompileOptions{Fragments: 1})
	if err != nil {
		rt.Fatal(err)
	}
	c := &proofs.Certificate{Network: n.Digest(), Switching: n.Switching(), Property: property(kind), Kind: kind}
	written := *c
	if kind == proofs.ExtendedEscape {
		channels := n.Topology().Channels()
		c.Rank = rapid.SliceOfN(rapid.Int32Range(0, 5), channels, channels).Draw(rt, "ranks")
		if rapid.Bool().Draw(rt, "of the longest ways") { // which are right for most
			c.Rank = longest(n)
		}
		written.Rank, written.Held = c.Rank, mostHeld(n, c.Rank)
	} else {
		written.Measure = apart(n)
	}
	want := proofs.Verify(ctx, n, &written) == nil
	for _, n := range []*spec.Network{n, stored} {
		if got := same(ctx, rt, n, c); got != want {
			rt.Fatalf("%s, %d fragments: accepted %t, with the numbers %t", kind, n.Fragments(), got, want)
		}
	}
	if kind == proofs.ExtendedEscape { // no other numbers show more
		for i := range written.Held {
			written.Held[i] = max(0, written.Held[i]-rapid.Int32Range(-2, 2).Draw(rt, "less"))
		}
		if !want && proofs.Verify(ctx, n, &written) == nil {
			rt.Fatalf("ranks %v are refused, but accepted with %v", c.Rank, written.Held)
		}
	}
	return want
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
