package hierarchy_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/hierarchy"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// measured compiles the result of a constructor, checks that every flow arrives and
// that there are as many as wanted, and takes the census.
func measured(t testing.TB, flows int, def routing.Definition, err error) censustest.Census {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	n := routingtest.Compile(t, def)
	if n.FlowCount() != flows {
		t.Errorf("%s: %d flows, want %d", n.Name(), n.FlowCount(), flows)
	}
	if err := errors.Join(censustest.Undelivered(n), censustest.Unexplained(n)); err != nil {
		t.Errorf("%s: %v", n.Name(), err)
	}
	return censustest.Count(n)
}

// In a dragonfly with all groups joined, g = ah+1, every channel is used. A global
// channel follows each of the a-1 local channels into its router and is followed by as
// many: 2(a-1)g(g-1) dependencies. With one VC the answer depends on router and
// destination alone, so each pair of routers is one site.
func TestDragonfly(t *testing.T) {
	for _, o := range []hierarchy.DragonflyOptions{
		{Routers: 2, Globals: 1, Groups: 3},
		{Routers: 3, Globals: 1, Groups: 4},
		{Routers: 2, Globals: 2, Groups: 5},
		{Routers: 4, Globals: 2, Groups: 9},
	} {
		a, g := o.Routers, o.Groups
		local, global := g*a*(a-1), g*(g-1)
		flows := a * g * (a*g - 1)
		def, err := hierarchy.Dragonfly(o)
		want := censustest.Census{Channels: local + global, Edges: 2 * (a - 1) * global, Sites: flows}
		if diff := cmp.Diff(want, measured(t, flows, def, err)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", o, diff)
		}
		o.LocalVCs = true
		def, err = hierarchy.Dragonfly(o)
		want = censustest.Census{Channels: 2*local + global, Edges: 2 * (a - 1) * global, Sites: flows, Acyclic: true}
		if diff := cmp.Diff(want, measured(t, flows, def, err)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", o, diff)
		}
	}
}

// The oracle's numbers: 12 channels and 12 edges, 18 channels with VCs.
func TestDragonflyOfTheOracle(t *testing.T) {
	o := hierarchy.DragonflyOptions{Routers: 2, Globals: 1, Groups: 3}
	def, err := hierarchy.Dragonfly(o)
	if got := measured(t, 30, def, err); got.Channels != 12 || got.Edges != 12 || got.Acyclic {
		t.Errorf("one VC: %+v, want 12 channels, 12 edges, cyclic", got)
	}
	o.LocalVCs = true
	def, err = hierarchy.Dragonfly(o)
	if got := measured(t, 30, def, err); got.Channels != 18 || !got.Acyclic {
		t.Errorf("local VCs: %+v, want 18 channels, acyclic", got)
	}
}

// A dragonfly with fewer groups than ports leaves ports free, none dangling.
func TestSmallDragonflies(t *testing.T) {
	for _, o := range []hierarchy.DragonflyOptions{
		{Routers: 1, Globals: 4, Groups: 5, LocalVCs: true},
		{Routers: 4, Globals: 2, Groups: 2, LocalVCs: true},
		{Routers: 4, Globals: 2, Groups: 6, LocalVCs: true},
	} {
		nodes := o.Routers * o.Groups
		def, err := hierarchy.Dragonfly(o)
		if !measured(t, nodes*(nodes-1), def, err).Acyclic {
			t.Errorf("%+v: cyclic", o)
		}
	}
}

// TestGlobalLinks: each pair of groups is joined by one link each way, between
// the same two routers, and no router has more than h of them.
func TestGlobalLinks(t *testing.T) {
	for _, o := range []hierarchy.DragonflyOptions{
		{Routers: 2, Globals: 1, Groups: 3},
		{Routers: 4, Globals: 2, Groups: 9},
		{Routers: 4, Globals: 2, Groups: 6},
	} {
		def, err := hierarchy.Dragonfly(o)
		if err != nil {
			t.Fatal(err)
		}
		top := def.Topology
		groups := map[[2]int]int{}
		for v := range spec.NodeID(top.Nodes()) {
			global := 0
			for _, l := range top.OutLinks(v) {
				to := top.Link(l).To
				if top.Node(v).At[0] == top.Node(to).At[0] {
					continue
				}
				global++
				groups[[2]int{top.Node(v).At[0], top.Node(to).At[0]}]++
				if len(top.LinksBetween(to, v)) != 1 {
					t.Errorf("%+v: %d links back along %s, want 1", o, len(top.LinksBetween(to, v)), top.LinkName(l))
				}
			}
			if global > o.Globals {
				t.Errorf("%+v: %s has %d global links", o, top.Node(v).Name, global)
			}
		}
		if len(groups) != o.Groups*(o.Groups-1) {
			t.Errorf("%+v: %d ordered pairs of groups are joined, want %d", o, len(groups), o.Groups*(o.Groups-1))
		}
		for pair, links := range groups {
			if links != 1 {
				t.Errorf("%+v: %d links between the groups %v, want 1", o, links, pair)
			}
		}
	}
}

