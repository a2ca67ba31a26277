package bubbles

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// The plain check: for readers. It shares with Verify only what precedes the theorem, head.

// mostCases bounds how many rows VerifyPlain follows. A ring of n channels takes n*n.
const mostCases = 1 << 24

// plain is a certificate, with what packets may do.
type plain struct {
	ctx     context.Context
	n       *spec.Network
	c       *Certificate
	traffic *spec.Traffic
	entries map[spec.ChannelID][]hop // by channel: the hops into it
	rows    map[spec.ChannelID][]row // with which a packet may wait: their hops at its level, as none leads lower
	cases   int
}

// VerifyPlain accepts the certificates that [Verify] accepts. It checks both conditions of the theorem as they are
// worded, for each channel alone, which takes many times as long. It refuses certificates that take some 10^7 cases.
func VerifyPlain(ctx context.Context, n *spec.Network, c *Certificate) error {
	traffic, err := head(n, c)
	if err != nil {
		return err
	}
	p := &plain{ctx, n, c, traffic, map[spec.ChannelID][]hop{}, map[spec.ChannelID][]row{}, 0}
	seen := map[spec.ChannelID]map[spec.RowID]bool{}
	for i := range n.Tables() {
		t := n.Table(i)
		for _, src := range t.Sources {
			p.look(seen, spec.Injection(src.Node), src.Row)
		}
		for k, at := range t.Channels {
			p.look(seen, at, t.Rows[k])
		}
	}
	for i := range c.Sets {
		if err := p.condition1(i); err != nil {
			return err
		}
	}
	for d := range spec.ChannelID(len(c.Levels)) {
		if holds := map[spec.ChannelID]int{d: 1}; p.fits(holds, d) && p.stuck([]spec.ChannelID{d}, holds, 0) {
			return cmp.Or(ctx.Err(), fmt.Errorf("level %d: what bubbles there are does not show within %d cases that "+
				"a packet in %s can ever move", c.Levels[d], mostCases, n.Topology().ChannelName(d)))
		}
	}
	return nil
}

// look notes what packets with a row may do in a channel, or an injection, once for each.
func (p *plain) look(seen map[spec.ChannelID]map[spec.RowID]bool, at spec.ChannelID, r spec.RowID) {
	if seen[at][r] {
		return
	} else if seen[at] == nil {
		seen[at] = map[spec.RowID]bool{}
	}
	seen[at][r] = true
	waits, within := len(p.n.Row(r)) > 0 && !p.n.Leaves(r) && !at.IsInjection(), row{}
	for _, h := range p.n.Row(r) {
		if h.Channel == spec.Eject {
			continue
		}
		need := p.traffic.Need(at, h)
		p.entries[h.Channel] = append(p.entries[h.Channel], hop{at, need})
		if waits && p.c.Levels[h.Channel] == p.c.Levels[at] {
			within = append(within, hop{h.Channel, need})
		}
		waits = waits && p.c.Levels[h.Channel] >= p.c.Levels[at]
	}
	if waits && !slices.ContainsFunc(p.rows[at], func(o row) bool { return slices.Equal(o, within) }) {
		p.rows[at] = append(p.rows[at], within)
	}
}

// condition1 checks that a set keeps its free places, whichever hop into one of its channels comes next.
func (p *plain) condition1(i int) error {
	s := p.c.Sets[i]
	for _, d := range s.Channels {
		for _, e := range p.entries[d] {
			free := e.need - 1
			for _, earlier := range p.c.Sets[:i] {
				if !slices.ContainsFunc(earlier.Channels, func(o spec.ChannelID) bool { return o == d || !s.has(o) }) {
					free = max(free, e.need-1+earlier.Free)
				}
			}
			if free < s.Free && !s.has(e.other) {
				return fmt.Errorf("set %d: a hop from %s into %s may leave only %d of %d free places", i,
					p.n.Topology().ChannelName(e.other), p.n.Topology().ChannelName(d), free, s.Free)
			}
		}
	}
	return nil
}

// stuck reports whether condition 2 fails: there is a set W with all of these channels, the first k of which have their
// rows, or it takes too long to find out. holds says how many packets each channel holds at least.
func (p *plain) stuck(w []spec.ChannelID, holds map[spec.ChannelID]int, k int) bool {
	if k == len(w) || p.cases > mostCases || p.ctx.Err() != nil {
		return true
	}
	for _, r := range p.rows[w[k]] {
		p.cases++
		w, holds, possible := slices.Clone(w), maps.Clone(holds), true
		for _, h := range r {
			if holds[h.other] == 0 {
				w = append(w, h.other)
			}
			holds[h.other] = max(holds[h.other], p.n.Capacity()-h.need+1)
			possible = possible && p.fits(holds, h.other)
		}
		if possible && p.stuck(w, holds, k+1) {
			return true
		}
	}
	return false
}

// fits reports whether every set with a channel has its free places, when so many packets are held.
func (p *plain) fits(holds map[spec.ChannelID]int, d spec.ChannelID) bool {
	for _, s := range p.c.Sets {
		held := 0
		for _, o := range s.Channels {
			held += holds[o]
		}
		if s.has(d) && held+s.Free > len(s.Channels)*p.n.Capacity() {
			return false
		}
	}
	return true
}

// has reports whether a channel is in the set.
func (s Set) has(d spec.ChannelID) bool { _, is := slices.BinarySearch(s.Channels, d); return is }
