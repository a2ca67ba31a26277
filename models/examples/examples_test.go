package examples_test

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/examples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

func load(t *testing.T, name string, set map[string]string) *spec.Network {
	t.Helper()
	return routingtest.Compile(t, file(t, name+".star", set).Definition)
}

// file loads an example, with the files in its folder.
func file(t *testing.T, name string, set map[string]string) *star.File {
	t.Helper()
	folder, err := fs.Sub(examples.Files(), path.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := star.Load(context.Background(), name, read(t, name), star.Options{
		Set: set, Open: func(name string) ([]byte, error) { return fs.ReadFile(folder, name) }, List: star.ListOf(folder),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := fs.ReadFile(examples.Files(), file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := fs.Glob(examples.Files(), pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// networks returns the names of the examples of networks, sorted, but for those in field.
func networks(t *testing.T) []string {
	t.Helper()
	names := append(glob(t, "*.star"), "protocols/requests_ring.star")
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], ".star")
	}
	slices.Sort(names)
	return names
}

// size is the size of a network, which a wrong link or a wrong hop changes.
type size struct{ Nodes, Channels, Flows, Sites int }

func TestExamples(t *testing.T) {
	sizes := map[string]size{
		// A router that gives one answer for each destination makes one site of
		// each flow; 0 means that no closed form is known here.
		"ring":       {4, 4, 12, 12},
		"torus":      {64, 512, 64 * 63, 64 * 63},
		"torus_nd":   {64, 768, 64 * 63, 64 * 63},
		"mesh":       {24, 2 * (5*4 + 6*3), 24 * 23, 24 * 23},
		"west_first": {25, 80, 25 * 24, 0},
		"hypercube":  {16, 64, 16 * 15, 16 * 15},
		"leaf_spine": {12, 64, 56, 8 * (7*4 + 4)},
		"dragonfly":  {6, 18, 30, 0},
		// To each host: 11 channels of other hosts, one of each of 3 leaves, of the spine, and of the last leaf.
		"clos_tables": {12 + 4 + 2, 2 * 4 * (3 + 2), 12 * 11, 12 * (11 + 3 + 1 + 1)},
	}
	if got := len(networks(t)); got < 8 {
		t.Errorf("%d examples, want 8 or more", got)
	}
	for _, name := range networks(t) {
		t.Run(name, func(t *testing.T) {
			n := load(t, name, nil)
			if want := n.Expect(); len(want) != 3 {
				t.Errorf("%v is expected: want all three properties", want)
			}
			if err := delivers(n); err != nil {
				t.Error(err)
			}
			got := size{n.Topology().Nodes(), n.Topology().Channels(), n.FlowCount(), n.SiteCount()}
			if want, ok := sizes[name]; ok {
				if want.Sites == 0 {
					want.Sites = got.Sites
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("size (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestVariants runs the examples with the parameters that their comments name.
func TestVariants(t *testing.T) {
	for _, v := range []struct {
		name string
		set  map[string]string
	}{
		{"ring", map[string]string{"vcs": "2", "n": "9"}},
		{"ring_tag", map[string]string{"n": "5"}},
		{"torus", map[string]string{"k": "5"}},
		{"torus_nd", map[string]string{"n": "2", "k": "3"}},
		{"mesh", map[string]string{"order": "yx", "w": "1"}},
		{"duato_mesh", map[string]string{"escape": "false"}},
		{"escape", map[string]string{"escape": "dateline"}},
		{"escape", map[string]string{"escape": "ring", "leave": "true"}},
		{"dragonfly", map[string]string{"a": "4", "h": "2", "local_vcs": "1"}},
		{"spidergon", map[string]string{"n": "14", "vcs": "1"}},
		{"up_down", map[string]string{"root": "g"}},
		{"hop_index", map[string]string{"vcs": "1"}},
		{"leaf_spine", map[string]string{"spines": "1"}},
	} {
		t.Run(fmt.Sprint(v.name, v.set), func(t *testing.T) {
			if err := delivers(load(t, v.name, v.set)); err != nil {
				t.Error(err)
			}
		})
	}
}

// delivers checks that from every site, injections included, the destination
// can be reached: it walks back from the sites that eject.
func delivers(n *spec.Network) error {
	for i := range n.Tables() {
		t := n.Table(i)
		arrives := map[spec.Hop]bool{}
		for changed := true; changed; {
			changed = false
			for j := range t.Channels {
				here := spec.Hop{Channel: t.Channels[j], Tag: t.Tag(j)}
				if !arrives[here] && leads(n, t.Rows[j], arrives) {
					arrives[here], changed = true, true
				}
			}
		}
		if len(arrives) != t.Len() {
			return fmt.Errorf("for %s: %d of %d sites lead to the destination", n.Topology().Node(t.Dest).Name, len(arrives), t.Len())
		}
		for _, s := range t.Sources {
			if !leads(n, s.Row, arrives) {
				return fmt.Errorf("nothing gets from %s to %s", n.Topology().Node(s.Node).Name, n.Topology().Node(t.Dest).Name)
			}
		}
	}
	return nil
}

func leads(n *spec.Network, r spec.RowID, arrives map[spec.Hop]bool) bool {
	if n.Arrives(r) {
		return true
	}
	for _, h := range n.Row(r) {
		if arrives[h] {
			return true
		}
	}
	return false
}
