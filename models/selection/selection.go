// Package selection, internal to unknot, models the output selection functions that Sugiyama and
// Funahashi compare on *-channel tori ("An Output Selection Function Based on the Characteristic of
// Virtual Channel"), their CCB and S-CCB among them.
//
// A selection function picks one of the channels that the relation permits. As long as
// it picks a free one whenever one exists, and chooses again at every clock,
// everything proved of the relation still holds. Two things can lose it, and this
// package models both:
//
//   - A router that commits: it chooses once and then waits for that channel
//     alone ([Form]). In [New] this is oblivious choice: any choice is possible
//     that the function makes for some status of the channels.
//   - A function that picks a channel that is not free: step (2)(b) of CCB, read
//     literally, picks the dimension whose next node has most free VCs and does
//     not ask whether this node's output in that dimension has any ([Reading]).
//     That depends on the state; packets.star has the states.
//
// The lowest dimension is the lowest in which the packet has hops left. The paper says
// that it is x; but then its functions would not say what to count for a packet that is
// done with x and has no direction there. In two dimensions the question does not arise.
//
// Where the paper is silent: "free VCs of the lowest dimension" counts all three of the
// link, whether the packet may use CH or not; a router sees its own outputs as they are
// and its neighbours' as they were one clock earlier. LRU, LFU and LD depend on what
// was sent before. Either that is left open, so verdicts of *holds* cover
// any history, or it is part of the state (packets.star).
package selection

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// New returns the network whose packets are committed to one of the channels that the function may choose: a
// packet waits for that channel, and for no other. With Again there
// is nothing to commit to, and the network is that of *-channel. New refuses CCB read
// literally, because whether it waits depends on the state.
func New(o Options) (routing.Definition, error) {
	if o.Form == Again && o.Function == CCB && o.Reading == Literal {
		return routing.Definition{}, errors.New(
			"ccb read literally may wait though a channel is free: whether it does depends on the state, see " +
				"selection-clock")
	}
	g, err := newGrid(o)
	if err != nil {
		return routing.Definition{}, err
	}
	def, err := o.starChannel(g)
	if err != nil {
		return routing.Definition{}, err
	}
	def.Name = "selection"
	if o.Form == Again {
		def.Selection = &routing.Selection{Name: o.function()}
		return def, nil
	}
	def.Topology = g.Topology
	def.Routing = routing.Deliver(g.Topology, committed{g, o})
	def.Selection = &routing.Selection{Name: o.function() + ", committed"}
	return def, nil
}

// starChannel is the network without a selection function: everything that the relation
// permits.
func (o Options) starChannel(g *grid.Grid) (routing.Definition, error) {
	def, err := starchannel.New(starchannel.Options{K: o.K, N: o.N, Tie: o.Tie})
	if err == nil && o.OneWay {
		def.Topology = g.Topology
		def.Routing = routing.Deliver(g.Topology, oneWay{g})
	}
	return def, err
}

// oneWay is *-channel where packets go towards higher coordinates, round the ring if
// they must, however far: its conditions, read for themselves.
type oneWay struct{ g *grid.Grid }

func (r oneWay) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	v := r.g.Head(at)
	lowest := r.g.Lowest(v, h.Dest)
	for dim := range r.g.Sizes {
		x, y := r.g.Coordinate(v, dim), r.g.Coordinate(h.Dest, dim)
		ch := r.g.Channel(r.g.Port(v, dim, grid.Plus), starchannel.CH)
		if dim == lowest && x < y {
			dst = append(dst, spec.Hop{Channel: ch})
		}
		if dim == lowest {
			dst = append(dst, spec.Hop{Channel: ch + starchannel.CA})
		}
		if x != y {
			dst = append(dst, spec.Hop{Channel: ch + starchannel.CF})
		}
	}
	return dst, nil
}

func newGrid(o Options) (*grid.Grid, error) {
	if o.Reading == Formula && o.Function != Zigzag {
		return nil, fmt.Errorf("reading %s of %s: want one of zigzag", ReadingNames[Formula], Names[o.Function])
	}
	return grid.New(grid.Options{
		Sizes: grid.Square(o.K, o.N), Wrap: true,
		VCs:     func(int, grid.Direction) int { return 3 },
		VCNames: ClassNames,
	})
}

// committed is the relation of packets that wait for one channel: each that the function may choose is an alternative.
type committed struct {
	g *grid.Grid
	o Options
}

// Alternatives returns the channels that the function may choose, each alone.
func (r committed) Alternatives(at spec.ChannelID, h spec.Header) (all [][]spec.Hop, err error) {
	for _, c := range r.o.possible(r.o.directions(r.g, r.g.Head(at), h.Dest)) {
		all = append(all, []spec.Hop{{Channel: c}})
	}
	return all, nil
}

func (r committed) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	all, err := r.Alternatives(at, h)
	if err == nil && len(all) > 1 {
		err = routing.ErrCommits
	}
	if err != nil {
		return dst, err
	}
	return append(dst, all[0]...), nil
}

// Reason says to what the packet has committed.
func (r committed) Reason(_ spec.ChannelID, _ spec.Header, hop spec.Hop) spec.Reason {
	dim, _ := r.g.Direction(hop.Channel)
	return spec.Reason{Text: fmt.Sprintf("%s committed to %s in dimension %d",
		Names[r.o.Function], ClassNames[r.g.VC(hop.Channel)], dim)}
}

// possible lists the channels that the function may choose for a packet with these
// directions, ascending by dimension and class: for some free VCs here and some status of the
// neighbours or, with Early, if all are free. VC class of direction i is free if bit
// 3*i+class of the set is 1.
func (o Options) possible(all []direction) []spec.ChannelID {
	s := status{free: func(c spec.ChannelID) program.Expr {
		i := slices.IndexFunc(all, func(w direction) bool { return w.first <= c && c < w.first+3 })
		return program.Eq(program.Var(3*i+int(c-all[i].first)), 1)
	}}
	every := 1<<(3*len(all)) - 1
	var list []spec.ChannelID
	for _, w := range all {
		w.each(func(c spec.ChannelID) {
			chooses := o.Function.condition(all, w, int(c-w.first), s)
			values := make([]int, 3*len(all))
			for set := every; set >= 0 && (set == every || o.Form != Early); set-- {
				for i := range values {
					values[i] = set >> i & 1
				}
				if chooses.Holds(values) {
					list = append(list, c)
					return
				}
			}
		})
	}
	return list
}
