package p3

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Unwound decides: the links, each with one buffer class, do not wait for each
// other in a circle: no packets that follow the rule turn from link to link
// around one. Then there is no deadlock; the converse holds where packets have
// no choice. The static decision of the network is exact and says more; this
// finds the circle to be drawn.
func (f *Forwarding) Unwound(ctx context.Context) (Finding, error) {
	// after[a][b] holds a target with which a packet turns from link a to link b.
	after := map[turning]map[turning]*Cell{}
	var order []turning
	err := f.eachHop(ctx, func(h hop) bool {
		a := turning{h.from, h.to}
		if after[a] == nil {
			after[a] = map[turning]*Cell{}
			order = append(order, a)
		}
		edges := f.hops[h.target.Owner][h.class][h.to]
		for e, to := range f.Plane.Across[h.to] {
			if b := (turning{h.to, to}); edges>>e&1 == 1 && after[a][b] == nil {
				after[a][b] = h.target
			}
		}
		return true
	})
	if err != nil {
		return Finding{}, err
	}
	deps := 0
	for _, next := range after {
		deps += len(next)
	}
	circle := f.shortestCircle(order, after)
	if circle == nil {
		return Finding{Verdict: spec.Holds, Because: "the waits between links close no circle",
			Evidence: []string{fmt.Sprintf("%d links in use, %d dependencies", len(order), deps)}, Picture: f.example()}, nil
	}
	fi := Finding{Verdict: spec.Violated, Because: fmt.Sprintf("%d links wait for each other in a circle", len(circle)),
		Picture: &Picture{Plane: f.Plane, Zones: -1, Loop: 0}}
	for i, a := range circle {
		b := circle[(i+1)%len(circle)]
		c := after[a][b]
		fi.Evidence = append(fi.Evidence, fmt.Sprintf("a packet for the target %s of %s came over %s->%s and goes on to %s", c, f.name(c.Owner), f.name(a.from), f.name(a.to), f.name(b.to)))
		fi.Picture.Path = append(fi.Picture.Path, a.from)
	}
	fi.Picture.Path = append(fi.Picture.Path, circle[0].from)
	return fi, nil
}

// turning is a link as the waits see it.
type turning struct{ from, to int }

// shortestCircle returns a shortest circle of waits, the first in the order of
// the links, or nil. It takes time quadratic in the links.
func (f *Forwarding) shortestCircle(order []turning, after map[turning]map[turning]*Cell) []turning {
	var best []turning
	for _, start := range order {
		came := map[turning]turning{}
		queue := []turning{start}
		for found := false; len(queue) > 0 && !found; queue = queue[1:] {
			a := queue[0]
			for _, to := range f.Plane.Across[a.to] {
				b := turning{a.to, to}
				if to == Outside || after[a][b] == nil {
					continue
				}
				if b == start {
					circle := []turning{a}
					for x := a; x != start; {
						x = came[x]
						circle = append(circle, x)
					}
					for i, j := 0, len(circle)-1; i < j; i, j = i+1, j-1 {
						circle[i], circle[j] = circle[j], circle[i]
					}
					if best == nil || len(circle) < len(best) {
						best = circle
					}
					found = true
					break
				}
				if _, seen := came[b]; !seen {
					came[b] = a
					queue = append(queue, b)
				}
			}
		}
	}
	return best
}
