package change_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/change"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// mesh returns the topology of a mesh with k columns and rows.
func mesh(columns, rows int) *spec.Topology {
	t := spec.NewTopology()
	for y := range rows {
		for x := range columns {
			t.AddNode("", x, y)
		}
	}
	for v := range spec.NodeID(columns * rows) {
		if x := int(v) % columns; x+1 < columns {
			t.AddLink(spec.Link{From: v, To: v + 1, VCs: 1, Dim: 1})
			t.AddLink(spec.Link{From: v + 1, To: v, VCs: 1, Dim: 1})
		}
		if w := v + spec.NodeID(columns); int(w) < columns*rows {
			t.AddLink(spec.Link{From: v, To: w, VCs: 1, Dim: 2})
			t.AddLink(spec.Link{From: w, To: v, VCs: 1, Dim: 2})
		}
	}
	return t
}

// dimensionOrder routes in a mesh by columns of nodes first, or by rows.
func dimensionOrder(t *spec.Topology, first int) routing.Definition {
	return routing.Definition{
		Name: []string{"xy", "yx"}[first], Topology: t, Switching: spec.VirtualCutThrough,
		Routing: routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			v := t.Head(at)
			here, there := t.Node(v).At, t.Node(h.Dest).At
			for _, d := range []int{first, 1 - first} {
				if here[d] == there[d] {
					continue
				}
				for _, l := range t.OutLinks(v) {
					to := t.Node(t.Link(l).To).At
					if to[1-d] == here[1-d] && (to[d] > here[d]) == (there[d] > here[d]) {
						return append(dst, spec.Hop{Channel: t.Channel(l, 0)})
					}
				}
			}
			return dst
		})),
	}
}

