package simulate

import "github.com/seed-105a2da2/unknot/spec"

// Selector is a selection function: it picks one of the free hops. It keeps its own history;
// each run has its own Selector.
type Selector interface {
	// Choose returns the index of the chosen hop. free is never empty, lists hops in the
	// order of the table, and must not be kept.
	Choose(v *View, free []spec.Hop) int
}

// View is what a selection function may look at.
type View struct {
	e         *engine
	table     int32
	random    chance
	Node      spec.NodeID // the node that chooses
	Target    spec.Target // of the message
	Permitted []spec.Hop  // free or not
}

// Clock returns the clock, from 0.
func (v *View) Clock() int { return int(v.e.now) }

// Free reports whether an output VC of the node can be granted now.
func (v *View) Free(c spec.ChannelID) bool { return v.e.isFree(&v.e.lanes[c]) }

// WasFree reports whether a channel could be granted at the end of the previous clock: what a
// node knows of its neighbours.
func (v *View) WasFree(c spec.ChannelID) bool {
	if x := v.e.changed[c]; x.clock == v.e.now {
		return x.was
	}
	return v.Free(c)
}

// Carried returns how many flits a link has carried since clock 0.
func (v *View) Carried(l spec.LinkID) int64 { return v.e.ports[l].carried }

// Random returns a number below n, each equally likely.
func (v *View) Random(n int) int { return v.e.below(&v.random, n) }
