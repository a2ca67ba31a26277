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

// cursor reads JSON tokens of a text or of a part of it, and knows where it is.
type cursor struct {
	ctx  context.Context
	file string
	text []byte // the whole of it
	base int    // where the part begins
	dec  *json.Decoder
}

// within returns a cursor that reads a part of the text.
func (c cursor) within(from, to int) *cursor {
	c.base, c.dec = from, json.NewDecoder(bytes.NewReader(c.text[from:to]))
	c.dec.UseNumber()
	return &c
}

// at is an error at an offset of the text.
func (c *cursor) at(offset int, format string, args ...any) error {
	offset = min(offset, len(c.text))
	line := 1 + bytes.Count(c.text[:offset], []byte("\n"))
	col := offset - bytes.LastIndexByte(c.text[:offset], '\n')
	return &PosError{c.file, line, col, fmt.Sprintf(format, args...)}
}

// read is where the last token ends.
func (c *cursor) read() int { return c.base + int(c.dec.InputOffset()) }

// next is where the next token starts, white space and commas skipped.
func (c *cursor) next() int {
	o := c.read()
	for o < len(c.text) && bytes.IndexByte([]byte(" \t\r\n,:"), c.text[o]) >= 0 {
		o++
	}
	return o
}

// errorf reports a fault of the token just read.
func (c *cursor) errorf(format string, args ...any) error {
	return c.at(max(0, c.read()-1), format, args...)
}

func (c *cursor) syntax(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return c.at(len(c.text), "unexpected end of file")
	}
	if s, ok := err.(*json.SyntaxError); ok {
		return c.at(c.base+max(0, int(s.Offset)-1), "%v", s)
	}
	return c.at(c.next(), "%v", err)
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

// string reads a name, see [Printable].
func (c *cursor) string(s *string) error {
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

// strings reads a list of texts.
func (c *cursor) strings(ss *[]string) error {
	return c.list(func() error {
		*ss = append(*ss, "")
		return c.string(&(*ss)[len(*ss)-1])
	})
}

// choice reads one of several texts, and returns its number.
func choice[T ~uint8](c *cursor, x *T, names []string) error {
	var s string
	if err := c.string(&s); err != nil {
		return err
	}
	i := slices.Index(names, s)
	if i < 0 {
		return c.errorf("invalid value %.40q: want one of %q", s, names)
	}
	*x = T(i)
	return nil
}

func number[T ~int | ~int32 | ~uint16](c *cursor, x *T, least, most int) error {
	tok, err := c.dec.Token()
	if err != nil {
		return c.syntax(err)
	}
	n, ok := tok.(json.Number)
	if !ok {
		return c.errorf("want an integer here")
	}
	v, err := strconv.Atoi(n.String())
	switch {
	case err != nil || strconv.Itoa(v) != n.String():
		return c.errorf("%.40s is not an integer", n)
	case v < least || v > most:
		return c.errorf("%d is out of range: want %d to %d", v, least, most)
	}
	*x = T(v)
	return nil
}

// bounds of the numbers in a column.
type bounds struct{ least, most int }

// rows reads a flat list of rows of integers, with bounds for each column. The row
// is the same slice each time. Large networks have a hundred million numbers, so
// the list is taken whole and read digit by digit, not token by token.
func (c *cursor) rows(row func([]int), columns ...bounds) error {
	var raw json.RawMessage
	if err := c.dec.Decode(&raw); err != nil {
		return c.syntax(err)
	}
	if raw[0] != '[' {
		return c.errorf("want %q here", "[")
	}
	first := c.read() - len(raw)
	xs := make([]int, 0, len(columns))
	for i := 1; ; {
		for bytes.IndexByte([]byte(" \t\r\n,"), raw[i]) >= 0 {
			i++
		}
		if raw[i] == ']' && len(xs) > 0 {
			return c.at(first+i, "want rows of %d numbers", len(columns))
		}
		if raw[i] == ']' {
			return nil
		}
		end := i
		for bytes.IndexByte([]byte(" \t\r\n,]"), raw[end]) < 0 {
			end++
		}
		x, ok := integer(raw[i:end])
		switch b := columns[len(xs)]; {
		case !ok && raw[i] != '-' && (raw[i] < '0' || raw[i] > '9'):
			return c.at(first+i, "want an integer here")
		case !ok:
			return c.at(first+i, "%.40s is not an integer", raw[i:end])
		case x < int64(b.least) || x > int64(b.most):
			return c.at(first+i, "%d is out of range: want %d to %d", x, b.least, b.most)
		}
		if xs = append(xs, int(x)); len(xs) == len(columns) {
			row(xs)
			xs = xs[:0]
		}
		i = end
	}
}

// integer reads a number of JSON that is an integer of up to 18 digits.
func integer(text []byte) (x int64, ok bool) {
	digits := bytes.TrimPrefix(text, []byte("-"))
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

func (c *cursor) list(item func() error) error {
	if err := c.delim('['); err != nil {
		return err
	}
	for c.dec.More() {
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if err := item(); err != nil {
			return err
		}
	}
	return c.delim(']')
}

// object reads an object that has exactly the given keys; those that are optional
// may be missing.
func (c *cursor) object(fields map[string]func() error, optional ...string) error {
	begin := c.next()
	if err := c.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for c.dec.More() {
		var key string
		if err := c.string(&key); err != nil {
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
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !seen[key] && !slices.Contains(optional, key) {
			return c.at(begin, "the key %q is missing", key)
		}
	}
	return c.delim('}')
}