func decide(t *testing.T, before, after routing.Definition, opt change.Options) *change.Result {
	t.Helper()
	r, err := change.Decide(t.Context(), before, after, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTurning: from XY to YX no order is safe without waiting. In a rectangle, packets that old tables have sent east
// and west and packets that new ones send north and south block each other, whatever happened in between. A round for
// each column is safe.
func TestTurning(t *testing.T) {
	topo := mesh(3, 3)
	for i, manner := range []changes.Manner{{}, {Committed: true}, {Stalls: true}, {Committed: true, Stalls: true}} {
		for k, switching := range []spec.Switching{spec.StoreAndForward, spec.Wormhole} {
			if !seedtest.Sampled(2*i+k, 3) {
				continue
			}
			a, b := dimensionOrder(topo, 0), dimensionOrder(topo, 1)
			a.Switching, b.Switching = switching, switching
			r := decide(t, a, b, change.Options{Manner: manner, NoWait: 2*i+k > 0})
			if r.Verdict() != spec.Violated || r.Findings[0].Verdict != spec.Violated || !r.EveryOrder() {
				t.Errorf("%v, %s: %+v", manner, switching, r.Findings)
			}
			for _, f := range r.Findings[1:] {
				if f.Verdict != spec.Holds {
					t.Errorf("%v: %s %s: %s", manner, f.Property, f.Verdict, f.Because)
				}
			}
			if 2*i+k > 0 {
				continue
			}
			// One round is none that waits, so two are the fewest.
			if len(r.Rounds.Turns) != 2 || r.Rounds.Least != 2 || !r.Rounds.Proved || len(r.Rounds.Findings) != 3 {
				t.Errorf("rounds %v, at least %d, proved %t: %s", r.Rounds.Turns, r.Rounds.Least, r.Rounds.Proved, r.Rounds.Because)
			}
			forge(t, r)
		}
	}
}

// forge changes evidence and has it refused: each claim below says more than its certificates or its steps show.
func forge(t *testing.T, r *change.Result) {
	t.Helper()
	refused := func(what string, e evidence.Evidence) {
		t.Helper()
		if err := e.Verify(t.Context(), evidence.Options{}); err == nil {
			t.Errorf("%s: accepted", what)
		}
		if err := e.Verify(t.Context(), evidence.Options{Plain: true}); err == nil {
			t.Errorf("%s: accepted by the plain check", what)
		}
	}
	trace := *r.Findings[0].Evidence.(evidence.ChangeTrace).Trace
	of := func(f func(*changes.Trace)) evidence.Evidence {
		x := trace
		x.Steps = slices.Clone(trace.Steps)
		f(&x)
		return evidence.ChangeTrace{Network: r.Pair, Trace: &x}
	}
	first := slices.IndexFunc(trace.Steps, func(s changes.Step) bool { return s.Rewrites })
	refused("a router is not rewritten", of(func(x *changes.Trace) { x.Steps = slices.Delete(x.Steps, first, first+1) }))
	refused("a router is rewritten twice", of(func(x *changes.Trace) { x.Steps = slices.Insert(x.Steps, first, x.Steps[first]) }))
	refused("a packet is routed by the other table", of(func(x *changes.Trace) { x.Steps[0].Move.Header.Class ^= 1 }))
	refused("the last packet is missing", of(func(x *changes.Trace) { x.Steps = x.Steps[:len(x.Steps)-1] }))
	refused("a channel more is stuck", of(func(x *changes.Trace) { x.Stuck = append(slices.Clone(x.Stuck), 1000) }))
	refused("nothing is stuck", of(func(x *changes.Trace) { x.Stuck = nil }))
	refused("another network", of(func(x *changes.Trace) { x.Network[0]++ }))
	again := of(func(x *changes.Trace) { x.Steps[first], x.Steps[first+1] = x.Steps[first+1], x.Steps[first] })
	if again.Verify(t.Context(), evidence.Options{}) != nil {
		t.Error("another order of rewriting is refused")
	}
	for _, f := range r.Rounds.Findings {
		plan := f.Evidence.(evidence.ChangePlan).Plan
		with := func(g func(*changes.Plan)) evidence.Evidence {
			x := *plan
			x.Rounds, x.Mixtures, x.Certificates = slices.Clone(plan.Rounds), slices.Clone(plan.Mixtures), slices.Clone(plan.Certificates)
			g(&x)
			return evidence.ChangePlan{Network: r.Pair, Plan: &x}
		}
		refused("rounds exchanged", with(func(x *changes.Plan) { slices.Reverse(x.Rounds) }))
		refused("a round is missing", with(func(x *changes.Plan) {
			x.Rounds, x.Mixtures, x.Certificates = x.Rounds[:1], x.Mixtures[:1], x.Certificates[:1]
		}))
		refused("one round", with(func(x *changes.Plan) {
			x.Rounds, x.Mixtures, x.Certificates = [][]spec.NodeID{slices.Concat(x.Rounds...)}, x.Mixtures[:1], x.Certificates[:1]
		}))
		refused("another mixture", with(func(x *changes.Plan) { x.Mixtures[0] = changes.Committed }))
		refused("a router twice", with(func(x *changes.Plan) { x.Rounds[1] = append(slices.Clone(x.Rounds[1]), x.Rounds[0][0]) }))
		other := with(func(x *changes.Plan) {
			x.Rounds[0] = slices.Clone(x.Rounds[0])
			slices.Reverse(x.Rounds[0])
		}).(evidence.ChangePlan).Plan
		if err := changes.Verify(t.Context(), r.Pair, false, plan, other); err == nil {
			t.Error("two plans at once whose rounds differ: accepted")
		}
		refused("a certificate for another round", with(func(x *changes.Plan) { x.Certificates[0] = x.Certificates[1] }))
		// The written form is read back as it was.
		var b bytes.Buffer
		if err := write.Evidence(&b, f.Evidence); err != nil {
			t.Fatal(err)
		}
		again, err := evidence.OfNetwork(r.Pair).Read("plan", b.Bytes())
		if diff := cmp.Diff(f.Evidence.(evidence.ChangePlan).Plan, again.(evidence.ChangePlan).Plan); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// hashed commits packets to one of both VCs of a ring of three; any other routing here lets them take any.
type hashed struct{ topo *spec.Topology }

func (h hashed) Alternatives(at spec.ChannelID, p spec.Header) (all [][]spec.Hop, err error) {
	hops, _ := (anyVC(h)).AppendHops(nil, at, p)
	for _, hop := range hops {
		all = append(all, []spec.Hop{hop})
	}
	return all, nil
}

func (h hashed) AppendHops(dst []spec.Hop, at spec.ChannelID, p spec.Header) ([]spec.Hop, error) {
	if h.topo.Head(at) != p.Dest {
		return dst, routing.ErrCommits
	}
	return append(dst, spec.Hop{Channel: spec.Eject}), nil
}

type anyVC struct{ topo *spec.Topology }

func (a anyVC) AppendHops(dst []spec.Hop, at spec.ChannelID, p spec.Header) ([]spec.Hop, error) {
	v := a.topo.Head(at)
	if v == p.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	l := a.topo.OutLinks(v)[0]
	return append(dst, spec.Hop{Channel: a.topo.Channel(l, 0)}, spec.Hop{Channel: a.topo.Channel(l, 1)}), nil
}

// TestCommits: in a ring of three, packets block each other in any tables that lead round it. The verdicts are those of
// tables in the closed form, too; a trace names the alternative where its table commits packets, and nowhere else; and
// one in which a packet takes the hop of another alternative is refused.
func TestCommits(t *testing.T) {
	topo := spec.NewTopology("a", "b")
	for i := range 3 {
		topo.AddNode(string(rune('u' + i)))
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 2})
	}
	adaptive := routing.Definition{Name: "adaptive", Topology: topo, Routing: anyVC{topo}}
	commits := routing.Definition{Name: "hashed", Topology: topo, Routing: hashed{topo}}
	tables := change.Tables(routingtest.Compile(t, commits))
	for _, c := range []struct {
		before, after routing.Definition
		old, renewed  bool // the alternative is named
	}{
		{commits, adaptive, true, false}, {adaptive, commits, false, true}, {tables, adaptive, true, false},
		{adaptive, tables, false, true}, {tables, commits, true, true},
	} {
		for _, committed := range []bool{false, true} {
			r := decide(t, c.before, c.after, change.Options{Manner: changes.Manner{Committed: committed}, NoWait: true})
			for i, want := range []spec.Verdict{spec.Violated, spec.Holds, spec.Holds} {
				if f := r.Findings[i]; f.Verdict != want {
					t.Errorf("%s to %s: %s %s: %s", c.before.Name, c.after.Name, f.Property, f.Verdict, f.Because)
				}
			}
			e, is := r.Findings[0].Evidence.(evidence.ChangeTrace)
			if !is {
				continue
			}
			comments := e.Trace.Comments(r.Pair)
			for i, s := range e.Trace.Steps {
				named := strings.Contains(comments[i], "(alternative ")
				if want := c.old; !s.Rewrites && s.Move.From.IsInjection() {
					if s.Move.Header.Class == 1 {
						want = c.renewed
					}
					if named != want {
						t.Errorf("%s to %s: %q, want an alternative: %t", c.before.Name, c.after.Name, comments[i], want)
					}
				}
				if !named || s.Rewrites {
					continue
				}
				forged := *e.Trace
				forged.Steps = slices.Clone(e.Trace.Steps)
				forged.Steps[i].Move.Hop.Channel ^= 1 // the other VC
				if changes.Replay(r.Pair, &forged) == nil {
					t.Errorf("%q by the hop of the other alternative: accepted", comments[i])
				}
			}
		}
	}
}

// TestHalves: what lacks a topology or a routing, before or after, is refused and not followed.
func TestHalves(t *testing.T) {
	whole := dimensionOrder(mesh(2, 2), 0)
	for _, half := range []routing.Definition{{}, {Topology: whole.Topology}, {Routing: whole.Routing}} {
		for _, pair := range [][2]routing.Definition{{half, whole}, {whole, half}} {
			_, err := change.Decide(t.Context(), pair[0], pair[1], change.Options{})
			if err == nil || !strings.Contains(err.Error(), "two topologies with routing") {
				t.Errorf("topologies %t and %t, routing %t and %t: %v, want a refusal", pair[0].Topology != nil, pair[1].Topology != nil,
					pair[0].Routing != nil, pair[1].Routing != nil, err)
			}
		}
	}
}

// TestFailedLink: a packet that has crossed a link to its destination arrives, although the new tables lack the link.
// In a triangle 0, 1, 2 that loses the links between 0 and 2, packets between these go by 1: nothing can wait in a cycle.
func TestFailedLink(t *testing.T) {
	line := func(closed bool) routing.Definition {
		topo := spec.NewTopology()
		for range 3 {
			topo.AddNode("")
		}
		for _, l := range [][2]spec.NodeID{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 0}, {0, 2}} {
			if closed || l[0]+l[1] != 2 {
				topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: 1})
			}
		}
		return routing.Definition{
			Name: "line", Topology: topo, Switching: spec.VirtualCutThrough,
			Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				next := h.Dest
				if v := topo.Head(at); !closed && v+h.Dest == 2 {
					next = 1
				}
				for _, l := range topo.OutLinks(topo.Head(at)) {
					if topo.Link(l).To == next {
						dst = append(dst, spec.Hop{Channel: topo.Channel(l, 0)})
					}
				}
				return dst
			})),
		}
	}
	r, err := change.Decide(t.Context(), line(true), line(false), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Verdict != spec.Holds {
			t.Errorf("%s %s: %s", f.Property, f.Verdict, f.Because)
		}
	}
}

