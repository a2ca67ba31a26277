package proofs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// same checks a certificate in both forms, and reports whether it is accepted. Where tables are stored in
// fragments the fast form may name another site that is wrong.
func same(ctx context.Context, t rapid.TB, n *spec.Network, c *proofs.Certificate) bool {
	fast, plain := proofs.Verify(ctx, n, c), proofs.VerifyPlain(ctx, n, c)
	if (fast == nil) != (plain == nil) || fast != nil && n.Fragments() == 0 && fast.Error() != plain.Error() {
		t.Fatalf("%s of %s, %d fragments: %v, plain %v", c.Kind, n.Name(), n.Fragments(), fast, plain)
	}
	return fast == nil
}

// TestPlainSamples: certificates of the checker, and all that differ from one in a few numbers.
func TestPlainSamples(t *testing.T) {
	accepted, refused := map[proofs.Kind]int{}, map[proofs.Kind]int{}
	random := rand.New(rand.NewPCG(1, 2))
	for _, s := range samples(t) {
		for _, c := range s.certs {
			if !same(t.Context(), t, s.n, c) {
				t.Errorf("%s, %s: refused", s.name, c.Kind)
			}
			for range 200 {
				d := clone(c)
				for range 1 + random.IntN(3) {
					for _, l := range [][]int32{d.Rank, d.Held, d.Measure} {
						if len(l) > 0 {
							l[random.IntN(len(l))] += int32(random.IntN(5) - 2)
						}
					}
				}
				if same(t.Context(), t, s.n, d) {
					accepted[c.Kind]++
				} else {
					refused[c.Kind]++
				}
			}
		}
	}
	for _, k := range []proofs.Kind{proofs.Rank, proofs.Escape, proofs.ExtendedEscape, proofs.Measure, proofs.Arrival} {
		if accepted[k] == 0 || refused[k] == 0 {
			t.Errorf("%s: %d changed certificates were accepted, %d refused", k, accepted[k], refused[k])
		}
	}
}

// TestPlainDrawn: drawn networks, some with dead ends and wrong destinations, whether their tables are stored in
// fragments or not, and drawn numbers.
func TestPlainDrawn(t *testing.T) {
	accepted, refused := map[proofs.Kind]int{}, map[proofs.Kind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		switching := rapid.SampledFrom([]spec.Switching{spec.Wormhole, spec.StoreAndForward}).Draw(rt, "switching")
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 8, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Discards: true}, switching)
		stored, err := routing.Compile(t.Context(), routing.FromNetwork(n), routing.CompileOptions{Fragments: 1})
		if err != nil {
			rt.Fatal(err)
		}
		kind := rapid.SampledFrom([]proofs.Kind{proofs.Rank, proofs.Escape, proofs.ExtendedEscape, proofs.Measure, proofs.Arrival}).Draw(rt, "kind")
		c := &proofs.Certificate{Network: n.Digest(), Switching: n.Switching(), Property: property(kind), Kind: kind}
		numbers := func(count int) []int32 {
			return rapid.SliceOfN(rapid.Int32Range(0, 5), count, count).Draw(rt, "numbers")
		}
		bySite := kind == proofs.ExtendedEscape || (kind == proofs.Measure || kind == proofs.Arrival) && rapid.Bool().Draw(rt, "by site")
		switch {
		case !bySite || kind == proofs.ExtendedEscape:
			if c.Rank = numbers(n.Topology().Channels()); rapid.Bool().Draw(rt, "of the longest ways") {
				c.Rank = longest(n)
			}
		default:
			c.Measure = numbers(n.SiteCount())
		}
		if kind == proofs.ExtendedEscape {
			if c.Held = numbers(n.SiteCount()); rapid.Bool().Draw(rt, "least") {
				c.Held = held(n, c.Rank)
			}
		}
		for _, n := range []*spec.Network{n, stored} {
			if err := proofs.CheckTables(t.Context(), n); err != nil {
				rt.Fatal(err)
			}
			if same(t.Context(), rt, n, c) {
				accepted[kind]++
			} else {
				refused[kind]++
			}
		}
	})
	for _, k := range []proofs.Kind{proofs.Rank, proofs.Escape, proofs.ExtendedEscape, proofs.Measure, proofs.Arrival} {
		if seedtest.Usual() && (accepted[k] == 0 || refused[k] == 0) {
			t.Errorf("%s: %d were accepted, %d refused", k, accepted[k], refused[k])
		}
	}
}

func property(k proofs.Kind) spec.Property {
	switch k {
	case proofs.Measure:
		return spec.LivelockFreedom
	case proofs.Arrival:
		return spec.Delivery
	}
	return spec.DeadlockFreedom
}

// held returns the ranks of the sites' channels, lowered until no hop raises them: the greatest numbers that may be held.
func held(n *spec.Network, ranks []int32) []int32 {
	out := make([]int32, n.SiteCount())
	for i := range n.Tables() {
		t := n.Table(i)
		for s, c := range t.Channels {
			out[t.First+s] = ranks[c]
		}
		for range t.Len() {
			for s, r := range t.Rows {
				for _, h := range n.Row(r) {
					if to, ok := t.Find(h.Channel, h.Tag); ok {
						out[t.First+to] = min(out[t.First+to], out[t.First+s])
					}
				}
			}
		}
	}
	return out
}

