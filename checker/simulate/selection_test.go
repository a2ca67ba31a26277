package simulate

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestLookAhead: CCB at (0,0) for (1,1), step by step as in section 3.2 of the paper: with at most one VC of x
// free, y. With two or three: the dimension whose next node had more free VCs a clock ago; on a tie, y.
func TestLookAhead(t *testing.T) {
	n := modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2"})
	topo := n.Topology()
	channel := func(from, to string, vc int) spec.ChannelID {
		a, _ := topo.NodeNamed(from)
		b, _ := topo.NodeNamed(to)
		return topo.Channel(topo.LinksBetween(a, b)[0], vc)
	}
	const ch, ca, cf = 0, 1, 2
	x := func(vc int) spec.ChannelID { return channel("(0,0)", "(1,0)", vc) }
	y, ahead := channel("(0,0)", "(0,1)", cf), channel("(0,1)", "(1,1)", ch)
	for name, tt := range map[string]struct {
		taken, justTaken []spec.ChannelID
		want             spec.ChannelID
	}{
		"all free, a tie":              {nil, nil, y},
		"one free in x":                {[]spec.ChannelID{x(ch), x(ca), ahead}, nil, y},
		"two free in x, y worse ahead": {[]spec.ChannelID{x(cf), ahead}, nil, x(ch)},
		"strictest of x":               {[]spec.ChannelID{x(ch), ahead}, nil, x(ca)},
		"worse only since this clock":  {nil, []spec.ChannelID{ahead}, y},
		"y taken":                      {[]spec.ChannelID{y}, nil, x(ch)},
	} {
		ccb, _ := Function("ccb")
		e, err := newEngine(n, Options{Load: 1, Lengths: flits(1), Clocks: 10, Select: ccb})
		if err != nil {
			t.Fatal(err)
		}
		e.now = 5
		for _, c := range tt.taken {
			e.lanes[c].owner = 0
		}
		for _, c := range tt.justTaken {
			e.turned(int32(c), 0, true)
			e.lanes[c].owner = 0
		}
		source, _ := topo.NodeNamed("(0,0)")
		dest, _ := topo.NodeNamed("(1,1)")
		permitted, _ := n.Hops(spec.Site{Channel: spec.Injection(source), Header: spec.Header{Dest: dest}})
		v := e.view
		v.now, v.Node, v.Target, v.Permitted = e.now, source, spec.Target{Dest: dest}, permitted
		for i := range n.Tables() {
			if n.Table(i).Dest == dest {
				v.table = int32(i)
			}
		}
		var free []spec.Hop
		for _, h := range permitted {
			if v.Free(h.Channel) {
				free = append(free, h)
			}
		}
		if got := free[e.selector.Choose(&v, free)].Channel; got != tt.want {
			t.Errorf("%s: chose %s, want %s", name, topo.ChannelName(got), topo.ChannelName(tt.want))
		}
	}
}
