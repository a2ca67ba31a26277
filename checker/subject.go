package checker

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/flits"
	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// subject is what one call of Explore is about: a machine in the form in which
// it is walked, the flags that its states can have, and the questions that the
// flags answer.
type subject struct {
	m           states.Machine // the reference
	opt         ExploreOptions
	name        string
	assumptions []string
	claims      states.Claims

	fast      statespace.Machine
	quick     states.Claims // the claims, asked of every state that is visited
	inspect   func(s []uint64, successors int) statespace.Flags
	judge     func(s []uint64, kind uint32) statespace.Flags // invariants; nil: inspect does
	labels    func(dst []int32, s []uint64) []int32          // see liveness.Space; nil: only m tells
	questions []question

	traffic *states.Traffic  // networks
	packed  *packets.Machine // networks with whole packets
	orbits  symmetry.Orbits  // with symmetry
}

// question is a property that flags decide.
type question struct {
	name     string
	violated statespace.Flags // states with one of these violate it
	applies  statespace.Flags // no state with this one: it is vacuous
	vacuous  string           // why then
}

// fault is what a run to a state with such a flag shows.
func (q question) fault() runs.Fault {
	if q.violated == halt {
		return runs.Halt
	}
	return runs.Broken
}

// The flags of a network's states.
const (
	global statespace.Flags = 1 << iota
	weak
	local
	lost // some packet, or some flow has no right first hop
	inFlight
)

var notionFlags = [...]statespace.Flags{Local: local, Weak: weak, Global: global}

func newSubject(ctx context.Context, m states.Machine, opt ExploreOptions) (*subject, error) {
	s := &subject{m: m, opt: opt, name: m.Name(), claims: states.ClaimsOf(m), fast: m}
	if t, ok := m.(*states.Traffic); ok {
		s.traffic = t
		s.name = t.Network().Name()
		s.assumptions = trafficAssumptions(t)
	}
	if err := s.choose(); err != nil {
		return nil, err
	}
	s.quick = s.claims
	switch {
	case s.opt.Liveness && (opt.Compact || opt.Symmetry || opt.PartialOrder):
		return nil, errors.New("liveness needs the exact, unreduced state graph")
	case opt.PartialOrder && opt.Symmetry:
		return nil, errors.New("symmetry and partial-order reduction exclude each other")
	case opt.PartialOrder && s.traffic == nil:
		return nil, errors.New("partial-order reduction takes whole packets in a network")
	case opt.PartialOrder && !s.wants(deadlock):
		return nil, errors.New("partial-order reduction preserves deadlock only")
	case s.traffic == nil:
		return s, s.askMachine()
	}
	return s, s.askTraffic(ctx)
}

// exact reports whether the states found are all of the reachable ones, if the
// walk is complete.
func (s *subject) exact() bool { return !s.opt.Compact && !s.opt.Symmetry && !s.opt.PartialOrder }

func (s *subject) reduction() string {
	switch {
	case s.opt.Symmetry:
		return ", one of each orbit under " + s.orbits.How()
	case s.opt.PartialOrder:
		return ", with partial-order reduction of ejections"
	}
	return ""
}

// askTraffic prepares the walk of a network.
func (s *subject) askTraffic(ctx context.Context) error {
	const never = "no packet ever enters a channel"
	s.ask(question{deadlock, notionFlags[s.opt.Notion], inFlight, never})
	if !s.opt.PartialOrder {
		s.ask(question{delivery, lost, inFlight, never})
	}
	if err := s.bounded(); err != nil {
		return err
	}
	if s.traffic.Scenario().Flits() {
		if s.opt.PartialOrder || s.opt.Symmetry {
			return errors.New("reductions take whole packets, not flits")
		}
		// Messages too long for the tables of package flits are left to the reference.
		fast, err := flits.New(ctx, s.traffic)
		if err != nil {
			return err
		}
		if fast != nil {
			s.fast, s.labels, s.inspect = fast, fast.Labels, flagging(s.traffic, fast.Inspect)
		} else {
			s.inspect = flagging(s.traffic, packets.ConditionOf(s.traffic))
		}
		return nil
	}
	var err error
	if s.packed, err = packets.New(ctx, s.traffic); err != nil {
		return err
	}
	s.inspect = flagging(s.traffic, packets.NewInspector(s.packed).Inspect)
	s.fast, s.labels = s.packed, s.packed.Labels
	if s.opt.PartialOrder {
		s.fast = s.packed.DeliverFirst()
	}
	if s.opt.Symmetry {
		s.orbits, err = symmetry.OfTraffic(ctx, s.traffic, s.packed)
		s.fast = s.orbits
	}
	return err
}

