package automorphism_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// Brute force, from the definition alone: all permutations of nodes, and for each
// all permutations of channels that follow them.

// commutes asks a network about every site and another about its image.
func commutes(n, into *spec.Network, s automorphism.Symmetry, dims bool) bool {
	t, u := n.Topology(), into.Topology()
	for c := range s.Channels {
		for d := range s.Channels {
			l, k := t.LinkOf(spec.ChannelID(c)), t.LinkOf(spec.ChannelID(d))
			to, ko := u.LinkOf(s.Channels[c]), u.LinkOf(s.Channels[d])
			if (l == k) != (to == ko) || dims && (t.Link(l).Dim == t.Link(k).Dim) != (u.Link(to).Dim == u.Link(ko).Dim) {
				return false
			}
		}
	}
	move := func(c spec.ChannelID) spec.ChannelID {
		switch {
		case c == spec.Eject:
			return c
		case c.IsInjection():
			return spec.Injection(s.Nodes[t.Head(c)])
		}
		return s.Channels[c]
	}
	fits := true
	_ = routing.Sites(n, func(at spec.Site, row []spec.Hop) error {
		at.Channel, at.Header.Dest = move(at.Channel), s.Nodes[at.Header.Dest]
		found, legal := into.Hops(at)
		fits = fits && legal && len(found) == len(row)
		for _, h := range row {
			fits = fits && slices.Contains(found, spec.Hop{Channel: move(h.Channel), Tag: h.Tag})
		}
		return nil
	})
	return fits
}

// bruteForce returns, as texts, the mappings of a network to another of its size, usually
// itself, that differ at nodes or channels in use.
func bruteForce(n, into *spec.Network, dims bool) map[string]bool {
	t, u := n.Topology(), into.Topology()
	found := map[string]bool{}
	s := automorphism.Identity(t)
	var channels func(c int)
	channels = func(c int) {
		if c == len(s.Channels) {
			if commutes(n, into, s, dims) {
				found[inUse(n, s)] = true
			}
			return
		}
		from := spec.ChannelID(c)
		for to := range spec.ChannelID(t.Channels()) {
			if u.Tail(to) == s.Nodes[t.Tail(from)] && u.Head(to) == s.Nodes[t.Head(from)] && !slices.Contains(s.Channels[:c], to) {
				s.Channels[c] = to
				channels(c + 1)
			}
		}
	}
	var nodes func(v int)
	nodes = func(v int) {
		if v == len(s.Nodes) {
			channels(0)
			return
		}
		for to := range spec.NodeID(t.Nodes()) {
			if !slices.Contains(s.Nodes[:v], to) {
				s.Nodes[v] = to
				nodes(v + 1)
			}
		}
	}
	nodes(0)
	return found
}

func inUse(n *spec.Network, s automorphism.Symmetry) string {
	used := map[spec.ChannelID]bool{}
	_ = routing.Sites(n, func(at spec.Site, _ []spec.Hop) error {
		used[at.Channel] = true
		return nil
	})
	text := fmt.Sprint(s.Nodes)
	for c, to := range s.Channels {
		if used[spec.ChannelID(c)] {
			text += fmt.Sprintf(" %d>%d", c, to)
		}
	}
	return text
}

// circulant draws a network whose rotations are symmetries: where a packet may go depends
// on how far its destination is and on its tag.
func circulant(rt *rapid.T) routing.Definition {
	nodes := rapid.IntRange(3, 5).Draw(rt, "nodes")
	tags := rapid.IntRange(1, 2).Draw(rt, "tags")
	type kind struct{ step, vcs, dim int }
	kinds := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) kind {
		return kind{rapid.IntRange(1, nodes-1).Draw(rt, "step"), 1, rapid.IntRange(1, 2).Draw(rt, "dim")}
	}), 1, 2).Draw(rt, "links")
	if len(kinds) == 1 {
		kinds[0].vcs = rapid.IntRange(1, 2).Draw(rt, "vcs")
	}
	t := spec.NewTopology()
	for range nodes {
		t.AddNode("")
	}
	for v := range nodes {
		for _, k := range kinds {
			t.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + k.step) % nodes), VCs: k.vcs, Dim: k.dim})
		}
	}
	table := map[[2]int][]spec.Hop{} // by distance and tag: hops of node 0
	for d := 1; d < nodes; d++ {
		for tag := range tags {
			for c := range t.Channels() / nodes {
				if rapid.Bool().Draw(rt, "permitted") {
					table[[2]int{d, tag}] = append(table[[2]int{d, tag}],
						spec.Hop{Channel: spec.ChannelID(c), Tag: spec.Tag(rapid.IntRange(0, tags-1).Draw(rt, "tag"))})
				}
			}
		}
	}
	return routing.Definition{Topology: t, Tags: tags,
		Routing: routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			v := int(t.Head(at))
			for _, hop := range table[[2]int{(int(h.Dest) - v + nodes) % nodes, int(h.Tag)}] {
				hop.Channel += spec.ChannelID(v * t.Channels() / nodes)
				dst = append(dst, hop)
			}
			return dst
		}))}
}