// crossing routes packets on a mesh of 2x2 along x first, or y first.
type crossing struct {
	topo   *spec.Topology
	yFirst bool
	byWay  bool // packets that have come over a link take VC 1
}

func (x crossing) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	v := x.topo.Head(at)
	if v == h.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	bit := (v ^ h.Dest) & 1 // node y*2 + x
	if (v^h.Dest)&2 != 0 && (bit == 0 || x.yFirst) {
		bit = 2
	}
	vc := 0
	if x.byWay && !at.IsInjection() {
		vc = 1
	}
	for _, l := range x.topo.OutLinks(v) {
		if x.topo.Link(l).To == v^bit {
			dst = append(dst, spec.Hop{Channel: x.topo.Channel(l, vc)})
		}
	}
	return dst, nil
}

// TestTables: where routers forward by destination, as on a mesh along x and then y, tables say as much as the relation
// that they are from, though they list only where their own packets come: verdicts are the same. Where the VC depends on
// where a packet came from, nothing says which one a packet of the other network gets, so the change is refused.
func TestTables(t *testing.T) {
	topo := spec.NewTopology("direct", "later")
	for range 4 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(4) {
		for _, bit := range []spec.NodeID{1, 2} {
			topo.AddLink(spec.Link{From: v, To: v ^ bit, VCs: 2})
		}
	}
	verdicts := func(listed, committed, byWay bool) (out []string, err error) {
		var both [2]routing.Definition
		for i := range both {
			both[i] = routing.Definition{
				Name: "mesh", Topology: topo, Switching: spec.VirtualCutThrough,
				Routing: routing.Named("crossing", crossing{topo, i == 1, byWay}),
			}
			if listed {
				both[i] = change.Tables(routingtest.Compile(t, both[i]))
			}
		}
		r, err := change.Decide(t.Context(), both[0], both[1], change.Options{Manner: changes.Manner{Committed: committed}})
		if err != nil {
			return nil, err
		}
		for _, f := range r.Findings {
			out = append(out, f.Property.String()+" "+f.Verdict.String())
		}
		return out, nil
	}
	for _, committed := range []bool{false, true} {
		want, err := verdicts(false, committed, false)
		if err != nil || !slices.Contains(want, "deadlock-freedom violated") { // a square of turns, two of each routing
			t.Fatalf("%q, %v, want a deadlock", want, err)
		}
		got, err := verdicts(true, committed, false)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("committed %t: by tables (-want +got):\n%s%v", committed, diff, err)
		}
	}
	if got, err := verdicts(true, false, true); err == nil || !strings.Contains(err.Error(), "do not list") {
		t.Errorf("VCs by the way of a packet: %q, %v, want a refusal", got, err)
	}
}

