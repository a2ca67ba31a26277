package wormhole_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSmallest: the set found is stuck, and of the size that brute force finds over all sets; the
// verifier accepts that there is none of one fewer, but not that there is none of that size.
func TestSmallest(t *testing.T) {
	sizes, tried, proved := map[int]int{}, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		switching := rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(rt, "switching")
		of := rapid.SampledFrom([]unsat.Unit{unsat.Packets, unsat.Channels}).Draw(rt, "of")
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 8, Tags: 2, Ring: true, MayFail: rapid.Bool().Draw(rt, "may fail")}, switching)
		if n.FlowCount() == 0 {
			return
		}
		var better []int
		least, err := wormhole.Smallest(context.Background(), n, of, wormhole.Options{}, func(w []wormhole.Worm) error {
			better = append(better, wormhole.Size(w, of))
			return wormhole.Check(n, w)
		})
		if err != nil {
			rt.Fatal(err)
		}
		best, none := least.Worms, least.None
		size := leastStuck(n, of)
		sizes[size]++
		if got := wormhole.Size(best, of); got != size || least.Why != nil {
			rt.Fatalf("%d %s, by brute force %d: %v", got, of, size, least.Why)
		}
		if descending := slices.SortedFunc(slices.Values(better), func(a, b int) int { return b - a }); !slices.Equal(slices.Compact(descending), better) ||
			size > 0 && better[len(better)-1] != size {
			rt.Fatalf("%v are not smaller and smaller, to %d", better, size)
		}
		if best != nil {
			if err := wormhole.Check(n, best); err != nil {
				rt.Fatal(err)
			}
		}
		switch {
		case size == 1 && none == nil:
			return
		case none == nil || size > 0 && none.Bound != (unsat.Bound{Of: of, Most: size - 1}) && none.Bound != (unsat.Bound{Of: unsat.Packets, Most: size - 1}):
			rt.Fatalf("%d %s, with %v", size, of, none)
		}
		if err := unsat.Verify(context.Background(), n, none); err != nil {
			rt.Fatal(err)
		}
		if len(none.Steps) == 0 {
			tried++
		} else {
			proved++
		}
		all := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: size + rapid.IntRange(0, 3).Draw(rt, "more")}}
		if of == unsat.Packets && size > 0 && unsat.Verify(context.Background(), n, all) == nil {
			rt.Fatalf("accepted: none of the sets of at most %d messages", all.Bound.Most)
		}
		lie := *none
		lie.Bound.Most = max(size, 1) + rapid.IntRange(0, 2).Draw(rt, "too many")
		if size > 0 && unsat.Verify(context.Background(), n, &lie) == nil {
			rt.Fatalf("accepted: none of at most %d %s", lie.Bound.Most, of)
		}
	})
	t.Log(sizes, tried, proved)
	if seedtest.Usual() && (tried == 0 || proved == 0) {
		t.Errorf("%d times all sets were tried, %d times there was a proof in clauses: want both", tried, proved)
	}
	for _, size := range []int{0, 2, 3} {
		if seedtest.Usual() && sizes[size] == 0 {
			t.Errorf("no network was drawn whose smallest set has size %d: %v", size, sizes)
		}
	}
}

// nobody ignores each smaller set.
func nobody([]wormhole.Worm) error { return nil }

// leastStuck is the size of the smallest stuck set, or 0: worm by worm,
// each for the first channel that is waited for but not held.
func leastStuck(n *spec.Network, of unsat.Unit) int {
	longest := 0
	if n.Switching() != spec.Wormhole {
		longest = 1
	}
	all := plainWorms(n, longest)
	held := map[spec.ChannelID]bool{}
	least := 0
	var with func(w plainWorm, wanted []spec.ChannelID, size int)
	with = func(w plainWorm, wanted []spec.ChannelID, size int) {
		if of == unsat.Channels {
			size += len(w.holds)
		} else {
			size++
		}
		if least > 0 && size >= least || slices.ContainsFunc(w.holds, func(c spec.ChannelID) bool { return held[c] }) {
			return
		}
		for _, c := range w.holds {
			held[c] = true
		}
		wanted = slices.Concat(wanted, w.wants)
		if i := slices.IndexFunc(wanted, func(c spec.ChannelID) bool { return !held[c] }); i < 0 {
			least = size
		} else {
			for _, next := range all {
				if slices.Contains(next.holds, wanted[i]) {
					with(next, wanted, size)
				}
			}
		}
		for _, c := range w.holds {
			delete(held, c)
		}
	}
	for _, w := range all {
		with(w, nil, 0)
	}
	return least
}

