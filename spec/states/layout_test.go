package states

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueLiesAsFields: a queue has the places that as many fields would have,
// which is where its states were before there were queues.
func TestQueueLiesAsFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var queues, fields Layout
		var qs []Queue
		for range rapid.IntRange(1, 5).Draw(t, "queues") {
			places := rapid.IntRange(1, 150).Draw(t, "places")
			values := rapid.OneOf(rapid.Uint64Range(1, 40), rapid.Uint64Range(1, 1<<63)).Draw(t, "values")
			qs = append(qs, queues.Queue("q", places, values, nil))
			for range places {
				fields.Field("q", values)
			}
		}
		if queues.Bits() != fields.Bits() || queues.Words() != fields.Words() {
			t.Fatalf("%d bits in %d words, not %d in %d", queues.Bits(), queues.Words(), fields.Bits(), fields.Words())
		}
		want := fields.Fields()
		got := queues.Fields()
		s := make([]uint64, queues.Words())
		for _, q := range qs {
			for i := range q.Len() {
				w := want[0]
				word, shift, mask := w.Place()
				if f := q.At(i); f.word != word || f.shift != shift || f.mask != mask || got[0].word != word || got[0].shift != shift {
					t.Fatalf("place %d of %d lies in word %d from bit %d, not in word %d from bit %d", i, q.Len(), f.word, f.shift, word, shift)
				}
				before := slices.Clone(s)
				q.Put(s, i, w.Values-1)
				if w.Put(before, w.Values-1); !slices.Equal(s, before) || q.Of(s, i) != w.Values-1 {
					t.Fatalf("place %d of %d is written elsewhere", i, q.Len())
				}
				want, got = want[1:], got[1:]
			}
		}
	})
}
