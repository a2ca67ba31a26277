package peach2

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func generate(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := Generate(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func inspect(t testing.TB, c *Cluster) *Inspection {
	t.Helper()
	in, err := Inspect(c)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// all options that give a cluster, for rings of some sizes.
func eachOptions(sizes []int, f func(Options)) {
	for _, n := range sizes {
		for variant := range VariantNames {
			f(Options{Boards: n, Variant: Variant(variant)})
			for order := range OrderNames {
				for _, coupled := range [][]int{nil, {0}, {0, n - 1}} {
					if n == 2 && len(coupled) == 2 || coupled != nil && Variant(variant) == CutBoard {
						continue // that is nil; refused
					}
					f(Options{Boards: n, Rings: 2, Variant: Variant(variant), Order: Order(order), Coupled: coupled, South: [2]Role{RootComplex, Endpoint}})
				}
			}
		}
	}
}

// TestGenerated: every address of the 512 GB window is right at every board; the
// unowned addresses are the parts beyond the last node.
func TestGenerated(t *testing.T) {
	try := func(o Options) {
		c := generate(t, o)
		in := inspect(t, c)
		if len(in.Faults) > 0 {
			t.Errorf("%+v: %v", o, in.Faults[0])
		}
		owned := c.Map.Part * uint64(len(c.Boards))
		if in.Owned != owned || in.Owned+in.Unowned != 1<<39 {
			t.Errorf("%+v: %d addresses owned, %d not, want %d", o, in.Owned, in.Unowned, owned)
		}
	}
	eachOptions([]int{2, 3, 4, 5, 8}, try)
	for variant := range VariantNames {
		try(Options{Boards: 16, Variant: Variant(variant)})
	}
	try(Options{Boards: 16, Rings: 2, Order: SouthFirst, South: [2]Role{Endpoint, RootComplex}})
}

// bruteFaults tries every address by the definitions.
func bruteFaults(c *Cluster) map[string]uint64 {
	found := map[string]uint64{}
	w := c.wiring()
	for a := uint64(0); a < c.Map.Window; a++ {
		node, device := int(a/c.Map.Part), devices
		for _, x := range c.Map.Areas {
			if in := a % c.Map.Part; x.Start <= in && in < x.Start+x.Size {
				device = x.Device
			}
		}
		owned := node < len(c.Boards) && device != devices
		out := func(b int) []Port {
			set := map[Port]bool{}
			for _, r := range c.Boards[b].Registers {
				if m := a & r.Mask; m >= r.Lower && m <= r.Upper {
					set[r.Port] = true
				}
			}
			var ps []Port
			for p := range ports {
				if set[p] {
					ps = append(ps, p)
				}
			}
			return ps
		}
		forward := func(b int) (int, bool) { // only packets that leave by a cable
			ps := out(b)
			if len(ps) != 1 || ps[0] == North || ps[0] == Internal || !w[b][ps[0]].ok {
				return 0, false
			}
			return w[b][ps[0]].jack.Board, true
		}
		for b := range c.Boards {
			say := func(k Kind) { found[fmt.Sprint(b, " ", k)]++ }
			ps := out(b)
			switch {
			case len(ps) > 1:
				say(Overlap)
			case !owned && len(ps) == 1:
				say(Stray)
			case !owned:
			case len(ps) == 0:
				say(Gap)
			case ps[0] == North || ps[0] == Internal:
				switch {
				case b != node:
					say(WrongNode)
				case (ps[0] == Internal) != (device == BoardMemory):
					say(WrongDevice)
				}
				if b != node || ps[0] != North {
					break
				}
				left := a - c.Boards[b].Offset // wraps below 0
				if left >= c.Map.Part {
					say(Outside)
					break
				}
				local := devices
				for _, x := range c.Map.Areas {
					if x.Start <= left && left < x.Start+x.Size {
						local = x.Device
					}
				}
				if local != device && device != BoardMemory {
					say(WrongDevice)
				}
			case !w[b][ps[0]].ok:
				say(Unconnected)
			default:
				at := b
				for range len(c.Boards) {
					next, ok := forward(at)
					if !ok {
						break
					}
					if at = next; at == b {
						say(Cycle)
						break
					}
				}
			}
		}
	}
	return found
}

// TestInspectAgreesWithBruteForce: clusters on a window of 256 addresses whose
// registers, offsets and areas have been changed at random.
func TestInspectAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Boards: rapid.IntRange(2, 5).Draw(t, "boards"), Rings: rapid.IntRange(1, 2).Draw(t, "rings"), Bits: 8,
			Variant: Variant(rapid.IntRange(0, len(VariantNames)-1).Draw(t, "variant")), South: [2]Role{RootComplex, Endpoint},
		}
		c, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			b := &c.Boards[rapid.IntRange(0, len(c.Boards)-1).Draw(t, "board")]
			r := rapid.IntRange(0, len(b.Registers)-1).Draw(t, "register")
			small := rapid.Uint64Range(0, 255)
			switch rapid.IntRange(0, 7).Draw(t, "change") {
			case 0:
				b.Registers[r] = smallRegister(t, 8)
			case 1:
				b.Registers = append(b.Registers, smallRegister(t, 8))
			case 2:
				b.Registers[r].Upper = small.Draw(t, "upper")
			case 3:
				b.Registers[r].Mask = small.Draw(t, "mask")
			case 4:
				b.Registers[r].Port = Port(rapid.IntRange(0, int(ports)-1).Draw(t, "port"))
			case 5:
				b.Offset = small.Draw(t, "offset")
			case 6:
				c.Map.Areas[len(c.Map.Areas)-1].Size = 1
			case 7:
				if len(c.Cables) > 0 {
					c.Cables = c.Cables[1:]
				}
			}
		}
		in, err := Inspect(c)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]uint64{}
		for _, f := range in.Faults {
			got[fmt.Sprint(f.Board, " ", f.Kind)] += f.Count
		}
		if diff := cmp.Diff(bruteFaults(c), got); diff != "" {
			t.Errorf("addresses by board and fault (-brute force +got):\n%s", diff)
		}
	})
}

