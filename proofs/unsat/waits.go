package unsat

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// waits knows what packets can hold and wait for. A set of packets that block each other is
// closed: each channel for which one waits is held by one of them. So all small sets are tried,
// by deciding which packet holds each channel waited for, which narrows the possible rows of
// the packets. Of a path only this is used: the head can be reached from each of its channels,
// and of any two channels one from the other.
//
// Soundness: let a set be closed. Each of its rows is among those left, or can be replaced by
// one that is. Its packets wait for each other in cycles, since each waits. One of the shortest
// cycles is tried first, beginning with its packet of the lowest row, and some branch of each step
// is true of the set: the holder of a channel, or a row. A row is dropped only if the packet cannot
// have it: it cannot hold what others wait for it to hold, or too few packets can hold what it
// waits for, as each of alike channels needs a packet of its own. The holders of alike channels
// can be exchanged, so the lower one holds the channel asked for first.
type waits struct {
	ctx     context.Context
	n       *spec.Network
	asks    [][]spec.ChannelID // by row: channels that a packet with it waits for, in descending order
	asking  [][]int            // by channel: these rows
	holds   []set              // by row: channels of a packet whose head waits with it
	holders []set              // by channel: these rows
	beside  []set              // by channel: those that a packet can hold as well
	// By channel. Channels have the same number if the same rows wait for them and the same packets can hold them,
	// but no packet can hold two of them.
	alike  []int
	rows   []int                  // of a closed set
	holder map[spec.ChannelID]int // in it, who holds what is waited for: number of the row, and one more
	steps  int                    // sites visited, sets tried and rows looked at
}

// newWaits returns nil if it would take too much memory.
func newWaits(ctx context.Context, n *spec.Network) *waits {
	channels, rows := n.Topology().Channels(), n.RowCount()
	if float64(channels)*float64(2*rows+channels) > mostBits {
		return nil
	}
	return &waits{
		ctx: ctx, n: n, asks: make([][]spec.ChannelID, rows), asking: make([][]int, channels),
		holds: newSets(rows, channels), holders: newSets(channels, rows), beside: newSets(channels, channels),
	}
}

// mostSteps bounds the time of trying sets, mostBits the memory.
const mostSteps, mostBits = 1 << 29, 1 << 30

// none reports whether no set of at most most packets, with the rows in left, is closed. It is false if that
// takes too many steps or ctx ends; otherwise, if false, w.rows are those of a closed set. Exponential in most.
func (w *waits) none(left set, most int) bool {
	numbers := map[string]int{}
	for c, beside := range w.beside {
		beside.remove(c)
		key := fmt.Sprint(w.asking[c], w.holders[c], beside)
		beside.add(c)
		numbers[key] = cmp.Or(numbers[key], len(numbers)+1)
		w.alike = append(w.alike, numbers[key])
	}
	for row := range left.all() {
		if w.spared(row, left) {
			left.remove(row)
		}
	}
	one := []packet{{rows: left}}
	one[0].can = w.can(one, 0)
	for cycle := 1; cycle <= most; cycle++ {
		if w.closed(slices.Repeat(one, cycle+1), 0, cycle, most-cycle) {
			return false
		}
	}
	return !w.ends()
}

// spared reports whether some other remaining row can replace a row in every closed set:
// it can hold the same channels or more, and waits for the same or fewer.
func (w *waits) spared(row int, left set) bool {
	return slices.ContainsFunc(w.asks[row], func(c spec.ChannelID) bool {
		return slices.ContainsFunc(w.asking[c], func(other int) bool {
			return other != row && left.has(other) && !w.ends() &&
				w.holds[row].common(w.holds[other]) == w.holds[row].common(w.holds[row]) &&
				!slices.ContainsFunc(w.asks[other],
					func(d spec.ChannelID) bool { return !slices.Contains(w.asks[row], d) })
		})
	})
}

// ends counts a step, and reports whether to give up.
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
		}
		slices.Sort(w.asks[row])
		w.asks[row] = slices.Compact(w.asks[row])
		slices.Reverse(w.asks[row])
		for _, c := range w.asks[row] {
			w.asking[c] = append(w.asking[c], row)
		}
	}
	return used
}

