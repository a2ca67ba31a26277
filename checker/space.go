package checker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// What is said of the space that was explored: its counts, what was left out of it, why it is not complete, and
// what else a program's states show.

// spaceOf is what a walk has counted.
func spaceOf(s *subject, r *walk.Result) *Space {
	x := &Space{
		Complete: r.Reason == walk.Complete, Stopped: r.Reason == walk.Found, Full: r.Reason == walk.OutOfDisk,
		States: r.States, Expanded: r.Expanded, Transitions: r.Transitions, Levels: r.Levels, Widest: r.Widest,
		Bits: bitsOf(s), Reduced: reduced(s), Visited: r.Visited, Peak: r.Peak,
	}
	if u := r.Unsaved; u != nil {
		x.Unsaved = &CheckpointError{u.File, u.Msg}
	}
	if s.traffic != nil {
		x.Global, x.Weak = r.Flagged[bit(explore.Global)], r.Flagged[bit(explore.Weak)]
		x.Local = r.Flagged[bit(explore.Local)]
	} else if s.exact() || s.wants(deadlock) { // else steps may be left out where none matters
		x.Halts = r.Flagged[bit(explore.Halt)]
	}
	return x
}

// explored says of which kind the state graph is that was explored.
func explored(s *subject) findings.Explored {
	e := findings.Explored{
		Reduced: s.traffic == nil && (s.q.PartialOrder || s.q.Slice), Unsliced: s.unsliced,
		Unreduced: s.unreduced,
		Ejections: s.q.PartialOrder && s.traffic != nil,
	}
	if s.q.Symmetry {
		e.Orbits = s.walk.Orbits.How()
	}
	if s.unmerged {
		e.Unmerged = findings.Estimate{Saving: s.walk.Sample.Saving(), Cost: s.walk.Sample.Cost()}
	}
	return e
}

// bitsOf is the size of an explored state.
func bitsOf(s *subject) int {
	if s.walk.Slice != nil {
		return s.walk.Machine.Layout().Bits()
	}
	return s.m.Layout().Bits()
}

// reduced says what was left out, and why no verdict depends on it.
func reduced(s *subject) (all []words.Sentence) {
	switch {
	case s.q.Symmetry:
		return findings.Each(findings.Orbits{Under: s.walk.Orbits.How()})
	case s.q.PartialOrder && s.traffic != nil:
		return findings.Each(findings.ReducedEjections)
	}
	if c := s.walk.Slice; c != nil {
		all = append(all, findings.Say(findings.Sliced{Variables: c.Left, Rules: c.Rules}))
	}
	if s.q.PartialOrder {
		all = append(all, findings.Say(findings.StubbornSets))
	}
	return all
}

// ended says why an exploration is not complete.
func ended(ctx context.Context, r *walk.Result, q Question) words.Sentence {
	switch r.Reason {
	case walk.Found:
		switch {
		case r.Uncompared:
			return findings.Say(findings.Uncompared)
		case r.Expanded == r.States:
			return findings.Say(findings.AllFoundExplored)
		}
		return findings.Say(findings.RestUnexplored)
	case walk.Refused:
		return findings.Say(findings.RangeLeft)
	case walk.OutOfMemory:
		return findings.Say(findings.OutOfMemory{Bytes: q.Memory})
	case walk.OutOfDisk:
		return findings.Say(findings.Unwritten{Folder: q.Disk, By: r.Full})
	case walk.OutOfStates:
		return findings.Say(findings.OutOfStates{Limit: q.MaxStates})
	case walk.Interrupted:
		return stopped(ctx)
	}
	return words.Sentence{}
}

// outOfMemory reports whether memory ended an exploration: the budget for states, or that of the context.
func outOfMemory(ctx context.Context, r *walk.Result) bool {
	var up *routing.BudgetError
	return r.Reason == walk.OutOfMemory ||
		r.Reason == walk.Interrupted && errors.As(context.Cause(ctx), &up) && up.Time == 0
}

