package peach2

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// A register file says how a cluster is set up, one statement a line. # begins a
// comment; numbers are as in Go (0x... or decimal). Indentation is ignored.
//
//	window 0x8000000000             bytes; first
//	part 0x2000000000               bytes a node; second
//	device host 0x0 0x800000000     start within the part, bytes; host, gpu0, gpu1, internal
//	board 0 offset 0x0 south rc     boards in order of their numbers
//	  N mask 0x7fffffffff lower 0x0 upper 0x17ffffffff     registers of that board: N, E, W, S, I
//	cable 0.E 1.W                   behind all boards; dateline may follow
//
// [Read] refuses what [Cluster.Validate] refuses, and gives the position. It does not judge
// the effect of the registers, see [Inspect].

// Bounds of a register file: bytes, and registers of one board.
const (
	maxFile       = 1 << 22
	mostRegisters = 1024
)

// Read reads a register file. Errors are *spec.PosError with the given name of
// the file, or those of r.
func Read(name string, r io.Reader) (*Cluster, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	p := &reader{file: name, line: 1, c: &Cluster{}, used: map[Jack]int{}}
	if len(text) > maxFile {
		return nil, p.fail(0, "more than %d bytes", maxFile)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		p.line = i + 1
		if p.split(line); len(p.words) == 0 {
			continue
		}
		if err := p.statement(); err != nil {
			return nil, err
		}
	}
	p.words = nil
	if len(p.c.Boards) == 0 {
		return nil, p.fail(0, "no board")
	}
	return p.c, nil
}

// reader reads a file line by line.
type reader struct {
	file  string
	line  int
	words []word
	c     *Cluster
	used  map[Jack]int
}

type word struct {
	text string
	col  int // 1-based, in bytes
}

func (p *reader) split(line string) {
	line, _, _ = strings.Cut(line, "#")
	p.words = p.words[:0]
	for col := 0; ; {
		start := len(line[col:]) - len(strings.TrimLeft(line[col:], " \t\r")) + col
		if start == len(line) {
			return
		}
		if col = len(line); strings.ContainsAny(line[start:], " \t\r") {
			col = start + strings.IndexAny(line[start:], " \t\r")
		}
		p.words = append(p.words, word{line[start:col], start + 1})
	}
}

