package disk

import (
	"context"

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
// returns how many were duplicates; f may change its argument. A batch is everything up to
// the end of the first window to end, so that all of its states are in memory; it is
// sorted.
func union(words int, sources []source, f func(states []uint64) error) (dropped int64, err error) {
	var batch []uint64
	for {
		var end []uint64
		windows := make([][]uint64, 0, len(sources))
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
		batch = batch[:0]
		for i, w := range windows {
			n := upTo(w, end, words)
			batch = append(batch, w[:n]...)
			sources[i].take(n)
		}
		left, same := batch, int64(0)
		if len(sources) > 1 {
			sortStates(batch, words)
			left, same = distinct(batch, words)
		}
		dropped += same
		if err := f(left); err != nil {
			return dropped, err
		}
	}
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
	words := c.words
	for i := 0; i < len(states); {
		w, err := c.seek(ctx, states[i:i+words])
		if err != nil || len(w) == 0 {
			return err
		}
		k := 0
		if words == 1 {
			i, k = strikeWords(states, w, i, struck)
		} else {
			for i < len(states) && k < len(w) {
				switch order := compare(states[i:i+words], w[k:]); {
				case order < 0:
					i += words
				case order > 0:
					k += words
				default:
					struck[i/words] = true
					i, k = i+words, k+words
				}
			}
		}
		c.take(k)
	}
	return nil
}

// strikeWords is strike for states of one word in one window.
func strikeWords(states, w []uint64, i int, struck []bool) (int, int) {
	k := 0
	for i < len(states) && k < len(w) {
		a, b := states[i], w[k]
		if a == b {
			struck[i] = true // others may strike it concurrently: write only true
		}
		if a <= b {
			i++
		}
		if b <= a {
			k++
		}
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