// TestSmallestNearby: without CA, four messages that turn around a corner of the border block each
// other, each with a wrap-around ahead in its last dimension. A search of the whole torus with as
// many propagations finds only larger sets.
func TestSmallestNearby(t *testing.T) {
	seedtest.InFull(t)
	n := catalogue(t, "star-channel", set{"k": "5", "ca": "never"})
	least, err := wormhole.Smallest(t.Context(), n, unsat.Packets, wormhole.Options{Visits: 10_000}, nobody)
	if err != nil || len(least.Worms) != 4 {
		t.Errorf("%d messages, %v: want 4", len(least.Worms), err)
	}
}

// TestSetsOfFew: on tori without a rule of the escape, the verifier tries all sets of messages. Without CH, messages that
// wait for both VCs of a link go around a ring; all 2k VCs of the ring are held, as both are
// wherever one is waited for. A message holds at most k/2-1 of them, rounded down, as it is at most
// k/2 from where it was sent and waits for one more: so it takes ceil(2k/(k/2-1)) messages. Without
// CA, four turn around a corner. With CA anywhere, two messages hold both VCs of a link. Four pairs
// turn around a corner; three pairs go around a ring in three stretches, across which others turn,
// if 3(k/2-1)+1 reaches around it, as it does except for k=5. The pair that waits before the
// wrap-around also waits for CH, which a seventh message
// holds.
func TestSetsOfFew(t *testing.T) {
	for i, tt := range []struct {
		k, without, is string
		least          int
	}{
		{"4", "ch", "never", 8}, {"6", "ch", "never", 6}, {"9", "ch", "never", 6}, {"12", "ch", "never", 5}, {"4", "ca", "never", 4},
		{"4", "ca", "always", 7}, {"5", "ca", "always", 8}, {"6", "ca", "always", 7}, {"7", "ca", "always", 7}, {"9", "ca", "always", 7},
	} {
		if !seedtest.Sampled(i, 4) {
			continue
		}
		n := catalogue(t, "star-channel", set{"k": tt.k, tt.without: tt.is})
		r := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: tt.least - 1}}
		if err := unsat.Verify(t.Context(), n, r); err != nil {
			t.Errorf("k=%s, %s=%s, at most %d messages: %v", tt.k, tt.without, tt.is, r.Bound.Most, err)
		}
		r.Bound.Most++
		var closed *unsat.ClosedError
		if err := unsat.Verify(t.Context(), n, r); !errors.As(err, &closed) || len(closed.Rows) != tt.least {
			t.Errorf("k=%s, %s=%s, at most %d messages: %v", tt.k, tt.without, tt.is, r.Bound.Most, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r.Bound.Most = 3
		if err := unsat.Verify(ctx, n, r); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
	}
}

// TestSetsInterrupted: wherever the trial of sets is interrupted, there is no answer. A closed set is
// not among those of the channels followed earlier.
func TestSetsInterrupted(t *testing.T) {
	n := oneWayRing(t, [3]int{0, 1, 2})
	for most, holds := range map[int]bool{2: true, 3: false} {
		r := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: most}}
		interrupted := 0
		for ; ; interrupted++ {
			ctx := contexttest.New(t.Context(), interrupted)
			err := unsat.Verify(ctx, n, r)
			if ctx.Left() >= 0 {
				break // it has checked less often
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("at most %d messages, interrupted after %d looks: %v", most, interrupted, err)
			}
		}
		if err := unsat.Verify(t.Context(), n, r); (err == nil) != holds || interrupted < 10 {
			t.Errorf("at most %d messages: %v; interrupted %d times, want 10", most, err, interrupted)
		}
	}
}

// TestSmallestOfSets: the fewest messages that block each other (see TestSetsOfFew) are found from
// the closed set that the verifier reports; the search has only one propagation.
func TestSmallestOfSets(t *testing.T) {
	for i, tt := range []struct {
		k, without, is string
		least          int
	}{{"6", "ch", "never", 6}, {"9", "ch", "never", 6}, {"7", "ca", "always", 7}} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		n := catalogue(t, "star-channel", set{"k": tt.k, tt.without: tt.is})
		got, err := wormhole.Smallest(t.Context(), n, unsat.Packets, wormhole.Options{Visits: 1}, nobody)
		if err != nil || len(got.Worms) != tt.least || got.None == nil || got.None.Bound.Most != tt.least-1 || got.Why != nil {
			t.Errorf("k=%s, %s=%s: %d messages, %v, %v: want %d", tt.k, tt.without, tt.is, len(got.Worms), got.None, err, tt.least)
		}
	}
}

