// Package routingtest, internal to unknot, compiles networks for tests, which fail if that is impossible.
package routingtest

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TB is what *testing.T, *testing.B and *rapid.T have in common here.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Compile returns the network of a definition.
func Compile(t TB, def routing.Definition) *spec.Network {
	t.Helper()
	return Network(t)(def, nil)
}

// Network compiles what a model's New returns.
func Network(t TB) func(routing.Definition, error) *spec.Network {
	return func(def routing.Definition, err error) *spec.Network {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// OneWayRing is a ring of n nodes with links i -> i+1, link i from node i, and the only routing there is, on VC 0.
func OneWayRing(n, vcs int) routing.Definition {
	t := spec.NewTopology()
	for range n {
		t.AddNode("")
	}
	for i := range n {
		t.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID((i + 1) % n), VCs: vcs})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: t.Channel(t.OutLinks(t.Head(at))[0], 0)})
	})
	return routing.Definition{Name: "ring", Topology: t, Routing: routing.Deliver(t, next)}
}
