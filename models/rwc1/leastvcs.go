package rwc1

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the decision on VCs.
//
// Every packet has one way. If the dependency graph of those ways has no cycle,
// there is no deadlock (Dally and Seitz 1987). If it has one, each of its edges
// c -> d is there because some packet that stands in c goes on to d, so that
// the cycle filled with such packets is a deadlock, provided that they can get
// there: one after the other, each over channels that those before it have left
// free. Which of the channels of the cycle a packet passes before it comes to
// its own is a set of bits; the order of filling is searched over subsets of
// the cycle, exactly. Channels that are not in the cycle are empty all the time.
// What is found is true of any buffer depth: a deeper buffer is filled with as
// many packets of the same way.

// Wait is one packet of a cyclic wait.
type Wait struct {
	From, To      spec.NodeID    // the packet's way
	Holds, Awaits spec.ChannelID // Awaits is what the next packet of the cycle holds
	Turn          int            // place in the order in which the channels are filled, from 0; -1: no order was found
}

// Dependencies is what the dependency graph of the routers' network comes to.
type Dependencies struct {
	Topology *spec.Topology
	Packets  int // ways, one for each pair of different nodes
	Channels int // that some way uses
	Edges    int
	Longest  int    // channels of the longest chain; 0 if there is a cycle
	Cycle    []Wait // a shortest cycle, none if the graph has no cycle
}

// Filled reports whether the cyclic wait can be reached from the empty network.
func (d *Dependencies) Filled() bool { return len(d.Cycle) > 0 && d.Cycle[0].Turn >= 0 }

