package peach2

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// TestReadBack: Read returns a cluster equal to the one that Write has written, for any
// registers.
func TestReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Boards: rapid.IntRange(2, 6).Draw(t, "boards"), Rings: rapid.IntRange(1, 2).Draw(t, "rings"),
			Variant: Variant(rapid.IntRange(0, len(VariantNames)-1).Draw(t, "variant")), South: [2]Role{Endpoint, RootComplex},
			Bits: rapid.IntRange(8, 62).Draw(t, "bits"),
		}
		c, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Boards {
			b := &c.Boards[i]
			b.Offset = rapid.Uint64().Draw(t, "offset")
			for range rapid.IntRange(0, 2).Draw(t, "more") {
				b.Registers = append(b.Registers, smallRegister(t, 60))
			}
			if rapid.Bool().Draw(t, "none") {
				b.Registers = nil
			}
		}
		c.Cables = c.Cables[rapid.IntRange(0, len(c.Cables)).Draw(t, "lost cables"):]
		var text bytes.Buffer
		if err := Write(&text, c); err != nil {
			t.Fatal(err)
		}
		back, err := Read("f", &text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, back, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("read back (-written +read):\n%s", diff)
		}
	})
}

func TestReadByHand(t *testing.T) {
	const text = `# two boards
window 256
part 0x80   # two parts
device host 0 0x40
	device internal 0x40 0x40

board 0 offset 0 south ep
  N mask 0xff lower 0 upper 0x3f
  E mask 0x80 lower 0x80 upper 0x80
board 1 offset 0x80 south rc
cable 0.E 1.W dateline
`
	want := &Cluster{
		Map: Map{256, 128, []Area{{HostMemory, 0, 64}, {BoardMemory, 64, 64}}},
		Boards: []Board{
			{0, Endpoint, []Register{{North, 255, 0, 63}, {East, 128, 128, 128}}},
			{128, RootComplex, nil},
		},
		Cables: []Cable{{Jack{0, East}, Jack{1, West}, true}},
	}
	got, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	const head = "window 256\npart 128\ndevice host 0 128\n"
	const boards = head + "board 0 offset 0 south rc\nboard 1 offset 128 south rc\n"
	for _, tt := range []struct{ text, want string }{
		{"", "f:1:1: no board"},
		{"# nothing", "f:1:1: no board"},
		{"window 256", "f:1:1: no board"},
		{"part 512\nwindow 256", "f:2:8: a part of 0x200 bytes does not fit into a window of 0x100"},
		{"window 256\ndevice host 0 1", "f:2:1: devices must come after window and part"},
		{"windows 3", `f:1:1: invalid statement "windows": want window, part, device, board, cable, or a port N, E, W, S, I`},
		{"window", "f:1:7: the line ends: want window NUMBER"},
		{"window 0", "f:1:8: window must not be 0"},
		{"window x", `f:1:8: "x": want window NUMBER`},
		{"window 18446744073709551616", `f:1:8: "18446744073709551616": want window NUMBER`},
		{"window 256 bytes", `f:1:12: "bytes": want window NUMBER`},
		{"window 256\nwindow 256", "f:2:1: window must occur once, before devices and boards"},
		{"window 255\npart 128\ndevice host 0 1", "f:1:8: a window of 0xff bytes: want a power of two from 0x2 to 0x4000000000000000"},
		{"window 256\npart 100\ndevice host 0 1", "f:2:6: a part of 0x64 bytes: want a power of two"},
		{"window 256\npart 128\ndevice gpu7 0 1", `f:3:8: "gpu7": want a device, one of host, gpu0, gpu1, internal`},
		{"window 256\npart 128\ndevice gpu0 100 100", "f:3:13: gpu0 at 0x64 with 0x64 bytes does not lie within a part of 0x80"},
		{"window 256\npart 128\ndevice gpu0 18446744073709551615 2", "f:3:13: gpu0 at 0xffffffffffffffff with 0x2 bytes does not lie within a part of 0x80"},
		{head + "device gpu0 64 1", "f:4:13: gpu0 at 0x40 begins before the previous device ends, at 0x80"},
		{head, "f:3:1: no board"},
		{head + "board 1 offset 0 south rc", "f:4:7: board 1: the next one is board 0"},
		{head + "board 0 offset 0 north rc", `f:4:18: "north": want board NUMBER offset NUMBER south NAME`},
		{head + "board 0 offset 0 south no", `f:4:24: "no": want rc (root complex) or ep (endpoint)`},
		{boards + "board 2 offset 0 south rc", "f:6:7: 3 parts of 0x80 bytes do not fit into a window of 0x100"},
		{head + "N mask 0 lower 0 upper 0", "f:4:1: a register must come after its board"},
		{boards + " Q mask 0 lower 0 upper 0", `f:6:2: invalid statement "Q": want window, part, device, board, cable, or a port N, E, W, S, I`},
		{boards + " N mask 0 upper 0", `f:6:11: "upper": want NAME mask NUMBER lower NUMBER upper NUMBER`},
		{boards + " N mask 0 lower 0 upper -1", `f:6:25: "-1": want NAME mask NUMBER lower NUMBER upper NUMBER`},
		{boards + "device gpu0 0 1", "f:6:1: devices must come before boards"},
		{boards + "cable 0.E 1.E", "f:6:7: cable 0.E-1.E joins ep and ep: a PCI Express link needs a root complex (rc) and an endpoint (ep)"},
		{boards + "cable 0.W 1.S", "f:6:7: cable 0.W-1.S joins rc and rc: a PCI Express link needs a root complex (rc) and an endpoint (ep)"},
		{boards + "cable 0.E 0.W", "f:6:7: cable 0.E-0.W joins a board with itself"},
		{boards + "cable 0.E 2.W", "f:6:7: cable 0.E-2.W: no board 2: boards are numbered 0 to 1"},
		{boards + "cable 0.E 1.N", "f:6:7: cable 0.E-1.N: port N takes no cable, only E, W and S do"},
		{boards + "cable 0.E 1.W\ncable 1.S 0.E", "f:7:7: cable 1.S-0.E: port 0.E already has the cable 0.E-1.W"},
		{boards + "cable 0.E", "f:6:10: the line ends: want cable NAME NAME"},
		{boards + "cable 0.E 1W", `f:6:11: "1W": want a board's port such as 0.E`},
		{boards + "cable 0.E 1.W line", `f:6:15: "line": want cable NAME NAME dateline`},
		{boards + "cable 0.E 1.W\nN mask 0 lower 0 upper 0", "f:7:1: a register must come after its board"},
		{boards + "cable 0.E 1.W\nboard 2 offset 0 south rc", "f:7:1: boards must come before cables"},
		{boards + strings.Repeat("N mask 0 lower 0 upper 0\n", 1025), "f:1030:1: more than 1024 registers at one board"},
		{strings.Repeat("#", 1<<22+1), "f:1:1: more than 4194304 bytes"},
	} {
		_, err := Read("f", strings.NewReader(tt.text))
		var pos *spec.PosError
		if !errors.As(err, &pos) {
			t.Errorf("%.60q: %v, want a *spec.PosError", tt.text, err)
			continue
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", tt.text, diff)
		}
	}
	broken := errors.New("broken")
	if _, err := Read("f", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// FuzzRead: no text makes Read or its callers panic, and every cluster that Read accepts can
// be written and read back.
func FuzzRead(f *testing.F) {
	f.Add("window 256\npart 128\ndevice host 0 128\nboard 0 offset 0 south rc\n N mask 0xff lower 0 upper 0x7f\n")
	f.Add("window 4\npart 1\ndevice gpu0 0 1\nboard 0 offset 9 south ep\nboard 1 offset 1 south ep\ncable 0.E 1.W dateline")
	f.Fuzz(func(t *testing.T, text string) {
		var c *Cluster
		var err error
		costtest.Within(t, len(text), func() { c, err = Read("f", strings.NewReader(text)) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, c); err != nil {
			t.Fatal(err)
		}
		if back, err := Read("f", &b); err != nil || !cmp.Equal(c, back, cmpopts.EquateEmpty()) {
			t.Errorf("written and read back: %v", err)
		}
		if _, err := Inspect(c); err != nil {
			var size *spec.BoundError
			if !errors.As(err, &size) {
				t.Errorf("accepted, but: %v", err)
			}
		}
	})
}
