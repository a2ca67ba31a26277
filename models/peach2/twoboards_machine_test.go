package peach2

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// Design of the machine of two boards.
//
// The ordering rules of PCI Express are about packets in one link: a packet may
// leave it ahead of an older one. So the state of a link is the list of its
// packets, oldest first, a bounded number in each buffer. A packet must not pass an
// older one in the same buffer, and nothing passes an older posted write; everything
// else may pass (Base Specification 3.0, table 2-34: "yes" and "yes/no" there are
// allowed here, "no" is not). Two hosts, each with a link to its board,
// and a link each way between the boards are enough for every rule to matter.
// Hosts take posted writes and completions at once; a read leaves the link into
// its host when the completion has room in the link out of it.

// TwoBoards is the machine of two hosts with their boards that write to each other and
// read from each other, under the ordering rules of PCI Express.
//
// The invariant "nothing waits forever": there is no set of packets each of which waits for
// others of the set, whatever the rest does. The responses: every read of host 0, or of
// host 1, is answered.
type TwoBoards struct {
	reads  Reads
	writes bool
	depth  int
	of     [3]int // buffer by kind of packet
	holds  [3]int // packets, by buffer
	layout states.Layout
	slots  [4][]states.Field // by link; the oldest packet first; 0 or 1 + its kind
}

// Links of two boards: from host h to its board, from board h to the other board
// and on to its host.
func fromHost(h int) int  { return h }
func fromBoard(h int) int { return 2 + h }

// NewTwoBoards returns the machine, with or without posted writes. A buffer holds a
// given number of packets, 1 to 4, except that one for completions alone holds one.
// Reads must not be NoReads.
func NewTwoBoards(reads Reads, writes bool, depth int) (*TwoBoards, error) {
	if reads == NoReads || int(reads) >= len(ReadsNames) {
		return nil, fmt.Errorf("two boards with reads %q: want separate, shared, fifo or in-order", reads)
	}
	if depth < 1 || depth > 4 {
		return nil, fmt.Errorf("buffers of %d packets: want 1 to 4", depth)
	}
	m := &TwoBoards{reads: reads, writes: writes, depth: depth}
	m.of, _ = reads.buffers()
	for _, kind := range [...]int{completion, nonPosted, posted} {
		m.holds[m.of[kind]] = depth
		if kind == completion {
			m.holds[m.of[kind]] = 1
		}
	}
	for link := range m.slots {
		for i := range m.holds[0] + m.holds[1] + m.holds[2] {
			slot := m.layout.Queue(fmt.Sprintf("%s %d", linkName(link), i), 1, 4, func(v uint64) string {
				return [...]string{"-", "write", "read", "completion"}[v&3]
			})
			m.slots[link] = append(m.slots[link], slot.FieldAt(0))
		}
	}
	return m, nil
}

func linkName(link int) string {
	if link < 2 {
		return fmt.Sprintf("from host %d", link)
	}
	return fmt.Sprintf("from board %d", link-2)
}

// Name names the machine and its parameters.
func (m *TwoBoards) Name() string {
	name := "two PEACH2 boards, reads " + m.reads.String()
	if m.depth > 1 {
		name += fmt.Sprintf(", buffers of %d", m.depth)
	}
	if !m.writes {
		name += ", no writes"
	}
	return name
}

// Start appends the empty network.
func (m *TwoBoards) Start(dst []uint64) []uint64 {
	return append(dst, make([]uint64, m.layout.Words())...)
}

// queues is a state unpacked: the kinds of the packets of each link, oldest first.
type queues [4]struct {
	kinds [12]uint8
	n     int
}

func (m *TwoBoards) queues(s []uint64) (q queues) {
	for link, slots := range m.slots {
		for i, f := range slots {
			v := f.Of(s)
			if v == 0 {
				break
			}
			q[link].kinds[i] = uint8(v) - 1
			q[link].n++
		}
	}
	return q
}

// packet is a packet of a state.
type packet struct{ link, slot, kind int }

// passes reports whether a packet may leave its link ahead of an older one.
func (m *TwoBoards) passes(later, earlier int) bool {
	return m.of[later] != m.of[earlier] && earlier != posted
}

// aim returns the next link of a packet and its kind there; consumed: it leaves the
// network.
func (m *TwoBoards) aim(p packet) (link, kind int, consumed bool) {
	switch {
	case p.link < 2:
		return fromBoard(p.link), p.kind, false
	case p.kind == nonPosted:
		return fromHost(1 - (p.link - 2)), completion, false
	}
	return 0, 0, true
}

// room reports whether the buffer of a kind of packet takes another one, or will, if
// the packets that by accepts never leave it.
func (m *TwoBoards) room(q *queues, link, kind int, by func(packet) bool) bool {
	buffer, n := m.of[kind], 0
	for i, k := range q[link].kinds[:q[link].n] {
		if m.of[k] == buffer && (by == nil || by(packet{link, i, int(k)})) {
			n++
		}
	}
	return n < m.holds[buffer]
}

