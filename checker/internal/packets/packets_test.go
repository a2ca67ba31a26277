package packets_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestPackedAgainstReference walks at random through networks under random scenarios: the
// packed successors are those of the reference machine, one by one, their labels identify
// actions and the responses they answer, and the conditions of each state are those that the
// definitions give. Half of the networks may be stepped as a
// word.
func TestPackedAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 5, Channels: 10, Tags: 2, MayFail: true, Discards: true})
		def.Switching = spec.StoreAndForward
		def.Buffer = rapid.SampledFrom([]int{1, 1, 1, 1, 1, 2, 3, 4, 5, 6}).Draw(t, "buffer") // 1: often a word
		n := routingtest.Compile(t, def)
		if n.Tables() == 0 {
			t.Skip("no traffic")
		}
		sc := netgen.Packets(t, n)
		if def.Buffer == 1 {
			sc.Sink = 0
		}
		if len(sc.Once) > 2 { // one flow's counter goes beyond 1, others' do not
			sc.Once = append(sc.Once, sc.Once[0])
		}
		ref, err := states.NewTraffic(n, sc)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := packets.New(context.Background(), ref)
		if err != nil {
			t.Fatal(err)
		}
		inspector := packets.NewInspector(fast)
		words := ref.Layout().Words()
		responses, answers := ref.Claims().Responses, fast.AnswersByLabel()
		actions := map[int32]states.Action{} // by label
		s := ref.Start(nil)
		for range 40 {
			want, err := ref.AppendSuccessors(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			got, err := fast.AppendSuccessors(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(want, got) {
				t.Fatalf("in %s: successors differ", ref.Layout().Text(s))
			}
			labels := fast.Labels(nil, s)
			for i := range len(want) / words {
				a, l := ref.Action(s, i), labels[i]
				if before, known := actions[l]; known && before != a {
					t.Fatalf("label %d is both %v and %v", l, before, a)
				}
				actions[l] = a
				for k, v := range responses {
					if v.Pending(s) && v.Answered(s, i, want[i*words:(i+1)*words]) != (answers[l] == int32(k)) {
						t.Fatalf("in %s: label %d answers %d; %s", ref.Layout().Text(s), l, answers[l], v.Name)
					}
				}
			}
			if len(labels) != len(want)/words {
				t.Fatalf("in %s: %d labels for %d steps", ref.Layout().Text(s), len(labels), len(want)/words)
			}
			if diff := cmp.Diff(packets.ConditionOf(ref)(s), inspector.Inspect(s)); diff != "" {
				t.Fatalf("in %s (-want +got):\n%s", ref.Layout().Text(s), diff)
			}
			if len(want) == 0 {
				return
			}
			// Prefer what fills the network.
			i := min(rapid.IntRange(0, len(want)/words-1).Draw(t, "i"), rapid.IntRange(0, len(want)/words-1).Draw(t, "j"))
			s = want[i*words : (i+1)*words]
		}
	})
}