// fail reports a fault at a word of the line, or after the last one.
func (p *reader) fail(i int, format string, args ...any) error {
	col := 1
	switch last := len(p.words) - 1; {
	case i <= last:
		col = p.words[i].col
	case last >= 0:
		col = p.words[last].col + len(p.words[last].text)
	}
	return &spec.PosError{File: p.file, Line: p.line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// match reads a line of a form, in which # stands for a number and @ for any word,
// and returns the numbers.
func (p *reader) match(form string) (numbers []uint64, err error) {
	usage := strings.NewReplacer("#", "NUMBER", "@", "NAME").Replace(form)
	parts := strings.Fields(form)
	for i, part := range parts {
		if i == len(p.words) {
			return nil, p.fail(i, "the line ends: want %s", usage)
		}
		ok := part == "@" || part == p.words[i].text
		if part == "#" {
			x, err := strconv.ParseUint(p.words[i].text, 0, 64)
			ok, numbers = err == nil, append(numbers, x)
		}
		if !ok {
			return nil, p.fail(i, "%.40q: want %s", p.words[i].text, usage)
		}
	}
	if len(p.words) > len(parts) {
		return nil, p.fail(len(parts), "%.40q: want %s", p.words[len(parts)].text, usage)
	}
	return numbers, nil
}

func (p *reader) statement() error {
	c := p.c
	switch first := p.words[0].text; first {
	case "window", "part":
		x, err := p.match(first + " #")
		if err != nil {
			return err
		}
		size := &c.Map.Window
		if first == "part" {
			size = &c.Map.Part
		}
		if *size != 0 || len(c.Map.Areas) > 0 || len(c.Boards) > 0 {
			return p.fail(0, "%s must occur once, before devices and boards", first)
		}
		if *size = x[0]; *size == 0 {
			return p.fail(1, "%s must not be 0", first)
		}
		if err := c.Map.checkSizes(); err != nil {
			return p.fail(1, "%v", err)
		}
		return nil
	case "device":
		return p.device()
	case "board":
		return p.board()
	case "cable":
		return p.cable()
	}
	port, ok := ParsePort(p.words[0].text)
	if !ok {
		return p.fail(0, "invalid statement %.40q: want window, part, device, board, cable, or a port N, E, W, S, I",
			p.words[0].text)
	}
	x, err := p.match("@ mask # lower # upper #")
	if err != nil {
		return err
	}
	if len(c.Boards) == 0 || len(c.Cables) > 0 {
		return p.fail(0, "a register must come after its board")
	}
	b := &c.Boards[len(c.Boards)-1]
	if len(b.Registers) >= mostRegisters {
		return p.fail(0, "more than %d registers at one board", mostRegisters)
	}
	b.Registers = append(b.Registers, Register{port, x[0], x[1], x[2]})
	return nil
}

func (p *reader) device() error {
	x, err := p.match("device @ # #")
	if err != nil {
		return err
	}
	m := &p.c.Map
	d := slices.Index(deviceNames[:], p.words[1].text)
	switch {
	case d < 0:
		return p.fail(1, "%.40q: want a device, one of %s", p.words[1].text, strings.Join(deviceNames[:], ", "))
	case len(p.c.Boards) > 0:
		return p.fail(0, "devices must come before boards")
	case m.Window == 0 || m.Part == 0:
		return p.fail(0, "devices must come after window and part")
	}
	m.Areas = append(m.Areas, Area{Device(d), x[0], x[1]})
	if err := m.Validate(1); err != nil {
		return p.fail(2, "%v", err)
	}
	return nil
}

func (p *reader) board() error {
	x, err := p.match("board # offset # south @")
	if err != nil {
		return err
	}
	role, ok := ParseRole(p.words[5].text)
	switch c := p.c; {
	case !ok:
		return p.fail(5, "%.40q: want rc (root complex) or ep (endpoint)", p.words[5].text)
	case len(c.Cables) > 0:
		return p.fail(0, "boards must come before cables")
	case x[0] != uint64(len(c.Boards)):
		return p.fail(1, "board %d: the next one is board %d", x[0], len(c.Boards))
	}
	p.c.Boards = append(p.c.Boards, Board{Offset: x[1], South: role})
	if err := p.c.Map.Validate(len(p.c.Boards)); err != nil {
		return p.fail(1, "%v", err)
	}
	return nil
}

func (p *reader) cable() error {
	form := "cable @ @"
	if len(p.words) > 3 {
		form = "cable @ @ dateline"
	}
	if _, err := p.match(form); err != nil {
		return err
	}
	k := Cable{Dateline: len(p.words) > 3}
	for i, j := range [...]*Jack{&k.A, &k.B} {
		text := p.words[1+i].text
		number, port, _ := strings.Cut(text, ".")
		var ok bool
		var err error
		if j.Board, err = strconv.Atoi(number); err == nil {
			j.Port, ok = ParsePort(port)
		}
		if !ok {
			return p.fail(1+i, "%.40q: want a board's port such as 0.E", text)
		}
	}
	p.c.Cables = append(p.c.Cables, k)
	if err := p.c.CheckCable(len(p.c.Cables)-1, p.used); err != nil {
		return p.fail(1, "%v", err)
	}
	return nil
}

// Write writes a cluster as a register file. If the cluster is valid, [Read] reads an
// equal one back.
func Write(w io.Writer, c *Cluster) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "window %#x\npart %#x\n", c.Map.Window, c.Map.Part)
	for _, a := range c.Map.Areas {
		fmt.Fprintf(&b, "device %s %#x %#x\n", a.Device, a.Start, a.Size)
	}
	for i, x := range c.Boards {
		fmt.Fprintf(&b, "\nboard %d offset %#x south %s\n", i, x.Offset, x.South)
		for _, r := range x.Registers {
			fmt.Fprintf(&b, "  %s mask %#x lower %#x upper %#x\n", r.Port, r.Mask, r.Lower, r.Upper)
		}
	}
	if len(c.Cables) > 0 {
		b.WriteByte('\n')
	}
	for _, k := range c.Cables {
		fmt.Fprintf(&b, "cable %s %s", k.A, k.B)
		if k.Dateline {
			b.WriteString(" dateline")
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}
