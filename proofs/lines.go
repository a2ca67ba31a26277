package proofs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// lines reads evidence about states, a field a line in a fixed order. There is
// one way to write each kind of evidence, and no other is read: what is refused
// need not be thought about. After the first error every step does nothing.
type lines struct {
	file   string
	text   *bufio.Scanner
	line   int
	peeked bool // the line was read already, and next returns it once more
	err    error
}

func newLines(file string, r io.Reader, first string) *lines {
	l := &lines{file: file, text: bufio.NewScanner(r)}
	l.text.Buffer(nil, 1<<24)
	l.text.Split(wholeLine)
	l.exactly(first)
	return l
}

// wholeLine splits at line feeds and nothing else: each line must have one.
func wholeLine(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, errors.New("unexpected end of file within a line")
	}
	return 0, nil, nil
}

func (l *lines) fail(format string, args ...any) {
	if l.err == nil {
		l.err = &spec.PosError{File: l.file, Line: max(1, l.line), Col: 1, Msg: fmt.Sprintf(format, args...)}
	}
}

// next returns the next line, "" if there is none.
func (l *lines) next() string {
	if l.err != nil {
		return ""
	}
	if l.peeked {
		l.peeked = false
		return l.text.Text()
	}
	l.line++
	if !l.text.Scan() {
		if err := l.text.Err(); err != nil {
			l.fail("%v", err)
		}
		l.fail("unexpected end of file")
	}
	return l.text.Text()
}

// peek returns the line that next will return.
func (l *lines) peek() string {
	text := l.next()
	l.peeked = l.err == nil
	return text
}

// exactly reads a line of which there is one form.
func (l *lines) exactly(want string) {
	if got := l.next(); l.err == nil && got != want {
		l.fail("want %q here", want)
	}
}

// quoted reads a name and a text in double quotes.
func (l *lines) quoted(name string) string {
	text, ok := strings.CutPrefix(l.next(), name+" ")
	if !ok {
		l.fail("want \"%s\" and a text in double quotes here", name)
	}
	return l.unquoted(text)
}

func (l *lines) unquoted(text string) string {
	s, err := strconv.Unquote(text)
	if err != nil || strconv.Quote(s) != text {
		l.fail("want a text in double quotes here, not %.60q", text)
	}
	return s
}

// numbers reads a name and so many numbers of at least 0.
func (l *lines) numbers(name string, count int) []int {
	fields := strings.Split(l.next(), " ")
	if l.err == nil && (fields[0] != name || len(fields) != 1+count) {
		l.fail("want \"%s\" and %d numbers here", name, count)
	}
	if l.err != nil {
		return make([]int, count)
	}
	return l.integers(fields[1:])
}

// integers reads numbers of at least 0.
func (l *lines) integers(fields []string) []int {
	all := make([]int, len(fields))
	for i, f := range fields {
		n, err := strconv.Atoi(f)
		if err != nil || n < 0 || strconv.Itoa(n) != f {
			l.fail("invalid number %.20q: want a decimal number of at least 0", f)
		}
		all[i] = n
	}
	return all
}

// state reads the words of a state in hexadecimal digits.
func (l *lines) state(fields []string) []uint64 {
	s := make([]uint64, len(fields))
	for i, f := range fields {
		x, err := strconv.ParseUint(f, 16, 64)
		if err != nil || strconv.FormatUint(x, 16) != f {
			l.fail("invalid word %.20q: want hexadecimal digits", f)
		}
		s[i] = x
	}
	return s
}

// rows reads a name with a count, and so many lines of decimal numbers followed
// by hexadecimal ones.
func (l *lines) rows(name string, decimal, hexadecimal int, row func([]int, []uint64)) {
	for i := l.numbers(name, 1)[0]; i > 0 && l.err == nil; i-- {
		words := strings.Split(l.next(), " ")
		if l.err == nil && len(words) != decimal+hexadecimal {
			l.fail("want %d numbers here", decimal+hexadecimal)
		}
		if l.err != nil {
			return
		}
		n, a := l.integers(words[:decimal]), l.state(words[decimal:])
		if l.err == nil {
			row(n, a)
		}
	}
}

// ascending adds a state to those before it, so that none stands twice.
func (l *lines) ascending(states [][]uint64, s []uint64) [][]uint64 {
	if len(states) > 0 && slices.Compare(states[len(states)-1], s) >= 0 {
		l.fail("states must be ascending, each once")
	}
	return append(states, s)
}

// end reads the last line, and returns what was wrong.
func (l *lines) end() error {
	l.exactly("end")
	// A last line that is too long or has no end makes Scan false, too.
	if l.err == nil && (l.text.Scan() || l.text.Err() != nil) {
		l.line++
		l.fail("text after the end")
	}
	return l.err
}

// writeState writes what [lines.state] reads.
func writeState(b *bufio.Writer, s []uint64) {
	for i, x := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatUint(x, 16))
	}
	b.WriteByte('\n')
}
