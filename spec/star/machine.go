package star

import (
	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// machine collects what the file of a machine declares.
type machine struct {
	name, source string
	p            *program.Program
	root         *slot   // the state: a record of all variables
	places       []*slot // by variable
	sets         []*members
	symmetries   []symmetry // that the file states
	group        *group     // that these generate
	rules        []declared // rules and properties, in order
	expects      []expected
	faults       map[string]program.Var // by place and message
	forked       bool                   // it is evaluated before its turn: see fork
	met          []metFault             // if ahead: the faults, whose variables come after all others
	ways         map[string]int         // by place: how many messages it has
	parts        []*stepPart
	over         []Over                          // networks that it runs over
	arbiters     map[*slot]*arbiter              // by FIFO
	waiting      int                             // operators that say who waits for a turn
	reached      map[*decision.Tree]map[int]bool // parts of steps
	noting       *notes                          // nil except while the contents of FIFOs are inferred
	late         []lateArbiter                   // of inferred FIFOs
	partNumber   map[stepPartKey]int
	strings      map[string]bool // strings that variables can hold
	leaves       int             // runs that are left
	steps        int             // steps of the interpreter that are left
}

// metFault is a fault, to be numbered in the order met.
type metFault struct{ where, message string }

// Over is a network that a protocol runs over, and its name in the state.
type Over struct {
	Name    string
	Network *spec.Network
}

const (
	mostLeaves     = 1 << 20 // of a file
	mostLeavesEach = 1 << 16 // of an instance
	mostRuleSteps  = 1 << 29
)

// notes is what one evaluation meets.
type notes struct {
	fifos   map[program.Var]*slot    // of the inference, only read
	known   map[*slot]map[string]int // of the inference, only read
	looked  map[*slot]bool           // what FIFOs hold
	lacked  map[soughtMessage]bool   // messages that never came
	pushed  map[*slot]map[int]bool   // numbers of messages, in the domain that the file declares
	written []*slot                  // FIFOs of whose messages the answer has numbers
	sources []source                 // that push in their turn
	failed  bool                     // an error ended a run
	round   int
}

// soughtMessage is a message in a FIFO, by keyText.
type soughtMessage struct {
	fifo    *slot
	message string
}

// source pushes into a FIFO in its turn; None is a sender other than the sources.
type source struct {
	fifo *slot
	name starlark.Value
}

func (n *notes) notePush(q *slot, v starlark.Value) {
	i, declared := numbered(q.kind.(*queue).elem.(*domain).of.number, v)
	if !declared {
		return // the push is wrong, as the last evaluation says
	}
	if n.pushed[q] == nil {
		n.pushed[q] = map[int]bool{}
	}
	n.pushed[q][i] = true
}
