package topology

import (
	"bytes"
	"strings"
)

// scanner reads a text from left to right and knows the place of the next byte.
type scanner struct {
	d    *draft
	text []byte
	next int // offset of the next byte

	line, begin int // the line of the next byte, from 1, and where it begins
}

func newScanner(d *draft, text []byte) *scanner { return &scanner{d: d, text: text, line: 1} }

func (s *scanner) place() place { return place{s.line, s.next - s.begin + 1} }

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.next == len(s.text) {
		return 0
	}
	return s.text[s.next]
}

// has reports whether the rest of the text begins with some text.
func (s *scanner) has(text string) bool { return bytes.HasPrefix(s.text[s.next:], []byte(text)) }

// skip moves behind the next n bytes, and returns them.
func (s *scanner) skip(n int) []byte {
	past := s.text[s.next : s.next+n]
	for i, c := range past {
		if c == '\n' {
			s.line, s.begin = s.line+1, s.next+i+1
		}
	}
	s.next += n
	return past
}

// skipThrough moves behind the first occurrence of some text, and returns what was before it; false if there is none.
func (s *scanner) skipThrough(text string) ([]byte, bool) {
	n := bytes.Index(s.text[s.next:], []byte(text))
	if n < 0 {
		return nil, false
	}
	past := s.skip(n + len(text))
	return past[:n], true
}

// line moves behind the end of the line.
func (s *scanner) lineEnd() {
	if _, found := s.skipThrough("\n"); !found {
		s.skip(len(s.text) - s.next)
	}
}

// blanks moves behind white space.
func (s *scanner) blanks() {
	n := s.next
	for n < len(s.text) && strings.IndexByte(" \t\r\n\f\v", s.text[n]) >= 0 {
		n++
	}
	s.skip(n - s.next)
}

// word moves behind all bytes up to the first that does not belong, and returns them.
func (s *scanner) word(belongs func(c byte) bool) string {
	n := s.next
	for n < len(s.text) && belongs(s.text[n]) {
		n++
	}
	return string(s.skip(n - s.next))
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
