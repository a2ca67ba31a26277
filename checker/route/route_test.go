package route_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/spec"
)

// promised are the engines whose routes, wherever there are any, are deadlock-free.
var promised = map[route.Engine]bool{route.UpDown: true, route.LASH: true, route.DFSSSP: true, route.Nue: true}

// drawn is a topology of up to 8 nodes: any links, one way, parallel and from a node to itself.
func drawn(rt *rapid.T) *spec.Topology {
	t := spec.NewTopology()
	n := rapid.IntRange(1, 8).Draw(rt, "nodes")
	coordinates := rapid.Bool().Draw(rt, "coordinates")
	for v := range n {
		if coordinates {
			t.AddNode("", v%3, v/3)
		} else {
			t.AddNode("")
		}
	}
	oneWay := rapid.Bool().Draw(rt, "some one way")
	node := rapid.Map(rapid.IntRange(0, n-1), func(v int) spec.NodeID { return spec.NodeID(v) })
	for range rapid.IntRange(0, 14).Draw(rt, "links") {
		a, b := node.Draw(rt, "from"), node.Draw(rt, "to")
		t.AddLink(spec.Link{From: a, To: b, VCs: 1})
		if a != b && (!oneWay || rapid.IntRange(0, 3).Draw(rt, "one way") > 0) {
			t.AddLink(spec.Link{From: b, To: a, VCs: 1})
		}
	}
	return t
}

// lengths is the number of links of shortest paths (Floyd and Warshall), the plain twin of the search.
func lengths(t *spec.Topology) [][]int {
	const far = 1 << 20
	d := make([][]int, t.Nodes())
	for v := range d {
		d[v] = make([]int, t.Nodes())
		for w := range d[v] {
			if v != w {
				d[v][w] = far
			}
		}
	}
	for l := range spec.LinkID(t.Links()) {
		if k := t.Link(l); k.From != k.To {
			d[k.From][k.To] = 1
		}
	}
	for m := range d {
		for v := range d {
			for w := range d {
				d[v][w] = min(d[v][w], d[v][m]+d[m][w])
			}
		}
	}
	return d
}

// follow follows the network's table from one node to another, and returns the channels; nil if
// the flow does not arrive.
func follow(n *spec.Network, from, to spec.NodeID) (path []spec.ChannelID) {
	at := spec.Injection(from)
	for range n.Topology().Channels() + 1 {
		hops, ok := n.Hops(spec.Site{Channel: at, Header: spec.Header{Dest: to}})
		if !ok || len(hops) != 1 {
			return nil
		}
		if at = hops[0].Channel; at == spec.Eject {
			return path
		}
		path = append(path, at)
	}
	return nil
}

// TestEveryFlow: on any topology every engine routes each flow or names it; routes arrive, and if
// the engine promises it the network is deadlock-free.
func TestEveryFlow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		topo := drawn(rt)
		dist := lengths(topo)
		for _, e := range route.Engines() {
			opt := route.Options{Engine: e, VCs: rapid.IntRange(0, 3).Draw(rt, "VCs"), Check: true, Workers: 1}
			if rapid.Bool().Draw(rt, "some") {
				for v := range spec.NodeID(topo.Nodes()) {
					if rapid.Bool().Draw(rt, "terminal") {
						opt.Terminals = append(opt.Terminals, v)
					}
				}
			}
			r, err := route.Route(context.Background(), topo, opt)
			if few := new(route.VCsError); errors.As(err, &few) && opt.VCs > 0 {
				continue
			}
			if err != nil && e == route.DimensionOrder && topo.Node(0).At == nil {
				continue
			}
			if err != nil {
				rt.Fatalf("%s: %v", e, err)
			}
			checkFlows(rt, topo, dist, opt, r)
		}
	})
}

