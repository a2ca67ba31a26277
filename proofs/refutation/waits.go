package refutation

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// waits are what messages can hold and wait for. Messages that block each other are
// closed: each channel for which one waits is held by one of them. So all sets of a few
// are tried, head by head: who holds a channel waited for is a message tried before, or
// one more. Of a path only this is kept: from each channel on it the head is reached, and
// of any two channels one from the other.
//
// Soundness: let a set be closed. It has a row that is left, since none of those dropped is
// in a closed set or another one does instead; none are left in the end. With the first of
// its rows that is tried, each step takes what holds in the set: who holds a channel. Where
// a step is cut short, more messages would be needed than there is room for, or the step
// differs from another one by a pair of channels that have changed holders.
type waits struct {
	ctx     context.Context
	n       *spec.Network
	asks    [][]spec.ChannelID // by row: channels that a message with it waits for
	asking  [][]int            // by channel: these rows
	holds   []set              // by row: channels of a message whose head waits with it
	holders []set              // by channel: these rows
	beside  []set              // by channel: those that a message can hold as well
	twin    []int              // by channel: the other one of its pair, or itself
	after   [][2]int           // by channel that a message tried holds: that message, and if it was added for it, its row
	rows    []int              // of the messages tried
	of      []int              // by message: the channel that it holds, and one more; 0 if none
	seen    []bool             // by message
	steps   int                // sites visited, sets tried and rows looked at
}

// newWaits returns nil if they take too much memory.
func newWaits(ctx context.Context, n *spec.Network) *waits {
	channels, rows := n.Topology().Channels(), n.RowCount()
	if float64(channels)*float64(2*rows+channels) > mostBits {
		return nil
	}
	return &waits{ctx: ctx, n: n, asks: make([][]spec.ChannelID, rows), asking: make([][]int, channels), holds: newSets(rows, channels), holders: newSets(channels, rows), beside: newSets(channels, channels)}
}

// mostSteps bounds the time that sets are tried, mostBits the memory.
const mostSteps, mostBits = 1 << 27, 1 << 30

// none reports whether no set of at most most messages, with rows left, is closed. If that takes too many
// steps, or ctx ends, it is false; else w.rows are those of a closed set. Rows are tried in
// turn, from the one with the fewest ways on. A row that was tried is dropped: no closed set
// has it. Exponential in most.
func (w *waits) none(left set, most int) bool {
	w.of, w.seen, w.twin, w.after = make([]int, most+1), make([]bool, most+1), make([]int, len(w.beside)), make([][2]int, len(w.beside))
	w.pair()
	for row := range left.all() {
		if w.spared(row, left) {
			left.remove(row)
		}
	}
	for left = w.fitting(nil, nil, left, most); !w.ends(); left = w.fitting(nil, nil, left, most) {
		next, fewest := -1, math.MaxInt
		for row := range left.all() {
			w.steps++
			for _, c := range w.asks[row] {
				if ways := w.holders[c].common(left); ways < fewest {
					next, fewest = row, ways
				}
			}
		}
		if next < 0 {
			return true
		}
		w.rows = []int{next}
		if w.closed([]set{w.holds[next]}, nil, nil, w.asks[next], left, most-1) {
			return false
		}
		left.remove(next)
	}
	return false
}

// pair finds pairs of channels for which the same rows wait, and which the same messages can
// hold, though not both: in a closed set their holders can change places.
func (w *waits) pair() {
	alone := map[string]int{}
	for c, beside := range w.beside {
		beside.remove(c)
		key := fmt.Sprint(w.asking[c], w.holders[c], beside)
		beside.add(c)
		w.twin[c] = c
		if d, found := alone[key]; found {
			w.twin[c], w.twin[d] = d, c
			delete(alone, key)
		} else {
			alone[key] = c
		}
	}
}

// spared reports whether another row left can replace a row in every closed set: it can hold
// the same channels or more, and waits for the same or fewer.
func (w *waits) spared(row int, left set) bool {
	for _, c := range w.asks[row] {
		for _, other := range w.asking[c] {
			if other != row && left.has(other) && !w.ends() && w.holds[row].common(w.holds[other]) == w.holds[row].common(w.holds[row]) &&
				!slices.ContainsFunc(w.asks[other], func(d spec.ChannelID) bool { return !slices.Contains(w.asks[row], d) }) {
				return true
			}
		}
	}
	return false
}

// ends counts a step, and reports whether it is one too many.
func (w *waits) ends() bool {
	w.steps++
	return w.steps > mostSteps || w.ctx.Err() != nil
}

