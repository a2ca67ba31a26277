package spec

import "cmp"

// Class is the part of a header, beside the destination, that never changes on
// the way: a message class, a virtual network, a service level, an address
// cell.
type Class uint16

// Tag is the part of a header that a hop may rewrite: a dateline bit, a phase,
// a hop count. Packets are injected with tag 0.
type Tag uint16

// Header is all that a router may look at.
type Header struct {
	Dest  NodeID
	Class Class
	Tag   Tag
}

// Target is the part of a header that never changes.
type Target struct {
	Dest  NodeID
	Class Class
}

func compareTargets(a, b Target) int {
	return cmp.Or(cmp.Compare(a.Dest, b.Dest), cmp.Compare(a.Class, b.Class))
}

// Target returns the part of h that no hop changes.
func (h Header) Target() Target { return Target{h.Dest, h.Class} }

// Hop is one permitted step: into a channel that leaves the packet's node, or
// out of the network ([Eject]), with the tag that the packet carries from then
// on. The tag of an Eject hop is 0.
type Hop struct {
	Channel ChannelID
	Tag     Tag
}

// Relation is a routing relation. Next appends to dst every hop permitted to a
// packet with header h that stands in channel at (a network channel or an
// injection channel) and returns the extended slice; order and repetition mean
// nothing. No hop at all is a dead end. A relation says [Eject] where the
// packet has arrived; [Deliver] adds that to a relation that does not.
//
// Next must be pure (the same answer for the same question, forever) and safe
// for concurrent use. An error ends compilation and is reported as it is.
type Relation interface {
	Next(dst []Hop, at ChannelID, h Header) ([]Hop, error)
}

// Reasoner is implemented by relations that know why they permit a hop: the
// rule's name, or the file:line:col that produced it. It is asked only about
// hops that Next has permitted, and only for reports.
type Reasoner interface {
	Reason(at ChannelID, h Header, hop Hop) string
}

// Func is a relation that cannot fail, written as a function.
type Func func(dst []Hop, at ChannelID, h Header) []Hop

// Next calls f.
func (f Func) Next(dst []Hop, at ChannelID, h Header) ([]Hop, error) { return f(dst, at, h), nil }

// Reason returns the reason that r has for a permitted hop, or "".
func Reason(r Relation, at ChannelID, h Header, hop Hop) string {
	if e, ok := r.(Reasoner); ok {
		return e.Reason(at, h, hop)
	}
	return ""
}

// Switching is how packets occupy channels.
type Switching uint8

const (
	// StoreAndForward: a packet is in one channel at a time; a channel holds
	// Buffer packets.
	StoreAndForward Switching = iota
	// VirtualCutThrough: a packet may stretch over several channels while it
	// moves, but a blocked one is taken up whole by the channel that its head
	// is in. Which packets block each other is therefore the same as with
	// StoreAndForward, and so is the reference step, which moves whole packets.
	VirtualCutThrough
	// Wormhole: a blocked message of any length stays stretched over the
	// channels it has entered and not left; a channel belongs to one message
	// from its first flit to its last.
	Wormhole
)

var switchingNames = [...]string{"store-and-forward", "virtual-cut-through", "wormhole"}

// String returns "store-and-forward", "virtual-cut-through" or "wormhole".
func (s Switching) String() string {
	if int(s) < len(switchingNames) {
		return switchingNames[s]
	}
	return "switching(?)"
}

// ParseSwitching reads what [Switching.String] writes, and the short forms
// saf, vct and wh.
func ParseSwitching(s string) (Switching, bool) {
	switch s {
	case "saf", switchingNames[0]:
		return StoreAndForward, true
	case "vct", switchingNames[1]:
		return VirtualCutThrough, true
	case "wh", switchingNames[2]:
		return Wormhole, true
	}
	return 0, false
}

// Flows says who may send to whom: whether src injects packets of class c for
// dst. It is never asked about src == dst.
type Flows func(src, dst NodeID, c Class) bool

// Senders narrows whom [Flows] is asked about: it appends to dst, in any order,
// every node that may send to a target, and perhaps others. It is for networks
// with many targets of few senders each, which would otherwise ask a question
// for every pair of node and target.
type Senders func(dst []NodeID, to Target) []NodeID

// Selection names the function by which a router picks one of several
// permitted hops. As long as Commit is nil a verdict holds for every
// work-conserving selection: one that takes some permitted hop whenever one is
// free.
//
// A selection that commits to a hop before that hop is free takes others away.
// Commit then appends to dst the hops that it may commit to, a subset of
// permitted, and the network is compiled with those alone; a hop outside
// permitted is an error of compilation.
type Selection struct {
	Name   string
	Commit func(dst []Hop, at ChannelID, h Header, permitted []Hop) []Hop
}

// Definition is a network as somebody writes it down. [Compile] checks it.
type Definition struct {
	Name      string
	Source    string // where it is from: a paper, a file
	Topology  *Topology
	Classes   []string // names of the classes 0, 1, ...; empty means one class
	Tags      int      // tags are 0..Tags-1; 0 means 1
	Flows     Flows    // nil: every node to every other node, in every class
	Senders   Senders  // nil: Flows is asked about every node; nobody else sends otherwise
	Routing   Relation
	Selection *Selection // nil: any work-conserving selection
	Switching Switching
	Buffer    int // packets a channel holds (flits with Wormhole); 0 means 1
	Expect    []Expectation
}
