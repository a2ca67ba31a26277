package wormhole

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
)

// places is a graph of where a worm can be. A place is a site; an edge is a hop
// between sites, both in candidate channels. A worm is a path of places in
// different channels whose last place is a head's: it has a want. If the length of
// worms is bounded, a place is a site and the number of channels from there to the
// head, so every path is short enough by construction. If packets have one length,
// a worm also begins at a tail: it holds that many channels, or begins at its
// source.
type places struct {
	graph.Graph // the places after one are ascending
	sites       []tableSite
	channel     []spec.ChannelID
	want        []int32 // number of the want of a head there, or -1 if a head there is not stuck
	tail        []bool  // whether the tail of a worm may be there; nil: anywhere
	entry       []bool  // whether its source may feed a packet there; nil: irrelevant
	// whether a head that goes on may stand behind another packet, so that any place of its channel may be first
	// in it
	loose bool
	row   *row // for packets of one length in shared channels; else nil

	wants [][]spec.ChannelID // by number: channels, ascending
	rows  []spec.RowID       // by number: a row that waits for them
}

// tableSite is a site by its table and its number in it, and the channels from there to
// the head, where that matters.
type tableSite struct{ table, site, ahead int32 }

func (p *places) len() int { return len(p.sites) }

// mostPlaces bounds the size of a graph of places (some 60 bytes each with
// all that is built on it); beyond it nothing is decided.
const mostPlaces = 1 << 23

// findPlaces collects the places in the given channels; false if they are too many.
// Rows that wait for the same channels share one want, unless apart is set.
func findPlaces(ctx context.Context, n *spec.Network, usable []bool, apart bool) (*places, bool, error) {
	p := &places{}
	walk := relation.NewWalk(n)
	wantOf := map[spec.RowID]int32{}
	var number intern.Slices[spec.ChannelID]
	var placeOf []int32
	for i := range n.Tables() {
		if err := context.Cause(ctx); err != nil {
			return nil, false, err
		}
		t := n.Table(i)
		placeOf = placeOf[:0]
		count := int32(p.len())
		for _, c := range t.Channels {
			if usable[c] {
				placeOf = append(placeOf, count)
				count++
			} else {
				placeOf = append(placeOf, -1)
			}
		}
		if count > mostPlaces {
			return nil, false, nil
		}
		walk.Load(t)
		for s, c := range t.Channels {
			if !usable[c] {
				continue
			}
			r := t.Rows[s]
			w, known := wantOf[r]
			if !known {
				if apart {
					number = intern.Slices[spec.ChannelID]{}
				}
				w = p.wantNumber(r, relation.Wanted(n, r), usable, &number)
				wantOf[r] = w
			}
			p.sites = append(p.sites, tableSite{int32(i), int32(s), 0})
			p.channel = append(p.channel, c)
			p.want = append(p.want, w)
			p.First = append(p.First, uint32(len(p.To)))
			for h, to := range walk.SitesAfter(r) {
				if placeOf[to] >= 0 && h.Channel != c {
					p.To = append(p.To, placeOf[to])
				}
			}
		}
	}
	p.First = append(p.First, uint32(len(p.To)))
	return p, true, nil
}

// wantNumber numbers the channels that a head waits for; -1 if some of them are never held.
func (p *places) wantNumber(
	r spec.RowID, channels []spec.ChannelID, usable []bool, number *intern.Slices[spec.ChannelID],
) int32 {
	if len(channels) == 0 || slices.ContainsFunc(channels, func(c spec.ChannelID) bool { return !usable[c] }) {
		return -1
	}
	w, added := number.Number(hash.Words(0, channels), channels)
	if added {
		w = int32(len(p.wants)) // number may have begun later than wants
		p.wants, p.rows = append(p.wants, channels), append(p.rows, r)
	}
	return w
}

// row is how packets of one length stand behind each other in full channels: see the formula in package
// unsatisfiability proof.
type row struct{ length, buffer int }

// flitsAhead returns how many flits of a channel's first packet are ahead of it, at the given number of channels in
// the row.
func (r *row) flitsAhead(channels int32) int { return int(channels) * r.buffer % r.length }

// isBehind reports whether the first packet of a channel has its head behind another packet, in the next channel.
func (r *row) isBehind(channels int32) bool {
	return 0 < r.flitsAhead(channels) && r.flitsAhead(channels) < r.buffer
}

// mostChannels returns the largest number of channels in a row.
func (r *row) mostChannels() int {
	most := 1
	for r.flitsAhead(int32(most)) > 0 {
		most++
	}
	return most
}

