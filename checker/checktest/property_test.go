package checktest_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/checktest"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Property tests as a user writes them. What fails shrinks, and the smallest
// failing network is kept in the closed form.

// Any two failed links: up*/down* on what is left of a 4x4 torus is free.
func TestAnyTwoFailedLinks(t *testing.T) {
	torus := graph.Torus(4)
	whole, err := graph.UpDown(torus, 0)
	if err != nil {
		t.Fatal(err)
	}
	cables := sweep.Cables(whole.Topology)
	rapid.Check(t, func(rt *rapid.T) {
		a := rapid.IntRange(1, len(cables)-1).Draw(rt, "first")
		b := rapid.IntRange(0, a-1).Draw(rt, "second")
		left, err := torus.Remove(cables[a].Name + "," + cables[b].Name)
		if err != nil {
			rt.Fatal(err)
		}
		def, err := graph.UpDown(left, 0)
		if err != nil {
			rt.Fatal(err)
		}
		checktest.Network(rt, def, checktest.Options{})
	})
}

// Any subset of destinations: fewer flows never bring a deadlock.
func TestAnyDestinations(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		def := modeltest.Definition(t, "star-channel", set{"k": "3"})
		all := rapid.SliceOfNDistinct(rapid.IntRange(0, 8), 1, 9, rapid.ID[int]).Draw(rt, "destinations")
		in := map[spec.NodeID]bool{}
		for _, v := range all {
			in[spec.NodeID(v)] = true
		}
		def.Flows = func(_, dst spec.NodeID, _ spec.Class) bool { return in[dst] }
		checktest.Network(rt, def, checktest.Options{})
	})
}

// My new routing on random graphs: shortest paths on a VC that rises at every
// hop, which needs as many VCs as a path has hops.
func TestMyRoutingOnRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		topo := netgen.Topology(rt, netgen.TopologyOptions{Nodes: 7, Failures: 2})
		deep := spec.NewTopology()
		for v := range spec.NodeID(topo.Nodes()) {
			deep.AddNode(topo.Node(v).Name)
		}
		for l := range spec.LinkID(topo.Links()) {
			link := topo.Link(l)
			link.VCs = topo.Nodes()
			deep.AddLink(link)
		}
		rising := func(at spec.ChannelID, _ spec.LinkID, k int) bool {
			return at.IsInjection() && k == 0 || !at.IsInjection() && k == deep.VC(at)+1
		}
		def := routing.Definition{Name: "rising", Topology: deep, Switching: spec.Wormhole, Routing: netgen.Minimal(deep, rising)}
		checktest.Network(rt, def, checktest.Options{})
	})
}

// quiet is a test that may fail without the real one failing.
type quiet struct {
	*testing.T
	failed bool
}

func (q *quiet) Errorf(string, ...any) { q.failed = true }
func (q *quiet) Fatalf(string, ...any) { q.failed = true; runtime.Goexit() }
func (q *quiet) Error(...any)          { q.failed = true }
func (q *quiet) Fatal(...any)          { q.failed = true; runtime.Goexit() }
func (q *quiet) FailNow()              { q.failed = true; runtime.Goexit() }
func (q *quiet) Fail()                 { q.failed = true }
func (q *quiet) Failed() bool          { return q.failed }

// TestSmallest: shortest paths on one VC deadlock on every torus, where four
// packets turn around a square; what is kept in the end is the smallest torus, however little time
// the command line gives to find one (.ci/mutants: a millisecond).
func TestSmallest(t *testing.T) {
	limit := flag.Lookup("rapid.shrinktime")
	before := limit.Value.String()
	if err := limit.Value.Set("10m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = limit.Value.Set(before) })
	t.Chdir(t.TempDir())
	folder := filepath.Join(t.TempDir(), "kept")
	q := &quiet{T: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		rapid.Check(q, func(rt *rapid.T) {
			topo := netgen.Topology(rt, netgen.TopologyOptions{Shapes: []netgen.Shape{netgen.Torus}, Nodes: 30})
			checktest.Network(rt, routing.Definition{Name: "torus", Topology: topo, Routing: netgen.Minimal(topo, netgen.AnyVC)},
				checktest.Options{Properties: []string{"deadlock-freedom"}, Folder: folder})
		})
	}()
	<-done
	if !q.failed {
		t.Fatal("nothing fails")
	}
	text, err := os.ReadFile(filepath.Join(folder, "network.json"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := spec.ReadClosed(t.Context(), "network.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Topology().Nodes(); got != 9 {
		t.Errorf("the smallest has %d nodes, want 9", got)
	}
}
