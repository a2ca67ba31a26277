package packets

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/checker/internal/place"
	"github.com/seed-105a2da2/unknot/spec"
)

// Renamings returns what symmetries of the network do to states; the identity need not
// be among them. A symmetry moves every packet to the image of its channel and readdresses
// it to the image of its destination; as it commutes with the relation, it maps steps to
// steps. A symmetry that does not map the packets of a channel to packets of its image is
// refused; that it commutes is for the caller to check.
func (m *Machine) Renamings(symmetries []automorphism.Symmetry) ([]orbit.Renaming, error) {
	if flows, _ := m.t.SentOnce(); len(flows) > 0 {
		return nil, errors.New("symmetry cannot be combined with a list of single packets")
	}
	index := map[place.Place]int{}
	for i, f := range m.t.Layout().Fields() {
		index[place.Of(f)] = i
	}
	var renamings []orbit.Renaming
	for _, p := range symmetries {
		r, err := m.renaming(p, index)
		if err != nil {
			return nil, err
		}
		renamings = append(renamings, r)
	}
	return renamings, nil
}

// renaming is what a symmetry does to the fields of a state: places of a channel become
// those of its image, with packets readdressed, and sinks those of the image of the
// node; counters of packets stay. index identifies fields by their place.
func (m *Machine) renaming(p automorphism.Symmetry, index map[place.Place]int) (orbit.Renaming, error) {
	fields := len(m.t.Layout().Fields())
	r := orbit.Renaming{To: graph.Identity[int](fields), Values: make([][]uint64, fields)}
	places := map[spec.ChannelID][]place.Place{}
	for i := range m.channels {
		places[m.channels[i].id] = m.channels[i].places
	}
	for i := range m.channels {
		c := m.channels[i].id
		to := p.Channels[c]
		there, used := places[to]
		if !used {
			return r, fmt.Errorf("no packet uses the image of channel %d", c)
		}
		headers, _ := m.t.Headers(c)
		packets, _ := m.t.Headers(to)
		values := make([]uint64, 1, len(headers)+1)
		for _, h := range headers {
			h.Dest = p.Nodes[h.Dest]
			if !slices.Contains(packets, h) {
				return r, fmt.Errorf("no packet has the image of a header in channel %d", c)
			}
			values = append(values, m.t.Value(to, h))
		}
		if m.channels[i].counts {
			values = nil // of packets with one header, which the image has, too
		}
		for k, from := range m.channels[i].places {
			at := index[from]
			r.To[at], r.Values[at] = index[there[k]], values
		}
	}
	for v, sink := range m.sinks {
		r.To[index[sink.Place]] = index[m.sinks[p.Nodes[v]].Place]
	}
	return r, nil
}
