package addresses_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/spec"
)

// twoBoards has addresses of three bits. 0..3 belong to port 0 of board 0, where
// nothing is subtracted; 4..5 to port 0 of board 1, which subtracts 4; 6 and 7 to
// nobody. Port 1 of each board leads to the other one.
func twoBoards() *addresses.Table {
	return &addresses.Table{
		Bits: 3, Boards: 2, Ports: 2, Most: 1,
		Registers: []addresses.Register{
			{Board: 0, Port: 0, Mask: 4, Lower: 0, Upper: 0}, {Board: 0, Port: 1, Mask: 6, Lower: 4, Upper: 4},
			{Board: 1, Port: 0, Mask: 7, Lower: 4, Upper: 5}, {Board: 1, Port: 1, Mask: 4, Lower: 0, Upper: 0},
		},
		Cables: []addresses.Cable{{FromBoard: 0, FromPort: 1, ToBoard: 1, ToPort: 1}},
		Areas: []addresses.Area{
			{Board: 0, Port: 0, First: 0, Last: 3, LocalLast: 3},
			{Board: 1, Port: 0, First: 4, Last: 5, Subtract: 4, LocalLast: 1},
		},
		Cases: []int8{2, -1, 1, -1, -1}, // bit 2: 0 -> 0..3; 1 -> bit 1: 0 -> 4, 5; 1 -> 6, 7
	}
}

