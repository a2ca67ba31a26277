package checker_test

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Brute force, from the definitions and nothing else: what the static decision
// is compared with on networks of up to eight channels.

// waits reports whether a packet at a site with these hops waits for a channel.
func waits(hops []spec.Hop) bool {
	return len(hops) > 0 && !slices.Contains(hops, spec.Hop{Channel: spec.Eject})
}

// sitesOf lists the sites by channel.
func sitesOf(n *spec.Network) [][]spec.Site {
	sites := make([][]spec.Site, n.Topology().Channels())
	_ = routing.Sites(n, func(s spec.Site, _ []spec.Hop) error {
		if !s.Channel.IsInjection() {
			sites[s.Channel] = append(sites[s.Channel], s)
		}
		return nil
	})
	return sites
}

// packetsCanBlock tries every configuration of at most one packet a channel and reports
// whether there is a non-empty one in which every packet waits for channels that
// are all occupied.
func packetsCanBlock(n *spec.Network) bool {
	sites := sitesOf(n)
	held := make([]*spec.Site, len(sites))
	blocked := func() bool {
		any := false
		for _, s := range held {
			if s == nil {
				continue
			}
			any = true
			hops, _ := n.Hops(*s)
			if !waits(hops) {
				return false
			}
			for _, h := range hops {
				if held[h.Channel] == nil {
					return false
				}
			}
		}
		return any
	}
	var try func(c int) bool
	try = func(c int) bool {
		if c == len(sites) {
			return blocked()
		}
		held[c] = nil
		if try(c + 1) {
			return true
		}
		for i := range sites[c] {
			if hops, _ := n.Hops(sites[c][i]); waits(hops) {
				held[c] = &sites[c][i]
				if try(c + 1) {
					return true
				}
			}
		}
		held[c] = nil
		return false
	}
	return try(0)
}

// worm is a message at rest: the channels that it occupies, tail first, and
// what its head waits for.
type worm struct {
	holds []spec.ChannelID
	wants []spec.ChannelID
}

// worms lists every legal path segment, without a channel twice, whose head waits.
func worms(n *spec.Network) []worm {
	var all []worm
	var extend func(path []spec.ChannelID, s spec.Site)
	extend = func(path []spec.ChannelID, s spec.Site) {
		hops, _ := n.Hops(s)
		if waits(hops) {
			w := worm{holds: slices.Clone(path)}
			for _, h := range hops {
				w.wants = append(w.wants, h.Channel)
			}
			all = append(all, w)
		}
		for _, h := range hops {
			if h.Channel != spec.Eject && !slices.Contains(path, h.Channel) {
				next := s.Header
				next.Tag = h.Tag
				extend(append(path, h.Channel), spec.Site{Channel: h.Channel, Header: next})
			}
		}
	}
	for _, sites := range sitesOf(n) {
		for _, s := range sites {
			extend([]spec.ChannelID{s.Channel}, s)
		}
	}
	return all
}

// wormsCanBlock reports whether there is a non-empty set of worms, no two in one channel, each
// of which waits for channels that the set occupies.
func wormsCanBlock(n *spec.Network) bool {
	all := worms(n)
	held := make([]bool, n.Topology().Channels())
	free := func(w worm) bool {
		return !slices.ContainsFunc(w.holds, func(c spec.ChannelID) bool { return held[c] })
	}
	// open are channels that somebody waits for and nobody holds yet.
	var close func(wanted []spec.ChannelID) bool
	close = func(wanted []spec.ChannelID) bool {
		i := slices.IndexFunc(wanted, func(c spec.ChannelID) bool { return !held[c] })
		if i < 0 {
			return true
		}
		for _, w := range all {
			if !slices.Contains(w.holds, wanted[i]) || !free(w) {
				continue
			}
			for _, c := range w.holds {
				held[c] = true
			}
			if close(slices.Concat(wanted, w.wants)) {
				return true
			}
			for _, c := range w.holds {
				held[c] = false
			}
		}
		return false
	}
	for _, w := range all {
		for _, c := range w.holds {
			held[c] = true
		}
		if close(w.wants) {
			return true
		}
		for _, c := range w.holds {
			held[c] = false
		}
	}
	return false
}

// reachesDeadlock explores the reference machine breadth first, with a queue and a map,
// up to a number of states; known is false if those are too few.
func reachesDeadlock(n *spec.Network, sc spec.Scenario, most int) (found, known bool) {
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		panic(err) // there is nothing wrong with the scenarios of these tests
	}
	queue := [][]uint64{m.Start(nil)}
	seen := map[string]bool{fmt.Sprint(queue[0]): true}
	for i := 0; i < len(queue); i++ {
		if len(m.Stuck(m.Decode(queue[i]))) > 0 {
			return true, true
		}
		next, err := m.AppendSuccessors(nil, queue[i])
		if err != nil {
			panic(err) // Moves lists only what Step accepts
		}
		for s := range slices.Chunk(next, m.Layout().Words()) {
			if k := fmt.Sprint(s); !seen[k] {
				if len(seen) == most {
					return false, false
				}
				seen[k] = true
				queue = append(queue, s)
			}
		}
	}
	return false, true
}
