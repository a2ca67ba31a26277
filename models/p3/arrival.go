package p3

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Arrives decides: every packet arrives, whichever of the permitted hops are
// taken: for no target do they close a cycle, and none ends before the region
// that holds the target. The network's livelock and delivery say the same; this
// is decided apart from them, target by target.
func (f *Forwarding) Arrives(ctx context.Context) (Finding, error) {
	kinds, longest := 0, 0
	for region, rows := range f.hops {
		if err := ctx.Err(); err != nil {
			return Finding{}, err
		}
		for class, row := range rows {
			kinds++
			c := &f.Cells[region][f.first[region][class]]
			w := walk{f: f, row: row, region: region, depth: make([]int, len(row))}
			for pe := range row {
				if f.asked.Rule == Forced && !f.forced(pe, region, class) {
					continue // not sent
				}
				if !w.from(pe) {
					return f.stray(c, w), nil
				}
				longest = max(longest, w.depth[pe]-1)
			}
		}
	}
	return Finding{Verdict: spec.Holds, Because: "for no target do the permitted hops close a cycle or end elsewhere",
		Evidence: []string{fmt.Sprintf("%d kinds of targets from each of %d PEs; at most %d hops", kinds, len(f.Plane.Regions), longest)},
		Picture:  f.example()}, nil
}

// walk follows the hops for one target.
type walk struct {
	f      *Forwarding
	row    []uint32
	region int
	depth  []int // 0 not visited, -1 on the way, else 1 + the most hops to the target
	way    []int // with a fault: the PEs up to it; a cycle if the last was there before
}

// from reports whether every way from pe arrives. Planes have at most 4096
// regions, so the recursion is shallow enough.
func (w *walk) from(pe int) bool {
	w.way = append(w.way, pe)
	if w.depth[pe] < 0 {
		return false
	}
	if w.depth[pe] == 0 {
		w.depth[pe] = -1
		most := 0
		if pe != w.region {
			if w.row[pe] == 0 {
				return false
			}
			for e, to := range w.f.Plane.Across[pe] {
				if w.row[pe]>>e&1 == 1 {
					if !w.from(to) {
						return false
					}
					most = max(most, w.depth[to])
				}
			}
		}
		w.depth[pe] = 1 + most
	}
	w.way = w.way[:len(w.way)-1]
	return true
}

// stray is the finding that a packet need not arrive.
func (f *Forwarding) stray(c *Cell, w walk) Finding {
	last := w.way[len(w.way)-1]
	loop := slices.Index(w.way, last)
	fi := Finding{Verdict: spec.Violated, Picture: &Picture{Plane: f.Plane, Zones: last, Target: c, Path: w.way, Loop: loop}}
	if loop == len(w.way)-1 {
		fi.Because = fmt.Sprintf("a packet for the target %s is stuck at PE %s", c, f.name(last))
		fi.Evidence, fi.Picture.Loop = []string{f.sees(last, c)}, -1
		return fi
	}
	names := make([]string, 0, len(w.way)-loop)
	for _, pe := range w.way[loop:] {
		names = append(names, f.name(pe))
		if len(names) < len(w.way)-loop {
			fi.Evidence = append(fi.Evidence, f.sees(pe, c))
		}
	}
	fi.Because = fmt.Sprintf("a packet for the target %s of %s may go round forever: %s", c, f.name(w.region), strings.Join(names, ", "))
	return fi
}
