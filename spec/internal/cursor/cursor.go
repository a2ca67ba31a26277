// Package cursor reads the JSON of closed forms: no token is taken for what it is not,
// and every error has its place.
package cursor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Cursor reads JSON tokens of a text or of a part of it, and knows where it is.
type Cursor struct {
	ctx   context.Context
	text  []byte                                // the whole of it
	fault func(line, col int, msg string) error // makes an error at a place; lines and columns from 1
	clean func(string) string                   // applied to every string
	base  int                                   // where the part begins
	start int                                   // of the last token
	open  string                                // the brackets and braces that the part is in
	dec   *json.Decoder
}

// New returns a cursor of a text.
func New(ctx context.Context, text []byte, fault func(line, col int, msg string) error, clean func(string) string) *Cursor {
	return Cursor{ctx: ctx, text: text, fault: fault, clean: clean}.Within(0, len(text))
}

// Within returns a cursor that reads a part of the text.
func (c Cursor) Within(from, to int) *Cursor {
	c.base, c.open, c.dec = from, "", json.NewDecoder(bytes.NewReader(c.text[from:to]))
	c.dec.UseNumber()
	return &c
}

// behind goes on behind a value of an object that the decoder has not seen: a new one, which
// is told that it is in the same lists and objects, at a value of its own.
func (c *Cursor) behind(at int) {
	told := strings.ReplaceAll(c.open, "{", `{"":`) + "0"
	c.base, c.dec = at-len(told), json.NewDecoder(io.MultiReader(strings.NewReader(told), bytes.NewReader(c.text[at:])))
	for c.dec.UseNumber(); c.read() < at; c.dec.Token() { // what it is told
	}
}

// At is an error at an offset of the text.
func (c *Cursor) At(offset int, format string, args ...any) error {
	offset = min(offset, len(c.text))
	line := 1 + bytes.Count(c.text[:offset], []byte("\n"))
	col := offset - bytes.LastIndexByte(c.text[:offset], '\n')
	return c.fault(line, col, fmt.Sprintf(format, args...))
}

// read is where the last token ends.
func (c *Cursor) read() int { return c.base + int(c.dec.InputOffset()) }

// Next is where the next token starts, white space and commas skipped.
func (c *Cursor) Next() int {
	return len(c.text) - len(bytes.TrimLeft(c.text[c.read():], " \t\r\n,:"))
}

// Wrong reports a fault of the token just read.
func (c *Cursor) Wrong(format string, args ...any) error { return c.At(c.start, format, args...) }

func (c *Cursor) syntax(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return c.At(len(c.text), "unexpected end of file")
	}
	// Offsets that the decoder gives leave out what was read token by token.
	if s, ok := json.Unmarshal(c.text, new(json.RawMessage)).(*json.SyntaxError); ok {
		return c.At(max(0, int(s.Offset)-1), "%v", s)
	}
	return c.At(c.Next(), "%v", err)
}

func (c *Cursor) token() (json.Token, error) {
	c.start = c.Next()
	t, err := c.dec.Token()
	if s, ok := t.(string); ok {
		t = c.clean(s)
	}
	if err != nil {
		err = c.syntax(err)
	}
	return t, err
}

// More reports whether the list or object that is being read continues.
func (c *Cursor) More() bool { return c.dec.More() }

// Delim reads a bracket or brace.
func (c *Cursor) Delim(want json.Delim) error {
	t, err := c.token()
	if err == nil && t != want {
		err = c.Wrong("want %q here", want.String())
	}
	c.open = strings.TrimSuffix(strings.TrimSuffix(c.open+want.String(), "[]"), "{}") // there is no other pair
	return err
}

// As reads a token of one kind, which what describes.
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

