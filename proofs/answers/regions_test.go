package answers_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestVerifyRegions: on a one-way ring 0 -> 1 -> 2 -> 3 -> 0 a packet passes the nodes
// between its ends clockwise, so from 1 to 0 it passes 2 and 3.
func TestVerifyRegions(t *testing.T) {
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "4"}, spec.StoreAndForward)
	type nodes = []spec.NodeID
	whole := nodes{0, 1, 2, 3}
	for _, tt := range []struct {
		name string
		set  *answers.RegionSet
		want string // "" accepts
	}{
		{"the whole", &answers.RegionSet{Regions: []nodes{whole}}, ""},
		{"single nodes", &answers.RegionSet{Regions: []nodes{{0}, {1}, {3}, whole}}, ""},
		{"a way", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{1, 2}, Target: spec.Target{Dest: 0}}, ""},
		{"a longer way", &answers.RegionSet{Regions: []nodes{{0, 1, 2}}, Way: nodes{1, 2, 3}, Target: spec.Target{Dest: 0}}, ""},

		{"neighbours", &answers.RegionSet{Regions: []nodes{whole, {0, 1}}}, "region 2: a packet for 0, class 0, passes 2"},
		{"all but one", &answers.RegionSet{Regions: []nodes{{0, 1, 3}}}, "passes 2, outside the region"},
		{"no nodes", &answers.RegionSet{Regions: []nodes{{}}}, "nothing is shown"},
		{"only single nodes", &answers.RegionSet{Regions: []nodes{{0}, {1}, {2}, {3}}}, "nothing is shown"},
		{"a node of the region before", &answers.RegionSet{Regions: []nodes{whole, {0, 3}, {3}}}, "region 2: a packet for 3, class 0, passes 1"},
		{"none", &answers.RegionSet{}, "no regions"},
		{"a node twice", &answers.RegionSet{Regions: []nodes{{0, 0}}}, "out of order"},
		{"no such node", &answers.RegionSet{Regions: []nodes{{4}}}, "does not exist"},
		{"a negative node", &answers.RegionSet{Regions: []nodes{{-1}}}, "does not exist"},
		{"a way that stays", &answers.RegionSet{Regions: []nodes{{0, 1, 2}}, Way: nodes{1, 2}, Target: spec.Target{Dest: 0}}, "ends in the region"},
		{"a way from outside", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{2, 3}, Target: spec.Target{Dest: 0}}, "are not both in the region"},
		{"a way to outside", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{1, 2}, Target: spec.Target{Dest: 3}}, "are not both in the region"},
		{"a way against the links", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{0, 3}, Target: spec.Target{Dest: 1}}, "may not go to 3"},
		{"a way beyond its end", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{0, 1, 2}, Target: spec.Target{Dest: 1}}, "may not go to 2"},
		{"a way to itself",
			&answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{0, 1, 2}, Target: spec.Target{Dest: 0}},
			"does not send to the destination"},
		{"a way of no hops", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{2}, Target: spec.Target{Dest: 0}}, "no hop"},
		{"a way for another class",
			&answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{1, 2}, Target: spec.Target{Dest: 0, Class: 1}},
			"no node sends to the destination"},
		{"a way past a negative node", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{1, -1}, Target: spec.Target{Dest: 0}}, "does not exist"},
		{"a way past the node after the last", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{1, 4}, Target: spec.Target{Dest: 0}}, "does not exist"},
		{"a way past no node", &answers.RegionSet{Regions: []nodes{{0, 1}}, Way: nodes{1, 7}, Target: spec.Target{Dest: 0}}, "does not exist"},
		{"a way and two regions",
			&answers.RegionSet{Regions: []nodes{{0, 1}, {0}}, Way: nodes{1, 2}, Target: spec.Target{Dest: 0}},
			"with 2 regions: want one"},
	} {
		tt.set.Network = n.Digest()
		t.Run(tt.name, func(t *testing.T) { refusal(t, answers.VerifyRegions(n, tt.set), tt.want) })
	}
	refusal(t, answers.VerifyRegions(n, nil), "no regions")
	refusal(t, answers.VerifyRegions(n, &answers.RegionSet{Regions: []nodes{whole}}), "another network")
}