// kept reports whether a packet cannot move as long as the packets that by accepts do not
// move; nil: all.
func (m *TwoBoards) kept(q *queues, p packet, by func(packet) bool) bool {
	for i, k := range q[p.link].kinds[:p.slot] {
		if (by == nil || by(packet{p.link, i, int(k)})) && !m.passes(p.kind, int(k)) {
			return true
		}
	}
	link, kind, consumed := m.aim(p)
	return !consumed && !m.room(q, link, kind, by)
}

// event is something that can happen: an injection, given by link and kind, or the move
// of a packet.
type event struct {
	inject bool
	packet packet
}

// events lists all that can happen, in order: injections, then moves by link.
func (m *TwoBoards) events(s []uint64) []event {
	q := m.queues(s)
	es := make([]event, 0, 16)
	for h := range 2 {
		for _, kind := range [...]int{posted, nonPosted} {
			if (kind != posted || m.writes) && m.room(&q, fromHost(h), kind, nil) {
				es = append(es, event{true, packet{fromHost(h), 0, kind}})
			}
		}
	}
	for link := range q {
		for i, k := range q[link].kinds[:q[link].n] {
			if p := (packet{link, i, int(k)}); !m.kept(&q, p, nil) {
				es = append(es, event{packet: p})
			}
		}
	}
	return es
}

// AppendSuccessors appends the successors.
func (m *TwoBoards) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, e := range m.events(s) {
		n := len(dst)
		dst = append(dst, s...)
		after := dst[n:]
		if e.inject {
			m.push(after, e.packet.link, e.packet.kind)
			continue
		}
		link, kind, consumed := m.aim(e.packet)
		m.remove(after, e.packet)
		if !consumed {
			m.push(after, link, kind)
		}
	}
	return dst, nil
}

// push appends a packet to a link. There is a free slot if its buffer has room,
// as there are as many slots as buffers hold packets.
func (m *TwoBoards) push(s []uint64, link, kind int) {
	for _, f := range m.slots[link] {
		if f.Of(s) == 0 {
			f.Put(s, uint64(kind)+1)
			return
		}
	}
}

// remove takes a packet out; younger ones move up.
func (m *TwoBoards) remove(s []uint64, p packet) {
	slots := m.slots[p.link]
	for i := p.slot; i+1 < len(slots); i++ {
		slots[i].Put(s, slots[i+1].Of(s))
	}
	slots[len(slots)-1].Put(s, 0)
}

// Action names a step, such as "host 0 sends a read"; moves come after injections.
func (m *TwoBoards) Action(s []uint64, i int) states.Action {
	e := m.events(s)[i]
	kind := [...]string{"write", "read", "completion"}[e.packet.kind]
	if e.inject {
		return states.Action{Number: 3*e.packet.link + e.packet.kind, Name: fmt.Sprintf("host %d sends a %s", e.packet.link, kind)}
	}
	return states.Action{Number: moving + 3*e.packet.link + e.packet.kind, Name: fmt.Sprintf("a %s moves %s on", kind, linkName(e.packet.link))}
}

// moving is the number of the first action that is not an injection.
const moving = 100

// stuck reports whether some packets wait for each other and can never move: whether any are left
// after repeatedly dropping packets that none of the rest blocks.
func (m *TwoBoards) stuck(s []uint64) bool {
	q := m.queues(s)
	var dropped [4][12]bool
	left := func(p packet) bool { return !dropped[p.link][p.slot] }
	rest := 0
	for link := range q {
		rest += q[link].n
	}
	for again := true; again && rest > 0; {
		again = false
		for link := range q {
			for i, k := range q[link].kinds[:q[link].n] {
				if p := (packet{link, i, int(k)}); left(p) && !m.kept(&q, p, left) {
					dropped[link][i] = true
					rest--
					again = true
				}
			}
		}
	}
	return rest > 0
}

// Claims returns the properties to decide.
func (m *TwoBoards) Claims() states.Claims {
	c := states.Claims{
		Invariants: []states.Invariant{{
			Name:    "nothing waits forever",
			Holds:   func(s []uint64) bool { return !m.stuck(s) },
			Applies: func(s []uint64) bool { return s[0] != 0 },
		}},
		Fair: func(action int) bool { return action >= moving },
	}
	for h := range 2 {
		c.Responses = append(c.Responses, states.Response{
			Name:    fmt.Sprintf("reads of host %d are answered", h),
			Pending: func(s []uint64) bool { return m.reading(s, h) },
			Answered: func(s []uint64, i int, _ []uint64) bool {
				e := m.events(s)[i]
				return !e.inject && e.packet == packet{fromBoard(1 - h), e.packet.slot, completion}
			},
		})
	}
	return c
}

// reading reports whether a read of host h, or its completion, is in transit.
func (m *TwoBoards) reading(s []uint64, h int) bool {
	q := m.queues(s)
	on := func(link, kind int) bool {
		for _, k := range q[link].kinds[:q[link].n] {
			if int(k) == kind {
				return true
			}
		}
		return false
	}
	return on(fromHost(h), nonPosted) || on(fromBoard(h), nonPosted) || on(fromHost(1-h), completion) || on(fromBoard(1-h), completion)
}
