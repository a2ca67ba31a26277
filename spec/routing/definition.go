// Package routing describes networks: a [Definition] has a routing [Relation],
// the flows that are injected and a selection function.
// [Compile] tabulates the relation over all sites, which yields a
// [spec.Network].
//
// A relation is most easily written as a [Router], a function from a packet to the hops that it may take. [Func] saves
// time where there are millions of sites. [Union], [EscapeAdaptive] and [VCByHopIndex] make relations out of others.
//
// No trusted package imports this one: a relation tabulated
// wrongly is a wrong table, which everybody can read.
package routing

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Relation is a routing relation. AppendHops appends to dst every hop permitted to a
// packet with header h that stands in channel at (a network channel or an
// injection channel) and returns the extended slice. Neither the order of the hops
// nor repetition matters. No hop is a dead end. A relation permits [spec.Eject] where the
// packet has arrived; [Deliver] adds that to a relation that does not. [spec.Discard] ends a
// packet on purpose.
//
// AppendHops must be pure (the same answer for the same question, forever) and safe
// for concurrent use. An error ends compilation and is reported as it is.
type Relation interface {
	AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error)
}

// Reasoner is implemented by relations that know why they permit a hop: the
// rule's name, or the place in a file that produced it. It is called only for
// hops that AppendHops has permitted, and only for reports.
type Reasoner interface {
	Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason
}

// Message names the message at a site, see [spec.Network.Message]; "" if the relation does not know.
func Message(r Relation, at spec.ChannelID, h spec.Header) string {
	if m, ok := r.(interface {
		Message(at spec.ChannelID, h spec.Header) string
	}); ok {
		return m.Message(at, h)
	}
	return ""
}

// MessageClass is the class of the message at a site, see [spec.Network.MessageClass]; false if the relation does not
// know.
func MessageClass(r Relation, at spec.ChannelID, h spec.Header) (spec.Class, bool) {
	if m, ok := r.(interface {
		MessageClass(at spec.ChannelID, h spec.Header) (spec.Class, bool)
	}); ok {
		return m.MessageClass(at, h)
	}
	return 0, false
}

// Func is a relation that cannot fail, written as a function.
type Func func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop

// AppendHops calls f.
func (f Func) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return f(dst, at, h), nil
}

// Reason returns the reason that r has for a permitted hop; zero if it has none.
func Reason(r Relation, at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	if e, ok := r.(Reasoner); ok {
		return e.Reason(at, h, hop)
	}
	return spec.Reason{}
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

// Reply says that a node that has received a message of one class, the request,
// must send one of another class. It takes a request only into a free place of its
// request buffer, which is free again when the reply has left it. Messages that nothing
// replies to are consumed at once. A reply class is sent only as a reply:
// [Flows] is not asked about it. Of several replies to a class a node sends one.
type Reply struct {
	Request, Reply spec.Class
	Slots          int    // requests that a request buffer holds; 0 means 1, or as many as Outstanding asks for
	RequestBuffer  string // requests with the same one share its slots; "" means one of their own class

	// Outstanding, if not 0, bounds how many requests of the class a node may have outstanding; a request is
	// outstanding until its transaction ends. Request buffers must have room for all that can be outstanding at once.
	// Then a request never waits there, and the reply is modelled as a separate packet. Certificates do not use the
	// bound; a trace to a deadlock respects it ([spec.Outstanding]).
	Outstanding int

	// To appends the nodes to which at may reply when the transaction was begun by
	// origin: the data choose one of them. If there is none, and no other reply to the class has
	// one, the request is consumed at once. Nil means the origin, or, if at is the origin, the
	// sender of the request.
	To func(dst []spec.NodeID, origin, at spec.NodeID) ([]spec.NodeID, error)

	Place *spec.PosError // where it is written, for errors; may be nil
}

func (r *Reply) wrong(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if r.Place == nil {
		return err
	}
	return &spec.PosError{File: r.Place.File, Line: r.Place.Line, Col: r.Place.Col, Msg: err.Error()}
}

// Definition is a network as its author describes it. [Compile] checks it.
type Definition struct {
	Name      string
	Origin    string // where it is from: a paper, a file
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

	transactions bool                // packets may end where they began
	asks         func(spec.Flow) int // how many sources a flow has, which are alternatives; nil: one
	alternatives int                 // see [spec.Parts]
	apart        []spec.Site         // see [spec.Parts]
	split        *splitting          // of sites into their alternatives, instead of Routing; nil: none
	windows      []int               // of outstanding requests
	exchanges    []spec.Exchange     // flows that they concern
}

// Alternatives returns how many alternatives a site may have in the network that [FromNetwork] took the definition
// from, whose tags tell them apart; 0 for any other. Of a relation, [Committing] tells.
func (def Definition) Alternatives() int { return def.alternatives }

// complete checks what the tabulation needs and fills in the defaults;
// [spec.NewNetwork] checks the rest.
func complete(def *Definition) error {
	if def.Topology == nil {
		return errors.New("a definition needs a topology")
	}
	if err := def.Topology.Err(); err != nil {
		return err
	}
	if def.Routing == nil {
		return errors.New("a definition needs a routing relation")
	}
	if len(def.Classes) == 0 {
		def.Classes = []string{""}
	}
	def.Name = cmp.Or(def.Name, "network")
	def.Tags = cmp.Or(def.Tags, 1)
	def.Buffer = cmp.Or(def.Buffer, 1)
	const mostTargets = 1 << 27 // Flows is called for each, though few may receive anything
	if def.Topology.Nodes()*len(def.Classes) > mostTargets {
		return &spec.BoundError{What: "pairs of node and class", Limit: mostTargets}
	}
	parts := def.parts()
	return parts.Check()
}

// parts returns what a network takes unchanged from its definition.
func (def *Definition) parts() spec.Parts {
	p := spec.Parts{
		Name: def.Name, Origin: def.Origin, Topology: def.Topology, Classes: def.Classes, Tags: def.Tags,
		Switching: def.Switching, Buffer: def.Buffer, Expect: def.Expect,
		Reason:  func(s spec.Site, hop spec.Hop) spec.Reason { return Reason(def.Routing, s.Channel, s.Header, hop) },
		Message: func(s spec.Site) string { return Message(def.Routing, s.Channel, s.Header) },
		MessageClass: func(s spec.Site) (spec.Class, bool) {
			return MessageClass(def.Routing, s.Channel, s.Header)
		},
		Asks: def.asks != nil || def.split != nil, Alternatives: def.alternatives, Apart: def.apart,
		Windows: def.windows, Exchanges: def.exchanges,
	}
	if def.Selection != nil {
		p.Selection = def.Selection.Name
	}
	return p
}