// follow follows the hops from each site to where heads wait, and returns their rows.
func (w *waits) follow(f *formula) set {
	seen, used := make([]int, len(f.ends[1])), newSets(1, len(w.asks))[0]
	for s, head := range f.ends[1] {
		c := int(head - f.first)
		for queue := []int32{int32(s)}; len(queue) > 0 && !w.ends(); queue = queue[1:] {
			at := queue[0]
			d, row := int(f.ends[1][at]-f.first), int(f.ends[0][at]-f.waits)
			w.beside[c].add(d)
			w.beside[d].add(c)
			if f.value[yes(f.ends[0][at])] >= 0 {
				w.holds[row].add(c)
				w.holders[c].add(row)
				used.add(row)
			}
			for _, to := range f.to[f.firstHop[at]:f.firstHop[at+1]] {
				if to >= 0 && seen[to] <= s {
					seen[to] = s + 1
					queue = append(queue, to)
				}
			}
		}
	}
	for row := range used.all() {
		for _, h := range w.n.Row(spec.RowID(row)) {
			w.asks[row] = append(w.asks[row], h.Channel)
			w.asking[h.Channel] = append(w.asking[h.Channel], row)
		}
	}
	return used
}

// closed tries who holds the channels that are open, of all those asked for, and those of
// some more: the messages tried, by what each can hold as well, or room others, with rows
// that are left. A set in which a pair of channels has changed holders is closed, too. So
// the second of a pair is held by a later message than the first; and if both are held by
// messages added for them, its row is not before that of the first.
func (w *waits) closed(can []set, asked, open, more []spec.ChannelID, left set, room int) bool {
	for _, c := range more {
		if !slices.Contains(asked, c) {
			asked, open = append(asked, c), append(open, c)
		}
	}
	if w.ends() || len(open) == 0 {
		return true
	}
	for i := range open { // which are apart depends on the first
		if w.lack(can, open[i:], open[:i]) > room {
			return false
		}
	}
	left = w.fitting(can, open, left, room)
	at, fewest := 0, math.MaxInt
	for i, c := range open {
		ways := w.holders[c].common(left)
		for _, s := range can {
			ways += int(s[c/64] >> (c % 64) & 1)
		}
		if ways < fewest {
			at, fewest = i, ways
		}
	}
	c, after := open[at], w.after[w.twin[open[at]]]
	open = slices.Delete(slices.Clone(open), at, at+1)
	for i, s := range can {
		next := slices.Clone(can)
		w.after[c] = [2]int{i + 1, 0}
		if next[i] = s.and(w.beside[c]); i >= after[0] && s.has(int(c)) && w.closed(next, asked, open, nil, left, room) {
			return true
		}
	}
	for row := range left.and(w.holders[c]).all() {
		w.rows, w.after[c] = append(w.rows[:len(can)], row), [2]int{len(can) + 1, row}
		if row >= after[1] && w.closed(append(can, w.holds[row].and(w.beside[c])), asked, open, w.asks[row], left, room-1) {
			return true
		}
	}
	w.after[c] = [2]int{}
	return false
}

// fitting returns those rows left that one of room more messages can have in a closed set:
// each channel that it waits for is held by one tried, by itself or by another one with such
// a row; and with it fewer than room lack.
func (w *waits) fitting(can []set, open []spec.ChannelID, left set, room int) set {
	left, with := slices.Clone(left), append(slices.Clone(can), nil)
	for first, again := true, true; again && !w.ends(); first = false {
		again = false
		for row := range left.all() {
			w.steps++
			with[len(can)] = w.holds[row]
			if room == 0 || first && w.lack(with, w.asks[row], open) >= room || slices.ContainsFunc(w.asks[row], func(c spec.ChannelID) bool {
				return !slices.ContainsFunc(with, func(s set) bool { return s.has(int(c)) }) && (room == 1 || w.holders[c].common(left) == 0)
			}) {
				left.remove(row)
				again = true
			}
		}
	}
	return left
}

// lack returns how many messages more, at least, hold the channels: of those no two of which
// one message can hold, each takes another one. As many as can be are held by those tried
// (matching: Kuhn 1955).
func (w *waits) lack(can []set, channels ...[]spec.ChannelID) (lack int) {
	apart := make([]int, 0, 16)
	clear(w.of)
	for _, list := range channels {
		for _, c := range list {
			if !slices.ContainsFunc(apart, w.beside[c].has) {
				apart = append(apart, int(c))
				clear(w.seen)
				if !w.matched(int(c), can) {
					lack++
				}
			}
		}
	}
	return lack
}

// matched gives a channel to a message not seen yet, which may leave its own to another one.
func (w *waits) matched(c int, can []set) bool {
	for i, s := range can {
		if s.has(c) && !w.seen[i] {
			w.seen[i] = true
			if w.of[i] == 0 || w.matched(w.of[i]-1, can) {
				w.of[i] = c + 1
				return true
			}
		}
	}
	return false
}

// set is of numbers: a bit each.
type set []uint64

// newSets returns empty sets of numbers below most.
func newSets(count, most int) []set {
	sets := make([]set, count)
	for i := range sets {
		sets[i] = make(set, (most+63)/64)
	}
	return sets
}

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 > 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// and returns what is in both.
func (s set) and(t set) set {
	both := slices.Clone(s)
	for i := range both {
		both[i] &= t[i]
	}
	return both
}

// common returns how many are in both.
func (s set) common(t set) (count int) {
	for i := range s {
		count += bits.OnesCount64(s[i] & t[i])
	}
	return count
}

// all yields the numbers in ascending order.
func (s set) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word > 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