// TestRegionLeftLater: on that ring only node 1 sends, to 0: the packet is within the
// region {0, 1, 2} after its first hop, and leaves it by the second.
func TestRegionLeftLater(t *testing.T) {
	def := routing.FromNetwork(modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "4"}, spec.StoreAndForward))
	def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return src == 1 && dst == 0 }
	n := routingtest.Compile(t, def)
	refusal(t, answers.VerifyRegions(n, &answers.RegionSet{Network: n.Digest(), Regions: [][]spec.NodeID{{0, 1, 2}}}), "passes 3, outside the region")
}

// TestRegionLeftLast: on a ring of five the same packet stays in {0, 1, 2, 3} for two
// hops, and leaves it by the third. Where packets may go round forever, all of their
// sites are visited nonetheless.
func TestRegionLeftLast(t *testing.T) {
	def := routing.FromNetwork(modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "5"}, spec.StoreAndForward))
	def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return src == 1 && dst == 0 }
	n := routingtest.Compile(t, def)
	refusal(t, answers.VerifyRegions(n, &answers.RegionSet{Network: n.Digest(), Regions: [][]spec.NodeID{{0, 1, 2, 3}}}), "passes 4, outside the region")
	round := modeltest.SwitchedNetwork(t, "mesh", map[string]string{"k": "2", "routing": "deflection"}, spec.StoreAndForward)
	refusal(t, answers.VerifyRegions(round, &answers.RegionSet{Network: round.Digest(), Regions: [][]spec.NodeID{{0, 1, 2, 3}}}), "")
}

// TestRegionsOfAdaptiveNetworks: all permitted hops count. From (0,0) to (2,2) of a
// 3x3 mesh XY goes along x first; an adaptive packet may go along y.
func TestRegionsOfAdaptiveNetworks(t *testing.T) {
	for _, tt := range []struct {
		routing string
		want    string
	}{{"xy", "may not go to (0,1)"}, {"adaptive", ""}} {
		n := modeltest.SwitchedNetwork(t, "mesh", map[string]string{"k": "3", "routing": tt.routing}, spec.StoreAndForward)
		node := func(name string) spec.NodeID {
			v, ok := n.Topology().NodeNamed(name)
			if !ok {
				t.Fatalf("no node %s", name)
			}
			return v
		}
		ends := []spec.NodeID{node("(0,0)"), node("(2,2)")}
		slices.Sort(ends)
		refusal(t, answers.VerifyRegions(n, &answers.RegionSet{
			Network: n.Digest(), Regions: [][]spec.NodeID{ends}, Way: []spec.NodeID{node("(0,0)"), node("(0,1)")}, Target: spec.Target{Dest: node("(2,2)")},
		}), tt.want)
	}
}

func TestRegionsForm(t *testing.T) {
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": "4"}, spec.StoreAndForward)
	r := &answers.RegionSet{Network: n.Digest(), Regions: [][]spec.NodeID{{0, 1}}, Way: []spec.NodeID{1, 2}, Target: spec.Target{Dest: 0, Class: 3}}
	var b bytes.Buffer
	if err := write.Regions(&b, r); err != nil {
		t.Fatal(err)
	}
	want := "unknot-regions 1\nnetwork " + n.Digest().String() + "\nregions 1\n0 1\nway 0 3 1 2\nend\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Fatal(diff)
	}
	got, err := answers.ReadRegions("r", strings.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Error(diff)
	}
	for _, tt := range [][2]string{
		{"\nregions 1\n", "\nregions 2\n"}, {"\nregions 1\n", "\nregions 0\n"},
		{"\nregions 1\n", "\nregions 999999999999\n"}, {"0 1\n", "0 -1\n"}, {"0 1\n", "0 2147483648\n"},
		{"0 1\n", "0  1\n"}, {"way 0 3 1 2", "way 0 3"}, {"way 0 3", "way 0 65536"}, {"way 0", "road 0"}, {"network ", "network 0"}, {"network ", ""},
		{"end\n", ""}, {"end\n", "end\nend\n"}, {"\nregions 1\n0", "\nregion 1\n0"}, {"\nregions 1", "\nregions 01"}, {"unknot-regions 1", "unknot-regions 2"},
	} {
		var pos *spec.PosError
		if _, err := answers.ReadRegions("r", strings.NewReader(strings.Replace(want, tt[0], tt[1], 1))); !errors.As(err, &pos) {
			t.Errorf("%q for %q: %v, want an error with a place", tt[1], tt[0], err)
		}
	}
}
