package routing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

func TestCompileRing(t *testing.T) {
	for n := 2; n <= 6; n++ {
		net := routingtest.Compile(t, routingtest.OneWayRing(n, 1))
		// Every channel carries packets for all n-1 nodes ahead, its own end among them.
		if got, want := net.SiteCount(), n*(n-1); got != want {
			t.Errorf("n=%d: %d sites, want %d", n, got, want)
		}
		if got, want := net.FlowCount(), n*(n-1); got != want {
			t.Errorf("n=%d: %d flows, want %d", n, got, want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	ring := routingtest.OneWayRing(3, 1)
	topo := ring.Topology
	always := func(hops ...spec.Hop) routing.Relation {
		return routing.Func(func(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) []spec.Hop { return append(dst, hops...) })
	}
	var calls atomic.Int64
	impure := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		if calls.Add(1) > 4 {
			return dst
		}
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
	})
	failing := errors.New("the relation gave up")
	tests := []struct {
		name   string
		change func(*routing.Definition)
		want   string
	}{
		{"no topology", func(d *routing.Definition) { d.Topology = nil }, "a definition needs a topology"},
		{"no nodes", func(d *routing.Definition) { d.Topology = spec.NewTopology() }, "a topology needs at least one node"},
		{"no routing", func(d *routing.Definition) { d.Routing = nil }, "a definition needs a routing relation"},
		{"wrong node", func(d *routing.Definition) { d.Routing = routing.Named("rule 7", always(spec.Hop{Channel: 0})) },
			"rule 7: hop into 0->1 vc0, which does not leave 1 (at inject 1 for 0)"},
		{"no channel", func(d *routing.Definition) { d.Routing = always(spec.Hop{Channel: 3}) },
			"compiling ring: at inject 1 for 0: hop to channel 3, but channels are numbered 0 to 2"},
		{"tag", func(d *routing.Definition) { d.Routing = always(spec.Hop{Channel: 1, Tag: 1}) },
			"compiling ring: at inject 1 for 0: hop with tag 1, but tags are 0 to 0"},
		{"impure", func(d *routing.Definition) { d.Routing = routing.Deliver(topo, impure) },
			"compiling ring: at inject 2 for 0: the relation is impure: asked twice, it permitted first 2->0 vc0, then nothing"},
		{"error", func(d *routing.Definition) { d.Routing = failingRelation{failing} }, "compiling ring: the relation gave up"},
		{"selection", func(d *routing.Definition) {
			d.Selection = &routing.Selection{Name: "wild", Commit: func(dst []spec.Hop, _ spec.ChannelID, _ spec.Header, _ []spec.Hop) []spec.Hop {
				return append(dst, spec.Hop{Channel: 2})
			}}
		}, "compiling ring: at inject 1 for 0: selection wild commits to a hop that the relation does not permit"},
		{"buffer", func(d *routing.Definition) { d.Buffer = -1 }, "a buffer of -1: must hold at least 1"},
		{"tags", func(d *routing.Definition) { d.Tags = 1 << 17 }, "131072 tags: want 1 to 65536"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			def := ring
			tt.change(&def)
			_, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type failingRelation struct{ err error }

func (f failingRelation) AppendHops(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) ([]spec.Hop, error) {
	return dst, f.err
}

// TestCompilePanics: a routing function that panics is named by the stack, and the packet that it was asked about by the
// value, in the first question as in a repetition. A value that the function chose, which a caller may wait for, stays.
func TestCompilePanics(t *testing.T) {
	broken := func(calls int64, v any) (r any) {
		d := routingtest.OneWayRing(3, 1)
		of, met := d.Routing, new(atomic.Int64)
		d.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if d.Topology.Head(at) == 2 && h.Dest == 1 && met.Add(1) == calls {
				if v == nil {
					return dst[len(dst)+int(calls):] // out of range
				}
				panic(v)
			}
			hops, err := of.AppendHops(dst, at, h)
			if err != nil {
				t.Error(err)
			}
			return hops
		})
		defer func() { r = recover() }()
		_, err := routing.Compile(context.Background(), d, routing.CompileOptions{Workers: 1})
		t.Errorf("call %d, %v: %v, want a panic", calls, v, err)
		return nil
	}
	for _, tt := range []struct {
		calls int64
		value any
		want  string
	}{
		{1, nil, "at inject 2 for 1: runtime error: slice bounds out of range"},
		{2, "no such turn", "at inject 2 for 1: no such turn"}, // the last source is asked again first
	} {
		p, is := broken(tt.calls, tt.value).(*each.Panic)
		if !is || !strings.HasPrefix(fmt.Sprint(p.Value), tt.want) || !strings.Contains(string(p.Stack), "compile_test.go") {
			t.Errorf("call %d: %v, want %q and the line of the function", tt.calls, p, tt.want)
		}
	}
	if v := broken(1, context.Canceled); v != context.Canceled {
		t.Errorf("%v, want the function's own value", v)
	}
}

func TestCompileBound(t *testing.T) {
	_, err := routing.Compile(context.Background(), routingtest.OneWayRing(20, 1), routing.CompileOptions{MaxSites: 100})
	var bound *spec.BoundError
	if !errors.As(err, &bound) {
		t.Fatalf("got %v, want a *BoundError: the ring has 380 sites", err)
	}
}

// TestCompileBoundsTargets: a pair of node and class to which nobody sends has no
// table, but Flows is called for each.
func TestCompileBoundsTargets(t *testing.T) {
	def := routingtest.OneWayRing(1<<11+1, 1)
	def.Classes = make([]string, 1<<16)
	_, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
	var bound *spec.BoundError
	if !errors.As(err, &bound) || bound.What != "pairs of node and class" {
		t.Fatalf("got %v, want a *BoundError: there are 65536 more than 2^27 pairs", err)
	}
}

func TestCompileStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := routing.Compile(ctx, routingtest.OneWayRing(5, 1), routing.CompileOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
}

// TestWorkersDoNotMatter: the tables, and so the digest, are the same for any number of
// workers.
func TestWorkersDoNotMatter(t *testing.T) {
	def := routingtest.OneWayRing(30, 2)
	want := routingtest.Compile(t, def).Digest()
	for _, workers := range []int{-1, 1, 2, 3, 8} {
		n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if n.Digest() != want {
			t.Errorf("%d workers: digest %s, want %s", workers, n.Digest(), want)
		}
	}
}

// TestSitesInCanonicalOrder: by destination, sources first, then channels; and
// every site is found again by Hops.
func TestSitesInCanonicalOrder(t *testing.T) {
	n := routingtest.Compile(t, routingtest.OneWayRing(3, 1))
	topo := n.Topology()
	var got []string
	err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		again, ok := n.Hops(s)
		if diff := cmp.Diff(hops, again); !ok || diff != "" {
			t.Errorf("Hops(%v): %v %s", s, ok, diff)
		}
		got = append(got, topo.ChannelName(s.Channel)+" for "+topo.Node(s.Header.Dest).Name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"inject 1 for 0", "inject 2 for 0", "1->2 vc0 for 0", "2->0 vc0 for 0",
		"inject 0 for 1", "inject 2 for 1", "0->1 vc0 for 1", "2->0 vc0 for 1",
		"inject 0 for 2", "inject 1 for 2", "0->1 vc0 for 2", "1->2 vc0 for 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestBoundBeforeWork: flows are sites, so a network with too many is refused without
// asking its relation.
func TestBoundBeforeWork(t *testing.T) {
	def := routingtest.OneWayRing(20, 1) // 20 * 19 flows
	for limit, asks := range map[int]bool{379: false, 380: true} {
		asked := false
		def.Routing = routing.Func(func(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) []spec.Hop {
			asked = true
			return dst
		})
		_, err := routing.Compile(context.Background(), def, routing.CompileOptions{MaxSites: limit, Workers: 1})
		if (err == nil) != asks || asked != asks {
			t.Errorf("at most %d sites: %v, asked: %v, want %v", limit, err, asked, asks)
		}
	}
}
