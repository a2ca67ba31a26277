package mdce_test

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestLeastVCsByOrder: CCCB needs 3 VCs if at each x the CCC bit comes first: two rounds are the longest way, two
// crossings of the border. In every other order a bit may be left for a third round, and 4 VCs are needed from n = 3
// on; at n = 2 the third round is too short to cross the border again.
func TestLeastVCsByOrder(t *testing.T) {
	longest := 3
	if seedtest.Whole() {
		longest = 6
	}
	for n := 2; n <= longest; n++ {
		for i, name := range mdce.PrecedenceNames {
			p, want := mdce.Precedence(i), 4
			if n == 2 || p == mdce.CCCFirst {
				want = 3
			}
			for vcs := want - 1; vcs <= want; vcs++ {
				got := hasCycle(t, n, vcs, p)
				if got != (vcs < want) {
					t.Errorf("%s, n=%d, %d VCs: a cycle of dependencies: %t, want %d VCs to be the least", name, n, vcs, got, want)
				}
				if n > 3 {
					continue
				}
				o := cccb(n, vcs)
				o.Precedence = p
				if whole := censustest.Count(routingtest.Network(t)(mdce.New(o))); whole.Acyclic == got {
					t.Errorf("%s, n=%d, %d VCs: the whole graph is acyclic: %t, up to translation: %t", name, n, vcs, whole.Acyclic, !got)
				}
			}
		}
	}
}

// hasCycle reports whether the dependency graph of CCCB has a cycle. Hops depend on x and on the bits that are wrong,
// so inverting bits of y and z is a symmetry: it is enough to lead packets to one node of each x, and to tell channels
// apart by x, link and VC. A cycle of such classes, taken twice, inverts nothing, so it is a cycle of channels.
func hasCycle(t *testing.T, n, vcs int, p mdce.Precedence) bool {
	t.Helper()
	def, err := mdce.CCCB(n, vcs, p)
	if err != nil {
		t.Fatal(err)
	}
	const links = 3 // of a node
	top := def.Topology
	class := func(c spec.ChannelID) int {
		return (int(top.Tail(c))%n*links+int(top.LinkOf(c))%links)*vcs + top.VC(c)
	}
	after := make([][]bool, n*links*vcs)
	for c := range after {
		after[c] = make([]bool, len(after))
	}
	var hops []spec.Hop
	for dest := range spec.NodeID(n) {
		seen := make([]bool, top.Channels())
		var todo []spec.ChannelID
		lead := func(at spec.ChannelID) {
			if hops, err = def.Routing.AppendHops(hops[:0], at, spec.Header{Dest: dest}); err != nil {
				t.Fatal(err)
			}
			for _, h := range hops {
				if h.Channel == spec.Eject {
					continue
				}
				if !at.IsInjection() {
					after[class(at)][class(h.Channel)] = true
				}
				if !seen[h.Channel] {
					seen[h.Channel] = true
					todo = append(todo, h.Channel)
				}
			}
		}
		for v := range spec.NodeID(top.Nodes()) {
			if v != dest {
				lead(spec.Injection(v))
			}
		}
		for len(todo) > 0 {
			c := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			lead(c)
		}
	}
	// A class without a predecessor is on no cycle.
	left := make([]int, len(after))
	for c := range left {
		left[c] = c
	}
	for {
		rest := slices.DeleteFunc(slices.Clone(left), func(c int) bool {
			return !slices.ContainsFunc(left, func(b int) bool { return after[b][c] })
		})
		if len(rest) == len(left) {
			return len(left) > 0
		}
		left = rest
	}
}
