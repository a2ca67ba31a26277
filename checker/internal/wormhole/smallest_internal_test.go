package wormhole

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestTooManySteps: all sets of the largest size are tried first, which leads to smaller ones. If trying all sets of some size takes too
// many steps, sizes are tried from the least on, until two have taken too many. On a torus of 6x6 without CH six messages block each other, and
// no fewer (see TestSetsOfFew). Nothing is claimed of a size that was not accepted.
func TestTooManySteps(t *testing.T) {
	e, _ := models.Find("star-channel")
	def, err := e.Define(map[string]string{"k": "6", "ch": "never"})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.Wormhole
	n := routingtest.Compile(t, def)
	for i, tt := range []struct {
		tooMany    []int // messages
		atMost     int
		size, none int
	}{
		// 7 are closed, but not packed
		{nil, 7, 6, 5}, {[]int{3}, 7, 6, 5}, {[]int{5}, 7, 6, 4}, {[]int{4, 5}, 7, 8, 3}, {[]int{3, 4}, 7, 8, 0}, {[]int{5, 6}, 7, 8, 4},
		{[]int{7}, 7, 6, 5}, {[]int{7, 5}, 7, 8, 4}, {[]int{7, 4}, 7, 8, 3}, {[]int{7, 3}, 7, 8, 0},
		{nil, 6, 6, 5}, {[]int{3, 4}, 6, 6, 5}, {[]int{4, 5}, 6, 6, 3}, {[]int{6}, 6, 8, 5}, {nil, 5, 8, 5}, {nil, 2, 8, 2}, {nil, 0, 8, 0},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		accepted := map[*unsat.Proof]bool{}
		verify := func(_ context.Context, r *unsat.Proof) error {
			if slices.Contains(tt.tooMany, r.Bound.Most) {
				return errors.New("too many steps")
			}
			err := unsat.Verify(t.Context(), n, r)
			accepted[r] = err == nil
			return err
		}
		found, none, err := closedSets(t.Context(), n, make([]Worm, 8), tt.atMost, verify)
		if err != nil || len(found) != tt.size || tt.size < 8 && Check(n, found) != nil {
			t.Errorf("%v: %d messages, %v: want %d", tt.tooMany, len(found), err, tt.size)
		}
		if (none == nil) != (tt.none == 0) || none != nil && (none.Bound.Most != tt.none || !accepted[none]) {
			t.Errorf("%v: %v, accepted: %t; want none of %d", tt.tooMany, none, accepted[none], tt.none)
		}
	}
}

// TestStillStuck: around a one-way ring each worm waits for the channel of the next, and a ring without one of them moves on, one worm
// after the other. A worm at a dead end waits for nothing.
func TestStillStuck(t *testing.T) {
	topo := spec.NewTopology()
	for range 4 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(4) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 4, VCs: 1})
	}
	n := routingtest.Compile(t, routing.Definition{Name: "ring", Topology: topo, Switching: spec.Wormhole, Buffer: 1,
		Routing: routing.Named("on", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			switch v := topo.Head(at); {
			case v == h.Dest:
				return append(dst, spec.Hop{Channel: spec.Eject})
			case h.Dest == 3 && v == 2:
				return dst
			default:
				return append(dst, spec.Hop{Channel: spec.ChannelID(v)})
			}
		}))})
	worm := func(c spec.ChannelID, dest spec.NodeID) Worm {
		return Worm{Sites: []spec.Site{{Channel: c, Header: spec.Header{Dest: dest}}}}
	}
	ring := []Worm{worm(0, 2), worm(1, 0), worm(2, 0), worm(3, 1)} // each at the node before its destination, or farther
	for name, tt := range map[string]struct {
		worms []Worm
		left  int
	}{
		"all wait":   {ring, 4},
		"one left":   {ring[:3], 0},
		"one moves":  {[]Worm{ring[0], worm(1, 2), ring[2], ring[3]}, 0}, // it has arrived, and so is each after it free to go
		"a dead end": {[]Worm{ring[0], worm(1, 3), ring[2], ring[3]}, 0},
		"none":       {nil, 0},
	} {
		if left := stillStuck(n, tt.worms); len(left) != tt.left {
			t.Errorf("%s: %v are left, want %d", name, left, tt.left)
		}
	}
}

// TestFirstSiteWith: of the sites of a channel with some row, in the order of the tables, the first one.
func TestFirstSiteWith(t *testing.T) {
	e, _ := models.Find("star-channel")
	def, err := e.Define(map[string]string{"k": "3"})
	if err != nil {
		t.Fatal(err)
	}
	n := routingtest.Compile(t, def)
	type place struct {
		spec.ChannelID
		spec.RowID
	}
	first := map[place]spec.Site{}
	for i := range n.Tables() {
		table := n.Table(i)
		for j, c := range table.Channels {
			at := place{c, table.Rows[j]}
			if _, known := first[at]; !known {
				first[at] = table.Site(j)
			}
		}
	}
	for at, want := range first {
		if got := firstSiteWith(n, at.ChannelID, at.RowID); got != want {
			t.Errorf("channel %d, row %d: %v, want %v", at.ChannelID, at.RowID, got, want)
		}
	}
}
