package spec

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Exchanges.
//
// Where a node may have only so many requests outstanding, and request buffers hold all of them, a request and its reply
// are packets of their own: a request buffer never keeps a request waiting. Tables alone would let replies come before
// their requests, and any number of both. So a network says which flows are exchanges: whether a packet of the
// flow answers a request, is one, and which window counts it. Certificates do not need that, as what holds of more
// runs holds of fewer; a trace to a deadlock must keep to it.
//
// The invariant of [Outstanding]: every message in the network has the windows that it and the requests before it in
// its transaction opened, and so has every request that has arrived and has not been answered. A window is counted down
// when the transaction ends. That is the strictest reading of "outstanding", so a trace that keeps to it is one of
// every reading.

// Exchange is the part that the packets of a flow play in a transaction, at a node that counts its requests: each may
// answer a request that has arrived there, and may itself be a request.
type Exchange struct {
	At      Site  // the site of the flow's source
	Answers int32 // the kind of request that this packet answers; one must have arrived; -1: none
	Asks    int32 // the kind of request that this is; -1: none, the transaction ends with it
	Window  int32 // the window that counts it while it is outstanding; -1: none
}

// Compare orders exchanges by target, node and alternative.
func (x Exchange) Compare(y Exchange) int {
	return cmp.Or(x.At.Header.Target().Compare(y.At.Header.Target()), cmp.Compare(y.At.Channel, x.At.Channel),
		cmp.Compare(x.At.Header.Tag, y.At.Header.Tag))
}

// Windows returns how many requests each window allows to be outstanding; none if nothing bounds them. The slice must
// not be changed.
func (n *Network) Windows() []int { return n.parts.Windows }

// Exchanges returns the flows that are exchanges, in the order (destination, class, source, alternative). The slice
// must not be changed.
func (n *Network) Exchanges() []Exchange { return n.parts.Exchanges }

// checkExchanges checks that windows and exchanges are in range and in order, and that each is a flow.
func (n *Network) checkExchanges() error {
	if i := slices.IndexFunc(n.parts.Windows, func(k int) bool { return k < 1 }); i >= 0 {
		return fmt.Errorf("window %d allows %d requests: want at least 1", i, n.parts.Windows[i])
	}
	var table *Table // of one target after the other
	for i, x := range n.parts.Exchanges {
		if table == nil || table.Target != x.At.Header.Target() {
			if table = n.TableOf(x.At.Header.Target()); table == nil {
				return fmt.Errorf("exchange %d: no node sends to its destination", i)
			}
		}
		_, sends := table.FindSource(x.At.Channel, x.At.Header.Tag)
		switch {
		case !x.At.Channel.IsInjection() || !sends:
			return fmt.Errorf("exchange %d is no flow of the network", i)
		case i > 0 && n.parts.Exchanges[i-1].Compare(x) >= 0:
			return fmt.Errorf(
				"exchange %d: exchanges must be ascending by destination, class, node and alternative, each once", i)
		case x.Answers < -1 || x.Asks < -1:
			return fmt.Errorf("exchange %d answers requests of kind %d and asks one of kind %d: want at least -1",
				i, x.Answers, x.Asks)
		case x.Window < -1 || int(x.Window) >= len(n.parts.Windows):
			return fmt.Errorf("exchange %d has window %d: want -1 to %d", i, x.Window, len(n.parts.Windows)-1)
		}
	}
	return nil
}

// Outstanding follows the messages of a run of whole packets or flits, and refuses a run in which a node has more
// requests outstanding than its window allows, or answers one that has not arrived.
type Outstanding struct {
	n       *Network
	open    []int                // by window: requests outstanding
	arrived map[int32][]*message // by kind: requests that have arrived and are not answered, the oldest first
	in      [][]*message         // by channel, parallel to its pieces
}

// message is one that is under way or has arrived.
type message struct {
	x       *Exchange // nil: it is none
	windows []int32   // that count it
	pieces  int       // in the network
	ejects  bool      // its head has left the network
}

