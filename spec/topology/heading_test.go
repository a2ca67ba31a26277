package topology

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestHeading: the first row is a heading only if both ends are named; otherwise it is a link like the others.
func TestHeading(t *testing.T) {
	for text, want := range map[string][]string{
		"from,to\na,b\n":            {"a>b"},
		"to,from\na,b\n":            {"b>a"},
		"source,note,target\na,x,b": {"a>b"},
		"from,b\na,b\n":             {"from>b", "a>b"},
		"a,to\na,b\n":               {"a>to", "a>b"},
		"a,b\nfrom,to\n":            {"a>b", "from>to"},
	} {
		r, err := Read(t.Context(), "n.csv", []byte(text), Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for l := range r.Topology.Links() {
			k := r.Topology.Link(spec.LinkID(l))
			got = append(got, r.Topology.Node(k.From).Name+">"+r.Topology.Node(k.To).Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
