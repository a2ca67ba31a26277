package repair_test

import (
	"maps"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// flows returns the turns of each flow, as bits of plain's numbers, and whether all arrive.
func (p *plain) flows() (turns []uint64, arrive bool) {
	leads := make([]bool, len(p.sites))
	for range p.sites {
		for k, s := range p.sites {
			for _, h := range s.hops {
				leads[k] = leads[k] || h.to < 0 || leads[h.to]
			}
		}
	}
	arrive = true
	for _, hops := range p.sources {
		seen, mine, goes := map[int]bool{}, uint64(0), false
		var walk func(hops []plainHop)
		walk = func(hops []plainHop) {
			for _, h := range hops {
				if h.to < 0 || !leads[h.to] {
					continue
				}
				goes = true
				if h.key >= 0 {
					mine |= 1 << h.key
				}
				if !seen[h.to] {
					seen[h.to] = true
					walk(p.sites[h.to].hops)
				}
			}
		}
		walk(hops)
		turns, arrive = append(turns, mine), arrive && goes
	}
	return turns, arrive
}

// ends returns the channels of each turn.
func (p *plain) ends() [][2]spec.ChannelID {
	out := make([][2]spec.ChannelID, len(p.keys))
	for _, s := range p.sites {
		for _, h := range s.hops {
			if h.key >= 0 {
				out[h.key] = [2]spec.ChannelID{s.channel, p.sites[h.to].channel}
			}
		}
	}
	return out
}

func cycleFree(ends [][2]spec.ChannelID, set uint64) bool {
	some := map[[2]spec.ChannelID]bool{}
	for k, e := range ends {
		if set>>k&1 == 1 {
			some[e] = true
		}
	}
	return acyclic(some)
}

// layerings returns all assignments of the flows to copies without a cycle on any copy: the turns
// on each copy.
func (p *plain) layerings(copies int) (out [][]uint64) {
	flows, arrive := p.flows()
	ends := p.ends()
	on := make([]uint64, copies)
	var assign func(f int)
	assign = func(f int) {
		if f == len(flows) {
			out = append(out, slices.Clone(on))
			return
		}
		for c := range on {
			before := on[c]
			if on[c] |= flows[f]; cycleFree(ends, on[c]) {
				assign(f + 1)
			}
			on[c] = before
		}
	}
	if arrive {
		assign(0)
	}
	return out
}

// long reports whether some path has more hops than that, or never ends.
func (p *plain) long(hops int) bool {
	leads := make([]bool, len(p.sites))
	for range p.sites {
		for k, s := range p.sites {
			for _, h := range s.hops {
				leads[k] = leads[k] || h.to < 0 || leads[h.to]
			}
		}
	}
	var from func(all []plainHop, left int) bool
	from = func(all []plainHop, left int) bool {
		return slices.ContainsFunc(all, func(h plainHop) bool {
			return h.to >= 0 && leads[h.to] && (left == 0 || from(p.sites[h.to].hops, left-1))
		})
	}
	return slices.ContainsFunc(p.sources, func(all []plainHop) bool { return from(all, hops) })
}

// datelines returns the sets of turns that cut all cycles and that packets, which return to the first copy where
// no cycle leads on, cross so rarely that the copies suffice.
func (p *plain) datelines(copies int) (sets []uint64) {
	leads, on, live, ends := make([]bool, len(p.sites)), make([]bool, len(p.sites)), uint64(0), p.ends()
	for range p.sites {
		for k, s := range p.sites {
			for _, h := range s.hops {
				leads[k] = leads[k] || h.to < 0 || leads[h.to]
			}
		}
	}
	var enter []int
	for _, hops := range p.sources {
		for _, h := range hops {
			if h.to >= 0 && leads[h.to] {
				enter, on[h.to] = append(enter, h.to), true
			}
		}
	}
	for range p.sites {
		for k, s := range p.sites {
			for _, h := range s.hops {
				if on[k] && h.to >= 0 && leads[h.to] {
					on[h.to], live = true, live|1<<h.key
				}
			}
		}
	}
	after := map[[2]spec.ChannelID]bool{} // from the first channel turns lead to the second one
	for range ends {
		for k, e := range ends {
			if live>>k&1 == 1 {
				after[e] = true
				for a := range after {
					if a[0] == e[1] {
						after[[2]spec.ChannelID{e[0], a[1]}] = true
					}
				}
			}
		}
	}
	for set := range uint64(1) << len(p.keys) {
		enough, seen := cycleFree(ends, live&^set), map[[2]int]bool{}
		var walk func(k, copy int)
		walk = func(k, copy int) {
			if enough = enough && copy < copies; !enough || seen[[2]int{k, copy}] {
				return
			}
			seen[[2]int{k, copy}] = true
			for _, h := range p.sites[k].hops {
				switch {
				case h.to < 0 || !leads[h.to]:
				case !after[[2]spec.ChannelID{ends[h.key][1], ends[h.key][0]}]:
					walk(h.to, 0)
				default:
					walk(h.to, copy+int(set>>h.key&1))
				}
			}
		}
		for _, k := range enter {
			walk(k, 0)
		}
		if enough {
			sets = append(sets, set)
		}
	}
	return sets
}

// TestLeastOfDatelines: of the turns that a path takes, some of them twice, at least as many as counted are outside
// every set for which the copies suffice.
func TestLeastOfDatelines(t *testing.T) {
	met := map[int32]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := spiral(rt)
		p := smallCase(n)
		if p == nil {
			return
		}
		copies := rapid.IntRange(1, 3).Draw(rt, "copies")
		g, err := repairs.New(t.Context(), n, "dateline", copies)
		if err != nil {
			rt.Fatal(err)
		}
		sets := p.datelines(copies)
		for range 20 {
			var list []int32
			at := rapid.IntRange(0, len(p.sites)-1).Draw(rt, "from")
			for range 8 {
				hops := slices.DeleteFunc(slices.Clone(p.sites[at].hops), func(h plainHop) bool { return h.to < 0 })
				if len(hops) == 0 {
					break
				}
				h := rapid.SampledFrom(hops).Draw(rt, "hop")
				if at = h.to; rapid.IntRange(0, 4).Draw(rt, "left out") > 0 {
					list = append(list, int32(2*h.key+1))
				}
			}
			if rapid.IntRange(0, 3).Draw(rt, "wrong") == 0 && len(list) > 0 {
				list[rapid.IntRange(0, len(list)-1).Draw(rt, "place")] = rapid.Int32Range(0, int32(2*g.Variables-1)).Draw(rt, "literal")
			}
			least := g.LeastTrue(list)
			if holds, _ := g.Meets(list); !holds {
				continue
			}
			met[int32(least)]++
			for _, set := range sets {
				not := 0
				for _, l := range list {
					if set>>(l/2)&1 != uint64(1-l%2) {
						continue
					}
					not++
				}
				if not < least {
					rt.Fatalf("%d copies: of %v at least %d are true, and %d are of %b", copies, list, least, not, set)
				}
			}
		}
	})
	if t.Log(met); seedtest.Usual() && (met[1] == 0 || met[2] == 0 || met[3] == 0) {
		t.Error("want all")
	}
}

