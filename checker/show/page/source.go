package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// source is the file that describes a machine, with the counts of its conditions and the
// steps of its rules in the margin.
type source struct {
	Name  string
	Lines []sourceLine
}

type sourceLine struct {
	Number  int
	Margin  string
	Missing bool // something in it never happens
	Text    string
}

// source returns the file of a machine; nil if it was not made from one.
func (s subject) source() *source {
	m, ok := s.Machine.(interface{ Program() *program.Program })
	if !ok || star.SourceOf(m.Program()) == nil {
		return nil
	}
	name, text := star.SourceOf(m.Program()).Text()
	out := &source{Name: name}
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		out.Lines = append(out.Lines, sourceLine{Number: i + 1, Text: line})
	}
	if s.Space == nil {
		return out
	}
	for _, w := range s.Whens {
		if w.File == name {
			note := fmt.Sprintf("held %d, refused %d%s", w.Held, w.Refused, w.Lacks(", "))
			if w.Why != "" {
				note = w.Why + ": " + note
			}
			out.note(w.Line, note, w.Lacks("") != "")
		}
	}
	from := star.SourceOf(m.Program())
	for k, r := range m.Program().Rules {
		if r.Where.File != name {
			continue
		}
		at := slices.IndexFunc(s.Fired, func(f checker.Fired) bool { return f.Rule == from.Declared(k) })
		if at >= 0 && s.Fired[at].Steps > 0 {
			out.note(r.Where.Line, s.Fired[at].Rule+": "+words.Plural(int(s.Fired[at].Steps), "step"), false)
		}
		if slices.Contains(s.Idle, r.Name) {
			out.note(r.Where.Line, "never possible: "+r.Name, true)
		}
	}
	return out
}

// note writes into the margin of a line, without repeating a text.
func (f *source) note(line int, text string, missing bool) {
	l := &f.Lines[line-1]
	l.Missing = l.Missing || missing
	if !strings.Contains(l.Margin, text) {
		l.Margin = strings.TrimPrefix(l.Margin+"; "+text, "; ")
	}
}