func checkFlows(rt *rapid.T, topo *spec.Topology, dist [][]int, opt route.Options, r *route.Result) {
	const far = 1 << 20
	named := map[route.Pair]string{}
	for _, p := range r.Unreachable {
		named[p] = "unreachable"
	}
	for _, p := range r.Unrouted {
		named[p] = "unrouted"
	}
	if opt.VCs > 0 && r.VCs > opt.VCs {
		rt.Errorf("%s: %d VCs, want %d at most", r.Engine, r.VCs, opt.VCs)
	}
	ends := opt.Terminals
	if ends == nil {
		for v := range spec.NodeID(topo.Nodes()) {
			ends = append(ends, v)
		}
	}
	twoWay := true
	for l := range spec.LinkID(topo.Links()) {
		twoWay = twoWay && len(topo.LinksBetween(topo.Link(l).To, topo.Link(l).From)) > 0
	}
	if twoWay && len(r.Unrouted) > 0 && r.Engine != route.DimensionOrder {
		rt.Errorf("%s: all links have a way back, but %v have no route", r.Engine, r.Unrouted)
	}
	flows, ratios, most := 0, 0.0, 0.0
	load := make([]int64, topo.Links())
	waits := map[spec.ChannelID]map[spec.ChannelID]bool{}
	for _, from := range ends {
		for _, to := range ends {
			if from == to {
				continue
			}
			path, called := follow(r.Network, from, to), named[route.Pair{From: from, To: to}]
			if (called == "unreachable") != (dist[from][to] >= far) {
				rt.Errorf("%s: %d to %d is called %q, %d links away", r.Engine, from, to, called, dist[from][to])
			}
			if (path == nil) != (called != "") {
				rt.Errorf("%s: %d to %d by %v is called %q", r.Engine, from, to, path, called)
			}
			if path == nil {
				if hops, ok := r.Network.Hops(spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to}}); !ok || len(hops) > 0 {
					rt.Errorf("%s: %d to %d has the hops %v", r.Engine, from, to, hops)
				}
				continue
			}
			flows++
			x := float64(len(path)) / float64(dist[from][to])
			ratios, most = ratios+x, max(most, x)
			for i, c := range path {
				load[r.Network.Topology().LinkOf(c)]++
				if waits[c] == nil {
					waits[c] = map[spec.ChannelID]bool{}
				}
				if i > 0 {
					waits[path[i-1]][c] = true
				}
			}
		}
	}
	if len(named) != len(r.Unreachable)+len(r.Unrouted) || r.Network.FlowCount() != flows+len(named) {
		rt.Errorf("%s: %d flows of %d, %d named", r.Engine, r.Network.FlowCount(), flows, len(named))
	}
	if s := r.Stretch; s.Flows != flows || flows > 0 && (s.Most != most || s.Mean < ratios/float64(flows)-1e-9 || s.Mean > ratios/float64(flows)+1e-9) {
		rt.Errorf("%s: stretch %+v, want %d flows, %v and %v", r.Engine, s, flows, ratios, most)
	}
	if most := max(r.Load.Most, 0); most > 0 && !contains(load, most) {
		rt.Errorf("%s: load %+v, want of %v", r.Engine, r.Load, load)
	}
	free := acyclic(waits)
	if promised[r.Engine] && !free {
		rt.Errorf("%s: a cycle of dependencies: %v", r.Engine, waits)
	}
	for _, f := range r.Check.Findings {
		want := spec.Holds
		switch {
		case flows == 0 && (len(named) == 0 || f.Property != spec.Delivery.String()):
			want = spec.Unknown // nothing to decide
		case f.Property == spec.Delivery.String() && len(named) > 0:
			want = spec.Violated
		case f.Property == spec.DeadlockFreedom.String() && !free:
			want = spec.Violated // a packet for each dependency of a cycle, in whole channels
		}
		if f.Verdict != want {
			rt.Errorf("%s: %s %s, want %s: %s", r.Engine, f.Property, f.Verdict, want, f.Because)
		}
	}
}

// acyclic repeatedly removes channels that wait for none.
func acyclic(waits map[spec.ChannelID]map[spec.ChannelID]bool) bool {
	for gone := true; gone; {
		gone = false
		for c, next := range waits {
			waiting := false
			for to := range next {
				_, there := waits[to]
				waiting = waiting || there
			}
			if !waiting {
				delete(waits, c)
				gone = true
			}
		}
	}
	return len(waits) == 0
}