// TestFatTree: the link from a spine down to leaf 0 fails. Leaves then send to leaf 0 through the other spine, and the
// spine sends what it still gets for leaf 0 back down to leaf 1, or has no hop for it. The first is safe in any order:
// channels up to the first spine, down from it, up to the second and down from it are ever further on a way. The second
// loses packets that wait at the spine when it is rewritten, unless the leaves are rewritten one round before.
func TestFatTree(t *testing.T) {
	const leaves, first, second = spec.NodeID(4), spec.NodeID(4), spec.NodeID(5)
	tree := func(failed, bounces bool) routing.Definition {
		topo := spec.NewTopology()
		for range second + 1 {
			topo.AddNode("")
		}
		for v := range leaves {
			for _, s := range []spec.NodeID{first, second} {
				topo.AddLink(spec.Link{From: v, To: s, VCs: 1})
				if !failed || v != 0 || s != first {
					topo.AddLink(spec.Link{From: s, To: v, VCs: 1})
				}
			}
		}
		return routing.Definition{
			Name: "tree", Topology: topo, Switching: spec.VirtualCutThrough,
			Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src < leaves && dst < leaves && src != dst },
			Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				v, next := topo.Head(at), h.Dest
				switch {
				case v < leaves && (h.Dest%2 == 1 || failed && h.Dest == 0):
					next = second
				case v < leaves:
					next = first
				case v == first && failed && h.Dest == 0 && bounces:
					next = 1
				}
				for _, l := range topo.OutLinks(v) {
					if topo.Link(l).To == next {
						dst = append(dst, spec.Hop{Channel: topo.Channel(l, 0)})
					}
				}
				return dst
			})),
		}
	}
	for _, bounces := range []bool{true, false} {
		want := []string{"holds", "holds", "violated"}
		if bounces {
			want[2] = "holds"
		}
		r := decide(t, tree(false, false), tree(true, bounces), change.Options{})
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Verdict.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("bounces %t: deadlock, livelock, delivery (-want +got):\n%s", bounces, diff)
		}
		if bounces {
			continue
		}
		if r.Rounds == nil || len(r.Rounds.Turns) != 2 || slices.Contains(r.Rounds.Turns[0], first) || !r.Rounds.Proved {
			t.Errorf("rounds %+v, want two, of which the first does not rewrite the spine", r.Rounds)
		}
	}
}

