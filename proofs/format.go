package proofs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
)

// The written form of a certificate is text, one field a line in this order:
//
//	unknot-certificate 1
//	network DIGEST
//	property deadlock|livelock|delivery
//	switching store-and-forward|virtual-cut-through|wormhole
//	kind rank|escape|extended-escape|measure|arrival
//	rank COUNT
//	held COUNT
//	measure COUNT
//	end
//
// Each COUNT is followed by that many integers from 0 to 2147483647, 32 a line,
// separated by single spaces. There is one way to write a certificate, and Read
// accepts no other.

const (
	formatLine = "unknot-certificate 1"
	perLine    = 32
)

var kindNames = map[Kind]string{Rank: "rank", Escape: "escape", ExtendedEscape: "extended-escape", Measure: "measure", Arrival: "arrival"}

// String returns the kind's name in the written form, such as "extended-escape".
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return "kind(?)"
}

// Write writes the certificate's written form.
func Write(w io.Writer, c *Certificate) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "%s\nnetwork %s\nproperty %s\nswitching %s\nkind %s\n", formatLine, c.Network, c.Property, c.Switching, c.Kind)
	var line []byte
	for _, l := range []struct {
		name    string
		numbers []int32
	}{{"rank", c.Rank}, {"held", c.Held}, {"measure", c.Measure}} {
		fmt.Fprintf(b, "%s %d\n", l.name, len(l.numbers))
		for i, x := range l.numbers {
			line = strconv.AppendInt(line, int64(x), 10)
			if (i+1)%perLine == 0 || i == len(l.numbers)-1 {
				line = append(line, '\n')
				if _, err := b.Write(line); err != nil {
					return err
				}
				line = line[:0]
			} else {
				line = append(line, ' ')
			}
		}
	}
	b.WriteString("end\n")
	return b.Flush()
}

// Read reads the written form. Memory is bounded by the text, whatever counts
// it claims. Errors are *spec.PosError with the given file name.
func Read(file string, r io.Reader) (*Certificate, error) {
	p := &parser{file: file, lines: bufio.NewReaderSize(r, 1<<16)}
	c := p.certificate()
	if p.err != nil {
		return nil, p.err
	}
	return c, nil
}

// parser reads line by line; after the first error every step does nothing.
type parser struct {
	file  string
	lines *bufio.Reader
	line  int
	err   error
}

func (p *parser) fail(col int, format string, args ...any) {
	if p.err == nil {
		p.err = &spec.PosError{File: p.file, Line: max(1, p.line), Col: col, Msg: fmt.Sprintf(format, args...)}
	}
}

// next returns the next line without its end.
func (p *parser) next() []byte {
	if p.err != nil {
		return nil
	}
	p.line++
	const longest = 1 << 12 // 32 numbers of 10 digits are far shorter
	line, err := p.lines.ReadSlice('\n')
	switch {
	case err == io.EOF:
		p.fail(len(line)+1, "unexpected end of file")
		return nil
	case err == bufio.ErrBufferFull || len(line) > longest:
		p.fail(1, "the line is too long")
		return nil
	case err != nil:
		p.fail(1, "%v", err)
		return nil
	}
	return line[:len(line)-1]
}

// field reads "name value" and returns the value.
func (p *parser) field(name string) string {
	line := p.next()
	if p.err != nil {
		return ""
	}
	value, ok := bytes.CutPrefix(line, []byte(name+" "))
	if !ok {
		p.fail(1, "want \"%s ...\" here, not %.40q", name, line)
		return ""
	}
	return string(value)
}

func (p *parser) certificate() *Certificate {
	c := &Certificate{}
	if line := p.next(); p.err == nil && string(line) != formatLine {
		p.fail(1, "want %q here, not %.40q", formatLine, line)
	}
	if s := p.field("network"); p.err == nil {
		d, err := spec.ParseDigest(s)
		if err != nil {
			p.fail(9, "%v", err)
		}
		c.Network = d
	}
	if s := p.field("property"); p.err == nil {
		var ok bool
		if c.Property, ok = spec.ParseProperty(s); !ok {
			p.fail(10, "invalid property %.40q: want deadlock, livelock or delivery", s)
		}
	}
	if s := p.field("switching"); p.err == nil {
		var ok bool
		if c.Switching, ok = spec.ParseSwitching(s); !ok || c.Switching.String() != s {
			p.fail(11, "invalid switching %.40q: want store-and-forward, virtual-cut-through or wormhole", s)
		}
	}
	if s := p.field("kind"); p.err == nil {
		for k, name := range kindNames {
			if name == s {
				c.Kind = k
			}
		}
		if c.Kind == 0 {
			p.fail(6, "invalid kind of certificate %.40q", s)
		}
	}
	c.Rank, c.Held, c.Measure = p.numbers("rank"), p.numbers("held"), p.numbers("measure")
	if line := p.next(); p.err == nil && string(line) != "end" {
		p.fail(1, "want \"end\" here, not %.40q", line)
	}
	if p.err == nil {
		if _, err := p.lines.ReadByte(); err != io.EOF {
			p.line++
			p.fail(1, "text after the end of the certificate")
		}
	}
	return c
}

func (p *parser) numbers(name string) []int32 {
	s := p.field(name)
	if p.err != nil {
		return nil
	}
	count, ok := number([]byte(s))
	if !ok {
		p.fail(len(name)+2, "invalid count %.40q: want a decimal number", s)
		return nil
	}
	var xs []int32 // grows with the text that is really there, not with the count
	for left := int(count); left > 0 && p.err == nil; left -= perLine {
		line := p.next()
		for i := range min(left, perLine) {
			if p.err != nil {
				return nil
			}
			word, rest, more := bytes.Cut(line, []byte(" "))
			x, ok := number(word)
			if !ok {
				p.fail(1, "number %d of the line is %.20q: want an integer from 0 to 2147483647", i+1, word)
				return nil
			}
			if more != (i+1 < min(left, perLine)) {
				p.fail(1, "want %d numbers in this line", min(left, perLine))
				return nil
			}
			xs = append(xs, x)
			line = rest
		}
	}
	return xs
}

// number reads an integer in the one way in which Write writes it.
func number(word []byte) (int32, bool) {
	if len(word) == 0 || len(word) > 10 || len(word) > 1 && word[0] == '0' {
		return 0, false
	}
	x := int64(0)
	for _, d := range word {
		if d < '0' || d > '9' {
			return 0, false
		}
		x = 10*x + int64(d-'0')
	}
	return int32(x), x <= 1<<31-1
}
