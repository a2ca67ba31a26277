package page_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// ring returns the one-way ring of the given number of nodes with one VC, on which every packet
// goes around to its destination: each channel waits for the
// next.
func ring(t testing.TB, nodes int, name func(i int) string) *spec.Network {
	t.Helper()
	top := spec.NewTopology()
	for i := range nodes {
		top.AddNode(name(i))
	}
	for i := range spec.NodeID(nodes) {
		top.AddLink(spec.Link{From: i, To: (i + 1) % spec.NodeID(nodes), VCs: 1})
	}
	round := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: spec.ChannelID(top.Head(at))}) // link i leaves node i
	})
	return routingtest.Compile(t, routing.Definition{Name: "ring", Topology: top, Routing: routing.Deliver(top, routing.Named("ring.star:3:5", round))})
}

func plain(int) string { return "" }

// twoWay returns the ring of three nodes with links both ways, routed only as route
// says.
func twoWay(t testing.TB, route func(top *spec.Topology, at spec.ChannelID, h spec.Header) []spec.Hop) *spec.Network {
	t.Helper()
	top := spec.NewTopology()
	for range 3 {
		top.AddNode("")
	}
	for i := range spec.NodeID(3) {
		top.AddPair(i, (i+1)%3, 1)
	}
	return routingtest.Compile(t, routing.Definition{Name: "two-way ring", Topology: top,
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			return append(dst, route(top, at, h)...)
		})})
}

// onward permits the first link that leaves a packet's node.
func onward(top *spec.Topology, at spec.ChannelID) []spec.Hop {
	return []spec.Hop{{Channel: top.Channel(top.OutLinks(top.Head(at))[0], 0)}}
}

func decided(t testing.TB, n *spec.Network) *checker.Result {
	t.Helper()
	r, err := checker.Check(context.Background(), n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func explored(t testing.TB, n *spec.Network, m states.Machine, opt checker.Question) *checker.Result {
	t.Helper()
	x, err := checker.Explore(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func traffic(t testing.TB, n *spec.Network, sc spec.Scenario) *states.Traffic {
	t.Helper()
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func written(t testing.TB, s *checker.Result, o page.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(context.Background(), &b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// stuckMachine counts to two and halts there, which nobody intended.
type stuckMachine struct {
	layout states.Layout
	count  states.Field
}

func newStuckMachine() *stuckMachine {
	m := &stuckMachine{}
	m.count = m.layout.Field("count", 4)
	return m
}

func (m *stuckMachine) Name() string                { return "counter" }
func (m *stuckMachine) Layout() *states.Layout      { return &m.layout }
func (m *stuckMachine) Start(dst []uint64) []uint64 { return append(dst, 0) }
func (m *stuckMachine) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	if m.count.Of(s) < 2 {
		dst = append(dst, s[0]+1)
	}
	return dst, nil
}
func (m *stuckMachine) Action([]uint64, int) states.Action { return states.Action{Name: "count"} }
func (m *stuckMachine) Claims() states.Claims {
	return states.Claims{Invariants: []states.Invariant{{Name: "at most one", Holds: func(s []uint64) bool { return m.count.Of(s) < 2 }}}}
}

// subjects covers every kind of evidence and fault.
func subjects(t testing.TB) map[string]*checker.Result {
	oneWay := modeltest.Network(t, "ring", nil)
	dateline := modeltest.Network(t, "ring", map[string]string{"variant": "dateline"})
	starve := traffic(t, dateline, spec.Scenario{})
	peterson := modeltest.Machine(t, "peterson", nil)
	return map[string]*checker.Result{
		"ring, no coordinates": decided(t, ring(t, 4, plain)),
		"ring":                 decided(t, oneWay),
		"escape":               decided(t, modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2"})),
		"wrap links":           decided(t, modeltest.Network(t, "torus", map[string]string{"routing": "dor"})),
		"worms, livelock":      decided(t, modeltest.Network(t, "mesh", map[string]string{"routing": "deflection"})),
		"gadget":               decided(t, modeltest.Network(t, "gadget", nil)),
		"large":                decided(t, modeltest.Network(t, "torus", map[string]string{"routing": "dor", "k": "18"})),
		"explored":             explored(t, oneWay, traffic(t, oneWay, spec.Scenario{Sink: 1}), checker.Question{}),
		"explored, closed":     explored(t, dateline, starve, checker.Question{}),
		"starvation-freedom":   explored(t, dateline, starve, checker.Question{Liveness: true}),
		"bounded":              explored(t, dateline, starve, checker.Question{MaxStates: 50}),
		"machine":              explored(t, nil, peterson, checker.Question{Liveness: true}),
		"halting machine":      explored(t, nil, newStuckMachine(), checker.Question{Explore: checker.Whole}),
		"no first hop":         decided(t, twoWay(t, func(_ *spec.Topology, at spec.ChannelID, h spec.Header) []spec.Hop { return nil })),
		"dead end": decided(t, twoWay(t, func(top *spec.Topology, at spec.ChannelID, h spec.Header) []spec.Hop {
			if at.IsInjection() {
				return onward(top, at)
			}
			return nil
		})),
		"misdelivery": decided(t, twoWay(t, func(top *spec.Topology, at spec.ChannelID, h spec.Header) []spec.Hop {
			if at.IsInjection() {
				return onward(top, at)
			}
			return []spec.Hop{{Channel: spec.Eject}}
		})),
		"trap": decided(t, twoWay(t, func(top *spec.Topology, at spec.ChannelID, h spec.Header) []spec.Hop { return onward(top, at) })),
		"unknown": func() *checker.Result {
			n := modeltest.Network(t, "gadget", map[string]string{"name": "W2"})
			r, err := checker.Check(context.Background(), n, checker.Question{Explore: checker.Never})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}(),
	}
}
