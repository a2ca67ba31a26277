package report

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// WriteVCD writes an execution as a value change dump (IEEE Std 1364-2005,
// clause 18), which waveform viewers show. Time is the number of the move; one
// tick more ends the dump, so that the last state can be seen.
//
// The traffic of a network has a signal for every channel that is ever occupied
// (the number of its packets, flits where messages are moved flit by flit), one
// for the packets or flits in flight, and one for each sink that does not drain
// at once. Any other machine has a signal for each of its fields. Names that
// Verilog does not allow are told in comments.
func WriteVCD(w io.Writer, x *Execution) error {
	signals := fieldSignals(x.machine.Layout().Fields())
	if t, network := x.machine.(*spec.Traffic); network {
		signals = x.trafficSignals(t)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "$version unknot $end\n$comment %s $end\n$comment %s violated: %s $end\n", vcdText(x.machine.Name()), vcdText(x.property), vcdText(x.fault))
	for _, s := range signals {
		if s.meaning != s.name {
			fmt.Fprintf(b, "$comment %s is %s $end\n", s.name, vcdText(s.meaning))
		}
	}
	b.WriteString("$timescale 1 ns $end\n$scope module unknot $end\n")
	for i, s := range signals {
		fmt.Fprintf(b, "$var wire %d %s %s $end\n", s.width, vcdCode(i), s.name)
	}
	b.WriteString("$upscope $end\n$enddefinitions $end\n")
	last := make([]uint64, len(signals))
	for time, state := range x.states {
		fmt.Fprintf(b, "#%d\n", time)
		if time == 0 {
			b.WriteString("$dumpvars\n")
		} else {
			fmt.Fprintf(b, "$comment %s $end\n", vcdText(x.action(time)))
		}
		for i, s := range signals {
			v := s.value(state)
			if time > 0 && v == last[i] {
				continue
			}
			last[i] = v
			if s.width == 1 {
				fmt.Fprintf(b, "%d%s\n", v, vcdCode(i))
			} else {
				fmt.Fprintf(b, "b%b %s\n", v, vcdCode(i))
			}
		}
		if time == 0 {
			b.WriteString("$end\n")
		}
	}
	fmt.Fprintf(b, "#%d\n", len(x.states))
	return b.Flush()
}

// signal is one waveform.
type signal struct {
	name    string // a Verilog identifier
	meaning string // its name in the network or machine
	width   int    // in bits
	value   func(state []uint64) uint64
}

func (x *Execution) trafficSignals(t *spec.Traffic) []signal {
	topo := t.Network().Topology()
	flits := func(pieces []spec.Piece) (sum uint64) {
		for _, p := range pieces {
			sum += uint64(p.Flits)
		}
		return sum
	}
	// Occupancies are counted in every state first, to know how wide they get.
	channels := x.occupied(t)
	most, total := uint64(t.Capacity()), uint64(0)
	for _, s := range x.states {
		var sum uint64
		for _, pieces := range t.Decode(s).Channels {
			sum += flits(pieces)
			most = max(most, flits(pieces))
		}
		total = max(total, sum)
	}
	signals := []signal{{"in_flight", "in_flight", width(total), func(s []uint64) (sum uint64) {
		for _, pieces := range t.Decode(s).Channels {
			sum += flits(pieces)
		}
		return sum
	}}}
	for _, c := range channels {
		name := topo.ChannelName(c)
		signals = append(signals, signal{fmt.Sprintf("c%d_%s", c, identifier(name)), name, width(most), func(s []uint64) uint64 {
			return flits(t.Decode(s).Channels[c])
		}})
	}
	for v, f := range t.Sinks() {
		name := topo.Node(spec.NodeID(v)).Name
		signals = append(signals, signal{fmt.Sprintf("sink%d_%s", v, identifier(name)), "the sink of " + name, width(f.Values - 1), f.Of})
	}
	return signals
}

func fieldSignals(fields []spec.Field) []signal {
	var signals []signal
	for i, f := range fields {
		signals = append(signals, signal{fmt.Sprintf("f%d_%s", i, identifier(f.Name)), f.Name, width(f.Values - 1), f.Of})
	}
	return signals
}

// width returns the number of bits of a signal with values up to most.
func width(most uint64) int { return max(1, bits.Len64(most)) }

// vcdCode returns the identifier code of signal i: printable characters, as
// short as can be.
func vcdCode(i int) string {
	const first, count = '!', '~' - '!' + 1
	code := []byte{byte(first + i%count)}
	for i /= count; i > 0; i /= count {
		i--
		code = append(code, byte(first+i%count))
	}
	return string(code)
}

// identifier keeps of a name what may stand in a Verilog identifier.
func identifier(name string) string {
	words := strings.FieldsFunc(strings.ReplaceAll(name, "->", " to "), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "_")
}

// vcdText keeps a text from ending its command.
func vcdText(s string) string { return oneLine(strings.ReplaceAll(s, "$", "$ ")) }