// With L leaves, S spines and H hosts a leaf: a host's channel up is followed by
// S channels up and H-1 down; a leaf's by L-1 down; a spine's by H down. The
// channels hold packets for LH-1, (L-1)H, H and one destination.
func TestLeafSpine(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 2}, {2, 1, 1}, {4, 2, 2}, {3, 4, 5}} {
		leaves, spines, hosts := size[0], size[1], size[2]
		all, cross := leaves*hosts, leaves*spines
		want := censustest.Census{
			Channels: 2*all + 2*cross,
			Edges:    all*(spines+hosts-1) + cross*(leaves-1+hosts),
			Sites:    all*(all-1) + cross*(leaves-1)*hosts + cross*hosts + all,
			Acyclic:  true,
		}
		if leaves == 1 { // nobody goes up to a spine
			want.Channels, want.Edges, want.Sites = 2*all, all*(hosts-1), all*(all-1)+all
		}
		def, err := hierarchy.LeafSpine(leaves, spines, hosts)
		if diff := cmp.Diff(want, measured(t, all*(all-1), def, err)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", size, diff)
		}
	}
}

// A k-ary n-tree with N = k^n processors has N channels up and N down at each
// level. A channel up is followed by k up (not at the top) and k-1 down, one
// down by k down (not at the bottom). The channels up that have risen j levels
// hold packets for all but the k^j processors below, those down for the k^j
// below: in all nN^2 sites.
func TestKaryTree(t *testing.T) {
	for _, size := range [][2]int{{2, 1}, {5, 1}, {2, 2}, {3, 2}, {4, 2}, {2, 3}, {3, 3}, {2, 5}} {
		k, n := size[0], size[1]
		all := 1
		for range n {
			all *= k
		}
		want := censustest.Census{
			Channels: 2 * n * all,
			Edges:    all * ((2*k-1)*(n-1) + k - 1 + k*(n-1)),
			Sites:    n * all * all,
			Acyclic:  true,
		}
		def, err := hierarchy.KaryTree(k, n)
		if diff := cmp.Diff(want, measured(t, all*(all-1), def, err)); diff != "" {
			t.Errorf("%d-ary %d-tree (-want +got):\n%s", k, n, diff)
		}
	}
}

func TestRefuses(t *testing.T) {
	dragonfly := func(a, h, g int, vcs bool) func() (routing.Definition, error) {
		return func() (routing.Definition, error) {
			return hierarchy.Dragonfly(hierarchy.DragonflyOptions{Routers: a, Globals: h, Groups: g, LocalVCs: vcs})
		}
	}
	leafSpine := func(l, s, h int) func() (routing.Definition, error) {
		return func() (routing.Definition, error) { return hierarchy.LeafSpine(l, s, h) }
	}
	tree := func(k, n int) func() (routing.Definition, error) {
		return func() (routing.Definition, error) { return hierarchy.KaryTree(k, n) }
	}
	for _, tt := range []struct {
		build func() (routing.Definition, error)
		want  string
	}{
		{dragonfly(2, 1, 4, false), "4 groups: 2 routers with 1 global links each reach 3"},
		{dragonfly(256, 1, 256, true), "33488640 channels: want at most 16777216"},
		{dragonfly(16, 256, 4096, true), "18739200 channels: want at most 16777216"},
		{leafSpine(1, 1, 1), "1 leaves, 1 hosts a leaf: want 2 hosts or more"},
		{tree(64, 3), "a 64-ary 3-tree has more than 65536 processors"},
	} {
		got := ""
		if _, err := tt.build(); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
