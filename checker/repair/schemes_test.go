package repair_test

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// wantGood checks what every proposal promises: the written file passes check, every flow is
// still there, no link is new, and a link has more VCs only if the patch names it.
func wantGood(t tester, n *spec.Network, r *repair.Result) {
	t.Helper()
	for _, p := range r.Proposals {
		if p.AtLeast > p.Cost && p.Network != nil || (p.Network != nil) != (p.Verdict == spec.Holds) || p.Because.IsZero() {
			t.Errorf("%s: verdict %s, cost %d of at least %d, because %q", p.Scheme, p.Verdict, p.Cost, p.AtLeast, p.Because)
		}
		if p.Network == nil {
			continue
		}
		var file bytes.Buffer
		if err := spec.WriteClosed(&file, p.Network); err != nil {
			t.Fatalf("%v", err)
		}
		read, err := routing.ReadClosed(context.Background(), "repair.json", file.Bytes(), routing.CompileOptions{})
		if err != nil {
			t.Fatalf("%s: %v", p.Scheme, err)
		}
		checked, err := checker.Check(context.Background(), read, checker.Question{Explore: checker.Never})
		if err != nil || checked.Verdict() != spec.Holds {
			t.Fatalf("%s: check of the written file: %v", p.Scheme, err)
		}
		for i := range n.Tables() {
			for _, s := range n.Table(i).Sources {
				of := read.TableOf(n.Table(i).Target)
				if of == nil {
					t.Fatalf("%s: nobody sends to %v any more", p.Scheme, n.Table(i).Target)
				}
				// of alternatives of the routing one may do
				if now, was := len(of.SourcesOf(s.Node)), len(n.Table(i).SourcesOf(s.Node)); now != was && (n.Alternatives() == 0 || now == 0) {
					t.Errorf("%s: %d flows from %d to %v, want %d", p.Scheme, now, s.Node, n.Table(i).Target, was)
				}
				for _, now := range of.SourcesOf(s.Node) {
					if len(read.Row(now.Row)) == 0 {
						t.Errorf("%s: a flow from %d to %v has no first hop", p.Scheme, s.Node, n.Table(i).Target)
					}
				}
			}
		}
		was, is := n.Topology(), read.Topology()
		if was.Nodes() != is.Nodes() || was.Links() != is.Links() || n.FlowCount() != read.FlowCount() {
			t.Fatalf("%s: %d nodes, %d links and %d flows, want %d, %d and %d", p.Scheme, is.Nodes(), is.Links(),
				read.FlowCount(), was.Nodes(), was.Links(), n.FlowCount())
		}
		patch := strings.Join(words.Written(p.Patch), "\n")
		for l := range spec.LinkID(was.Links()) {
			a, b := was.Link(l), is.Link(l)
			if a.From != b.From || a.To != b.To || b.VCs < a.VCs {
				t.Errorf("%s: link %v has become %v", p.Scheme, a, b)
			}
			if b.VCs > a.VCs && !strings.Contains(patch, "give "+was.LinkName(l)+" ") {
				t.Errorf("%s: %s has %d VCs more, and the patch does not say so", p.Scheme, was.LinkName(l), b.VCs-a.VCs)
			}
		}
	}
}

// TestProposalsAreGood on drawn networks with dead ends, loops and wrong exits.
func TestProposalsAreGood(t *testing.T) {
	found := map[repair.Scheme]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawn(rt)
		r, err := repair.Propose(rt.Context(), n, repair.Options{Workers: 1, Effort: 100_000})
		if err != nil {
			rt.Fatal(err)
		}
		wantGood(rt, n, r)
		for _, p := range r.Proposals {
			if p.Verdict == spec.Holds {
				found[p.Scheme]++
			}
		}
	})
	t.Log(found)
}

