package routing_test

import (
	"bytes"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestFromNetwork: the definition made from a network's tables compiles to the same
// network, reasons included; with another switching, to one that differs only in that.
func TestFromNetwork(t *testing.T) {
	def := routingtest.OneWayRing(5, 2)
	def.Classes, def.Origin = []string{"request", "reply"}, "a test"
	def.Selection = &routing.Selection{Name: "first"}
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return c == 0 || src < dst }
	n := routingtest.Compile(t, def)
	again := routingtest.Compile(t, routing.FromNetwork(n))
	if n.Digest() != again.Digest() || again.Origin() != "a test" {
		t.Errorf("digest %s from %v, want %s", again.Digest(), again.Origin(), n.Digest())
	}
	at := spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1}}
	hops, _ := n.Hops(at)
	if got, want := again.Reason(at, hops[0]), n.Reason(at, hops[0]); got != want {
		t.Errorf("reason %v, want %v", got, want)
	}
	other := routing.FromNetwork(n)
	other.Switching = spec.Wormhole
	var a, b bytes.Buffer
	if err := spec.WriteClosed(&a, n); err != nil {
		t.Fatal(err)
	}
	if err := spec.WriteClosed(&b, routingtest.Compile(t, other)); err != nil {
		t.Fatal(err)
	}
	if want := bytes.Replace(a.Bytes(), []byte("store-and-forward"), []byte("wormhole"), 1); !bytes.Equal(want, b.Bytes()) {
		t.Errorf("with other switching:\n%s\nwant\n%s", b.String(), want)
	}
}

// TestFromNetworkOfReplies: a transaction may end where it began, and is kept.
func TestFromNetworkOfReplies(t *testing.T) {
	def := routingtest.OneWayRing(3, 1)
	def.Classes = []string{"request", "reply"}
	def.Replies = []routing.Reply{{Request: 0, Reply: 1}}
	n := routingtest.Compile(t, def)
	if again := routingtest.Compile(t, routing.FromNetwork(n)); n.Digest() != again.Digest() || n.FlowCount() == 0 {
		t.Errorf("%d flows, want the %d of the network", again.FlowCount(), n.FlowCount())
	}
}
