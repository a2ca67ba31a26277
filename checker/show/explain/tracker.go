package explain

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design. A state of a network's traffic does not tell its packets apart; people do. Every
// packet has a number, from 1, in the order of injection. A move that takes a head onward
// appends its number behind those already in the channel; the reference step then says how
// many pieces each channel has left. Those that have gone were in front: only a piece whose
// head has moved on can go, and it is the first. So numbers and pieces always correspond.

// Traffic moves packets: [spec.Traffic], or [states.Traffic] if traffic is bounded.
type Traffic interface {
	Network() *spec.Network
	Scenario() spec.Scenario
	Empty() spec.Occupancy
	Step(spec.Occupancy, spec.Move) (spec.Occupancy, error)
}

// Tracker follows which packet is where as moves are taken, and who waits for whom.
type Tracker struct {
	traffic Traffic
	state   spec.Occupancy
	numbers [][]int // of the packets in each channel, first in first, one for each piece there
	// held is the channels that each packet occupies, from its tail to its head; a channel occurs twice if the packet
	// has returned to it.
	held  map[int][]spec.ChannelID
	count int
}

// Track begins with the empty network.
func Track(t Traffic) *Tracker {
	s := t.Empty()
	return &Tracker{traffic: t, state: s, numbers: make([][]int, len(s.Channels)), held: map[int][]spec.ChannelID{}}
}

// State returns the state that has been reached. It must not be changed.
func (k *Tracker) State() spec.Occupancy { return k.state }

// Step takes a move and returns the number of the packet that moved (0 if none did)
// and the channels whose content changed, ascending. An error says that the move is
// not possible; then nothing has changed.
func (k *Tracker) Step(m spec.Move) (packet int, changed []spec.ChannelID, err error) {
	after, err := k.traffic.Step(k.state, m)
	if err != nil {
		return 0, nil, err
	}
	before := k.state
	k.state = after
	switch {
	case m.Kind == spec.Consume:
	case m.Kind == spec.Advance && m.From.IsInjection():
		k.count++
		packet = k.count
	case m.From.IsInjection():
		packet = last(k.numbers[m.Hop.Channel])
	default:
		packet = k.numbers[m.From][0]
	}
	if to := m.Hop.Channel; m.Kind == spec.Advance && to >= 0 {
		k.numbers[to] = append(k.numbers[to], packet)
		k.held[packet] = append(k.held[packet], to)
	}
	for c := range after.Channels {
		if !slices.Equal(before.Channels[c], after.Channels[c]) {
			changed = append(changed, spec.ChannelID(c))
			k.trim(spec.ChannelID(c))
		}
	}
	return packet, changed, nil
}

// trim drops the numbers of pieces that have gone: the first ones. A long packet may
// have returned to a channel that its tail is still in, so a packet may be there
// twice; the piece that goes is the one nearer to its tail.
func (k *Tracker) trim(c spec.ChannelID) {
	for gone := len(k.numbers[c]) - len(k.state.Channels[c]); gone > 0; gone-- {
		packet := k.numbers[c][0]
		k.numbers[c] = slices.Clone(k.numbers[c][1:])
		if i := slices.Index(k.held[packet], c); i >= 0 {
			k.held[packet] = slices.Delete(slices.Clone(k.held[packet]), i, i+1)
		}
	}
}

func last(xs []int) int {
	if len(xs) == 0 {
		return 0
	}
	return xs[len(xs)-1]
}

// Short returns what fits into a small box: "P3", or "P3+1" if another packet is
// behind it; "" if the channel is empty. body reports whether the first packet's head
// is further on.
func (k *Tracker) Short(c spec.ChannelID) (text string, body bool) {
	in := k.numbers[c]
	if len(in) == 0 {
		return "", false
	}
	text = fmt.Sprintf("P%d", in[0])
	if len(in) > 1 {
		text += fmt.Sprintf("+%d", len(in)-1)
	}
	return text, k.state.Channels[c][0].Left
}

// Long describes everything in a channel: "P3 for (1,0), P4 for (2,0)"; "" if it is
// empty.
func (k *Tracker) Long(c spec.ChannelID) string {
	topo := k.traffic.Network().Topology()
	var text string
	for i, p := range k.state.Channels[c] {
		if i > 0 {
			text += ", "
		}
		text += Packet(k.numbers[c][i], topo.Node(p.Header.Dest).Name)
		if p.Header.Class > 0 {
			text += fmt.Sprintf(" class %d", p.Header.Class)
		}
		text += k.traffic.Network().TagText(spec.Site{Channel: c, Header: p.Header})
		if k.traffic.Scenario().Flits() {
			text += flits(p)
		}
		if p.Left {
			text += ", head gone to " + topo.ChannelName(p.Out.Channel)
		}
	}
	return text
}

func flits(p spec.Piece) string {
	if p.Flits == 1 {
		return ", 1 flit"
	}
	return fmt.Sprintf(", %d flits", p.Flits)
}