// smallCase returns nil if brute force would take long.
func smallCase(n *spec.Network) *plain {
	p := plainOf(n, repair.Turns)
	if p == nil || n.FlowCount() == 0 || n.FlowCount() > 7 || len(p.keys) > 9 {
		return nil
	}
	return p
}

// orderTurns lists the turns on first VCs, as package repairs numbers them.
func orderTurns(n *spec.Network) (out [][2]spec.ChannelID) {
	t := n.Topology()
	for a := range spec.LinkID(t.Links()) {
		for _, b := range t.OutLinks(t.Link(a).To) {
			if t.Link(b).To != t.Link(a).From {
				out = append(out, [2]spec.ChannelID{t.Channel(a, 0), t.Channel(b, 0)})
			}
		}
	}
	return out
}

// orders returns the sets of forbidden turns that leave no cycle, and a path for each
// flow.
func orders(n *spec.Network) (out []uint64) {
	turns := orderTurns(n)
	for set := range uint64(1) << len(turns) {
		left := map[[2]spec.ChannelID]bool{}
		for k, e := range turns {
			if set>>k&1 == 0 {
				left[e] = true
			}
		}
		if acyclic(left) && connected(n, left) {
			out = append(out, set)
		}
	}
	return out
}

// TestConditionsOfCopies: every repair satisfies a clause that is accepted as a condition of layers, of
// an order or of a hop index; for an order, the clause against a set that is not a repair is accepted.
func TestConditionsOfCopies(t *testing.T) {
	met := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawn(rt)
		p := smallCase(n)
		if p == nil {
			return
		}
		build := func(scheme string, copies int) *repairs.Graph {
			g, err := repairs.New(t.Context(), n, scheme, copies)
			if err != nil {
				rt.Fatal(err)
			}
			return g
		}
		for copies := 1; copies < 6; copies++ {
			if got, want := meets(build("hop-index", copies), nil), p.long(copies); got != want {
				rt.Fatalf("hop-index: no repair with %d copies %v, want %v", copies, got, want)
			}
		}
		copies := rapid.IntRange(1, 3).Draw(rt, "copies")
		g, all, flows := build("layers", copies), p.layerings(copies), n.FlowCount()
		if g.Variables != (len(p.keys)+flows)*copies {
			rt.Fatal(g.Variables, "variables")
		}
		for range 30 {
			clause := rapid.SliceOfN(rapid.Int32Range(0, int32(2*g.Variables-1)), 0, 6).Draw(rt, "clause")
			if c := rapid.IntRange(0, copies).Draw(rt, "copy"); c < copies { // of turns on one copy
				clause = nil
				for u := range len(p.keys) {
					if rapid.Bool().Draw(rt, "turn") {
						clause = append(clause, int32(2*(u*copies+c)+1))
					}
				}
			}
			if slices.ContainsFunc(clause, func(l int32) bool { return int(l) >= 2*len(p.keys)*copies }) || !meets(g, clause) {
				continue
			}
			met["layers"]++
			for _, on := range all {
				if !slices.ContainsFunc(clause, func(l int32) bool {
					return l%2 == 1 && on[int(l/2)%copies]>>(int(l/2)/copies)&1 == 0
				}) {
					rt.Fatalf("layers: %v is accepted, and turns on %b do not meet it", clause, on)
				}
			}
		}
		of, _ := p.flows()
		for i, f := range rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for f := range of {
				if !yield(f) {
					return
				}
			}
		})).Draw(rt, "order") {
			want := map[[2]int32]bool{} // the turns of its paths are on its copy
			var some []int32
			for c := range copies {
				some = append(some, int32(2*((len(p.keys)+f)*copies+c)))
				for u := range len(p.keys) {
					if of[f]>>u&1 == 1 {
						want[[2]int32{some[c] + 1, int32(2 * (u*copies + c))}] = true
					}
				}
			}
			few := rapid.IntRange(1, copies).Draw(rt, "few")
			holds, clauses := g.Meets(some[:few])
			if wide := few > i || few == copies; holds != wide {
				rt.Fatalf("layers: flow %d, number %d placed, is on %d copies: %v, want %v", f, i, few, holds, wide)
			}
			if !holds {
				_, clauses = g.Meets(some)
			}
			got := map[[2]int32]bool{}
			for _, c := range clauses {
				got[[2]int32{c[0], c[1]}] = true
			}
			if !maps.Equal(got, want) || meets(g, some) {
				rt.Fatalf("layers: flow %d: %v, want %v, once", f, got, want)
			}
		}
		turns := orderTurns(n)
		if len(turns) > 9 {
			return
		}
		g, repairs := build("order", 0), orders(n)
		if g.Variables > len(turns) {
			rt.Fatal(g.Variables, "turns, want", len(turns))
		}
		for set := range uint64(1) << len(turns) {
			var clause []int32
			var keep, gone uint64
			for v := range int32(g.Variables) {
				if rapid.IntRange(0, 2).Draw(rt, "left out") > 0 {
					clause = append(clause, 2*v+int32(set>>v&1))
					keep, gone = keep|(^set&(1<<v)), gone|set&(1<<v)
				}
			}
			if !meets(g, clause) {
				if bits.OnesCount64(keep|gone) == len(turns) && !slices.Contains(repairs, set) {
					rt.Fatalf("order: %v is not accepted, and %b is not a repair", clause, set)
				}
				continue
			}
			met["order"]++
			for _, r := range repairs {
				if r&keep == 0 && gone&^r == 0 {
					rt.Fatalf("order: %v is accepted, and the repair %b does not meet it", clause, r)
				}
			}
		}
	})
	if t.Log(met); seedtest.Usual() && (met["layers"] == 0 || met["order"] == 0) {
		t.Error("want both")
	}
}

