package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// source is the file that a machine is described in, with what was counted of its
// conditions in the margin.
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
	for _, r := range m.Program().Rules {
		for i := range out.Lines {
			if slices.Contains(s.Idle, r.Name) && strings.HasPrefix(r.Where, fmt.Sprintf("%s:%d:", name, i+1)) {
				out.note(i+1, "never possible: "+r.Name, true)
			}
		}
	}
	return out
}

// note writes into the margin of a line, each text once.
func (f *source) note(line int, text string, missing bool) {
	l := &f.Lines[line-1]
	l.Missing = l.Missing || missing
	if !strings.Contains(l.Margin, text) {
		l.Margin = strings.TrimPrefix(l.Margin+"; "+text, "; ")
	}
}
