package static

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestElastic: flits move one at a time, only to where there is one less than a channel holds and from where one is
// (the source has them all at first), each channel's first with the head; in the end the head is in the last channel and
// the others have closed up: no flit could move on. Flits of other messages stay where they are.
func TestElastic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		topo := spec.NewTopology()
		channels := rapid.IntRange(1, 5).Draw(rt, "channels")
		for range channels + 1 {
			topo.AddNode("")
		}
		var path []spec.Move
		from := spec.Injection(0)
		for c := range spec.ChannelID(channels) {
			topo.AddLink(spec.Link{From: spec.NodeID(c), To: spec.NodeID(c) + 1, VCs: 1})
			path = append(path, spec.Move{Kind: spec.Advance, From: from, Hop: spec.Hop{Channel: c}})
			from = c
		}
		buffer, all := rapid.IntRange(1, 3).Draw(rt, "buffer"), rapid.IntRange(1, 12).Draw(rt, "flits")
		n, err := spec.NewNetwork(rt.Context(), spec.Parts{Name: "line", Topology: topo, Switching: spec.Wormhole,
			Buffer: buffer, Classes: []string{""}, Tags: 1})
		if err != nil {
			rt.Fatal(err)
		}
		held := map[spec.ChannelID]int{}
		if buffer > 1 && rapid.Bool().Draw(rt, "held") {
			held[spec.ChannelID(channels-1)] = 1 // of a message at rest in the last
		}
		rest := 0
		for _, x := range held {
			rest += x
		}
		d := &Decision{n: n, sc: spec.Scenario{Length: all, Elastic: true}}
		was := map[spec.ChannelID]int{}
		for c, x := range held {
			was[c] = x
		}
		in, head, source := make([]int, channels), -1, all
		for _, m := range d.elastic(slices.Clone(path), all, held) {
			to := int(m.Hop.Channel)
			switch {
			case m.Kind == spec.Advance && to == head+1:
				head = to
			case m.Kind == spec.Follow && to <= head:
			default:
				rt.Fatalf("%v with the head in channel %d", m, head)
			}
			at := &source
			if to > 0 {
				at = &in[to-1]
			}
			if *at == 0 || in[to]+was[m.Hop.Channel] >= buffer {
				rt.Fatalf("into channel %d from %d flits, where %d of %d are and %d rest", to, *at, in[to], buffer, was[m.Hop.Channel])
			}
			*at--
			in[to]++
		}
		if head != channels-1 {
			rt.Fatalf("the head is in channel %d of %d", head, channels)
		}
		before := source
		for c, x := range in {
			if room := buffer - x - was[spec.ChannelID(c)]; room > 0 && before > 0 {
				rt.Fatalf("a flit could move into channel %d: %v, %d at the source", c, in, source)
			}
			if held[spec.ChannelID(c)] != was[spec.ChannelID(c)]+x {
				rt.Fatalf("%d flits are held in channel %d, want %d and %d", held[spec.ChannelID(c)], c, was[spec.ChannelID(c)], x)
			}
			before = x
		}
	})
}
