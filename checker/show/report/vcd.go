package report

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// WriteVCD writes a trace or run as a value change dump (IEEE Std 1364-2005, clause 18), which waveform viewers show.
// An error means that it does not replay, or comes from w. Time is the number of the move; one extra tick ends the
// dump, so that the last state can be seen.
//
// The traffic of a network has a signal for every channel that is ever occupied: the
// number of its packets, or of flits if messages move flit by flit. One more counts the
// packets or flits in flight, and each sink that does not drain at once has its own. Any
// other machine has a signal for each of its fields. Names that Verilog does not allow
// are given in comments.
func WriteVCD(w io.Writer, e evidence.Evidence) error {
	x, err := executionOf(e)
	if err != nil {
		return err
	}
	return writeVCD(w, x)
}

func writeVCD(w io.Writer, x *explain.Execution) error {
	all, err := x.States()
	if err != nil {
		return err
	}
	signals, values := fieldSignals(x.Machine.Layout().Fields())
	if t, network := x.Machine.(*states.Traffic); network {
		signals, values = trafficSignals(t, all)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "$version unknot $end\n$comment %s $end\n$comment %s violated: %s $end\n",
		vcdText(x.Machine.Name()), vcdText(evidence.Freedom(x.Property)), vcdText(x.Fault))
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
	var last []uint64
	for time, state := range all {
		fmt.Fprintf(b, "#%d\n", time)
		if time == 0 {
			b.WriteString("$dumpvars\n")
		} else {
			fmt.Fprintf(b, "$comment %s $end\n", vcdText(x.Steps[time-1].Action))
		}
		now := values(state)
		for i, v := range now {
			switch {
			case time > 0 && v == last[i]:
			case signals[i].width == 1:
				fmt.Fprintf(b, "%d%s\n", v, vcdCode(i))
			default:
				fmt.Fprintf(b, "b%b %s\n", v, vcdCode(i))
			}
		}
		last = now
		if time == 0 {
			b.WriteString("$end\n")
		}
	}
	fmt.Fprintf(b, "#%d\n", len(all))
	return b.Flush()
}

// signal is one waveform.
type signal struct {
	name    string // a Verilog identifier
	meaning string // its name in the network or machine
	width   int    // in bits
}

// trafficSignals returns the signals of a network's traffic, and a function for their
// values in a state.
func trafficSignals(t *states.Traffic, all [][]uint64) ([]signal, func(state []uint64) []uint64) {
	topo, channels, sinks := t.Network().Topology(), occupied(t, all), t.Sinks()
	values := func(state []uint64) []uint64 {
		o := t.Decode(state)
		out := make([]uint64, 1, 1+len(channels)+len(sinks)) // first what is in flight, over all channels
		for _, c := range channels {
			var flits uint64
			for _, p := range o.Channels[c] {
				flits += uint64(p.Flits)
			}
			out[0] += flits
			out = append(out, flits)
		}
		for _, f := range sinks {
			out = append(out, f.Of(state))
		}
		return out
	}
	// No signal is wider than its largest value.
	signals := []signal{{name: "in_flight", meaning: "in_flight"}}
	for _, c := range channels {
		name := topo.ChannelName(c)
		signals = append(signals, signal{name: fmt.Sprintf("c%d_%s", c, identifier(name)), meaning: name})
	}
	for v := range sinks {
		name := topo.Node(spec.NodeID(v)).Name
		signals = append(signals, signal{
			name:    fmt.Sprintf("sink%d_%s", v, identifier(name)),
			meaning: "the sink of " + name,
		})
	}
	most := make([]uint64, len(signals))
	for _, s := range all {
		for i, v := range values(s) {
			most[i] = max(most[i], v)
		}
	}
	for i := range signals {
		signals[i].width = width(most[i])
	}
	return signals, values
}

func fieldSignals(fields []states.Field) ([]signal, func(state []uint64) []uint64) {
	var signals []signal
	for i, f := range fields {
		signals = append(signals, signal{fmt.Sprintf("f%d_%s", i, identifier(f.Name)), f.Name, width(f.Values - 1)})
	}
	return signals, func(state []uint64) []uint64 {
		var out []uint64
		for _, f := range fields {
			out = append(out, f.Of(state))
		}
		return out
	}
}

// width returns the number of bits of a signal with values up to most.
func width(most uint64) int { return max(1, bits.Len64(most)) }

// vcdCode returns the identifier code of signal i: printable characters, as few
// as possible.
func vcdCode(i int) string {
	const first, count = '!', '~' - '!' + 1
	code := []byte{byte(first + i%count)}
	for i /= count; i > 0; i /= count {
		i--
		code = append(code, byte(first+i%count))
	}
	return string(code)
}

// identifier keeps the parts of a name that a Verilog identifier may have.
func identifier(name string) string {
	words := strings.FieldsFunc(strings.ReplaceAll(name, "->", " to "), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "_")
}

// vcdText keeps a text from ending its command.
func vcdText(s string) string { return oneLine(strings.ReplaceAll(s, "$", "$ ")) }
