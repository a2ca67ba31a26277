package windows

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

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
