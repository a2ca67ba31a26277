package mdce

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// The answer at a place depends on one bit of the destination in each dimension, the bit
// that is corrected at this x. So there are few kinds of destinations, and most answers are
// known already.

// That is not so if one kind of dimension is done before the other begins: what is to be
// corrected at this x depends on all bits.

// unsorted asks one destination after the other.
type unsorted struct{ m *net }

// AppendHops implements routing.Relation.
func (u unsorted) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return u.m.AppendHops(dst, at, h)
}

// Reason says what the hop corrects.
func (u unsorted) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return u.m.Reason(at, h, hop)
}

var _ routing.Sorter = (*net)(nil) // found by a type assertion

// AppendHopsLike is AppendHops: the answer repeats for all destinations of a kind.
func (m *net) AppendHopsLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, routing.Scope, error) {
	dst, err := m.AppendHops(dst, at, h)
	return dst, routing.Scope{Like: m}, err
}

// Repeats leaves it to Kinds.
func (m *net) Repeats(any, spec.ChannelID, spec.Header, spec.Header) bool { return false }

// Kinds sorts destinations by the bits that are wrong, as seen from a place.
func (m *net) Kinds() *routing.Kinds { return m.kinds() }

func (m *net) kindsOf() *routing.Kinds {
	k := &routing.Kinds{Count: 1 << m.dims}
	for d := range m.dims {
		bit := func(v spec.NodeID, x int) int { return m.rings(v) >> (d*m.N + x) & 1 }
		var part routing.KindPart
		place := func(v spec.NodeID) {
			part.Place = append(part.Place, int32(2*m.x(v)+bit(v, m.x(v))))
		}
		for c := range spec.ChannelID(m.t.Channels()) {
			place(m.t.Head(c))
		}
		for v := range spec.NodeID(m.t.Nodes()) {
			place(v)
			part.Target = append(part.Target, int32(m.rings(v)>>(d*m.N)&(1<<m.N-1)*2*m.N))
		}
		for y := range 1 << m.N {
			for x := range m.N {
				right := int32(y >> x & 1 << d)
				part.Value = append(part.Value, right, right^1<<d)
			}
		}
		k.Parts = append(k.Parts, part)
	}
	return k
}
