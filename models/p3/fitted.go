package p3

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// A rule fitted to one plane: in zone B each PE takes, for each kind of targets,
// one of the edges, so that links do not wait for each other in a cycle. Then a
// packet does not go round either, for it would make a cycle by itself, and no
// edge that a zone names leads away from the target: everything holds. A PE
// cannot find such a rule out from its own region; the question is whether there
// is any.
//
// The search is complete. A solution makes no cycle, so of each cycle of turns
// that are still possible it leaves out one. So: find a shortest cycle, forbid
// one of its turns, and see whether every kind still has a choice at every PE
// that makes no forbidden turn; if not, or if no solution is found from there,
// forbid the next. When no cycle is left, any such choice is a solution.

// errNoRule says that there is no such rule.
var errNoRule = errors.New("whatever edge is chosen in zone B, packets wait in a cycle")

// fitting is the state of the search.
type fitting struct {
	f         *Forwarding
	forbidden map[[2]turning]bool
	nodes     int
	most      int
	last      []turning // the cycle that could not be broken, for the report
}

// mostFitted bounds the work: turns forbidden, times pairs of PE and kind.
const mostFitted = 1 << 22

// fit replaces the hops by those of a fitted rule. It fails with errNoRule, with
// the context's error, or because the bound is reached.
func (f *Forwarding) fit(ctx context.Context) (*fitting, error) {
	s := &fitting{f: f, forbidden: map[[2]turning]bool{}}
	if f.asked.Border != Lean {
		return s, fmt.Errorf("borders %s: a fitted rule needs borders %s, where no zone has more than two edges", BorderNames[f.asked.Border], BorderNames[Lean])
	}
	pairs := 0
	for _, rows := range f.hops {
		pairs += len(rows) * len(f.hops)
	}
	s.most = max(16, mostFitted/max(1, pairs))
	// A cycle of packets without choice is quicker found than excluded.
	forced, err := s.possible(ctx, func(h hop) bool { return f.forced(h.from, h.target.Owner, int(h.target.class)) })
	if err != nil {
		return s, err
	}
	if s.last = forced.shortest(); s.last != nil {
		return s, errNoRule
	}
	ok, err := s.search(ctx)
	if err != nil {
		return s, err
	}
	if !ok {
		return s, errNoRule
	}
	for region, rows := range f.hops {
		for class, row := range rows {
			chosen := s.choose(region, row)
			f.hops[region][class] = chosen
		}
	}
	return s, nil
}

func (s *fitting) search(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if s.nodes++; s.nodes > s.most {
		return false, fmt.Errorf("no rule was found by forbidding turns in %d ways, and none was excluded", s.most)
	}
	w, err := s.possible(ctx, func(hop) bool { return true })
	if err != nil {
		return false, err
	}
	cycle := w.shortest()
	if cycle == nil {
		return true, nil
	}
	for i, a := range cycle {
		turn := [2]turning{a, cycle[(i+1)%len(cycle)]}
		s.forbidden[turn] = true
		if s.feasible() {
			if ok, err := s.search(ctx); ok || err != nil {
				return ok, err
			}
		}
		delete(s.forbidden, turn)
	}
	if s.last == nil {
		s.last = cycle
	}
	return false, nil
}

// possible returns the turns that some packet may still make after the hops
// that count.
func (s *fitting) possible(ctx context.Context, counts func(hop) bool) (*waits, error) {
	w := newWaits()
	err := s.f.eachKind(ctx, func(h hop) bool {
		if !counts(h) {
			return true
		}
		a := turning{h.from, h.to}
		w.use(a)
		edges := s.f.edges(h.to, h.target)
		for e, to := range s.f.Plane.Across[h.to] {
			if b := (turning{h.to, to}); edges>>e&1 == 1 && !s.forbidden[[2]turning{a, b}] {
				w.add(a, b, h.target)
			}
		}
		return true
	})
	return w, err
}

