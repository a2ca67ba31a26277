package omega_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph/census"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/omega"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func compile(t testing.TB, def routing.Definition, err error) *spec.Network {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The circular omega network is the circular banyan with its rows renumbered:
// the same counts for every number of banks, by two different relations.
func TestIsACircularBanyan(t *testing.T) {
	for n := 2; n <= 5; n++ {
		for banks := 1; banks <= 4; banks++ {
			def, err := omega.New(n, banks)
			got := census.Count(compile(t, def, err))
			def, err = mdce.New(mdce.Options{N: n, Banyan: 1, Parallel: 1, VCs: banks})
			want := census.Count(compile(t, def, err))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("n=%d, %d banks (-banyan +omega):\n%s", n, banks, diff)
			}
		}
	}
}

// A way of at most 2n-1 hops passes the last column at most twice: 3 banks
// suffice for every n, and fewer do not.
func TestThreeBanks(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for banks := 1; banks <= 4; banks++ {
			def, err := omega.New(n, banks)
			if got := census.Count(compile(t, def, err)).Acyclic; got != (banks >= 3) {
				t.Errorf("n=%d, %d banks: acyclic %t", n, banks, got)
			}
		}
	}
}

// TestEveryPacketArrives: and in the fewest hops, those of a breadth-first
// search over the links.
func TestEveryPacketArrives(t *testing.T) {
	for n := 2; n <= 4; n++ {
		def, err := omega.New(n, 3)
		net := compile(t, def, err)
		if err := errors.Join(census.Undelivered(net), census.Unexplained(net)); err != nil {
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
		for _, l := range t.Out(queue[i]) {
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

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		n, banks int
		want     string
	}{
		{1, 1, "1 columns: want 2 to 12"},
		{13, 1, "13 columns: want 2 to 12"},
		{3, 0, "0 banks: want 1 to 64"},
		{3, 65, "65 banks: want 1 to 64"},
	} {
		got := ""
		if _, err := omega.New(tt.n, tt.banks); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
