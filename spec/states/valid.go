package states

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Valid says why the traffic cannot reach a state of the layout's values, or returns nil
// if no reason shows. So states from a file cannot lead the step astray. Packets of
// flits must satisfy:
//
//   - A channel holds no more flits than it has room for, and all of its
//     packets but the first have their heads there.
//   - A head that has left a channel went into one whose last packet is that
//     one, and no other packet still enters there; so packets are chains of
//     pieces without cycles.
//   - Only the first piece of a chain has a rest at the source, at a node that
//     injects it there. Chain and rest have the packet's length, or less if its
//     head has left the network.
//
// It takes time linear in the channels and their pieces.
func (t *Traffic) Valid(words []uint64) error {
	for _, q := range t.queues {
		for i := q.Taken(words); i < q.Len(); i++ {
			if q.Of(words, i) != 0 {
				return errors.New("a free slot comes before an occupied one")
			}
		}
	}
	if !t.sc.Flits() {
		return nil
	}
	s := t.Decode(words)
	v := validity{t: t, s: &s, seen: make([]bool, len(s.Channels))}
	for _, check := range []func(spec.ChannelID) error{v.channel, v.chain, v.begun} {
		for c := range s.Channels {
			if err := check(spec.ChannelID(c)); err != nil {
				return fmt.Errorf("%s: %w", t.n.Topology().ChannelName(spec.ChannelID(c)), err)
			}
		}
	}
	return nil
}

type validity struct {
	t    *Traffic
	s    *spec.Occupancy
	seen []bool // by channel: its first piece is in a chain
}

// channel checks each piece of a channel, and where the first one continues.
func (v *validity) channel(c spec.ChannelID) error {
	pieces := v.s.Channels[c]
	for i, p := range pieces {
		switch {
		case p.Flits == 0 && (!p.Left || !v.t.sc.Elastic):
			return errors.New("a packet has no flit there")
		case i > 0 && p.Left:
			return errors.New("a packet has overtaken another one")
		case i < len(pieces)-1 && p.Rest > 0:
			return errors.New("a packet is still entering ahead of another one")
		case p.Rest > 0 && !v.enters(c, p.Header):
			return errors.New("no source sends such a packet into it")
		}
	}
	if v.t.Flits(v.s, c) > v.t.Capacity() {
		return fmt.Errorf("%d flits: there is room for %d", v.t.Flits(v.s, c), v.t.Capacity())
	}
	if len(pieces) == 0 || !pieces[0].Left || pieces[0].Out.Channel == spec.Eject {
		return nil
	}
	p := pieces[0]
	to := p.Out.Channel
	there := v.s.Channels[to]
	header := spec.Header{Dest: p.Header.Dest, Class: p.Header.Class, Tag: p.Out.Tag}
	switch {
	case len(there) == 0 || there[len(there)-1].Header != header:
		return errors.New("the head of its packet is not where its body follows")
	case v.s.Fed[to] != c:
		return errors.New("two packets enter the same channel")
	case there[len(there)-1].Rest > 0:
		return errors.New("its packet is also still entering from a source")
	}
	return nil
}

// enters reports whether a source at the tail of c injects a packet there.
func (v *validity) enters(c spec.ChannelID, h spec.Header) bool {
	sources := v.t.n.TableOf(h.Target()).SourcesOf(v.t.n.Topology().Tail(c))
	return slices.ContainsFunc(sources, func(src spec.Source) bool {
		_, does := spec.FindHop(v.t.n.Row(src.Row), spec.Hop{Channel: c, Tag: h.Tag})
		return does
	})
}

// chain checks the packets whose last piece is in channel c.
func (v *validity) chain(c spec.ChannelID) error {
	pieces := v.s.Channels[c]
	for i, p := range pieces {
		if i == len(pieces)-1 && v.s.Fed[c] >= 0 {
			break
		}
		v.seen[c] = true
		rest, flits := p.Rest, p.Flits
		if p.Flits == 0 && p.Rest == 0 {
			return errors.New("a packet has no flit there")
		}
		for p.Left && p.Out.Channel != spec.Eject {
			to := p.Out.Channel
			there := v.s.Channels[to]
			p = there[len(there)-1]
			flits += p.Flits
			v.seen[to] = true // where there are several, chain(to) marks it as well
		}
		if n := v.t.sc.Length; n != spec.AnyLength && (flits+rest > n || !p.Left && flits+rest < n) {
			return fmt.Errorf("a packet of %d flits: want %d", flits+rest, n)
		}
	}
	return nil
}

// begun checks that the first piece of a channel is in a chain with an end.
func (v *validity) begun(c spec.ChannelID) error {
	if len(v.s.Channels[c]) > 0 && !v.seen[c] {
		return errors.New("a packet follows itself")
	}
	return nil
}
