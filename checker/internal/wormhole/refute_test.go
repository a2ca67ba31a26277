package wormhole_test

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

	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestRefute: for networks that brute force finds free there is a proof, for messages of any length or of one, that the
// verifier accepts, whatever the head/tail fixpoint leaves; for others there is none, and no drawn
// steps are accepted as one. Without sums there is a proof of the same. Of the networks that are free for packets, but
// for whose worms the fixpoint raises an alarm, at least a third
// are free, and a third are not.
func TestRefute(t *testing.T) {
	var free, cleared, stuck, learned, sets, sums, networks, proofs int
	rapid.Check(t, func(rt *rapid.T) {
		var n *spec.Network
		switch rapid.SampledFrom([]string{"pigeonholes", "pigeonholes", "pigeonholes", "ring", "any"}).Draw(rt, "kind") {
		case "pigeonholes":
			n = drawnPigeonholes(rt)
		case "ring":
			n = ringWithExits(rt)
		case "any":
			n = netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 9, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		}
		_, left := rest(rt, n)
		channels, under := rapid.SampledFrom([]int{0, 0, 1, 2, 3, 4}).Draw(rt, "length"), (*spec.Scenario)(nil)
		if channels > 0 {
			under = &spec.Scenario{Length: channels}
		}
		proof, _, err := wormhole.Refute(context.Background(), n, under, unsat.Bound{}, wormhole.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		if stuck := plainlyStuck(n, channels, channels > 0); stuck == (proof != nil) {
			rt.Fatalf("stuck: %t, by brute force; proof %v", stuck, proof)
		}
		if plain, _, _ := wormhole.Refute(context.Background(), n, under, unsat.Bound{}, wormhole.Options{Plain: true}); (plain == nil) != (proof == nil) {
			rt.Fatalf("proof without sums: %v, with: %v", plain, proof)
		}
		if proof == nil {
			if !plainlyStuck(n, 1, false) {
				stuck++
			}
			wrong := drawSteps(rt, n, under)
			if unsat.Verify(context.Background(), n, wrong) == nil {
				rt.Fatalf("steps %v are accepted, and the network has a deadlock", wrong)
			}
			return
		}
		if err := unsat.Verify(context.Background(), n, proof); err != nil && n.FlowCount() > 0 {
			rt.Fatalf("%v: %v", proof.Steps, err)
		}
		free++
		if len(left) == 0 {
			return
		}
		cleared++
		ofNetwork, ofProof := sizes(rt, n, proof)
		networks, proofs = networks+ofNetwork, proofs+ofProof
		for _, step := range proof.Steps {
			switch {
			case !step.Clause:
				sets++
			case step.Sum != nil:
				sums++
			default:
				learned++
			}
		}
	})
	t.Logf("%d stuck though packets are free; %d free, %d of them false alarms of the fixpoint; for these, of %d bytes, %d bytes: %d clauses, %d sums and %d sets",
		stuck, free, cleared, networks, proofs, learned, sums, sets)
	if seedtest.Usual() && (3*cleared < cleared+stuck || 3*stuck < cleared+stuck) {
		t.Errorf("%d false alarms of the fixpoint and %d deadlocks: want a third of each", cleared, stuck)
	}
}

// ringWithExits draws a one-way ring of three nodes with up to three links each, with
// destinations on side links, and a table of what is permitted. The fixpoint raises false alarms for
// worms that may leave the ring in one place and not in another.
func ringWithExits(rt *rapid.T) *spec.Network {
	top := spec.NewTopology()
	var ring []spec.NodeID
	for i := range 3 {
		ring = append(ring, top.AddNode(fmt.Sprintf("R%d", i)))
	}
	out := map[spec.NodeID][]spec.ChannelID{}
	for i, from := range ring {
		for range rapid.IntRange(1, 3).Draw(rt, "links") {
			l := top.AddLink(spec.Link{From: from, To: ring[(i+1)%3], VCs: 1})
			out[from] = append(out[from], top.Channel(l, 0))
		}
	}
	var dests []spec.NodeID
	for i := range rapid.IntRange(2, 4).Draw(rt, "destinations") {
		d := top.AddNode(fmt.Sprintf("D%d", i))
		from := rapid.SampledFrom(ring).Draw(rt, "exit")
		exit := top.Channel(top.AddLink(spec.Link{From: from, To: d, VCs: 1}), 0)
		out[from] = append(out[from], exit)
		dests = append(dests, d)
	}
	type question struct {
		at   spec.ChannelID
		dest spec.NodeID
	}
	table := map[question][]spec.Hop{}
	flows := map[question]bool{}
	for _, d := range dests {
		for _, at := range ring {
			flows[question{spec.Injection(at), d}] = rapid.IntRange(0, 2).Draw(rt, "sends") == 0
		}
		for c := range spec.ChannelID(top.Channels()) {
			for _, at := range []spec.ChannelID{c, spec.Injection(top.Head(c))} {
				var hops []spec.Hop
				for _, o := range out[top.Head(c)] {
					if node := top.Head(o); node == d || slices.Contains(ring, node) && rapid.Bool().Draw(rt, "permitted") {
						hops = append(hops, spec.Hop{Channel: o})
					}
				}
				table[question{at, d}] = hops
			}
		}
	}
	n, err := routing.Compile(context.Background(), routing.Definition{
		Name: "ring with exits", Topology: top, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return flows[question{spec.Injection(src), dst}] },
		Routing: routing.Deliver(top, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			return append(dst, table[question{at, h.Dest}]...)
		})),
	}, routing.CompileOptions{})
	if err != nil {
		rt.Fatal(err)
	}
	return n
}

