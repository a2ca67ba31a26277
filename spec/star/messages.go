package star

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// The messages of a protocol: who puts what into which FIFO, and what it takes in the same step. They are found as the
// program is, by running each rule for all combinations of values that it distinguishes, whether or not they can be
// reached. So every transfer that can happen is there, and perhaps others.

// Messages is what the rules of a protocol put into FIFOs and take from them.
type Messages struct {
	Agents  []string // that take steps, in the order of the rules; see by= of a rule
	Classes []string // of messages, in the order in which rules put them
	Sent    []Sent   // each once
	Chains  []Chain  // each once
}

// Sent says that an agent puts messages of a class into a FIFO.
type Sent struct {
	Agent, FIFO, Class string
	Receiver           string      // the agent that takes them
	Most               int         // how many of them one step puts, at most
	Where              spec.Reason // the first place that does
}

// Chain says that a step takes a message of one class and puts one of another: an agent holds the first until there is
// room for the second.
type Chain struct {
	Agent, Takes, Puts string
	From, Into         string // FIFOs
	Rule               string
	Where              spec.Reason // where it puts
}

// transfer is a message that a run puts into a FIFO, or takes from it.
type transfer struct {
	puts  bool
	of    *slot
	class string
	at    position
}

// look is what a run sees of a FIFO without taking from it.
type look struct {
	by   string // the agent
	of   *slot
	what string // as in the file
	far  bool   // past the first message
	at   position
}

// traffic collects the transfers of all runs.
type traffic struct {
	Messages
	takers map[*slot]string // by FIFO: the agent
	looks  []look           // of rules, the first one of each agent at each FIFO
	part   bool             // what runs is a part of a step, by also(...)

	// Of the instance of a rule that runs:
	possible bool      // some step is
	noRoom   *transfer // into a FIFO, whose room ended a run
}

// Messages finds what the rules put into FIFOs and take from them. A FIFO must have one agent that takes from it. It
// costs as much as evaluating all rules. Refused are FIFOs that a network cannot stand for: those that are lossy,
// duplicating, inferred or arbitrate, or begin with several messages; what also(...) does to any; and what nobody sees
// over a network: more of a FIFO than its first message, and even that but for the agent that takes it.
func (s *Source) Messages(ctx context.Context) (*Messages, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.b.m.fork()
	m.leaves, m.steps, m.traffic = mostLeaves, mostRuleSteps, &traffic{takers: map[*slot]string{}}
	if err := m.routable(s.b.file); err != nil {
		return nil, err
	}
	for r := range m.rules {
		d := &m.rules[r]
		for i := range d.over.args {
			agent := d.actor(i)
			if d.what == "rule" && !slices.Contains(m.traffic.Agents, agent) {
				m.traffic.Agents = append(m.traffic.Agents, agent)
			}
			m.traffic.possible, m.traffic.noRoom = false, nil
			if _, err := s.b.evaluateOn(ctx, m, d, i); err != nil {
				return nil, err
			}
			if x := m.traffic.noRoom; x != nil && !m.traffic.possible {
				return nil, place(x.at.file, int(x.at.line), int(x.at.col),
					"no step of %s finds room in %s, whose size is %d: make it larger", d.instance(i), x.of.path,
					x.of.kind.(*queue).size)
			}
		}
	}
	m.traffic.part = true
	for i := 0; i < len(m.parts); i++ { // a part may have parts
		if d := &m.parts[i].declared; d.f != nil {
			if _, err := s.b.evaluateOn(ctx, m, d, 0); err != nil {
				return nil, err
			}
		}
	}
	if err := m.traffic.unseen(); err != nil {
		return nil, err
	}
	of := &m.traffic.Messages
	for k := range of.Sent {
		x := &of.Sent[k]
		for q, agent := range m.traffic.takers {
			if q.path == x.FIFO {
				x.Receiver = agent
			}
		}
		if x.Receiver == "" {
			return nil, &spec.PosError{File: x.Where.File, Line: x.Where.Line, Col: x.Where.Col,
				Msg: fmt.Sprintf("no rule takes from %s: want one, as it is at the node of who takes", x.FIFO)}
		}
	}
	if len(of.Sent) == 0 {
		return nil, place(s.b.file, 1, 1, "no rule puts a message into a FIFO: a network carries what FIFOs do")
	}
	return of, nil
}

// routable refuses FIFOs that a network cannot stand for.
func (m *machine) routable(file string) error {
	if len(m.over) > 0 {
		return place(file, 1, 1, "the protocol has a network of its own, by network_of: check it as it is")
	}
	for _, q := range m.fifos() {
		k, what := q.kind.(*queue), ""
		if len(q.in) > 1 && m.beginsOccupied(q.in[1]) {
			return place(file, 1, 1, "init of %s has several messages, of which a network holds none at first: give it one, "+
				"which has arrived, and let a rule put the others", q.path)
		}
		switch {
		case k.lossy:
			what = "lossy"
		case k.duplicating:
			what = "duplicating"
		case k.inferred:
			what = "inferred"
		case m.arbiters[q] != nil:
			what = "with an arbiter"
		default:
			continue
		}
		return place(file, 1, 1, "%s is %s, which a network is not: leave that out of the FIFO", q.path, what)
	}
	return nil
}

// fifos lists the FIFOs of the state.
func (m *machine) fifos() (all []*slot) {
	var look func(p *slot)
	look = func(p *slot) {
		if _, is := p.kind.(*queue); is {
			all = append(all, p)
			return
		}
		for _, q := range p.in {
			look(q)
		}
	}
	look(m.root)
	return all
}

