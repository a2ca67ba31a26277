package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// WriteITF writes a trace or run in the Informal Trace Format of Apalache (Konnov,
// ADR-015, 2021), which Quint and the trace viewers read, too. An error means that it does not replay, or comes from w.
//
// The traffic of a network has the variables "action" (a string: the step that led to
// the state), "channels" (a map from the name of each channel that is ever occupied to
// the list of its packets, first in first; a packet has the key "alternative" where some packets are committed, from 1,
// and 0 where there is one) and, if sinks do not drain at once, "sinks"
// (a map from nodes to packets held). Any other machine has "action" and its own
// fields. Numbers are big integers, as Apalache writes them. An infinite execution has
// the key "loop"; its last state repeats the one that the loop begins with.
func WriteITF(w io.Writer, e evidence.Evidence) error {
	x, err := executionOf(e)
	if err != nil {
		return err
	}
	return writeITF(w, x)
}

// executionOf follows a trace or run, and refuses other evidence.
func executionOf(e evidence.Evidence) (*explain.Execution, error) {
	x, err := explain.Follow(e)
	if err == nil && x == nil {
		err = fmt.Errorf("%s is no trace", e.Kind())
	}
	return x, err
}

func writeITF(w io.Writer, x *explain.Execution) error {
	all, err := x.States()
	if err != nil {
		return err
	}
	t, network := x.Machine.(*states.Traffic)
	var vars []string
	var value func(s []uint64) []any
	if network {
		vars, value = trafficITF(t, occupied(t, all))
	} else {
		vars, value = fieldsITF(x.Machine.Layout().Fields())
	}
	vars = append([]string{"action"}, vars...)
	out := object{
		{"#meta", object{
			{"format", "ITF"},
			{"format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"},
			{"source", x.Machine.Name()},
			{"description", fmt.Sprintf("%s violated: %s", evidence.Freedom(x.Property), x.Fault)},
		}},
		{"vars", vars},
		{"loop", unlessNegative(x.Back)},
	}
	var states []any
	for i, s := range all {
		action := "start"
		if i > 0 {
			action = x.Steps[i-1].Action
		}
		state := object{{"#meta", object{{"index", i}}}, {"action", action}}
		for k, v := range value(s) {
			state = append(state, member{vars[k+1], v})
		}
		states = append(states, state)
	}
	return writeIndented(w, append(out, member{"states", states}))
}

// trafficITF returns the variables of a network's traffic and their values in a state.
func trafficITF(t *states.Traffic, channels []spec.ChannelID) ([]string, func([]uint64) []any) {
	n := t.Network()
	topo, vars := n.Topology(), []string{"channels"}
	if t.Sinks() != nil {
		vars = append(vars, "sinks")
	}
	return vars, func(s []uint64) []any {
		o := t.Decode(s)
		in := [][2]any{}
		for _, c := range channels {
			packets := []any{}
			for _, p := range o.Channels[c] {
				packet := object{
					{"dest", topo.Node(p.Header.Dest).Name},
					{"class", bigint(uint64(p.Header.Class))},
					{"tag", bigint(uint64(n.OwnTag(p.Header.Tag)))},
					{"flits", bigint(uint64(p.Flits))},
					{"head_left", p.Left},
				}
				if n.Alternatives() > 0 {
					k, _ := n.Committed(spec.Site{Channel: c, Header: p.Header})
					packet = append(packet, member{"alternative", bigint(uint64(k))})
				}
				packets = append(packets, packet)
			}
			in = append(in, [2]any{topo.ChannelName(c), packets})
		}
		values := []any{object{{"#map", in}}}
		if t.Sinks() != nil {
			sinks := [][2]any{}
			for v, held := range o.Sinks {
				sinks = append(sinks, [2]any{topo.Node(spec.NodeID(v)).Name, bigint(uint64(held))})
			}
			values = append(values, object{{"#map", sinks}})
		}
		return values
	}
}

// occupied lists the channels that hold packets in some state, ascending.
func occupied(t *states.Traffic, states [][]uint64) []spec.ChannelID {
	in := make([]bool, t.Network().Topology().Channels())
	for _, s := range states {
		for c, pieces := range t.Decode(s).Channels {
			in[c] = in[c] || len(pieces) > 0
		}
	}
	var out []spec.ChannelID
	for c, occupied := range in {
		if occupied {
			out = append(out, spec.ChannelID(c))
		}
	}
	return out
}

// fieldsITF returns a machine's fields as variables. A field that can write its
// values is a string, any other a number.
func fieldsITF(fields []states.Field) ([]string, func([]uint64) []any) {
	used := map[string]bool{"action": true}
	var vars []string
	for _, f := range fields {
		name := strings.TrimLeft(f.Name, "#") // names with # are reserved by the format
		for i := 2; name == "" || used[name]; i++ {
			name = strings.TrimLeft(f.Name, "#") + "_" + strconv.Itoa(i)
		}
		used[name] = true
		vars = append(vars, name)
	}
	return vars, func(s []uint64) []any {
		values := make([]any, len(fields))
		for i, f := range fields {
			if f.Show != nil {
				values[i] = f.Text(s)
			} else {
				values[i] = bigint(f.Of(s))
			}
		}
		return values
	}
}

func bigint(v uint64) object { return object{{"#bigint", strconv.FormatUint(v, 10)}} }