func TestFindAgainstBruteForce(t *testing.T) {
	generators := map[string]func(rt *rapid.T) routing.Definition{
		"any": func(rt *rapid.T) routing.Definition {
			return netgen.Definition(rt, netgen.Options{Nodes: 5, Channels: 6, Tags: 2, MayFail: true})
		},
		"circulant": circulant,
		"circulant with few flows": func(rt *rapid.T) routing.Definition {
			def := circulant(rt)
			mask := rapid.Uint32().Draw(rt, "flows")
			def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return mask>>(uint(src)*5+uint(dst))%32&1 == 1 }
			return def
		},
	}
	for _, name := range slices.Sorted(maps.Keys(generators)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				n, err := routing.Compile(context.Background(), generators[name](rt), routing.CompileOptions{Workers: 1})
				if err != nil {
					rt.Fatal(err)
				}
				opt := automorphism.Options{Dims: rapid.Bool().Draw(rt, "dims")}
				find := func(opt automorphism.Options) (texts []string) {
					found, err := automorphism.Find(context.Background(), n, opt)
					if err != nil {
						rt.Fatal(err)
					}
					mustBeGroup(rt, n, found, opt.Dims)
					for _, s := range found {
						texts = append(texts, inUse(n, s))
					}
					slices.Sort(texts)
					return texts
				}
				want := bruteForce(n, n, opt.Dims)
				whole := find(opt)
				// With dims, idle parallel links of two dimensions may be exchanged: alike in use.
				distinct := slices.Compact(slices.Clone(whole))
				if !opt.Dims && len(distinct) < len(whole) {
					rt.Fatalf("some of %q are alike", whole)
				}
				if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), distinct); diff != "" {
					rt.Fatalf("not the whole group (-want +got):\n%s", diff)
				}
				opt.Most = rapid.IntRange(1, 12).Draw(rt, "most")
				part := find(opt)
				if len(part) > opt.Most || len(whole) <= opt.Most && len(part) < len(whole) {
					rt.Fatalf("%d symmetries of %d, with at most %d", len(part), len(whole), opt.Most)
				}
				for _, s := range part {
					if !want[s] {
						rt.Fatalf("%s is not a symmetry", s)
					}
				}
			})
		})
	}
}

// TestCheckAgainstBruteForce: among permutations that differ little from a symmetry, Check
// accepts exactly those that commute.
func TestCheckAgainstBruteForce(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n, err := routing.Compile(context.Background(), circulant(rt), routing.CompileOptions{Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		topology := n.Topology()
		dims := rapid.Bool().Draw(rt, "dims")
		s := automorphism.Identity(topology)
		if rapid.Bool().Draw(rt, "rotated") {
			s = rotation(n)
		}
		if rapid.Bool().Draw(rt, "channels exchanged") {
			i, j := rapid.IntRange(0, len(s.Channels)-1).Draw(rt, "i"), rapid.IntRange(0, len(s.Channels)-1).Draw(rt, "j")
			s.Channels[i], s.Channels[j] = s.Channels[j], s.Channels[i]
		}
		if rapid.IntRange(0, 3).Draw(rt, "nodes exchanged") == 0 {
			i, j := rapid.IntRange(0, len(s.Nodes)-1).Draw(rt, "i"), rapid.IntRange(0, len(s.Nodes)-1).Draw(rt, "j")
			s.Nodes[i], s.Nodes[j] = s.Nodes[j], s.Nodes[i]
		}
		want := commutes(n, n, s, dims)
		for c, to := range s.Channels {
			c := spec.ChannelID(c)
			want = want && topology.Tail(to) == s.Nodes[topology.Tail(c)] && topology.Head(to) == s.Nodes[topology.Head(c)]
		}
		err = automorphism.Check(n, s, dims)
		if (err == nil) != want {
			rt.Fatalf("%v: error %v, but commutes: %v", s, err, want)
		}
		if want {
			accepted++
		} else {
			refused++
		}
	})
	if seedtest.Usual() && (accepted == 0 || refused == 0) {
		t.Errorf("%d accepted, %d refused: a test of one kind only", accepted, refused)
	}
}