// TestSmallestInterrupted: wherever the search is interrupted, its set is stuck and its proof is
// accepted. On a torus of 4x4 without CH the eight VCs of a ring are held (see TestSetsOfFew), so
// it takes at least as many; the search says so, or why it does not.
func TestSmallestInterrupted(t *testing.T) {
	n := catalogue(t, "star-channel", set{"k": "4", "ch": "never"})
	step := 9
	if seedtest.Whole() {
		step = 2
	}
	bounds := map[int]bool{}
	for i, of := range []unsat.Unit{unsat.Channels, unsat.Packets} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		for looks := 1; ; looks += step * looks {
			ctx := contexttest.New(t.Context(), looks)
			got, err := wormhole.Smallest(ctx, n, of, wormhole.Options{}, nobody)
			if err != nil {
				t.Fatal(err)
			}
			none := 0
			if got.None != nil {
				none = got.None.Bound.Most
				if err := unsat.Verify(t.Context(), n, got.None); err != nil {
					t.Errorf("%s, after %d looks: %v", of, looks, err)
				}
			}
			if got.Worms != nil && (wormhole.Check(n, got.Worms) != nil || wormhole.Size(got.Worms, of) < 8) {
				t.Errorf("%s, after %d looks: %v", of, looks, got.Worms)
			}
			bounds[none] = true
			if proved := none == 7 && wormhole.Size(got.Worms, of) == 8; proved != (got.Why == nil) || !proved && got.Why != findings.OutOfTime {
				t.Errorf("%s, after %d looks: none of %d, best %d: %v", of, looks, none, wormhole.Size(got.Worms, of), got.Why)
			}
			if ctx.Left() >= 0 {
				break
			}
		}
	}
	if seedtest.Whole() && len(bounds) < 2 || !bounds[7] {
		t.Errorf("none of %v: want that of seven, and before of fewer", bounds)
	}
}

// TestSmallestWithinVisits: with few propagations a size, it reports what ended the search, and up to
// which size there is none. On a torus of 6x6 without CH the twelve VCs of a ring are held.
func TestSmallestWithinVisits(t *testing.T) {
	seedtest.InFull(t)
	n := catalogue(t, "star-channel", set{"k": "6", "ch": "never"})
	got, err := wormhole.Smallest(t.Context(), n, unsat.Channels, wormhole.Options{Visits: 2_000_000}, nobody)
	if err != nil || wormhole.Size(got.Worms, unsat.Channels) < 12 || got.None == nil || got.None.Bound.Most > 11 ||
		got.Why != (findings.SearchTooLong{Propagations: 2_000_000}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestHeldTogether: A holds c1 and c2 and waits for d and e, B holds d and waits for c1, C holds e
// and waits for c2. So three block each other, and no two do; A is reached first by either
// channel: from the front one to the rear one, and vice versa.
func TestHeldTogether(t *testing.T) {
	for _, order := range []string{"12de", "12ed", "21de", "21ed", "ed21", "de12"} {
		text := `network(switching = "wormhole")
nodes = [node(str(i)) for i in range(6)]
ends = {"1": (0, 1), "2": (1, 2), "d": (2, 0), "e": (2, 1)}
for name in "` + order + `".elems():
    link(nodes[ends[name][0]], nodes[ends[name][1]], out = name)
link(nodes[0], nodes[3], out = "f")
link(nodes[1], nodes[3], out = "f")
link(nodes[2], nodes[5], out = "k")
flows([("0", "3"), ("2", "1"), ("2", "5")])
ways = {
    "3": {"": "1", "1": "2", "2": "d e", "d": "f", "e": "f"},
    "1": {"": "d", "d": "1"},
    "5": {"": "e", "e": "2", "2": "k"},
}
def route(at, to):
    names = ways[to.name].get("" if at.injecting else at.link.out, "")
    return [hop(at.node.port(name)) for name in names.split(" ") if name and at.node.port(name)]
`
		smallestIs(t, text, 3)
	}
}

// TestOtherRowWaitsForMore: with p held by a packet for 3, which waits for a and c, and these held by
// packets for 2, which wait for p, three block each other. Packets for 2 in p wait for a and b, and
// those for 4 in b wait for f, and in f for p. So they cannot replace those for 3: with them it
// takes four.
func TestOtherRowWaitsForMore(t *testing.T) {
	text := `network(switching = "store-and-forward")
nodes = [node(str(i)) for i in range(5)]
for a, b, name in [(0, 1, "p"), (1, 0, "a"), (1, 0, "c"), (1, 2, "b"), (2, 0, "f"), (0, 3, "e"), (1, 4, "h")]:
    link(nodes[a], nodes[b], out = name)
flows([("0", "3"), ("0", "2"), ("1", "2"), ("1", "4")])
ways = {
    "3": {"0": "p", "p": "a c", "a": "e", "c": "e"},
    "2": {"0": "p", "1": "a c", "p": "a b", "a": "p", "c": "p"},
    "4": {"1": "b", "b": "f", "f": "p", "p": "h"},
}
def route(at, to):
    return [hop(at.node.port(name)) for name in ways[to.name][at.node.name if at.injecting else at.link.out].split(" ")]
`
	f, err := star.Load(t.Context(), "n.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := routingtest.Compile(t, f.Definition)
	for most, holds := range map[int]bool{2: true, 3: false} {
		r := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: most}}
		if err := unsat.Verify(t.Context(), n, r); (err == nil) != holds {
			t.Errorf("at most %d messages: %v", most, err)
		}
	}
}

// TestHeldByOne: A holds a and waits for d and e, both held by B, one behind the other, which waits
// for a. And of two that go around a ring, each over two channels, one enters the channel with
// the lowest number. So two block each other, and one does not.
func TestHeldByOne(t *testing.T) {
	for _, text := range []string{`network(switching = "wormhole")
nodes = [node(str(i)) for i in range(5)]
for a, b, name in [(0, 1, "d"), (0, 2, "e"), (1, 0, "g"), (2, 0, "a"), (1, 3, "x"), (2, 3, "x"), (0, 4, "k")]:
    link(nodes[a], nodes[b], out = name)
flows([("2", "3"), ("0", "4")])
ways = {"3": {"": "a", "a": "d e", "d": "x", "e": "x"}, "4": {"": "d", "d": "g", "g": "e", "e": "a", "a": "k"}}
def route(at, to):
    return [hop(at.node.port(name)) for name in ways[to.name]["" if at.injecting else at.link.out].split(" ")]
`, `network(switching = "wormhole")
nodes = [node(str(i)) for i in range(4)]
for v in [2, 3, 0, 1]:
    link(nodes[v], nodes[(v + 1) % 4])
flows([("1", "0"), ("3", "2")])
def route(at, to):
    return [hop(at.node.out[0])]
`} {
		smallestIs(t, text, 2)
	}
}

// TestSetsOfRings: in a one-way ring of three with messages to the node after the next, each holds one
// channel and waits for the next: three block each other and no two do, with the channels and their
// rows in any order, including a row that only channel 0 waits with.
func TestSetsOfRings(t *testing.T) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		n := oneWayRing(t, order)
		for most, holds := range map[int]bool{1: true, 2: true, 3: false} {
			r := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: most}}
			if err := unsat.Verify(t.Context(), n, r); (err == nil) != holds {
				t.Errorf("%v, at most %d messages: %v", order, most, err)
			}
		}
	}
}

