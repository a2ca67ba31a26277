package explorer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// view is what the template writes.
type view struct {
	Title   string
	Run     string // the address of this state
	Steps   int
	Starts  []link // the initial states, if there are several
	Back    *link
	First   *link
	Follow  *link // the next step of the trace
	End     *link // of the trace
	OnTrace string
	Ended   string

	Last    string // the action that led here
	Changes []states.Change
	Before  *link // an equal earlier state of the run
	Overlay *figure.Overlay
	Symbols []*figure.Topology
	Waits   []string
	Claims  []claim
	Moves   []move
	Find    string
	Sources []source // nodes that can inject, if there are too many moves to list them all
	Hidden  int      // moves that are not shown
	Rest    bool
	Refused []explain.Refusal
	Fields  []field
	More    int
	History []link
	Earlier int // steps of the run that are not shown
}

type link struct{ To, Text string }

type claim struct{ Name, State, Sign string }

type move struct {
	Number int
	To     string
	Action string
	Effect string
	Trace  bool
}

// source is a node at which packets can be injected.
type source struct {
	Node  spec.NodeID
	Name  string
	Moves int
	Shown bool // in the list of moves
}

type field struct {
	Name, Value string
	Changed     bool
}

func (p *pages) title() string {
	if p.traffic != nil {
		return p.traffic.Network().Name() + ", " + p.traffic.Scenario().String()
	}
	return p.m.Name()
}

// follow links to the steps of the trace.
func (p *pages) follow(v *view, run Run) {
	if p.trace == nil {
		return
	}
	steps := len(p.trace.Choices)
	v.End = &link{address(*p.trace), "To the end of the trace"}
	if !run.begins(*p.trace) {
		v.OnTrace = "off the trace"
		return
	}
	v.OnTrace = fmt.Sprintf("step %d of %d of the trace", len(run.Choices), steps)
	if len(run.Choices) < steps {
		v.Follow = &link{address(p.trace.prefix(len(run.Choices) + 1)), "Next step of the trace"}
		return
	}
	v.End, v.Ended = nil, p.trace.End
}

// fields lists what is not 0 in a state, or everything if that is little, and what the last
// step changed.
func (p *pages) fields(v *view, before, now []uint64) {
	all := p.m.Layout().Fields()
	few := p.traffic == nil && len(all) <= fewFields
	if before != nil {
		v.Changes = states.Changes(p.m.Layout(), before, now)
	}
	for _, f := range all {
		changed := before != nil && f.Of(before) != f.Of(now)
		switch {
		case f.Of(now) == 0 && !changed && !few:
		case len(v.Fields) == mostRows:
			v.More++
		default:
			v.Fields = append(v.Fields, field{f.Name, f.Text(now), changed})
		}
	}
}

// history describes the run so far.
func (p *pages) history(v *view, run Run, states [][]uint64) error {
	v.Earlier = max(0, len(run.Choices)-mostRun)
	for i := v.Earlier; i < len(run.Choices); i++ {
		options, err := p.options(states[i])
		if err != nil {
			return err
		}
		v.Last = options.action(run.Choices[i])
		v.History = append(v.History, link{address(run.prefix(i + 1)), fmt.Sprintf("%d. %s", i+1, v.Last)})
	}
	return nil
}

// moves lists what can happen next, and what that changes.
func (p *pages) moves(v *view, run Run, now []uint64, at spec.NodeID) error {
	options, err := p.options(now)
	if err != nil {
		v.Claims = append(v.Claims, claim{states.InRange, cmp.Or(explain.Wrong(p.m, now), err.Error()), "✗"})
		return nil
	}
	v.Rest = options.count() == 0
	next := -1
	if p.trace != nil && run.begins(*p.trace) && len(run.Choices) < len(p.trace.Choices) {
		next = p.trace.Choices[len(run.Choices)]
	}
	shown, injections := options.order()
	if v.Find == "" && len(injections) > mostInjections {
		injections = p.inject(v, options, injections, at, next)
	}
	for _, i := range append(shown, injections...) {
		if v.Find != "" && !strings.Contains(options.action(i), v.Find) {
			continue
		}
		if len(v.Moves) >= mostMoves && i != next {
			v.Hidden++
			continue
		}
		after, err := options.successor(i)
		if err != nil {
			return err
		}
		v.Moves = append(v.Moves, move{
			Number: len(v.Moves) + 1, To: address(run.extend(i)), Action: options.action(i),
			Effect: states.ChangesText(states.Changes(p.m.Layout(), now, after)), Trace: i == next,
		})
	}
	return nil
}

// inject lists the nodes that can inject, and returns the injections of the chosen one and
// the next one of the trace.
func (p *pages) inject(v *view, o *options, injections []int, at spec.NodeID, next int) (chosen []int) {
	topo := p.traffic.Network().Topology()
	moves := make([]int, topo.Nodes())
	for _, i := range injections {
		node, _ := o.source(i)
		moves[node]++
		if node == at || i == next {
			chosen = append(chosen, i)
		}
	}
	for n, count := range moves {
		if node := spec.NodeID(n); count > 0 {
			v.Sources = append(v.Sources, source{node, topo.Node(node).Name, count, node == at})
		}
	}
	return chosen
}

// machine says which invariants hold and which responses are pending, and why rules are
// not possible.
func (p *pages) machine(v *view, now []uint64) {
	if m, ok := p.m.(*program.Machine); ok {
		v.Refused, _ = explain.Refusals(m, now, mostMoves)
	}
	for _, i := range p.claims.Invariants {
		switch {
		case i.Cover != "" && i.Holds(now):
			v.Claims = append(v.Claims, claim{i.Cover, "is not reached here", "·"})
		case i.Cover != "":
			v.Claims = append(v.Claims, claim{i.Cover, "is reached here", "✓"})
		case i.Applies != nil && !i.Applies(now):
			v.Claims = append(v.Claims, claim{i.Name, "premise false here", "·"})
		case i.Holds(now):
			v.Claims = append(v.Claims, claim{i.Name, "holds here", "✓"})
		default:
			state := "is violated here"
			if why := explain.Broken(p.m, i.Name, now); why != "" {
				state += ": " + why
			}
			v.Claims = append(v.Claims, claim{i.Name, state, "✗"})
		}
	}
	for _, r := range p.claims.Responses {
		if r.Pending(now) {
			v.Claims = append(v.Claims, claim{r.Name, "is pending", "…"})
		}
	}
	if v.Rest {
		if p.claims.Final != nil && p.claims.Final(now) {
			v.Claims = append(v.Claims, claim{"deadlock", "none: the machine ends here as intended", "✓"})
		} else {
			v.Claims = append(v.Claims, claim{"deadlock", "no step is possible", "✗"})
		}
	}
}

func address(r Run) string { return "walk/" + r.String() }
