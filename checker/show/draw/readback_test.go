package draw

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// told writes down everything that a topology has.
func told(t *spec.Topology) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q\n", t.VCNames())
	for v := range spec.NodeID(t.Nodes()) {
		fmt.Fprintf(&b, "%q\n", fmt.Sprint(t.Node(v)))
	}
	for l := range spec.LinkID(t.Links()) {
		fmt.Fprintf(&b, "%+v\n", t.Link(l))
	}
	return b.String()
}

// TestReadBack: a topology written as GraphML or JSON reads back the same, whatever its names. Links
// from a node to itself are left out: the reader refuses them.
func TestReadBack(t *testing.T) {
	name := rapid.OneOf(rapid.StringMatching(`[a-z(]?[0-9](,-?[0-9]\))?`), rapid.Map(rapid.StringN(1, 8, -1), func(s string) string {
		return strings.TrimSpace(printable(spec.Printable(strings.ToValidUTF8(s, "")))) // what XML cannot hold is written as a box
	}))
	rapid.Check(t, func(t *rapid.T) {
		top := spec.NewTopology(rapid.SampledFrom([][]string{nil, {"CH", "CA", "CF"}}).Draw(t, "vcs")...)
		dims := rapid.IntRange(0, 3).Draw(t, "dims")
		seen := map[string]bool{"": true}
		for range rapid.IntRange(2, 8).Draw(t, "nodes") {
			n := name.Draw(t, "name")
			if seen[n] || dims == 0 && strings.HasPrefix(n, "(") { // which is read as coordinates
				continue
			}
			seen[n] = true
			var at []int
			for range dims {
				at = append(at, rapid.IntRange(-3, 99).Draw(t, "x"))
			}
			top.AddNode(n, at...)
		}
		if top.Nodes() < 2 {
			t.Skip("one node")
		}
		for range rapid.IntRange(0, 12).Draw(t, "links") {
			a := rapid.IntRange(0, top.Nodes()-2).Draw(t, "from")
			b := rapid.IntRange(a+1, top.Nodes()-1).Draw(t, "to")
			if rapid.Bool().Draw(t, "down") {
				a, b = b, a
			}
			top.AddLink(spec.Link{From: spec.NodeID(a), To: spec.NodeID(b), VCs: rapid.IntRange(1, 9).Draw(t, "n"),
				Out: rapid.SampledFrom([]string{"", "+x", "p1"}).Draw(t, "out"),
				In:  rapid.SampledFrom([]string{"", "-x", "7"}).Draw(t, "in"),
				Dim: rapid.IntRange(0, 3).Draw(t, "dim")})
		}
		ends := []spec.NodeID{}
		for v := range spec.NodeID(top.Nodes()) {
			if rapid.Bool().Draw(t, "sends") {
				ends = append(ends, v)
			}
		}
		format, write := "graphml", WriteGraphML
		if rapid.Bool().Draw(t, "json") {
			format, write = "networkx", WriteJSON
		}
		var text bytes.Buffer
		if err := write(&text, Topology("net", top).Sending(ends)); err != nil {
			t.Fatal(err)
		}
		g, err := topology.Read(context.Background(), "f", text.Bytes(), topology.Options{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		if diff := cmp.Diff(told(top), told(g.Topology)); diff != "" {
			t.Fatalf("(-written +read)\n%s\n%s", diff, text.String())
		}
		if g.Name != "net" || g.Format != format || !slices.Equal(g.Terminals, ends) {
			t.Fatalf("read as %s %q with terminals %v, not %v", g.Format, g.Name, g.Terminals, ends)
		}
	})
}

// TestPointsAreNoCoordinates: a node's place in the picture is not its place in the topology.
func TestPointsAreNoCoordinates(t *testing.T) {
	top := spec.NewTopology()
	for _, name := range []string{"a", "b", "c"} {
		top.AddNode(name)
	}
	for points, write := range map[string]func(io.Writer, *Graph) error{`<data key="node-x">`: WriteGraphML, `,"x":`: WriteJSON} {
		var text bytes.Buffer
		if err := write(&text, Topology("net", top)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), points) {
			t.Fatal("the picture has no points")
		}
		g, err := topology.Read(t.Context(), "f", text.Bytes(), topology.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(told(top), told(g.Topology)); diff != "" {
			t.Errorf("(-written +read)\n%s", diff)
		}
	}
}
