package routing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// plain hides everything that a relation can tell except its answers.
type plain struct{ routing.Relation }

// drawnHops gives answers by node, target and tag: hops that leave the node.
type drawnHops struct {
	t    *spec.Topology
	tags int
	seed uint64
}

func (d drawnHops) hops(dst []spec.Hop, v spec.NodeID, about ...uint64) []spec.Hop {
	x := d.seed ^ uint64(v)
	for _, a := range about {
		x = (x ^ a) * 0x9e3779b97f4a7c15
		x ^= x >> 31
	}
	for _, l := range d.t.OutLinks(v) {
		if x&1 == 1 || len(d.t.OutLinks(v)) == 1 {
			dst = append(dst, spec.Hop{Channel: d.t.Channel(l, int(x>>1&1)), Tag: spec.Tag(int(x>>2&7) % d.tags)})
		}
		x >>= 5
	}
	return dst
}

func drawnTopology(t *rapid.T) *spec.Topology {
	topo := spec.NewTopology()
	n := rapid.IntRange(2, 7).Draw(t, "nodes")
	for v := range n {
		topo.AddNode(string(rune('a'+v)), v)
	}
	for v := range n {
		topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % n), VCs: 2})
	}
	for range rapid.IntRange(0, 6).Draw(t, "more links") {
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		topo.AddLink(spec.Link{From: spec.NodeID(from), To: spec.NodeID((from + rapid.IntRange(1, n-1).Draw(t, "by")) % n), VCs: 2})
	}
	return topo
}

// stretches gives equal answers for stretches of destinations, by channel and tag.
type stretches struct {
	drawnHops
	length spec.NodeID
}

func (s stretches) of(h spec.Header) uint64 { return uint64(h.Dest/s.length)<<16 | uint64(h.Class) }

func (s stretches) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return s.hops(dst, s.t.Head(at), uint64(int64(at)), s.of(h), uint64(h.Tag)), nil
}

func (s stretches) AppendHopsLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, routing.Scope, error) {
	hops, err := s.AppendHops(dst, at, h)
	return hops, routing.Scope{Like: s.of(h)}, err
}

// Repeats panics if the target before did not have the answer.
func (s stretches) Repeats(like any, _ spec.ChannelID, was, now spec.Header) bool {
	if like != s.of(was) || was.Tag != now.Tag {
		panic(fmt.Sprintf("the answer for stretch %v is taken for that of %v", like, was))
	}
	return like == s.of(now)
}

// halfByNode are stretches that look at even nodes, not at the channel or the tag, and say so. Only at every fourth node
// are they known for other targets, too.
type halfByNode struct{ stretches }

func (s halfByNode) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	if v := s.t.Head(at); v%2 == 0 {
		return s.hops(dst, v, s.of(h)), nil
	}
	return s.stretches.AppendHops(dst, at, h)
}

func (s halfByNode) AppendHopsLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, routing.Scope, error) {
	hops, err := s.AppendHops(dst, at, h)
	scope := routing.Scope{ByNode: s.t.Head(at)%2 == 0}
	if s.t.Head(at)%4 < 2 {
		scope.Like = s.of(h)
	}
	return hops, scope, err
}

// sorts are stretches that say so by kinds, which change between calls, and are
// sometimes unavailable. The kind of a target rotates with the number of the place.
type sorts struct {
	stretches
	classes int
	asked   *atomic.Int64
	kinds   *[3]*routing.Kinds // two of the same meaning, and none
}

func sortsOf(d drawnHops, length spec.NodeID, classes int) sorts {
	s := sorts{stretches{d, length}, classes, new(atomic.Int64), new([3]*routing.Kinds)}
	places, targets := d.t.Channels()*d.tags+d.t.Nodes(), d.t.Nodes()*classes
	for i := range 2 {
		part := routing.KindPart{}
		for t := range targets {
			part.Target = append(part.Target, int32(t/classes/int(length)*classes+t%classes))
		}
		for p := range places {
			part.Place = append(part.Place, int32(p%3*targets))
		}
		for p := range 3 {
			for t := range targets {
				part.Value = append(part.Value, int32((t+p+i)%targets))
			}
		}
		s.kinds[i] = &routing.Kinds{Count: targets, Parts: []routing.KindPart{part}}
	}
	return s
}

func (s sorts) Kinds() *routing.Kinds { return s.kinds[s.asked.Add(1)/4%3] }

// TestSharedAnswersAreThoseOfEachSite: tables do not depend on what a relation says
// about its answers, alone and composed.
func TestSharedAnswersAreThoseOfEachSite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topo := drawnTopology(t)
		d := drawnHops{topo, rapid.IntRange(1, 3).Draw(t, "tags"), rapid.Uint64().Draw(t, "seed")}
		nodes := routing.NodeFunc{Topology: topo, Hops: func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
			return d.hops(dst, v, uint64(h.Dest), uint64(h.Class), uint64(h.Tag))
		}}
		all := []routing.Relation{
			nodes, routing.Deliver(topo, routing.Named("n", nodes)), routing.Deliver(topo, routing.Union(nodes, nodes)),
			stretches{d, 3}, routing.Deliver(topo, stretches{d, 2}), routing.Deliver(topo, routing.Union(nodes, stretches{d, 2})),
		}
		def := routing.Definition{Topology: topo, Tags: d.tags, Classes: []string{"x", "y"}[:rapid.IntRange(1, 2).Draw(t, "classes")]}
		if rapid.Bool().Draw(t, "some flows") { // so that a node sends for one target and not for the next
			def.Flows = func(src, dest spec.NodeID, class spec.Class) bool {
				return (d.seed^uint64(src)<<8^uint64(dest)<<4^uint64(class))*0x9e3779b97f4a7c15>>60&1 == 1
			}
		}
		sorted := sortsOf(d, 2, len(def.Classes))
		all = append(all, sorted, routing.Deliver(topo, sorted), halfByNode{stretches{d, 2}},
			routing.Deliver(topo, halfByNode{stretches{d, 3}}))
		for i, r := range all {
			var digests []spec.Digest
			for _, def.Routing = range []routing.Relation{r, plain{r}} {
				n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: rapid.IntRange(1, 2).Draw(t, "workers")})
				if err != nil {
					t.Fatal(err)
				}
				digests = append(digests, n.Digest())
			}
			if digests[0] != digests[1] {
				t.Fatalf("relation %d: digest %s, of each site %s", i, digests[0], digests[1])
			}
		}
	})
}