// Depend looks at all ways through the network of o.Topology, o.N, o.VCs and o.Border; the
// other options play no part. Time and memory are linear in the length of all
// ways, plus channels times edges if there is a cycle. Errors: options out of range; ctx.
func Depend(ctx context.Context, o Options) (*Dependencies, error) {
	w, err := newWays(o)
	if err != nil {
		return nil, err
	}
	d := &Dependencies{Topology: w.t}
	next := make([][]spec.ChannelID, w.t.Channels())
	used := make([]bool, w.t.Channels())
	err = w.each(ctx, func(_, _ spec.NodeID, way []spec.ChannelID) error {
		d.Packets++
		for i, c := range way {
			used[c] = true
			if i > 0 && !slices.Contains(next[way[i-1]], c) {
				next[way[i-1]] = append(next[way[i-1]], c)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for c := range next {
		slices.Sort(next[c])
		d.Edges += len(next[c])
		if used[c] {
			d.Channels++
		}
	}
	var core []bool
	if d.Longest, core = longestChain(next, used); core == nil {
		return d, nil
	}
	d.Longest = 0
	return d, d.fill(ctx, w, shortestCycle(next, core))
}

// longestChain takes away channels that nothing left waits for (Kahn 1962). It
// returns the length of the longest chain, or, if there is a cycle, the channels
// that are left.
func longestChain(next [][]spec.ChannelID, used []bool) (int, []bool) {
	into, chain := make([]int, len(next)), make([]int, len(next))
	left := 0
	var free []spec.ChannelID
	for _, after := range next {
		for _, d := range after {
			into[d]++
		}
	}
	for c := range next {
		if used[c] {
			left++
			chain[c] = 1
			if into[c] == 0 {
				free = append(free, spec.ChannelID(c))
			}
		}
	}
	longest := 0
	core := slices.Clone(used)
	for ; len(free) > 0; left-- {
		c := free[len(free)-1]
		free = free[:len(free)-1]
		core[c] = false
		longest = max(longest, chain[c])
		for _, d := range next[c] {
			chain[d] = max(chain[d], chain[c]+1)
			if into[d]--; into[d] == 0 {
				free = append(free, d)
			}
		}
	}
	if left == 0 {
		return longest, nil
	}
	return 0, core
}

// shortestCycle returns a shortest cycle among the channels of core, the first
// in the order of channels; there is one.
func shortestCycle(next [][]spec.ChannelID, core []bool) []spec.ChannelID {
	var best []spec.ChannelID
	from := make([]spec.ChannelID, len(next))
	depth := make([]int, len(next))
	for start := range spec.ChannelID(len(next)) {
		if !core[start] {
			continue
		}
		clear(depth)
		depth[start] = 1
		queue := []spec.ChannelID{start}
	search:
		for i := 0; i < len(queue); i++ {
			c := queue[i]
			if best != nil && depth[c] >= len(best) {
				break
			}
			for _, d := range next[c] {
				if d == start {
					best = nil
					for ; c != start; c = from[c] {
						best = append(best, c)
					}
					best = append(best, start)
					slices.Reverse(best)
					break search
				}
				if core[d] && depth[d] == 0 {
					from[d], depth[d] = c, depth[c]+1
					queue = append(queue, d)
				}
			}
		}
	}
	return best
}

// candidate is a packet that can stand in a channel of the cycle and wait for
// the next, and the channels of the cycle that it passes before.
type candidate struct {
	from, to spec.NodeID
	passes   uint64
}

// fill chooses a packet for each channel of the cycle, and the order.
func (d *Dependencies) fill(ctx context.Context, w *ways, cycle []spec.ChannelID) error {
	if len(cycle) > 64 {
		return fmt.Errorf("a shortest cyclic wait of %d channels: want at most 64", len(cycle))
	}
	place := make(map[spec.ChannelID]int, len(cycle))
	for i, c := range cycle {
		place[c] = i
	}
	candidates := make([][]candidate, len(cycle))
	err := w.each(ctx, func(from, to spec.NodeID, way []spec.ChannelID) error {
		passes := uint64(0)
		for i, c := range way[:len(way)-1] {
			k, ok := place[c]
			if !ok {
				continue
			}
			if way[i+1] == cycle[(k+1)%len(cycle)] && !slices.ContainsFunc(candidates[k], func(x candidate) bool { return x.passes&^passes == 0 }) {
				candidates[k] = append(candidates[k], candidate{from, to, passes})
			}
			passes |= 1 << k
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.Cycle = make([]Wait, len(cycle))
	for i, c := range cycle {
		x := candidates[i][0]
		d.Cycle[i] = Wait{x.from, x.to, c, cycle[(i+1)%len(cycle)], -1}
	}
	s := filling{candidates: candidates, vain: map[uint64]bool{}}
	if s.from(0) {
		for turn, step := range s.steps {
			at := &d.Cycle[step.channel]
			at.From, at.To, at.Turn = step.from, step.to, turn
		}
	}
	return nil
}

// filling is the search for an order in which a cycle can be filled.
type filling struct {
	candidates [][]candidate
	vain       map[uint64]bool // sets of filled channels from which there is no way on
	steps      []fillingStep
}

type fillingStep struct {
	channel int
	candidate
}

// from reports whether the rest can be filled, and leaves the steps.
func (s *filling) from(filled uint64) bool {
	if len(s.steps) == len(s.candidates) {
		return true
	}
	if s.vain[filled] {
		return false
	}
	for c := range s.candidates {
		if filled>>c&1 == 1 {
			continue
		}
		for _, x := range s.candidates[c] {
			if x.passes&filled != 0 {
				continue
			}
			s.steps = append(s.steps, fillingStep{c, x})
			if s.from(filled | 1<<c) {
				return true
			}
			s.steps = s.steps[:len(s.steps)-1]
		}
	}
	s.vain[filled] = true
	return false
}

// text says what the packet does.
func (x Wait) text(t *spec.Topology) string {
	return fmt.Sprintf("the packet from %s to %s holds %s and waits for %s",
		t.Node(x.From).Name, t.Node(x.To).Name, t.ChannelName(x.Holds), t.ChannelName(x.Awaits))
}

// Lines describes the cyclic wait, in the order in which it is filled.
func (d *Dependencies) Lines() []string {
	byTurn := slices.Clone(d.Cycle)
	slices.SortStableFunc(byTurn, func(a, b Wait) int { return a.Turn - b.Turn })
	var lines []string
	for _, x := range byTurn {
		lines = append(lines, x.text(d.Topology))
	}
	return lines
}
