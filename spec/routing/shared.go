package routing

import "github.com/seed-105a2da2/unknot/spec"

// Answers that serve many sites. A router that does not look at the channel a packet
// is in gives the same answer in all channels; one that compares coordinates gives the
// same answer for whole ranges of destinations. A relation that knows this is called
// less often. This is only a shortcut to the answers of AppendHops: [Compile] calls AppendHops again
// at some sites, and tests compare the tables with those made by AppendHops alone.

// NodeFunc is a relation that looks at the node where a packet is, not at the channel
// that it stands in: by its type it cannot.
type NodeFunc struct {
	Topology *spec.Topology
	Hops     func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop
}

// AppendHops asks about the node that a channel leads to.
func (f NodeFunc) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return f.Hops(dst, f.Topology.Head(at), h), nil
}

// ByNode reports that the answer depends on the channel only through the node it leads to.
func (NodeFunc) ByNode() bool { return true }

// nodeWise is implemented by relations that may give the same answer in all channels,
// injection channels included, that lead to a node.
type nodeWise interface{ ByNode() bool }

func byNode(r Relation) bool {
	n, ok := r.(nodeWise)
	return ok && n.ByNode()
}

// Pure is implemented by relations that return the same hops whenever they are called again,
// such as that of a Starlark file, where nothing that a function reads can change. What
// they tell about repeated answers is still compared with AppendHops at a sample of sites.
type Pure interface{ Pure() bool }

// Differing is implemented by relations of networks in which something has failed that know where they differ from the
// same relation where nothing has.
type Differing interface {
	Relation
	// Differing returns the nodes whose hops may differ, for whatever packet, and whether they are known. At all others
	// the hops are the same, and none leads into what failed. Flows must be those without failures, aside from those from
	// and to nodes that failed.
	Differing() (nodes []spec.NodeID, known bool)
}

func pure(r Relation) bool {
	p, ok := r.(Pure)
	return ok && p.Pure()
}

// Repeater is implemented by relations that know, faster than by answering again,
// that an answer is the same for another target.
type Repeater interface {
	Relation
	// AppendHopsLike is AppendHops, and tells where else the answer is the same.
	AppendHopsLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, Scope, error)
	// Repeats reports whether the answer that AppendHopsLike gave with a value as Like, in the same channel and with
	// the same tag, is also the answer for now, if it is the one for was. It may be false although it is.
	Repeats(like any, at spec.ChannelID, was, now spec.Header) bool
}

// Scope tells where else an answer of a [Repeater] is the same.
type Scope struct {
	Like   any  // by which [Repeater.Repeats] knows the answer for other targets; nil: none is known
	ByNode bool // for the same target: in all channels that lead to the node, injection channels included, with any tag
}

// Sorter is implemented by relations that can sort the targets, seen from each place, into
// kinds that get the same answer.
type Sorter interface {
	Repeater
	// Kinds returns the kinds, or nil if they are unknown. An answer of AppendHopsLike can make them finer, so a caller
	// that keeps kinds asks again after each answer. Between answers the pointer is the same. Safe for concurrent use.
	Kinds() *Kinds
}

// Kinds partitions the targets, separately for each place: an answer for which AppendHopsLike returns a Like is the
// same for all targets of one kind, unless the packet has arrived.
//
// A place is a channel with a tag, numbered by channel and then by tag, or, after those, a node that injects. The kind
// of a target at a place is the sum of the Parts: on a mesh, say, one part for the comparison of x and one for that of
// y. Nobody changes it once [Sorter.Kinds] has returned it.
type Kinds struct {
	Count int // kinds are numbered 0..Count-1
	Parts []KindPart
}

// KindPart is one addend of a kind. For target t, numbered by destination and then by class, and place p it is
// Value[Target[t]+Place[p]]: Target and Place index the rows and columns of one table. On a line of n nodes, with one
// class and one tag, Target[t] is n*t, Place[p] is the node at p, and Value compares the two: n*n numbers 0 to 2.
type KindPart struct{ Target, Place, Value []int32 }

func (k *Kinds) of(target, place int) int {
	kind := int32(0)
	for i := range k.Parts {
		p := &k.Parts[i]
		kind += p.Value[p.Target[target]+p.Place[place]]
	}
	return int(kind)
}
