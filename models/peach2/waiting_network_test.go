package peach2

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of the network of waits.
//
// Keeping the order within a link adds waits: by the rules of PCI Express a read and a
// completion wait for the posted writes ahead of them. A routing relation only gives the
// hops that a packet may take. But a packet that waits for older packets of its link also
// waits for the next buffer on their path. So the waits of all packets close a cycle if and
// only if the following do: a packet in one buffer of a link waits for its own next buffer
// and for every buffer that follows one whose packets it must not pass. Here these are
// further hops; a packet that takes one is discarded behind it. The dependency graph of the
// network is then that of the waits, and its only purpose is to show whether they have a
// cycle.

// Waiting returns the network, an oracle for tests, whose channel dependency graph has all the waits of
// a cluster's packets, under any ordering. It fails if [Inspect] finds faults.
func Waiting(ctx context.Context, c *Cluster, o NetworkOptions) (routing.Definition, error) {
	if _, err := faultless(c); err != nil {
		return routing.Definition{}, err
	}
	order := o.Ordering
	o.Ordering = Relaxed // every network can express these waits
	def, err := New(c, o)
	if err != nil {
		return routing.Definition{}, err
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{})
	if err != nil {
		return routing.Definition{}, err
	}
	w := &waiting{network: def.Routing.(*network), ghost: spec.Tag(max(def.Tags, 1)), after: make([][]spec.Hop, n.Topology().Channels())}
	if err := w.collect(n, order); err != nil {
		return routing.Definition{}, err
	}
	def.Name += ", with waits by ordering " + order.String()
	def.Routing, def.Tags = w, int(w.ghost)+1
	return def, nil
}

// waiting is the relation of packets and their further waits.
type waiting struct {
	*network
	ghost spec.Tag
	after [][]spec.Hop // by channel: behind those whose packets must not be passed
}

// collect finds the packets that use each channel, and so the waits between channels.
func (w *waiting) collect(n *spec.Network, order Ordering) error {
	channels := n.Topology().Channels()
	kinds := make([][]int, channels)     // of the packets in a channel
	next := make([][]spec.Hop, channels) // the hops that they wait for
	err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		if s.Channel.IsInjection() {
			return nil
		}
		kind, _, _ := w.packet(s.Header)
		kinds[s.Channel] = append(kinds[s.Channel], kind)
		for _, h := range hops {
			if h.Channel != spec.Eject {
				next[s.Channel] = append(next[s.Channel], spec.Hop{Channel: h.Channel, Tag: w.ghost})
			}
		}
		return nil
	})
	behind := func(c, d spec.ChannelID) bool { // some packet in c must not pass one in d
		return slices.ContainsFunc(kinds[c], func(later int) bool {
			return slices.ContainsFunc(kinds[d], func(earlier int) bool { return !order.passes(later, earlier) })
		})
	}
	for c := range spec.ChannelID(channels) {
		l, lane := n.Topology().LinkOf(c), n.Topology().VC(c)/w.kinds
		older := []spec.ChannelID{c}
		for i := 0; i < len(older); i++ {
			for buffer := range w.kinds {
				if d := n.Topology().Channel(l, lane*w.kinds+buffer); !slices.Contains(older, d) && behind(older[i], d) {
					older = append(older, d)
					w.after[c] = append(w.after[c], next[d]...)
				}
			}
		}
		slices.SortFunc(w.after[c], func(a, b spec.Hop) int { return int(a.Channel - b.Channel) })
		w.after[c] = slices.Compact(w.after[c])
	}
	return err
}

// AppendHops implements routing.Relation.
func (w *waiting) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	if h.Tag == w.ghost {
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	dst, err := w.network.AppendHops(dst, at, h)
	if !at.IsInjection() {
		dst = append(dst, w.after[at]...)
	}
	return dst, err
}

// Reason says which of the two kinds a wait is.
func (w *waiting) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	if hop.Tag == w.ghost && hop.Channel != spec.Eject {
		return spec.Reason{Text: "the ordering rules, behind an older packet of its link"}
	}
	return w.network.Reason(at, h, hop)
}

// passes reports whether a packet of one kind may leave its link ahead of an
// older one of another kind, if they are in different buffers.
func (o Ordering) passes(later, earlier int) bool {
	switch o {
	case Permitted:
		return earlier != posted
	case Required:
		return later != nonPosted && earlier == nonPosted
	}
	return o == Relaxed
}