// sizes returns the bytes of a network in its closed form, and of a proof.
func sizes(t fataler, n *spec.Network, r *unsat.Proof) (network, proof int) {
	var a, b bytes.Buffer
	if err := errors.Join(spec.WriteClosed(&a, n), write.Unsatisfiability(&b, r)); err != nil {
		t.Fatal(err)
	}
	return a.Len(), b.Len()
}

// drawnPigeonholes draws pigeonholes in which not every hole fits each pigeon: worms in t1, t2, ...
// go on through some of m1, m2, ..., which may be reached over a tail that several share. A head
// in h, or in one of two, waits for all t or for some. A head in a hole waits for one or both of
// them. Some pigeons may have no sink to leave by, so their heads may wait for holes.
func drawnPigeonholes(rt *rapid.T) *spec.Network {
	pigeons := rapid.IntRange(2, 4).Draw(rt, "pigeons")
	holes := max(1, pigeons-rapid.SampledFrom([]int{1, 1, 0, 2}).Draw(rt, "too few holes"))
	entries := rapid.IntRange(1, 2).Draw(rt, "entries")
	top := spec.NewTopology()
	link := func(from, to spec.NodeID) spec.ChannelID {
		return top.Channel(top.AddLink(spec.Link{From: from, To: to, VCs: 1}), 0)
	}
	entry, exit, middle, fork, last := top.AddNode("H"), top.AddNode("X"), top.AddNode("M"), top.AddNode("F"), top.AddNode("D0")
	type question struct {
		at   spec.ChannelID
		dest spec.NodeID
	}
	table, flows := map[question][]spec.Hop{}, map[question]bool{}
	permit := func(at spec.ChannelID, dest spec.NodeID, to spec.ChannelID) {
		q := question{at, dest}
		if hop := (spec.Hop{Channel: to}); !slices.Contains(table[q], hop) {
			table[q] = append(table[q], hop)
		}
	}
	var hs, ms []spec.ChannelID
	for range entries {
		hs = append(hs, link(middle, entry))
		permit(spec.Injection(middle), last, hs[len(hs)-1])
	}
	flows[question{spec.Injection(middle), last}] = true
	for range holes {
		ms = append(ms, link(fork, middle))
	}
	shared := link(exit, fork)
	for i := range pigeons {
		dest := top.AddNode(fmt.Sprintf("D%d", i+1))
		// A channel of the first entry leads to t, then to its own or the shared channel, then to a hole.
		t, own, arrives := link(entry, exit), link(exit, fork), link(entry, dest)
		flows[question{spec.Injection(entry), dest}] = true
		permit(spec.Injection(entry), dest, t)
		permit(hs[i%entries], last, t)
		if rapid.IntRange(0, 7).Draw(rt, "sink") != 7 {
			permit(t, dest, link(exit, dest))
		}
		ways := rapid.IntRange(0, 4).Draw(rt, "ways")
		if ways != 1 {
			permit(t, dest, own)
		}
		if ways < 2 {
			permit(t, dest, shared)
		}
		before := []spec.ChannelID{own, shared}
		sink := link(fork, dest)
		for _, b := range before {
			permit(b, dest, sink)
		}
		for _, m := range ms {
			if rapid.IntRange(0, 7).Draw(rt, "fits") == 7 {
				continue
			}
			for _, b := range before {
				permit(b, dest, m)
			}
			for _, h := range hs {
				permit(h, dest, arrives)
				if h == hs[0] || rapid.Bool().Draw(rt, "waits for both") {
					permit(m, dest, h)
				}
			}
		}
	}
	n, err := routing.Compile(context.Background(), routing.Definition{
		Name: "drawn pigeonholes", Topology: top, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return flows[question{spec.Injection(src), dst}] },
		Routing: routing.Deliver(top, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			return append(dst, table[question{at, h.Dest}]...)
		})),
	}, routing.CompileOptions{})
	if err != nil {
		rt.Fatal(err)
	}
	return n
}