// Outstanding returns the bookkeeping of one run of n, which begins with the empty network.
func (n *Network) Outstanding() *Outstanding {
	return &Outstanding{
		n: n, open: make([]int, len(n.parts.Windows)), arrived: map[int32][]*message{},
		in: make([][]*message, n.Topology().Channels()),
	}
}

// Step follows a move that led to a state, or says why the windows forbid it.
func (o *Outstanding) Step(after *Occupancy, m Move) error {
	if m.Kind == Consume {
		return errors.New("a network whose nodes count their requests has sinks that drain at once")
	}
	if m.Kind == Advance {
		var moved *message
		if m.From.IsInjection() {
			var err error
			if moved, err = o.send(Site{m.From, m.Header}); err != nil {
				return err
			}
		} else {
			moved = o.in[m.From][0]
		}
		if to := m.Hop.Channel; to >= 0 {
			o.in[to], moved.pieces = append(o.in[to], moved), moved.pieces+1
		} else if moved.ejects = true; moved.pieces == 0 {
			o.end(moved)
		}
	}
	for _, c := range after.Changed {
		for c >= 0 && len(o.in[c]) > len(after.Channels[c]) { // pieces that have gone were in front
			gone := o.in[c][0]
			o.in[c] = o.in[c][1:]
			if gone.pieces--; gone.pieces == 0 && gone.ejects {
				o.end(gone)
			}
		}
	}
	return nil
}

// Copy returns a copy, which shares nothing that a step changes.
func (o *Outstanding) Copy() *Outstanding {
	c, copies := o.n.Outstanding(), map[*message]*message{}
	list := func(ms []*message) (all []*message) {
		for _, m := range ms {
			if copies[m] == nil {
				same := *m
				copies[m] = &same
			}
			all = append(all, copies[m])
		}
		return all
	}
	copy(c.open, o.open)
	for kind, ms := range o.arrived {
		c.arrived[kind] = list(ms)
	}
	for i, ms := range o.in {
		c.in[i] = list(ms)
	}
	return c
}

// Append appends an encoding that differs for runs that reach the same state with other requests outstanding.
func (o *Outstanding) Append(b []byte) []byte {
	list := func(ms []*message) {
		b = binary.AppendUvarint(b, uint64(len(ms)))
		for _, m := range ms {
			x := Exchange{Answers: -1, Asks: -1, Window: -1}
			if m.x != nil {
				x = *m.x
			}
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.Asks+1)), uint64(len(m.windows)))
			for _, w := range m.windows {
				b = binary.AppendUvarint(b, uint64(w))
			}
		}
	}
	for _, ms := range o.in {
		list(ms)
	}
	for _, x := range o.n.parts.Exchanges {
		list(o.arrived[x.Asks]) // none of kind -1
	}
	return b
}

// send begins a message of the flow whose source is at a site.
func (o *Outstanding) send(at Site) (*message, error) {
	i, is := slices.BinarySearchFunc(o.n.parts.Exchanges, Exchange{At: at}, Exchange.Compare)
	if !is {
		return &message{}, nil
	}
	x, name := &o.n.parts.Exchanges[i], o.n.Topology().Node(o.n.Topology().Head(at.Channel)).Name
	sent := &message{x: x}
	if x.Window >= 0 && o.open[x.Window] == o.n.parts.Windows[x.Window] {
		return nil, fmt.Errorf("%s has %d requests outstanding already, as many as its window allows",
			name, o.open[x.Window])
	}
	if x.Answers >= 0 {
		waiting := o.arrived[x.Answers]
		if len(waiting) == 0 {
			return nil, fmt.Errorf("no request has arrived at %s that the packet for %s answers",
				name, o.n.headerName(at.Header))
		}
		sent.windows, o.arrived[x.Answers] = waiting[0].windows, waiting[1:]
	}
	if x.Window >= 0 {
		o.open[x.Window]++
		sent.windows = append(slices.Clip(sent.windows), x.Window)
	}
	return sent, nil
}

// end has a message arrive whole.
func (o *Outstanding) end(m *message) {
	switch {
	case m.x == nil:
	case m.x.Asks >= 0:
		o.arrived[m.x.Asks] = append(o.arrived[m.x.Asks], m)
	default:
		for _, w := range m.windows {
			o.open[w]--
		}
	}
}
