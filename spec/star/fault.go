package star

import (
	"errors"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// fault places an error of evaluation at the innermost position within the
// file and says in which evaluation, if any, and from where it was called.
func fault(file string, t *starlark.Thread, err error) error {
	var placed *spec.PosError
	if errors.As(err, &placed) { // in the text of a loaded file
		return placed
	}
	at, err := innermost(file, err)
	about := runOf(t).subject()
	if at.callers != "" {
		about = strings.TrimPrefix(about+", called from "+at.callers, ", ")
	}
	if about != "" {
		about = " (" + oneLine(about) + ")"
	}
	var met *boundFault
	if !errors.As(err, &met) && t.Steps >= runOf(t).limit {
		met = tooManySteps(runOf(t).limit)
	}
	if met != nil {
		pos := &spec.PosError{File: at.file, Line: int(at.line), Col: int(at.col), Msg: oneLine(met.Error()) + about}
		return &beyond{pos, &met.BoundError}
	}
	return &spec.PosError{File: at.file, Line: int(at.line), Col: int(at.col), Msg: oneLine(runOf(t).advised(err.Error())) + about}
}

// ofKey matches what is said of a key.
var ofKey = pattern(`^(?:int|string|bool|tuple) has no \.(\w+) field or method|^can't assign to \.(\w+) field of (?:int|string|bool|tuple)$`)

// advised adds to a message of the run what to write instead.
func (r *run) advised(msg string) string {
	if of := ofKey().FindStringSubmatch(msg); of != nil && r.evaluation != nil && r.evaluation.m.root.kind.(*record).field(of[1]+of[2]) >= 0 {
		return msg + ": the state, which has " + of[1] + of[2] + ", is the first parameter, as in def f(s, i)"
	}
	return advised(msg)
}

// innermost returns where an error of evaluation arose, and what it was there.
func innermost(file string, err error) (position, error) {
	at := position{file, 1, 1, ""}
	var of *misplaced
	if errors.As(err, &of) {
		at, err = of.at, of.error
	}
	var eval *starlark.EvalError
	for errors.As(err, &eval) { // within a loaded file
		if of == nil {
			at = positionOf(file, written(eval.CallStack))
		}
		err = eval.Unwrap()
	}
	return at, err
}

// written leaves out the calls within what network_of declares, which the author of the
// file did not write, unless there are no others.
func written(stack starlark.CallStack) starlark.CallStack {
	others := slices.DeleteFunc(slices.Clone(stack), func(f starlark.CallFrame) bool { return f.Pos.Line == 0 || f.Pos.Filename() == networkFile })
	if len(others) == 0 {
		return stack
	}
	return others
}
