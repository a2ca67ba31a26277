package routing_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// steady are sorts whose kinds stay the same. At some nodes answers depend on the destination, and say so.
type steady struct {
	sorts
	each spec.NodeID // how often; 0: never
}

func (s steady) Kinds() *routing.Kinds { return s.kinds[0] }

func (s steady) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	dst, _, err := s.AppendHopsLike(dst, at, h)
	return dst, err
}

func (s steady) AppendHopsLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, routing.Scope, error) {
	if v := s.t.Head(at); s.each > 0 && v%s.each == 0 {
		return s.hops(dst, v, uint64(h.Dest), uint64(h.Tag)), routing.Scope{}, nil
	}
	return s.sorts.AppendHopsLike(dst, at, h)
}

// TestTablesFollow: where targets side by side are of one kind, the tables are those of each question asked by itself,
// for all sources, whether or not packets arrive, and with cycles among the places.
func TestTablesFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { // samples, as of a range mostly the ends are drawn
		topo, nodes := spec.NewTopology(), rapid.SampledFrom([]int{4, 7, 12, 13, 20, 30}).Draw(t, "nodes")
		by := rapid.SampledFrom([]int{1, nodes - 1}).Draw(t, "ring")
		for v := range nodes {
			topo.AddNode("", v)
		}
		for v := range nodes {
			topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + by) % nodes), VCs: 2})
		}
		for range rapid.IntRange(0, 12).Draw(t, "more links") {
			from := rapid.IntRange(0, nodes-1).Draw(t, "from")
			topo.AddLink(spec.Link{From: spec.NodeID(from), To: spec.NodeID((from + rapid.IntRange(1, nodes-1).Draw(t, "by")) % nodes), VCs: 2})
		}
		d := drawnHops{topo, rapid.IntRange(1, 2).Draw(t, "tags"), rapid.Uint64Range(1<<40, 1<<62).Draw(t, "seed")}
		def := routing.Definition{Topology: topo, Tags: d.tags, Classes: []string{"x", "y"}[:rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "classes")]}
		if rare := rapid.SampledFrom([]uint64{0, 1, 3, 4, 6, 8}).Draw(t, "rare flows"); rare > 0 {
			def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool {
				return (d.seed^uint64(src)<<8^uint64(dst))*0x9e3779b97f4a7c15>>32%(rare+1) > 0 == (rare < 4)
			}
		}
		sorted := steady{sortsOf(d, spec.NodeID(rapid.IntRange(2, 12).Draw(t, "length")), len(def.Classes)),
			spec.NodeID(rapid.SampledFrom([]int{0, 0, 0, 3, 7}).Draw(t, "told one by one"))}
		for i, r := range []routing.Relation{sorted, routing.Deliver(topo, sorted)} {
			var digests []spec.Digest
			for _, def.Routing = range []routing.Relation{r, plain{r}} {
				n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1, Fragments: int64(i)})
				if err != nil {
					t.Fatal(err)
				}
				digests = append(digests, n.Digest())
			}
			if digests[0] != digests[1] {
				t.Fatalf("relation %d: digest %s, of each site %s", i, digests[0], digests[1])
			}
		}
	})
}