func TestVerify(t *testing.T) {
	fault := func(board int, address uint64) func(*addresses.Table) {
		return func(t *addresses.Table) {
			t.Cases, t.Fault = nil, addresses.Fault{Board: board, Address: address}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*addresses.Table)
		want   string // "" accepts
	}{
		{"right", func(*addresses.Table) {}, ""},
		{"more cases than needed", func(t *addresses.Table) { t.Cases = []int8{2, 0, -1, -1, 1, -1, -1} }, ""},
		{"a cable to spare", func(t *addresses.Table) { t.Most = 2 }, ""},
		{"no cases, no fault", func(t *addresses.Table) { t.Cases = nil }, "address 0x0 arrives where it belongs"},
		{"an address that is right", fault(1, 4), "arrives where it belongs from board 1"},
		{"not an address", fault(0, 8), "no such address"},
		{"not a board", fault(2, 0), "no such address or board"},
		{"one case", func(t *addresses.Table) { t.Cases = []int8{-1} }, "more bits than are known"},
		{"half of the cases", func(t *addresses.Table) { t.Cases = []int8{2, -1} }, "ends too early"},
		{"a case twice", func(t *addresses.Table) { t.Cases = append(t.Cases, -1) }, "1 cases after the last that is needed"},
		{"a bit twice", func(t *addresses.Table) { t.Cases = []int8{2, -1, 2, -1, -1} }, "splits on bit 2, which is already known"},
		{"not a bit", func(t *addresses.Table) { t.Cases[0] = 3 }, "splits on bit 3"},
		{"a bit below 0", func(t *addresses.Table) { t.Cases[0] = -2 }, "splits on bit -2"},
		{"no cable on the way", func(t *addresses.Table) { t.Most = 0 }, "more than 0 cables"},
		{"a gap", func(t *addresses.Table) { t.Registers = t.Registers[:3] }, "no register of board 1"},
		{"an overlap", func(t *addresses.Table) { t.Registers[1].Mask = 0; t.Registers[1].Lower = 0 }, "registers of ports 0 and 1 of board 0"},
		{"nobody's address", func(t *addresses.Table) { t.Registers[2].Upper = 7 }, "an address that no device claims leaves board 1"},
		{"the wrong port", func(t *addresses.Table) { t.Registers[2].Port = 1 }, "more than 1 cables"},
		{"no cable", func(t *addresses.Table) { t.Cables = nil }, "which is not its own and has no cable"},
		{"a cycle", func(t *addresses.Table) { t.Registers[0].Port = 1 }, "more than 1 cables"},
		{"subtracts too much", func(t *addresses.Table) { t.Areas[1].Subtract = 5 }, "after subtracting"},
		{"subtracts too little", func(t *addresses.Table) { t.Areas[1].Subtract = 3 }, "after subtracting"},
		{"below the local addresses", func(t *addresses.Table) { t.Areas[1].LocalFirst = 1 }, "after subtracting"},
		{"areas in common", func(t *addresses.Table) { t.Areas[1].First = 3 }, "in common"},
		{"an area with a cable", func(t *addresses.Table) { t.Areas[1].Port = 1 }, "the port has a cable"},
		{"an area beyond", func(t *addresses.Table) { t.Areas[1].Last = 8 }, "invalid range"},
		{"a port twice", func(t *addresses.Table) { t.Cables = append(t.Cables, t.Cables[0]) }, "already has a cable"},
		{"a cable into itself", func(t *addresses.Table) { t.Cables[0] = addresses.Cable{} }, "already has a cable"},
		{"a cable to no port", func(t *addresses.Table) { t.Cables[0].ToPort = 2 }, "does not exist"},
		{"a register of no board", func(t *addresses.Table) { t.Registers[0].Board = -1 }, "no port 0 of board -1"},
		{"no areas", func(t *addresses.Table) { t.Areas, t.Registers = nil, nil; t.Cases = []int8{-1} }, "nothing is shown"},
		{"no bits", func(t *addresses.Table) { t.Bits = 0 }, "want 1 to 62"},
		{"more bits than a word shifts", func(t *addresses.Table) { t.Bits = 63 }, "want 1 to 62"},
		{"boards beyond", func(t *addresses.Table) { t.Boards = 1025 }, "want 1 to 1024"},
		{"no ports", func(t *addresses.Table) { t.Ports = 0 }, "want 1 to 1024 with 1 to 64"},
		{"ports beyond", func(t *addresses.Table) { t.Ports = 65 }, "want 1 to 1024 with 1 to 64"},
		{"fewer cables than none", func(t *addresses.Table) { t.Most = -1 }, "want 0 to 2"},
		{"a board below all", fault(-1, 0), "no such address or board"},
		{"a cable from no port", func(t *addresses.Table) { t.Cables[0].FromPort = 2 }, "does not exist"},
		{"a second cable from a port", func(t *addresses.Table) {
			t.Ports = 3
			c := t.Cables[0]
			c.ToPort = 2
			t.Cables = append(t.Cables, c)
		}, "already has a cable"},
		{"a second cable to a port", func(t *addresses.Table) {
			t.Ports = 3
			c := t.Cables[0]
			c.FromPort = 2
			t.Cables = append(t.Cables, c)
		}, "already has a cable"},
		{"an area of no port", func(t *addresses.Table) { t.Areas[1].Port = 2 }, "area 2: no port 2"},
		{"an area from its end", func(t *addresses.Table) { t.Areas[1].First = t.Areas[1].Last + 1 }, "invalid range"},
		{"no boards", func(t *addresses.Table) { t.Boards = 0 }, "want 1 to 1024"},
		{"a register of the board after the last", func(t *addresses.Table) { t.Registers[0].Board = 2 }, "no port 0 of board 2"},
		{"a second cable from a port to board 0", func(t *addresses.Table) {
			t.Ports = 3
			t.Cables = append(t.Cables, addresses.Cable{FromBoard: 1, FromPort: 1, ToBoard: 0, ToPort: 2})
		}, "already has a cable"},
		// Within all bounds, so that another fault is reported, or none.
		// of the area
		{"as many bits as there may be", func(t *addresses.Table) { t.Bits = 62 }, "0x3ffffffffffffffb, from board 0: whether it lies in 0x0..0x3"},
		{"one bit", func(t *addresses.Table) {
			t.Bits, t.Cases = 1, []int8{-1}
			t.Registers = []addresses.Register{{Board: 0, Port: 0}, {Board: 1, Port: 1}}
			t.Areas = []addresses.Area{{Board: 0, Port: 0, First: 0, Last: 1, LocalLast: 1}}
		}, ""},
		{"as many boards and ports as there may be", func(t *addresses.Table) { t.Boards, t.Ports = 1024, 64 }, "no register of board 2"},
		{"an area of one address", func(t *addresses.Table) {
			t.Areas[1].Last = 4
			t.Registers[1].Mask, t.Registers[2].Upper, t.Cases = 7, 4, []int8{2, -1, 1, 0, -1, -1, -1}
		}, ""},
		{"the port of another board", func(t *addresses.Table) { t.Registers[1].Port = 0 }, "leaves board 0 by port 0, which is not its own and has no cable"},
		{"a register within a case, from below", func(t *addresses.Table) { t.Registers[2].Lower = 5 }, "depends on more bits than are known"},
		{"a register within a case, from above", func(t *addresses.Table) { t.Registers[2].Upper = 4 }, "depends on more bits than are known"},
		{"a register twice", func(t *addresses.Table) { t.Registers = append(t.Registers, t.Registers[0]) }, ""},
		{"a register of no address", func(t *addresses.Table) {
			t.Registers = append(t.Registers, addresses.Register{Board: 0, Port: 0, Mask: 7, Lower: 5, Upper: 4})
		}, ""},
		{"a register of a port below", func(t *addresses.Table) { t.Registers[2].Port = -1 }, "no port -1 of board 1"},
		{"too many cables", func(t *addresses.Table) { t.Most = 3 }, "want 0 to 2"},
	} {
		table := twoBoards()
		tt.change(table)
		t.Run(tt.name, func(t *testing.T) { refusal(t, addresses.Verify(table), tt.want) })
	}
	refusal(t, addresses.Verify(nil), "no table")
	// With no cable allowed, every path to another board is too long: that shows
	// nothing about this one. Other faults remain faults.
	near := twoBoards()
	fault(1, 0)(near)
	near.Most = 0
	refusal(t, addresses.Verify(near), "arrives where it belongs from board 1")
	near.Cables = nil
	refusal(t, addresses.Verify(near), "")
	// A third board behind the second: two cables to the first where one is allowed
	// violate the bound, not the claim that the address arrives where it belongs.
	far := twoBoards()
	fault(2, 0)(far)
	far.Boards, far.Ports = 3, 3
	far.Cables = append(far.Cables, addresses.Cable{FromBoard: 1, FromPort: 2, ToBoard: 2, ToPort: 1})
	far.Registers = append(far.Registers, addresses.Register{Board: 2, Port: 1, Mask: 4})
	refusal(t, addresses.Verify(far), "")
	if property, why := far.Why(); property != addresses.Hops || why != "it arrives where it belongs, but its path has more than 1 cables" {
		t.Errorf("%s: %s", property, why)
	}
	far.Cables = far.Cables[:1]
	if property, _ := far.Why(); property != addresses.Arrive {
		t.Errorf("without a cable on its way: %s", property)
	}
	// With a gap, the addresses 0 to 3 from board 1 are faults, and no others.
	for address := range uint64(8) {
		table := twoBoards()
		table.Registers = table.Registers[:3]
		fault(1, address)(table)
		if err := addresses.Verify(table); (err == nil) != (address < 4) {
			t.Errorf("address %d: %v", address, err)
		}
	}
}

