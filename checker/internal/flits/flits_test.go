package flits_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/flits"
	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestAgainstReference walks at random through networks under random scenarios: the packed
// successors are those of the reference machine, one by one, they answer the same, and the
// conditions of each state are those that the definitions give.
func TestAgainstReference(t *testing.T) {
	stuck, moving, answered := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 4, Channels: 8, Tags: 2, MayFail: rapid.Bool().Draw(t, "may fail"), Discards: true})
		def.Switching = spec.Wormhole
		def.Buffer = rapid.IntRange(1, 8).Draw(t, "buffer")
		n := routingtest.Compile(t, def)
		if n.Tables() == 0 {
			t.Skip("no traffic")
		}
		ref, err := states.NewTraffic(n, netgen.Flits(t, n))
		if err != nil {
			t.Fatal(err)
		}
		fast, err := flits.New(context.Background(), ref)
		if err != nil {
			t.Fatal(err)
		}
		words := ref.Layout().Words()
		actions := map[int32]states.Action{} // by label
		plain, packed := ref.Claims().Responses, fast.Claims().Responses
		s := ref.Start(nil)
		for range 60 {
			unasked := fast.Inspect(s) // before its successors are found, after those of another state
			want, err := ref.AppendSuccessors(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			got, err := fast.AppendSuccessors(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(want, got) {
				t.Fatalf("under %s, in %s: successors are\n%s\nwant\n%s", ref.Scenario(), ref.Layout().Text(s), texts(ref, got), texts(ref, want))
			}
			labels := fast.Labels(nil, s)
			if len(labels) != len(want)/words {
				t.Fatalf("under %s, in %s: %d labels for %d steps", ref.Scenario(), ref.Layout().Text(s), len(labels), len(want)/words)
			}
			for i, l := range labels {
				a := ref.Action(s, i)
				if before, known := actions[l]; known && before != a {
					t.Fatalf("under %s: label %d is both %v and %v", ref.Scenario(), l, before, a)
				}
				actions[l] = a
			}
			for c, r := range plain {
				quick := packed[c]
				if quick.Name != r.Name || quick.Pending(s) != r.Pending(s) {
					t.Fatalf("under %s, in %s: %q is pending: %v, but %q: %v", ref.Scenario(), ref.Layout().Text(s),
						quick.Name, quick.Pending(s), r.Name, r.Pending(s))
				}
				for i := range len(want) / words {
					after := want[i*words : (i+1)*words]
					if got := quick.Answered(s, i, after); got != r.Answered(s, i, after) {
						t.Fatalf("under %s, from %s to %s: %q is answered: %v, want %v", ref.Scenario(),
							ref.Layout().Text(s), ref.Layout().Text(after), r.Name, got, !got)
					}
				}
			}
			told := fast.Answers(nil, s, got)
			if !slices.IsSortedFunc(told, func(x, y [2]int32) int { return int(x[0] - y[0]) }) {
				t.Fatalf("under %s, in %s: the steps that answer are out of order: %v", ref.Scenario(), ref.Layout().Text(s), told)
			}
			for c, r := range plain {
				for i := range len(want) / words {
					answers := r.Pending(s) && r.Answered(s, i, want[i*words:(i+1)*words])
					if listed := slices.Contains(told, [2]int32{int32(i), int32(c)}); listed != answers {
						t.Fatalf("under %s, in %s: step %d is listed to answer %q: %t, want %t", ref.Scenario(),
							ref.Layout().Text(s), i, r.Name, listed, answers)
					}
				}
			}
			answered += len(told)
			is := packets.ConditionOf(ref)(s)
			if diff := cmp.Diff([]packets.Condition{is, is}, []packets.Condition{unasked, fast.Inspect(s)}); diff != "" {
				t.Fatalf("under %s, in %s (-want +got):\n%s", ref.Scenario(), ref.Layout().Text(s), diff)
			}
			if is.Stuck {
				stuck++
			} else {
				moving++
			}
			if len(want) == 0 {
				return
			}
			// Prefer what fills the network.
			i := min(rapid.IntRange(0, len(want)/words-1).Draw(t, "i"), rapid.IntRange(0, len(want)/words-1).Draw(t, "j"))
			s = want[i*words : (i+1)*words]
		}
	})
	if seedtest.Usual() && (stuck == 0 || moving == 0 || answered == 0) {
		t.Errorf("the random walks test nothing: %d states with something stuck, %d without; %d answers", stuck, moving, answered)
	}
}

func texts(m *states.Traffic, states []uint64) (all []string) {
	for s := range slices.Chunk(states, m.Layout().Words()) {
		all = append(all, "\n  "+m.Layout().Text(s))
	}
	return all
}

// TestTooLarge: a one-way ring of 30 has up to 29 headers a channel with one hop
// each; with messages of 4096 flits in buffers of 100 a place has more than
// 2 · 101 · 4096 values for each, which is too much for tables.
func TestTooLarge(t *testing.T) {
	for _, x := range []struct {
		length int
		fits   bool
	}{{4, true}, {4096, false}} {
		def, err := ring.New(ring.Options{Nodes: 30})
		if err != nil {
			t.Fatal(err)
		}
		def.Switching, def.Buffer = spec.Wormhole, 100
		n := routingtest.Compile(t, def)
		m, err := states.NewTraffic(n, spec.Scenario{Length: x.length, Packets: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := flits.New(context.Background(), m); (got != nil) != x.fits || err != nil {
			t.Errorf("length %d: packed is %v, want %v (%v)", x.length, got != nil, x.fits, err)
		}
	}
}