// TestSubtractionIntoAHole: the host of board 1 has only one byte in the last quarter
// of its part, and an offset three quarters too low moves its memory there: all of it
// is at another device or at none.
func TestSubtractionIntoAHole(t *testing.T) {
	c := generate(t, Options{Boards: 4, Bits: 10}) // parts of 256, quarters of 64
	c.Map.Areas[3].Size = 1
	c.Boards[1].Offset -= 192
	var got []Fault
	for _, f := range inspect(t, c).Faults {
		if f.Kind != Stray { // the rest of the last quarter belongs to nobody now
			got = append(got, f)
		}
	}
	want := []Fault{{1, WrongDevice, 256, 64}, {1, Outside, 256 + 64, 128}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFaultsOfTheMachine: one register or offset of a machine of 16 boards is
// changed; the addresses are known beforehand.
func TestFaultsOfTheMachine(t *testing.T) {
	const part = uint64(1) << 35
	for _, tt := range []struct {
		name   string
		change func(c *Cluster)
		want   []Fault
	}{
		{"a register lost", func(c *Cluster) {
			rs := c.Boards[3].Registers
			for i, r := range rs {
				if r.Port == East {
					c.Boards[3].Registers = append(rs[:i:i], rs[i+1:]...)
					break
				}
			}
		}, []Fault{{3, Gap, 4 * part, 8 * part}}}, // distances 1..8 east of 3
		{"an upper bound one part too high", func(c *Cluster) {
			for i, r := range c.Boards[3].Registers {
				if r.Port == East {
					c.Boards[3].Registers[i].Upper += part
				}
			}
		}, []Fault{{3, Overlap, 12 * part, part}}},
		{"the offset of the board before", func(c *Cluster) { c.Boards[5].Offset = 4 * part },
			[]Fault{{5, Outside, 5 * part, part / 4 * 3}}},
		{"an offset one byte too high", func(c *Cluster) { c.Boards[5].Offset++ },
			[]Fault{
				{5, WrongDevice, 5*part + part/4, 2}, // the first bytes of GPU0 and GPU1
				{5, Outside, 5 * part, 1},
			}},
		{"E and W of board 0 exchanged", func(c *Cluster) {
			for i, r := range c.Boards[0].Registers {
				switch r.Port {
				case East:
					c.Boards[0].Registers[i].Port = West
				case West:
					c.Boards[0].Registers[i].Port = East
				}
			}
			// Nodes 1 to 7 go back west from board 0, board 15 sends them east
			// again; those at distance 8 from board 15 are node 7, which goes
			// east, too. Nodes 9 to 15 likewise between 0 and 1; 9 is at
			// distance 8 from board 1, east. Node 8: board 15 sends it west.
		}, []Fault{
			{0, Cycle, part, 7*part + 6*part},
			{1, Cycle, 10 * part, 6 * part},
			{15, Cycle, part, 7 * part},
		}},
		{"a cable missing", func(c *Cluster) { c.Cables = c.Cables[:15] }, // 15.E-0.W
			[]Fault{
				{0, Unconnected, 9 * part, 7 * part},
				{15, Unconnected, 0, 8 * part},
			}},
	} {
		c := generate(t, Options{Boards: 16})
		tt.change(c)
		if diff := cmp.Diff(tt.want, inspect(t, c).Faults); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// smallRegister draws a register on a window of a given number of bits, with a mask and
// bounds of any form; the bounds may lie beyond the window or be reversed.
func smallRegister(t *rapid.T, bits int) Register {
	n := rapid.Uint64Range(0, 1<<bits+3)
	r := Register{Port: Port(rapid.IntRange(0, int(ports)-1).Draw(t, "port")), Mask: n.Draw(t, "mask"), Lower: n.Draw(t, "lower"), Upper: n.Draw(t, "upper")}
	if rapid.Bool().Draw(t, "masked bounds") {
		r.Lower &= r.Mask
		r.Upper &= r.Mask
	}
	return r
}