// usedUp says which bound or budget an error is about, if it is.
func usedUp(ctx context.Context, err error) words.Sentence {
	var bound *spec.BoundError
	var budget *routing.BudgetError
	switch {
	case err == nil:
	case errors.As(err, &bound):
		return findings.Say(findings.Exceeded{By: bound})
	case errors.As(err, &budget):
		return findings.Say(findings.Exceeded{By: budget})
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return stopped(ctx)
	}
	return words.Sentence{}
}

// stopped says why a context has ended.
func stopped(ctx context.Context) words.Sentence {
	var up *routing.BudgetError
	if errors.As(context.Cause(ctx), &up) {
		return findings.Say(findings.Exceeded{By: up})
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return findings.Say(findings.OutOfTime)
	}
	return findings.Say(findings.Interrupted)
}

// failed says what an error came from.
func failed(s *subject, err error) error {
	var refused *walk.CheckpointError
	var rejected *EvidenceError
	var placed *spec.PosError
	switch {
	case errors.As(err, &refused):
		return &CheckpointError{refused.File, refused.Msg}
	case errors.As(err, &rejected), errors.As(err, &placed):
		return err
	}
	return fmt.Errorf("exploring %s: %w", s.name, err)
}

// tooLarge says why there is no room for the graph of a space; nothing if there is.
func tooLarge(s *subject, whole *liveness.Space, x *Space) words.Sentence {
	if x.Transitions >= liveness.MostSteps {
		return findings.Say(findings.TooManySteps{Steps: x.Transitions, Limit: liveness.MostSteps})
	}
	need := whole.Bytes()
	if s.q.Memory > 0 && need > s.q.Memory {
		return findings.Say(findings.TooMuchMemory{
			States: x.States, Steps: x.Transitions, Need: need, Budget: s.q.Memory,
		})
	}
	x.Peak = max(x.Peak, need)
	return words.Sentence{}
}

// mostCovered bounds the states that are searched for rules that never fire.
const mostCovered = 1 << 20

// programMachine is a machine written as a program.
type programMachine interface {
	Program() *program.Program
	Values(s []uint64) []int
}

// cover adds what a program's states show of its rules: which no state permits and, if asked, how often each is taken.
func cover(ctx context.Context, s *subject, v *walked, x *Space) {
	x.Idle = idleRules(ctx, s, v, x)
	if !s.q.Coverage {
		return
	}
	x.Whens, x.Fired = whens(ctx, s, v, x), firedRules(ctx, s, v, x)
	if x.Fired == nil && ctx.Err() == nil {
		x.Uncounted = uncounted(s, x)
	}
}

// covered returns the machine if its coverage can be counted: a program whose space is complete,
// small enough, and explored without reductions (symmetries merge actions that coverage tells apart).
func covered(s *subject, x *Space) programMachine {
	m, _ := s.m.(programMachine)
	if !x.Complete || !s.exact() || x.States > mostCovered {
		return nil
	}
	return m
}

// uncounted says why coverage was not counted.
func uncounted(s *subject, x *Space) words.Sentence {
	switch {
	case s.traffic != nil:
		return findings.Say(findings.NoRules)
	case !x.Complete:
		return findings.Say(findings.NotAllStates)
	case !s.exact():
		return findings.Say(findings.StatesMerged)
	case x.States > mostCovered:
		return findings.Say(findings.TooManyCounted{States: mostCovered})
	}
	return findings.Say(findings.NotRulesAsData)
}

// whens counts, over all states, how often the conditions of a file's rules hold and refuse.
func whens(ctx context.Context, s *subject, v *walked, x *Space) []star.When {
	m := covered(s, x)
	if m == nil || star.SourceOf(m.Program()) == nil {
		return nil
	}
	c, err := star.SourceOf(m.Program()).Coverage(ctx)
	if err != nil || ctx.Err() != nil {
		return nil // interrupted: the verdicts stand without coverage
	}
	err = eachState(ctx, v, func(state []uint64) bool {
		c.Count(m.Values(state))
		return true
	})
	if err != nil {
		return nil
	}
	return c.Whens
}