// isTrue decides by brute force what an unsatisfiability proof says about repairs.
func isTrue(n *spec.Network, p *plain, b unsat.Bound) bool {
	fewest := func(sets []uint64) bool {
		return !slices.ContainsFunc(sets, func(s uint64) bool { return b.Most == 0 || bits.OnesCount64(s) <= b.Most })
	}
	switch b.Of {
	case unsat.Layers:
		return len(p.layerings(b.Most)) == 0
	case unsat.HopIndex:
		return p.long(b.Most)
	case unsat.Dateline:
		return len(p.datelines(b.Most)) == 0
	case unsat.Order:
		return fewest(orders(n))
	}
	of := repair.Turns
	if b.Of == unsat.Hops {
		of = repair.Hops
	}
	q, free := plainOf(n, of), []uint64(nil)
	for set := range uint64(1) << len(q.keys) {
		if q.free(set) {
			free = append(free, set)
		}
	}
	return fewest(free)
}

// TestProofsChanged: an unsatisfiability proof of cheaper repairs is true by brute force, and so is one that
// is accepted after a change of its bound or of a step.
func TestProofsChanged(t *testing.T) {
	accepted, refused, of := 0, 0, map[string]int{}
	seedtest.Sample(t, 25)
	rapid.Check(t, func(rt *rapid.T) {
		n, schemes := drawn(rt), []repair.Scheme{repair.Turns, repair.Hops, repair.Order, repair.Layers, repair.HopIndex, repair.Dateline}
		switch rapid.SampledFrom([]string{"drawn", "ring", "spiral"}).Draw(rt, "network") {
		case "ring": // drawn networks rarely need a second layer
			n, schemes = someFlows(rt), []repair.Scheme{repair.Layers}
		case "spiral": // or a third copy
			n, schemes = spiral(rt), []repair.Scheme{repair.Dateline}
		}
		p := smallCase(n)
		fewHops := p != nil && len(plainOf(n, repair.Hops).keys) <= 11
		if p == nil || len(orderTurns(n)) > 9 || len(schemes) > 1 && !fewHops {
			return
		}
		r, err := repair.Propose(rt.Context(), n, repair.Options{Workers: 1, Schemes: schemes})
		if err != nil {
			rt.Fatal(err)
		}
		known := map[unsat.Bound]bool{}
		for _, proposal := range r.Proposals {
			if proposal.Least == nil {
				continue
			}
			of[string(proposal.Scheme)]++
			if steps := proposal.Least.Steps; proposal.Scheme == repair.Dateline && steps[len(steps)-1].Sum != nil {
				of["sums of ways"]++
			}
			for k := range 12 {
				changed := *proposal.Least.Proof
				changed.Steps = slices.Clone(changed.Steps)
				if k > 0 {
					alter(rt, &changed)
				}
				if changed.Bound.Of == unsat.Hops && !fewHops {
					continue
				}
				if err := unsat.Verify(rt.Context(), n, &changed); err != nil {
					if k == 0 {
						rt.Fatal(err)
					}
					refused++
					continue
				}
				accepted++
				if _, done := known[changed.Bound]; !done {
					known[changed.Bound] = isTrue(n, p, changed.Bound)
				}
				if !known[changed.Bound] {
					rt.Fatalf("%s is accepted, and false; steps %v", changed.Bound.Property(), changed.Steps)
				}
			}
		}
	})
	if t.Log(accepted, "accepted,", refused, "refused", of); seedtest.Usual() &&
		(accepted == 0 || refused == 0 || len(of) < 4 || of["layers"] == 0 || of["sums of ways"] == 0) {
		t.Error("want both, of most schemes, layers among them, and sums of dateline")
	}
}

