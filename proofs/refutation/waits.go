package refutation

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// waits are what messages can hold and wait for. Messages that block each other are
// closed: each channel for which one waits is held by one of them. So all sets of a few
// are tried, head by head: who holds a channel waited for is a message tried before, or
// one more. Of a path only this is kept: from each channel on it the head is reached, and
// of any two channels one from the other.
type waits struct {
	ctx     context.Context
	n       *spec.Network
	holds   []big.Int // by row: channels of a message whose head waits with it
	holders []big.Int // by channel: these rows
	beside  []big.Int // by channel: those that a message can hold as well
	many    []int     // by channel: how many its holders are
	asking  [][]int   // by channel: rows that wait for it
	waiting []int     // rows that are not dropped
	rows    []int     // of the messages tried
	steps   int       // sites visited and sets tried
}

// newWaits returns nil if they take too much memory.
func newWaits(ctx context.Context, n *spec.Network) *waits {
	channels, rows := n.Topology().Channels(), n.RowCount()
	if float64(channels)*float64(2*rows+channels) > mostBits {
		return nil
	}
	return &waits{ctx: ctx, n: n, holds: make([]big.Int, rows), holders: make([]big.Int, channels), beside: make([]big.Int, channels), many: make([]int, channels), asking: make([][]int, channels)}
}

// mostSteps bounds the time that sets are tried, mostBits the memory.
const mostSteps, mostBits = 1 << 25, 1 << 30

// none reports whether no set of at most most messages is closed. If that takes too many
// steps, or ctx ends, it is false; else w.rows are those of a closed set. Rows are tried in
// turn, from the one with the fewest ways on. A row that was tried is dropped: no closed set
// has it. Exponential in most.
func (w *waits) none(f *formula, most int) bool {
	w.follow(f)
	for row := range w.holds {
		if w.used(row) {
			w.waiting = append(w.waiting, row)
			for _, h := range w.row(row) {
				w.asking[h.Channel] = append(w.asking[h.Channel], row)
			}
		}
	}
	for _, row := range w.waiting {
		if w.spared(row) {
			w.drop(row)
		}
	}
	w.unheld()
	for len(w.waiting) > 0 {
		row := slices.MinFunc(w.waiting, func(a, b int) int { return w.ways(a) - w.ways(b) })
		w.rows = []int{row}
		if w.closed([]*big.Int{&w.holds[row]}, nil, nil, w.row(row), most-1) {
			return false
		}
		w.drop(row)
		w.unheld()
	}
	return !w.ends()
}

func (w *waits) row(row int) []spec.Hop { return w.n.Row(spec.RowID(row)) }
func (w *waits) used(row int) bool      { return w.holds[row].BitLen() > 0 }

// ways returns how many rows can hold that channel of a row which the fewest can hold.
func (w *waits) ways(row int) int {
	fewest := math.MaxInt
	for _, h := range w.row(row) {
		fewest = min(fewest, w.many[h.Channel])
	}
	return fewest
}

// spared reports whether another row can replace a row in every closed set: it can hold the
// same channels or more, and waits for the same or fewer.
func (w *waits) spared(row int) bool {
	hops := w.row(row)
	for _, h := range hops {
		for _, other := range w.asking[h.Channel] {
			if other != row && !w.ends() && and(&w.holds[row], &w.holds[other]).Cmp(&w.holds[row]) == 0 &&
				!slices.ContainsFunc(w.row(other), func(o spec.Hop) bool {
					return !slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == o.Channel })
				}) {
				return true
			}
		}
	}
	return false
}

// drop removes a row: from here on no message waits with it.
func (w *waits) drop(row int) {
	for c := range w.holds[row].BitLen() {
		if has(&w.holds[row], c) {
			w.holders[c].SetBit(&w.holders[c], row, 0)
			w.many[c]--
		}
	}
	w.holds[row].SetInt64(0)
}

// unheld drops the rows that wait for a channel that no message can hold any more, unless
// that takes too many steps.
func (w *waits) unheld() {
	for again := true; again && !w.ends(); {
		again = false
		w.steps += len(w.waiting) / 16 // of them a step each would be too much
		for _, row := range w.waiting {
			if w.used(row) && w.ways(row) == 0 {
				w.drop(row)
				again = true
			}
		}
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(row int) bool { return !w.used(row) })
}

// ends counts a step, and reports whether it is one too many.
func (w *waits) ends() bool {
	w.steps++
	return w.steps > mostSteps || w.ctx.Err() != nil
}

// follow follows the hops from each site to where heads wait.
func (w *waits) follow(f *formula) {
	seen := make([]int, len(f.ends[1]))
	for s, head := range f.ends[1] {
		c := int(head - f.first)
		for queue := []int32{int32(s)}; len(queue) > 0 && !w.ends(); queue = queue[1:] {
			at := queue[0]
			d, row := int(f.ends[1][at]-f.first), int(f.ends[0][at]-f.waits)
			if !has(&w.beside[c], d) {
				add(&w.beside[c], d)
				add(&w.beside[d], c)
			}
			if f.value[yes(f.ends[0][at])] >= 0 && !has(&w.holds[row], c) {
				add(&w.holds[row], c)
				add(&w.holders[c], row)
				w.many[c]++
			}
			for _, to := range f.to[f.firstHop[at]:f.firstHop[at+1]] {
				if to >= 0 && seen[to] <= s {
					seen[to] = s + 1
					queue = append(queue, to)
				}
			}
		}
	}
}

func has(s *big.Int, i int) bool { return s.Bit(i) > 0 }
func add(s *big.Int, i int)      { s.SetBit(s, i, 1) }
func and(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) }

// closed tries who holds the channels that are open, of all those asked for, and those of
// some more hops: the messages tried, by what each can hold as well, or room others.
func (w *waits) closed(can []*big.Int, asked, open []spec.ChannelID, more []spec.Hop, room int) bool {
	for _, h := range more {
		if !slices.Contains(asked, h.Channel) {
			asked, open = append(asked, h.Channel), append(open, h.Channel)
		}
	}
	if w.ends() || len(open) == 0 {
		return true
	}
	var alone, apart []spec.ChannelID // held by none of them: by others, and each apart by another one
	at, fewest := 0, math.MaxInt
	for i, c := range open {
		ways := 0
		for _, s := range can {
			ways += int(s.Bit(int(c)))
		}
		if ways == 0 {
			alone = append(alone, c)
			if !slices.ContainsFunc(apart, func(d spec.ChannelID) bool { return has(&w.beside[c], int(d)) }) {
				apart = append(apart, c)
			}
		}
		if ways += w.many[c]; ways < fewest {
			at, fewest = i, ways
		}
	}
	if len(apart) > room {
		return false
	}
	c := int(open[at])
	open = slices.Delete(slices.Clone(open), at, at+1)
	for i, s := range can {
		next := slices.Clone(can)
		if next[i] = and(s, &w.beside[c]); has(s, c) && w.closed(next, asked, open, nil, room) {
			return true
		}
	}
	rows := &w.holders[c]
	for _, d := range alone {
		if room == 1 {
			rows = and(rows, &w.holders[d])
		}
	}
	for row := 0; room > 0 && row < rows.BitLen(); row++ {
		if !has(rows, row) {
			continue
		}
		w.rows = append(w.rows[:len(can)], row)
		if w.closed(append(can, and(&w.holds[row], &w.beside[c])), asked, open, w.row(row), room-1) {
			return true
		}
	}
	return false
}
