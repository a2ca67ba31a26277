package star_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// overNetwork is flood over a ring whose packets are turned round at node 0 on another line.
func overNetwork(t *testing.T) *program.Program {
	t.Helper()
	net := `at = [node() for _ in range(3)]
for i in range(3):
    link(at[i], at[(i + 1) % 3])
def on(at):
    return hop(at.node.out[0])
def route(at, to):
    if at.node.id == 0:
        return [hop(at.node.out[0])]
    return [on(at)]
`
	f, err := star.Load(context.Background(), "m.star", []byte("CLASSES = [\"\"]\n"+flood), star.Options{Open: folder{"net.star": net}.open})
	if err != nil {
		t.Fatal(err)
	}
	return f.Program
}

// TestHopsNameTheNetwork: a packet's move names the line of the network's file that permits it,
// the innermost one, and never a file that the author has not written.
func TestHopsNameTheNetwork(t *testing.T) {
	want := map[string]string{
		"a packet moves on from 0->1 vc0": "net.star:5:12",
		"a packet moves on from 1->2 vc0": "net.star:5:12",
		"a packet moves on from 2->0 vc0": "net.star:8:17",
		"send":                            "m.star:4:1",
		"take":                            "m.star:6:1",
	}
	for _, r := range overNetwork(t).Rules {
		name := r.Name
		for _, own := range []string{"send", "take"} {
			if strings.HasPrefix(name, own) {
				name = own
			}
		}
		if r.Where.Text != want[name] {
			t.Errorf("%s is by %v, want %s", r.Name, r.Where, want[name])
		}
	}
}

// TestConditionsOfNetworks: for a rule that is refused, and in coverage, the conditions of
// network_of are placed where the author calls it, or permits the hop.
func TestConditionsOfNetworks(t *testing.T) {
	p := overNetwork(t)
	from := star.SourceOf(p)
	refused := map[string]string{}
	for k, r := range p.Rules {
		if !r.Guard.Holds(p.Start()) {
			name := r.Name
			if strings.HasPrefix(name, "take") {
				name = "take"
			}
			at, why := from.Refusal(k, p.Start())
			file := strings.Split(at, ":")
			refused[name] = file[0] + ":" + file[1] + " " + why
		}
	}
	want := map[string]string{
		"a packet moves on from 0->1 vc0": "net.star:5 there is a packet",
		"a packet moves on from 1->2 vc0": "net.star:5 there is a packet",
		"a packet moves on from 2->0 vc0": "net.star:8 there is a packet",
		"take":                            "m.star:7 there is a packet",
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused at first (-want +got):\n%s", diff)
	}
	c, err := from.Coverage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]bool{}
	for _, w := range c.Whens {
		if w.File != "net.star" && w.File != "m.star" {
			t.Errorf("a condition at %s:%d", w.File, w.Line)
		}
		why[w.File+" "+w.Why] = true
	}
	for _, text := range []string{"net.star there is a packet", "net.star there is room", "m.star there is room", "m.star it has arrived"} {
		if !why[text] {
			t.Errorf("no condition %q", text)
		}
	}
}