// TestLoopWithAWayOut: a packet for node 2 goes from 0 to 1 by the old tables, and from 1 to 0 or to 2 by the new ones.
// If the rewriting stalls in between, it may move forever, but never loses its way: livelock is violated, delivery not.
func TestLoopWithAWayOut(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for _, l := range [][2]spec.NodeID{{0, 1}, {1, 0}, {0, 2}, {1, 2}} {
		topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: 1})
	}
	line := func(renewed bool) routing.Definition {
		return routing.Definition{
			Name: "line", Topology: topo, Switching: spec.VirtualCutThrough,
			Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 },
			Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				for _, l := range topo.OutLinks(topo.Head(at)) {
					switch k := topo.Link(l); {
					case renewed && k.From == 0 && k.To == 1, !renewed && k.From == 0 && k.To == 2, !renewed && k.From == 1 && k.To == 0:
					default:
						dst = append(dst, spec.Hop{Channel: topo.Channel(l, 0)})
					}
				}
				return dst
			})),
		}
	}
	for _, committed := range []bool{false, true} {
		r := decide(t, line(false), line(true), change.Options{
			Manner: changes.Manner{Committed: committed, Stalls: true}, NoWait: true,
		})
		if f := r.Findings[1]; f.Verdict != spec.Violated {
			t.Errorf("%s %s: %s", f.Property, f.Verdict, f.Because)
		}
		if f := r.Findings[2]; f.Verdict == spec.Violated {
			t.Errorf("%s %s: %s", f.Property, f.Verdict, f.Because)
		}
	}
}

