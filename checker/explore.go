package checker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/external"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Notion says which states of a network count as a deadlock. In each, some packet is
// stuck (states.Traffic.Stuck); a packet at a dead end is not, nor is one that waits
// only for such a packet. Global implies weak, and weak local.
type Notion = counterexamples.Notion

const (
	// Local: some packet is stuck.
	Local = counterexamples.Local
	// Weak: some packet is stuck, and nothing in flight can move.
	Weak = counterexamples.Weak
	// Global: some packet is stuck, and nothing can move, not even an injection.
	Global = counterexamples.Global
)

// ParseNotion reads what [Notion.String] writes.
func ParseNotion(s string) (Notion, bool) {
	for _, x := range []Notion{Local, Weak, Global} {
		if s == x.String() {
			return x, true
		}
	}
	return 0, false
}

// ExploreOptions says how to explore a machine. The zero value explores it exactly, on
// all cores and without bounds, until every property is violated; once one is, it
// stops at 100,000 states.
type ExploreOptions struct {
	Workers   int   // goroutines; 0 means one per core
	Memory    int64 // bytes for the states, their tables and buffers, and with Liveness their graph; 0: no bound
	MaxStates int64 // 0: no bound
	Notion    Notion
	Whole     bool // continue whatever has been found
	Liveness  bool // decide the machine's responses, too; needs the whole space
	// Properties names those to decide (see [Properties]); nil: all, but
	// responses only with Liveness. An unknown name is an error.
	Properties []string
	// Compact keeps a 64-bit hash in place of each state. What holds then is only
	// likely, so the verdict is unknown.
	Compact bool
	// Closed is the number of states up to which the reachable set itself is
	// kept as evidence and verified step by step; 0 means 10,000, less than 0
	// none.
	Closed int
	// Symmetry explores one state of each orbit: under the network's automorphisms
	// that commute with its relation, or under the symmetries that a machine names
	// (by Symmetries() []func(dst, s []uint64) []uint64). Both are checked, see package
	// symmetry. It goes with Liveness for programs whose rules show the symmetries: fair actions
	// are followed through them (Emerson and Sistla 1997), and Closed bounds the states of all orbits together.
	Symmetry bool
	// PartialOrder skips orders of steps that make no difference: in a network, to deadlock,
	// as a packet that can only leave does so at once; in a program, to deadlock and
	// invariants, by stubborn sets. It does not go with Liveness.
	PartialOrder bool
	// Slice leaves out the variables and rules of a program on which no property asked for
	// depends. It goes with neither Symmetry nor Liveness.
	Slice bool
	// Coverage counts the steps of each rule of a program, and how often the conditions of a
	// file's rules hold and refuse, if all states of the program are explored.
	Coverage bool
	Progress func(ExploreProgress)
	// Save is the file for checkpoints; "" means Resume's file, or none without Resume.
	// It is tried before anything is explored.
	Save   string
	Every  time.Duration // between checkpoints; 0 saves only when interrupted
	Resume string        // checkpoint to continue from: one of the same machine and question
	Saves  sync.Locker   // held during each save, so that whoever else holds it cannot cut a save short; may be nil
	// Disk is a folder that holds the states, sorted, instead of memory; "" for none.
	// It is empty or missing, or holds what an interrupted exploration of the same machine and
	// question left there: that exploration continues. It saves itself (see Every), and goes
	// with none of Save, Resume, Compact and Liveness.
	Disk string
	// Cluster explores on other computers, for networks' traffic and programs; nil: here. It saves
	// itself after each level, and takes no memory bound, no reduction and no Liveness.
	// Its files are read here, by Workers, for the evidence.
	Cluster *Cluster
}

// ExploreProgress says how far an exploration has come.
type ExploreProgress struct {
	States      int64
	Transitions int64
	Level       int   // of the states being expanded; the initial ones are level 0
	Frontier    int64 // states found but not expanded
	Memory      int64 // bytes in use
	Budget      int64 // ExploreOptions.Memory
	MaxStates   int64 // the bound on states
	Elapsed     time.Duration
	Note        string // such as why a checkpoint could not be written
}

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct{ File, Msg string }

func (e *CheckpointError) Error() string { return "checkpoint " + e.File + " " + e.Msg }