func contains(load []int64, x int64) bool {
	for _, y := range load {
		if y == x {
			return true
		}
	}
	return false
}

// ring is a two-way ring.
func ring(n int) *spec.Topology {
	t := spec.NewTopology()
	for range n {
		t.AddNode("")
	}
	for v := range n {
		t.AddPair(spec.NodeID(v), spec.NodeID((v+1)%n), 1)
	}
	return t
}

// TestShortestOnRings: on a ring of 5, two links are the most, and each of the 10 carries
// (1 + 2) * 20 / 2 / 10 = 3 flows, for no pair has a choice. The dependencies form both cycles.
func TestShortestOnRings(t *testing.T) {
	r, err := route.Route(context.Background(), ring(5), route.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	want := route.Measures{Load: route.Load{Links: 10, Least: 3, Most: 3, Mean: 3}, Stretch: route.Stretch{Flows: 20, Mean: 1, Most: 1}}
	if diff := cmp.Diff(want, r.Measures); diff != "" {
		t.Error(diff)
	}
	if f := r.Check.Of(spec.DeadlockFreedom.String()); f.Verdict != spec.Violated {
		t.Errorf("deadlock freedom %s, want violated", f.Verdict)
	}
	if r.Tied != 0 {
		t.Errorf("%d flows have a choice, want none", r.Tied)
	}
}

// TestTied: flows with a choice are those between opposite nodes of an even ring, those that differ in both coordinates
// of a mesh, and those over parallel cables; only shortest paths depend on it.
func TestTied(t *testing.T) {
	twin := spec.NewTopology()
	a, b, c := twin.AddNode("a"), twin.AddNode("b"), twin.AddNode("c")
	twin.AddPair(a, b, 1)
	twin.AddPair(a, b, 1)
	twin.AddPair(b, c, 1)
	for _, tt := range []struct {
		name string
		t    *spec.Topology
		want int
	}{
		{"ring of 5", ring(5), 0},
		{"ring of 6", ring(6), 6},
		{"mesh of 3x3", grid(false, 3, 3), 9 * 4},
		{"two cables, then one", twin, 4},
	} {
		for _, e := range []route.Engine{route.Shortest, route.UpDown, route.DFSSSP} {
			r, err := route.Route(t.Context(), tt.t, route.Options{Engine: e})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{true: tt.want}[e == route.Shortest]; r.Tied != want {
				t.Errorf("%s, %s: %d flows have a choice, want %d", tt.name, e, r.Tied, want)
			}
		}
	}
}

// TestTransit: a host with two cables is all that joins two switches: routes pass through it, and
// that is reported.
func TestTransit(t *testing.T) {
	topo := spec.NewTopology()
	s1, s2, h, a, b := topo.AddNode("s1"), topo.AddNode("s2"), topo.AddNode("h"), topo.AddNode("a"), topo.AddNode("b")
	for _, l := range [][2]spec.NodeID{{s1, h}, {s2, h}, {s1, a}, {s2, b}} {
		topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: 1})
		topo.AddLink(spec.Link{From: l[1], To: l[0], VCs: 1})
	}
	for _, tt := range []struct{ terminals, want []spec.NodeID }{
		{[]spec.NodeID{h, a, b}, []spec.NodeID{h}}, // a and b are joined by s1, h, s2 alone
		{[]spec.NodeID{h, a}, nil},
		{nil, nil}, // all send and receive
	} {
		for _, e := range []route.Engine{route.Shortest, route.UpDown, route.LASH, route.DFSSSP, route.Nue} {
			r, err := route.Route(t.Context(), topo, route.Options{Engine: e, Terminals: tt.terminals})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, r.Transit); diff != "" {
				t.Errorf("%s, terminals %v (-want +got):\n%s", e, tt.terminals, diff)
			}
		}
	}
}

