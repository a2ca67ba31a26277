package relation_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// The plain twins follow the definitions, round by round over all sites.

func plainDeletion(n *spec.Network) []int32 {
	return plainRounds(n, func(resolved func(spec.RowID) bool) []bool {
		blocked := make([]bool, n.Topology().Channels())
		for i := range n.Tables() {
			t := n.Table(i)
			for s, c := range t.Channels {
				blocked[c] = blocked[c] || !resolved(t.Rows[s])
			}
		}
		return blocked
	})
}

func plainHeadTail(n *spec.Network) (rank, held []int32) {
	held = slices.Repeat([]int32{relation.Unranked}, n.SiteCount())
	round := int32(-1)
	rank = plainRounds(n, func(resolved func(spec.RowID) bool) []bool {
		round++
		blocked := make([]bool, n.Topology().Channels())
		for i := range n.Tables() {
			t := n.Table(i)
			bad := make([]bool, t.Len()) // some site downstream is not resolved
			for again := true; again; {
				again = false
				for s, r := range t.Rows {
					now := !resolved(r)
					for _, h := range n.Row(r) {
						if h.Channel != spec.Eject {
							to, _ := t.Find(h.Channel, h.Tag)
							now = now || bad[to]
						}
					}
					if now && !bad[s] {
						bad[s], again = true, true
					}
				}
			}
			for s, c := range t.Channels {
				blocked[c] = blocked[c] || bad[s]
				if !bad[s] && held[t.First+s] == relation.Unranked {
					held[t.First+s] = round
				}
			}
		}
		return blocked
	})
	return rank, held
}

// plainLeft returns what is left of the usable channels when, until nothing changes, one is taken away all of whose rows
// in use have arrived, end, or permit a hop into a channel that is not there.
func plainLeft(n *spec.Network, u *relation.Usage, usable []bool) []bool {
	left := slices.Clone(usable)
	blocks := func(r spec.RowID) bool {
		return relation.Waits(n, r) && !slices.ContainsFunc(n.Row(r), func(h spec.Hop) bool { return !left[h.Channel] })
	}
	for again := true; again; {
		again = false
		for c := range left {
			if left[c] && !slices.ContainsFunc(u.Of(spec.ChannelID(c)), blocks) {
				left[c], again = false, true
			}
		}
	}
	return left
}

// TestDeletionWithin: under a mask, after the removal of a channel and after its restoring, what is left is what the
// definition leaves.
func TestDeletionWithin(t *testing.T) {
	removed := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 10, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		u, err := relation.NewUsage(context.Background(), n, 1)
		if err != nil {
			rt.Fatal(err)
		}
		channels := n.Topology().Channels()
		usable := rapid.SliceOfN(rapid.Bool(), channels, channels).Draw(rt, "usable")
		d := u.Delete(usable)
		check := func(when string, want []bool) {
			got, count := make([]bool, channels), 0
			for c := range got {
				if got[c] = d.Leaves(spec.ChannelID(c)); got[c] {
					count++
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || count != d.Left {
				rt.Fatalf("%s: %d said to be left, %d are (-plain +fast):\n%s", when, d.Left, count, diff)
			}
		}
		first := plainLeft(n, u, usable)
		check("at first", first)
		for c := range spec.ChannelID(channels) {
			if !d.Leaves(c) {
				continue
			}
			removed++
			keep, fewer, needed := d.Deleted(), slices.Clone(first), make([]bool, channels)
			fewer[c] = false
			fewer = plainLeft(n, u, fewer)
			d.Remove(c, nil)
			check("without a channel", fewer)
			d.Restore(keep)
			check("restored", first)
			loses := false
			for other := range needed {
				needed[other] = first[other] && spec.ChannelID(other) != c
				loses = loses || needed[other] && !fewer[other]
			}
			if d.Remove(c, needed) == loses {
				rt.Fatalf("removing channel %d: says %v that a needed channel stays", c, loses)
			}
			d.Restore(keep)
			check("restored where it stopped", first)
		}
	})
	if seedtest.Usual() && removed == 0 {
		t.Error("no drawn network leaves a channel")
	}
}

