package sharing_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/proofs/sharing"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestAll: in how many ways classes share is a sum of Stirling numbers of the second kind: 1, 1+3 and 1+3+1 of three classes,
// 1+15+25+10+1 of five (Bell number 52).
func TestAll(t *testing.T) {
	for _, tt := range []struct{ classes, sets, want int }{{1, 1, 1}, {3, 1, 1}, {3, 2, 4}, {3, 3, 5}, {3, 9, 5}, {5, 5, 52}, {10, 10, 115975}} {
		got := 0
		for way := range sharing.All(tt.classes, tt.sets) {
			if err := sharing.CheckSets(way); err != nil {
				t.Fatal(way, err)
			}
			got++
		}
		if got != tt.want {
			t.Errorf("%d classes share %d sets in %d ways, want %d", tt.classes, tt.sets, got, tt.want)
		}
	}
	want := [][]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}}
	if diff := cmp.Diff(want, slices.Collect(sharing.All(3, 2))); diff != "" {
		t.Error(diff)
	}
}

func TestSets(t *testing.T) {
	for _, wrong := range [][]int{{1}, {0, 2}, {0, -1}, {0, 1, 3}} {
		if sharing.CheckSets(wrong) == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
	for _, tt := range []struct {
		than, way []int
		want      bool
	}{
		{[]int{0, 1, 2}, []int{0, 0, 0}, true}, {[]int{0, 0, 1}, []int{0, 0, 0}, true}, {[]int{0, 0, 1}, []int{0, 0, 1}, true},
		{[]int{0, 0, 1}, []int{0, 1, 1}, false}, {[]int{0, 0, 0}, []int{0, 0, 1}, false}, {[]int{0, 1, 0}, []int{0, 1, 1}, false},
	} {
		if got := sharing.Coarser(tt.than, tt.way); got != tt.want {
			t.Errorf("%v is coarser than %v: %t", tt.way, tt.than, got)
		}
	}
}

// line is three nodes in a row. Packets of class 0 go from node 0 to 2 on VC 0, of class 1 from 0 to 1 on VC 1. With tag 1 packets
// of class 0 are on the second link.
func line(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 2})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 2})
	topo.AddLink(spec.Link{From: 2, To: 0, VCs: 3})
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		switch v := topo.Head(at); {
		case v == h.Dest:
			return append(dst, spec.Hop{Channel: spec.Eject})
		case v == 0:
			return append(dst, spec.Hop{Channel: spec.ChannelID(h.Class)})
		}
		return append(dst, spec.Hop{Channel: 2, Tag: 1})
	})
	return routingtest.Compile(t, routing.Definition{Name: "line", Topology: topo, Classes: []string{"a", "b"}, Tags: 2, Routing: named{next},
		Flows: func(src, dst spec.NodeID, c spec.Class) bool { return src == 0 && int(dst) == 2-int(c) }})
}

// classesOf has a message class for each class.
var classesOf = []sharing.Tags{{Class: 0, First: 0, Last: 1, Message: 0}, {Class: 1, First: 0, Last: 0, Message: 1}}

// TestSeparate: a link has the VCs that are taken on it, set by set, and no fewer than before.
func TestSeparate(t *testing.T) {
	n := line(t)
	messages, err := sharing.NewTable(n, classesOf)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range [][]int{{0, 0}, {0, 1}, {1, 0}} {
		s, err := sharing.Separate(t.Context(), n, messages, of)
		if err != nil {
			t.Fatal(of, err)
		}
		topo := s.Network.Topology()
		var vcs []int
		for l := range spec.LinkID(topo.Links()) {
			vcs = append(vcs, topo.Link(l).VCs)
		}
		if diff := cmp.Diff([]int{2, 2, 3}, vcs); diff != "" {
			t.Error(of, diff)
		}
		first := of[0] // VC of class 0 on the first link
		for _, at := range []struct {
			site spec.Site
			want spec.Hop
		}{
			{spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 2}}, spec.Hop{Channel: spec.ChannelID(first)}},
			{spec.Site{Channel: spec.ChannelID(first), Header: spec.Header{Dest: 2}}, spec.Hop{Channel: 2, Tag: 1}},
			{spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1, Class: 1}}, spec.Hop{Channel: spec.ChannelID(1 - first)}},
		} {
			if hops, _ := s.Network.Hops(at.site); len(hops) != 1 || hops[0] != at.want {
				t.Errorf("%v: from %v to %v, want %v", of, at.site, hops, at.want)
			}
		}
		if s.Network.SiteCount() != n.SiteCount() || s.Network.FlowCount() != n.FlowCount() {
			t.Errorf("%v: %d sites and %d flows", of, s.Network.SiteCount(), s.Network.FlowCount())
		}
	}
}