// TestRepairsAskAll: a repair does not cut off a node that is asked. The first network deadlocks since a and b ask
// each other over one VC, and forbidding either request would free it; each also asks a node of its own.
func TestRepairsAskAll(t *testing.T) {
	const text = `
network(name = "pair", switching = "store-and-forward", classes = ["request", "reply"])
replies("request", "reply")
a, b, c, d = [node(name = x) for x in "abcd".elems()]
both(a, b)
both(a, c)
both(b, d)
flows([(a, b, 0), (b, a, 0), (a, c, 0), (b, d, 0)])
def route(at, to):
    return [hop(at.node.to(to))]
`
	file, err := star.Load(t.Context(), "pair.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := repair.Propose(t.Context(), routingtest.Compile(t, file.Definition), repair.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Proposals {
		if p.Network != nil && (p.Scheme == repair.Turns || p.Scheme == repair.Hops) { // the others keep all requests
			t.Errorf("%s: a repair at cost %d, but each of the four turns is the only way of a request", p.Scheme, p.Cost)
		}
	}
	repaired := 0
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Classes: 2, Ring: true, Sparse: true})
		if len(def.Classes) < 2 {
			rt.Skip("one class")
		}
		def.Replies = []routing.Reply{{Request: 0, Reply: 1}}
		n, err := routing.Compile(rt.Context(), def, routing.CompileOptions{Workers: 1})
		if err != nil || n.FlowCount() == 0 {
			rt.Skip("no requests")
		}
		r, err := repair.Propose(rt.Context(), n, repair.Options{Workers: 1, Effort: 100_000})
		if err != nil {
			rt.Fatal(err)
		}
		wantGood(rt, n, r)
		for _, p := range r.Proposals {
			if p.Network != nil {
				repaired++
			}
		}
	})
	if seedtest.Usual() && repaired == 0 {
		t.Error("no network was repaired: the draws are too tame")
	}
}

// TestCatalogue: the networks of the catalogue that deadlock, at their default sizes.
func TestCatalogue(t *testing.T) {
	most, number := 3000, 0 // sites
	if testing.Short() {
		most = 300
	}
	for _, e := range models.Catalogue() {
		if e.IsMachine() {
			continue
		}
		for _, x := range e.Described().Expect {
			if number++; !seedtest.Sampled(number, 4) {
				continue
			}
			if x.Packets != spec.Violated && x.Worms != spec.Violated {
				continue
			}
			def, err := e.Define(x.Set)
			if err != nil {
				t.Fatal(err)
			}
			if x.Packets != spec.Violated {
				def.Switching = spec.Wormhole
			}
			n, err := routing.Compile(t.Context(), def, routing.CompileOptions{MaxSites: most})
			if err != nil {
				continue // too large
			}
			r, err := repair.Propose(t.Context(), n, repair.Options{Effort: 200_000})
			if err != nil {
				t.Errorf("%s %v: %v", e.Name, x.Set, err)
				continue
			}
			wantGood(t, n, r)
			if r.Verdict() != spec.Holds {
				t.Errorf("%s %v: no scheme has a repair", e.Name, x.Set)
			}
		}
	}
}