// TestOneWorkerOrMany: the network is byte for byte the same.
func TestOneWorkerOrMany(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		topo := drawn(rt)
		e := rapid.SampledFrom(route.Engines()).Draw(rt, "engine")
		var text [2]bytes.Buffer
		for i, workers := range []int{1, 7} {
			r, err := route.Route(context.Background(), topo, route.Options{Engine: e, Workers: workers})
			if err != nil && i > 0 {
				rt.Fatal(err) // one worker could
			}
			if err != nil {
				rt.Skip(err)
			}
			if err := spec.WriteClosed(&text[i], r.Network); err != nil {
				rt.Fatal(err)
			}
		}
		if !bytes.Equal(text[0].Bytes(), text[1].Bytes()) {
			rt.Errorf("%s: 1 worker:\n%s7 workers:\n%s", e, &text[0], &text[1])
		}
	})
}

// TestWrongOptions: each is refused in one line.
// TestLeastWeight: on any topology with any weights, the engines that weigh links take paths with the least sum, by Floyd and
// Warshall, and at each node a link of the least weight among those on such a path.
func TestLeastWeight(t *testing.T) {
	const far = 1 << 20
	rapid.Check(t, func(rt *rapid.T) {
		topo := drawn(rt)
		weights := make([]int32, topo.Links())
		sum := make([][]int, topo.Nodes())
		for v := range sum {
			sum[v] = slices.Repeat([]int{far}, topo.Nodes())
			sum[v][v] = 0
		}
		for l := range spec.LinkID(topo.Links()) {
			k := topo.Link(l)
			weights[l] = int32(rapid.IntRange(1, 3).Draw(rt, "weight"))
			sum[k.From][k.To] = min(sum[k.From][k.To], int(weights[l]))
		}
		for m := range sum {
			sum[m][m] = 0
			for v := range sum {
				for w := range sum {
					sum[v][w] = min(sum[v][w], sum[v][m]+sum[m][w])
				}
			}
		}
		e := rapid.SampledFrom([]route.Engine{route.Shortest, route.LASH, route.DFSSSP}).Draw(rt, "engine")
		r, err := route.Route(rt.Context(), topo, route.Options{Engine: e, Weights: weights, Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		tied := 0
		for from := range spec.NodeID(topo.Nodes()) {
			for to := range spec.NodeID(topo.Nodes()) {
				if from == to || sum[from][to] >= far {
					continue
				}
				at, choice := from, false
				for _, c := range follow(r.Network, from, to) {
					l := r.Network.Topology().LinkOf(c)
					lightest := int32(far)
					choices := map[int32]int{}
					for _, k := range topo.OutLinks(at) {
						if next := topo.Link(k).To; next != at && int(weights[k])+sum[next][to] == sum[at][to] {
							lightest = min(lightest, weights[k])
							choices[weights[k]]++
						}
					}
					choice = choice || choices[lightest] > 1
					if weights[l] != lightest {
						rt.Fatalf("%s from %d to %d: at %d over a link of weight %d, want %d", e, from, to, at, weights[l], lightest)
					}
					at = topo.Link(l).To
				}
				if at != to {
					rt.Fatalf("%s: from %d to %d the packets end at %d", e, from, to, at)
				}
				if choice {
					tied++
				}
			}
		}
		if e == route.Shortest && r.Tied != tied {
			rt.Fatalf("%d flows have a choice, want %d", r.Tied, tied)
		}
	})
}

// TestWeightsRouteXY: with weight 1 along x and 2 along y the paths of a mesh all have equal sums, and go along x first, as Garnet's do.
func TestWeightsRouteXY(t *testing.T) {
	mesh := grid(false, 4, 4)
	weights := make([]int32, mesh.Links())
	for l := range weights {
		k := mesh.Link(spec.LinkID(l))
		weights[l] = 2
		if mesh.Node(k.From).At[0] != mesh.Node(k.To).At[0] {
			weights[l] = 1
		}
	}
	r, err := route.Route(t.Context(), mesh, route.Options{Weights: weights, Switching: spec.Wormhole, Check: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Check.Verdict() != spec.Holds {
		t.Error("XY does not deadlock")
	}
	for from := range spec.NodeID(16) {
		for to := range spec.NodeID(16) {
			turned := false
			for _, c := range follow(r.Network, from, to) {
				y := weights[r.Network.Topology().LinkOf(c)] == 2
				if turned = turned || y; turned != y {
					t.Fatalf("from %d to %d: along x after y", from, to)
				}
			}
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for _, test := range []struct {
		opt  route.Options
		want string
	}{
		{route.Options{VCs: -1}, "invalid number of VCs -1: want 1 to 64, or 0 for as many as it takes"},
		{route.Options{VCs: 65}, "invalid number of VCs 65: want 1 to 64, or 0 for as many as it takes"},
		{route.Options{Terminals: []spec.NodeID{5}}, "invalid node 5: want 0 to 4"},
		{route.Options{Roots: []spec.NodeID{-1}}, "invalid node -1: want 0 to 4"},
		{route.Options{Weights: make([]int32, 9)}, "9 weights for 10 links: want one of at least 1 for each"},
		{route.Options{Weights: make([]int32, 10)}, "10 weights for 10 links: want one of at least 1 for each"},
		{route.Options{Engine: route.Nue, Weights: make([]int32, 10)}, "nue takes no weights of links: want shortest, lash or dfsssp"},
		{route.Options{MaxSites: 19}, "routing topology by shortest: more than 19 sites: beyond the bound"}, // 5 * 4 flows
		{route.Options{MaxSites: 20}, "routing topology by shortest: more than 20 sites: beyond the bound"}, // and some channel for each
	} {
		if _, err := route.Route(context.Background(), ring(5), test.opt); err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, want %s", test.opt, err, test.want)
		}
	}
	if _, err := route.Route(context.Background(), ring(5), route.Options{Engine: "ftree"}); err == nil {
		t.Error("engine ftree was accepted")
	}
}

// torus is a two-way torus with coordinates; radix 2 has one pair of links, not two.
func torus(radix ...int) *spec.Topology { return grid(true, radix...) }

// bare is a topology whose nodes have no coordinates except in their names, if a form is given.
func bare(of *spec.Topology, form string) *spec.Topology {
	t := spec.NewTopology()
	for v := range spec.NodeID(of.Nodes()) {
		name := ""
		if form != "" {
			at := of.Node(v).At
			name = fmt.Sprintf(form, at[0], at[1])
		}
		t.AddNode(name)
	}
	for l := range spec.LinkID(of.Links()) {
		k := of.Link(l)
		t.AddLink(spec.Link{From: k.From, To: k.To, VCs: k.VCs})
	}
	return t
}

// complete is a topology in which each node is every other one's neighbor.
func complete(n int) *spec.Topology {
	t := spec.NewTopology()
	for v := range spec.NodeID(n) {
		t.AddNode("")
		for u := range v {
			t.AddPair(u, v, 1)
		}
	}
	return t
}

func grid(wrap bool, radix ...int) *spec.Topology {
	t := spec.NewTopology()
	n := 1
	for _, k := range radix {
		n *= k
	}
	for v := range n {
		var at []int
		for _, k := range radix {
			at = append(at, v%k)
			v /= k
		}
		t.AddNode("", at...)
	}
	stride := 1
	for i, k := range radix {
		for v := range n {
			x := t.Node(spec.NodeID(v)).At[i]
			switch {
			case x+1 < k:
				t.AddPair(spec.NodeID(v), spec.NodeID(v+stride), 1)
			case wrap && k > 2:
				t.AddPair(spec.NodeID(v), spec.NodeID(v-x*stride), 1)
			}
		}
		stride *= k
	}
	return t
}

// TestLayersOfTori: LASH takes 2 layers on a 4x4 torus, as in OpenSM (and in the paper's tables), and
// DFSSSP at most 4; a mesh takes at most 2. A tree takes one. On a 5x5 torus one is not enough: the
// shortest path over two links of a ring is the only one, and these close a
// cycle.
func TestLayersOfTori(t *testing.T) {
	tree := spec.NewTopology()
	for v := range 7 {
		tree.AddNode("")
		if v > 0 {
			tree.AddPair(spec.NodeID((v-1)/2), spec.NodeID(v), 1)
		}
	}
	for _, test := range []struct {
		name   string
		t      *spec.Topology
		engine route.Engine
		most   int
	}{
		{"torus", torus(4, 4), route.LASH, 2},
		{"torus", torus(4, 4), route.DFSSSP, 4},
		{"mesh", grid(false, 4, 4), route.LASH, 2},
		{"tree", tree, route.LASH, 1},
		{"tree", tree, route.DFSSSP, 1},
	} {
		r, err := route.Route(context.Background(), test.t, route.Options{Engine: test.engine, VCs: test.most, Check: true})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if r.Check.Verdict() != spec.Holds || r.Stretch.Most != 1 {
			t.Errorf("%s by %s: %s, stretch %v", test.name, test.engine, r.Check.Verdict(), r.Stretch)
		}
	}
	r, err := route.Route(context.Background(), grid(false, 4, 4), route.Options{Engine: route.LASH})
	if err != nil || r.VCs != 1 { // dimension by dimension
		t.Errorf("LASH on a mesh takes %d VCs (%v)", r.VCs, err)
	}
	_, err = route.Route(context.Background(), torus(5, 5), route.Options{Engine: route.LASH, VCs: 1})
	if few := new(route.VCsError); !errors.As(err, &few) || few.Most != 1 {
		t.Errorf("LASH on a torus with 1 VC: %v", err)
	}
}

// TestUpDownOnRing: with root 0 on a ring of 6, only the turns 2->3->4 and 4->3->2 go down and then up.
// Two of 30 flows take 4 links instead of 2.
func TestUpDownOnRing(t *testing.T) {
	r, err := route.Route(context.Background(), ring(6), route.Options{Engine: route.UpDown, Roots: []spec.NodeID{0}, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := (route.Stretch{Flows: 30, Mean: 32.0 / 30, Most: 2}); r.Stretch != want || r.VCs != 1 || r.Check.Verdict() != spec.Holds {
		t.Errorf("stretch %+v, %d VCs, %s: want %+v, 1 VC, holds", r.Stretch, r.VCs, r.Check.Verdict(), want)
	}
	if diff := cmp.Diff([]spec.NodeID{0}, r.Roots); diff != "" {
		t.Error(diff)
	}
}

// TestSpinesAreRoots: in a fat tree of two levels each leaf has two hosts, and a path up to any spine.
// With the spines as roots, all shortest paths go up and then down.
func TestSpinesAreRoots(t *testing.T) {
	const spines, leaves = 3, 4
	topo := spec.NewTopology()
	for range spines + leaves + 2*leaves {
		topo.AddNode("")
	}
	var hosts []spec.NodeID
	for leaf := spec.NodeID(spines); leaf < spines+leaves; leaf++ {
		for s := range spec.NodeID(spines) {
			topo.AddPair(leaf, s, 1)
		}
		for i := range spec.NodeID(2) {
			h := spines + leaves + 2*(leaf-spines) + i
			topo.AddPair(leaf, h, 1)
			hosts = append(hosts, h)
		}
	}
	r, err := route.Route(context.Background(), topo, route.Options{Engine: route.UpDown, Terminals: hosts, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]spec.NodeID{0, 1, 2}, r.Roots); diff != "" || r.Stretch.Most != 1 ||
		r.Check.Verdict() != spec.Holds || r.Load.Links != 2*spines*leaves {
		t.Errorf("roots %v, stretch %v, %s", r.Roots, r.Stretch, r.Check.Verdict())
	}
}

// TestDimensionOrder: on a mesh every flow takes a shortest path on one VC, and a middle link of a line
// of 4 carries 2*2 flows of its line for each of 4 destinations' lines (first dimension: all 4 nodes of
// the destination's column, second: all 4 of the source's row), so 16; an outer one 3*1*4 = 12. Rings of
// 5 take a second VC; with one they deadlock. On a ring of 4 only the four flows over two links turn,
// and as they are spread they do not all go the same way around; if all nodes of a line are neighbors,
// nothing turns on it.
func TestDimensionOrder(t *testing.T) {
	hyperx := spec.NewTopology()
	for v := range 9 {
		hyperx.AddNode("", v/3, v%3)
		for u := range v {
			if u/3 == v/3 || u%3 == v%3 {
				hyperx.AddPair(spec.NodeID(u), spec.NodeID(v), 1)
			}
		}
	}
	hosted := torus(5, 3)
	for v := range spec.NodeID(15) {
		hosted.AddPair(hosted.AddNode(""), v, 1)
	}
	for _, test := range []struct {
		name        string
		t           *spec.Topology
		vcs, want   int
		verdict     spec.Verdict
		least, most int64 // 0: any
	}{
		{"mesh", grid(false, 4, 4), 0, 1, spec.Holds, 12, 16},
		{"torus", torus(4, 4), 0, 1, spec.Holds, 0, 0},
		{"torus", torus(5, 3), 0, 2, spec.Holds, 0, 0},
		{"torus", torus(3, 3), 0, 1, spec.Holds, 3, 3},
		{"torus, 3 dimensions", torus(4, 2, 5), 0, 2, spec.Holds, 0, 0},
		{"torus with hosts", hosted, 0, 2, spec.Holds, 0, 0},
		{"torus", torus(5, 5), 1, 1, spec.Violated, 0, 0},
		{"HyperX", hyperx, 0, 1, spec.Holds, 3, 3},
		{"mesh by its links", bare(grid(false, 4, 4), ""), 0, 1, spec.Holds, 12, 16},
		{"torus by its links", bare(torus(5, 3), ""), 0, 2, spec.Holds, 0, 0},
		{"torus with hosts, by its links", bare(hosted, ""), 0, 2, spec.Holds, 0, 0},
		{"torus by its names", bare(torus(4, 4), "S%d_%d"), 0, 1, spec.Holds, 0, 0},
		{"HyperX by its names", bare(hyperx, "S%d_%d"), 0, 1, spec.Holds, 3, 3},
	} {
		r, err := route.Route(context.Background(), test.t, route.Options{Engine: route.DimensionOrder, VCs: test.vcs, Check: true})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if r.VCs != test.want || r.Check.Verdict() != test.verdict || r.Stretch.Most != 1 || len(r.Unrouted) > 0 {
			t.Errorf("%s: %d VCs, %s, %+v, %d flows unrouted", test.name, r.VCs, r.Check.Verdict(), r.Stretch, len(r.Unrouted))
		}
		if test.most > 0 && (r.Load.Least != test.least || r.Load.Most != test.most) {
			t.Errorf("%s: %+v, want %d to %d", test.name, r.Load, test.least, test.most)
		}
	}
	for want, topo := range map[string]*spec.Topology{
		"routing topology by dor: node 0 has 0 coordinates: want the same number, at least one, for each node, from the file, from names such as S2_3, or from the links of a complete mesh or torus": complete(4),
		"routing topology by dor: nodes 0 and 4 have the same coordinates [0]": func() *spec.Topology {
			x := torus(4)
			v := x.AddNode("", 0)
			x.AddPair(v, 1, 1)
			return x
		}(),
	} {
		if _, err := route.Route(context.Background(), topo, route.Options{Engine: route.DimensionOrder}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestOneWayRing: on a ring of 6 one-way links no escape has an acyclic dependency graph. The turn at a
// node is avoided only if nothing passes the node, so a VC takes at most two neighbors as destinations,
// and nue takes 3 VCs; with 2 it names the remaining flows, and delivers the rest. In no order of the
// nodes is there a path up and then down for flows that pass both ends. A layer of LASH avoids the turn at
// one node: for any two nodes some flow passes both, as it passes four in a row, but none passes 0, 2 and
// 4, so 3 layers are the least.
func TestOneWayRing(t *testing.T) {
	topo := spec.NewTopology()
	for range 6 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(6) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 6, VCs: 1})
	}
	for _, test := range []struct {
		engine    route.Engine
		vcs, want int
		unrouted  bool
	}{{route.Nue, 0, 3, false}, {route.Nue, 3, 3, false}, {route.Nue, 2, 2, true}, {route.UpDown, 0, 1, true}, {route.LASH, 0, 3, false}} {
		r, err := route.Route(context.Background(), topo, route.Options{Engine: test.engine, VCs: test.vcs, Check: true})
		if err != nil {
			t.Errorf("%s: %v", test.engine, err)
			continue
		}
		if r.VCs != test.want || len(r.Unrouted) > 0 != test.unrouted || r.Check.Of(spec.DeadlockFreedom.String()).Verdict != spec.Holds {
			t.Errorf("%s with %d VCs: takes %d, %d flows unrouted, deadlock freedom %s", test.engine, test.vcs, r.VCs,
				len(r.Unrouted), r.Check.Of(spec.DeadlockFreedom.String()).Verdict)
		}
	}
}

// TestNueBeatsItsEscape: on random regular graphs routes are on average no longer than those of up*/down*
// from the same root, as all turns of these are free at first; and with 4 VCs no longer
// than with 1.
func TestNueBeatsItsEscape(t *testing.T) {
	topo := regular(40, 4)
	length := func(e route.Engine, vcs int, roots ...spec.NodeID) float64 {
		r, err := route.Route(context.Background(), topo, route.Options{Engine: e, VCs: vcs, Roots: roots, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Check.Verdict() != spec.Holds || r.VCs > vcs {
			t.Errorf("%s: %s, %d VCs", e, r.Check.Verdict(), r.VCs)
		}
		return r.Stretch.Mean
	}
	one, four, tree := length(route.Nue, 1, 0), length(route.Nue, 4, 0), length(route.UpDown, 1, 0)
	if one > tree || four > one {
		t.Errorf("mean stretch %v by nue on 1 VC, %v on 4, %v by updown", one, four, tree)
	}
}

// TestNamedCoordinates: a product whose lines are rings, lines or complete groups is routed alike whether its nodes have their
// coordinates or only names that tell them; one link across two dimensions, and the names tell nothing.
func TestNamedCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(2, 5).Draw(t, "rows"), rapid.IntRange(2, 5).Draw(t, "columns")
		kinds := []string{rapid.SampledFrom([]string{"line", "ring", "complete"}).Draw(t, "of rows"),
			rapid.SampledFrom([]string{"line", "ring", "complete"}).Draw(t, "of columns")}
		joins := func(kind string, a, b, n int) bool {
			return b-a == 1 || kind == "ring" && b-a == n-1 || kind == "complete"
		}
		given := spec.NewTopology()
		for v := range rows * cols {
			given.AddNode("", v/cols, v%cols)
		}
		for v := range rows * cols {
			for u := range v {
				if u/cols == v/cols && joins(kinds[1], u%cols, v%cols, cols) || u%cols == v%cols && joins(kinds[0], u/cols, v/cols, rows) {
					given.AddPair(spec.NodeID(u), spec.NodeID(v), 1)
				}
			}
		}
		named := bare(given, "S%d_%d")
		want, err := route.Route(context.Background(), given, route.Options{Engine: route.DimensionOrder})
		if err != nil {
			t.Fatal(err)
		}
		got, err := route.Route(context.Background(), named, route.Options{Engine: route.DimensionOrder})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{want.VCs, want.Load, want.Stretch}, []any{got.VCs, got.Load, got.Stretch}); diff != "" {
			t.Errorf("%d x %d, %v (-coordinates +names)\n%s", rows, cols, kinds, diff)
		}
		if rows < 3 || cols < 3 || kinds[0] != "complete" { // otherwise the links alone may tell other coordinates
			return
		}
		named.AddPair(0, spec.NodeID(cols+1), 1)
		if _, err := route.Route(context.Background(), named, route.Options{Engine: route.DimensionOrder}); err == nil ||
			!strings.Contains(err.Error(), "has 0 coordinates") {
			t.Errorf("a link from S0_0 to S1_1: %v", err)
		}
	})
}
