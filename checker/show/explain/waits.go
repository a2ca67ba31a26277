package explain

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// Waiting is a packet of a stuck set: what it holds and what it waits for.
type Waiting struct {
	Packet int
	Site   spec.Site        // where its head is
	Holds  []spec.ChannelID // from tail to head
	Behind int              // the first packet of the head's channel; 0 if it is this one
	For    []Want           // empty if it is behind another
	Cyclic bool             // part of the cycle shown
}

// Want is a permitted hop that is not free.
type Want struct {
	Hop    spec.Hop
	Holder int // the first packet in the hop's channel
}

// Wait is an edge of the wait-for graph: the packet whose head is at Site holds
// From, and waits for To; or holds To, too, nearer to its head.
type Wait struct {
	From, To spec.ChannelID
	Site     spec.Site
	Hop      spec.Hop
	Packet   int
	Holder   int // the first packet in To
}

// Edges returns the waits of one packet.
func (w Waiting) Edges() []Wait {
	var edges []Wait
	for i := 1; i < len(w.Holds); i++ {
		edges = append(edges, Wait{From: w.Holds[i-1], To: w.Holds[i], Site: w.Site, Packet: w.Packet, Holder: w.Behind})
	}
	for _, want := range w.For {
		edges = append(edges, Wait{w.Site.Channel, want.Hop.Channel, w.Site, want.Hop, w.Packet, want.Holder})
	}
	return edges
}

// Waits returns who waits for whom at the end of a trace to a deadlock; the cycle
// begins with the packet that holds the least channel.
func Waits(t evidence.Trace) ([]Waiting, error) {
	traffic, err := t.Network.Traffic(t.Scenario)
	if err != nil {
		return nil, err
	}
	k := Track(traffic)
	for i, m := range t.Moves {
		if _, _, err := k.Step(m); err != nil {
			return nil, fmt.Errorf("move %d is not possible: %w", i+1, err)
		}
	}
	all := k.Waits(t.Stuck)
	least, cyclic := 0, 0
	for ; cyclic < len(all) && all[cyclic].Cyclic; cyclic++ {
		if slices.Min(all[cyclic].Holds) < slices.Min(all[least].Holds) {
			least = cyclic
		}
	}
	return slices.Concat(all[least:cyclic], all[:least], all[cyclic:]), nil
}

// Waits returns who waits for whom among the packets of a stuck set (states.Traffic.Stuck):
// first those of one cycle of waits, each followed by one that it waits for, then the
// others by number.
func (k *Tracker) Waits(stuck []spec.ChannelID) []Waiting {
	in := map[int]bool{}
	for _, c := range stuck {
		if int(c) < len(k.numbers) && c >= 0 && len(k.numbers[c]) > 0 {
			in[k.numbers[c][0]] = true
		}
	}
	rows := map[int]Waiting{}
	var order []int
	for p := range in {
		rows[p] = k.waiting(p)
		order = append(order, p)
	}
	slices.Sort(order)
	cycle := cycleOf(rows, order)
	var out []Waiting
	for _, p := range cycle {
		w := rows[p]
		w.Cyclic = true
		out = append(out, w)
	}
	for _, p := range order {
		if !slices.Contains(cycle, p) {
			out = append(out, rows[p])
		}
	}
	return out
}

// waiting describes one packet.
func (k *Tracker) waiting(p int) Waiting {
	w := Waiting{Packet: p, Holds: k.held[p]}
	if len(w.Holds) == 0 {
		return w
	}
	at := w.Holds[len(w.Holds)-1]
	i := lastIndex(k.numbers[at], p) // the head is the last of its pieces there
	w.Site = spec.Site{Channel: at, Header: k.state.Channels[at][i].Header}
	if i > 0 {
		w.Behind = k.numbers[at][0]
		return w
	}
	hops, _ := k.traffic.Network().Hops(w.Site)
	for _, h := range k.traffic.Network().OwnHops(hops) {
		want := Want{Hop: h}
		if h.Channel >= 0 && len(k.numbers[h.Channel]) > 0 {
			want.Holder = k.numbers[h.Channel][0]
		}
		w.For = append(w.For, want)
	}
	return w
}

func lastIndex(xs []int, x int) int {
	for i, y := range slices.Backward(xs) {
		if x == y {
			return i
		}
	}
	return -1
}

// cycleOf returns a shortest cycle of packets of a stuck set, by number, each waiting for
// the next. As every packet waits for one of the set, there is a cycle; a packet that
// waits for itself is a cycle of one.
func cycleOf(rows map[int]Waiting, order []int) []int {
	g := graph.Collect(len(order), func(add func(from, to int32)) {
		for i, p := range order {
			for _, q := range blockers(rows[p]) {
				if j, stuck := slices.BinarySearch(order, q); stuck {
					add(int32(i), int32(j))
				}
			}
		}
	})
	cycle, _ := graph.ShortestCycle(g, math.MaxInt)
	packets := make([]int, len(cycle))
	for i, v := range cycle {
		packets[i] = order[v]
	}
	return packets
}

func blockers(w Waiting) []int {
	if w.Behind > 0 {
		return []int{w.Behind}
	}
	var out []int
	for _, x := range w.For {
		out = append(out, x.Holder)
	}
	return out
}
