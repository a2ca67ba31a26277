package sweep

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Cases without tables.
//
// Most failures leave a network free, and that can be seen without its tables: if the dependencies between all channels
// are acyclic, nothing deadlocks, under any switching (Dally and Seitz 1987), and no packet travels in a cycle, as it
// would travel along dependencies. If, moreover, no alternative of a legal site is without hops, and packets leave at
// their destinations alone or are discarded on purpose, then each packet goes on until it leaves, and so every flow
// arrives from every site. So such a case holds in everything that tables are asked about. All others are decided from
// tables, and so are cases whose relation has not declared that it is pure, as [routing.Compile] asks such a relation
// twice.
//
// A Clos of 1,280 cables between switches takes some 30 times as long with tables: no rows, digests and certificates are
// made. The result says so, by its method, and has no digest.

// bySites are the properties that sites can show.
var bySites = []spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery}

// acyclicMethod is the method of results without tables.
const acyclicMethod = "acyclic"

// holdBySites reports whether the sites of a definition show that those hold.
func (q *Question) holdBySites(ctx context.Context, def routing.Definition, opt Options) (bool, error) {
	pure, ok := def.Routing.(routing.Pure)
	if !ok || !pure.Pure() || def.Topology.Err() != nil || len(def.Replies) > 0 ||
		def.Selection != nil && def.Selection.Commit != nil {
		return false, nil
	}
	g, ok := newPorts(def.Topology)
	if !ok {
		return false, nil
	}
	open, enters := errors.New("open"), false // without a packet that enters a channel there is nothing to decide
	err := routing.Visit(ctx, def, routing.CompileOptions{MaxSites: opt.MaxSites}, func(at spec.Site, all [][]spec.Hop) error {
		if len(all)*max(1, def.Tags) > 1<<16 { // more than tables have tags for
			return open
		}
		for _, hops := range all {
			if len(hops) == 0 {
				return open
			}
			for _, h := range hops {
				switch {
				case h.Room > 1 || h.Channel == spec.Eject && !h.Discards() && g.t.Head(at.Channel) != at.Header.Dest:
					return open
				case h.Channel >= 0 && at.Channel >= 0:
					g.add(at.Channel, h.Channel)
				}
				enters = enters || h.Channel >= 0
			}
		}
		return nil
	})
	if cause := context.Cause(ctx); cause != nil {
		return false, cause
	}
	return err == nil && enters && g.acyclic(), nil // an error is told by the compilation that follows
}

// ports are the dependencies of a topology: by channel, a bit for each channel that leaves its head.
type ports struct {
	t     *spec.Topology
	out   [][]spec.ChannelID // by node
	port  []int32            // by channel: its place among those that leave its tail
	first []int              // by channel: its first word
	bits  []uint64
}

func newPorts(t *spec.Topology) (*ports, bool) {
	const most = 1 << 24 // words
	g := &ports{t: t, out: make([][]spec.ChannelID, t.Nodes()), port: make([]int32, t.Channels())}
	for v := range g.out {
		for _, l := range t.OutLinks(spec.NodeID(v)) {
			for vc := range t.Link(l).VCs {
				c := t.Channel(l, vc)
				g.port[c] = int32(len(g.out[v]))
				g.out[v] = append(g.out[v], c)
			}
		}
	}
	words := 0
	for c := range spec.ChannelID(t.Channels()) {
		g.first = append(g.first, words)
		if words += (len(g.out[t.Head(c)]) + 63) / 64; words > most {
			return nil, false
		}
	}
	g.first = append(g.first, words)
	g.bits = make([]uint64, words)
	return g, true
}

func (g *ports) add(from, to spec.ChannelID) {
	p := g.port[to]
	g.bits[g.first[from]+int(p/64)] |= 1 << (p % 64)
}

// after calls f for each channel that one depends on.
func (g *ports) after(c spec.ChannelID, f func(spec.ChannelID)) {
	out := g.out[g.t.Head(c)]
	for i, word := range g.bits[g.first[c]:g.first[c+1]] {
		for ; word != 0; word &= word - 1 {
			f(out[64*i+bits.TrailingZeros64(word)])
		}
	}
}

// acyclic takes away channels that none depends on (Kahn 1962) and reports whether none is left.
func (g *ports) acyclic() bool {
	channels := spec.ChannelID(g.t.Channels())
	into := make([]int32, channels)
	for c := range channels {
		g.after(c, func(d spec.ChannelID) { into[d]++ })
	}
	var free []spec.ChannelID
	for c := range channels {
		if into[c] == 0 {
			free = append(free, c)
		}
	}
	for i := 0; i < len(free); i++ {
		g.after(free[i], func(d spec.ChannelID) {
			if into[d]--; into[d] == 0 {
				free = append(free, d)
			}
		})
	}
	return len(free) == int(channels)
}

// fromSites decides a case if its sites show that it holds.
func (q *Question) fromSites(ctx context.Context, v *variant, def routing.Definition, opt Options) error {
	if opt.Tables || q.UpToSymmetry || len(v.c.Links)+len(v.c.Nodes) == 0 {
		return nil
	}
	asked := q.Properties
	if len(asked) == 0 {
		asked = bySites
	}
	if slices.ContainsFunc(asked, func(p spec.Property) bool { return !slices.Contains(bySites, p) }) {
		return nil
	}
	var err error
	if v.decided, err = q.holdBySites(ctx, def, opt); !v.decided || err != nil {
		return err
	}
	v.result.Method = acyclicMethod
	for _, w := range v.result.verdicts() {
		if p, known := spec.ParseProperty(w.property); known && slices.Contains(asked, p) {
			*w.verdict = Verdict{true, spec.Holds}
		}
	}
	return nil
}
