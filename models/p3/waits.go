package p3

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Unwound decides: the links, each with one buffer class, do not wait for each
// other in a cycle: no packets that follow the rule turn from link to link
// around one. Then there is no deadlock; the converse holds where packets have
// no choice. The static decision of the network is exact and says more; this
// finds the cycle to be drawn.
func (f *Forwarding) Unwound(ctx context.Context) (Finding, error) {
	w := newWaits()
	err := f.eachKind(ctx, func(h hop) bool {
		a := turning{h.from, h.to}
		w.use(a)
		edges := f.edges(h.to, h.target)
		for e, to := range f.Plane.Across[h.to] {
			if edges>>e&1 == 1 {
				w.add(a, turning{h.to, to}, h.target)
			}
		}
		return true
	})
	if err != nil {
		return Finding{}, err
	}
	cycle := w.shortest()
	if cycle == nil {
		return Finding{Verdict: spec.Holds, Because: "the waits between links close no cycle",
			Evidence: []string{w.size()}, Picture: f.example()}, nil
	}
	return w.finding(f.Plane, cycle), nil
}

// finding describes and draws a cycle.
func (w *waits) finding(p *Plane, cycle []turning) Finding {
	fi := Finding{Verdict: spec.Violated, Because: fmt.Sprintf("%d links wait for each other in a cycle", len(cycle)),
		Picture: &Picture{Plane: p, Zones: -1, Loop: 0}}
	for i, a := range cycle {
		b := cycle[(i+1)%len(cycle)]
		fi.Evidence = append(fi.Evidence, fmt.Sprintf("a packet for the target %s came over %s->%s and goes on to %s", w.why[[2]turning{a, b}], p.Regions[a.from].Name, p.Regions[a.to].Name, p.Regions[b.to].Name))
		fi.Picture.Path = append(fi.Picture.Path, a.from)
	}
	fi.Picture.Path = append(fi.Picture.Path, cycle[0].from)
	return fi
}

// turning is a link as the waits see it.
type turning struct{ from, to int }

// waits is the dependency graph of links: from a link to those to which a packet
// in it may turn. Links and waits are in the order in which they were added.
type waits struct {
	links []turning
	after map[turning][]turning
	why   map[[2]turning]*Cell // a target for which a packet turns so
}

func newWaits() *waits {
	return &waits{after: map[turning][]turning{}, why: map[[2]turning]*Cell{}}
}

func (w *waits) use(a turning) {
	if _, known := w.after[a]; !known {
		w.links = append(w.links, a)
		w.after[a] = nil
	}
}

func (w *waits) add(a, b turning, target *Cell) {
	w.use(a)
	if w.why[[2]turning{a, b}] == nil {
		w.after[a] = append(w.after[a], b)
		w.why[[2]turning{a, b}] = target
	}
}

func (w *waits) size() string {
	return fmt.Sprintf("%d links in use, %d dependencies", len(w.links), len(w.why))
}

// shortest returns a shortest cycle of waits, the first in the order of the
// links, or nil. It takes time quadratic in the links.
func (w *waits) shortest() []turning {
	var best []turning
	for _, start := range w.links {
		if cycle := w.cycleFrom(start); cycle != nil && (best == nil || len(cycle) < len(best)) {
			best = cycle
		}
	}
	return best
}

func (w *waits) cycleFrom(start turning) []turning {
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