// someFlows draws a one-way ring of 5 or 6 nodes with up to 7 flows, most of them all the way round but one hop.
// The flows of all nodes need 3 layers, as any three of them close the cycle.
func someFlows(rt *rapid.T) *spec.Network {
	size := rapid.SampledFrom([]int32{5, 6}).Draw(rt, "nodes")
	topo := spec.NewTopology()
	for range size {
		topo.AddNode("")
	}
	flows := map[[2]spec.NodeID]bool{}
	for i := range size {
		topo.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID((i + 1) % size), VCs: 1})
		if far := rapid.SampledFrom([]int32{0, size - 2, size - 1, size - 1, size - 1, size - 1, size - 1}).Draw(rt, "hops"); far > 0 {
			flows[[2]spec.NodeID{spec.NodeID(i), spec.NodeID((i + far) % size)}] = true
		}
	}
	if rapid.Bool().Draw(rt, "short") {
		flows[[2]spec.NodeID{0, 2}] = true
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
	})
	return compile(rt, routing.Definition{Name: "ring", Topology: topo, Switching: spec.VirtualCutThrough, Routing: routing.Deliver(topo, next),
		Flows: func(from, to spec.NodeID, _ spec.Class) bool { return flows[[2]spec.NodeID{from, to}] }})
}

