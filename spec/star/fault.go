package star

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
)

// beyond is a place in a file where a bound was met.
type beyond struct {
	*spec.PosError
	bound *spec.BoundError
}

func (e *beyond) Unwrap() []error { return []error{e.PosError, e.bound} }

// boundFault is met by built-in functions, which do not know the place.
type boundFault struct {
	spec.BoundError
	advice string
}

func (e *boundFault) Error() string { return e.BoundError.Error() + ": " + e.advice }

func bound(limit int, what, advice string) error {
	return &boundFault{spec.BoundError{What: what, Limit: limit}, advice}
}

func tooManySteps(limit uint64) *boundFault {
	return &boundFault{spec.BoundError{What: "steps", Limit: int(limit)}, "is there a loop or a list that is far too long?"}
}

// fault places an error of evaluation at the innermost position within the file.
func fault(file string, t *starlark.Thread, err error) error {
	line, col := 1, 1
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		for i := range eval.CallStack {
			if pos := eval.CallStack.At(i).Pos; pos.Filename() == file && pos.Line > 0 {
				line, col = int(pos.Line), int(pos.Col)
				break
			}
		}
	}
	var met *boundFault
	if !errors.As(err, &met) && t.Steps >= runOf(t).limit {
		met = tooManySteps(runOf(t).limit)
	}
	if met != nil {
		pos := &spec.PosError{File: file, Line: line, Col: col, Msg: oneLine(met.Error())}
		return &beyond{pos, &met.BoundError}
	}
	return place(file, line, col, "%s", advised(err.Error()))
}

// advised adds what would be right to the messages of Starlark that do not say it.
func advised(msg string) string {
	switch {
	case strings.HasPrefix(msg, "undefined: "):
		return msg + ": define it first, or use param, network, node, link, both, flows, hop or a function of Starlark"
	case strings.HasSuffix(msg, "called recursively"):
		return msg + ": use a for loop over a range"
	case strings.Contains(msg, "frozen"):
		return msg + ": globals cannot change after the file has run; compute them at top level"
	case strings.HasSuffix(msg, "referenced before assignment"):
		return msg + ": assign it on every path; a function cannot assign to a global"
	}
	return msg
}

// syntaxFault places an error of the parser or the resolver, the first of them.
func syntaxFault(file string, err error) error {
	var (
		parse syntax.Error
		names resolve.ErrorList
	)
	switch {
	case errors.As(err, &parse):
		return place(file, int(parse.Pos.Line), int(parse.Pos.Col), "%s", advised(parse.Msg))
	case errors.As(err, &names) && len(names) > 0:
		return place(file, int(names[0].Pos.Line), int(names[0].Pos.Col), "%s", advised(names[0].Msg))
	}
	return place(file, 1, 1, "%s", err.Error())
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