// layered returns the graph of (place, channels from there to the head) for
// worms of at most length channels; false if it is too large. A shorter worm begins at one
// of the entries (by place), unless they are nil. With a row, the channels in the row are counted instead.
func (p *places) layered(ctx context.Context, length int, entries []bool, r *row) (*places, bool, error) {
	count := p.len()
	if count*length > mostPlaces || len(p.To)*(length-1) > 8*mostPlaces {
		return nil, false, nil
	}
	out := &places{wants: p.wants, rows: p.rows, row: r}
	for d := range int32(length) {
		for v := range int32(count) {
			if deadline.Passed(ctx, int(v)) {
				return nil, false, context.Cause(ctx)
			}
			w := int32(-1)
			if d == 0 {
				w = p.want[v]
			}
			out.sites = append(out.sites, tableSite{p.sites[v].table, p.sites[v].site, d})
			out.channel = append(out.channel, p.channel[v])
			out.want = append(out.want, w)
			if r != nil {
				out.tail = append(out.tail, r.flitsAhead(d+1) < r.buffer)
				out.entry = append(out.entry, entries[v])
			} else if entries != nil {
				out.tail = append(out.tail, entries[v] || int(d) == length-1)
			}
			out.First = append(out.First, uint32(len(out.To)))
			if d > 0 {
				for _, to := range p.Successors(v) {
					out.To = append(out.To, to+(d-1)*int32(count))
				}
			}
		}
	}
	out.First = append(out.First, uint32(len(out.To)))
	return out, true, nil
}

// entries reports, by place, whether a packet comes there directly from its source.
func (p *places) entries(n *spec.Network) []bool {
	out := make([]bool, p.len())
	walk := relation.NewWalk(n)
	var entered []bool // by site of the table
	table := int32(-1)
	for v, at := range p.sites {
		if at.table != table {
			table = at.table
			walk.Load(n.Table(int(table)))
			entered = walk.Entered()
		}
		out[v] = entered[at.site]
	}
	return out
}

// allPlaces returns the places of all channels: of worms of any length with wormhole
// switching, otherwise of one channel each; nil if there are too many.
func allPlaces(ctx context.Context, n *spec.Network) (*places, error) {
	p, fits, err := findPlaces(ctx, n, slices.Repeat([]bool{true}, n.Topology().Channels()), false)
	if fits && n.Switching() != spec.Wormhole {
		p, fits, err = p.layered(ctx, 1, nil, nil)
	}
	if err != nil || !fits {
		return nil, err
	}
	return p, nil
}

// pruned returns the graph of the places that headTail leaves.
func (p *places) pruned(ctx context.Context, channels int, round func(left []bool)) (*places, error) {
	left := p.headTail(ctx, channels, round)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return p.restrict(ctx, left, channels)
}

// headTail is the head/tail fixpoint on places. Until nothing changes, it deletes the places
// from which no head can be reached or to which no tail leads, the channels without a
// place, and the heads that wait for a deleted channel. Where a hop leads to any place of a channel, all places of
// a channel are left or none. It returns which places are left
// and calls round, if not nil, with them after each round. If ctx ends, too many may be left.
func (p *places) headTail(ctx context.Context, channels int, round func(left []bool)) []bool {
	before, vertex := p.Reverse(), func(v int32) int32 { return v }
	channelOf := func(v int32) spec.ChannelID { return p.channel[v] }
	if p.loose {
		before, vertex = p.channelsBefore(channels), func(v int32) int32 { return int32(p.channel[v]) }
		channelOf = func(v int32) spec.ChannelID { return spec.ChannelID(v) }
	}
	usable := make([]bool, channels)
	for _, c := range p.channel {
		usable[c] = true
	}
	var distances []int32
	for {
		var heads []int32
		for v, w := range p.want {
			if w >= 0 && usable[p.channel[v]] &&
				!slices.ContainsFunc(p.wants[w], func(c spec.ChannelID) bool { return !usable[c] }) {
				heads = append(heads, vertex(int32(v)))
			}
		}
		distances, _ = before.Distances(distances, heads, func(v int32) bool { return usable[channelOf(v)] })
		left := make([]bool, p.len())
		for v := range left {
			left[v] = distances[vertex(int32(v))] != graph.Never
		}
		if p.tail != nil {
			var tails []int32
			for v := range left {
				if left[v] && p.tail[v] {
					tails = append(tails, int32(v))
				}
			}
			distances, _ = p.Distances(distances, tails, func(v int32) bool { return left[v] })
			for v := range left {
				left[v] = distances[v] != graph.Never
			}
		}
		if round != nil {
			round(left)
		}
		still := make([]bool, channels)
		for v, is := range left {
			still[p.channel[v]] = still[p.channel[v]] || is
		}
		if slices.Equal(still, usable) || ctx.Err() != nil {
			return left
		}
		usable = still
	}
}