// feasible reports whether each kind of targets has a choice without forbidden turns.
func (s *fitting) feasible() bool {
	for region, rows := range s.f.hops {
		for _, row := range rows {
			if s.choose(region, row) == nil {
				return false
			}
		}
	}
	return true
}

// choose returns one edge a PE without forbidden turns, or nil. With borders as
// with [Lean] no PE has more than two edges to choose from, and what a choice
// implies is drawn to the end by narrow. So a choice that contradicts nothing may
// be kept (as with two literals a clause: Even, Itai and Shamir, 1976), and the
// time is quadratic in the PEs.
func (s *fitting) choose(region int, row []uint32) []uint32 {
	row = slices.Clone(row)
	if !s.narrow(region, row) {
		return nil
	}
	for pe := range row {
		edges := row[pe]
		if pe == region || edges&(edges-1) == 0 {
			continue
		}
		found := false
		for ; edges != 0 && !found; edges &= edges - 1 {
			try := slices.Clone(row)
			try[pe] = 1 << bits.TrailingZeros32(edges)
			if found = s.narrow(region, try); found {
				row = try
			}
		}
		if !found {
			return nil
		}
	}
	return row
}

// narrow removes edges that only forbidden turns could follow, and those that
// would make a forbidden turn from a PE without choice, until nothing changes.
// It reports whether every PE has an edge left that had one.
func (s *fitting) narrow(region int, row []uint32) bool {
	across := s.f.Plane.Across
	for again := true; again; {
		again = false
		for pe, edges := range row {
			if pe == region || edges == 0 {
				continue
			}
			for e, to := range across[pe] {
				if edges>>e&1 == 0 || to == region {
					continue
				}
				var open uint32 // edges of to that may follow
				for e2, next := range across[to] {
					if row[to]>>e2&1 == 1 && !s.forbidden[[2]turning{{pe, to}, {to, next}}] {
						open |= 1 << e2
					}
				}
				switch {
				case open == 0 && row[to] != 0:
					edges &^= 1 << e
				case edges == 1<<e && open != row[to]:
					row[to], again = open, true
				}
			}
			if edges != row[pe] {
				row[pe], again = edges, true
			}
			if edges == 0 {
				return false
			}
		}
	}
	return true
}

// OneClass decides: with one buffer class, some choice in zone B for each kind
// of targets keeps links from waiting for each other in a cycle; every packet
// then arrives, and comes no farther from its target on the way.
func (f *Forwarding) OneClass(ctx context.Context) (Finding, error) {
	g, err := NewForwarding(ctx, Options{Plane: f.Plane, Rule: Literal, Border: f.asked.Border, Targets: f.asked.Targets})
	if err != nil {
		return Finding{}, err
	}
	s, err := g.fit(ctx)
	switch {
	case errors.Is(err, errNoRule):
		s.forbidden = map[[2]turning]bool{}
		w, err := s.possible(ctx, func(h hop) bool { return s.nodes > 0 || g.forced(h.from, h.target.Owner, int(h.target.class)) })
		if err != nil {
			return Finding{}, err
		}
		fi := w.finding(f.Plane, s.last)
		fi.Because = "packets without any choice close a cycle of waits, so no rule can prevent it"
		fi.Forced = s.nodes == 0
		if s.nodes > 0 {
			fi.Because = fmt.Sprintf("no rule can prevent cycles of waits: each of %d ways to leave out turns takes its last way from some packet; one of the cycles", s.nodes)
		}
		return fi, nil
	case ctx.Err() != nil:
		return Finding{}, ctx.Err()
	case f.asked.Border != Lean:
		return Finding{}, err
	case err != nil:
		return Finding{Verdict: spec.Unknown, Because: err.Error()}, nil
	}
	return Finding{Verdict: spec.Holds, Because: fmt.Sprintf("a choice for each kind of targets that makes no cycle, found by forbidding %d turns", len(s.forbidden)),
		Evidence: []string{fmt.Sprintf("%d turns forbidden in vain; the choice is the variant %s", s.nodes-1-len(s.forbidden), RuleNames[Fitted])}, Picture: g.example()}, nil
}
