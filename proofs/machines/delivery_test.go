package machines_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestDelivered: 0 -> 1 -> 2, where 0 sends to 2 in three classes. Packets of the first may arrive, or
// go back to 0; those of the second end at 1; those of the third may eject at 1 or continue. No state
// with a packet of the last two is safe, wherever in its queue it is.
func TestDelivered(t *testing.T) {
	const good, ends, astray = 0, 1, 2
	for _, tt := range []struct {
		name   string
		first  bool         // whether packets of the first class have a first hop
		places []spec.Class // of 0 -> 1
		want   string
	}{
		{"nothing under way", true, nil, ""},
		{"packets that arrive", true, []spec.Class{good, good}, ""},
		{"a packet at its dead end", true, []spec.Class{ends}, "cannot reach its destination"},
		{"the same behind another", true, []spec.Class{good, ends}, "cannot reach its destination"},
		{"a packet that may leave elsewhere", true, []spec.Class{astray}, "may eject elsewhere"},
		{"the same behind another", true, []spec.Class{good, astray}, "may eject elsewhere"},
		{"nobody has injected what has no first hop", false, nil, "has no first hop"},
	} {
		topo := spec.NewTopology()
		for range 3 {
			topo.AddNode("")
		}
		topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
		topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
		topo.AddLink(spec.Link{From: 1, To: 0, VCs: 1})
		n, err := routing.Compile(t.Context(), routing.Definition{Name: "three ends", Topology: topo, Buffer: 2, Classes: []string{"good", "ends", "astray"},
			Flows: func(from, to spec.NodeID, _ spec.Class) bool { return from == 0 && to == 2 },
			Routing: routing.Named("three", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				switch node := topo.Head(at); {
				case node == 2:
					return append(dst, spec.Hop{Channel: spec.Eject})
				case node == 1 && h.Class == ends || node == 0 && h.Class == good && !tt.first:
					return dst
				case node == 1 && h.Class == good:
					return append(dst, spec.Hop{Channel: 1}, spec.Hop{Channel: 2})
				case node == 1 && h.Class == astray:
					return append(dst, spec.Hop{Channel: spec.Eject}, spec.Hop{Channel: 1})
				default:
					return append(dst, spec.Hop{Channel: spec.ChannelID(node)})
				}
			}))}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		safe, err := machines.Safe(m, "delivery")
		if err != nil {
			t.Fatal(err)
		}
		_, err = machines.Safe(m, "livelock-freedom")
		refusal(t, err, `no invariant "livelock-freedom"`) // delivery is not another property
		s := m.Start(nil)
		for i, class := range tt.places {
			m.Queue(0).FieldAt(i).Put(s, uint64(class)+1) // headers stand in the order of the classes
		}
		m.Queue(1).FieldAt(0).Put(s, 2) // a packet of the third class has gone on: it arrives
		t.Run(tt.name, func(t *testing.T) { refusal(t, safe(s, nil), tt.want) })
		free, err := machines.Safe(m, "deadlock-freedom")
		if err != nil {
			t.Fatal(err)
		}
		refusal(t, free(s, nil), "") // whatever is lost, nothing waits
	}
}
