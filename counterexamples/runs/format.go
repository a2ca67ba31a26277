package runs

import (
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// The written form of a run:
//
//	unknot-machine-trace 2
//	machine NAME
//	property NAME
//	fault broken|halt|refused|unanswered|falsified
//	start NUMBER
//	back NUMBER                          unanswered, falsified: the loop begins after this number of steps
//	step ACTION CHOICE NAME
//	state TEXT                           a comment: what the step before changed
//	end
//
// A line of a state may be left out; package evidence refuses one that says something else.
//
// ACTION is the action's number. Names are Go strings in double quotes. A run has no digest of
// its machine, only the name: to replay it, build the same machine again.

const firstLine = "unknot-machine-trace 2"

// Read reads the written form. Errors are *spec.PosError with the given file name.
func Read(file string, in io.Reader) (*Run, error) {
	l := lines.New(file, in, firstLine)
	r := &Run{Machine: l.Quoted("machine"), Property: l.Quoted("property")}
	r.Fault = Fault(l.Field("fault"))
	if !slices.Contains([]Fault{Broken, Halt, Refused, Unanswered, Falsified}, r.Fault) {
		l.Fail("invalid fault of a trace %.40q: want broken, halt, refused, unanswered or falsified", r.Fault)
	}
	r.Start = l.Numbers("start", 1)[0]
	if r.Fault.Loops() {
		r.Back = l.Numbers("back", 1)[0]
	}
	for l.Err() == nil && l.Peek() != "end" {
		words := strings.SplitN(l.ReadLine(), " ", 4)
		switch {
		case words[0] == "state": // a comment, compared where the run is replayed
		case words[0] == "step" && len(words) == 4:
			n := l.Integers(words[1:3])
			r.Steps = append(r.Steps, Taken{states.Action{Number: n[0], Name: l.Unquoted(words[3])}, n[1]})
		default:
			l.Fail("want \"step ACTION CHOICE NAME\" or \"end\" here")
		}
	}
	return lines.End(l, r)
}
