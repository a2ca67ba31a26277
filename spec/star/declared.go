package star

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// What rules and properties are before they are evaluated, and parts of steps, and how their instances are called.

const networkFile = "network_of.star" // the rules of a network

// declared is a rule or a property before it is evaluated.
type declared struct {
	what   string // the function that declared it
	name   string
	trees  map[int]*decision.Tree // by instance, of those that were evaluated before any is written
	lacks  map[int]bool           // by instance: it looks for a message that never comes
	some   bool                   // an instance was written
	names  []string               // of the instances, if a function names them
	f      *starlark.Function
	method *method // instead of f: what also calls
	turn   *turnOf // instead of both: that a source may push
	over   *keys
	by     string // who takes the steps of a rule; {} stands for a key
	at     position

	hops           map[string]string // of a rule of network_of: where the network's file permits them, by channel
	unfair, strong bool
}

// method is push, pop, take or clear of a FIFO, called by also.
type method struct {
	of     *slot
	name   string
	kwargs []starlark.Tuple
	at     position // of the call of also
}

// stepPart is what a call of also adds to a step: a function, or a method of a FIFO.
type stepPart struct {
	declared
	key      stepPartKey
	tree     *decision.Tree // nil: not evaluated yet
	command  decision.Command
	progress progress
}

type progress uint8

const (
	notEvaluated progress = iota
	beingEvaluated
	wasEvaluated
)

// stepPartKey identifies a part: equal calls of also are one part.
type stepPartKey struct {
	f    *starlark.Function
	of   *slot // if f is nil
	args string
}

type expected struct {
	property string
	verdict  spec.Verdict
	at       position
}

// keyed is a rule or a property for one key, or a part of a step for key 0.
type keyed struct {
	d *declared
	i int
}

// instance is a rule or property for one key, and what it chooses.
type instance struct {
	d       *declared
	i       int
	options []int
}

// place returns where the function is defined, or where also calls the method.
func (d *declared) place() position {
	if d.f == nil {
		return d.method.at
	}
	pos := d.f.Position()
	return position{file: pos.Filename(), line: pos.Line, col: pos.Col}
}

// citation returns what to cite for an instance: its function or, for a packet's move, the hops
// that the network's file permits.
func (d *declared) citation(i int) string {
	if d.hops != nil {
		return d.hops[shown(d.over.args[i][0])]
	}
	return d.f.Position().String()
}

// citationOf returns what to cite for a condition: where it was met or, within what network_of
// declares, what is cited for the instance.
func (d *declared) citationOf(i int, at position) position {
	if at.file != networkFile || d.hops == nil {
		return at
	}
	first, _, _ := strings.Cut(d.citation(i), " or ")
	parts := placeText().FindStringSubmatch(first)
	if parts == nil {
		return at
	}
	line, _ := strconv.Atoi(parts[2])
	col, _ := strconv.Atoi(parts[3])
	return position{file: parts[1], line: int32(line), col: int32(col)}
}

var placeText = pattern(`^(.*):(\d+):(\d+)$`)

// function is the name of what is called.
func (d *declared) function() string {
	if d.f == nil {
		return d.name
	}
	return d.f.Name()
}

// instance returns the name of an instance: its keys replace {} in the name, or follow it.
func (d *declared) instance(i int) string {
	if d.names != nil {
		return d.names[i]
	}
	return filled(d.name, d.over.args[i], true)
}

// actor returns the name of the process that takes the steps of an instance: the argument
// by, else the first part of the key with the name of its set, else the name of the rule.
func (d *declared) actor(i int) string {
	switch key := d.over.args[i]; {
	case d.by != "":
		return filled(d.by, key, false)
	case len(key) == 0:
		return d.name
	case len(d.over.like) > 0 && d.over.like[0] != nil:
		return spec.Printable(d.over.like[0].name) + " " + shown(key[0])
	default:
		return shown(key[0])
	}
}

// filled replaces each {} in a text by a part of the key, and appends the remaining parts if
// behind is true.
func filled(text string, key starlark.Tuple, behind bool) string {
	for _, x := range key {
		parts := []starlark.Value{x}
		if tuple, ok := x.(starlark.Tuple); ok {
			parts = tuple
		}
		for _, x := range parts {
			if strings.Contains(text, "{}") {
				text = strings.Replace(text, "{}", shown(x), 1)
			} else if behind {
				text += " " + shown(x)
			}
		}
	}
	return text
}

// property returns the name under which a property is decided, so that it can be said to
// hold: never is named after what is bad, and reach is decided as its negation.
func (d *declared) property() string {
	switch d.what {
	case "never":
		return "never: " + d.name
	case "reach":
		return d.name + ": never reached"
	}
	return d.name
}

func (p *stepPart) wrong(problem string) error {
	where := p.place()
	return place(where.file, int(where.line), int(where.col), "%s: %s", p.name, problem)
}

// misfit refuses a function whose parameters are not what also passes on.
func (p *stepPart) misfit() error {
	n := 1 + len(p.over.args[0])
	if p.f == nil || p.f.NumParams() == n && !p.f.HasVarargs() && !p.f.HasKwargs() && p.f.NumKwonlyParams() == 0 {
		return nil
	}
	return p.wrong(fmt.Sprintf("want %d plain parameters: the state, and what also passes on", n))
}
