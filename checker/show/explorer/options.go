package explorer

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// options is what can happen in a state, in the machine's order. A network may have very
// many moves, most of which nobody looks at; so names and successors of moves are computed
// on demand.
type options struct {
	w     *walker
	s     []uint64
	state spec.Occupancy // of a network
	moves []spec.Move
	next  []uint64 // of other machines: all successors
}

func (w *walker) options(s []uint64) (*options, error) {
	o := &options{w: w, s: s}
	if w.traffic != nil {
		o.state = w.traffic.Decode(s)
		o.moves = w.traffic.Moves(o.state)
		return o, nil
	}
	var err error
	o.next, err = w.m.AppendSuccessors(nil, s)
	return o, err
}

// count returns the number of moves.
func (o *options) count() int {
	if o.w.traffic != nil {
		return len(o.moves)
	}
	return len(o.next) / o.w.m.Layout().Words()
}

// action returns the name of a move.
func (o *options) action(i int) string {
	if o.w.traffic != nil {
		return o.w.traffic.Describe(o.moves[i])
	}
	return o.w.m.Action(o.s, i).Name
}

// successor returns the state to which a move leads, or a *notFound.
func (o *options) successor(i int) ([]uint64, error) {
	if i >= o.count() {
		return nil, &notFound{fmt.Sprintf("move %d does not exist: there are %d", i, o.count())}
	}
	if o.w.traffic == nil {
		words := o.w.m.Layout().Words()
		return o.next[i*words : (i+1)*words], nil
	}
	after, err := o.w.traffic.Step(o.state, o.moves[i])
	if err != nil {
		return nil, err
	}
	return o.w.traffic.Encode(nil, after), nil
}

// source returns the node at which a move injects a packet.
func (o *options) source(i int) (spec.NodeID, bool) {
	if o.w.traffic == nil || o.moves[i].Kind != spec.Advance || !o.moves[i].From.IsInjection() {
		return 0, false
	}
	return o.w.traffic.Network().Topology().Head(o.moves[i].From), true
}

// order lists the moves as they are shown: those of packets in flight before injections, of
// which there are many.
func (o *options) order() (inFlight, injections []int) {
	for i := range o.count() {
		if _, injects := o.source(i); injects {
			injections = append(injections, i)
		} else {
			inFlight = append(inFlight, i)
		}
	}
	return inFlight, injections
}