// firedRules counts the steps of each rule over all states; their sum is the number of transitions.
func firedRules(ctx context.Context, s *subject, v *walked, x *Space) (all []Fired) {
	m := covered(s, x)
	if m == nil || s.walk.Labels == nil {
		return nil
	}
	p, from := m.Program(), star.SourceOf(m.Program())
	place := make([]int, len(p.Rules)) // by rule, its index in all
	for i := range p.Rules {
		name := p.Rules[i].Name
		if from != nil {
			name = from.Declared(i)
		}
		if place[i] = slices.IndexFunc(all, func(f Fired) bool { return f.Rule == name }); place[i] < 0 {
			place[i] = len(all)
			all = append(all, Fired{Rule: name})
		}
	}
	var rules []int32
	err := eachState(ctx, v, func(state []uint64) bool {
		rules = s.walk.Labels(rules[:0], state)
		for _, i := range rules {
			all[place[i]].Steps++
		}
		return true
	})
	if err != nil {
		return nil
	}
	return all
}

// onlyIdle notes a state of a program in which steps are possible but all of them lead back to it, how many such states
// there are, and the steps to this one, which is as near as any. It is no deadlock, although nothing happens there any
// more, unless the program intends it as an end. The states are visited again, but only if some rule may assign
// nothing, and the walk did not see that each state has a step to another one.
func onlyIdle(ctx context.Context, s *subject, v *walked, x *Space) []words.Sentence {
	if v.result.Leaves || covered(s, x) == nil || !mayRest(s) {
		return nil
	}
	final := states.ClaimsOf(s.m).Final
	var after []uint64
	rests := func(m walk.Machine, state []uint64) bool {
		var err error
		if after, err = m.AppendSuccessors(after[:0], state); err != nil {
			return false
		}
		for next := range slices.Chunk(after, len(state)) {
			if !slices.Equal(next, state) {
				return false
			}
		}
		return true
	}
	const enough = 1 << 17 // states, beyond which those that were found are not counted further
	space, r, err := walk.Explore(ctx, s.walk.Machine, walk.Options{
		Workers: 1, Memory: s.q.Memory, // one worker, as rests keeps its buffer
		Until: func(flagged *[walk.FlagBits]int64, states int64) bool { return flagged[0] > 0 && states > enough },
		Inspect: func(state []uint64, successors int) walk.Flags {
			// The walk's machine is fast; the reference has the last word.
			if successors > 0 && rests(s.walk.Machine, state) && !(final != nil && final(state)) && rests(s.m, state) {
				return 1
			}
			return 0
		},
	})
	if err != nil {
		return nil
	}
	defer space.Release()
	if r.Flagged[0] == 0 {
		return nil
	}
	trail, err := space.Trail(ctx, s.walk.Machine, r.First[0])
	if err != nil {
		return nil
	}
	run, err := s.walk.Run(ctx, s.m, trail)
	if err != nil {
		return nil
	}
	steps := make([]string, len(run.Steps))
	for i, step := range run.Steps {
		steps[i] = step.Action.Name
	}
	const most = 10
	return []words.Sentence{
		findings.Say(restingIn(s, trail[len(trail)-1])),
		findings.Say(findings.ToIdle{
			States: int(r.Flagged[0]), Counted: r.Reason == walk.Complete, Steps: steps[:min(len(steps), most)], All: len(steps),
		}),
	}
}

