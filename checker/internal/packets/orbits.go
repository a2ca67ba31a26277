package packets

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Orbits is the machine modulo symmetries: of all states that symmetries of the
// network make out of each other it keeps the least. A symmetry moves every
// packet to the image of its channel and readdresses it to the image of its
// destination; because it commutes with the relation, it takes steps to steps,
// so a stuck state can be reached if and only if the least of its orbit can.
type Orbits struct {
	*Machine
	images [][]image // by symmetry and channel
	sinks  [][]int   // by symmetry and node, with finite sinks
}

// image is where a symmetry takes a channel: another channel, and the value
// there of each value.
type image struct {
	to     int
	values []uint64
}

// Permutation is a symmetry of a network: where it takes every node and every
// network channel.
type Permutation struct {
	Nodes    []spec.NodeID
	Channels []spec.ChannelID
}

// NewOrbits returns m modulo symmetries, of which the identity need not be one.
// A permutation that does not take the packets of a channel to packets of its
// image is refused; that it commutes with the relation is for the caller to
// check.
func NewOrbits(m *Machine, symmetries []Permutation) (*Orbits, error) {
	if flows, _ := m.t.Once(); len(flows) > 0 {
		return nil, errors.New("symmetry does not go with a list of single packets")
	}
	o := &Orbits{Machine: m}
	index := map[spec.ChannelID]int{}
	for i := range m.channels {
		index[m.channels[i].id] = i
	}
	for _, p := range symmetries {
		var images []image
		for i := range m.channels {
			c := m.channels[i].id
			to, used := index[p.Channels[c]]
			if !used {
				return nil, fmt.Errorf("no packet uses the image of channel %d", c)
			}
			from, _ := m.t.Headers(c)
			there, _ := m.t.Headers(p.Channels[c])
			im := image{to: to, values: make([]uint64, 1, len(from)+1)}
			for _, h := range from {
				h.Dest = p.Nodes[h.Dest]
				if !slices.Contains(there, h) {
					return nil, fmt.Errorf("no packet has the image of a header in channel %d", c)
				}
				im.values = append(im.values, m.t.Value(p.Channels[c], h))
			}
			images = append(images, im)
		}
		o.images = append(o.images, images)
		if m.sinks != nil {
			nodes := make([]int, len(p.Nodes))
			for v, to := range p.Nodes {
				nodes[v] = int(to)
			}
			o.sinks = append(o.sinks, nodes)
		}
	}
	return o, nil
}

// Order returns the number of symmetries.
func (o *Orbits) Order() int { return len(o.images) }

// Start appends the least image of the state without packets: itself.
func (o *Orbits) Start(dst []uint64) []uint64 { return o.Machine.Start(dst) }

// Next appends the least images of the successors of s.
func (o *Orbits) Next(dst, s []uint64) ([]uint64, error) {
	at := len(dst)
	dst, err := o.Machine.Next(dst, s)
	for ; at < len(dst); at += o.words {
		o.Canonical(dst[at : at+o.words])
	}
	return dst, err
}

// Canonical replaces a state by the least one of its orbit.
func (o *Orbits) Canonical(s []uint64) {
	var few [8]uint64
	least, other := few[:0:4], few[4:4]
	least = append(least, s...)
	for i := range o.images {
		other = o.apply(other[:0], i, s)
		if slices.Compare(other, least) < 0 {
			least, other = other, least
		}
	}
	copy(s, least)
}

// apply appends the image of s under symmetry i.
func (o *Orbits) apply(dst []uint64, i int, s []uint64) []uint64 {
	at := len(dst)
	for range s {
		dst = append(dst, 0)
	}
	after := dst[at:]
	for c, im := range o.images[i] {
		for k, p := range o.channels[c].places {
			v := p.of(s)
			if v == 0 {
				break
			}
			to := &o.channels[im.to].places[k]
			after[to.word] |= im.values[v] << to.shift
		}
	}
	for _, f := range o.t.SentFields() {
		f.Put(after, f.Of(s))
	}
	if o.sinks != nil {
		for v, to := range o.sinks[i] {
			o.Machine.sinks[to].put(after, o.Machine.sinks[v].of(s))
		}
	}
	return dst
}
