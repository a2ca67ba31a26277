package walk

import (
	"slices"
	"testing"
)

// TestGoesBack: a worker that takes up a chunk before its last one leaves out no successor because
// the last one had it: otherwise a later state than the first would find it.
func TestGoesBack(t *testing.T) {
	for _, m := range append(forms(), counter(4, 9)) {
		w, err := newWalk(m, Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		w.start()
		for w.level-w.next < 2*leastChunk {
			w.plan()
			w.expand(t.Context())
			w.insert()
			w.count()
			w.nextLevel()
		}
		if w.plan(); w.round < 2 {
			t.Fatalf("%d chunks", w.round)
		}
		x := w.expanders[0]
		shared := false
		x.expand(t.Context(), w.chunks[0])
		want := slices.Clone(w.chunks[0].entries)
		x = newExpander(w, 0)
		for _, i := range []int{1, 0} {
			c := w.chunks[i]
			x.expand(t.Context(), c)
			shared = shared || i == 1 && alike(w, want, c.entries)
		}
		if !shared {
			t.Errorf("%d bits: no successor is one of two chunks", m.layout.Bits())
		}
		if !slices.Equal(want, w.chunks[0].entries) {
			t.Errorf("%d bits: going back, a chunk of %d entries has others", m.layout.Bits(), len(want))
		}
		w.space.Release()
	}
}

// alike reports whether two lists of entries have a state in common.
func alike(w *walk, a, b []uint32) bool {
	carried := w.space.carried
	for ; len(a) > 0; a = a[carried+1:] {
		for at := 0; at < len(b); at += carried + 1 {
			if slices.Equal(a[:carried], b[at:][:carried]) {
				return true
			}
		}
	}
	return false
}
