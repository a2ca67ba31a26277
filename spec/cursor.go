package spec

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// PosError is a fault at a place in a text: "file:line:col: what is wrong".
type PosError struct {
	File      string
	Line, Col int // 1-based; columns count bytes
	Msg       string
}

func (e *PosError) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg) }

// cursor reads JSON tokens of one section and knows where it is.
type cursor struct {
	p    *closedParser
	base int
	dec  *json.Decoder
}

func (p *closedParser) cursor(s section) *cursor {
	dec := json.NewDecoder(bytes.NewReader(s.raw))
	dec.UseNumber()
	return &cursor{p, s.at, dec}
}

// offset is where the next token starts, white space and commas skipped.
func (c *cursor) offset() int {
	o := c.base + int(c.dec.InputOffset())
	for o < len(c.p.text) && bytes.IndexByte([]byte(" \t\r\n,:"), c.p.text[o]) >= 0 {
		o++
	}
	return o
}

// errorf reports a fault of the token just read.
func (c *cursor) errorf(format string, args ...any) error {
	return c.p.errorAt(max(0, c.base+int(c.dec.InputOffset())-1), format, args...)
}

func (c *cursor) syntax(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return c.p.errorAt(len(c.p.text), "unexpected end of file")
	}
	if s, ok := err.(*json.SyntaxError); ok {
		return c.p.errorAt(c.base+max(0, int(s.Offset)-1), "%v", s)
	}
	return c.p.errorAt(c.offset(), "%v", err)
}

func (c *cursor) wrap(t *Topology) error {
	if len(t.faults) > 0 {
		return c.errorf("%v", t.faults[0])
	}
	return nil
}

func (c *cursor) delim(want json.Delim) error {
	tok, err := c.dec.Token()
	if err != nil {
		return c.syntax(err)
	}
	if tok != want {
		return c.errorf("want %q here", want.String())
	}
	return nil
}

// text reads a name, see [Printable].
func (c *cursor) text(s *string) error {
	tok, err := c.dec.Token()
	if err != nil {
		return c.syntax(err)
	}
	v, ok := tok.(string)
	if !ok {
		return c.errorf("want a string here")
	}
	*s = Printable(v)
	return nil
}

// names reads a list of different texts.
func (c *cursor) names(ss *[]string) error {
	seen := map[string]bool{}
	return c.list(func(c *cursor) error {
		var s string
		at := c.offset()
		if err := c.text(&s); err != nil {
			return err
		}
		if seen[s] {
			return c.p.errorAt(at, "%.40q stands here twice: names must differ", s)
		}
		seen[s] = true
		*ss = append(*ss, s)
		return nil
	})
}

func (c *cursor) number(x *int64, least, most int64) error {
	tok, err := c.dec.Token()
	if err != nil {
		return c.syntax(err)
	}
	n, ok := tok.(json.Number)
	if !ok {
		return c.errorf("want an integer here")
	}
	v, err := strconv.ParseInt(n.String(), 10, 64)
	switch {
	case err != nil || strconv.FormatInt(v, 10) != n.String():
		return c.errorf("%.40s is not an integer", n)
	case v < least || v > most:
		return c.errorf("%d is out of range: want %d to %d", v, least, most)
	}
	*x = v
	return nil
}

// count reads a number of at least 1.
func (c *cursor) count(x *int, most int64) error {
	var v int64
	err := c.number(&v, 1, most)
	*x = int(v)
	return err
}

// numbers reads a list of integers. Large networks have a hundred million, so
// the list is taken whole and read digit by digit, not token by token.
func (c *cursor) numbers(xs *[]int64, least, most int64) error {
	var raw json.RawMessage
	if err := c.dec.Decode(&raw); err != nil {
		return c.syntax(err)
	}
	if raw[0] != '[' {
		return c.errorf("want %q here", "[")
	}
	first := c.base + int(c.dec.InputOffset()) - len(raw)
	for i := 1; ; {
		for bytes.IndexByte([]byte(" \t\r\n,"), raw[i]) >= 0 {
			i++
		}
		if raw[i] == ']' {
			return nil
		}
		end := i
		for bytes.IndexByte([]byte(" \t\r\n,]"), raw[end]) < 0 {
			end++
		}
		x, ok := integer(raw[i:end])
		switch {
		case !ok && raw[i] != '-' && (raw[i] < '0' || raw[i] > '9'):
			return c.p.errorAt(first+i, "want an integer here")
		case !ok:
			return c.p.errorAt(first+i, "%.40s is not an integer", raw[i:end])
		case x < least || x > most:
			return c.p.errorAt(first+i, "%d is out of range: want %d to %d", x, least, most)
		}
		*xs = append(*xs, x)
		i = end
	}
}

// integer reads a number of JSON that is an integer of up to 18 digits.
func integer(text []byte) (x int64, ok bool) {
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || len(text) > len(digits) && digits[0] == '0' {
		return 0, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		x = 10*x + int64(d-'0')
	}
	if len(text) > len(digits) {
		x = -x
	}
	return x, true
}

func (c *cursor) list(item func(*cursor) error) error {
	if err := c.delim('['); err != nil {
		return err
	}
	for c.dec.More() {
		if c.p.ctx.Err() != nil {
			return context.Cause(c.p.ctx)
		}
		if err := item(c); err != nil {
			return err
		}
	}
	return c.delim(']')
}

// object reads an object that has exactly the given keys.
func (c *cursor) object(fields map[string]func() error) error {
	if err := c.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for c.dec.More() {
		var key string
		if err := c.text(&key); err != nil {
			return err
		}
		read, ok := fields[key]
		switch {
		case !ok:
			return c.errorf("unknown key %.40q", key)
		case seen[key]:
			return c.errorf("key %q stands here twice", key)
		}
		seen[key] = true
		if err := read(); err != nil {
			return err
		}
	}
	if len(seen) < len(fields) {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if !seen[key] {
				return c.errorf("the key %q is missing", key)
			}
		}
	}
	return c.delim('}')
}