// TestKnownMinima: a k x k mesh with every shortest path has (k-1)^2 squares, and two cycles of four turns round each;
// no turn is on two of them, so as many turns must go, and a turn model (Glass and Ni 1992) forbids no more. On a
// one-way ring every turn is the only one of some flow; two copies cut the ring; a longest path has n-1 hops. Each
// layer must leave out a turn; of four turns, opposite ones are on no path of two turns, but of five turns any two are
// on a path of three. A rerouted two-way ring has two cycles of turns, as does each ring of a torus, besides its 256
// squares. The Petersen graph has twelve pentagons, so 24 cycles of five turns, and each of its 60 turns is on two.
func TestKnownMinima(t *testing.T) {
	for i, tt := range []struct {
		model  string
		set    map[string]string
		scheme repair.Scheme
		want   int // -1: none
	}{
		{"mesh", map[string]string{"k": "3", "routing": "adaptive"}, repair.Turns, 8},
		{"mesh", map[string]string{"k": "5", "routing": "adaptive"}, repair.Turns, 32},
		{"mesh", map[string]string{"k": "4", "routing": "adaptive"}, repair.Order, 18},
		{"ring", map[string]string{"n": "5"}, repair.Turns, -1},
		{"ring", map[string]string{"n": "5"}, repair.Hops, -1},
		{"ring", map[string]string{"n": "5"}, repair.Order, -1},
		{"ring", map[string]string{"n": "5"}, repair.Dateline, 2},
		{"ring", map[string]string{"n": "4"}, repair.Layers, 2},
		{"ring", map[string]string{"n": "5"}, repair.Layers, 3},
		{"ring", map[string]string{"n": "16"}, repair.Layers, 8},
		{"ring", map[string]string{"n": "15"}, repair.Layers, 8},
		{"ring", map[string]string{"n": "5"}, repair.HopIndex, 4},
		{"torus", map[string]string{"k": "5", "routing": "dor"}, repair.Dateline, 2},
		{"torus", map[string]string{"k": "16", "routing": "dor"}, repair.Order, 576},
		{"torus", map[string]string{"k": "16", "routing": "dor"}, repair.Turns, -1},
		{"torus", map[string]string{"k": "16", "routing": "dor"}, repair.HopIndex, 16},
		{"graph", map[string]string{"graph": "edges", "edges": "0-1,1-2,2-3,3-4,4-0"}, repair.Order, 2},
		{"graph", map[string]string{"graph": "petersen"}, repair.Order, 12},
	} {
		if !seedtest.Sampled(i, 5) {
			continue
		}
		e, _ := models.Find(tt.model)
		n := routingtest.Network(t)(e.Define(tt.set))
		r, err := repair.Propose(t.Context(), n, repair.Options{Schemes: []repair.Scheme{tt.scheme}})
		if err != nil {
			t.Fatal(err)
		}
		p := r.Proposals[0]
		switch {
		case tt.want < 0 && p.Verdict != spec.Violated:
			t.Errorf("%s %v by %s: %s with %d, want proof that there is none", tt.model, tt.set, tt.scheme, p.Verdict, p.Cost)
		case tt.want >= 0 && (p.Verdict != spec.Holds || p.Cost != tt.want || p.AtLeast != tt.want):
			t.Errorf("%s %v by %s: %s with %d of at least %d, want %d", tt.model, tt.set, tt.scheme, p.Verdict, p.Cost, p.AtLeast, tt.want)
		}
		if p.Least == nil && (tt.want < 0 || p.Unit != "VC" && tt.want > 1 || tt.want > 2) {
			t.Errorf("%s %v by %s: no evidence", tt.model, tt.set, tt.scheme)
		}
		wantGood(t, n, r)
	}
}

