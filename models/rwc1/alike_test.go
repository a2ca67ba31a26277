package rwc1_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/graph/census"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestAnyRule: with 2n-1 ring links at most, n-1 of them after the last
// correction, parallel links p(x)..p(x+n-2) are passed twice; for n >= 3 two VCs
// would need p(x) before p(x+1) all around the ring. In the CCC the last link
// before and the first link after the last correction are passed once, so the
// argument needs n >= 4. For one VC any two links of a ring that follow each
// other both ways will do. The spiral that changes the index after the border is as good as
// any rule, so it answers the same, as a network.
func TestAnyRule(t *testing.T) {
	for _, topology := range []rwc1.Topology{rwc1.CCCB, rwc1.Banyan, rwc1.CCC} {
		for n := 2; n <= 4; n++ {
			if n == 4 && topology == rwc1.CCCB && testing.Short() {
				continue
			}
			least := 3
			if n == 2 || n == 3 && topology == rwc1.CCC {
				least = 2
			}
			for vcs := 1; vcs <= 3; vcs++ {
				o := rwc1.Options{N: n, Topology: topology, VCs: vcs, Levels: 1, Border: rwc1.After}
				a, err := rwc1.AnyRule(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				name := rwc1.TopologyNames[topology]
				if !a.Decided() || (a.Order != nil) != (vcs >= least) {
					t.Errorf("%s, n=%d, %d VCs: order %v, against %v; want %d VCs to be the least", name, n, vcs, a.Order, a.Against, least)
				}
				checkAgainst(t, a, vcs)
				if n == 4 && topology == rwc1.CCCB {
					continue // Depend and the questions' claims look at it
				}
				def, err := rwc1.New(o)
				network := compiled(t, def, err)
				if got := census.Count(network).Acyclic; got != (a.Order != nil) {
					t.Errorf("%s, n=%d, %d VCs: the spiral is acyclic: %t, any rule: %t", name, n, vcs, got, a.Order != nil)
				}
				if err := census.Undelivered(network); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// checkAgainst writes down every sequence in which each parallel link occurs vcs
// times: none may hold all the ways that are said to stand against it.
func checkAgainst(t *testing.T, a *rwc1.Alike, vcs int) {
	t.Helper()
	if a.Against == nil {
		return
	}
	left := map[int]int{}
	for _, way := range a.Against {
		for _, l := range way {
			if left[l] = vcs; !strings.HasPrefix(a.Links[l], "p") {
				t.Errorf("%s is no parallel link", a.Links[l])
			}
		}
	}
	var links []int
	for l := range left {
		links = append(links, l)
	}
	slices.Sort(links)
	var sequence []int
	var all func()
	all = func() {
		complete := true
		for _, l := range links {
			if left[l] == 0 {
				continue
			}
			complete = false
			left[l]--
			sequence = append(sequence, l)
			all()
			sequence = sequence[:len(sequence)-1]
			left[l]++
		}
		if !complete {
			return
		}
		for _, way := range a.Against {
			i := 0
			for _, l := range sequence {
				if i < len(way) && way[i] == l {
					i++
				}
			}
			if i < len(way) {
				return
			}
		}
		t.Errorf("%s holds all ways", a.Text(sequence))
	}
	all()
}

// TestAfterBorder: with enough VCs the index is the number of times that the
// packet has passed x = n-1 before, whatever the last link.
func TestAfterBorder(t *testing.T) {
	def, err := rwc1.New(rwc1.Options{N: 3, VCs: 4, Levels: 1, Border: rwc1.After})
	n := compiled(t, def, err)
	top := n.Topology()
	for to := range spec.NodeID(top.Nodes()) {
		for from := range spec.NodeID(top.Nodes()) {
			if from == to {
				continue
			}
			passed := 0
			for at := (spec.Site{Channel: spec.Injection(from), Header: spec.Header{Dest: to}}); ; {
				hops, _ := n.Hops(at)
				if len(hops) != 1 {
					t.Fatal("a packet has more than one way")
				}
				c := hops[0].Channel
				if c == spec.Eject {
					break
				}
				if top.VC(c) != passed {
					t.Fatalf("%s after the border has been passed %d times", top.ChannelName(c), passed)
				}
				if top.Node(top.Tail(c)).At[0] == 2 && top.Node(top.Head(c)).At[0] == 0 {
					passed++
				}
				at.Channel = c
			}
		}
	}
}
