package spec_test

import (
	"context"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// oneWayRing is a ring of n nodes with links i -> i+1 and the only routing there is.
func oneWayRing(n, vcs int) spec.Definition {
	t := spec.NewTopology()
	for range n {
		t.AddNode("")
	}
	for i := range n {
		t.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID((i + 1) % n), VCs: vcs})
	}
	next := spec.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: t.Channel(t.Out(t.Head(at))[0], 0)})
	})
	return spec.Definition{Name: "ring", Topology: t, Routing: spec.Deliver(t, next)}
}

func compile(t testing.TB, def spec.Definition) *spec.Network {
	t.Helper()
	n, err := spec.Compile(context.Background(), def, spec.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCompileRing(t *testing.T) {
	for n := 2; n <= 6; n++ {
		net := compile(t, oneWayRing(n, 1))
		// Every channel carries packets for all n-1 nodes ahead, its own end among them.
		if got, want := net.SiteCount(), n*(n-1); got != want {
			t.Errorf("n=%d: %d sites, want %d", n, got, want)
		}
		if got, want := net.FlowCount(), n*(n-1); got != want {
			t.Errorf("n=%d: %d flows, want %d", n, got, want)
		}
	}
}
