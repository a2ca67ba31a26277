package checker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/reduction"
	"github.com/seed-105a2da2/unknot/checker/internal/symmetry"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/internal/walk/disk"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Explore visits the reachable states of a machine breadth first and decides its
// properties: deadlock and delivery for the traffic of a network, deadlock and the
// invariants it claims for any other machine. A violation comes with a shortest trace,
// replayed with the reference step; a property of a small space holds with the
// closed set of its states, verified. What was not found violated when a budget runs
// out or ctx ends is unknown. Rejected evidence is an *EvidenceError; a checkpoint
// that cannot be written from the start, or is for another machine or question, is a
// *CheckpointError.
//
// Of the question, what concerns a network's tables does not apply: see [QuestionError].
func Explore(ctx context.Context, m states.Machine, q Question) (*Result, error) {
	own := "what a machine does is its own, as the traffic of a network has its scenario"
	switch {
	case !q.Scenario.Equal(spec.Scenario{}):
		return nil, &QuestionError{Field: "Scenario", Why: own}
	case q.Smallest != AnySize:
		return nil, &QuestionError{
			Field: "Smallest",
			Why: "a smallest deadlock is looked for in a network; of a machine, the trace to a violation always is a " +
				"shortest one",
		}
	}
	return exploreStates(ctx, m, q)
}