// oneWayRing is the ring of TestSetsOfRings, its links declared in an order.
func oneWayRing(t *testing.T, order [3]int) *spec.Network {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for _, v := range order {
		topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % 3), VCs: 1})
	}
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "ring", Topology: topo, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return dst == (src+2)%3 },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if v := topo.Head(at); v != h.Dest {
				return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(v)[0], 0)})
			}
			return append(dst, spec.Hop{Channel: spec.Eject})
		})}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBoundTooLarge: two messages of W1 hold two channels each and block each other, with bodies where
// a head would not be stuck. So no steps show that two messages, or four channels, do not
// suffice.
func TestBoundTooLarge(t *testing.T) {
	n := gadgetNetwork(t, "W1")
	for of, least := range map[unsat.Unit]int{unsat.Packets: 2, unsat.Channels: 4} {
		got, err := wormhole.Smallest(t.Context(), n, of, wormhole.Options{}, nobody)
		if err != nil || got.None.Bound.Most != least-1 {
			t.Fatalf("%v, %v: want none of at most %d %s", got, err, least-1, of)
		}
		none := got.None
		none.Bound.Most++
		for _, steps := range [][]unsat.Step{none.Steps, {{Clause: true}}, {{Clause: true, List: []int32{1}}, {Clause: true}}} {
			none.Steps = steps
			if unsat.Verify(t.Context(), n, none) == nil {
				t.Errorf("%v shows that there is none of %d %s", steps, least, of)
			}
		}
	}
}

// smallestIs checks that "no set of fewer than least messages is closed" is verified, and that the
// same for least messages is refused.
func smallestIs(t *testing.T, text string, least int) {
	t.Helper()
	f, err := star.Load(t.Context(), "n.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := routingtest.Compile(t, f.Definition)
	for _, most := range []int{least - 1, least} {
		r := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: most}}
		if err := unsat.Verify(t.Context(), n, r); (err == nil) != (most < least) {
			t.Errorf("at most %d messages: %v\n%s", most, err, text)
		}
	}
}
