package bubbles

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// The plain check: for readers.

// mostCases bounds how many rows VerifyPlain follows. A ring of n channels takes n*n.
const mostCases = 1 << 24

// VerifyPlain accepts the certificates that [Verify] accepts. It checks both conditions of the theorem as they are
// worded, for each channel alone, which takes many times as long. It refuses certificates that take some 10^7 cases.
func VerifyPlain(ctx context.Context, n *spec.Network, c *Certificate) error {
	traffic, err := head(n, c)
	if err != nil {
		return err
	}
	p := &plain{ctx: ctx, capacity: n.Capacity(), rows: map[spec.ChannelID][]row{}, in: map[spec.ChannelID][]Set{}}
	type use struct {
		at  spec.ChannelID
		row spec.RowID
	}
	entries, seen := map[spec.ChannelID][]hop{}, map[use]bool{}
	look := func(at spec.ChannelID, r spec.RowID) { // what packets in a channel, or an injection, may do
		if seen[use{at, r}] {
			return
		}
		seen[use{at, r}] = true
		waits, within := len(n.Row(r)) > 0 && !n.Leaves(r) && !at.IsInjection(), row{}
		for _, h := range n.Row(r) {
			if h.Channel == spec.Eject {
				continue
			}
			need := traffic.Need(at, h)
			entries[h.Channel] = append(entries[h.Channel], hop{at, need})
			if waits && c.Levels[h.Channel] == c.Levels[at] {
				within = append(within, hop{h.Channel, need})
			}
			waits = waits && c.Levels[h.Channel] >= c.Levels[at]
		}
		if waits && !slices.ContainsFunc(p.rows[at], func(o row) bool { return slices.Equal(o, within) }) {
			p.rows[at] = append(p.rows[at], within)
		}
	}
	for i := range n.Tables() {
		t := n.Table(i)
		for _, src := range t.Sources {
			look(spec.Injection(src.Node), src.Row)
		}
		for k, at := range t.Channels {
			look(at, t.Rows[k])
		}
	}

	if err := p.keep(n, c, entries); err != nil {
		return err
	}
	for d := range spec.ChannelID(len(c.Levels)) { // condition 2
		if holds := map[spec.ChannelID]int{d: 1}; p.fits(holds, d) && p.stuck([]spec.ChannelID{d}, holds, 0) {
			return cmp.Or(ctx.Err(), p.tooMany(), fmt.Errorf("level %d: what bubbles there are does not show that "+
				"a packet in %s can ever move", c.Levels[d], n.Topology().ChannelName(d)))
		}
	}
	return nil
}

// keep checks condition 1: every set keeps its free places, whichever hop into one of its channels comes next. entries
// are these hops, by the channel that they lead into.
func (p *plain) keep(n *spec.Network, c *Certificate, entries map[spec.ChannelID][]hop) error {
	for i, s := range c.Sets {
		for _, d := range s.Channels {
			p.in[d] = append(p.in[d], s)
			for _, e := range entries[d] {
				free := e.need - 1
				for _, earlier := range c.Sets[:i] {
					if !slices.ContainsFunc(earlier.Channels, func(o spec.ChannelID) bool { return o == d || !s.has(o) }) {
						free = max(free, e.need-1+earlier.Free)
					}
				}
				if free < s.Free && !s.has(e.other) {
					return fmt.Errorf("set %d: a hop from %s into %s may leave only %d of %d free places", i,
						n.Topology().ChannelName(e.other), n.Topology().ChannelName(d), free, s.Free)
				}
			}
		}
	}
	return nil
}

// has reports whether a channel is in the set.
func (s Set) has(d spec.ChannelID) bool { _, is := slices.BinarySearch(s.Channels, d); return is }

// plain is what condition 2 asks for.
type plain struct {
	ctx      context.Context
	capacity int
	rows     map[spec.ChannelID][]row // with which a packet may wait: their hops at its level, as none leads lower
	in       map[spec.ChannelID][]Set // by channel: the sets that it is in
	cases    int
}

// stuck reports whether there is a set W with all of these channels, the first k of which have their rows, or whether
// that takes too long to find out. holds says how many packets each channel holds at least.
func (p *plain) stuck(w []spec.ChannelID, holds map[spec.ChannelID]int, k int) bool {
	if k == len(w) || p.tooMany() != nil || p.ctx.Err() != nil {
		return true
	}
	for _, r := range p.rows[w[k]] {
		p.cases++
		w, holds, possible := slices.Clone(w), maps.Clone(holds), true
		for _, h := range r {
			if holds[h.other] == 0 {
				w = append(w, h.other)
			}
			holds[h.other] = max(holds[h.other], p.capacity-h.need+1)
			possible = possible && p.fits(holds, h.other)
		}
		if possible && p.stuck(w, holds, k+1) {
			return true
		}
	}
	return false
}

func (p *plain) tooMany() error {
	if p.cases > mostCases {
		return fmt.Errorf("more than %d cases", mostCases)
	}
	return nil
}

// fits reports whether every set with a channel has its free places, when so many packets are held.
func (p *plain) fits(holds map[spec.ChannelID]int, d spec.ChannelID) bool {
	for _, s := range p.in[d] {
		held := 0
		for _, o := range s.Channels {
			held += holds[o]
		}
		if held+s.Free > len(s.Channels)*p.capacity {
			return false
		}
	}
	return true
}
