package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Scenario says how a network is run as a machine: what its definition leaves
// open because a static argument does not need it. The zero value moves whole
// packets: each channel holds Network.Capacity() of them, every flow injects
// without end, and sinks drain at once.
type Scenario struct {
	// Length is the number of flits of a packet, for wormhole switching: each
	// channel then buffers Definition.Buffer flits. With AnyLength a packet goes
	// on until its source finishes it, which may be at any time. 0 moves whole
	// packets.
	Length int
	// Elastic lets the flits of a packet move one at a time, so that the
	// packet stretches and shrinks. Otherwise, with buffers of one flit, the
	// whole packet shifts as its head moves. Deeper buffers are always elastic.
	Elastic bool
	// Shared lets the head of a packet into a channel behind the tail of
	// another one. Otherwise a channel belongs to one packet from its head's
	// arrival until its tail has left (atomic allocation).
	Shared bool
	// Bubble is the number of free places that a packet needs in a channel to
	// enter it by injection or from a link of another dimension (Carrión et al.
	// 1997, Puente et al. 1999). 0 means 1: no bubble is kept.
	Bubble int
	// Sink is the number of packets (flits do not count one by one here) that
	// the sink of a node holds; consuming one is a step of its own. 0 means
	// that sinks drain at once.
	Sink int
	// Packets bounds the number of packets ever injected; 0: no bound.
	Packets int
	// Once restricts traffic to these flows, each of which injects once. A flow
	// that is listed twice injects twice. Empty: every flow, without end.
	Once []Flow
}

// AnyLength is the Length of packets that end whenever their source says so.
const AnyLength = -1

// Flow is a source and the target it sends to.
type Flow struct {
	Source NodeID
	Target Target
}

// Compare orders flows by target, then by source.
func (f Flow) Compare(g Flow) int {
	return cmp.Or(f.Target.Compare(g.Target), cmp.Compare(f.Source, g.Source))
}

// Equal reports whether two scenarios are the same, with the same flows in the same order.
func (sc Scenario) Equal(other Scenario) bool {
	return sc.Length == other.Length && sc.Elastic == other.Elastic && sc.Shared == other.Shared &&
		sc.Bubble == other.Bubble &&
		sc.Sink == other.Sink && sc.Packets == other.Packets && slices.Equal(sc.Once, other.Once)
}

// Flits reports whether packets are moved flit by flit or shift as worms.
func (sc Scenario) Flits() bool { return sc.Length != 0 }

// String lists what differs from the zero value, in the words of the written
// form of traces: "length 3 elastic shared bubble 2 sink 1 packets 4 once 2";
// "whole packets" for the zero value.
func (sc Scenario) String() string {
	var words []string
	number := func(name string, x int) {
		if x == AnyLength {
			words = append(words, name+" any")
		} else if x != 0 {
			words = append(words, fmt.Sprintf("%s %d", name, x))
		}
	}
	number("length", sc.Length)
	if sc.Elastic {
		words = append(words, "elastic")
	}
	if sc.Shared {
		words = append(words, "shared")
	}
	number("bubble", sc.Bubble)
	number("sink", sc.Sink)
	number("packets", sc.Packets)
	number("once", len(sc.Once))
	return cmp.Or(strings.Join(words, " "), "whole packets")
}

// ParseScenario reads what [Scenario.String] writes, words in its order, but not
// "once", of which String writes only the number of packets.
func ParseScenario(text string) (Scenario, error) {
	var sc Scenario
	if text == "whole packets" {
		return sc, nil
	}
	words := strings.Fields(text)
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		number := map[string]*int{
			"length": &sc.Length, "bubble": &sc.Bubble, "sink": &sc.Sink, "packets": &sc.Packets,
		}[word]
		switch {
		case word == "elastic":
			sc.Elastic = true
		case word == "shared":
			sc.Shared = true
		case number == nil:
			return sc, fmt.Errorf("invalid word %.40q in a scenario", word)
		case len(words) == 0:
			return sc, fmt.Errorf("a number must follow %q", word)
		case word == "length" && words[0] == "any":
			sc.Length, words = AnyLength, words[1:]
		default:
			x, err := strconv.Atoi(words[0])
			if err != nil || x < 1 || strconv.Itoa(x) != words[0] {
				return sc, fmt.Errorf("%s %.20s: want a number of at least 1", word, words[0])
			}
			*number, words = x, words[1:]
		}
	}
	if sc.String() != text {
		return sc, fmt.Errorf("%.80q is not in canonical form: want %q", text, sc.String())
	}
	return sc, nil
}

// Steps returns the scenario without the bounds on traffic. What can happen
// under bounds can happen without them, by the same steps, so a trace is about
// this scenario.
func (sc Scenario) Steps() Scenario {
	sc.Packets, sc.Once = 0, nil
	return sc
}

// Bounded reports whether only a bounded number of packets is ever injected.
func (sc Scenario) Bounded() bool { return sc.Packets > 0 || len(sc.Once) > 0 }

// settle checks a scenario against a network and fills in the defaults that follow from it.
func (sc Scenario) settle(n *Network) (Scenario, error) {
	const most = 1 << 12
	for _, x := range []struct {
		name  string
		value int
	}{
		{"packet length", max(sc.Length, 0)}, {"bubble", sc.Bubble}, {"sink", sc.Sink},
		{"number of packets", sc.Packets}, {"number of single packets", len(sc.Once)},
	} {
		if x.value < 0 || x.value > most {
			return sc, fmt.Errorf("invalid %s %d: want 0 to %d", x.name, x.value, most)
		}
	}
	switch {
	case sc.Length < AnyLength:
		return sc, fmt.Errorf("invalid packet length %d: want a number of flits, or 0 for whole packets", sc.Length)
	case !sc.Flits() && (sc.Elastic || sc.Shared):
		return sc, errors.New("elastic packets and shared channels need a packet length")
	case sc.Flits() && n.parts.Switching != Wormhole:
		return sc, fmt.Errorf("a packet length needs wormhole switching, not %s", n.parts.Switching)
	case sc.Flits() && sc.Bubble > 1:
		return sc, errors.New("a bubble counts whole packets: it cannot be combined with a packet length")
	case sc.Packets > 0 && len(sc.Once) > 0:
		return sc, errors.New("a bound on all packets cannot be combined with a list of packets")
	case sc.Bubble > n.Capacity():
		return sc, fmt.Errorf("a bubble of %d packets never fits into a buffer of %d", sc.Bubble, n.Capacity())
	}
	for _, f := range sc.Once {
		t := n.TableOf(f.Target)
		if t == nil {
			return sc, fmt.Errorf("no node sends to node %d in class %d", f.Target.Dest, f.Target.Class)
		}
		if len(t.SourcesOf(f.Source)) == 0 {
			return sc, fmt.Errorf("node %d does not send to node %d in class %d",
				f.Source, f.Target.Dest, f.Target.Class)
		}
	}
	if sc.Flits() && n.parts.Buffer > 1 {
		sc.Elastic = true
	}
	if sc.Bubble == 1 {
		sc.Bubble = 0
	}
	return sc, nil
}
