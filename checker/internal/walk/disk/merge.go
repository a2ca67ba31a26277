package disk

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// source yields ascending states.
type source interface {
	window() ([]uint64, error) // the next states, as many as are in memory; none at the end
	take(words int)            // drops the first words of the window
}

func sourcesOf(runs []*cursor) (all []source) {
	for _, c := range runs {
		all = append(all, c)
	}
	return all
}

// sorted is a source in memory.
type sorted struct {
	states []uint64
	words  int
}

func (s *sorted) window() ([]uint64, error) {
	return s.states[:min(len(s.states), max(1, blockWords/s.words)*s.words)], nil
}

func (s *sorted) take(words int) { s.states = s.states[words:] }

// union calls f with the states of all sources, ascending and each once, in batches, and
// returns how many were duplicates; f may change its argument. No source has duplicates of its own. A batch is
// everything up to the end of the first window to end, so that all of its states are in memory; it is
// merged.
func union(words int, sources []source, f func(states []uint64) error) (dropped int64, err error) {
	var m merger
	windows := make([][]uint64, 0, len(sources))
	for {
		var end []uint64
		windows = windows[:0]
		open := sources[:0:0]
		for _, s := range sources {
			w, err := s.window()
			if err != nil {
				return dropped, err
			}
			if len(w) == 0 {
				continue
			}
			if last := w[len(w)-words:]; end == nil || compare(last, end) < 0 {
				end = last
			}
			windows, open = append(windows, w), append(open, s)
		}
		if sources = open; len(sources) == 0 {
			return dropped, nil
		}
		all := 0
		for i, w := range windows {
			n := upTo(w, end, words)
			windows[i] = w[:n]
			sources[i].take(n)
			all += n
		}
		batch := m.merge(windows, words)
		dropped += int64(all-len(batch)) / int64(words)
		if err := f(batch); err != nil {
			return dropped, err
		}
	}
}

// merger merges lists, two at a time, from one of its buffers into the other.
type merger struct{ from, to []uint64 }

// merge returns the union of ascending lists without duplicates, until it is called again. It leaves the lists as they
// are, but not the slice of them.
func (m *merger) merge(lists [][]uint64, words int) []uint64 {
	for copied := false; len(lists) > 1 || !copied; copied = true {
		all := 0
		for _, list := range lists {
			all += len(list)
		}
		m.from, m.to = m.to, slices.Grow(m.from[:0], all)[:all]
		half, to := lists[:0], m.to
		for len(lists) > 0 {
			a, b := lists[0], []uint64(nil)
			if lists = lists[1:]; len(lists) > 0 {
				b, lists = lists[0], lists[1:]
			}
			half = append(half, merged(to, a, b, words))
			to = to[len(a)+len(b):]
		}
		lists = half
	}
	return lists[0]
}

// merged writes the union of two ascending lists without duplicates to dst, which has room for both.
func merged(dst, a, b []uint64, words int) []uint64 {
	n, i, j := 0, 0, 0
	if words == 1 {
		for i < len(a) && j < len(b) { // without branches, which no predictor could guess
			x, y := a[i], b[j]
			dst[n] = min(x, y)
			n++
			if x <= y {
				i++
			}
			if y <= x {
				j++
			}
		}
	} else {
		for i < len(a) && j < len(b) {
			order := cmp.Compare(a[i], b[j])
			if order == 0 {
				order = compare(a[i:i+words], b[j:])
			}
			from := a[i : i+words]
			if order > 0 {
				from = b[j : j+words]
			}
			for _, x := range from {
				dst[n] = x
				n++
			}
			if order <= 0 {
				i += words
			}
			if order >= 0 {
				j += words
			}
		}
	}
	n += copy(dst[n:], a[i:])
	n += copy(dst[n:], b[j:])
	return dst[:n]
}

// upTo returns the end, in words, of the states that are at most s.
func upTo(states, s []uint64, words int) int {
	from, to := 0, len(states)/words
	for from < to {
		if half := (from + to) / 2; compare(s, states[half*words:]) >= 0 {
			from = half + 1
		} else {
			to = half
		}
	}
	return from * words
}

// strike marks the given states, which ascend, that the cursor's run holds.
func (c *cursor) strike(ctx context.Context, states []uint64, struck []bool) error {
	for i := 0; i < len(states); {
		w, err := c.seek(ctx, states[i:i+c.words])
		if err != nil || len(w) == 0 {
			return err
		}
		k := 0
		i, k = strikeWindow(states, w, c.words, i, struck)
		c.take(k)
	}
	return nil
}

// strikeWindow is strike for one window, from a state on. It returns how far it came in both. Usually a run has many
// states between two that are looked for, so it leaps.
func strikeWindow(states, w []uint64, words, i int, struck []bool) (int, int) {
	const leap = 8 // states
	k := 0
	for i < len(states) {
		a := states[i]
		for k+leap*words <= len(w) && w[k+(leap-1)*words] < a {
			k += leap * words
		}
		order := 1
		for k < len(w) {
			if order = cmp.Compare(a, w[k]); order == 0 {
				order = compare(states[i:i+words], w[k:])
			}
			if order <= 0 {
				break
			}
			k += words
		}
		if order > 0 {
			break
		}
		if order == 0 {
			struck[i/words] = true // others may strike it concurrently: write only true
			k += words
		}
		i += words
	}
	return i, k
}

// strikeAll marks the states that some run holds, with workers in parallel. No two runs
// hold the same state.
func strikeAll(ctx context.Context, visited []*cursor, states []uint64, struck []bool, workers int) error {
	return each.Do(ctx, min(workers, len(visited)), len(visited), func(_, i int) error {
		return visited[i].strike(ctx, states, struck)
	})
}