// TestBoundsByCounting: packets that take any shortest path can turn at every node, n times on the longest path, and
// one of the four corners of each square is in the dateline: so some packet crosses it n/4 times or more if all squares
// are alike. In a torus of 12 x 12, n is 11; of 16 x 16, 15 or, for packets that go another way at half the ring, 13
// and 14: 3 times, and 4.
func TestBoundsByCounting(t *testing.T) {
	for k, want := range map[string]int{"12": 4, "16": 5} {
		if k == "16" && !seedtest.Whole() {
			continue
		}
		e, _ := models.Find("torus")
		n := routingtest.Network(t)(e.Define(map[string]string{"k": k, "routing": "adaptive"}))
		r, err := repair.Propose(t.Context(), n, repair.Options{Schemes: []repair.Scheme{repair.Dateline}, Effort: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Proposals[0]; p.AtLeast != want || p.Cost < want || p.Least == nil {
			t.Errorf("%s x %s: %d of at least %d, want %d, evidence %v", k, k, p.Cost, p.AtLeast, want, p.Least)
		}
	}
}

// acyclic decides by removing sinks.
func acyclic(edges map[[2]spec.ChannelID]bool) bool {
	left := map[[2]spec.ChannelID]bool{}
	for e := range edges {
		left[e] = true
	}
	for again := true; again; {
		again = false
		for e := range left {
			sink := true
			for f := range left {
				sink = sink && f[0] != e[1]
			}
			if sink {
				delete(left, e)
				again = true
			}
		}
	}
	return len(left) == 0
}

// eachPath calls f with the channels of every path of a flow, in order; paths must end.
func eachPath(n *spec.Network, s spec.NodeID, to spec.Target, f func(path []spec.ChannelID)) {
	var walk func(at spec.Site, path []spec.ChannelID)
	walk = func(at spec.Site, path []spec.ChannelID) {
		hops, _ := n.Hops(at)
		for _, h := range hops {
			if h.Channel == spec.Eject {
				f(path)
				continue
			}
			header := at.Header
			header.Tag = h.Tag
			walk(spec.Site{Channel: h.Channel, Header: header}, append(path[:len(path):len(path)], h.Channel))
		}
	}
	walk(spec.Site{Channel: spec.Injection(s), Header: spec.Header{Dest: to.Dest, Class: to.Class}}, nil)
}

// TestFewestCopiesIsBruteForce: for drawn networks, the fewest copies for layers and for
// datelines, and the fewest turns for an order, are those of all assignments and of all sets of
// turns.
func TestFewestCopiesIsBruteForce(t *testing.T) {
	found := map[[2]any]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawn(rt)
		r, err := repair.Propose(rt.Context(), n, repair.Options{Workers: 1,
			Schemes: []repair.Scheme{repair.Layers, repair.Dateline, repair.HopIndex, repair.Order}})
		if err != nil {
			rt.Fatal(err)
		}
		if len(r.Proposals) == 0 {
			return
		}
		base := compile(rt, without(n, repair.Turns, nil))
		var perFlow []map[[2]spec.ChannelID]bool
		var paths [][]spec.ChannelID
		all := map[[2]spec.ChannelID]bool{}
		longest := 0
		kept := r.Proposals[0].Verdict != spec.Violated || !strings.Contains(r.Proposals[0].Because.String(),
			"a packet to") && !strings.Contains(r.Proposals[0].Because.String(), noRoute)
		for i := range base.Tables() {
			for _, s := range base.Table(i).Sources {
				if !kept {
					break
				}
				turns := map[[2]spec.ChannelID]bool{}
				eachPath(base, s.Node, base.Table(i).Target, func(path []spec.ChannelID) {
					paths = append(paths, path)
					longest = max(longest, len(path))
					for k := 1; k < len(path); k++ {
						turns[[2]spec.ChannelID{path[k-1], path[k]}] = true
						all[[2]spec.ChannelID{path[k-1], path[k]}] = true
					}
				})
				perFlow = append(perFlow, turns)
			}
		}
		for _, p := range r.Proposals {
			if p.Verdict == spec.Unknown {
				rt.Fatalf("%s: %s", p.Scheme, p.Because)
			}
			want := -1
			switch p.Scheme {
			case repair.Order:
				want = bruteOrder(rt, n)
			case repair.HopIndex:
				want = longest
			case repair.Layers:
				want = bruteLayers(rt, perFlow)
			case repair.Dateline:
				want = bruteDateline(rt, all, paths)
			}
			got := p.Cost
			switch {
			case p.Scheme != repair.Order && !kept:
				continue
			case p.Verdict == spec.Violated:
				got = -1
			case p.Cost == 1 && p.Unit == "VC":
				continue // all were hops that lead nowhere
			}
			found[[2]any{p.Scheme, got}]++
			if want != got || got >= 0 && p.AtLeast != got {
				rt.Fatalf("%s: %d of at least %d, want %d", p.Scheme, got, p.AtLeast, want)
			}
		}
	})
	t.Log(found)
}

const noRoute = "no route leads from"

