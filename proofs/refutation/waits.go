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

	first, steps int // no row below is tried; sites visited and sets tried
}

// mostSteps bounds the time that sets are tried, mostBits the memory.
const mostSteps, mostBits = 1 << 25, 1 << 30

// none reports whether no set of at most most messages is closed. If that takes too many
// steps, or ctx ends, it is false. Exponential in most.
func (f *formula) none(ctx context.Context, n *spec.Network, most int) bool {
	channels, rows := int(f.sites), n.RowCount()
	if float64(channels)*float64(2*rows+channels) > mostBits {
		return false
	}
	w := &waits{ctx, n, make([]big.Int, rows), make([]big.Int, channels), make([]big.Int, channels), make([]int, channels), 0, 0}
	w.follow(f)
	for ; w.first < rows; w.first++ {
		if some := &w.holds[w.first]; some.BitLen() > 0 && w.closed([]*big.Int{some}, nil, nil, n.Row(spec.RowID(w.first)), most-1) {
			return false
		}
	}
	return !w.ends()
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
			add(&w.beside[c], d)
			add(&w.beside[d], c)
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
	for row := w.first; room > 0 && row < rows.BitLen(); row++ {
		if has(rows, row) && w.closed(append(can, and(&w.holds[row], &w.beside[c])), asked, open, w.n.Row(spec.RowID(row)), room-1) {
			return true
		}
	}
	return false
}
