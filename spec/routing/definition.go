// Package routing describes networks: a [Definition] has a routing [Relation],
// the flows that are injected and a selection function.
// [Compile] tabulates the relation over all legal sites, which yields a
// [spec.Network]. No trusted package imports this one: a relation tabulated
// wrongly is a wrong table, which everybody can read.
package routing

import "github.com/seed-105a2da2/unknot/spec"

// Relation is a routing relation. Next appends to dst every hop permitted to a
// packet with header h that stands in channel at (a network channel or an
// injection channel) and returns the extended slice; order and repetition mean
// nothing. No hop at all is a dead end. A relation permits [spec.Eject] where the
// packet has arrived; [Deliver] adds that to a relation that does not.
//
// Next must be pure (the same answer for the same question, forever) and safe
// for concurrent use. An error ends compilation and is reported as it is.
type Relation interface {
	Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error)
}

// Reasoner is implemented by relations that know why they permit a hop: the
// rule's name, or the file:line:col that produced it. It is asked only about
// hops that Next has permitted, and only for reports.
type Reasoner interface {
	Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string
}

// Func is a relation that cannot fail, written as a function.
type Func func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop

// Next calls f.
func (f Func) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return f(dst, at, h), nil
}

// Reason returns the reason that r has for a permitted hop, or "".
func Reason(r Relation, at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	if e, ok := r.(Reasoner); ok {
		return e.Reason(at, h, hop)
	}
	return ""
}

// Flows says who may send to whom: whether src injects packets of class c for
// dst. It is never asked about src == dst.
type Flows func(src, dst spec.NodeID, c spec.Class) bool

// Senders narrows the sources for which [Flows] is called: it appends to dst, in any order,
// every node that may send to a target, and perhaps others. It is for networks
// with many targets and few senders for each, where Flows would otherwise be called
// for every pair of node and target.
type Senders func(dst []spec.NodeID, to spec.Target) []spec.NodeID

// Selection names the function by which a router picks one of several
// permitted hops. If Commit is nil, a verdict holds for every
// work-conserving selection: one that takes some permitted hop whenever one is
// free.
//
// A selection that commits to a hop before that hop is free takes others away.
// Commit then appends to dst the hops that it may commit to, a subset of
// permitted, and the network is compiled with those only; a hop outside
// permitted is a compilation error.
type Selection struct {
	Name   string
	Commit func(dst []spec.Hop, at spec.ChannelID, h spec.Header, permitted []spec.Hop) []spec.Hop
}

// Definition is a network as its author describes it. [Compile] checks it.
type Definition struct {
	Name      string
	Source    string // where it is from: a paper, a file
	Topology  *spec.Topology
	Classes   []string // names of the classes 0, 1, ...; empty means one class
	Tags      int      // tags are 0..Tags-1; 0 means 1
	Flows     Flows    // nil: every node to every other node, in every class
	Senders   Senders  // nil: Flows is called for every node; otherwise no other node sends
	Routing   Relation
	Selection *Selection // nil: any work-conserving selection
	Switching spec.Switching
	Buffer    int // packets a channel holds (flits with Wormhole); 0 means 1
	Replies   []Reply
	Expect    []spec.Expectation

	transactions bool // packets may end where they began
}
