package repair_test

import (
	"math/bits"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/spec"
)

// plain is a small network as sets of bits, to judge every set of forbidden units: a second
// definition of a repair, which shares nothing with the search or with the check of its
// conditions. Of stuck channels it knows what the certificates of package proofs can show.
type plain struct {
	keys    map[string]int // number of a unit, in the order of the tables
	worms   bool
	sites   []plainSite
	sources [][]plainHop
}

type plainSite struct {
	channel spec.ChannelID
	hops    []plainHop
}

type plainHop struct{ to, key int } // to a site, or -1 out; key -1: nothing forbids it

// plainOf returns nil for more than 64 sites.
func plainOf(n *spec.Network, s repair.Scheme) *plain {
	if n.SiteCount() > 64 {
		return nil
	}
	p := &plain{keys: map[string]int{}, worms: n.Switching() == spec.Wormhole, sites: make([]plainSite, n.SiteCount())}
	for i := range n.Tables() {
		t := n.Table(i)
		hops := func(at spec.Site) (out []plainHop) {
			all, _ := n.Hops(at)
			for _, h := range all {
				if h.Channel == spec.Eject {
					if h.Discards() || !at.Channel.IsInjection() && n.Topology().Head(at.Channel) == t.Dest {
						out = append(out, plainHop{-1, -1})
					}
					continue
				}
				k, name := -1, key(s, at, spec.Hop{Channel: h.Channel, Tag: n.OwnTag(h.Tag)})
				if name != "" {
					if _, known := p.keys[name]; !known {
						p.keys[name] = len(p.keys)
					}
					k = p.keys[name]
				}
				to, _ := t.Find(h.Channel, h.Tag)
				out = append(out, plainHop{t.First + to, k})
			}
			return out
		}
		for i, src := range t.Sources {
			if all := hops(t.SourceSite(i)); n.Alternatives() > 0 && i > 0 && t.Sources[i-1].Node == src.Node {
				last := &p.sources[len(p.sources)-1] // any alternative is a way out
				*last = append(*last, all...)
			} else {
				p.sources = append(p.sources, all)
			}
		}
		for k, c := range t.Channels {
			p.sites[t.First+k] = plainSite{c, hops(t.Site(k))}
		}
	}
	return p
}

// free judges the network without some units.
func (p *plain) free(forbidden uint64) bool {
	open := func(h plainHop) bool { return h.key < 0 || forbidden>>h.key&1 == 0 }
	has := func(set uint64, k int) bool { return set>>k&1 == 1 }
	var leads, on uint64
	for before := ^leads; before != leads; {
		before = leads
		for k, s := range p.sites {
			for _, h := range s.hops {
				if open(h) && (h.to < 0 || has(leads, h.to)) {
					leads |= 1 << k
				}
			}
		}
	}
	for _, hops := range p.sources {
		goes := false
		for _, h := range hops {
			if h.to < 0 {
				goes = true
			} else if open(h) && has(leads, h.to) {
				goes, on = true, on|1<<h.to
			}
		}
		if !goes {
			return false
		}
	}
	next := make([]uint64, len(p.sites))
	for before := uint64(0); before != on; {
		before = on
		for k, s := range p.sites {
			for _, h := range s.hops {
				if has(on, k) && open(h) && h.to >= 0 && has(leads, h.to) {
					on |= 1 << h.to
					next[k] |= 1 << h.to
				}
			}
		}
	}
	moving := on // in the end, sites that lead to a cycle
	for before := uint64(0); before != moving; {
		before = moving
		for k := range p.sites {
			if next[k]&moving == 0 {
				moving &^= 1 << k
			}
		}
	}
	if moving != 0 {
		return false
	}
	in := ^uint64(0) // sites in channels that are stuck
	for before := uint64(0); before != in; {
		before = in
		var waits uint64
		for was := ^waits; was != waits; {
			was = waits
			for k, s := range p.sites {
				leaves := false
				for _, h := range s.hops {
					leaves = leaves || h.to < 0
				}
				if has(on, k) && (!leaves && next[k]&^in == 0 || p.worms && next[k]&waits != 0) {
					waits |= 1 << k
				}
			}
		}
		in = 0
		for k, s := range p.sites {
			for j := range p.sites {
				if has(waits, j) && p.sites[j].channel == s.channel {
					in |= 1 << k
				}
			}
		}
	}
	return in == 0
}

// least returns the fewest units that must go, or -1.
func (p *plain) least() int {
	best := -1
	for set := range uint64(1) << len(p.keys) {
		if cost := bits.OnesCount64(set); (best < 0 || cost < best) && p.free(set) {
			best = cost
		}
	}
	return best
}
