package relation

import (
	"context"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// The head/tail fixpoint of 64 tables at a time.
//
// Tables side by side are alike: most of their channels have the same row. So 64 tables are one block, which keeps, for
// each place (channel and tag) and each row that is found there, in which of the tables it is: a word. By words, the
// sites of a row that has been resolved become clear where, for each of its hops, the site that it leads to is:
//
//	clear[place] |= where the row is at the place AND clear[hop 1] AND clear[hop 2] AND ...
//
// This takes a few steps for many tables at once, where [HeadTail] takes one for each, and less memory: 1.5 s of CPU
// time and 3 bytes a site of star-channel 48x48, which took 5.4 s and 7 bytes. At worst, where tables side by side have
// nothing in common, a word has one bit, and a site takes 12 bytes and more. A block has lists by place, some 20 bytes
// each, so networks of small tables and many places are left to HeadTail.
//
// A site that can come back to itself never becomes clear so, even if it should. Then its channel remains, and the
// fixpoint is computed by HeadTail. If no channel remains there was no such site, and the ranks are those of HeadTail:
// both delete a channel in the round in which its last site becomes clear.

// HeadTailRanks returns what [Usage.HeadTail], without what is held, finds in Run. It takes memory linear in the
// different pairs of a place and a row in each 64 tables and in the hops of these rows, and so much time whenever some
// of the 64 sites become clear; and those of HeadTail where channels are Unranked, or where all blocks have more places
// than there are sites. round is that of [HeadTail.Run].
func (u *Usage) HeadTailRanks(ctx context.Context, workers int, round func(deleted int)) (*HeadTail, error) {
	places, blocks := u.net.Topology().Channels()*u.net.Tags(), u.net.Tables()/wordBits+1
	if int64(blocks)*int64(places) <= int64(u.net.SiteCount()) {
		h, err := u.headTailByWords(ctx, workers, wordBits, round)
		if err != nil || h.Stuck == 0 {
			return h, err
		}
	}
	h, err := u.HeadTail(ctx, workers, false, nil)
	if err != nil {
		return nil, err
	}
	return h, h.Run(ctx, round)
}

// headTailByWords is HeadTailRanks with so many tables in a block, at most [wordBits]. It also leaves channels with a
// site that can come back to itself, and what follows.
func (u *Usage) headTailByWords(ctx context.Context, workers, width int, round func(deleted int)) (*HeadTail, error) {
	n := u.net
	h := &HeadTail{usage: u, net: n, Rank: make([]int32, n.Topology().Channels())}
	pending := make([]int32, len(h.Rank)) // by channel: words of its places that are not all clear
	blocks := make([]*block, (n.Tables()+width-1)/width)
	builders := make([]*blockBuilder, workers)
	err := each.Do(ctx, workers, len(blocks), func(worker, i int) error {
		if builders[worker] == nil {
			builders[worker] = newBlockBuilder(n)
		}
		blocks[i] = builders[worker].build(i*width, min((i+1)*width, n.Tables()))
		blocks[i].begin(pending)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for c, used := range u.Used {
		if used {
			h.Rank[c] = Unranked
			h.Stuck++
		}
	}
	var deleted []spec.ChannelID // in this round
	for now := int32(0); ; now++ {
		deleted = deleted[:0]
		for c := range h.Rank {
			if h.Rank[c] == Unranked && pending[c] == 0 {
				h.Rank[c] = now
				deleted = append(deleted, spec.ChannelID(c))
			}
		}
		h.Stuck -= len(deleted)
		if round != nil {
			round(len(h.Rank) - h.Stuck)
		}
		if len(deleted) == 0 {
			return h, nil
		}
		err := each.Do(ctx, workers, len(blocks), func(_, i int) error {
			blocks[i].resolve(deleted, pending)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
}

const wordBits = 64 // tables of a block

// block is up to 64 tables. Rows are numbered within it.
type block struct {
	tags   int
	listed []uint64 // by place: the tables that have a site there
	clear  []uint64 // by place: of these, those in which the site is clear
	// The places that hops of row r lead to are hops[first[r].hops:first[r+1].hops]; r is found in cells
	// first[r].cells to first[r+1].cells.
	first    []rowBounds
	hops     []int32
	cells    []cell
	into     []int32 // rows with a hop into place p: into[intoAt[p]:intoAt[p+1]]
	intoAt   []int32
	resolved []bool // by row
	queued   []bool
	queue    []int32 // rows that are resolved, some of whose sites may have become clear
}

type rowBounds struct{ hops, cells int32 }

// cell tells in which tables of a block a row is found at a place.
type cell struct {
	place  int32
	tables [2]uint32 // a word, in halves, so that cells take 12 bytes
}

func (c *cell) word() uint64 { return uint64(c.tables[0]) | uint64(c.tables[1])<<32 }

// begin finds the sites that are clear from the start, and counts in pending the words that are not.
func (b *block) begin(pending []int32) {
	for p, word := range b.listed {
		if word != 0 {
			atomic.AddInt32(&pending[p/b.tags], 1)
		}
	}
	for r, is := range b.resolved {
		if is {
			b.push(int32(r))
		}
	}
	b.spread(pending)
}

// resolve finds the sites that become clear when channels are deleted.
func (b *block) resolve(deleted []spec.ChannelID, pending []int32) {
	for _, c := range deleted {
		for _, r := range b.into[b.intoAt[int(c)*b.tags]:b.intoAt[int(c+1)*b.tags]] {
			if !b.resolved[r] {
				b.resolved[r] = true
				b.push(r)
			}
		}
	}
	b.spread(pending)
}

func (b *block) push(r int32) {
	if !b.queued[r] {
		b.queued[r], b.queue = true, append(b.queue, r)
	}
}

// spread makes the sites of queued rows clear where all that they lead to is, and so on. First in, first out: a row
// then mostly waits until all of its hops have been through.
func (b *block) spread(pending []int32) {
	for i := 0; i < len(b.queue); i++ {
		r := b.queue[i]
		b.queued[r] = false
		from, to := b.first[r], b.first[r+1]
		ahead := ^uint64(0)
		for _, p := range b.hops[from.hops:to.hops] {
			ahead &= b.clear[p]
		}
		if ahead == 0 {
			continue
		}
		for k := from.cells; k < to.cells; k++ {
			at := &b.cells[k]
			p := at.place
			now := b.clear[p] | at.word()&ahead
			if now == b.clear[p] {
				continue
			}
			if b.clear[p] = now; now == b.listed[p] {
				atomic.AddInt32(&pending[int(p)/b.tags], -1)
			}
			for _, before := range b.into[b.intoAt[p]:b.intoAt[p+1]] {
				if b.resolved[before] {
					b.push(before)
				}
			}
		}
	}
	b.queue = b.queue[:0]
}

// blockBuilder makes blocks, one after the other, with the scratch memory of one worker.
type blockBuilder struct {
	net   *spec.Network
	table spec.Table
	local []int32 // by row: its number in the block + 1, or 0
	rows  []spec.RowID
	last  []int32 // by place: the pair that was added last + 1, or 0
	pairs []pair
}

// pair is a row that is found at a place.
type pair struct {
	tables        uint64
	row           int32 // in the block
	place, before int32 // before: the pair of the same place that was added before, + 1, or 0
}

func newBlockBuilder(n *spec.Network) *blockBuilder {
	return &blockBuilder{
		net: n, local: make([]int32, n.RowCount()), last: make([]int32, n.Topology().Channels()*n.Tags()),
	}
}

// build makes a block of the tables from one to another, exclusively. Linear in their sites, times the different rows
// of a place.
func (m *blockBuilder) build(from, to int) *block {
	b := &block{tags: m.net.Tags(), listed: make([]uint64, len(m.last))}
	m.rows, m.pairs = m.rows[:0], m.pairs[:0]
	for i := from; i < to; i++ {
		t := m.net.TableIn(&m.table, i)
		for s, c := range t.Channels {
			m.add(int32(int(c)*b.tags+int(t.Tag(s))), t.Rows[s], 1<<(i-from))
		}
	}
	for i := range m.pairs {
		b.listed[m.pairs[i].place] |= m.pairs[i].tables
		m.last[m.pairs[i].place] = 0
	}
	b.clear = make([]uint64, len(b.listed))
	m.bound(b)
	b.cells = make([]cell, len(m.pairs))
	for i := range m.pairs { // the cells of a row end where its first stands for now
		p := &m.pairs[i]
		at := &b.first[p.row]
		at.cells--
		b.cells[at.cells] = cell{p.place, [2]uint32{uint32(p.tables), uint32(p.tables >> 32)}}
	}
	m.connect(b)
	for _, r := range m.rows {
		m.local[r] = 0
	}
	return b
}

// add notes that a table, a bit, has a row at a place.
func (m *blockBuilder) add(place int32, r spec.RowID, table uint64) {
	row := m.local[r] - 1
	if row < 0 {
		row = int32(len(m.rows))
		m.rows = append(m.rows, r)
		m.local[r] = row + 1
	}
	for i := m.last[place]; i > 0; i = m.pairs[i-1].before {
		if p := &m.pairs[i-1]; p.row == row {
			p.tables |= table
			return
		}
	}
	m.pairs = append(m.pairs, pair{table, row, place, m.last[place]})
	m.last[place] = int32(len(m.pairs))
}

// bound sets the bounds of the rows of a block, those of cells to their ends.
func (m *blockBuilder) bound(b *block) {
	b.first = make([]rowBounds, len(m.rows)+1)
	b.resolved, b.queued = make([]bool, len(m.rows)), make([]bool, len(m.rows))
	for i := range m.pairs {
		b.first[m.pairs[i].row].cells++
	}
	hops, cells := int32(0), int32(0)
	for i, r := range m.rows {
		b.resolved[i] = !Waits(m.net, r)
		cells += b.first[i].cells
		b.first[i] = rowBounds{hops, cells}
		for _, h := range m.net.Row(r) {
			if h.Channel != spec.Eject {
				hops++
			}
		}
	}
	b.first[len(m.rows)] = rowBounds{hops, cells}
}

// connect sets the places that rows lead to, and the rows that lead to places.
func (m *blockBuilder) connect(b *block) {
	b.hops, b.intoAt = make([]int32, 0, b.first[len(m.rows)].hops), make([]int32, len(b.listed)+1)
	for _, r := range m.rows {
		for _, h := range m.net.Row(r) {
			if h.Channel != spec.Eject {
				p := int32(int(h.Channel)*b.tags + int(h.Tag))
				b.hops = append(b.hops, p)
				b.intoAt[p]++
			}
		}
	}
	for p := 1; p < len(b.intoAt); p++ { // where each ends, until its rows are in
		b.intoAt[p] += b.intoAt[p-1]
	}
	b.into = make([]int32, len(b.hops))
	for i := range m.rows {
		for _, p := range b.hops[b.first[i].hops:b.first[i+1].hops] {
			b.intoAt[p]--
			b.into[b.intoAt[p]] = int32(i)
		}
	}
}