// Explore visits the reachable states of a machine breadth first and decides its
// properties: deadlock and delivery for the traffic of a network, deadlock and the
// invariants it claims for any other machine. A violation comes with a shortest trace,
// replayed with the reference step; a property of a small space holds with the
// closed set of its states, verified. What was not found violated when a budget runs
// out or ctx ends is unknown. Rejected evidence is an *EvidenceError; a checkpoint
// that cannot be written from the start, or is of another machine or question, is a
// *CheckpointError.
func Explore(ctx context.Context, m states.Machine, opt ExploreOptions) (*Result, error) {
	s, err := newSubject(ctx, m, opt)
	if why := usedUp(ctx, err); s != nil && why != "" {
		x := s.unexplored(why)
		x.Beyond = errors.As(err, new(*spec.BoundError))
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	walk, err := s.walkOptions(opt)
	if err != nil {
		return nil, err
	}
	space, r, err := s.visit(ctx, walk)
	if err != nil {
		return nil, s.failed(err)
	}
	defer space.Release()
	x := &Result{Name: s.name, Machine: m, Space: &Space{
		Complete: r.Reason == statespace.Complete, Full: r.Reason == statespace.OutOfDisk,
		States: r.States, Expanded: r.Expanded, Transitions: r.Transitions, Levels: r.Levels, Widest: r.Widest,
		Bits: s.bits(), Reduced: s.reduced(), Visited: r.Visited, Peak: r.Peak, Unsaved: r.Unsaved,
	}}
	if s.traffic != nil {
		x.Network = s.traffic.Network()
	} else if !s.opt.Liveness {
		x.Unchecked = s.responseNames()
	}
	x.Ended = ended(ctx, r, opt)
	refused, err := s.refused(ctx, space, r)
	if err != nil {
		return nil, err
	}
	s.counts(x, r)
	for _, q := range s.questions {
		f, err := s.answer(ctx, q, space, r, x)
		if err != nil {
			return nil, err
		}
		x.Findings = append(x.Findings, *f)
	}
	err = s.evidence(ctx, space, x, walk.Workers)
	if err := cmp.Or(space.Err(), err); err != nil {
		return nil, s.failed(err)
	}
	s.covers(x)
	x.Idle = s.idle(ctx, space, r, x)
	if opt.Coverage {
		x.Whens, x.Fired = s.whens(ctx, space, x), s.fired(ctx, space, x)
		if x.Fired == nil && ctx.Err() == nil {
			x.Uncounted = s.uncounted(x, r.Reason == statespace.Found)
		}
	}
	if s.opt.Liveness {
		if err := s.liveness(ctx, space.(*statespace.Space), x, walk.Workers); err != nil {
			return nil, err
		}
	}
	if refused != nil {
		x.Findings = append(x.Findings, *refused)
	}
	s.qualify(x)
	return x, nil
}

// walkOptions returns the options for visiting the states of s.
func (s *subject) walkOptions(opt ExploreOptions) (statespace.Options, error) {
	walk := statespace.Options{
		Workers: cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)), Memory: s.opt.Memory, MaxStates: opt.MaxStates,
		Inspect: s.walk.Inspect, Judge: s.walk.Judge, Free: s.walk.Free, Compact: opt.Compact,
	}
	if !opt.Compact {
		walk.Sleep = s.walk.Sleep
	}
	if (opt.Disk != "" || opt.Cluster != nil) && (opt.Save != "" || opt.Resume != "") {
		return walk, errors.New("an exploration on disk saves itself: it takes no checkpoint")
	}
	if opt.Progress != nil {
		walk.Progress = func(p statespace.Progress) { opt.Progress(ExploreProgress(p)) }
	}
	if save := cmp.Or(opt.Save, opt.Resume); save != "" || opt.Disk != "" || opt.Cluster != nil {
		walk.Checkpoint = statespace.Checkpoint{Save: save, Every: opt.Every, Resume: opt.Resume, Saving: opt.Saves}
		var err error
		if walk.Checkpoint.Identity, err = s.identity(); err != nil {
			return walk, err
		}
	}
	if !opt.Whole {
		walk.Until = s.enough
	}
	return walk, nil
}

// qualify adds to each finding its method and the assumptions it rests on.
func (s *subject) qualify(x *Result) {
	for i := range x.Findings {
		if f := &x.Findings[i]; f.Verdict != spec.Unknown {
			f.Method = Explored
		}
		x.Findings[i].Assumptions = s.assumptions
		if slices.ContainsFunc(s.claims.Responses, func(v states.Response) bool { return v.Name == x.Findings[i].Property }) {
			x.Findings[i].Assumptions = append(slices.Clip(s.assumptions), strongly(s.m)...)
		}
	}
	if f := x.Of(deadlock); f != nil && s.traffic != nil {
		f.Notes = append(f.Notes, "deadlock means: "+notionWords[s.opt.Notion])
		if t := f.Trace(); t != nil && t.Notion != s.opt.Notion {
			f.Notes = append(f.Notes, fmt.Sprintf("the trace shows a %s deadlock: that nothing more may be injected is not machine-checked, as a trace bounds no traffic", t.Notion))
		}
	}
}

// visited is what a walk leaves behind: in memory, on disk or on other computers.
type visited interface {
	Each(f func(id statespace.ID, state []uint64) bool)
	EachSomehow(part, parts int, f func(state []uint64) bool)
	Trail(ctx context.Context, m statespace.Machine, id statespace.ID) ([][]uint64, error)
	Err() error // why states could not be read
	Release()
}