// TestChannel: where VC 0 and VC 1 change places.
func TestChannel(t *testing.T) {
	n := line(t)
	messages, err := sharing.NewTable(n, classesOf)
	if err != nil {
		t.Fatal(err)
	}
	from, err := sharing.Separate(t.Context(), n, messages, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	to, err := sharing.Separate(t.Context(), n, messages, []int{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range map[spec.ChannelID]spec.ChannelID{0: 1, 1: 0, 2: 2, spec.Eject: spec.Eject, spec.Injection(0): spec.Injection(0)} {
		if got := from.Channel(c, to); got != want {
			t.Errorf("channel %d is %d, want %d", c, got, want)
		}
	}
	// Reasons are those of before: a packet of class 0 is in VC 1, which was VC 0.
	if got := to.Network.Reason(spec.Site{Channel: 1, Header: spec.Header{Dest: 2}}, spec.Hop{Channel: 2, Tag: 1}).Text; got != "from 0 to 2" {
		t.Errorf("the reason is %q", got)
	}
	if got := to.Network.Reason(spec.Site{Channel: 2, Header: spec.Header{Dest: 2, Tag: 1}}, spec.Hop{Channel: spec.Eject}).Text; got != "from 2 to -1" {
		t.Errorf("the reason is %q", got)
	}
	if got := to.Network.Reason(spec.Site{Channel: 0, Header: spec.Header{Dest: 1, Class: 1}}, spec.Hop{Channel: spec.Eject}).Text; got != "from 1 to -1" {
		t.Errorf("the reason is %q", got)
	}
	if got := to.Network.Reason(spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 2}}, spec.Hop{Channel: 1}).Text; got != "from -2 to 0" {
		t.Errorf("the reason is %q", got)
	}
}

// named is a relation whose reasons are its channels.
type named struct{ routing.Relation }

func (named) Reason(at spec.ChannelID, _ spec.Header, h spec.Hop) spec.Reason {
	return spec.Reason{Text: fmt.Sprintf("from %d to %d", at, h.Channel)}
}

// TestOneSet: where all VCs are taken and have no names, one set for all is the network as it is.
func TestOneSet(t *testing.T) {
	n := routingtest.Compile(t, routingtest.OneWayRing(4, 1))
	messages, err := sharing.NewTable(n, []sharing.Tags{{}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sharing.Separate(t.Context(), n, messages, []int{0})
	if err != nil || s.Network.Digest() != n.Digest() {
		t.Error(err, "another network")
	}
}

func TestWrongClasses(t *testing.T) {
	n := line(t)
	for _, tt := range []struct {
		tags []sharing.Tags
		want string
	}{
		{[]sharing.Tags{{Class: 2}}, "want classes below 2"},
		{[]sharing.Tags{{First: 0, Last: 2}}, "tags below 2"},
		{[]sharing.Tags{{First: 1, Last: 0}}, "tags 1 to 0"},
		{[]sharing.Tags{{Message: sharing.Most}}, "message classes below"},
		{[]sharing.Tags{{Message: -1}}, "message classes below"},
		{[]sharing.Tags{{}, {First: 0, Last: 1}}, "listed twice"},
		{classesOf[:1], "are of no message class"},
		{[]sharing.Tags{{Message: 0}, {First: 1, Last: 1, Message: 1}, {Class: 1}}, "changes from 0 to 1"},
		{[]sharing.Tags{{First: 0, Last: 1, Message: 2}, {Class: 1}}, "are of no message class"}, // of two
	} {
		messages, err := sharing.NewTable(n, tt.tags)
		if err == nil {
			_, err = sharing.Separate(t.Context(), n, messages, []int{0, 1})
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.tags, err, tt.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	messages, err := sharing.NewTable(n, classesOf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sharing.Separate(ended, n, messages, []int{0, 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAlternatives: what the routing commits packets to stays so, told apart by the tag.
func TestAlternatives(t *testing.T) {
	topo := spec.NewTopology()
	topo.AddNode("0")
	topo.AddNode("1")
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 2})
	n := routingtest.Compile(t, routing.Definition{Name: "hashed", Topology: topo, Routing: hashed{},
		Flows: func(src, _ spec.NodeID, _ spec.Class) bool { return src == 0 }})
	messages, err := sharing.NewTable(n, []sharing.Tags{{Class: 0, First: 0, Last: 1, Message: 0}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sharing.Separate(t.Context(), n, messages, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if n.Alternatives() != 2 || s.Network.Alternatives() != 2 || s.Network.FlowCount() != n.FlowCount() {
		t.Errorf("%d alternatives and %d flows, of a network with %d and %d: want the same, 2 and 1",
			s.Network.Alternatives(), s.Network.FlowCount(), n.Alternatives(), n.FlowCount())
	}
}

// hashed commits a packet to a VC or, where it arrives in VC 0, to a way out or a dead end.
type hashed struct{}

func (hashed) Alternatives(at spec.ChannelID, _ spec.Header) ([][]spec.Hop, error) {
	switch {
	case at.IsInjection():
		return [][]spec.Hop{{{Channel: 0}}, {{Channel: 1}}}, nil
	case at == 0:
		return [][]spec.Hop{{{Channel: spec.Eject}}, {}}, nil
	}
	return [][]spec.Hop{{{Channel: spec.Eject}}}, nil
}

func (h hashed) AppendHops(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) ([]spec.Hop, error) {
	return dst, routing.ErrCommits
}
