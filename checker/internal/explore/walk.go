// Package explore puts a machine into the form in which its states are visited, and
// turns a trail of visited states into steps of the reference.
//
// Whatever the form (packed packets or flits, a compiled program, states modulo
// symmetries), a trail counts only as steps of the reference, found again one by one.
package explore

import (
	"context"
	"errors"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/flits"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/checker/internal/reduction"
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Walk is a machine in the form in which it is walked.
type Walk struct {
	walk.Machine
	Inspect func(s []uint64, successors int) walk.Flags
	Claims  states.Claims                            // as asked of every visited state
	Judge   func(s []uint64, kind uint32) walk.Flags // invariants; nil: Inspect judges them
	Sleep   *walk.Sleep                              // see walk.Options; may be nil
	Free    func() []bool                            // see walk.Options
	Orbits  symmetry.Orbits                          // the Machine, if walked modulo symmetries
	Slice   *reduction.Slice                         // whose machine is Machine; nil: the whole program
	// Stubborn sets were asked for, but do not pay: Machine takes all steps.
	Unreduced bool
	// Symmetries were asked for, but orbits do not pay: Machine visits all states. Sample says why.
	Unmerged bool
	Sample   symmetry.Sample

	Taken   func(kinds []bool, f func(rule int32)) bool // see compiled.Machine; nil: the machine tells no kinds
	Labels  func(dst []int32, s []uint64) []int32       // see liveness.Space
	Fair    func() []bool                               // the same; may be nil
	Answers func() []int32                              // the same; may be nil

	AnswersOf func(dst [][2]int32, state, next []uint64) [][2]int32 // the same; may be nil
	// what a response directly depends on; may be nil, as may its result
	Local func(response string) (*liveness.Local, error)
}

// The flags of a network's states.
const (
	Global walk.Flags = 1 << iota
	Weak
	Local
	Lost // some packet is lost, or some flow has no right first hop
	InFlight
)

// Reductions says what of the state graph of a network need not be visited.
type Reductions struct {
	Symmetry     bool // one state of each orbit
	Sampled      bool // but all states if a sample shows that orbits do not pay ([Walk.Unmerged])
	PartialOrder bool // of ejections
}

// Traffic prepares the walk of a network.
func Traffic(ctx context.Context, t *states.Traffic, r Reductions) (*Walk, error) {
	claims := states.ClaimsOf(t)
	if t.Scenario().Flits() {
		if r.PartialOrder || r.Symmetry {
			return nil, errors.New("reductions take whole packets, not flits")
		}
		fast, err := flits.New(ctx, t)
		if err != nil {
			return nil, err
		}
		if fast == nil { // packets are too long for the tables of package flits
			return &Walk{Machine: t, Claims: claims, Inspect: flagging(t, packets.ConditionOf(t))}, nil
		}
		w := &Walk{
			Machine: fast, Claims: fast.Claims(), Labels: fast.Labels, AnswersOf: fast.Answers,
			Inspect: flagging(t, fast.Inspect),
		}
		if fast.MayPay() {
			w.Sleep = fast.Sleep()
		}
		return w, nil
	}
	fast, err := packets.New(ctx, t)
	if err != nil {
		return nil, err
	}
	w := &Walk{
		Machine: fast, Claims: claims, Labels: fast.Labels, Fair: fast.FairLabels, Answers: fast.AnswersByLabel,
		Inspect: flagging(t, packets.NewInspector(fast).Inspect),
	}
	if r.PartialOrder {
		w.Machine = fast.DeliverFirst()
	}
	if !r.Symmetry {
		return w, nil
	}
	orbits, sample, err := symmetry.OfTraffic(ctx, t, fast, symmetry.Options{Sampled: r.Sampled})
	if err == nil && orbits == nil {
		w.Unmerged, w.Sample = true, sample
		return w, nil
	}
	w.Orbits, w.Machine = orbits, orbits
	return w, err
}

// Bounded refuses buffers too deep for packed states, and networks whose moves and
// places exceed the memory; it returns what they leave for states. 0 sets no
// bound.
func Bounded(t *states.Traffic, memory int64) (left int64, err error) {
	if err := t.Packed(); err != nil || memory == 0 {
		return memory, err
	}
	n := t.Network()
	moves, places := int64(0), int64(0)
	for c := range n.Topology().Channels() {
		places += int64(t.Queue(spec.ChannelID(c)).Len())
	}
	for i := range n.Tables() {
		table := n.Table(i)
		for _, src := range table.Sources {
			moves += int64(len(n.Row(src.Row)))
		}
		for _, r := range table.Rows {
			moves += int64(len(n.Row(r)))
		}
	}
	const eachMove, eachPlace = 144, 24 // bytes; the list of moves may have twice the capacity it needs
	if left = memory - eachMove*moves - eachPlace*places; left <= 0 {
		return 0, &routing.BudgetError{Memory: memory}
	}
	return left, nil
}

// flagging turns the conditions of a state into flags.
func flagging(t *states.Traffic, condition func(state []uint64) packets.Condition) func([]uint64, int) walk.Flags {
	always := walk.Flags(0)
	if _, is := machines.Misrouted(t); is {
		always = Lost
	}
	return func(state []uint64, successors int) walk.Flags {
		c := condition(state)
		if c.Empty {
			return always
		}
		flags := InFlight | always
		if c.Stuck {
			flags |= Local
			if !c.Moves {
				flags |= Weak
			}
			if successors == 0 {
				flags |= Global
			}
		}
		if c.Lost {
			flags |= Lost
		}
		return flags
	}
}

// Halt is the flag of machine states that end where they must not; Broken, from the lowest bits up, and Applies, from
// the highest down, are the flags of its invariants.
const Halt walk.Flags = 1

func Broken(i int) walk.Flags  { return 2 << i }
func Applies(i int) walk.Flags { return 1 << (walk.FlagBits - 1 - i) }

// MostInvariants is how many invariants have flags of their own, if none has a premise.
const MostInvariants = walk.FlagBits - 1

// Flagged reports whether all invariants have flags of their own.
func Flagged(all []states.Invariant) bool {
	premises := 0
	for i, v := range all {
		if v.Applies != nil {
			premises = i + 1
		}
	}
	return len(all)+premises <= MostInvariants
}

// Modulo prepares the walk of a machine that is not a network's traffic, modulo its symmetries, or of all
// states if a sample shows that orbits do not pay ([Walk.Unmerged]). wanted drops claims that are not asked for.
func Modulo(
	ctx context.Context, m states.Machine, wanted func(states.Claims) states.Claims, opt symmetry.Options,
) (*Walk, error) {
	w := machine(m, wanted, true)
	orbits, sample, err := symmetry.OfMachine(ctx, w.Machine.(states.Machine), opt)
	if err == nil && orbits == nil {
		w = machine(m, wanted, false)
		w.Unmerged, w.Sample = true, sample
		return w, nil
	}
	w.Orbits, w.Machine = orbits, orbits
	return w, err
}

// Machine prepares the walk of a machine that is not a network's traffic. wanted
// drops claims that are not asked for.
func Machine(m states.Machine, wanted func(states.Claims) states.Claims) *Walk {
	return machine(m, wanted, false)
}

// machine prepares the walk of a machine that is not a network's traffic, of which steps lead to other states than
// their representatives if modulo is true.
func machine(m states.Machine, wanted func(states.Claims) states.Claims, modulo bool) *Walk {
	w := &Walk{Machine: m, Claims: wanted(states.ClaimsOf(m))}
	w.Inspect = func(state []uint64, successors int) walk.Flags {
		var flags walk.Flags
		if successors == 0 && (w.Claims.Final == nil || !w.Claims.Final(state)) {
			flags |= Halt
		}
		for i := range w.Claims.Invariants {
			v := &w.Claims.Invariants[i]
			if v.Applies != nil {
				if !v.Applies(state) {
					continue
				}
				flags |= Applies(i)
			}
			if !v.Holds(state) {
				flags |= Broken(i)
			}
		}
		return flags
	}
	if p, ok := m.(*program.Machine); ok { // a type that embeds a program's machine may step differently
		var c *compiled.Machine
		if modulo { // a representative is not the state that the step led to
			c = compiled.New(p)
		} else {
			c = w.judgeSteps(p)
			w.Sleep = c.Sleep()
		}
		w.Machine, w.Labels = c, c.Rules
		w.Local = func(response string) (*liveness.Local, error) { return local(p, response) }
		if w.Claims = wanted(c.Claims()); w.Judge != nil {
			w.Claims.Invariants = nil
		}
	}
	return w
}

// local compiles the rules that a response directly depends on.
func local(p *program.Machine, response string) (*liveness.Local, error) {
	around := reduction.AroundResponse(p, response, liveness.Bits)
	if around == nil {
		return nil, nil
	}
	m, err := around.Program.Machine()
	if err != nil {
		return nil, err
	}
	c := compiled.New(m)
	l := &liveness.Local{Machine: c, Labels: c.Rules, Actions: around.Actions, Fields: around.Fields}
	for _, x := range around.Latches {
		l.Latches = append(l.Latches, liveness.Latch(x))
	}
	return l, nil
}

// judgeSteps compiles a program; its invariants are judged by what each step may have
// changed.
func (w *Walk) judgeSteps(p *program.Machine) *compiled.Machine {
	var names []string
	for _, v := range w.Claims.Invariants {
		names = append(names, v.Name)
	}
	c, owed := compiled.Judged(p, names)
	w.Taken, w.Free = c.Taken, owed.Free
	w.Judge = func(state []uint64, kind uint32) (flags walk.Flags) {
		for i, broken := 0, owed.Broken(state, kind); broken != 0; i, broken = i+1, broken>>1 {
			if broken&1 != 0 {
				flags |= Broken(i)
			}
		}
		return flags
	}
	return c
}
