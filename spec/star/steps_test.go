package star_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestMaxSteps: a Clos network of 10,000 hosts, whose file fills the forwarding tables of 270 switches, is written with
// more steps than a file has unless it is given them. The usual run takes a tenth of the leaves and of the steps.
func TestMaxSteps(t *testing.T) {
	const hosts, spines = 40, 20
	leaves, few, enough := 25, uint64(star.DefaultSteps/100), uint64(star.DefaultSteps)
	if seedtest.Whole() {
		leaves, few, enough = 250, 0, 100e6
	}
	text, err := os.ReadFile("../../models/examples/clos_tables.star")
	if err != nil {
		t.Fatal(err)
	}
	opt := star.Options{Set: map[string]string{"leaves": strconv.Itoa(leaves), "hosts": "40", "spines": "20"}, MaxSteps: few}
	var met *spec.BoundError
	if _, err := star.Load(t.Context(), "clos.star", text, opt); !errors.As(err, &met) || met.What != "steps" ||
		met.Limit != int(cmp.Or(few, star.DefaultSteps)) {
		t.Errorf("%v, want the limit on steps", err)
	}
	opt.MaxSteps = enough
	f, err := star.Load(t.Context(), "clos.star", text, opt)
	if err != nil {
		t.Fatal(err)
	}
	topology := f.Definition.Topology
	if n, l := topology.Nodes(), topology.Links(); n != leaves*hosts+leaves+spines || l != 2*leaves*(hosts+spines) {
		t.Errorf("%d nodes and %d links: want %d hosts, a switch for each leaf and spine, and two links for each cable", n, l, leaves*hosts)
	}
	// Host 0.1 of leaf 0 to the last, whose number, one less than a multiple of 20, sends it by spine 19.
	names := []string{}
	for at, to := spec.Injection(1), spec.NodeID(leaves*hosts-1); len(names) < 9; {
		hops, err := f.Definition.Routing.AppendHops(nil, at, spec.Header{Dest: to})
		if err != nil || len(hops) != 1 {
			t.Fatal(hops, err)
		}
		if hops[0].Channel == spec.Eject {
			break
		}
		at = hops[0].Channel
		names = append(names, topology.Node(topology.Head(at)).Name)
	}
	if diff := gocmp.Diff([]string{"leaf0", "spine19", fmt.Sprint("leaf", leaves-1), fmt.Sprintf("host%d.39", leaves-1)}, names); diff != "" {
		t.Errorf("the way from host0.1 to host249.39 (-want +got):\n%s", diff)
	}
}