// TestPlainTables: a network whose tables were changed after spec.NewNetwork has checked them. In a line of three nodes
// 0 -> 1 -> 2 the table for node 2 has the sites 0 and 1, and the rows are eject, into channel 0, into channel 1.
func TestPlainTables(t *testing.T) {
	const line = `{"format":"unknot-network-1","name":"line","switching":"wormhole","buffer":1,"tags":1,"selection":"",
"classes":[""],"vcs":[],"nodes":[{"name":"0","at":[]},{"name":"1","at":[]},{"name":"2","at":[]}],
"links":[{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},{"from":1,"to":2,"vcs":1,"out":"","in":"","dim":0}],
"rows":[[-1,0],[0,0],[1,0]],
"tables":[{"dest":2,"class":0,"sources":[0,1],"sites":[0,0,2,1,0,0]}]}`
	for _, tt := range []struct {
		name   string
		change func(*spec.Table)
		want   string // "" accepts
	}{
		{"as it was", func(*spec.Table) {}, ""},
		{"a source's hop that leaves another node", func(t *spec.Table) { t.Sources[0].Row = 2 }, "at inject 0 for 2"},
		{"a hop into its own channel", func(t *spec.Table) { t.Rows[0] = 1 }, "at 0->1 vc0 for 2"},
		{"a hop that leaves another node", func(t *spec.Table) { t.Rows[1] = 1 }, "at 1->2 vc0 for 2"},
		{"a site twice", func(t *spec.Table) { t.Channels[1] = 0 }, "lists a site twice"},
		{"a hop to no site", func(t *spec.Table) { t.Channels, t.Rows = t.Channels[:1], t.Rows[:1] }, "at 0->1 vc0 for 2"},
	} {
		n, err := spec.ReadClosed(t.Context(), "line.json", []byte(line))
		if err != nil {
			t.Fatal(err)
		}
		tt.change(n.Stored(0))
		if err := proofs.CheckTables(t.Context(), n); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestPlainLine: what only one condition of the check tells, on a line of three nodes 0 -> 1 -> 2 where node 0 sends to
// node 2. The rows are what a packet may do that has come to node 2, and into channel 0, and into channel 1.
func TestPlainLine(t *testing.T) {
	const line = `{"format":"unknot-network-1","name":"line","switching":"wormhole","buffer":1,"tags":1,"selection":"",
"classes":[""],"vcs":[],"nodes":[{"name":"0","at":[]},{"name":"1","at":[]},{"name":"2","at":[]}],
"links":[{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},{"from":1,"to":2,"vcs":1,"out":"","in":"","dim":0}],
"rows":[%s,[0,0],[1,0]],
"tables":[{"dest":2,"class":0,"sources":[0,1],"sites":[0,0,%d,1,0,0]}]}`
	for _, tt := range []struct {
		name string
		last string // the first row
		row  int    // of a packet at node 1
		c    proofs.Certificate
		want string // "" accepts
	}{
		{"an extended escape", "[-1,0]", 2, proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: []int32{5, 3}, Held: []int32{5, 3}}, ""},
		{"more is held than the rank of the second channel, though no more than before", "[-1,0]", 2,
			proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: []int32{5, 3}, Held: []int32{5, 4}}, "more is held after a hop"},
		{"a packet that is lost at its destination waits for nothing", "[]", 2,
			proofs.Certificate{Kind: proofs.ExtendedEscape, Rank: []int32{5, 3}, Held: []int32{5, 3}}, ""},
		{"it arrives", "[-1,0]", 2, proofs.Certificate{Kind: proofs.Arrival, Rank: []int32{1, 0}}, ""},
		{"it ejects at node 1", "[-1,0]", 0, proofs.Certificate{Kind: proofs.Arrival, Rank: []int32{1, 0}}, "ejects at a node that is not its destination"},
	} {
		n, err := spec.ReadClosed(t.Context(), "line.json", fmt.Appendf(nil, line, tt.last, tt.row))
		if err != nil {
			t.Fatal(err)
		}
		c := tt.c
		c.Network, c.Switching, c.Property = n.Digest(), n.Switching(), property(c.Kind)
		same(t.Context(), t, n, &c)
		if err := proofs.VerifyPlain(t.Context(), n, &c); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestPlainEnds: both checks end with their context, however often it is looked at before.
func TestPlainEnds(t *testing.T) {
	s := samples(t)[0]
	for after := range 3 {
		if err := proofs.VerifyPlain(contexttest.New(t.Context(), after), s.n, s.certs[0]); err == nil {
			t.Errorf("VerifyPlain goes on after %d looks", after)
		}
		if err := proofs.CheckTables(contexttest.New(t.Context(), after), s.n); err == nil {
			t.Errorf("CheckTables goes on after %d looks", after)
		}
	}
}
