package star

import (
	"bytes"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
)

// position is where a call was made.
type position struct {
	file      string
	line, col int32
	callers   string // file:line:col of the calls around it, innermost first
}

// String returns the position as a reason or a message names it.
func (p position) String() string {
	s := fmt.Sprintf("%s:%d:%d", p.file, p.line, p.col)
	if p.callers != "" {
		s += ", called from " + p.callers
	}
	return s
}

const mostCallers = 8

// positionOf returns the innermost position of a stack within the file, or one that it
// loads. Of many callers it names the innermost ones and the outermost, which tell most.
func positionOf(file string, stack starlark.CallStack) position {
	var at []syntax.Position
	for i := range stack {
		if pos := stack.At(i).Pos; pos.Line > 0 {
			at = append(at, pos)
		}
	}
	if len(at) == 0 {
		return position{file, 1, 1, ""}
	}
	var callers []string
	for i, pos := range at[1:] {
		switch {
		case i < mostCallers-1 || i == len(at)-2:
			callers = append(callers, fmt.Sprintf("%s:%d:%d", pos.Filename(), pos.Line, pos.Col))
		case i == mostCallers-1:
			callers = append(callers, "...")
		}
	}
	return position{at[0].Filename(), at[0].Line, at[0].Col, strings.Join(callers, ", ")}
}

func place(file string, line, col int, format string, args ...any) error {
	return &spec.PosError{File: file, Line: line, Col: col, Msg: oneLine(fmt.Sprintf(format, args...))}
}

// oneLine makes a message fit into a line of a report.
func oneLine(s string) string {
	const most = 400
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(" ")
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// newlines returns a text with its lines as the parser counts them: a carriage return ends
// one, alone or before a newline.
func newlines(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}
