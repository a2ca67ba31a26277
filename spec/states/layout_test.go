package states

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueLiesAsFields: a queue has the places that as many fields would have, which
// is where its states were before there were queues.
func TestQueueLiesAsFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var queues, fields Layout
		var qs []Queue
		for range rapid.IntRange(1, 5).Draw(t, "queues") {
			places := rapid.IntRange(1, 150).Draw(t, "places")
			values := rapid.OneOf(rapid.Uint64Range(1, 40), rapid.Uint64Range(1, 1<<63)).Draw(t, "values")
			if values == 2 && places > 1 {
				values = 3 // with 2 it counts
			}
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
				if f := q.FieldAt(i); f.word != word || f.shift != shift || f.mask != mask || got[0].word != word || got[0].shift != shift {
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

// TestQueueCounts: a queue with one value beside 0 is one field, as wide as the number
// of its places requires, and means the same as a row of places with the same contents.
func TestQueueCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.OneOf(rapid.IntRange(2, 6), rapid.IntRange(2, 150)).Draw(t, "places")
		var one, row Layout
		count, places3 := one.Queue("q", places, 2, nil), row.Queue("q", places, 3, nil)
		if !count.Counts || places3.Counts || len(one.Fields()) != 1 || one.Bits() != bits.Len(uint(places)) || one.Bits() > row.Bits() {
			t.Fatalf("%d places: %d fields, %d bits", places, len(one.Fields()), one.Bits())
		}
		a, b := make([]uint64, one.Words()), make([]uint64, row.Words())
		for range 40 {
			switch taken := count.Taken(a); {
			case taken < places && rapid.Bool().Draw(t, "in"):
				count.Put(a, taken, 1)
				places3.Put(b, taken, 1)
			case taken > 0:
				count.pop(a)
				places3.pop(b)
			}
			if got := one.Fields()[0].Of(a); int(got) != places3.Taken(b) || count.Taken(a) != places3.Taken(b) {
				t.Fatalf("%d counted, %d taken", got, places3.Taken(b))
			}
			for i := range places {
				if got, want := count.Of(a, i), places3.Of(b, i); got != want {
					t.Fatalf("place %d holds %d, not %d", i, got, want)
				}
			}
			// Written place by place, from whatever was there before.
			over := []uint64{uint64(rapid.IntRange(0, places).Draw(t, "before"))}
			was := count.Taken(over)
			for i := range count.Taken(a) {
				count.Put(over, i, 1)
			}
			for i := was - 1; i >= count.Taken(a); i-- {
				count.Put(over, i, 0)
			}
			if !slices.Equal(over, a) {
				t.Fatalf("%d written over %d is %d", a[0], was, over[0])
			}
		}
	})
}

// TestText: a state names its fields that are not 0, and the places of a queue by number.
func TestText(t *testing.T) {
	var l Layout
	turn, flag := l.Field("turn", 3), l.Field("flag", 2)
	q := l.Queue("q", 2, 4, func(v uint64) string { return "abcd"[v : v+1] })
	s := make([]uint64, l.Words())
	if got := l.Text(s); got != "-" {
		t.Errorf("nothing: %s", got)
	}
	turn.Put(s, 2)
	q.Put(s, 0, 3)
	q.Put(s, 1, 1)
	if got, want := l.Text(s), "turn=2 q[0]=d q[1]=b"; got != want || flag.Of(s) != 0 {
		t.Errorf("%s, want %s", got, want)
	}
}