// plainRounds deletes, in each round, the channels that are not blocked.
func plainRounds(n *spec.Network, blocked func(resolved func(spec.RowID) bool) []bool) []int32 {
	rank := make([]int32, n.Topology().Channels())
	for c := range rank {
		rank[c] = relation.Unranked
	}
	for round := int32(0); ; round++ {
		resolved := func(r spec.RowID) bool {
			hops := n.Row(r)
			if len(hops) == 0 || hops[0].Channel == spec.Eject {
				return true
			}
			for _, h := range hops {
				if rank[h.Channel] != relation.Unranked && rank[h.Channel] < round {
					return true
				}
			}
			return false
		}
		changed := false
		for c, is := range blocked(resolved) {
			if !is && rank[c] == relation.Unranked {
				rank[c], changed = round, true
			}
		}
		if !changed {
			return rank
		}
	}
}

func TestFixpointsEqualTheirPlainTwins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 10, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		u, err := relation.NewUsage(context.Background(), n, 2)
		if err != nil {
			rt.Fatal(err)
		}
		left := u.Delete(nil)
		got, stuck := left.Rank, left.Left
		want := plainDeletion(n)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("deletion fixpoint (-plain +fast):\n%s", diff)
		}
		if count(want) != stuck {
			rt.Fatalf("deletion fixpoint: %d stuck, want %d", stuck, count(want))
		}
		tails, err := u.HeadTail(context.Background(), 2, true, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if err := tails.Run(context.Background(), nil); err != nil {
			rt.Fatal(err)
		}
		want, held := plainHeadTail(n)
		if diff := cmp.Diff(want, tails.Rank); diff != "" {
			rt.Fatalf("head/tail fixpoint (-plain +fast):\n%s", diff)
		}
		if count(want) != tails.Stuck {
			rt.Fatalf("head/tail fixpoint: %d stuck, want %d", tails.Stuck, count(want))
		}
		if tails.Stuck > 0 {
			held = nil
		}
		if diff := cmp.Diff(held, tails.Held); diff != "" {
			rt.Fatalf("rounds from which on sites are clear (-plain +fast):\n%s", diff)
		}
	})
}

// TestHeadTailByWords: 64 tables at a time, or fewer, the fixpoint has the ranks of its plain twin, or it leaves
// channels; then no other has a lower rank than it should. Whether it leaves some for a reason of its own or not,
// HeadTailRanks has the ranks of the twin.
func TestHeadTailByWords(t *testing.T) {
	alone, left, more := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{
			Nodes: 6, Channels: 14, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Discards: true,
		}, spec.Wormhole)
		u, err := relation.NewUsage(t.Context(), n, 2)
		if err != nil {
			rt.Fatal(err)
		}
		want, _ := plainHeadTail(n)
		got, err := u.HeadTailByWords(t.Context(), 2, rapid.SampledFrom([]int{1, 2, 3, 64}).Draw(rt, "width"))
		if err != nil {
			rt.Fatal(err)
		}
		for c, rank := range got.Rank {
			if rank != relation.Unranked &&
				(rank < want[c] || want[c] == relation.Unranked || got.Stuck == 0 && rank > want[c]) {
				rt.Fatalf("channel %d: rank %d, plainly %d, where %d channels are left", c, rank, want[c], got.Stuck)
			}
		}
		switch stuck := count(got.Rank); {
		case stuck != got.Stuck:
			rt.Fatalf("%d channels are said to be left, %d are", got.Stuck, stuck)
		case stuck == 0 && slices.Max(want) > 0:
			alone++
		case stuck > count(want): // a site can come back to itself
			more++
		case stuck > 0:
			left++
		}
		whole, err := u.HeadTailRanks(t.Context(), 2, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, whole.Rank); diff != "" || whole.Stuck != count(want) {
			rt.Fatalf("%d channels are said to be left (-plain +fast):\n%s", whole.Stuck, diff)
		}
	})
	if seedtest.Usual() && (alone == 0 || left == 0 || more == 0) {
		t.Errorf("%d networks with ranks, %d with the channels left that should be, %d with more: all kinds are wanted",
			alone, left, more)
	}
}

func count(rank []int32) int {
	n := 0
	for _, r := range rank {
		if r == relation.Unranked {
			n++
		}
	}
	return n
}