// packet is a packet being tried: it has one of the rows, and can hold some channels.
type packet struct {
	rows, can set
	by        []int // who holds what it waits for, place by place in its row; -1 if it waits for no more
}

// closed decides who holds the channels that the packets tried wait for: one of them, or one of room
// more, which the last one represents. The first cycle of them wait for each other in a cycle, and there
// is no shorter one. More is known about packet at than before.
func (w *waits) closed(tried []packet, at, cycle, room int) bool {
	tried = slices.Clone(tried)
	if !w.fit(tried, at, cycle, room) || w.ends() {
		return w.ends()
	}
	last, next, split, who := len(tried)-1, -1, -1, []int(nil)
	for i, m := range tried[:last] {
		if split < 0 && m.rows.common(m.rows) > 1 {
			split = i
		}
		if ways, more := w.nextHolders(tried, i, cycle, room); more && (next < 0 || len(ways) < len(who)) {
			next, who = i, ways
		}
	}
	// If each waits for two others, there is a cycle of half of them, rounded up (Caccetta and
	// Häggkvist 1978): ruling out that all cycles are longer needs no rows.
	if split >= 0 && (next < 0 || split == 0 && len(who) > 1 && 2*cycle <= last+room+1) {
		for row := range tried[split].rows.all() {
			with := slices.Clone(tried)
			with[split].rows = newSets(1, len(w.asks))[0]
			if with[split].rows.add(row); w.closed(with, split, cycle, room) {
				return true
			}
		}
		return false
	}
	if next < 0 {
		return w.settled(tried[:last])
	}
	for _, j := range who {
		with, others := slices.Clone(tried), room
		if with[next].by = append(slices.Clip(with[next].by), j); j == last {
			with, others = append(with, tried[last]), room-1
		}
		if w.closed(with, next, cycle, others) {
			return true
		}
	}
	return false
}

// settled reports whether packets, each with one row, agree on who holds what. It leaves their rows in w.rows.
func (w *waits) settled(tried []packet) bool {
	w.rows, w.holder = nil, map[spec.ChannelID]int{}
	for _, m := range tried {
		w.rows = append(w.rows, m.rows.lowest())
		for place, c := range w.asks[m.rows.lowest()] {
			if j := m.by[place] + 1; cmp.Or(w.holder[c], j) != j {
				return false
			}
			w.holder[c] = m.by[place] + 1
		}
	}
	return true
}

// nextHolders returns who may hold the channel that a packet waits for next, and whether there is one.
func (w *waits) nextHolders(tried []packet, i, cycle, room int) (who []int, more bool) {
	place := len(tried[i].by)
	for j := -1; j < len(tried)-1+min(room, 1); j++ {
		for row := range tried[i].rows.all() {
			asks := w.asks[row]
			more = more || place < len(asks)
			if j < 0 && place >= len(asks) || j >= 0 && place < len(asks) && tried[j].can.has(int(asks[place])) &&
				w.agrees(asks, tried[i].by, j) && !reaches(tried, j, i, cycle, cycle-2) {
				who = append(who, j)
				break
			}
		}
	}
	return who, more
}

// reaches reports whether a packet waits for another, directly or through others, in at
// most the given number of steps.
func reaches(tried []packet, from, to, cycle, steps int) bool {
	if from == to || steps <= 0 {
		return from == to && steps >= 0
	}
	return from < cycle && reaches(tried, (from+1)%cycle, to, cycle, steps-1) ||
		slices.ContainsFunc(tried[from].by, func(j int) bool { return j >= 0 && reaches(tried, j, to, cycle, steps-1) })
}

// agrees reports whether packet j can hold the next channel asked for, if the packets in by
// hold those before it.
func (w *waits) agrees(asks []spec.ChannelID, by []int, j int) bool {
	c := asks[len(by)]
	for place, i := range by {
		if d := asks[place]; i == j && !w.beside[c].has(int(d)) || i > j && w.alike[c] == w.alike[d] {
			return false
		}
	}
	return true
}