// TestSchemesWithoutRoute: if two nodes are joined one way only, no scheme serves the way back.
// Drawn by a TestFewestCopiesIsBruteForce that no longer recognised the message.
func TestSchemesWithoutRoute(t *testing.T) {
	topology := spec.NewTopology()
	from, to := topology.AddNode("0"), topology.AddNode("1")
	for range 2 {
		topology.AddLink(spec.Link{From: from, To: to, VCs: 1})
	}
	n := compile(t, routing.Definition{Name: "one way", Topology: topology, Routing: everyHop(topology)})
	r, err := repair.Propose(t.Context(), n, repair.Options{Workers: 1, Schemes: []repair.Scheme{repair.Layers, repair.Dateline, repair.HopIndex}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Proposals {
		if p.Verdict != spec.Violated || p.Because.String() != noRoute+" 1 to 0" {
			t.Errorf("%s: %s, as %q", p.Scheme, p.Verdict, p.Because)
		}
	}
	if len(r.Proposals) != 3 {
		t.Errorf("%d proposals", len(r.Proposals))
	}
}

func bruteLayers(rt *rapid.T, flows []map[[2]spec.ChannelID]bool) int {
	for _, f := range flows {
		if !acyclic(f) {
			return -1
		}
	}
	if len(flows) > 8 {
		rt.Skip("too many flows")
	}
	of := make([]int, len(flows))
	for copies := 1; ; copies++ {
		var assign func(f int) bool
		assign = func(f int) bool {
			if f == len(flows) {
				for c := range copies {
					together := map[[2]spec.ChannelID]bool{}
					for g, turns := range flows {
						for e := range turns {
							if of[g] == c {
								together[e] = true
							}
						}
					}
					if !acyclic(together) {
						return false
					}
				}
				return true
			}
			for of[f] = range copies {
				if assign(f + 1) {
					return true
				}
			}
			return false
		}
		if assign(0) {
			return copies
		}
	}
}

// bruteDateline tries every set of turns between channels that reach each other.
func bruteDateline(rt *rapid.T, all map[[2]spec.ChannelID]bool, paths [][]spec.ChannelID) int {
	reach := map[[2]spec.ChannelID]bool{}
	for e := range all {
		reach[e] = true
	}
	for again := true; again; {
		again = false
		for a := range reach {
			for b := range all {
				if c := [2]spec.ChannelID{a[0], b[1]}; a[1] == b[0] && !reach[c] {
					reach[c], again = true, true
				}
			}
		}
	}
	inside := func(e [2]spec.ChannelID) bool { return reach[[2]spec.ChannelID{e[1], e[0]}] }
	var turns [][2]spec.ChannelID
	for e := range all {
		if inside(e) {
			turns = append(turns, e)
		}
	}
	if len(turns) > 10 {
		rt.Skip("too many turns")
	}
	best := 1 << 20
	for set := range uint(1) << len(turns) {
		rest, crossed := map[[2]spec.ChannelID]bool{}, map[[2]spec.ChannelID]bool{}
		for i, e := range turns {
			if set>>i&1 == 1 {
				crossed[e] = true
			} else {
				rest[e] = true
			}
		}
		if !acyclic(rest) {
			continue
		}
		copies := 1
		for _, path := range paths {
			now := 1
			for k := 1; k < len(path); k++ {
				e := [2]spec.ChannelID{path[k-1], path[k]}
				switch {
				case !inside(e):
					now = 1
				case crossed[e]:
					now++
				}
				copies = max(copies, now)
			}
		}
		best = min(best, copies)
	}
	return best
}

// bruteOrder tries every set of turns of the topology, on the first VCs.
func bruteOrder(rt *rapid.T, n *spec.Network) int {
	t := n.Topology()
	var turns [][2]spec.ChannelID
	for a := range spec.LinkID(t.Links()) {
		for b := range spec.LinkID(t.Links()) {
			if t.Link(a).To == t.Link(b).From && t.Link(b).To != t.Link(a).From {
				turns = append(turns, [2]spec.ChannelID{t.Channel(a, 0), t.Channel(b, 0)})
			}
		}
	}
	if len(turns) > 10 {
		rt.Skip("too many turns")
	}
	best := -1
	for set := range uint(1) << len(turns) {
		if best >= 0 && bits.OnesCount(set) >= best {
			continue
		}
		left := map[[2]spec.ChannelID]bool{}
		for i, e := range turns {
			if set>>i&1 == 0 {
				left[e] = true
			}
		}
		if acyclic(left) && connected(n, left) {
			best = bits.OnesCount(set)
		}
	}
	return best
}

func connected(n *spec.Network, turns map[[2]spec.ChannelID]bool) bool {
	t := n.Topology()
	for i := range n.Tables() {
		for _, s := range n.Table(i).Sources {
			at := map[spec.ChannelID]bool{}
			for _, l := range t.OutLinks(s.Node) {
				at[t.Channel(l, 0)] = true
			}
			for again := true; again; {
				again = false
				for e := range turns {
					if at[e[0]] && !at[e[1]] {
						at[e[1]], again = true, true
					}
				}
			}
			arrives := false
			for c := range at {
				arrives = arrives || t.Head(c) == n.Table(i).Dest
			}
			if !arrives {
				return false
			}
		}
	}
	return true
}

// TestReasonsWithAnEscape: hops into the escape, and those on it, are said to be its own; those of the network have their reasons still.
func TestReasonsWithAnEscape(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"}).WithReasons(func(s spec.Site, h spec.Hop) spec.Reason {
		return spec.Reason{Text: fmt.Sprintf("from %d to %d", s.Channel, h.Channel)}
	})
	r, err := repair.Propose(t.Context(), n, repair.Options{Schemes: []repair.Scheme{repair.Escape}})
	if err != nil || r.Proposals[0].Network == nil {
		t.Fatal(r, err)
	}
	now := r.Proposals[0].Network
	was, is := n.Topology(), now.Topology()
	met := map[bool]int{}
	for i := range now.Tables() {
		table := now.Table(i)
		for s, row := range table.Rows {
			at := table.Site(s)
			for _, h := range now.Row(row) {
				old := func(c spec.ChannelID) (spec.ChannelID, bool) { // of the network before: its VCs come first
					if c < 0 {
						return c, true
					}
					l, vc := is.LinkOf(c), is.VC(c)
					if vc >= was.Link(l).VCs {
						return 0, false
					}
					return was.Channel(l, vc), true
				}
				from, before := old(at.Channel)
				to, too := old(h.Channel)
				want := fmt.Sprintf("from %d to %d", from, to)
				if !before || !too {
					want = "escape"
				}
				if met[before && too]++; now.Reason(at, h).Text != want {
					t.Errorf("from %s to %s: %v, want %q", is.ChannelName(at.Channel), is.ChannelName(h.Channel), now.Reason(at, h), want)
				}
			}
		}
	}
	if met[true] == 0 || met[false] == 0 {
		t.Errorf("hops met, by whether the network had them: %v", met)
	}
}