// TestBound: that fewer rounds do not do is shown by traces, none of which can be left out, and which do not show more.
// It is read back as it was written.
func TestBound(t *testing.T) {
	rounds := map[string]int{}
	check := func(t rapid.TB, before, after routing.Definition, opt change.Options) {
		r, err := change.Decide(context.Background(), before, after, opt)
		if err != nil || r.Rounds == nil || r.Rounds.Bound == nil {
			return
		}
		e := r.Rounds.Bound.(evidence.ChangeBound)
		rounds[fmt.Sprint(e.Rounds, " ", r.Rounds.Turns != nil)]++
		refused := func(what string, f func(b *changes.Bound)) {
			t.Helper()
			x := *e.Bound
			x.Traces = slices.Clone(x.Traces)
			f(&x)
			if err := x.Verify(r.Pair); err == nil {
				t.Errorf("%s: accepted", what)
			}
		}
		if n := len(r.Rounds.Turns); n > 0 && n != e.Rounds {
			t.Errorf("%d rounds, at least %d", n, e.Rounds)
		}
		refused("a round more", func(b *changes.Bound) { b.Rounds++ })
		refused("no rounds", func(b *changes.Bound) { b.Rounds = 0 })
		refused("another manner", func(b *changes.Bound) { b.Committed = !b.Committed })
		refused("another network", func(b *changes.Bound) { b.Network[0]++ })
		for i := range e.Traces {
			refused("a trace less", func(b *changes.Bound) { b.Traces = slices.Delete(b.Traces, i, i+1) })
		}
		var b bytes.Buffer
		if err := write.Evidence(&b, e); err != nil {
			t.Fatal(err)
		}
		again, err := evidence.OfNetwork(r.Pair).Read("bound", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e.Bound, again.(evidence.ChangeBound).Bound, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	topo := mesh(2, 2)
	check(t, dimensionOrder(topo, 0), dimensionOrder(topo, 1), change.Options{})
	if rounds["2 true"] != 1 {
		t.Errorf("a rectangle needs two rounds: %v", rounds)
	}
	// A way 0, 1, 2, 3 to 4 is turned to 0, 3, 2, 1, 4. If 2 is rewritten while 1 may not be, a packet may go to and fro
	// between them, and so may one between 3 and 2: three rounds, if the rewriting may stall.
	line := spec.NewTopology()
	for range 5 {
		line.AddNode("")
	}
	next := [2]map[spec.NodeID]spec.ChannelID{{}, {}}
	for i, way := range [][]spec.NodeID{{0, 1, 2, 3, 4}, {0, 3, 2, 1, 4}} {
		for k, v := range way[:4] {
			next[i][v] = line.Channel(line.AddLink(spec.Link{From: v, To: way[k+1], VCs: 1}), 0)
		}
	}
	turned := func(i int) routing.Definition {
		return routing.Definition{
			Name: "way", Topology: line, Switching: spec.VirtualCutThrough,
			Flows: func(_, dst spec.NodeID, _ spec.Class) bool { return dst == 4 },
			Routing: routing.Deliver(line, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
				return append(dst, spec.Hop{Channel: next[i][line.Head(at)]})
			})),
		}
	}
	check(t, turned(0), turned(1), change.Options{Manner: changes.Manner{Stalls: true}})
	if rounds["3 true"] != 1 {
		t.Errorf("the turned way needs three rounds: %v", rounds)
	}
	rapid.Check(t, func(rt *rapid.T) {
		o := netgen.Options{Nodes: 4, Channels: 6, MayFail: rapid.IntRange(0, 3).Draw(rt, "may fail") == 0, Ring: true, Sparse: true}
		before := netgen.Definition(rt, o)
		before.Switching = spec.VirtualCutThrough
		after := before
		after.Routing = netgen.Table(rt, before.Topology, max(1, before.Tags), o.MayFail)
		check(rt, before, after, change.Options{States: 300, Manner: changes.Manner{Stalls: rapid.Bool().Draw(rt, "stalls")}})
	})
	if seedtest.Usual() && len(rounds) < 5 {
		t.Errorf("rounds and whether they do: %v", rounds)
	}
}

