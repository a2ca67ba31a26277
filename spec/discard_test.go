package spec_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// dropping is a line 0 -> 1 -> 2 where packets from 0 to 2 may be discarded at 1.
func dropping(t *testing.T, choose func(on spec.Hop) routing.Choice) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	for _, name := range []string{"0", "1", "2"} {
		topo.AddNode(name)
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	return routingtest.Compile(t, routing.Definition{
		Topology: topo, Tags: 2, Flows: func(s, d spec.NodeID, _ spec.Class) bool { return s == 0 && d > s },
		Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
			if p.Node == 0 {
				return routing.Adaptive(spec.Hop{Channel: 0})
			}
			return choose(spec.Hop{Channel: 1})
		}},
	})
}

// TestDiscardFillsNoSink: a packet that is discarded leaves its channel even where the sink is full, and is not held there.
func TestDiscardFillsNoSink(t *testing.T) {
	n := dropping(t, func(on spec.Hop) routing.Choice { return routing.Adaptive(on, spec.Discard()) })
	traffic, err := n.Traffic(spec.Scenario{Sink: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := traffic.Empty()
	near, far := spec.Header{Dest: 1}, spec.Header{Dest: 2}
	for i, m := range []spec.Move{
		{From: spec.Injection(0), Header: near, Hop: spec.Hop{Channel: 0}}, {Header: near, Hop: spec.Hop{Channel: spec.Eject}},
		{From: spec.Injection(0), Header: far, Hop: spec.Hop{Channel: 0}}, {Header: far, Hop: spec.Discard()},
	} {
		if err := traffic.Apply(&s, m); err != nil {
			t.Fatalf("move %d: %v", i+1, err)
		}
	}
	if s.Sinks[1] != 1 || len(s.Channels[0]) != 0 {
		t.Errorf("the sink of 1 holds %d packets and the channel %d, want 1 (that arrived) and 0", s.Sinks[1], len(s.Channels[0]))
	}
}

// TestDiscardInClosedForm: a network that discards is written in version 2, and read again; version 1 knows no discard.
func TestDiscardInClosedForm(t *testing.T) {
	for _, choose := range []func(spec.Hop) routing.Choice{
		func(on spec.Hop) routing.Choice { return routing.Adaptive(on, spec.Discard()) },
		func(on spec.Hop) routing.Choice { return routing.Oblivious(routing.Adaptive(on), routing.Discard()) },
		func(spec.Hop) routing.Choice { return routing.Discard() },
	} {
		n := dropping(t, choose)
		var text bytes.Buffer
		if err := spec.WriteClosed(&text, n); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), "unknot-network-2") || !strings.Contains(text.String(), "-1,1") {
			t.Fatalf("no discard in version 2:\n%s", text.String())
		}
		back, err := spec.ReadClosed(context.Background(), "n.json", text.Bytes())
		if err != nil || back.Digest() != n.Digest() || !back.Discards() {
			t.Errorf("read again: %v\n%s", err, text.String())
		}
	}
	var text bytes.Buffer
	if err := spec.WriteClosed(&text, dropping(t, func(on spec.Hop) routing.Choice { return routing.Adaptive(on) })); err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(text.String(), "[-1,0]", "[-1,1]", 1)
	if _, err := spec.ReadClosed(context.Background(), "n.json", []byte(forged)); err == nil || !strings.Contains(err.Error(), "version 1") {
		t.Errorf("a discard in version 1: %v, want it refused\n%s", err, forged)
	}
}
