package peach2

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// A register file says how a cluster is set up, a statement a line, # begins a
// comment, numbers as in Go (0x... or decimal). Indentation means nothing.
//
//	window 0x8000000000             bytes; first
//	part 0x2000000000               bytes a node; second
//	device host 0x0 0x800000000     start within the part, bytes; host, gpu0, gpu1, internal
//	board 0 offset 0x0 south rc     boards in order of their numbers
//	  N mask 0x7fffffffff lower 0x0 upper 0x17ffffffff     registers of that board: N, E, W, S, I
//	cable 0.E 1.W                   behind all boards; dateline may follow
//
// [Read] refuses what [Cluster.Validate] refuses, and says where; it does not
// judge what the registers do, see [Inspect].

// maxFile bounds a register file, in bytes.
const maxFile = 1 << 22

// Read reads a register file. Errors are *spec.PosError with the given name of
// the file, or those of r.
func Read(name string, r io.Reader) (*Cluster, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(text) > maxFile {
		return nil, &spec.PosError{File: name, Line: 1, Col: 1, Msg: fmt.Sprintf("more than %d bytes", maxFile)}
	}
	p := &reader{file: name, c: &Cluster{}, used: map[Jack]int{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxFile+1)
	for lines.Scan() {
		p.line++
		if p.split(lines.Text()); len(p.words) == 0 {
			continue
		}
		if err := p.statement(); err != nil {
			return nil, err
		}
	}
	p.line, p.next, p.words = max(p.line, 1), 0, nil
	if err := p.mapDone(); err != nil {
		return nil, err
	}
	return p.c, nil
}

// reader reads a file line by line.
type reader struct {
	file  string
	line  int
	words []word
	next  int // the word that is read next
	c     *Cluster
	used  map[Jack]int
}

type word struct {
	text string
	col  int // 1-based, in bytes
}

func (p *reader) split(line string) {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	p.words, p.next = p.words[:0], 0
	for i := 0; i < len(line); {
		if strings.IndexByte(" \t\r", line[i]) >= 0 {
			i++
			continue
		}
		end := i
		for end < len(line) && strings.IndexByte(" \t\r", line[end]) < 0 {
			end++
		}
		p.words = append(p.words, word{line[i:end], i + 1})
		i = end
	}
}

// fail reports a fault at the word last taken.
func (p *reader) fail(format string, args ...any) error {
	col := 1
	if i := min(p.next, len(p.words)) - 1; i >= 0 {
		col = p.words[i].col
	}
	return &spec.PosError{File: p.file, Line: p.line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// take returns the next word of the line.
func (p *reader) take(what string) (string, error) {
	if p.next >= len(p.words) {
		last := p.words[len(p.words)-1]
		return "", &spec.PosError{File: p.file, Line: p.line, Col: last.col + len(last.text), Msg: "the line ends where " + what + " is expected"}
	}
	p.next++
	return p.words[p.next-1].text, nil
}

func (p *reader) keyword(want string) error {
	s, err := p.take(want)
	if err == nil && s != want {
		err = p.fail("%.40q: want %s", s, want)
	}
	return err
}

func (p *reader) number(what string) (uint64, error) {
	s, err := p.take(what)
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, p.fail("%.40q: want %s, a number such as 0x2000 below 2^64", s, what)
	}
	return x, nil
}

// named reads a keyword and a number.
func (p *reader) named(what string) (uint64, error) {
	if err := p.keyword(what); err != nil {
		return 0, err
	}
	return p.number(what)
}

func (p *reader) end() error {
	if p.next < len(p.words) {
		p.next++
		return p.fail("%.40q: the line should end here", p.words[p.next-1].text)
	}
	return nil
}

func (p *reader) statement() error {
	first, err := p.take("a statement")
	if err != nil {
		return err
	}
	c := p.c
	switch first {
	case "window", "part":
		size, already := &c.Map.Window, first
		if first == "part" {
			size = &c.Map.Part
		}
		if *size != 0 || len(c.Map.Areas) > 0 || len(c.Boards) > 0 {
			return p.fail("%s stands once, ahead of devices and boards", already)
		}
		if *size, err = p.number("bytes"); err != nil {
			return err
		}
		if *size == 0 {
			return p.fail("%s must not be 0", first)
		}
		if err := c.Map.checkSizes(); err != nil {
			return p.fail("%v", err)
		}
	case "device":
		if len(c.Boards) > 0 {
			return p.fail("devices stand ahead of boards")
		}
		if err := p.device(); err != nil {
			return err
		}
	case "board":
		if err := p.board(); err != nil {
			return err
		}
	case "cable":
		if err := p.cable(); err != nil {
			return err
		}
	default:
		port, ok := ParsePort(first)
		if !ok {
			return p.fail("invalid statement %.40q: want window, part, device, board, cable, or a port N, E, W, S, I", first)
		}
		if err := p.register(port); err != nil {
			return err
		}
	}
	return p.end()
}

func (p *reader) device() error {
	s, err := p.take("a device")
	if err != nil {
		return err
	}
	a := Area{Device: devices}
	for d, name := range deviceNames {
		if s == name {
			a.Device = Device(d)
		}
	}
	if a.Device == devices {
		return p.fail("%.40q: want a device, one of %s", s, strings.Join(deviceNames[:], ", "))
	}
	if a.Start, err = p.number("where it starts"); err != nil {
		return err
	}
	if a.Size, err = p.number("its size in bytes"); err != nil {
		return err
	}
	if p.c.Map.Window == 0 || p.c.Map.Part == 0 {
		return p.fail("devices stand below window and part")
	}
	p.c.Map.Areas = append(p.c.Map.Areas, a)
	if err := p.c.Map.Validate(1); err != nil {
		return p.fail("%v", err)
	}
	return nil
}

// mapDone checks the map as soon as something needs it, and at the end.
func (p *reader) mapDone() error {
	switch m := p.c.Map; {
	case m.Window == 0:
		return p.fail("no window")
	case m.Part == 0:
		return p.fail("no part")
	}
	if err := p.c.Map.Validate(max(1, len(p.c.Boards))); err != nil {
		return p.fail("%v", err)
	}
	if len(p.c.Boards) == 0 && p.next == 0 {
		return p.fail("no board")
	}
	return nil
}

func (p *reader) board() error {
	if len(p.c.Cables) > 0 {
		return p.fail("boards stand ahead of cables")
	}
	x, err := p.number("the board's number")
	if err != nil {
		return err
	}
	if x != uint64(len(p.c.Boards)) {
		return p.fail("board %d: the next one is board %d", x, len(p.c.Boards))
	}
	p.c.Boards = append(p.c.Boards, Board{})
	if err := p.mapDone(); err != nil {
		return err
	}
	b := &p.c.Boards[x]
	if b.Offset, err = p.named("offset"); err != nil {
		return err
	}
	if err := p.keyword("south"); err != nil {
		return err
	}
	s, err := p.take("rc or ep")
	if err != nil {
		return err
	}
	role, ok := ParseRole(s)
	if !ok {
		return p.fail("%.40q: want rc (root complex) or ep (endpoint)", s)
	}
	b.South = role
	return nil
}

func (p *reader) register(port Port) error {
	if len(p.c.Boards) == 0 || len(p.c.Cables) > 0 {
		return p.fail("a register stands below its board")
	}
	b := &p.c.Boards[len(p.c.Boards)-1]
	if len(b.Registers) >= mostRegisters {
		return p.fail("more than %d registers at one board", mostRegisters)
	}
	r := Register{Port: port}
	for _, field := range []struct {
		name string
		to   *uint64
	}{{"mask", &r.Mask}, {"lower", &r.Lower}, {"upper", &r.Upper}} {
		x, err := p.named(field.name)
		if err != nil {
			return err
		}
		*field.to = x
	}
	b.Registers = append(b.Registers, r)
	return nil
}

// mostRegisters bounds the registers of one board.
const mostRegisters = 1024

func (p *reader) cable() error {
	var k Cable
	for _, j := range [...]*Jack{&k.A, &k.B} {
		s, err := p.take("a board's port such as 0.E")
		if err != nil {
			return err
		}
		number, port, _ := strings.Cut(s, ".")
		var ok bool
		if j.Board, err = strconv.Atoi(number); err == nil {
			j.Port, ok = ParsePort(port)
		}
		if !ok {
			return p.fail("%.40q: want a board's port such as 0.E", s)
		}
	}
	if p.next < len(p.words) {
		if err := p.keyword("dateline"); err != nil {
			return err
		}
		k.Dateline = true
	}
	p.c.Cables = append(p.c.Cables, k)
	if err := p.c.CheckCable(len(p.c.Cables)-1, p.used); err != nil {
		p.next = 2
		return p.fail("%v", err)
	}
	p.next = len(p.words)
	return nil
}

// Write writes a cluster as a register file. What it writes [Read] reads back
// as an equal cluster, if that is valid.
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
