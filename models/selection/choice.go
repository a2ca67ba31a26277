package selection

import (
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
)

// Function is an output selection function.
type Function uint8

// The functions, and their names in Names, in order.
const (
	DimensionOrder Function = iota // the lowest dimension that has a free permitted VC
	Random                         // any dimension that has one
	Zigzag                         // of those, the one with the most hops left
	LRU                            // of those, the one whose strictest free VC was used least recently
	LFU                            // ... least frequently
	LD                             // of those, the one whose link has carried the fewest flits
	SCCB                           // the lowest dimension if all its VCs are free, else the highest that has a free one
	CCB                            // as SCCB, but looks one node ahead
)

// Names are the names of the functions, in order.
var Names = []string{"dimension-order", "random", "zigzag", "lru", "lfu", "ld", "s-ccb", "ccb"}

// Reading is a reading of step (2)(b) of CCB: "choose the dimension whose next node has most
// free VCs". The steps before it count "the dimensions into which the packet can be output".
// If those are the dimensions in which the relation permits a hop, one without a free VC is
// among them: Literal. In favour of this reading, (2)(a) provides for a lowest dimension
// without a free VC, which could not occur in two dimensions otherwise. If they are those
// with a free VC, (2)(b) cannot choose any other: FreeHere. In favour of this reading,
// section 2.1 lets a selection function choose only among free channels.
//
// Zigzag has two readings, too: the paper's text says most hops left, but its formula, |x_d
// - x_s|, measures the longer direction where the wrap-around link is nearer: Formula.
type Reading uint8

const (
	Literal  Reading = iota // of all dimensions with hops left, whether they have a free VC here or not
	FreeHere                // of those that have a free VC here
	Formula                 // Zigzag by the difference of coordinates
)

// Form says when a router chooses.
type Form uint8

const (
	Again Form = iota // at every clock, a free channel
	Stale             // once, a channel that was free one clock earlier
	Early             // once, on arrival, as if all channels were free
)

// FormNames are the names of the forms, in order.
var FormNames = []string{"again", "stale", "early"}

// Options describes a torus and how its routers choose.
type Options struct {
	K, N     int      // N dimensions of K nodes
	OneWay   bool     // links run towards higher coordinates only, wrap-around links apart
	Tie      grid.Tie // any but TieAdaptive; without OneWay
	Function Function
	Form     Form
	Reading  Reading // of CCB
}

// function returns the name of the function, with its reading.
func (o Options) function() string {
	if o.Reading == Formula {
		return Names[o.Function] + " by formula"
	}
	return Names[o.Function]
}

// ReadingNames are the names of the readings, in order.
var ReadingNames = []string{"literal", "free-here", "formula"}

// ClassNames are the names of the VC classes, in order.
var ClassNames = []string{"CH", "CA", "CF"}

// direction is that of the hops a packet has left in a dimension, with the link to take.
type direction struct {
	dim    int
	dir    grid.Direction
	first  spec.ChannelID // the link's CH; CA and CF follow
	usable [3]bool        // by class
	hops   int            // left in that dimension
	far    int            // the distance that Zigzag compares: hops, or the difference of coordinates
}

// directions lists the dimensions in which a packet at node v has hops left, lowest
// first. The tie rule leaves one direction in each, and with OneWay it is Plus.
func (o Options) directions(g *grid.Grid, v, dest spec.NodeID) []direction {
	var all []direction
	for dim, k := range g.Sizes {
		minimal := g.Minimal(v, dest, dim, o.Tie)
		if minimal == 0 {
			continue
		}
		w := direction{dim: dim, dir: grid.Plus}
		if !o.OneWay && !minimal.Has(grid.Plus) {
			w.dir = grid.Minus
		}
		w.first = g.Channel(g.Port(v, dim, w.dir), 0)
		w.hops = (g.Coordinate(dest, dim) - g.Coordinate(v, dim) + k) % k
		if w.dir == grid.Minus {
			w.hops = k - w.hops
		}
		if w.far = w.hops; o.Reading == Formula {
			w.far = max(g.Coordinate(dest, dim)-g.Coordinate(v, dim), g.Coordinate(v, dim)-g.Coordinate(dest, dim))
		}
		w.usable[starchannel.CF] = true
		if len(all) == 0 { // the lowest dimension with hops left
			w.usable[starchannel.CA] = true
			w.usable[starchannel.CH] = !g.WrapsAhead(v, dest, dim, w.dir)
		}
		all = append(all, w)
	}
	return all
}

// each calls f for the VCs of a direction that the packet may use.
func (w direction) each(f func(c spec.ChannelID)) {
	for class, usable := range w.usable {
		if usable {
			f(w.first + spec.ChannelID(class))
		}
	}
}