func TestAddressesForm(t *testing.T) {
	for _, table := range []*addresses.Table{twoBoards(), {Bits: 3, Boards: 1, Ports: 1, Fault: addresses.Fault{Board: 2, Address: 0x1f}}} {
		var b bytes.Buffer
		if err := write.Addresses(&b, table); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		got, err := addresses.Read("table", strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(table, got); diff != "" {
			t.Error(diff)
		}
		if at := strings.Index(text, "\nfault "); at >= 0 {
			more := text[:at] + strings.Replace(text[at:], "\nend", " 0\nend", 1)
			if _, err := addresses.Read("table", strings.NewReader(more)); err == nil || !strings.Contains(err.Error(), `want "fault BOARD ADDRESS"`) {
				t.Errorf("a word more: %v in\n%s", err, more)
			}
		}
		lines := strings.SplitAfter(text, "\n")
		for i := range lines[:len(lines)-1] {
			cut := strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "")
			var pos *spec.PosError
			if _, err := addresses.Read("table", strings.NewReader(cut)); !errors.As(err, &pos) {
				t.Errorf("without line %d: %v", i+1, err)
			}
		}
	}
	var b bytes.Buffer
	if err := write.Addresses(&b, twoBoards()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range [][2]string{
		{"addresses 1", "addresses 2"}, {"bits 3", "bits -3"}, {"registers 4", "registers 3"}, {"registers 4", "registers 999999999999"},
		{"0 1 6 4 4", "0 1 6 4"}, {"0 1 6 4 4", "0 1 6 4 g"}, {"0 1 6 4 4", "0 1 06 4 4"}, {"cases 5", "cases 4"}, {"cases 5", "cases 999999999999"},
		{"2 - 1 - -", "2 - 1 - 64"}, {"2 - 1 - -", "2 - 1 - x"}, {"2 - 1 - -", "2 - 1 - -1"}, {"end\n", "end"}, {"end\n", "fault 0 0\nend\n"},
	} {
		if !strings.Contains(b.String(), tt[0]) {
			t.Fatalf("no %q in\n%s", tt[0], &b)
		}
		changed := strings.Replace(b.String(), tt[0], tt[1], 1)
		var pos *spec.PosError
		if _, err := addresses.Read("table", strings.NewReader(changed)); !errors.As(err, &pos) && tt[1] != "end" {
			t.Errorf("%q for %q: %v, want an error with a place", tt[1], tt[0], err)
		}
	}
}

func refusal(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want an error with %q", err, want)
	}
}
