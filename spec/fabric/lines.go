package fabric

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
)

const (
	mostLine = 64 << 10                           // bytes of a line
	mostText = min(8<<30, math.MaxInt-2*mostLine) // bytes of a file, unpacked, which an int counts
)

// byteOrder is the mark with which editors on Windows begin a text.
var byteOrder = []byte("\ufeff")

// line is a line of a file, consumed from left to right.
type line struct {
	file string
	n    int
	text []byte
	at   int
	open bool // the file ends in it, without a line break
}

// wrong returns a fault at the place up to which the line has been read.
func (l *line) wrong(format string, args ...any) error {
	return &spec.PosError{File: l.file, Line: l.n, Col: l.at + 1, Msg: fmt.Sprintf(format, args...)}
}

// unread returns what has not been read.
func (l *line) unread() []byte { return l.text[l.at:] }

// blanks skips blanks and tabs.
func (l *line) blanks() {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t') {
		l.at++
	}
}

// take skips a text if it comes next.
func (l *line) take(text string) bool {
	if len(l.unread()) < len(text) || string(l.unread()[:len(text)]) != text {
		return false
	}
	l.at += len(text)
	return true
}

// skipPast skips everything up to a text and the text itself, if it comes.
func (l *line) skipPast(text string) bool {
	i := bytes.Index(l.unread(), []byte(text))
	if i < 0 {
		return false
	}
	l.at += i + len(text)
	return true
}

// readUntil returns everything up to a text, which is skipped.
func (l *line) readUntil(text string) (string, bool) {
	from := l.at
	if !l.skipPast(text) {
		return "", false
	}
	return string(l.text[from : l.at-len(text)]), true
}

// number reads a number in a base, at most the given value. If there is none it reads nothing.
func (l *line) number(base, most uint64) (uint64, bool) {
	v, from := uint64(0), l.at
	for l.at < len(l.text) {
		d := uint64(99)
		switch c := l.text[l.at]; {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c >= 'a' && c <= 'f':
			d = uint64(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = uint64(c-'A') + 10
		}
		if d >= base {
			break
		}
		if v>>60 != 0 || v*base+d > most { // v*16 fits
			l.at = from
			return 0, false
		}
		v = v*base + d
		l.at++
	}
	return v, l.at > from
}

// field reads a number after a text, with blanks before either.
func (l *line) field(text string, base, most uint64) (uint64, error) {
	l.blanks()
	if !l.take(text) {
		return 0, l.wrong("want %q", text)
	}
	l.blanks()
	v, ok := l.number(base, most)
	if !ok {
		return 0, l.wrong("want a number in base %d, at most %d", base, most)
	}
	return v, nil
}

// eachLine calls f for each line of a text, without its end and read up to its first character that is no blank, as
// tickets indent what is pasted. Empty lines are left out, and comments, which begin with #. The line is only valid
// during the call.
func eachLine(ctx context.Context, file string, r io.Reader, f func(*line) error) error {
	in := bufio.NewReaderSize(r, mostLine)
	total := 0
	l := &line{file: file, n: 1} // one for all lines: there are tens of millions
	for ; ; l.n++ {
		text, err := in.ReadSlice('\n')
		total += len(text)
		l.open = errors.Is(err, io.EOF)
		// bytes.TrimRight takes as long as all the rest.
		for len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r') {
			text = text[:len(text)-1]
		}
		l.text, l.at = text, 0
		if l.n == 1 {
			l.text = bytes.TrimPrefix(l.text, byteOrder)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return l.wrong("the line has more than %d bytes", mostLine)
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("%s:%d:1: %w", file, l.n, err)
		case total > mostText:
			return &spec.BoundError{What: "bytes in " + file, Limit: mostText}
		case l.n%4096 == 0 && ctx.Err() != nil:
			return context.Cause(ctx)
		}
		l.blanks()
		if rest := l.unread(); len(rest) > 0 && rest[0] != '#' {
			if err := f(l); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}