// spiral draws a one-way ring of 3 or 4 nodes, some with an additional link to the next node but one. Packets go
// round once or twice before they arrive, by any link that does not pass node 0 too often.
func spiral(rt *rapid.T) *spec.Network {
	topo, size := spec.NewTopology(), spec.NodeID(rapid.IntRange(3, 4).Draw(rt, "nodes"))
	for range size {
		topo.AddNode("")
	}
	for i := range size {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % size, VCs: 1})
		if rapid.IntRange(0, 2).Draw(rt, "link") == 0 {
			topo.AddLink(spec.Link{From: i, To: (i + 2) % size, VCs: 1})
		}
	}
	rounds := spec.Tag(rapid.IntRange(1, 2).Draw(rt, "rounds"))
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := topo.Head(at)
		if v == h.Dest && h.Tag == rounds {
			return append(dst, spec.Hop{Channel: spec.Eject})
		}
		for _, l := range topo.OutLinks(v) {
			tag := h.Tag
			if topo.Link(l).To < v {
				tag++
			}
			if tag <= rounds {
				dst = append(dst, spec.Hop{Channel: topo.Channel(l, 0), Tag: tag})
			}
		}
		return dst
	})
	from, to := rapid.SliceOfN(rapid.Bool(), 4, 4).Draw(rt, "from"), spec.NodeID(rapid.IntRange(0, 1).Draw(rt, "to"))
	return compile(rt, routing.Definition{Name: "spiral", Topology: topo, Tags: 3, Routing: next,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return from[src] && dst == to && src != dst }})
}

// alter changes an unsatisfiability proof in one place.
func alter(rt *rapid.T, r *unsat.Proof) {
	at := rapid.IntRange(0, len(r.Steps)-1).Draw(rt, "step")
	step := &r.Steps[at]
	lists := []*[]int32{&step.List}
	step.Sum = slices.Clone(step.Sum)
	for k := range step.Sum {
		lists = append(lists, &step.Sum[k])
	}
	list := lists[rapid.IntRange(0, len(lists)-1).Draw(rt, "list")]
	*list = slices.Clone(*list)
	switch rapid.SampledFrom([]string{"most", "scheme", "drop", "kind", "repeat", "literal", "literal"}).Draw(rt, "change") {
	case "most":
		r.Bound.Most = max(0, r.Bound.Most+rapid.SampledFrom([]int{-1, 1, 1, 2}).Draw(rt, "more"))
		r.Bound.Most = min(r.Bound.Most, 5)
	case "scheme":
		r.Bound.Of = rapid.SampledFrom([]unsat.Unit{unsat.Turns, unsat.Hops, unsat.Order, unsat.Layers, unsat.HopIndex, unsat.Dateline}).Draw(rt, "scheme")
	case "drop":
		r.Steps = slices.Delete(r.Steps, at, at+1)
	case "kind":
		step.Clause, step.Condition = !step.Clause, !step.Condition
	case "repeat":
		if len(step.Sum) > 0 {
			step.Sum = append(step.Sum, step.Sum[0])
		}
	default:
		if len(*list) == 0 {
			return
		}
		k := rapid.IntRange(0, len(*list)-1).Draw(rt, "literal")
		switch rapid.IntRange(0, 2).Draw(rt, "how") {
		case 0:
			(*list)[k] ^= 1
		case 1:
			(*list)[k] = max(0, (*list)[k]+rapid.Int32Range(-4, 4).Draw(rt, "by"))
		default:
			*list = slices.Delete(*list, k, k+1)
		}
	}
}

// meets reports whether a condition is accepted.
func meets(g *repairs.Graph, clause []int32) bool {
	met, _ := g.Meets(clause)
	return met
}