// exploreStates explores a machine, phase by phase: what a walk finds, the answers it gives, evidence for them, what
// else was asked to be counted, and responses, which need the whole state graph.
func exploreStates(ctx context.Context, m states.Machine, q Question) (*Result, error) {
	s, err := newSubject(ctx, m, q)
	if why := usedUp(ctx, err); s != nil && !why.IsZero() {
		x := unexplored(s, why)
		x.Beyond = errors.As(err, new(*spec.BoundError))
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	how, err := walkOptions(s, q)
	if err != nil {
		return nil, err
	}
	v, err := visit(ctx, s, how)
	if err != nil {
		return nil, failed(s, err)
	}
	defer v.Release()
	x := &Result{Name: s.name, Network: s.network, Machine: m, Space: spaceOf(s, v.result)}
	if s.traffic == nil && !s.q.Liveness {
		x.Unchecked = s.responseNames()
	}
	x.Ended = ended(ctx, v.result, q)
	if s.unmerged && outOfMemory(ctx, v.result) {
		x.Ended = x.Ended.And(findings.Say(findings.WouldKeepOrbits{Saving: s.walk.Sample.Saving()}))
	}
	refused, err := refused(ctx, s, v)
	if err != nil {
		return nil, err
	}
	for _, q := range s.questions {
		f, err := answer(ctx, s, q, v, x.Space)
		if err != nil {
			return nil, err
		}
		x.Findings = append(x.Findings, *f)
	}
	if err := certify(ctx, s, v, x, how.Workers); err != nil {
		return nil, failed(s, err)
	}
	reachCovers(s, x)
	cover(ctx, s, v, x.Space)
	if s.q.Liveness {
		if err := decideLiveness(ctx, s, v.Visited.(*walk.Space), x, how.Workers); err != nil {
			return nil, err
		}
	}
	if refused != nil {
		x.Findings = append(x.Findings, *refused)
	} else if s.ranged && !x.Complete {
		x.Findings = append(x.Findings, Finding{Property: states.InRange, Because: x.Ended})
	}
	qualify(s, x)
	if f := x.Of(delivery); f != nil && s.traffic != nil {
		d, err := discardsOf(ctx, s.network)
		if err != nil {
			return nil, err
		}
		f.discards(s.network, d)
	}
	return x, nil
}

// subject is what one call of Explore is about: a machine in the form in which it is
// explored, the flags its states can have, and the questions those flags answer.
// It does not change once newSubject has returned it.
type subject struct {
	m           states.Machine // the reference
	q           Question
	name        string
	assumptions []words.Sentence
	claims      states.Claims

	walk  *explore.Walk
	group *symmetry.Group // with liveness modulo symmetries
	// unfollowed says why there is no group, though symmetries and liveness were asked for.
	unfollowed error
	unsliced   bool // a slice was asked for, but leaves nothing out
	unreduced  bool // partial-order reduction was asked for, but does not pay
	unmerged   bool // symmetry reduction was asked for, but does not pay
	questions  []question
	traffic    *states.Traffic // nil unless the machine is a network's traffic
	network    *spec.Network   // of the traffic
	ranged     bool            // whether values stay in range is asked, and not plain from the text of the program
}

// question is a property that flags decide.
type question struct {
	name     string
	violated walk.Flags    // states with one of these violate it
	applies  walk.Flags    // if no state has one of these, the property is vacuous
	vacuous  findings.Fact // why, in that case
	cover    string        // the property shown by a state that violates this one; "" if none
}

// fault is what a run to a violating state shows.
func (q question) fault() runs.Fault {
	if q.violated == explore.Halt {
		return runs.Halt
	}
	return runs.Broken
}

// firstOf returns the lowest of the given flags that occurs.
func firstOf(flags walk.Flags, flagged *[walk.FlagBits]int64) (flag int, found bool) {
	for f := range walk.FlagBits {
		if flags&(1<<f) != 0 && flagged[f] > 0 {
			return f, true
		}
	}
	return 0, false
}

// bit returns the number of a flag.
func bit(f walk.Flags) int { return bits.TrailingZeros64(uint64(f)) }

var notionFlags = [...]walk.Flags{Local: explore.Local, Weak: explore.Weak, Global: explore.Global}

// mayLeaveRange reports whether some assignment of a program can give a variable a value that it does not have, as
// far as the bounds of each expression by itself tell. A fault in a file is such an assignment.
func mayLeaveRange(m states.Machine) bool {
	x, ok := m.(interface{ Program() *program.Program })
	if !ok {
		return false
	}
	p := x.Program()
	var leaves func(list []program.Stmt) bool
	leaves = func(list []program.Stmt) bool {
		return slices.ContainsFunc(list, func(s program.Stmt) bool {
			if !s.Assigns() {
				return leaves(s.Then) || leaves(s.Else)
			}
			least, most, err := p.Bounds(&s.Value)
			return err != nil || least < 0 || most >= p.Variables[s.Var].Values
		})
	}
	return slices.ContainsFunc(p.Rules, func(r program.Rule) bool { return leaves(r.Effect) })
}

func newSubject(ctx context.Context, m states.Machine, q Question) (*subject, error) {
	s := &subject{m: m, q: q, name: m.Name(), claims: states.ClaimsOf(m)}
	if t, ok := m.(*states.Traffic); ok {
		s.traffic, s.network, s.name = t, t.Network(), t.Network().Name()
		s.assumptions = trafficAssumptions(t, deadlock)
	} else {
		s.assumptions = overNetworks(m)
	}
	if err := choose(s); err != nil {
		return nil, err
	}
	if err := s.q.exclusions(); err != nil {
		return nil, err
	}
	switch {
	case q.Explore == Never:
		return nil, &QuestionError{"Explore", "", s.name + " has no tables to decide from: its states are always explored"}
	case q.Slice && s.traffic != nil:
		return nil, &QuestionError{"Slice", "", "slices are of protocols: a network has no variables to omit"}
	case q.PartialOrder && s.traffic != nil && !s.wants(deadlock):
		const why = "in a network, partial-order reduction preserves deadlock only"
		return nil, &QuestionError{"PartialOrder", "Properties", why}
	}
	s.ranged = len(q.Properties) == 0 && mayLeaveRange(m)
	var err error
	if s.traffic != nil {
		err = askTraffic(ctx, s)
	} else {
		err = askMachine(ctx, s)
	}
	if err == nil && s.q.Liveness && s.q.Symmetry {
		if s.group, s.unfollowed = symmetry.GroupOf(s.walk.Orbits); s.unfollowed != nil && s.traffic != nil {
			why := findings.Unfollowed{Why: s.unfollowed.Error()}
			err = &QuestionError{"Symmetry", "Liveness", fmt.Sprintf("%s: %v", s.name, why)}
		}
	}
	return s, err
}

// choose keeps only the claims that are to be decided.
func choose(s *subject) error {
	if len(s.q.Properties) == 0 {
		return nil
	}
	known := Properties(s.m)
	var asked []string
	for _, name := range s.q.Properties {
		names := []string{name}
		if p, ok := s.m.(programMachine); ok && !slices.Contains(known, name) {
			if file := star.SourceOf(p.Program()); file != nil {
				names = file.Decided(name)
			}
		}
		unknown := func(name string) bool { return !slices.Contains(known, name) }
		if len(names) == 0 || slices.ContainsFunc(names, unknown) {
			return fmt.Errorf("%s: invalid property %.60q: want one of %s%s",
				s.name, name, words.Quoted(known), words.NowCalled(name, known))
		}
		asked = append(asked, names...)
	}
	s.q.Properties = asked
	if s.traffic != nil {
		s.q.Liveness = s.wants(starvation)
		return nil
	}
	s.claims = s.wanted(s.claims)
	s.q.Liveness = len(s.claims.Responses)+len(s.claims.Formulas) > 0
	return nil
}

// wanted returns the claims that are to be decided.
func (s *subject) wanted(c states.Claims) states.Claims { return explore.Claimed(c, s.q.Properties) }

// ask adds a question if its answer is wanted.
func (s *subject) ask(q question) {
	if s.wants(cmp.Or(q.cover, q.name)) {
		s.questions = append(s.questions, q)
	}
}

// wants reports whether a property is to be decided.
func (s *subject) wants(name string) bool {
	return len(s.q.Properties) == 0 || slices.Contains(s.q.Properties, name)
}

// askTraffic prepares the walk of a network.
func askTraffic(ctx context.Context, s *subject) (err error) {
	s.ask(question{deadlock, notionFlags[s.q.Notion], explore.InFlight, findings.NeverSent, ""})
	if !s.q.PartialOrder {
		s.ask(question{delivery, explore.Lost, explore.InFlight, findings.NeverSent, ""})
	}
	if s.q.Memory, err = explore.Bounded(s.traffic, s.q.Memory); err == nil {
		s.walk, err = explore.Traffic(ctx, s.traffic, explore.Reductions{
			Symmetry: s.q.Symmetry, Sampled: !s.q.NoSample && !s.q.Liveness, PartialOrder: s.q.PartialOrder,
		})
	}
	s.keepUnmerged(err)
	return err
}

// askMachine prepares the walk of a machine that is not a network's traffic.
func askMachine(ctx context.Context, s *subject) (err error) {
	if !explore.Flagged(s.claims.Invariants) {
		return fmt.Errorf("%s has %d invariants: at most %d are explored at a time, and half as many that have premises; "+
			"choose some by name (Properties)", s.name, len(s.claims.Invariants), explore.MostInvariants)
	}
	s.ask(question{name: deadlock, violated: explore.Halt})
	for i, v := range s.claims.Invariants {
		q := question{name: v.Name, cover: v.Cover, violated: explore.Broken(i)}
		if v.Applies != nil {
			q.applies, q.vacuous = explore.Applies(i), findings.NeverApplies
		}
		s.ask(q)
	}
	if s.q.PartialOrder || s.q.Slice {
		s.walk, err = explore.Reduced(ctx, s.m, s.wanted, s.preserved(), s.q.Slice, s.q.PartialOrder, !s.q.NoSample)
		if err != nil {
			return err
		}
		if s.walk.Unreduced {
			s.q.PartialOrder, s.unreduced = false, true
		}
		if c := s.walk.Slice; c != nil && !s.q.PartialOrder && len(c.Left)+c.Rules == 0 { // then there is evidence
			s.q.Slice, s.unsliced = false, true
		}
	}
	switch {
	case s.q.PartialOrder || s.q.Slice:
	case s.q.Symmetry:
		s.walk, err = explore.Modulo(ctx, s.m, s.wanted, symmetry.Options{Sampled: !s.q.NoSample, Listed: s.q.Liveness})
		s.keepUnmerged(err)
	default:
		s.walk = explore.Machine(s.m, s.wanted)
	}
	return err
}

// keepUnmerged notes that all states are visited, where orbits were asked for and do not pay.
func (s *subject) keepUnmerged(err error) {
	if err == nil && s.walk.Unmerged {
		s.q.Symmetry, s.unmerged = false, true
	}
}

// preserved lists what the reduced state graph must preserve.
func (s *subject) preserved() reduction.Asked {
	asked := reduction.Asked{Deadlock: s.wants(deadlock)}
	for _, v := range s.claims.Invariants {
		asked.Invariants = append(asked.Invariants, v.Name)
	}
	return asked
}

// exact reports whether a complete walk finds exactly the reachable states.
func (s *subject) exact() bool {
	return !s.q.Compact && !s.q.Symmetry && !s.q.PartialOrder && !s.q.Slice
}

// walkOptions returns the options for visiting the states of s.
func walkOptions(s *subject, q Question) (walk.Options, error) {
	how := walk.Options{
		Workers: cmp.Or(q.Workers, runtime.GOMAXPROCS(0)), Memory: s.q.Memory, MaxStates: q.MaxStates,
		Inspect: s.walk.Inspect, Judge: s.walk.Judge, Free: s.walk.Free, Compact: q.Compact, Progress: q.Exploring,
	}
	how.Leaves = s.wants(deadlock) && mayRest(s)
	if !q.Compact {
		how.Sleep = s.walk.Sleep
	}
	if save := cmp.Or(q.Save, q.Resume); save != "" || q.Disk != "" || q.Cluster != nil {
		how.Checkpoint = walk.Checkpoint{Save: save, Every: q.Every, Resume: q.Resume, Saving: q.Saves}
		var err error
		if how.Checkpoint.Identity, err = identityOf(s); err != nil {
			return how, err
		}
	}
	if q.Explore != Whole {
		how.Until = s.suffices
	}
	return how, nil
}

// walked is what a walk has visited and counted.
type walked struct {
	walk.Visited
	result *walk.Result
	sums   []sums // by worker, over the states, if the walk has summed them from the start; nil: it has not
}

// visit walks the machine.
func visit(ctx context.Context, s *subject, how walk.Options) (*walked, error) {
	switch {
	case s.q.Cluster != nil:
		return visitOnCluster(ctx, s, how)
	case s.q.Disk != "":
		space, r, err := disk.Explore(ctx, s.walk.Machine, s.q.Disk, how)
		return &walked{space, r, nil}, err
	}
	if how.Checkpoint.Save == "" && (!s.q.Liveness || s.group == nil && s.local()) {
		how.Parents = s.parents
	}
	var summed []sums
	if s.exact() && how.Checkpoint.Resume == "" {
		summed = make([]sums, max(1, how.Workers))
		how.Met = func(worker int, states []uint64) { summed[worker].add(states, s.m.Layout().Words()) }
	}
	space, r, err := walk.Explore(ctx, s.walk.Machine, how)
	if err == nil && !space.Parents() && (s.anyOf(&r.Flagged) || r.Refusal != nil) {
		space.Release()
		how.Parents, how.Met = nil, nil
		return visitAgain(ctx, s, how, r, summed)
	}
	return &walked{space, r, summed}, err
}

// visitAgain visits the machine once more for the path to what the first walk found without parents. Unless all
// states are needed, it stops when it has found everything again.
func visitAgain(ctx context.Context, s *subject, how walk.Options, first *walk.Result, summed []sums) (*walked, error) {
	if summed != nil && !s.q.Liveness && first.Refusal == nil && first.States > max(mostCovered, int64(s.q.Closed)) {
		how.Until = func(flagged *[walk.FlagBits]int64, _ int64) bool {
			for f, n := range first.Flagged {
				if n > 0 && flagged[f] == 0 {
					return false
				}
			}
			return true
		}
	}
	space, r, err := walk.Explore(ctx, s.walk.Machine, how)
	if err == nil && r.Reason == walk.Found {
		first.First, r = r.First, first
	}
	return &walked{space, r, summed}, err
}

// identityOf is what a checkpoint depends on: everything that changes which states
// are found or how they are flagged. Budgets and workers do not.
func identityOf(s *subject) ([]walk.Part, error) {
	parts, err := explore.Identity(s.m)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, q := range s.questions {
		asked = append(asked, q.name)
	}
	if s.q.Liveness {
		for _, r := range s.claims.Responses {
			asked = append(asked, r.Name)
		}
		for _, f := range s.claims.Formulas {
			asked = append(asked, f.Name)
		}
	}
	option := func(name string, on bool) walk.Part {
		return walk.Part{Name: "question (" + name + ")", Value: strconv.FormatBool(on)}
	}
	return append(parts,
		walk.Part{Name: "question (notion of deadlock)", Value: s.q.Notion.String()},
		option("whole space", s.q.Explore == Whole),
		option("liveness", s.q.Liveness),
		option("compact storage", s.q.Compact),
		option("symmetry", s.q.Symmetry || s.unmerged),
		option("partial-order reduction", s.q.PartialOrder || s.unreduced),
		option("slicing", s.q.Slice || s.unsliced),
		option("reductions without a sample", s.q.NoSample),
		walk.Part{Name: "question (properties)", Value: fmt.Sprintf("%q", asked)},
	), nil
}

// visitOnCluster explores the machine on other computers.
func visitOnCluster(ctx context.Context, s *subject, how walk.Options) (*walked, error) {
	text, err := explore.Ship(s.m, how.Checkpoint.Identity, s.q.Properties)
	if err != nil {
		return nil, err
	}
	c, digest := s.q.Cluster, fmt.Sprintf("%x", sha256.Sum256(text))
	space, r, err := disk.ExploreOn(ctx, s.walk.Machine, disk.Cluster{
		Files: c.Files, Where: c.Where, Shards: c.Shards, Question: text, Digest: digest,
		Round: func(ctx context.Context, works [][]byte) error { return c.Round(ctx, digest, works) },
	}, how)
	return &walked{space, r, nil}, err
}

// suffices reports whether to stop, unless the whole space is wanted: every property is
// violated or its cover reached, or some property is violated and the space is not small. That values stay
// in range is a property, too; where it is violated the walk ends by itself.
func (s *subject) suffices(flagged *[walk.FlagBits]int64, states int64) bool {
	const small = 100_000
	answered, violated := 0, false
	for _, q := range s.questions {
		if _, found := firstOf(q.violated, flagged); found {
			answered++
			violated = violated || q.cover == ""
		}
	}
	return violated && states >= small || answered > 0 && answered == len(s.questions) && !s.q.Liveness && !s.ranged
}

// parents reports whether parents of states are still kept: while they are few and take
// little memory, and once a path has to be shown.
func (s *subject) parents(flagged *[walk.FlagBits]int64, states int64) bool {
	const few = 1 << 20
	return states < few || s.anyOf(flagged)
}

// anyOf reports whether something was found that needs a path to it.
func (s *subject) anyOf(flagged *[walk.FlagBits]int64) bool {
	return slices.ContainsFunc(s.questions, func(q question) bool {
		_, found := firstOf(q.violated, flagged)
		return found
	})
}

// unexplored is the result for a subject whose exploration did not begin.
func unexplored(s *subject, why words.Sentence) *Result {
	x := &Result{Name: s.name, Network: s.network, Machine: s.m, Space: &Space{Ended: why}}
	for _, q := range s.questions {
		x.Findings = append(x.Findings, Finding{Property: q.name, Because: why, Assumptions: s.assumptions})
	}
	if s.q.Liveness {
		undecided(s, x, why)
	}
	if s.ranged {
		x.Findings = append(x.Findings, Finding{Property: states.InRange, Because: why, Assumptions: s.assumptions})
	}
	reachCovers(s, x)
	return x
}

// answer decides one question from what the walk counted.
func answer(ctx context.Context, s *subject, q question, v *walked, x *Space) (*Finding, error) {
	r, f := v.result, &Finding{Property: q.name}
	switch flag, found := firstOf(q.violated, &r.Flagged); {
	case found:
		if err := violation(ctx, s, f, q.fault(), v, r.First[flag]); err != nil {
			return nil, err
		}
	case !x.Complete:
		f.Because = x.Ended
	case s.q.Compact:
		f.Because = findings.Say(findings.HashesOnly{Omission: omission(r.States)})
	default:
		by := AllStates
		switch {
		case s.q.Symmetry:
			by = AllOrbits
		case s.q.PartialOrder || s.q.Slice:
			by = ReducedStates
		}
		f.holds(by, explored(s))
		if q.name == deadlock {
			f.Notes = append(f.Notes, onlyIdle(ctx, s, v, x)...)
		}
		if t := s.traffic; t != nil && t.Network().Switching() == spec.Wormhole && !t.Scenario().Flits() {
			f.Because = f.Because.And(findings.Say(findings.ShortPackets))
		}
	}
	if q.applies != 0 && r.Flagged[bit(q.applies)] == 0 && f.Verdict == spec.Holds {
		f.Vacuous = true
		f.Notes = append(f.Notes, findings.Say(q.vacuous))
	}
	return f, nil
}

// omission bounds the probability that two of n states have the same 64-bit hash:
// there are fewer than n²/2 pairs.
func omission(n int64) float64 { return math.Ldexp(float64(n)*float64(n)/2, -64) }

// reachCovers turns a finding about an invariant that negates a cover into one about the
// cover: a run that violates the invariant shows that the states looked for can be
// reached; evidence that it holds, that they cannot.
func reachCovers(s *subject, x *Result) {
	for _, q := range s.questions {
		f := x.Of(q.name)
		if q.cover == "" || f == nil {
			continue
		}
		f.Property = q.cover
		switch f.Verdict {
		case spec.Holds:
			f.Verdict, f.Because = spec.Violated, findings.Say(findings.Unreachable{Because: f.Because})
		case spec.Violated:
			f.Verdict = spec.Holds
			f.Because = findings.Say(findings.Reached{Steps: len(f.Run().Steps)})
		}
	}
}

// fairly reports whether a property of a machine is about fair runs.
func (s *subject) fairly(property string) bool {
	return slices.ContainsFunc(s.claims.Responses, func(v states.Response) bool { return v.Name == property }) ||
		slices.ContainsFunc(s.claims.Formulas, func(f states.Formula) bool {
			return f.Name == property && !f.Unfair && !f.Possible
		})
}

// qualify adds to each finding its method and the assumptions it rests on.
func qualify(s *subject, x *Result) {
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.argued(); f.Verdict != spec.Unknown {
			f.Method = Explored
		}
		x.Findings[i].Assumptions = s.assumptions
		if s.traffic != nil && x.Findings[i].Property == starvation {
			x.Findings[i].Assumptions = trafficAssumptions(s.traffic, starvation)
		}
		if s.fairly(x.Findings[i].Property) {
			x.Findings[i].Assumptions = append(slices.Clip(s.assumptions), strongly(s.m)...)
		}
	}
	if f := x.Of(deadlock); f != nil && s.traffic != nil {
		f.uncommitted(s.network)
		f.parting(s.network)
		f.Notes = append(f.Notes, findings.Say(findings.DeadlockMeans{Notion: s.q.Notion}))
		if t := f.Trace(); t != nil && t.Notion != s.q.Notion {
			f.Notes = append(f.Notes, findings.Say(findings.NotionShown{Notion: t.Notion}))
		}
	}
}