// fit drops the rows that the packets cannot have, now that more is known about one of them.
// It is false if a packet has no row left.
func (w *waits) fit(tried []packet, at, cycle, room int) bool {
	last, moved := len(tried)-1, make([]bool, len(tried))
	for moved[at] = true; slices.Contains(moved, true); {
		stale, narrowed := slices.Clone(moved), make([]bool, len(tried))
		for i, m := range tried {
			for _, j := range m.by {
				if moved[i] && j >= 0 {
					stale[j] = true
				}
			}
		}
		for i := range tried {
			if stale[i] {
				tried[i].can = w.can(tried, i)
			}
		}
		for i, m := range tried[:last] {
			fit := w.holding(tried, moved, i)
			for row := range fit.all() {
				if w.steps++; !w.fits(tried, i, row, cycle, room) {
					fit.remove(row)
				}
			}
			if tried[i].rows = fit; fit.lowest() < 0 {
				return false
			}
			narrowed[i] = !slices.Equal(fit, m.rows)
		}
		moved = narrowed
	}
	return true
}

// holding returns the rows of a packet that can hold what those that moved wait for it to hold.
func (w *waits) holding(tried []packet, moved []bool, i int) set {
	rows := slices.Clone(tried[i].rows)
	for k, m := range tried {
		for place, j := range m.by {
			if j != i || !moved[k] {
				continue
			}
			some := make(set, len(rows))
			for row := range m.rows.all() {
				if asks := w.asks[row]; place < len(asks) {
					some.or(w.holders[asks[place]])
				}
			}
			rows = rows.and(some)
		}
	}
	return rows
}

// fits reports whether a packet can have a row.
func (w *waits) fits(tried []packet, i, row, cycle, room int) bool {
	by, asks, next := tried[i].by, w.asks[row], (i+1)%cycle
	follows := i >= cycle // or it waits for the next of the cycle
	for place, c := range asks {
		if place >= len(by) {
			if follows = follows || tried[next].can.has(int(c)); !w.enough(tried, asks[:place+1], room) {
				return false
			}
			continue
		}
		follows = follows || by[place] == next
		if by[place] < 0 || !tried[by[place]].can.has(int(c)) || !w.agrees(asks, by[:place], by[place]) {
			return false
		}
	}
	if !follows || i < cycle && row < tried[0].rows.lowest() || len(by) > len(asks) && by[len(asks)] >= 0 {
		return false
	}
	return true
}

// enough reports whether enough packets can hold the last of the channels and those before it that are alike, as none
// holds two of them: those tried that can hold one of them, and room others.
func (w *waits) enough(tried []packet, asks []spec.ChannelID, room int) bool {
	last, need, c := len(tried)-1, 0, asks[len(asks)-1]
	for _, d := range asks {
		if w.alike[c] == w.alike[d] {
			need++
		}
	}
	if tried[last].can.has(int(c)) {
		need -= room
	}
	for j := 0; j < last && need > 0; j++ {
		for _, d := range asks {
			if w.alike[c] == w.alike[d] && tried[j].can.has(int(d)) {
				need--
				break
			}
		}
	}
	return need <= 0
}

// can returns the channels that a packet can hold in addition to those that it holds.
func (w *waits) can(tried []packet, i int) set {
	can := make(set, len(w.beside[0]))
	for row := range tried[i].rows.all() {
		can.or(w.holds[row])
	}
	for _, m := range tried {
		for place, j := range m.by {
			if j == i {
				beside := make(set, len(can))
				for row := range m.rows.all() {
					if asks := w.asks[row]; place < len(asks) {
						beside.or(w.beside[asks[place]])
					}
				}
				can = can.and(beside)
			}
		}
	}
	return can
}

// set is a set of numbers, a bit each.
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

// and returns the intersection.
func (s set) and(t set) set {
	both := slices.Clone(s)
	for i := range both {
		both[i] &= t[i]
	}
	return both
}

// or adds the numbers of another set.
func (s set) or(t set) {
	t = t[:len(s)] // bounds are checked once
	for i := range s {
		s[i] |= t[i]
	}
}

// lowest returns the lowest number, or -1.
func (s set) lowest() int {
	for i := range s.all() {
		return i
	}
	return -1
}

// common returns how many numbers are in both.
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