// drawSteps draws steps that look like a proof: sets of sites, and short clauses, preferably the
// strongest kind, that a channel is not held.
func drawSteps(rt *rapid.T, n *spec.Network, under *spec.Scenario) *unsat.Proof {
	r := &unsat.Proof{Network: n.Digest(), Under: under}
	channels, hops, sites := int32(n.Topology().Channels()), int32(0), int32(n.SiteCount())
	for i := range n.Tables() {
		for _, row := range n.Table(i).Rows {
			hops += int32(len(n.Row(row)))
		}
	}
	if under != nil {
		layers := int32(max(1, wormhole.Holds(n, under.Length)))
		hops, sites = hops*layers, sites*layers
	}
	last := 2*(channels+sites+int32(n.RowCount())+hops) - 1
	for range rapid.IntRange(1, 30).Draw(rt, "steps") {
		step := unsat.Step{Clause: true}
		switch rapid.IntRange(0, 2).Draw(rt, "kind") {
		case 0:
			step.List = []int32{2*rapid.Int32Range(0, channels-1).Draw(rt, "channel") + 1}
		case 1:
			step.List = rapid.SliceOfN(rapid.Int32Range(0, last), 0, 3).Draw(rt, "clause")
		case 2:
			step = unsat.Step{List: rapid.SliceOfN(rapid.Int32Range(0, sites-1), 1, int(sites)).Draw(rt, "sites")}
		}
		r.Steps = append(r.Steps, step)
	}
	return r
}

// proofOf proves pigeonholes free.
func proofOf(t *testing.T, n *spec.Network) *unsat.Proof {
	t.Helper()
	proof, _, err := wormhole.Refute(t.Context(), n, nil, unsat.Bound{}, wormhole.Options{})
	if err != nil || proof == nil {
		t.Fatalf("%v, %v; want a proof", proof, err)
	}
	return proof
}

// TestRefutePigeonholes: with one more pigeon than holes there is a proof; with equally many there
// is none.
func TestRefutePigeonholes(t *testing.T) {
	for pigeons := 2; pigeons <= 7; pigeons++ {
		if proof, _, err := wormhole.Refute(t.Context(), pigeonholes(t, pigeons, pigeons), nil, unsat.Bound{}, wormhole.Options{}); proof != nil || err != nil {
			t.Errorf("%d pigeons, as many holes: %v, %v", pigeons, proof, err)
		}
		n := pigeonholes(t, pigeons, pigeons-1)
		proof := proofOf(t, n)
		if err := unsat.Verify(t.Context(), n, proof); err != nil {
			t.Errorf("%d pigeons: %v", pigeons, err)
		}
		var written bytes.Buffer
		if err := write.Unsatisfiability(&written, proof); err != nil {
			t.Fatal(err)
		}
		back, err := unsat.Read("proof", &written)
		if diff := cmp.Diff(proof, back); err != nil || diff != "" {
			t.Errorf("%d pigeons: read back: %v, %s", pigeons, err, diff)
		}
	}
}

// TestRefutationMutants: proofs of pigeonholes with a step left out, a literal negated, a site or a
// literal replaced, a clause of a sum left out or repeated. As the network is free, what is accepted
// is still a proof. With one hole more the theorem is false, so none is accepted for that
// network.
func TestRefutationMutants(t *testing.T) {
	free, stuck := pigeonholes(t, 4, 3), pigeonholes(t, 4, 4)
	proof := proofOf(t, free)
	tried, refused := 0, 0
	try := func(steps []unsat.Step) {
		tried++
		if unsat.Verify(t.Context(), free, &unsat.Proof{Network: free.Digest(), Steps: steps}) != nil {
			refused++
		}
		if unsat.Verify(t.Context(), stuck, &unsat.Proof{Network: stuck.Digest(), Steps: steps}) == nil {
			t.Errorf("%v is accepted for a network with a deadlock", steps)
		}
	}
	sums := 0
	for i, step := range proof.Steps {
		with := func(list []int32, sum [][]int32) {
			mutant := unsat.Step{Clause: step.Clause, List: list, Sum: sum}
			try(slices.Concat(proof.Steps[:i], []unsat.Step{mutant}, proof.Steps[i+1:]))
		}
		try(slices.Concat(proof.Steps[:i], proof.Steps[i+1:]))
		for _, list := range changed(step.List) {
			with(list, step.Sum)
		}
		if step.Sum == nil {
			continue
		}
		sums++
		with(step.List, nil)
		before := refused
		for j, some := range step.Sum {
			with(step.List, slices.Concat(step.Sum[:j], step.Sum[j+1:]))
			with(step.List, slices.Concat(step.Sum, step.Sum[j:j+1]))
			with(step.List, slices.Concat(step.Sum[:j], step.Sum[j+1:], step.Sum[:1], step.Sum[1:2])) // another one twice
			for _, list := range append(changed(some), some[1:]) {
				with(step.List, slices.Concat(step.Sum[:j], [][]int32{list}, step.Sum[j+1:]))
			}
		}
		t.Logf("%d mutants of a sum refused", refused-before)
	}
	t.Logf("%d of %d mutants refused", refused, tried)
	if refused < tried/3 || sums == 0 {
		t.Errorf("%d of %d mutants refused, of proofs with %d sums", refused, tried, sums)
	}
}