// channelsBefore is the graph of channels with an edge to each from which a hop leads into one.
func (p *places) channelsBefore(channels int) *graph.Graph {
	return graph.Collect(channels, func(add func(from, to int32)) {
		for v, c := range p.channel {
			for _, to := range p.Successors(int32(v)) {
				add(int32(p.channel[to]), int32(c))
			}
		}
	})
}

// restrict returns the graph of the places that are left; a head that waits for a
// channel without a place is no longer a head.
func (p *places) restrict(ctx context.Context, left []bool, channels int) (*places, error) {
	usable := make([]bool, channels)
	renamed := make([]int32, p.len())
	out := &places{wants: p.wants, rows: p.rows, loose: p.loose}
	for v := range p.len() {
		if deadline.Passed(ctx, v) {
			return nil, context.Cause(ctx)
		}
		renamed[v] = -1
		if left[v] {
			renamed[v] = int32(out.len())
			usable[p.channel[v]] = true
			out.sites = append(out.sites, p.sites[v])
			out.channel = append(out.channel, p.channel[v])
			if p.tail != nil {
				out.tail = append(out.tail, p.tail[v])
			}
		}
	}
	for v := range int32(p.len()) {
		if deadline.Passed(ctx, int(v)) {
			return nil, context.Cause(ctx)
		}
		if !left[v] {
			continue
		}
		w := p.want[v]
		if w >= 0 && slices.ContainsFunc(p.wants[w], func(c spec.ChannelID) bool { return !usable[c] }) {
			w = -1
		}
		out.want = append(out.want, w)
		out.First = append(out.First, uint32(len(out.To)))
		for _, to := range p.Successors(v) {
			if renamed[to] >= 0 {
				out.To = append(out.To, renamed[to])
			}
		}
	}
	out.First = append(out.First, uint32(len(out.To)))
	return out, nil
}

// bisimulation groups places of the same channel with the same future: the same want, both or
// neither a tail, and hops to the same kinds. A path of kinds is a path of places from
// every place of its first kind, so a search over kinds loses nothing. Partition
// refinement (Moore 1956): one pass over the edges for each step of the longest path
// needed to tell two places apart, but at most a hundred passes; beyond, every
// place is a separate kind, which is also correct.
func (p *places) bisimulation(ctx context.Context) (kindOf []int32, count int, err error) {
	kindOf = make([]int32, p.len())
	number := map[[2]int32]int32{}
	for v := range kindOf {
		key := [2]int32{int32(p.channel[v]), 2 * p.want[v]}
		if p.tail != nil && p.tail[v] {
			key[1]++
		}
		k, known := number[key]
		if !known {
			k = int32(len(number))
			number[key] = k
		}
		kindOf[v] = k
	}
	count = len(number)
	for range 100 {
		if err := context.Cause(ctx); err != nil {
			return nil, 0, err
		}
		finer := make([]int32, p.len())
		var number intern.Slices[int32]
		var key []int32
		for v := range int32(p.len()) {
			if deadline.Passed(ctx, int(v)) {
				return nil, 0, context.Cause(ctx)
			}
			key = key[:0]
			for _, to := range p.Successors(v) {
				key = append(key, kindOf[to])
			}
			slices.Sort(key)
			key = append(slices.Compact(key), kindOf[v])
			finer[v], _ = number.Number(hash.Words(0, key), key)
		}
		if number.Len() == count {
			return kindOf, count, nil
		}
		kindOf, count = finer, number.Len()
	}
	for v := range kindOf {
		kindOf[v] = int32(v)
	}
	return kindOf, p.len(), nil
}

// quotient returns the graph of kinds, each with the site of its first place.
func (p *places) quotient(ctx context.Context, kindOf []int32, count int) (*places, error) {
	q := &places{wants: p.wants}
	representative := make([]int32, count)
	for v := int32(p.len()) - 1; v >= 0; v-- {
		representative[kindOf[v]] = v
	}
	for k, v := range representative {
		if deadline.Passed(ctx, k) {
			return nil, context.Cause(ctx)
		}
		q.sites = append(q.sites, p.sites[v])
		q.channel = append(q.channel, p.channel[v])
		q.want = append(q.want, p.want[v])
		if p.tail != nil {
			q.tail = append(q.tail, p.tail[v])
		}
		q.First = append(q.First, uint32(len(q.To)))
		var to []int32
		for _, w := range p.Successors(v) {
			to = append(to, kindOf[w])
		}
		slices.Sort(to)
		q.To = append(q.To, slices.Compact(to)...)
	}
	q.First = append(q.First, uint32(len(q.To)))
	return q, nil
}
