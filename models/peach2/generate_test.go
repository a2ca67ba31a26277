package peach2

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

func TestGenerateRefuses(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Boards: 4, Rings: 2}, "cable 0.S-4.S joins rc and rc: a PCI Express link needs a root complex (rc) and an endpoint (ep)"},
		{Options{Boards: 4, Rings: 2, South: [2]Role{Endpoint, Endpoint}},
			"cable 0.S-4.S joins ep and ep: a PCI Express link needs a root complex (rc) and an endpoint (ep)"},
		{Options{Boards: 4, Rings: 2, Coupled: []int{4}}, "coupled board 4: boards of a ring are numbered 0 to 3"},
		{Options{Boards: 4, Rings: 2, Coupled: []int{0}, South: [2]Role{0, 1}, Variant: CutBoard},
			"cut-board: no path from board 5 to node 1: couple all boards"},
		{Options{Boards: 4, Rings: 2, Coupled: []int{}}, "two rings need at least one coupled board"},
		{Options{Boards: 4, Rings: 2, Coupled: []int{1, 1}, South: [2]Role{0, 1}}, "cable 1.S-5.S: port 1.S already has the cable 1.S-5.S"},
	} {
		_, err := Generate(tt.o)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v, want %s", tt.o, err, tt.want)
		}
	}
	_, err := Generate(Options{Boards: 2, Rings: 2})
	var role *RoleError
	if !errors.As(err, &role) || role.Role != RootComplex {
		t.Errorf("two root complexes: %v, want a *RoleError", err)
	}
}

func TestParseTies(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"east", "EEEE"}, {"west", "WWWW"}, {"alternate", "EWEW"}, {"EEWE", "EEWE"},
		{"EEW", ""}, {"EEWN", ""}, {"", ""}, {"East", ""},
	} {
		ties, err := ParseTies(tt.text, 4)
		if (err == nil) != (tt.want != "") || err == nil && TiesText(ties) != tt.want {
			t.Errorf("%q: %v, %v, want %s", tt.text, ties, err, tt.want)
		}
	}
}

// TestRegistersOfFourBoards: the example of the paper's figure 4, a ring of four,
// worked out by hand: 128 GB a node, ties east.
func TestRegistersOfFourBoards(t *testing.T) {
	const g = uint64(1) << 30
	c := generate(t, Options{Boards: 4})
	part, device := uint64(3)<<37, uint64(0xf)<<35 // the bits that tell nodes, and devices, apart
	want := []Register{
		{North, device, 128 * g, 192 * g}, // host, GPU0, GPU1 of node 1
		{Internal, device, 224 * g, 224 * g},
		{East, part, 256 * g, 384 * g}, // nodes 2 and 3
		{West, part, 0, 0},             // node 0
	}
	if diff := cmp.Diff(want, c.Boards[1].Registers); diff != "" {
		t.Errorf("board 1 (-want +got):\n%s", diff)
	}
	if c.Map.Window != 512*g || c.Boards[3].Offset != 384*g {
		t.Errorf("window %#x, offset of board 3 %#x", c.Map.Window, c.Boards[3].Offset)
	}
}

// TestHops: the longest paths known beforehand: half a ring, a whole line, all but two
// cables of a ring, one cable more for the other ring if all boards are coupled.
func TestHops(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 8, 9, 16} {
		for variant, one := range map[Variant]int{Minimal: n / 2, Dateline: n / 2, Cut: n - 1, OneWay: n - 1, CutBoard: max(n/2, n-2)} {
			for _, o := range []Options{
				{Boards: n, Variant: variant},
				{Boards: n, Variant: variant, Rings: 2, South: [2]Role{0, 1}},
				{Boards: n, Variant: variant, Rings: 2, South: [2]Role{1, 0}, Order: SouthFirst},
			} {
				if n > 9 && o.Rings == 2 {
					continue
				}
				h, err := CountHops(generate(t, o))
				if err != nil {
					t.Fatal(err)
				}
				if want := one + max(o.Rings, 1) - 1; h.Most != want {
					t.Errorf("n=%d, %s, %d rings: %d hops, want %d", n, VariantNames[variant], o.Rings, h.Most, want)
				}
			}
		}
	}
}

// TestNoRouteOfAnotherClass: a header of a class that no registers route, the first beyond those there are, goes nowhere.
func TestNoRouteOfAnotherClass(t *testing.T) {
	n, err := New(generate(t, Options{Boards: 3}), NetworkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for class := range spec.Class(3) {
		hops, err := n.Routing.AppendHops(nil, spec.Injection(0), spec.Header{Dest: 1, Class: class})
		if routed := class == 0; err != nil || (len(hops) > 0) != routed {
			t.Errorf("class %d: %v, %v, want a hop: %t", class, hops, err, routed)
		}
	}
}

// TestFaultyRegistersHaveNoPaths: paths and hops are refused if Inspect finds a fault.
func TestFaultyRegistersHaveNoPaths(t *testing.T) {
	c := generate(t, Options{Boards: 4})
	c.Boards[2].Registers = c.Boards[2].Registers[:1]
	if _, err := CountHops(c); err == nil || !strings.HasPrefix(err.Error(), "the registers are faulty: board 2, gap: 0x0 and so on, ") {
		t.Errorf("error %v", err)
	}
}

// TestRings: boards are found ring by ring along their E ports.
func TestRings(t *testing.T) {
	c := generate(t, Options{Boards: 3, Rings: 2, South: [2]Role{0, 1}})
	if got := fmt.Sprint(c.rings()); got != "[[0 1 2] [3 4 5]]" {
		t.Errorf("rings %s", got)
	}
	c.Cables = c.Cables[1:] // 0.E-1.W: a line 1, 2, 0
	if got := fmt.Sprint(c.rings()); got != "[[1 2 0] [3 4 5]]" {
		t.Errorf("rings %s", got)
	}
}