// TestReplies: two nodes ask each other, requests on VC 0 and replies on VC 1, and by the new tables the other way round.
// Either is acyclic. But requests that wait in VC 0 while request buffers are full keep the replies of the new tables out of
// it, whatever the order of rewriting. One node after the other is safe: requests and replies of old and new tables then
// share VC 0 in one direction alone. With the VCs left as they are, nothing is to be rewritten.
func TestReplies(t *testing.T) {
	topo := spec.NewTopology()
	topo.AddNode("a")
	topo.AddNode("b")
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 2})
	topo.AddLink(spec.Link{From: 1, To: 0, VCs: 2})
	asking := func(requests int) routing.Definition {
		return routing.Definition{
			Name: "asking", Topology: topo, Switching: spec.StoreAndForward, Classes: []string{"req", "rsp"},
			Replies: []routing.Reply{{Request: 0, Reply: 1}},
			Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				return append(dst, spec.Hop{Channel: topo.Channel(spec.LinkID(topo.Head(at)), (requests+int(h.Class))%2)})
			})),
		}
	}
	r := decide(t, asking(0), asking(1), change.Options{})
	if f := r.Findings[0]; f.Verdict != spec.Violated || r.Differ != 2 || !r.EveryOrder() {
		t.Errorf("%s: %s; %d routers differ", f.Verdict, f.Because, r.Differ)
	}
	if r.Rounds == nil || len(r.Rounds.Turns) != 2 {
		t.Errorf("rounds: %+v, want one node after the other", r.Rounds)
	}
	trace := r.Findings[0].Evidence.(evidence.ChangeTrace)
	var said []string
	for _, line := range trace.Trace.Steps {
		if !line.Rewrites {
			said = append(said, r.Pair.Message(spec.Site{Channel: line.Move.From, Header: line.Move.Header}))
		}
	}
	if !slices.Contains(said, "req to b") {
		t.Errorf("%q, want the messages that move", said)
	}
	r = decide(t, asking(0), asking(0), change.Options{})
	if f := r.Findings[0]; f.Verdict != spec.Holds || r.Differ != 0 {
		t.Errorf("nothing changes: %s: %s; %d routers differ", f.Verdict, f.Because, r.Differ)
	}
}

// TestRoom: in a ring of three with two places a channel, tables that differ in the room of one entry alone are two
// tables. Where the new ones let a packet in at node 0 without a bubble, the ring fills, whatever the order. Where they
// keep it, too, bubbles keep the ring from filling.
func TestRoom(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
	}
	ring := func(first uint16) routing.Definition {
		return routing.Definition{
			Name: "ring", Topology: topo, Switching: spec.StoreAndForward, Buffer: 2,
			Flows: func(src, dest spec.NodeID, _ spec.Class) bool { return dest == (src+2)%3 },
			Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
				h := spec.Hop{Channel: spec.ChannelID(p.Node)}
				switch {
				case p.Node == p.Dest:
					h.Channel = spec.Eject
				case p.At.IsInjection() && p.Node == 0:
					h.Room = first
				case p.At.IsInjection():
					h.Room = 2
				}
				return routing.Adaptive(h)
			}},
		}
	}
	r := decide(t, ring(2), ring(1), change.Options{})
	if f := r.Findings[0]; f.Verdict != spec.Violated || r.Differ != 1 || !r.EveryOrder() {
		t.Errorf("an entry forgets its bubble: %s (%s), %d routers differ", f.Verdict, f.Because, r.Differ)
	}
	r = decide(t, ring(2), ring(2), change.Options{NoWait: true})
	if f := r.Findings[0]; f.Verdict != spec.Holds {
		t.Errorf("all bubbles are kept: %s (%s)", f.Verdict, f.Because)
	}
}

