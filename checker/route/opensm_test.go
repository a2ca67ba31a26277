package route_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// dumped reads what OpenSM chose between the hosts of a fabric; nil if there is no such dump, or
// it fell back to another engine.
func dumped(t *testing.T, dir, engine string) *spec.Network {
	meta, err := os.ReadFile(path.Join(dir, "meta.json"))
	if err != nil || !strings.Contains(string(meta), fmt.Sprintf(`"engine_used": "%s"`, strings.TrimRight(strings.TrimSuffix(engine, "_roots"), "14"))) {
		return nil
	}
	fab, err := fabric.Read(context.Background(), os.DirFS(dir), fabric.Options{Name: dir})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fab.Network(context.Background(), fabric.Scope{VLs: fab.HasVLs()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// vcs counts the VCs that routes take.
func vcs(n *spec.Network) int {
	most := map[int]bool{}
	for i := range n.Tables() {
		for _, c := range n.Table(i).Channels {
			most[n.Topology().VC(c)] = true
		}
	}
	return len(most)
}

// senders lists the nodes that send.
func senders(n *spec.Network) []spec.NodeID {
	sends := make([]bool, n.Topology().Nodes())
	for i := range n.Tables() {
		for _, s := range n.Table(i).Sources {
			sends[s.Node] = true
		}
	}
	var ends []spec.NodeID
	for v, is := range sends {
		if is {
			ends = append(ends, spec.NodeID(v))
		}
	}
	return ends
}

// row is what is compared.
type row struct {
	route.Measures
	vcs     int
	verdict spec.Verdict
}

func (r row) String() string {
	return fmt.Sprintf("%d\t%s\t%d..%d\t%.1f\t%.3f", r.vcs, r.verdict, r.Load.Least, r.Load.Most, r.Load.Deviation, r.Stretch.Mean)
}

// TestAgainstOpenSM compares our engines with those of OpenSM on the same fabrics; the table in .ci/benchmarks.md is
// from here (-v prints all of it). All but shortest are certified free on all of them, with no more VCs,
// and shortest is as even as minhop. Two small fabrics with all engines are in testdata; the table has
// sixteen.
func TestAgainstOpenSM(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		if compared, engines := againstOpenSM(t, "../../spec/fabric/testdata/opensm"); compared < 12 || engines < 6 {
			t.Errorf("%d comparisons with %d engines: want 12 with 6", compared, engines)
		}
	})
	t.Run("all", func(t *testing.T) {
		root := cmp.Or(os.Getenv("UNKNOT_FABRICS"), "../../../shared/fabrics")
		if _, err := os.Stat(root); err != nil {
			t.Skip("no fabrics that OpenSM routed in UNKNOT_FABRICS or beside the checkout (../shared/fabrics)")
		}
		againstOpenSM(t, root)
	})
}

// againstOpenSM compares the engines on the fabrics of a folder, and returns how often, and how many of OpenSM's.
func againstOpenSM(t *testing.T, root string) (compared, engines int) {
	nets, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "fabric\tengine\tOpenSM VCs\tfree\tload\tdeviation\tlengths\tunknot VCs\tfree\tload\tdeviation\tlengths")
	for _, net := range nets {
		for _, pair := range []struct {
			theirs string
			ours   route.Engine
		}{{"minhop", route.Shortest}, {"updn", route.UpDown}, {"updn_roots", route.UpDown}, {"lash", route.LASH},
			{"dfsssp", route.DFSSSP}, {"nue1", route.Nue}, {"nue4", route.Nue}} {
			n := dumped(t, path.Join(root, net.Name(), pair.theirs), pair.theirs)
			if n == nil {
				continue
			}
			theirs := measured(t, n)
			opt := route.Options{Engine: pair.ours, Terminals: senders(n), Switching: n.Switching(), Check: true}
			if pair.theirs == "nue4" {
				opt.VCs = 4
			}
			r, err := route.Route(context.Background(), n.Topology(), opt)
			if err != nil {
				t.Errorf("%s, %s: %v", net.Name(), pair.ours, err)
				continue
			}
			ours := row{r.Measures, r.VCs, r.Check.Of(spec.DeadlockFreedom.String()).Verdict}
			if ours.verdict != spec.Holds && pair.ours != route.Shortest {
				t.Errorf("%s, %s: %s", net.Name(), pair.ours, ours.verdict)
			}
			if ours.vcs > theirs.vcs {
				t.Errorf("%s, %s: %d VCs, %d by OpenSM", net.Name(), pair.ours, ours.vcs, theirs.vcs)
			}
			if pair.ours == route.Shortest && ours.Load.Deviation > theirs.Load.Deviation {
				t.Errorf("%s: %+v, and %+v by minhop", net.Name(), ours.Load, theirs.Load)
			}
			met[pair.theirs] = true
			compared++
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", net.Name(), pair.theirs, theirs, ours)
		}
	}
	w.Flush()
	t.Log("\n" + b.String())
	return compared, len(met)
}

func measured(t *testing.T, n *spec.Network) row {
	m, err := route.Measure(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Never})
	if rejected := new(checker.EvidenceError); errors.As(err, &rejected) || err != nil {
		t.Fatal(err)
	}
	return row{m, vcs(n), r.Verdict()}
}
