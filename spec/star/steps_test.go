package star_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestMaxSteps: a Clos network of 10,000 hosts, whose file fills the forwarding tables of 270 switches, is written with
// more steps than a file has unless it is given them.
func TestMaxSteps(t *testing.T) {
	const leaves, hosts, spines = 250, 40, 20
	text, err := os.ReadFile("../../models/examples/clos_tables.star")
	if err != nil {
		t.Fatal(err)
	}
	opt := star.Options{Set: map[string]string{"leaves": "250", "hosts": "40", "spines": "20"}}
	var met *spec.BoundError
	if _, err := star.Load(t.Context(), "clos.star", text, opt); !errors.As(err, &met) || met.What != "steps" || met.Limit != star.DefaultSteps {
		t.Errorf("%v, want the limit on steps", err)
	}
	opt.MaxSteps = 100e6
	f, err := star.Load(t.Context(), "clos.star", text, opt)
	if err != nil {
		t.Fatal(err)
	}
	topology := f.Definition.Topology
	if n, l := topology.Nodes(), topology.Links(); n != leaves*hosts+leaves+spines || l != 2*leaves*(hosts+spines) {
		t.Errorf("%d nodes and %d links: want %d hosts, a switch for each leaf and spine, and two links for each cable", n, l, leaves*hosts)
	}
	// Host 0.1 of leaf 0 to host 249.39, number 9999, by spine 9999 mod 20 = 19.
	names := []string{}
	for at, to := spec.Injection(1), spec.NodeID(leaves*hosts-1); len(names) < 9; {
		hops, err := f.Definition.Routing.Next(nil, at, spec.Header{Dest: to})
		if err != nil || len(hops) != 1 {
			t.Fatal(hops, err)
		}
		if hops[0].Channel == spec.Eject {
			break
		}
		at = hops[0].Channel
		names = append(names, topology.Node(topology.Head(at)).Name)
	}
	if diff := cmp.Diff([]string{"leaf0", "spine19", "leaf249", "host249.39"}, names); diff != "" {
		t.Errorf("the way from host0.1 to host249.39 (-want +got):\n%s", diff)
	}
}
