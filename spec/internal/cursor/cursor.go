// Package cursor reads the JSON of closed forms strictly, and gives every error its place.
package cursor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Cursor reads JSON tokens of a text, and knows where it is. It finds where a token ends, and
// decodes it with encoding/json when it is met for the first time: few are new. Only JSON is
// accepted, since the caller says what comes next: in a list, values with commas between them.
type Cursor struct {
	ctx         context.Context
	text        []byte
	fault       func(line, col int, msg string) error // makes an error at a place; lines and columns from 1
	clean       func(string) string                   // applied to every string
	tokens      map[string]json.Token                 // those read that are not brackets
	start, read int                                   // the last token: where it starts and ends
	comma       bool                                  // one must come before the next value
}

// New returns a cursor of a text.
func New(
	ctx context.Context, text []byte, fault func(line, col int, msg string) error, clean func(string) string,
) *Cursor {
	return &Cursor{ctx: ctx, text: text, fault: fault, clean: clean, tokens: map[string]json.Token{}}
}

// Place returns the line and column of an offset of the text, from 1.
func (c *Cursor) Place(offset int) (line, col int) {
	before := c.text[:min(offset, len(c.text))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// ErrorAt returns an error at an offset of the text.
func (c *Cursor) ErrorAt(offset int, format string, args ...any) error {
	line, col := c.Place(offset)
	return c.fault(line, col, fmt.Sprintf(format, args...))
}

// NextOffset returns where the next token starts, white space and commas skipped.
func (c *Cursor) NextOffset() int {
	return len(c.text) - len(bytes.TrimLeft(c.text[c.read:], " \t\r\n,:"))
}

// Wrong reports a fault of the token just read.
func (c *Cursor) Wrong(format string, args ...any) error { return c.ErrorAt(c.start, format, args...) }

// invalid returns an error where the text ceases to be JSON or, if it does not, the given one.
func (c *Cursor) invalid(format string, args ...any) error {
	switch json.NewDecoder(bytes.NewReader(c.text)).Decode(new(json.RawMessage)) {
	case io.EOF, io.ErrUnexpectedEOF:
		return c.ErrorAt(len(c.text), "unexpected end of file")
	}
	if s, ok := json.Unmarshal(c.text, new(json.RawMessage)).(*json.SyntaxError); ok {
		return c.ErrorAt(max(0, int(s.Offset)-1), "%v", s)
	}
	return c.Wrong(format, args...)
}

// afterSpace returns the offset after the white space that comes next.
func (c *Cursor) afterSpace() int {
	at := c.read
	for at < len(c.text) && c.text[at] <= ' ' && strings.IndexByte(" \t\r\n", c.text[at]) >= 0 {
		at++
	}
	return at
}

// pass reads a byte if it comes next.
func (c *Cursor) pass(b byte) bool {
	if c.start = c.afterSpace(); c.start == len(c.text) || c.text[c.start] != b {
		return false
	}
	c.read = c.start + 1
	return true
}

func (c *Cursor) token() (json.Token, error) {
	comma := c.comma && c.pass(',')
	c.start = c.afterSpace()
	rest, closes, n := c.text[c.start:], !c.HasMore(), 1
	if len(rest) == 0 || c.comma && comma == closes {
		return nil, c.invalid("want a value here")
	}
	switch rest[0] {
	case '[', ']', '{', '}':
		c.read, c.comma = c.start+1, closes
		return json.Delim(rest[0]), nil
	case '"':
		for escaped := false; n < len(rest) && (escaped || rest[n] != '"'); n++ {
			escaped = !escaped && rest[n] == '\\'
		}
		n++
	default:
		n = bytes.IndexAny(rest, ",]} \t\r\n")
	}
	rest = rest[:min(uint(n), uint(len(rest)))]
	t, known := c.tokens[string(rest)]
	if !known {
		var decoded json.Token
		if json.Unmarshal(rest, &decoded) != nil {
			return nil, c.invalid("want a value here")
		}
		if t = decoded; rest[0] == '"' {
			t = c.clean(decoded.(string))
		}
		c.tokens[string(rest)] = t
	}
	c.read, c.comma = c.start+len(rest), true
	return t, nil
}

// HasMore reports whether the list or object that is being read continues.
func (c *Cursor) HasMore() bool {
	at := c.afterSpace()
	return at < len(c.text) && c.text[at] != ']' && c.text[at] != '}'
}

// Delim reads a bracket or brace.
func (c *Cursor) Delim(want json.Delim) error {
	t, err := c.token()
	if err == nil && t != want {
		err = c.invalid("want %q here", want.String())
	}
	return err
}

// As reads a token of type T, described by what.
func As[T any](c *Cursor, what string) (x T, err error) {
	t, err := c.token()
	x, ok := t.(T)
	if err == nil && !ok {
		err = c.Wrong("want %s here", what)
	}
	return x, err
}

// String reads a string.
func (c *Cursor) String(s *string) (err error) {
	*s, err = As[string](c, "a string")
	return err
}

// Strings reads a list of texts.
func (c *Cursor) Strings(ss *[]string) error {
	return c.List(func() error {
		*ss = append(*ss, "")
		return c.String(&(*ss)[len(*ss)-1])
	})
}

// Choice reads one of several texts, and returns its number.
func Choice[T ~uint8](c *Cursor, x *T, names []string) error {
	var s string
	err := c.String(&s)
	i := slices.Index(names, s)
	if err == nil && i < 0 {
		err = c.Wrong("invalid value %.40q: want one of %q", s, names)
	}
	*x = T(max(0, i))
	return err
}

// Number reads an integer, within bounds that an int64 exceeds.
func Number[T ~int | ~int32 | ~uint16](c *Cursor, x *T, least, most int) error {
	if _, err := As[float64](c, "an integer"); err != nil {
		return err
	}
	text := string(c.text[c.start:c.read])
	v, err := strconv.ParseInt(text, 10, 64) // also where an int has 32 bits
	switch {
	case strconv.FormatInt(v, 10) != text && !errors.Is(err, strconv.ErrRange):
		return c.Wrong("%.40s is not an integer", text)
	case v < int64(least) || v > int64(most):
		return c.Wrong("%.40s is out of range: want %d to %d", text, least, most)
	}
	*x = T(v)
	return nil
}

// Bounds are the least and the greatest number allowed in a column.
type Bounds [2]int

// Rows reads a flat list of rows of integers, with bounds for each column. The row
// is the same slice each time. Large networks have a hundred million numbers, so
// they are read digit by digit, not as tokens.
func (c *Cursor) Rows(row func([]int), columns ...Bounds) error {
	err, xs := c.Delim('['), make([]int, 0, len(columns))
	for first := true; err == nil && c.HasMore(); first = false {
		if !first && !c.pass(',') {
			return c.Wrong("want %q here", ",")
		}
		c.start = c.afterSpace()
		ends := func(b byte) bool { return b <= ' ' || b == ',' || b == ']' }
		for c.read = c.start; c.read < len(c.text) && !ends(c.text[c.read]); c.read++ {
		}
		text := c.text[c.start:c.read]
		x, err := strconv.Atoi(string(text))
		switch b := columns[len(xs)]; {
		case err != nil && !errors.Is(err, strconv.ErrRange) || text[0] == '+' ||
			text[0] == '-' && text[1] == '0' || text[0] == '0' && len(text) > 1:
			return c.Wrong("want an integer here, not %.40q", text)
		case err != nil || x < b[0] || x > b[1]:
			return c.Wrong("%.40s is out of range: want %d to %d", text, b[0], b[1])
		}
		if xs = append(xs, x); len(xs) == len(columns) {
			row(xs)
			xs = xs[:0]
		}
	}
	if err = cmp.Or(err, c.Delim(']')); err == nil && len(xs) > 0 {
		err = c.Wrong("want rows of %d numbers", len(columns))
	}
	return err
}

// List reads a list, item by item.
func (c *Cursor) List(item func() error) error {
	if err := c.Delim('['); err != nil {
		return err
	}
	for c.HasMore() {
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if err := item(); err != nil {
			return err
		}
	}
	return c.Delim(']')
}

// Object reads an object that has exactly the given keys; those that are optional
// may be missing.
func (c *Cursor) Object(fields map[string]func() error, optional ...string) error {
	if err := c.Delim('{'); err != nil {
		return err
	}
	begin := c.start
	seen := map[string]bool{}
	for c.HasMore() {
		var key string
		if err := c.String(&key); err != nil {
			return err
		}
		read, ok := fields[key]
		switch {
		case !ok:
			return c.Wrong("unknown key %.40q", key)
		case seen[key]:
			return c.Wrong("key %q stands here twice", key)
		case !c.pass(':'):
			return c.invalid("want %q here", ":")
		}
		seen[key], c.comma = true, false
		if err := read(); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !seen[key] && !slices.Contains(optional, key) {
			return cmp.Or(c.Delim('}'), c.ErrorAt(begin, "the key %q is missing", key)) // if the text ends here, that
		}
	}
	return c.Delim('}')
}

// InOrder reads an object that is the whole text: its keys come in any order, but the values are
// read in the order given, except for optional ones, on which none may depend. A value that comes
// in its turn is read in place, not copied first: most of a network's text is one value.
func (c *Cursor) InOrder(order []string, values map[string]func(*Cursor) error, optional ...string) error {
	left, sections := slices.Clone(order), map[string]*Cursor{}
	find := map[string]func() error{}
	for _, key := range order {
		find[key] = func() error {
			i := slices.IndexFunc(left, func(k string) bool { return k == key || !slices.Contains(optional, k) })
			if left[i] == key {
				left = slices.Delete(left, i, i+1)
				return values[key](c)
			}
			section, dec := *c, json.NewDecoder(bytes.NewReader(c.text[c.read:]))
			if err := dec.Decode(new(json.RawMessage)); err != nil {
				return c.invalid("%v", err)
			}
			sections[key], c.read, c.comma = &section, c.read+int(dec.InputOffset()), true
			return nil
		}
	}
	if err := c.Object(find, optional...); err != nil {
		return err
	}
	if end := c.afterSpace(); end < len(c.text) {
		return c.ErrorAt(end, "text after the end")
	}
	for _, key := range left {
		if section := sections[key]; section != nil {
			if err := values[key](section); err != nil {
				return err
			}
		}
	}
	return nil
}
