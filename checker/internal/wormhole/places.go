package wormhole

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// places is a graph of where a worm can be. A place is a site; an edge is a hop
// between sites, both in candidate channels. A worm is a path of places in
// different channels whose last place is a head's: it has a want. If the length of
// worms is bounded, a place is a site and the number of channels from there to the
// head, so every path is short enough by construction. If messages have one length,
// a worm also begins at a tail: it holds that many channels, or begins at its
// source.
type places struct {
	sites   []tableSite
	channel []spec.ChannelID
	want    []int32 // number of the want of a head there, or -1 if a head there is not stuck
	tail    []bool  // whether the tail of a worm may be there; nil: anywhere
	entry   []bool  // whether its source may feed a message there; nil: irrelevant
	loose   bool    // whether a head that goes on may stand behind another message, so that any place of its channel may be first in it
	row     *row    // for messages of one length in shared channels; else nil
	first   []int32 // next places of p: next[first[p]:first[p+1]], ascending
	next    []int32

	wants [][]spec.ChannelID // by number: channels, ascending
	rows  []spec.RowID       // by number: a row that waits for them
}

// tableSite is a site by its table and its number in it, and the channels from there to
// the head, where that matters.
type tableSite struct{ table, site, ahead int32 }

func (p *places) len() int { return len(p.sites) }

func (p *places) after(v int32) []int32 { return p.next[p.first[v]:p.first[v+1]] }

// mostPlaces bounds the size of a graph of places (some 60 bytes each with
// all that is built on it); beyond it nothing is decided.
const mostPlaces = 1 << 23

// late reports, now and then on the way through many places, whether ctx has ended.
func late(ctx context.Context, at int) bool { return at%(1<<12) == 0 && ctx.Err() != nil }

// findPlaces collects the places in the given channels; false if they are too many.
// Rows that wait for the same channels share one want, unless apart is set.
func findPlaces(ctx context.Context, n *spec.Network, usable []bool, apart bool) (*places, bool, error) {
	p := &places{}
	index := n.NewIndex()
	wantOf := map[spec.RowID]int32{}
	number := map[string]int32{}
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
		index.Load(t)
		for s, c := range t.Channels {
			if !usable[c] {
				continue
			}
			r := t.Rows[s]
			w, known := wantOf[r]
			if !known {
				if apart {
					clear(number)
				}
				w = p.wantNumber(r, wanted(n, r), usable, number)
				wantOf[r] = w
			}
			p.sites = append(p.sites, tableSite{int32(i), int32(s), 0})
			p.channel = append(p.channel, c)
			p.want = append(p.want, w)
			p.first = append(p.first, int32(len(p.next)))
			for _, h := range n.Row(r) {
				if to := index.Site(h); to >= 0 && placeOf[to] >= 0 && h.Channel != c {
					p.next = append(p.next, placeOf[to])
				}
			}
		}
	}
	p.first = append(p.first, int32(len(p.next)))
	return p, true, nil
}

// wanted returns the channels that a head with row r waits for, ascending; none
// if it has arrived or is at a dead end.
func wanted(n *spec.Network, r spec.RowID) []spec.ChannelID {
	var out []spec.ChannelID
	for _, h := range n.Row(r) {
		if h.Channel == spec.Eject {
			return nil
		}
		out = append(out, h.Channel)
	}
	return slices.Compact(out)
}

// wantNumber numbers the channels that a head waits for; -1 if some of them are never held.
func (p *places) wantNumber(r spec.RowID, channels []spec.ChannelID, usable []bool, number map[string]int32) int32 {
	if len(channels) == 0 || slices.ContainsFunc(channels, func(c spec.ChannelID) bool { return !usable[c] }) {
		return -1
	}
	key := encode(channels)
	w, known := number[key]
	if !known {
		w = int32(len(p.wants))
		p.wants = append(p.wants, channels)
		p.rows = append(p.rows, r)
		number[key] = w
	}
	return w
}

// encode is a map key for a list of numbers.
func encode[T ~int32](numbers []T) string {
	var b []byte
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return string(b)
}

// row is how messages of one length stand behind each other in full channels: see the formula in package
// refutation.
type row struct{ length, buffer int }

// ahead returns how many flits of a channel's first message are ahead of it, at the given number of channels in the row.
func (r *row) ahead(channels int32) int { return int(channels) * r.buffer % r.length }

// behind reports whether the first message of a channel has its head behind another message, in the next channel.
func (r *row) behind(channels int32) bool {
	return 0 < r.ahead(channels) && r.ahead(channels) < r.buffer
}

// channels returns the largest number of channels in a row.
func (r *row) channels() int {
	most := 1
	for r.ahead(int32(most)) > 0 {
		most++
	}
	return most
}

// layered returns the graph of (place, channels from there to the head) for
// worms of at most length channels; false if it is too large. A shorter worm begins at one
// of the entries (by place), unless they are nil. With a row, the channels in the row are counted instead.
func (p *places) layered(ctx context.Context, length int, entries []bool, r *row) (*places, bool, error) {
	count := p.len()
	if count*length > mostPlaces || len(p.next)*(length-1) > 8*mostPlaces {
		return nil, false, nil
	}
	out := &places{wants: p.wants, rows: p.rows, row: r}
	for d := range int32(length) {
		for v := range int32(count) {
			if late(ctx, int(v)) {
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
				out.tail = append(out.tail, r.ahead(d+1) < r.buffer)
				out.entry = append(out.entry, entries[v])
			} else if entries != nil {
				out.tail = append(out.tail, entries[v] || int(d) == length-1)
			}
			out.first = append(out.first, int32(len(out.next)))
			if d > 0 {
				for _, to := range p.after(v) {
					out.next = append(out.next, to+(d-1)*int32(count))
				}
			}
		}
	}
	out.first = append(out.first, int32(len(out.next)))
	return out, true, nil
}

// entries reports, by place, whether a message comes there directly from its source.
func (p *places) entries(n *spec.Network) []bool {
	out := make([]bool, p.len())
	index := n.NewIndex()
	var first []bool // by site of the table
	table := int32(-1)
	for v, at := range p.sites {
		if at.table != table {
			table = at.table
			t := n.Table(int(table))
			index.Load(t)
			first = make([]bool, t.Len())
			for _, src := range t.Sources {
				for _, h := range n.Row(src.Row) {
					if s := index.Site(h); s >= 0 {
						first[s] = true
					}
				}
			}
		}
		out[v] = first[at.site]
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
