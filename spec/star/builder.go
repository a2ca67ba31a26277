package star

import (
	"context"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// builder collects what a file declares.
type builder struct {
	ctx         context.Context // of Load, for the networks that it loads
	file        string
	opt         Options
	params      []Param
	paramsOnly  bool // the file ends at the call of machine
	def         routing.Definition
	described   bool // network was called
	sources     bool // route sees where a packet comes from
	vcs         int  // VCs of a link that does not say
	vcNames     []string
	nodes       []*node
	links       []*link
	named       map[string]*node
	channels    int
	flow        flow
	replied     []reply
	machine     bool // the file describes a machine
	m           *machine
	instances   []instance              // of a machine, by rule of the program
	inputs      map[string]bool         // data files that the texts name
	read        map[string]bool         // those that were read
	quiet       map[*node]bool          // nodes that, as topology says, neither send nor receive
	lists       map[starlark.Value]bool // lists and dicts in global values
	precomputed map[keyed]*precomputed  // what was answered ahead
	callable    map[string]bool         // functions whose calls may be remembered
	inferred    map[any]*precomputed    // by keyed, or by stepPartKey: what was answered while FIFOs were inferred
}

func newBuilder(file string, opt Options) *builder {
	return &builder{file: file, opt: opt, vcs: 1, named: map[string]*node{},
		inputs: map[string]bool{}, read: map[string]bool{}, quiet: map[*node]bool{}, lists: map[starlark.Value]bool{},
		def: routing.Definition{Tags: 1, Buffer: 1, Classes: []string{""}}}
}

// Options bounds and parametrises [Load]. The zero value is usable.
type Options struct {
	Set           map[string]string // values for parameters, by name
	MaxSteps      uint64            // steps at top level; 0 means DefaultSteps
	MaxRouteSteps uint64            // steps of one call of route, or of a rule; 0 means 1 million

	// Open returns the text of a file that load names, by its base name, such as "lib.star",
	// or that table, json or topology name, by its path below the folder of the file, such
	// as "data/edges.csv". Nil means that there are none.
	Open func(name string) ([]byte, error)

	tested    func(*relation) // by tests; may be nil
	workers   int             // cores that evaluate rules and properties; 0 means all
	leaves    int             // runs of all rules; 0 means mostLeaves
	ruleSteps int             // steps of all rules; 0 means mostRuleSteps
}

// flow is who sends to whom, as the file says it: a function, a set of flows,
// or neither.
type flow struct {
	f   *starlark.Function
	set map[aFlow]bool
}

type aFlow struct {
	src, dst spec.NodeID
	class    spec.Class
}

// reply is a call of replies.
type reply struct {
	routing.Reply
	to *starlark.Function
}

// precomputed is an answer given ahead of its turn.
type precomputed struct {
	m             *machine // with the parts and faults that it met
	tree          *decision.Tree
	lacksMessage  bool
	leaves, steps int // used
}