// bounded refuses buffers too deep for packed states, and networks whose moves
// take more than the memory there is; what they take is not there for states.
func (s *subject) bounded() error {
	if err := s.traffic.Packed(); err != nil || s.opt.Memory == 0 {
		return err
	}
	n := s.traffic.Network()
	moves := int64(0)
	for i := range n.Tables() {
		table := n.Table(i)
		for _, src := range table.Sources {
			moves += int64(len(n.Row(src.Row)))
		}
		for _, r := range table.Rows {
			moves += int64(len(n.Row(r)))
		}
	}
	const each = 144 // bytes, in a list that has grown to twice what it holds
	if s.opt.Memory -= each * moves; s.opt.Memory <= 0 {
		return &routing.BudgetError{Memory: s.opt.Memory + each*moves}
	}
	return nil
}

// unexplored is what is known of a subject whose exploration did not begin.
func (s *subject) unexplored(why string) *Result {
	x := &Result{Name: s.name, Machine: s.m, Space: &Space{Ended: why}}
	if s.traffic != nil {
		x.Network = s.traffic.Network()
	}
	for _, q := range s.questions {
		x.Findings = append(x.Findings, Finding{Property: q.name, Because: why, Assumptions: s.assumptions})
	}
	if s.opt.Liveness {
		s.undecided(x, why)
	}
	return x
}

// flagging turns the conditions of states into flags.
func flagging(t *states.Traffic, condition func(state []uint64) packets.Condition) func([]uint64, int) statespace.Flags {
	always := statespace.Flags(0)
	if _, is := machines.Misrouted(t); is {
		always = lost
	}
	return func(state []uint64, successors int) statespace.Flags {
		c := condition(state)
		if c.Empty {
			return always
		}
		flags := inFlight | always
		if c.Stuck {
			flags |= local
			if !c.Moves {
				flags |= weak
			}
			if successors == 0 {
				flags |= global
			}
		}
		if c.Lost {
			flags |= lost
		}
		return flags
	}
}

// The flags of a machine's states: halt, then two for each invariant.
const halt statespace.Flags = 1

func brokenFlag(i int) statespace.Flags  { return 2 << (2 * i) }
func appliesFlag(i int) statespace.Flags { return 4 << (2 * i) }

// askMachine prepares the walk of a machine that is not a network's traffic.
func (s *subject) askMachine() error {
	const most = (statespace.FlagBits - 1) / 2
	if len(s.claims.Invariants) > most {
		return fmt.Errorf("%s has %d invariants: at most %d are explored at a time", s.name, len(s.claims.Invariants), most)
	}
	s.ask(question{name: deadlock, violated: halt})
	for i, v := range s.claims.Invariants {
		q := question{name: v.Name, violated: brokenFlag(i)}
		if v.Applies != nil {
			q.applies, q.vacuous = appliesFlag(i), "its premise never holds"
		}
		s.ask(q)
	}
	s.inspect = func(state []uint64, successors int) statespace.Flags {
		var flags statespace.Flags
		if successors == 0 && (s.quick.Final == nil || !s.quick.Final(state)) {
			flags |= halt
		}
		for i := range s.quick.Invariants {
			v := &s.quick.Invariants[i]
			if v.Applies != nil {
				if !v.Applies(state) {
					continue
				}
				flags |= appliesFlag(i)
			}
			if !v.Holds(state) {
				flags |= brokenFlag(i)
			}
		}
		return flags
	}
	m := s.m
	if p, ok := m.(*program.Machine); ok { // one that embeds a program's may step otherwise
		c := compiled.New(p)
		m, s.fast, s.labels, s.quick = c, c, c.Rules, s.wanted(c.Claims())
		if !s.opt.Symmetry { // a representative is not what the step led to
			s.judgeSteps(c)
		}
	}
	if s.opt.Symmetry {
		var err error
		s.orbits, err = symmetry.OfMachine(m)
		s.fast = s.orbits
		return err
	}
	return nil
}

// judgeSteps has the invariants of a program judged by what each step can have changed.
func (s *subject) judgeSteps(c *compiled.Machine) {
	var names []string
	for _, v := range s.claims.Invariants {
		names = append(names, v.Name)
	}
	owed := c.Obligations(names)
	s.quick.Invariants = nil
	s.judge = func(state []uint64, kind uint32) (flags statespace.Flags) {
		for i, broken := 0, owed.Broken(state, kind); broken != 0; i, broken = i+1, broken>>1 {
			if broken&1 != 0 {
				flags |= brokenFlag(i)
			}
		}
		return flags
	}
}

// counts puts the counts of deadlocks into the exploration.
func (s *subject) counts(x *Result, r *statespace.Result) {
	if s.traffic == nil {
		x.Halts = r.Flagged[bit(halt)]
		return
	}
	x.Global, x.Weak, x.Local = r.Flagged[bit(global)], r.Flagged[bit(weak)], r.Flagged[bit(local)]
}

// shown reports whether a set of states can show a property: that nothing is stuck
// does not say what each weaker notion asks.
func (s *subject) shown(property string) bool {
	_, err := machines.Safe(s.m, property)
	return err == nil && (s.traffic == nil || property != deadlock || s.opt.Notion == Local)
}
