package p3

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
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

// ErrNoRule says that there is no such rule.
var ErrNoRule = errors.New("whatever edge is chosen in zone B, packets wait in a cycle")

// fitting is the state of the search.
type fitting struct {
	f         *Forwarding
	forbidden map[[2]turning]bool
	nodes     int
	most      int
}

// mostFitted bounds the work: turns forbidden, times pairs of PE and kind.
const mostFitted = 1 << 22

// fit replaces the hops by those of a fitted rule. It fails with ErrNoRule, with
// the context's error, or because the bound is reached.
func (f *Forwarding) fit(ctx context.Context) error {
	s := &fitting{f: f, forbidden: map[[2]turning]bool{}}
	if f.asked.Border != Lean {
		return fmt.Errorf("borders %s: a fitted rule needs borders %s, where no zone has more than two edges", BorderNames[f.asked.Border], BorderNames[Lean])
	}
	pairs := 0
	for _, rows := range f.hops {
		pairs += len(rows) * len(f.hops)
	}
	s.most = max(16, mostFitted/max(1, pairs))
	// A cycle of packets without choice is quicker found than excluded.
	forced, err := s.possible(ctx, func(h hop) bool { return f.forced(h.from, h.target.Owner, int(h.target.class)) })
	if err != nil {
		return err
	}
	if forced.shortest() != nil {
		return ErrNoRule
	}
	ok, err := s.search(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return ErrNoRule
	}
	for region, rows := range f.hops {
		for class, row := range rows {
			chosen := s.choose(region, row)
			f.hops[region][class] = chosen
		}
	}
	return nil
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
	return false, nil
}

// possible returns the turns that some packet may still make after the hops
// that count.
func (s *fitting) possible(ctx context.Context, counts func(hop) bool) (*turns, error) {
	w := &turns{after: map[turning][]turning{}}
	err := s.f.eachKind(ctx, func(h hop) bool {
		if !counts(h) {
			return true
		}
		a := turning{h.from, h.to}
		w.use(a)
		edges := s.f.edges(h.to, h.target)
		for e, to := range s.f.Plane.Across[h.to] {
			if b := (turning{h.to, to}); edges>>e&1 == 1 && !s.forbidden[[2]turning{a, b}] {
				w.add(a, b)
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

// turning is a link as a turn sees it.
type turning struct{ from, to int }

// turns are from a link to those into which a packet in it may turn. Links and
// turns are in the order in which they were added.
type turns struct {
	links []turning
	after map[turning][]turning
}

func (w *turns) use(a turning) {
	if _, known := w.after[a]; !known {
		w.links = append(w.links, a)
		w.after[a] = nil
	}
}

func (w *turns) add(a, b turning) {
	w.use(a)
	if !slices.Contains(w.after[a], b) {
		w.after[a] = append(w.after[a], b)
	}
}

// shortest returns a shortest cycle of turns, the first in the order of the
// links, or nil. It takes time quadratic in the links.
func (w *turns) shortest() []turning {
	var best []turning
	for _, start := range w.links {
		if cycle := w.cycleFrom(start); cycle != nil && (best == nil || len(cycle) < len(best)) {
			best = cycle
		}
	}
	return best
}

func (w *turns) cycleFrom(start turning) []turning {
	came := map[turning]turning{}
	for queue := []turning{start}; len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		for _, b := range w.after[a] {
			if b == start {
				cycle := []turning{a}
				for x := a; x != start; {
					x = came[x]
					cycle = append(cycle, x)
				}
				slices.Reverse(cycle)
				return cycle
			}
			if _, seen := came[b]; !seen {
				came[b] = a
				queue = append(queue, b)
			}
		}
	}
	return nil
}
