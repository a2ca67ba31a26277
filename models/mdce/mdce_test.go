package mdce_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func compile(t testing.TB, o mdce.Options) *spec.Network {
	t.Helper()
	return routingtest.Network(t)(mdce.New(o))
}

func cccb(n, vcs int) mdce.Options {
	return mdce.Options{N: n, Banyan: 1, CCC: 1, Parallel: 1, VCs: vcs}
}

// With one VC the router's one answer depends on node and destination alone, so
// every pair of different nodes makes one site, and of the three links of
// a node none is idle. A ring channel, parallel or cross-y, is followed by each
// of the three links, a cross-z channel by the two ring links: 8 dependencies a
// node. With n = 2 nobody takes two parallel links in a row: after the first,
// every bit is right that can still be, and one more would lead back. The counts
// of 2 and 3 VCs only record what came out.
func TestCountsOfCCCB(t *testing.T) {
	for _, tt := range []struct {
		n, vcs int
		want   censustest.Census
	}{
		{2, 1, censustest.Census{Channels: 3 * 8 * 4, Edges: 7 * 8 * 4, Sites: 32 * 31}},
		{3, 1, censustest.Census{Channels: 3 * 192, Edges: 8 * 192, Sites: 192 * 191}},
		{4, 1, censustest.Census{Channels: 3 * 1024, Edges: 8 * 1024, Sites: 1024 * 1023}},
		{4, 2, censustest.Census{Channels: 5376, Edges: 13312, Sites: 1132800}},
		{4, 3, censustest.Census{Channels: 6144, Edges: 13824, Sites: 1134336, Acyclic: true}},
	} {
		if diff := cmp.Diff(tt.want, censustest.Count(compile(t, cccb(tt.n, tt.vcs)))); diff != "" {
			t.Errorf("n=%d, %d VCs (-want +got):\n%s", tt.n, tt.vcs, diff)
		}
	}
}

// TestLeastVCs: B+2 VCs, 3 without banyan dimensions, make the dependency graph
// acyclic, one fewer does not; a VC beyond them is never entered.
func TestLeastVCs(t *testing.T) {
	for i, tt := range []struct{ banyan, ccc, longest, want int }{
		{1, 1, 4, 3}, // CCCB
		{1, 0, 6, 3},
		{0, 1, 6, 3},
		{0, 2, 4, 3},
		{1, 2, 3, 3},
		{2, 0, 4, 4},
		{2, 1, 3, 4},
		{3, 0, 2, 5},
	} {
		for n := 2; n <= tt.longest; n++ {
			if n > 3 && !seedtest.Whole() || n > 2 && !seedtest.Sampled(i, 6) {
				continue
			}
			want := tt.want
			if n == 2 && tt.banyan == 0 {
				want = 2
			}
			o := mdce.Options{N: n, Banyan: tt.banyan, CCC: tt.ccc, Parallel: 1}
			enough := censustest.Census{}
			for o.VCs = 1; o.VCs <= want+1; o.VCs++ {
				got := censustest.Count(compile(t, o))
				if got.Acyclic != (o.VCs >= want) {
					t.Errorf("(%d,%d,1)-MDCE, n=%d, %d VCs: acyclic %t, want %d VCs to be the least", tt.banyan, tt.ccc, n, o.VCs, got.Acyclic, want)
				}
				if o.VCs == want {
					enough = got
				}
				if diff := cmp.Diff(enough, got); o.VCs > want && diff != "" {
					t.Errorf("(%d,%d,1)-MDCE, n=%d: one VC more than needed (-want +got):\n%s", tt.banyan, tt.ccc, n, diff)
				}
			}
		}
	}
}

// TestOpenChoices: the choices that the paper leaves open matter. Overflow to VC 0
// closes the spiral of 2 VCs, as staying does, and is never reached with 3; correcting
// two CCC dimensions in any order closes a square at one x, whatever the VCs; two
// banyan dimensions do not.
func TestOpenChoices(t *testing.T) {
	for _, tt := range []struct {
		name    string
		o       mdce.Options
		acyclic bool
	}{
		{"wrap, 2 VCs", mdce.Options{N: 3, Banyan: 1, CCC: 1, Parallel: 1, VCs: 2, Overflow: mdce.Wrap}, false},
		{"wrap, 3 VCs", mdce.Options{N: 3, Banyan: 1, CCC: 1, Parallel: 1, VCs: 3, Overflow: mdce.Wrap}, true},
		{"two CCC, ascending", mdce.Options{N: 3, CCC: 2, Parallel: 1, VCs: 3}, true},
		{"two CCC, any order", mdce.Options{N: 3, CCC: 2, Parallel: 1, VCs: 8, Order: mdce.AnyOrder}, false},
		{"two banyan, any order", mdce.Options{N: 3, Banyan: 2, Parallel: 1, VCs: 4, Order: mdce.AnyOrder}, true},
		{"two parallel links", mdce.Options{N: 3, Banyan: 1, CCC: 1, Parallel: 2, VCs: 3}, true},
	} {
		if got := censustest.Count(compile(t, tt.o)).Acyclic; got != tt.acyclic {
			t.Errorf("%s: acyclic %t, want %t", tt.name, got, tt.acyclic)
		}
	}
}

func TestEveryPacketArrives(t *testing.T) {
	for i, o := range []mdce.Options{
		cccb(2, 1), cccb(3, 2), cccb(4, 3),
		{N: 4, Banyan: 1, Parallel: 1, VCs: 3},
		{N: 4, CCC: 1, Parallel: 3, VCs: 1},
		{N: 3, Banyan: 2, CCC: 1, Parallel: 1, VCs: 2, Overflow: mdce.Wrap, Order: mdce.AnyOrder},
		{N: 2, Banyan: 1, CCC: 2, Parallel: 2, VCs: 3, Order: mdce.AnyOrder},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		n := compile(t, o)
		nodes := n.Topology().Nodes()
		if got, want := n.FlowCount(), nodes*(nodes-1); got != want {
			t.Errorf("%+v: %d flows, want %d", o, got, want)
		}
		if err := errors.Join(censustest.Undelivered(n), censustest.Unexplained(n)); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// The links of node (3,5,6) of the machine, as the paper lists them.
func TestLinksOfTheMachine(t *testing.T) {
	top := compile(t, cccb(4, 3)).Topology()
	v, ok := top.NodeNamed("(3,5,6)")
	if !ok {
		t.Fatal("no node is called (3,5,6)")
	}
	var got []string
	for _, l := range top.OutLinks(v) {
		got = append(got, fmt.Sprintf("%s to %s", top.Link(l).Out, top.Node(top.Link(l).To).Name))
	}
	want := []string{"parallel0 to (0,5,6)", "cross0 to (0,13,6)", "cross1 to (3,5,14)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		o    mdce.Options
		want string
	}{
		{mdce.Options{N: 9, Banyan: 1, CCC: 1, Parallel: 1, VCs: 1}, "1 banyan and 1 CCC dimensions of 9 bits make more than 2^16 rings"},
		{mdce.Options{N: 16, Banyan: 1, Parallel: 64, VCs: 64}, "4362076160 channels: want at most 16777216"},
	} {
		got := ""
		if _, err := mdce.New(tt.o); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.o, diff)
		}
	}
	if def, err := mdce.CCCB(9, 3, mdce.CCCFirst); err == nil || def.Topology != nil {
		t.Errorf("CCCB(9, 3): %v, %v; want an error alone", def, err)
	}
}