// wrongly says that every answer repeats.
type wrongly struct{ stretches }

func (wrongly) Repeats(any, spec.ChannelID, spec.Header, spec.Header) bool { return true }

// wronglyByNode says that every answer is that of all channels to the node.
type wronglyByNode struct{ stretches }

func (s wronglyByNode) AppendHopsLike(
	dst []spec.Hop, at spec.ChannelID, h spec.Header,
) ([]spec.Hop, routing.Scope, error) {
	hops, err := s.AppendHops(dst, at, h)
	return hops, routing.Scope{ByNode: true}, err
}

// twoAnswers looks at the channel, but says that it looks at the node.
type twoAnswers struct{ stretches }

func (twoAnswers) ByNode() bool { return true }

// TestWronglySharedAnswersAreRefused: they are found when AppendHops is called again.
func TestWronglySharedAnswersAreRefused(t *testing.T) {
	topo := spec.NewTopology()
	for v := range 4 {
		topo.AddNode(string(rune('a'+v)), v)
	}
	for v := range 4 {
		for by := 1; by < 4; by++ {
			topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + by) % 4), VCs: 2})
		}
	}
	honest := stretches{drawnHops{topo, 1, 1}, 1}
	sorted := sortsOf(honest.drawnHops, 2, 1)
	sorted.length = 1 // less than its kinds say
	for name, r := range map[string]routing.Relation{"repeats": wrongly{honest}, "sorted": sorted, "by node": twoAnswers{honest},
		"each by node": wronglyByNode{honest}, "honest": honest} {
		_, err := routing.Compile(context.Background(), routing.Definition{Topology: topo, Routing: r}, routing.CompileOptions{Workers: 1})
		if refused := err != nil && strings.Contains(err.Error(), "impure"); refused != (name != "honest") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBoundBySample: each node sends to the one behind it, all the way round, so that
// flows are few and sites many. A bound far below the number of sites is met before the
// work; one that is not is met where it is reached.
func TestBoundBySample(t *testing.T) {
	const nodes = 1024
	def := routingtest.OneWayRing(nodes, 1)
	ring, asked := def.Routing, 0
	def.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		asked++
		dst, _ = ring.AppendHops(dst, at, h)
		return dst
	})
	def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return src == (dst+1)%nodes }
	for limit, sampled := range map[int]bool{nodes * nodes / 2: true, nodes*nodes - 1: false} {
		asked = 0
		_, err := routing.Compile(context.Background(), def, routing.CompileOptions{MaxSites: limit, Workers: 1})
		var bound *spec.BoundError
		if !errors.As(err, &bound) || strings.Contains(bound.What, "sample") != sampled || sampled && asked > nodes*nodes/10 {
			t.Errorf("at most %d sites: %v, after %d questions", limit, err, asked)
		}
	}
	for budget, sampled := range map[int64]bool{4 * nodes * nodes: true, 0: false} {
		asked = 0
		_, err := routing.Compile(context.Background(), def, routing.CompileOptions{Memory: budget, Workers: 1})
		if up := new(routing.BudgetError); errors.As(err, &up) != sampled || sampled && asked > nodes*nodes/10 {
			t.Errorf("%d bytes: %v, after %d questions", budget, err, asked)
		}
	}
}

// TestSampleOfOtherTables: few nodes are targets, regularly spaced or side by side, or all
// in one class of two. What fits into the bound is compiled, although equal steps through
// the targets would meet an unrepresentative sample of tables.
func TestSampleOfOtherTables(t *testing.T) {
	const nodes = 512
	for i, sends := range []func(dst spec.NodeID, c spec.Class) bool{
		func(dst spec.NodeID, _ spec.Class) bool { return dst%16 == 0 },
		func(dst spec.NodeID, _ spec.Class) bool { return dst%17 == 0 },
		func(dst spec.NodeID, c spec.Class) bool { return dst < 8 },
		func(_ spec.NodeID, c spec.Class) bool { return c == 0 },
		func(_ spec.NodeID, c spec.Class) bool { return c == 1 },
	} {
		def := routingtest.OneWayRing(nodes, 1)
		def.Classes = []string{"a", "b"}
		def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return src == (dst+1)%nodes && sends(dst, c) }
		n := routingtest.Compile(t, def)
		sites := n.SiteCount() + n.FlowCount()
		for limit, fits := range map[int]bool{sites: true, sites - 1: false} {
			if _, err := routing.Compile(context.Background(), def, routing.CompileOptions{MaxSites: limit}); (err == nil) != fits {
				t.Errorf("%d: of %d sites at most %d: %v", i, sites, limit, err)
			}
		}
	}
}