// TestBubbles: the packets of a ring of four go clockwise, and by new tables one hop back where that is shorter. Each entry
// of either table leaves a place free, so nothing blocks in any mixture. With one entry of the new table that does not,
// packets fill the ring once it is in force.
func TestBubbles(t *testing.T) {
	topo := spec.NewTopology()
	for range 4 {
		topo.AddNode("")
	}
	for _, step := range []spec.NodeID{1, 3} { // clockwise, and back
		for v := range spec.NodeID(4) {
			topo.AddLink(spec.Link{From: v, To: (v + step) % 4, VCs: 1})
		}
	}
	ring := func(name string, short bool, bare spec.NodeID) routing.Definition {
		return routing.Definition{
			Name: name, Topology: topo, Switching: spec.VirtualCutThrough, Buffer: 2,
			Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				v, back := topo.Head(at), !at.IsInjection() && at >= 4
				if at.IsInjection() {
					back = short && (h.Dest-v+4)%4 == 3
				}
				next := spec.Hop{Channel: spec.ChannelID(v)}
				if back {
					next.Channel += 4
				}
				if at.IsInjection() && v != bare {
					next.Room = 2
				}
				return append(dst, next)
			})),
		}
	}
	for _, manner := range []changes.Manner{{}, {Committed: true}, {Stalls: true}, {Committed: true, Stalls: true}} {
		opt := change.Options{Manner: manner, NoWait: true}
		r := decide(t, ring("long", false, -1), ring("short", true, -1), opt)
		f := r.Findings[0]
		if f.Verdict != spec.Holds {
			t.Errorf("%s: %s: %s", manner, f.Verdict, f.Because)
			continue
		}
		e := f.Evidence.(evidence.ChangePlan)
		c := e.Certificates[0].Bubbles
		if c == nil || e.Mixtures[0] != changes.Committed {
			t.Fatalf("%s: %s, want bubbles", manner, e.Plan.Kind())
		}
		var b bytes.Buffer
		if err := write.Evidence(&b, e); err != nil {
			t.Fatal(err)
		}
		again, err := evidence.OfNetwork(r.Pair).Read("plan", b.Bytes())
		if diff := cmp.Diff(e.Plan, again.(evidence.ChangePlan).Plan); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for what, forge := range map[string]func(*changes.Plan, *bubbles.Certificate){
			"no sets":            func(_ *changes.Plan, c *bubbles.Certificate) { c.Sets = nil },
			"two places free":    func(_ *changes.Plan, c *bubbles.Certificate) { c.Sets[0].Free = 2 },
			"a scenario":         func(_ *changes.Plan, c *bubbles.Certificate) { c.Bubble = 2 },
			"another mixture":    func(p *changes.Plan, _ *bubbles.Certificate) { p.Mixtures[0] = changes.Union },
			"the last tables":    func(p *changes.Plan, _ *bubbles.Certificate) { p.Mixtures[0] = changes.Final },
			"livelock":           func(p *changes.Plan, _ *bubbles.Certificate) { p.Property = spec.LivelockFreedom },
			"delivery":           func(p *changes.Plan, _ *bubbles.Certificate) { p.Property = spec.Delivery },
			"of another network": func(_ *changes.Plan, c *bubbles.Certificate) { c.Network = r.Pair.Digest() },
			"nothing":            func(p *changes.Plan, _ *bubbles.Certificate) { p.Certificates[0] = changes.Certificate{} },
		} {
			p, forged := *e.Plan, *c
			forged.Sets = slices.Clone(c.Sets)
			p.Mixtures, p.Certificates = slices.Clone(p.Mixtures), []changes.Certificate{{Bubbles: &forged}}
			forge(&p, &forged)
			for _, plain := range []bool{false, true} {
				if changes.Verify(t.Context(), r.Pair, plain, &p) == nil {
					t.Errorf("%s: %s, plain %t: accepted", manner, what, plain)
				}
			}
		}
		r = decide(t, ring("long", false, -1), ring("short", true, 1), opt)
		if f := r.Findings[0]; f.Verdict != spec.Violated {
			t.Errorf("%s, an entry without a bubble: %s: %s", manner, f.Verdict, f.Because)
		}
	}
}