// beginsOccupied reports whether a place of a FIFO holds a message in an initial state.
func (m *machine) beginsOccupied(p *slot) bool {
	for len(p.in) > 0 {
		p = p.in[0]
	}
	return m.p.Variables[p.x].Initial > 0 ||
		slices.ContainsFunc(m.p.Starts, func(s []int) bool { return s[p.x] > 0 })
}

// noteLook notes that the run sees something of a FIFO, if transfers are collected.
func (q *fifo) noteLook(what string, far bool) {
	if q.a.m.traffic != nil {
		at := positionOf(q.a.thread.Name, q.a.thread.CallStack())
		q.a.looks = append(q.a.looks, look{q.a.agent, q.place, what, far, at})
	}
}

// refused says, at the place of a look, why it cannot be.
func (x look) refused(format string, args ...any) error {
	return place(x.at.file, int(x.at.line), int(x.at.col), format, args...)
}

// add adds what a run sees and, if it ends without an error, its transfers.
func (of *traffic) add(d *declared, i int, a *evaluation, end error) error {
	run := a.transfers
	if of.part && len(a.looks)+len(run) > 0 {
		x := look{}
		if len(a.looks) > 0 {
			x = a.looks[0]
		} else {
			x.at = run[0].at
		}
		return x.refused("also(...) of a FIFO cannot run over a network: call %s itself, not by also", d.function())
	}
	for _, x := range a.looks {
		switch size := x.of.kind.(*queue).size; {
		case x.what == ".full" || x.what == "clear()":
			return x.refused("%s%s over a network, where nobody sees or takes what is under way: leave it out, as a push "+
				"waits for room", x.of.label, dotted(x.what))
		case x.far && size > 1:
			return x.refused("%s of %s over a network, where the agent that takes from it sees the first message alone: "+
				"use .empty and .head, or count in a variable", x.what, x.of.path)
		case d.what == "rule":
			if !slices.ContainsFunc(of.looks, func(o look) bool { return o.by == x.by && o.of == x.of }) {
				of.looks = append(of.looks, x)
			}
		}
	}
	if d.what != "rule" {
		return nil
	}
	if end != nil {
		if wantsRoom(end) && len(run) > 0 {
			of.noRoom = &run[len(run)-1]
		}
		return nil
	}
	of.possible = true
	return of.transfer(d, i, a.agent, run)
}

// wantsRoom reports whether a FIFO was full when something was pushed.
func wantsRoom(err error) bool {
	var refused *refusal
	var far *outOfRange
	return errors.As(err, &refused) && refused.full || errors.As(err, &far) && far.full != nil
}

// dotted is what follows the name of a FIFO.
func dotted(what string) string { return "." + strings.TrimPrefix(what, ".") }

// unseen refuses rules that look at FIFOs from which other agents take.
func (of *traffic) unseen() error {
	for _, x := range of.looks {
		if taker, taken := of.takers[x.of]; taken && x.by != taker {
			return x.refused("%s looks at %s, from which %s takes: over a network only that agent sees it; send a message, "+
				"or name one agent by by= of the rules", x.by, x.of.path, taker)
		}
	}
	return nil
}

// transfer adds the transfers of a run.
func (of *traffic) transfer(d *declared, i int, agent string, run []transfer) error {
	for _, x := range run {
		if !x.puts {
			if other, met := of.takers[x.of]; met && other != agent {
				return place(x.at.file, int(x.at.line), int(x.at.col),
					"%s and %s both take from %s: want one agent, named by by= of the rules, as a FIFO is at one node",
					other, agent, x.of.path)
			}
			of.takers[x.of] = agent
			continue
		}
		of.put(agent, x, run)
		for _, taken := range run {
			c := Chain{Agent: agent, Takes: taken.class, Puts: x.class, From: taken.of.path, Into: x.of.path,
				Rule: d.instance(i), Where: x.at.reason()}
			if !taken.puts && !slices.ContainsFunc(of.Chains, func(o Chain) bool {
				return o.Agent == c.Agent && o.Takes == c.Takes && o.Puts == c.Puts && o.Into == c.Into
			}) {
				of.Chains = append(of.Chains, c)
			}
		}
	}
	return nil
}

// put notes one message of a run.
func (of *traffic) put(agent string, x transfer, run []transfer) {
	if !slices.Contains(of.Classes, x.class) {
		of.Classes = append(of.Classes, x.class)
	}
	most := 0
	for _, o := range run {
		if o.puts && o.class == x.class {
			most++
		}
	}
	for k := range of.Sent {
		if o := &of.Sent[k]; o.Agent == agent && o.FIFO == x.of.path && o.Class == x.class {
			o.Most = max(o.Most, most)
			return
		}
	}
	of.Sent = append(of.Sent, Sent{Agent: agent, FIFO: x.of.path, Class: x.class, Most: most, Where: x.at.reason()})
}

// class returns the class of a message: what the function of the FIFO says or, if it has none, the FIFO's name.
func (q *fifo) class(t *starlark.Thread, d datum) (string, error) {
	of := q.kind().classes
	if of == nil {
		return q.place.label, nil
	}
	v, err := starlark.Call(t, of, starlark.Tuple{q.a.read(d, q.kind().elem)}, nil)
	if err != nil {
		return "", err
	}
	name, is := v.(starlark.String)
	if !is || name == "" {
		return "", mistakef("classes of %s returned %s: want the name of a class", q.place.label, nameOf(v))
	}
	return spec.Printable(string(name)), nil
}

// noteTransfer notes a transfer of the run, if transfers are collected.
func (q *fifo) noteTransfer(t *starlark.Thread, puts bool, d datum) error {
	if q.a.m.traffic == nil {
		return nil
	}
	at := positionOf(t.Name, t.CallStack())
	class, err := q.class(t, d)
	if err == nil {
		q.a.transfers = append(q.a.transfers, transfer{puts, q.place, class, at})
	}
	return err
}