// visit walks the machine.
func (s *subject) visit(ctx context.Context, walk statespace.Options) (visited, *statespace.Result, error) {
	if s.opt.Cluster != nil {
		return s.onCluster(ctx, walk)
	}
	if s.opt.Disk != "" {
		return external.Explore(ctx, s.walk.Machine, s.opt.Disk, walk)
	}
	if walk.Checkpoint.Save == "" && (!s.opt.Liveness || s.group == nil && s.local()) {
		walk.Parents = s.parents
	}
	if s.exact() && walk.Checkpoint.Resume == "" {
		s.sums = make([]sums, max(1, walk.Workers))
		walk.Met = func(worker int, states []uint64) { s.sums[worker].add(states, s.m.Layout().Words()) }
	}
	space, r, err := statespace.Explore(ctx, s.walk.Machine, walk)
	if err == nil && !space.Parents() && (s.anyOf(&r.Flagged) || r.Refusal != nil) {
		space.Release()
		walk.Parents, walk.Met = nil, nil
		return s.again(ctx, walk, r)
	}
	return space, r, err
}

// again visits the machine once more for the path to what was found without parents. Unless all
// states are needed, it stops when it has found everything again.
func (s *subject) again(ctx context.Context, walk statespace.Options, first *statespace.Result) (visited, *statespace.Result, error) {
	if s.sums != nil && !s.opt.Liveness && first.Refusal == nil && first.States > max(mostCovered, int64(s.opt.Closed)) {
		walk.Until = func(flagged *[statespace.FlagBits]int64, _ int64) bool {
			for f, n := range first.Flagged {
				if n > 0 && flagged[f] == 0 {
					return false
				}
			}
			return true
		}
	}
	space, r, err := statespace.Explore(ctx, s.walk.Machine, walk)
	if err == nil && r.Reason == statespace.Found {
		first.First, r = r.First, first
	}
	return space, r, err
}

// failed says what an error came from.
func (s *subject) failed(err error) error {
	var refused *statespace.CheckpointError
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

// enough reports whether to stop, unless the whole space is wanted: every property is
// violated or its cover reached, or some property is violated and the space is not small.
func (s *subject) enough(flagged *[statespace.FlagBits]int64, states int64) bool {
	const small = 100_000
	answered, violated := 0, false
	for _, q := range s.questions {
		if _, found := firstOf(q.violated, flagged); found {
			answered++
			violated = violated || q.cover == ""
		}
	}
	return violated && states >= small || answered > 0 && answered == len(s.questions) && !s.opt.Liveness
}

// parents reports whether parents of states are still kept: while they are few and take
// little memory, and once a path has to be shown.
func (s *subject) parents(flagged *[statespace.FlagBits]int64, states int64) bool {
	return states < mostParents || s.anyOf(flagged)
}

const mostParents = 1 << 20

// anyOf reports whether something was found that needs a path to it.
func (s *subject) anyOf(flagged *[statespace.FlagBits]int64) bool {
	return slices.ContainsFunc(s.questions, func(q question) bool {
		_, found := firstOf(q.violated, flagged)
		return found
	})
}

// answer decides one question from what the walk counted.
func (s *subject) answer(ctx context.Context, q question, space visited, r *statespace.Result, x *Result) (*Finding, error) {
	f := &Finding{Property: q.name}
	switch flag, found := firstOf(q.violated, &r.Flagged); {
	case found:
		if err := s.violation(ctx, f, q.fault(), space, r.First[flag]); err != nil {
			return nil, err
		}
	case !x.Complete:
		f.Because = x.Ended
	case s.opt.Compact:
		f.Because = fmt.Sprintf("no violation was found, but states were kept as 64-bit hashes: some may be missing, with probability at most %.1g", omission(r.States))
	default:
		f.Verdict = spec.Holds
		f.Because = "every " + s.explored() + " was explored" + s.reduction()
		if t := s.traffic; t != nil && t.Network().Switching() == spec.Wormhole && !t.Scenario().Flits() {
			f.Because += ", of messages that fit into one channel: longer ones may do what these cannot"
		}
	}
	if q.applies != 0 && r.Flagged[bit(q.applies)] == 0 && f.Verdict == spec.Holds {
		f.Vacuous = true
		f.Notes = append(f.Notes, q.vacuous)
	}
	return f, nil
}

// omission bounds the probability that two of n states have the same 64-bit hash:
// there are fewer than n²/2 pairs.
func omission(n int64) float64 { return math.Ldexp(float64(n)*float64(n)/2, -64) }

// firstOf returns the lowest of the given flags that occurs.
func firstOf(flags statespace.Flags, flagged *[statespace.FlagBits]int64) (flag int, found bool) {
	for f := range statespace.FlagBits {
		if flags&(1<<f) != 0 && flagged[f] > 0 {
			return f, true
		}
	}
	return 0, false
}

// bit returns the number of a flag.
func bit(f statespace.Flags) int { return bits.TrailingZeros32(uint32(f)) }

// ProbeRate returns how many random probes a second the workers make into a table as
// large as that of an exploration of this many states: the ceiling on transitions a second
// for any search that looks up every successor in one table.
func ProbeRate(states int64, workers int) float64 { return statespace.ProbeRate(states, workers) }
