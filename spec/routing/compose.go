package routing

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// This file composes relations. Each composition keeps the reasons of its
// parts: the first part that permits a hop gives the reason.

// Deliver permits Eject, and nothing else, where the packet stands at its
// destination, and asks r everywhere else.
func Deliver(t *spec.Topology, r Relation) Relation {
	if again, ok := r.(Repeater); ok {
		return delivering{deliver{t, r}, again}
	}
	return deliver{t, r}
}

type deliver struct {
	t *spec.Topology
	r Relation
}

func (d deliver) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	if d.t.Head(at) == h.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	return d.r.AppendHops(dst, at, h)
}

// Alternatives are those of the relation.
func (d deliver) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	if d.t.Head(at) == h.Dest {
		return [][]spec.Hop{{{Channel: spec.Eject}}}, nil
	}
	return Alternatives(d.r, at, h)
}

func (d deliver) ByNode() bool { return byNode(d.r) }

func (d deliver) Pure() bool { return pure(d.r) }

// delivering is deliver for a relation that knows when an answer repeats.
type delivering struct {
	deliver
	r Repeater
}

var _ Repeater = delivering{} // found by a type assertion

func (d delivering) AppendHopsLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, Scope, error) {
	if d.t.Head(at) == h.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject}), Scope{}, nil
	}
	return d.r.AppendHopsLike(dst, at, h)
}

func (d delivering) Repeats(like any, at spec.ChannelID, was, now spec.Header) bool {
	return d.t.Head(at) != now.Dest && d.r.Repeats(like, at, was, now)
}

func (d delivering) Kinds() *Kinds {
	if s, ok := d.r.(Sorter); ok {
		return s.Kinds()
	}
	return nil
}

func (d deliver) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	if hop.Channel == spec.Eject && d.t.Head(at) == h.Dest {
		return spec.Reason{Text: "arrived"}
	}
	return Reason(d.r, at, h, hop)
}

// Named gives every hop of r the same reason.
func Named(reason string, r Relation) Relation { return named{r, reason} }

type named struct {
	Relation
	reason string
}

// Alternatives are those of the relation.
func (n named) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	return Alternatives(n.Relation, at, h)
}

func (n named) ByNode() bool { return byNode(n.Relation) }

func (n named) Reason(spec.ChannelID, spec.Header, spec.Hop) spec.Reason {
	return spec.Reason{Text: n.reason}
}

// Union permits what any of its parts permits.
func Union(parts ...Relation) Relation { return union(parts) }

// EscapeAdaptive permits the hops of an escape relation and those of an
// adaptive one; reasons prefer the escape. The checker looks for an escape by
// itself and does not rely on the order of the parts.
func EscapeAdaptive(escape, adaptive Relation) Relation { return union{escape, adaptive} }

type union []Relation

func (u union) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	for _, r := range u {
		var err error
		if dst, err = r.AppendHops(dst, at, h); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (u union) ByNode() bool {
	return !slices.ContainsFunc(u, func(r Relation) bool { return !byNode(r) })
}

func (u union) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	for _, r := range u {
		if hops, err := r.AppendHops(nil, at, h); err == nil && slices.Contains(hops, hop) {
			return Reason(r, at, h, hop)
		}
	}
	return spec.Reason{}
}

// VCByHopIndex takes the links that r permits and moves the packet to VC i on
// its hop number i (from 0), counted in the tag: the classical acyclic buffer
// order of Günther (1981). r is called with tag 0 and with the VC 0 channel of
// the link that the packet stands in; which VC r answers with does not matter.
// Hops beyond the last VC of a link are not permitted. The definition needs at
// least as many tags as the longest path has hops, plus one.
func VCByHopIndex(t *spec.Topology, r Relation) Relation { return hopIndexed{t, r} }

type hopIndexed struct {
	t *spec.Topology
	r Relation
}

func (x hopIndexed) plain(at spec.ChannelID, h spec.Header) (spec.ChannelID, spec.Header) {
	if !at.IsInjection() {
		at = x.t.Channel(x.t.LinkOf(at), 0)
	}
	h.Tag = 0
	return at, h
}

func (x hopIndexed) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	n := len(dst)
	plainAt, plainHeader := x.plain(at, h)
	dst, err := x.r.AppendHops(dst, plainAt, plainHeader)
	if err != nil {
		return dst, err
	}
	kept := dst[:n]
	for _, hop := range dst[n:] {
		if hop.Channel == spec.Eject {
			kept = append(kept, hop)
			continue
		}
		l := x.t.LinkOf(hop.Channel)
		if vc := int(h.Tag); vc < x.t.Link(l).VCs {
			kept = append(kept, spec.Hop{Channel: x.t.Channel(l, vc), Tag: h.Tag + 1, Room: hop.Room})
		}
	}
	return kept, nil
}

func (x hopIndexed) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	plainAt, plainHeader := x.plain(at, h)
	hops, err := x.r.AppendHops(nil, plainAt, plainHeader)
	if err != nil {
		return spec.Reason{}
	}
	for _, p := range hops {
		link := p.Channel >= 0 && hop.Channel >= 0 && x.t.LinkOf(p.Channel) == x.t.LinkOf(hop.Channel)
		if p.Channel == hop.Channel || link {
			return Reason(x.r, plainAt, plainHeader, p).And("VC = hop index")
		}
	}
	return spec.Reason{}
}