// TestCopiesKeepDiscards: dateline and hop-index repair drawn networks that discard packets, with and without
// alternatives. A copy of a channel discards as the channel does, so each discard is kept and none is new.
func TestCopiesKeepDiscards(t *testing.T) {
	repaired := 0
	seedtest.Sample(t, 25)
	one := func(rt *rapid.T) {
		n := drawnChoices(rt)
		s := rapid.SampledFrom([]repair.Scheme{repair.Dateline, repair.HopIndex}).Draw(rt, "scheme")
		if !n.Discards() || n.FlowCount() == 0 || discardsAtOnce(n) {
			return
		}
		r, err := repair.Propose(rt.Context(), n, repair.Options{Schemes: []repair.Scheme{s}, Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		if len(r.Proposals) == 0 || r.Proposals[0].Network == nil {
			return
		}
		p := r.Proposals[0]
		if p.Check.Verdict() != spec.Holds {
			rt.Fatalf("%s: %s", s, p.Check.Verdict())
		}
		if p.Cost > 1 {
			repaired++
		}
		topo, now := n.Topology(), p.Network.Topology()
		for i := range p.Network.Tables() {
			table := p.Network.Table(i)
			for k, c := range table.Channels {
				site := table.Site(k)
				site.Channel = topo.Channel(now.LinkOf(c), now.VC(c)%topo.Link(now.LinkOf(c)).VCs)
				before, met := n.Hops(site)
				if !met || slices.Contains(before, spec.Discard()) != p.Network.MayDiscard(table.Rows[k]) {
					rt.Fatalf("%s: in %s a packet may be discarded: %t", s, now.ChannelName(c), p.Network.MayDiscard(table.Rows[k]))
				}
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range 5 * each { // few need copies
			one(rt)
		}
	})
	if seedtest.Usual() && repaired < 3 {
		t.Errorf("%d networks needed copies", repaired)
	}
}
