package star

import (
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Errors of what a file calls, which do not know their place (fault.go).

// mistake is an error in the file, whatever the state.
type mistake struct{ error }

func (m *mistake) Unwrap() error { return m.error }

func mistakef(format string, args ...any) error { return &mistake{fmt.Errorf(format, args...)} }

// outOfRange is a number that a variable of numbers cannot hold, or a message too many for a FIFO: the step is wrong, not the
// file, even if no state is looked at.
type outOfRange struct{ error }

// errRefused ends a run that refuses the step; refusal says why.
var errRefused = errors.New("the step is refused")

type refusal struct {
	why string
	by  *reason // nil: not recorded
}

func (r *refusal) Error() string { return r.why }

func (r *refusal) Is(target error) bool { return target == errRefused }

// misplaced is an error in a method of a FIFO; its place is that of the call of also.
type misplaced struct {
	error
	at position
}

func (m *misplaced) Unwrap() error { return m.error }

// beyond is an error at the place in a file where a limit was reached.
type beyond struct {
	*spec.PosError
	bound *spec.BoundError
}

func (e *beyond) Unwrap() []error { return []error{e.PosError, e.bound} }

// boundFault is an error of a built-in function, which does not know the place.
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

// failure is what fail(...) says.
type failure struct{ text string }

func (f *failure) Error() string { return "fail: " + f.text }