// restingIn describes a state of a program in which all steps lead back to it.
func restingIn(s *subject, state []uint64) findings.OnlyIdle {
	m := s.m.(programMachine) // see mayRest
	text, file, rules := s.m.Layout().Text(state), star.SourceOf(m.Program()), m.Program().Rules
	if file != nil {
		text = file.StateText(m.Values(state))
	}
	var names []string
	after, _ := s.m.AppendSuccessors(nil, state) // it has succeeded before
	for i := range len(after) / len(state) {
		name := s.m.Action(state, i).Name
		k := slices.IndexFunc(rules, func(r program.Rule) bool { return r.Name == name })
		if file != nil && k >= 0 {
			name += " (" + file.Place(k) + ")"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return findings.OnlyIdle{State: text, Steps: names[:min(len(names), 4)]}
}

// mayRest reports whether some rule of a program may change nothing: a step may assign nothing, or a number that the
// variable has already.
func mayRest(s *subject) bool {
	m, is := s.m.(programMachine)
	return is && slices.ContainsFunc(m.Program().Rules, func(r program.Rule) bool { return mayIdle(&r.Guard, r.Effect) })
}

// mayIdle reports whether some branch of an effect may assign what is there already.
func mayIdle(guard *program.Expr, effect []program.Stmt) bool {
	return !slices.ContainsFunc(effect, func(s program.Stmt) bool {
		if s.Then == nil && s.Else == nil {
			return differs(guard, s.Var, &s.Value)
		}
		return !mayIdle(guard, s.Then) && !mayIdle(guard, s.Else)
	})
}

// differs reports whether a value is another one than a variable has where the guard holds: a sum of it and a number, or
// a number that the guard excludes.
func differs(guard *program.Expr, x program.Var, value *program.Expr) bool {
	switch value.Op {
	case program.Plus, program.Minus:
		a, b := &value.Args[0], &value.Args[1]
		return a.Op == program.Read && program.Var(a.Value) == x && b.Op == program.Constant && b.Value != 0
	case program.Constant:
		return excludes(guard, x, value.Value)
	}
	return false
}

// excludes reports whether the parts of a guard say that a variable is not this number.
func excludes(guard *program.Expr, x program.Var, number int) bool {
	excluded := func(part program.Expr) bool { return excludes(&part, x, number) }
	switch guard.Op {
	case program.Conjunction:
		return slices.ContainsFunc(guard.Args, excluded)
	case program.Disjunction:
		return !slices.ContainsFunc(guard.Args, func(part program.Expr) bool { return !excluded(part) })
	case program.Equal, program.NotEqual:
		a, b := &guard.Args[0], &guard.Args[1]
		if a.Op == program.Constant {
			a, b = b, a
		}
		return a.Op == program.Read && program.Var(a.Value) == x && b.Op == program.Constant &&
			(b.Value != number) == (guard.Op == program.Equal)
	}
	return false
}

// idleRules lists the actions of a program that no reachable state permits: their guard is
// too strong, or nothing leads to that part of the protocol. Unless the walk recorded
// which rules it took, states are searched until every action has been seen.
func idleRules(ctx context.Context, s *subject, v *walked, x *Space) (names []string) {
	m := covered(s, x)
	if m == nil || s.walk.Labels == nil {
		return nil
	}
	p := m.Program()
	fires := map[string]bool{}
	for _, r := range p.Rules {
		fires[r.Name] = false
	}
	left := len(fires)
	met := func(rule int32) {
		if name := p.Rules[rule].Name; !fires[name] {
			fires[name] = true
			left--
		}
	}
	if s.walk.Taken != nil && s.walk.Taken(v.result.Taken, met) {
		left = 0
	}
	fired := make([]bool, len(p.Rules))
	var rules []int32
	err := eachState(ctx, v, func(state []uint64) bool {
		if left == 0 {
			return false
		}
		rules = s.walk.Labels(rules[:0], state)
		for _, i := range rules {
			if !fired[i] {
				fired[i] = true
				met(i)
			}
		}
		return true
	})
	if err != nil {
		return nil
	}
	for _, r := range p.Rules {
		if !fires[r.Name] && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}