// Number reads an integer.
func Number[T ~int | ~int32 | ~uint16](c *Cursor, x *T, least, most int) error {
	n, err := As[json.Number](c, "an integer")
	if err != nil {
		return err
	}
	v, _ := strconv.Atoi(n.String()) // 0, the least or the largest if it is none
	switch {
	case strconv.Itoa(v) != n.String():
		return c.Wrong("%.40s is not an integer", n)
	case v < least || v > most:
		return c.Wrong("%d is out of range: want %d to %d", v, least, most)
	}
	*x = T(v)
	return nil
}

// Bounds are the least and the most that a number in a column may be.
type Bounds [2]int

// Rows reads a flat list of rows of integers, with bounds for each column. The row
// is the same slice each time. Large networks have a hundred million numbers, so
// the list is taken whole and read digit by digit, not token by token. The decoder does
// not see one that follows its key without white space, as all do that are written here.
func (c *Cursor) Rows(row func([]int), columns ...Bounds) error {
	var raw json.RawMessage
	rest := c.text[c.read():]
	dense := bytes.HasPrefix(rest, []byte(":[")) && bytes.IndexByte(rest, ']') > 0
	if dense {
		raw = rest[1 : bytes.IndexByte(rest, ']')+1]
		c.behind(c.read() + 1 + len(raw))
	} else if err := c.dec.Decode(&raw); err != nil {
		return c.syntax(err)
	}
	first := c.read() - len(raw)
	if raw[0] != '[' {
		return c.At(first, "want %q here", "[")
	}
	i, xs := 1, make([]int, 0, len(columns))
	for {
		from, between := i, ","
		for raw[i] <= ' ' || raw[i] == ',' {
			i++
		}
		if from == 1 || raw[i] == ']' {
			between = ""
		}
		switch {
		case dense && string(raw[from:i]) != between && string(bytes.Trim(raw[from:i], " \t\r\n")) != between:
			return c.At(first+from, "want %q here", between)
		case raw[i] == ']' && len(xs) > 0:
			return c.At(first+i, "want rows of %d numbers", len(columns))
		case raw[i] == ']':
			return nil
		}
		end := i
		for raw[end] > ' ' && raw[end] != ',' && raw[end] != ']' {
			end++
		}
		x, err := strconv.Atoi(string(raw[i:end]))
		switch b := columns[len(xs)]; {
		case raw[i] != '-' && (raw[i] < '0' || raw[i] > '9'):
			return c.At(first+i, "want an integer here")
		case err != nil || raw[i] == '-' && raw[i+1] == '0' || raw[i] == '0' && end > i+1:
			return c.At(first+i, "%.40s is not an integer", raw[i:end])
		case x < b[0] || x > b[1]:
			return c.At(first+i, "%d is out of range: want %d to %d", x, b[0], b[1])
		}
		if xs = append(xs, x); len(xs) == len(columns) {
			row(xs)
			xs = xs[:0]
		}
		i = end
	}
}

// List reads a list, item by item.
func (c *Cursor) List(item func() error) error {
	if err := c.Delim('['); err != nil {
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
	for c.dec.More() {
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
		}
		seen[key] = true
		if err := read(); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !seen[key] && !slices.Contains(optional, key) {
			return c.At(begin, "the key %q is missing", key)
		}
	}
	return c.Delim('}')
}

// InOrder reads an object that is the whole text, its keys in any order, the values in
// the order given, except for optional ones, on which none may depend. A value that comes in its
// turn is read in place, not copied first: most of a network's text is one value.
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
			var raw json.RawMessage
			if err := c.dec.Decode(&raw); err != nil {
				return c.syntax(err)
			}
			sections[key] = c.Within(c.read()-len(raw), c.read())
			return nil
		}
	}
	if err := c.Object(find, order...); err != nil {
		return err
	}
	if rest := bytes.TrimLeft(c.text[c.read():], " \t\r\n"); len(rest) > 0 {
		return c.At(len(c.text)-len(rest), "text after the end")
	}
	for _, key := range left {
		if section := sections[key]; section == nil && !slices.Contains(optional, key) {
			return c.At(0, "the key %q is missing", key)
		} else if section != nil {
			if err := values[key](section); err != nil {
				return err
			}
		}
	}
	return nil
}