// changed returns lists of numbers with one of them replaced.
func changed(list []int32) (all [][]int32) {
	for k, x := range list {
		for _, other := range []int32{x ^ 1, x + 2, 0} {
			mutant := slices.Clone(list)
			mutant[k] = other
			all = append(all, mutant)
		}
	}
	return all
}

// TestRefutationWrong: steps that are not steps, and proofs of something else.
func TestRefutationWrong(t *testing.T) {
	n := pigeonholes(t, 3, 2)
	proof := proofOf(t, n)
	last := len(proof.Steps) - 1
	steps := func(all ...unsat.Step) *unsat.Proof {
		return &unsat.Proof{Network: n.Digest(), Steps: all}
	}
	for _, tt := range []struct {
		name, want string
		n          *spec.Network
		r          *unsat.Proof
	}{
		{"no steps", "without a contradiction", n, steps()},
		{"cut off", "without a contradiction", n, steps(proof.Steps[:last]...)},
		{"no such site", "out of range", n, steps(unsat.Step{List: []int32{int32(n.SiteCount())}})},
		{"no such literal", "out of range", n, steps(unsat.Step{Clause: true, List: []int32{1 << 30}})},
		{"negative", "out of range", n, steps(unsat.Step{Clause: true, List: []int32{-1}})},
		{"the empty clause", "does not follow", n, steps(unsat.Step{Clause: true})},
		{"no such literal in a sum", "out of range", n, steps(unsat.Step{Clause: true, Sum: [][]int32{{0}, {1 << 30}}})},
		{"another network", "another network", n, &unsat.Proof{Steps: proof.Steps}},
		{"no flows", "no flows", twoNodes(t), proof},
		{"a bound of no unit", "invalid bound", n, &unsat.Proof{Bound: unsat.Bound{Of: unsat.Dateline + 1, Most: 1}, Steps: proof.Steps}},
		{"a bound of nothing", "invalid bound", n, &unsat.Proof{Bound: unsat.Bound{Of: unsat.Packets}, Steps: proof.Steps}},
		{"no bound of something", "invalid bound", n, &unsat.Proof{Bound: unsat.Bound{Most: 1}, Steps: proof.Steps}},
		{"a negative bound", "invalid bound", n, &unsat.Proof{Bound: unsat.Bound{Of: unsat.Channels, Most: -1}, Steps: proof.Steps}},
	} {
		r := *tt.r
		if r.Bound != (unsat.Bound{}) || tt.n != n {
			r.Network = tt.n.Digest()
		}
		if err := unsat.Verify(t.Context(), tt.n, &r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; want an error that says %q", tt.name, err, tt.want)
		}
	}
	// A clause without content follows, whichever of its literals is true.
	nothings := [][]int32{{0, 1, 2}, {2, 0, 1}}
	for c := range int32(n.Topology().Channels()) {
		nothings = append(nothings, []int32{2 * c, 2*c + 1}, []int32{2*c + 1, 2 * c})
	}
	for _, nothing := range nothings {
		padded := slices.Concat([]unsat.Step{{Clause: true, List: nothing}}, proof.Steps)
		if err := unsat.Verify(t.Context(), n, steps(padded...)); err != nil {
			t.Errorf("with the clause %v: %v", nothing, err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := unsat.Verify(stopped, n, proof); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// twoNodes is a network in which nobody sends.
func twoNodes(t *testing.T) *spec.Network {
	t.Helper()
	top := spec.NewTopology()
	a, b := top.AddNode("A"), top.AddNode("B")
	c := top.Channel(top.AddLink(spec.Link{From: a, To: b, VCs: 1}), 0)
	n, err := routing.Compile(t.Context(), routing.Definition{
		Name: "two nodes", Topology: top, Switching: spec.StoreAndForward,
		Flows: func(_, _ spec.NodeID, _ spec.Class) bool { return false },
		Routing: routing.Deliver(top, routing.Func(func(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: c})
		})),
	}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
