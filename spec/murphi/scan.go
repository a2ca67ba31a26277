package murphi

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/spec"
)

// position is a place in a file, 1-based; columns count bytes.
type position struct{ line, col int }

// token is a word of a file: a name, a number, a string, a keyword or a sign. The text of a keyword is in lower
// case, that of a string is without quotes.
type token struct {
	kind tokenKind
	text string
	at   position
}

type tokenKind uint8

const (
	ending tokenKind = iota
	identifier
	number
	quoted
	keyword
	sign
)

func (t token) String() string {
	switch t.kind {
	case ending:
		return "the end of the file"
	case quoted:
		return fmt.Sprintf("string %.40q", t.text)
	}
	return fmt.Sprintf("%.40q", t.text)
}

// keywords of CMurphi and Rumur, which both read them in any case. Those of the closing words follow.
const keywords = " alias array assert assume begin by case choose clear const cover do else elsif end enum error " +
	"exists for forall function if invariant ismember isundefined liveness multiset multisetadd multisetcount " +
	"multisetremove multisetremovepred of procedure put real record return rule ruleset scalarset " +
	"startstate switch then to type undefine union var while boolean " + closings

const closings = " endalias endchoose endexists endfor endforall endfunction endif endprocedure endrecord endrule " +
	"endruleset endstartstate endswitch endwhile "

// signs, the longer first. Those of Unicode stand for the ones of ASCII.
var signs = [...]string{"==>", ":=", "..", ">=", ">>", "->", "<=", "<<", "!=", "==", "&&", "||", "≔", "≥", "→", "≤", "≠",
	"⇒", "¬", "∧", "∨", "÷", "−", "∕", "×", "∀", "∃",
	"^", "~", "&", "!", "|", ":", "=", ">", "<", "-", "%", "+", ";", "{", "}", ",", "[", "]", ".", "(", ")", "/", "*", "?"}

func ascii(text string) string {
	return map[string]string{"≔": ":=", "≥": ">=", "→": "->", "≤": "<=", "≠": "!=", "⇒": "==>", "¬": "!", "∧": "&",
		"∨": "|", "÷": "/", "−": "-", "∕": "/", "×": "*", "∀": "forall", "∃": "exists", "==": "=", "&&": "&",
		"||": "|"}[text]
}

// scanner cuts a text into tokens.
type scanner struct {
	file    string
	text    string
	at      position
	expects []expectation
}

func wrong(file string, at position, form string, args ...any) *spec.PosError {
	return &spec.PosError{File: file, Line: at.line, Col: at.col, Msg: fmt.Sprintf(form, args...)}
}

// skip moves past n bytes.
func (s *scanner) skip(n int) {
	passed := s.text[:n]
	if lines := strings.Count(passed, "\n"); lines > 0 {
		s.at.line += lines
		s.at.col = 0
		passed = passed[strings.LastIndexByte(passed, '\n'):]
	}
	s.at.col += len(passed)
	s.text = s.text[n:]
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// span returns the length of the beginning of the text of which each byte is accepted.
func (s *scanner) span(accepts func(c byte) bool) (n int) {
	for n < len(s.text) && accepts(s.text[n]) {
		n++
	}
	return n
}

// scan returns all tokens, the last of which is the ending, and the verdicts that comments expect.
func scan(file string, text []byte) ([]token, []expectation, error) {
	if !utf8.Valid(text) {
		return nil, nil, wrong(file, position{1, 1}, "want text in UTF-8")
	}
	s := &scanner{file: file, text: strings.TrimPrefix(string(text), "\ufeff"), at: position{1, 1}}
	var tokens []token
	for {
		t, err := s.scanToken()
		if err != nil {
			return nil, nil, err
		}
		tokens = append(tokens, t)
		if t.kind == ending {
			return tokens, s.expects, nil
		}
	}
}

func (s *scanner) scanToken() (token, error) {
	for {
		s.skip(s.span(func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }))
		switch {
		case strings.HasPrefix(s.text, "--"):
			n := s.span(func(c byte) bool { return c != '\n' })
			if err := s.expect(s.text[:n]); err != nil {
				return token{}, err
			}
			s.skip(n)
			continue
		case strings.HasPrefix(s.text, "/*"):
			end := strings.Index(s.text[2:], "*/")
			if end < 0 {
				return token{}, wrong(s.file, s.at, "the comment has no end: want */")
			}
			s.skip(end + 4)
			continue
		}
		break
	}
	t := token{at: s.at}
	if s.text == "" {
		return t, nil
	}
	n := 0
	switch c := s.text[0]; {
	case letter(c) || c == '_':
		n = s.span(func(c byte) bool { return letter(c) || digit(c) || c == '_' })
		t.kind, t.text = identifier, s.text[:n]
		if lower := strings.ToLower(t.text); strings.Contains(keywords, " "+lower+" ") {
			t.kind, t.text = keyword, lower
		} else if lower == "true" || lower == "false" {
			t.text = lower
		}
	case digit(c):
		n = s.span(func(c byte) bool { return digit(c) || letter(c) })
		t.kind, t.text = number, s.text[:n]
	case c == '"' || strings.HasPrefix(s.text, "“"):
		return s.quote()
	default:
		for _, word := range signs {
			if strings.HasPrefix(s.text, word) {
				n, t.kind, t.text = len(word), sign, word
				if plain := ascii(word); plain != "" {
					t.text = plain
				}
				if letter(t.text[0]) {
					t.kind = keyword
				}
				break
			}
		}
		if n == 0 {
			r, _ := utf8.DecodeRuneInString(s.text)
			return token{}, wrong(s.file, s.at, "unexpected character %q", r)
		}
	}
	s.skip(n)
	return t, nil
}

// quote reads a string, which may contain escaped quotes.
func (s *scanner) quote() (token, error) {
	t := token{kind: quoted, at: s.at}
	_, open := utf8.DecodeRuneInString(s.text)
	for i := open; i < len(s.text); i++ {
		switch {
		case s.text[i] == '\n':
			return t, wrong(s.file, t.at, "the string has no end on its line: want \"")
		case s.text[i] == '\\' && i+1 < len(s.text) && s.text[i+1] != '\n':
			i++
			continue
		case s.text[i] == '"' || strings.HasPrefix(s.text[i:], "”"):
			_, shut := utf8.DecodeRuneInString(s.text[i:])
			t.text = spec.Printable(s.text[open:i])
			s.skip(i + shut)
			return t, nil
		}
	}
	return t, wrong(s.file, t.at, "the string has no end: want \"")
}
