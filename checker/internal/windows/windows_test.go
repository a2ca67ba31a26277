package windows

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// TestBudget: node a may have two requests to b outstanding. A request takes one of them, and so does a reply, as it is sent because
// of one, until the budget is renewed. Requests of b are not counted; in a network without windows none are.
func TestBudget(t *testing.T) {
	topo := spec.NewTopology()
	a, b := topo.AddNode("a"), topo.AddNode("b")
	topo.AddPair(a, b, 1)
	const requests, replies = 0, 1
	site := func(from, to spec.NodeID, class spec.Class) spec.Site {
		return spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to, Class: class}}
	}
	request, reply, other := site(a, b, requests), site(b, a, replies), site(b, a, requests)
	p := spec.Parts{Topology: topo, Classes: []string{"requests", "replies"}, Tags: 1, Buffer: 1,
		Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}},
		Tables: []spec.Table{
			{Target: other.Header.Target(), Sources: []spec.Source{{Node: b, Row: 2}}, Channels: []spec.ChannelID{1}, Rows: []spec.RowID{0}},
			{Target: reply.Header.Target(), Sources: []spec.Source{{Node: b, Row: 2}}, Channels: []spec.ChannelID{1}, Rows: []spec.RowID{0}},
			{Target: request.Header.Target(), Sources: []spec.Source{{Node: a, Row: 1}}, Channels: []spec.ChannelID{0}, Rows: []spec.RowID{0}},
		}}
	plain, err := spec.NewNetwork(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Windows = []int{2}
	p.Exchanges = []spec.Exchange{{At: reply, Answers: 0, Asks: -1, Window: -1}, {At: request, Answers: -1, Asks: 0, Window: 0}}
	n, err := spec.NewNetwork(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	const many = 1 << 20
	whole, none := NewBudget(n), NewBudget(plain)
	affords := func(when string, b *Budget, most int) {
		t.Helper()
		for _, at := range []spec.Site{request, reply} {
			if !b.Affords(at, most) || most < many && b.Affords(at, most+1) {
				t.Errorf("%s: %d packets of %v: %t, %d: %t, want the first alone", when, most, at, b.Affords(at, most), most+1, b.Affords(at, most+1))
			}
		}
		if !b.Affords(other, many) {
			t.Errorf("%s: requests of b are counted", when)
		}
	}
	affords("at first", whole, 2)
	whole.Spend(request, 1)
	whole.Spend(other, 9)
	affords("after a request", whole, 1)
	whole.Spend(reply, 1)
	affords("after a reply, too", whole, 0)
	whole.Renew()
	affords("renewed", whole, 2)
	none.Spend(request, 9)
	affords("without windows", none, many)
	none.Renew()
	affords("without windows, renewed", none, many)
}

// TestShortest: the moves lead from the source, each from where the one before ends, out at the destination, and there
// are no fewer: a search by levels of sites counts them. There are none if no way leads out there.
func TestShortest(t *testing.T) {
	met := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, MayFail: true, Sparse: true}, spec.StoreAndForward)
		for i := range n.Tables() {
			table := n.Table(i)
			for _, s := range table.Sources {
				source := spec.Site{Channel: spec.Injection(s.Node), Header: spec.Header{Dest: table.Dest, Class: table.Class}}
				moves := shortest(n, source)
				// By levels: the sites that so many moves lead to, and whether one leads out.
				level, seen, least := []spec.Site{source}, map[spec.Site]bool{source: true}, 0
				for k := 1; len(level) > 0 && least == 0; k++ {
					var next []spec.Site
					for _, at := range level {
						hops, _ := n.Hops(at)
						for _, h := range hops {
							if h.Channel == spec.Eject {
								if n.Topology().Head(at.Channel) == table.Dest {
									least = k
								}
								continue
							}
							to := spec.Site{Channel: h.Channel, Header: spec.Header{Dest: table.Dest, Class: table.Class, Tag: h.Tag}}
							if !seen[to] {
								seen[to], next = true, append(next, to)
							}
						}
					}
					level = next
				}
				if met[least > 0]++; len(moves) != least {
					rt.Fatalf("%v: %d moves, want %d: %v", source, len(moves), least, moves)
				}
				at := source
				for _, m := range moves {
					if m.From != at.Channel || m.Header != at.Header {
						rt.Fatalf("%v: %v does not go on from %v", source, m, at)
					}
					at.Channel, at.Header.Tag = m.Hop.Channel, m.Hop.Tag
				}
			}
		}
	})
	if seedtest.Usual() && (met[true] == 0 || met[false] == 0) {
		t.Errorf("ways that exist or not: %v, want both", met)
	}
}
