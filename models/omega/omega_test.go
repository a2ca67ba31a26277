package omega_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/omega"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// circular returns the network with 2^n rows.
func circular(n, banks int) (routing.Definition, error) {
	return omega.Entry().Define(catalogue.Set{"n": fmt.Sprint(n), "banks": fmt.Sprint(banks)})
}

// The circular omega network is the circular banyan with its rows renumbered:
// the same counts for every number of banks, by two different relations.
func TestIsACircularBanyan(t *testing.T) {
	for n := 2; n <= 4; n++ {
		for banks := 1; banks <= 4; banks++ {
			got := censustest.Count(routingtest.Network(t)(circular(n, banks)))
			want := censustest.Count(routingtest.Network(t)(mdce.New(mdce.Options{N: n, Banyan: 1, Parallel: 1, VCs: banks})))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("n=%d, %d banks (-banyan +omega):\n%s", n, banks, diff)
			}
		}
	}
}

// A path of at most 2n-1 hops passes the last column at most twice: 3 banks suffice for
// every n, and fewer do not.
func TestThreeBanks(t *testing.T) {
	for n := 2; n <= 4; n++ {
		for banks := 1; banks <= 4; banks++ {
			if got := censustest.Count(routingtest.Network(t)(circular(n, banks))).Acyclic; got != (banks >= 3) {
				t.Errorf("n=%d, %d banks: acyclic %t", n, banks, got)
			}
		}
	}
}

// TestEveryPacketArrives: and in the fewest hops, by a breadth-first search over the
// links.
func TestEveryPacketArrives(t *testing.T) {
	for n := 2; n <= 4; n++ {
		net := routingtest.Network(t)(circular(n, 3))
		if err := errors.Join(censustest.Undelivered(net), censustest.Unexplained(net)); err != nil {
			t.Errorf("n=%d: %v", n, err)
		}
		nodes := n << n
		if net.FlowCount() != nodes*(nodes-1) {
			t.Errorf("n=%d: %d flows, want %d", n, net.FlowCount(), nodes*(nodes-1))
		}
		for src := range spec.NodeID(nodes) {
			want := distances(net.Topology(), src)
			got := make([]int, nodes)
			for dest := range spec.NodeID(nodes) {
				if dest != src {
					got[dest] = hops(t, net, src, dest)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("n=%d, hops from %s (-want +got):\n%s", n, net.Topology().Node(src).Name, diff)
			}
		}
	}
}

func distances(t *spec.Topology, src spec.NodeID) []int {
	d := make([]int, t.Nodes())
	queue := []spec.NodeID{src}
	for i := 0; i < len(queue); i++ {
		for _, l := range t.OutLinks(queue[i]) {
			if to := t.Link(l).To; to != src && d[to] == 0 {
				d[to] = d[queue[i]] + 1
				queue = append(queue, to)
			}
		}
	}
	return d
}

func hops(t *testing.T, n *spec.Network, src, dest spec.NodeID) int {
	t.Helper()
	at := spec.Injection(src)
	for count := range n.Topology().Nodes() {
		next, ok := n.Hops(spec.Site{Channel: at, Header: spec.Header{Dest: dest}})
		if !ok || len(next) != 1 {
			t.Fatalf("%d hops at %s", len(next), n.Topology().ChannelName(at))
		}
		if at = next[0].Channel; at == spec.Eject {
			return count
		}
	}
	t.Fatalf("from %d to %d: no end", src, dest)
	return 0
}

// TestBanks: with one bank more than the number of times that a packet passes the
// border on its shortest path, no packet is kept in the last bank, so channels are
// ordered: by bank, then by column. That is enough for any number of rows and either
// reading of the border; the longest path shifts in a whole row and goes on to its
// column.
func TestBanks(t *testing.T) {
	for n := 2; n <= 4; n++ {
		for i, rows := range []int{1, 2, 3, 5, 6, 8, 12, 16} {
			if n == 4 && !seedtest.Sampled(i, 4) {
				continue
			}
			topo := routingtest.Network(t)(omega.Entry().Define(catalogue.Set{"n": fmt.Sprint(n), "rows": fmt.Sprint(rows)})).Topology()
			passes := 0
			for src := range spec.NodeID(topo.Nodes()) {
				for dest, hops := range distances(topo, src) {
					if spec.NodeID(dest) != src {
						passes = max(passes, (topo.Node(src).At[0]+hops)/n)
					}
				}
			}
			for _, border := range []string{"at", "behind"} {
				set := catalogue.Set{"n": fmt.Sprint(n), "rows": fmt.Sprint(rows), "banks": fmt.Sprint(passes + 1), "border": border}
				if net := routingtest.Network(t)(omega.Entry().Define(set)); !censustest.Count(net).Acyclic || censustest.Undelivered(net) != nil {
					t.Errorf("%v: the ways pass the border %d times at most", set, passes)
				}
			}
		}
	}
}
