package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// Layers.
//
// Each flow keeps to one copy on all of its paths, so a copy's dependencies are those of its flows. Heuristics assign
// the flows to copies (layering.go); as long as one copy fewer might do, the solver looks for such an assignment
// or shows that none exists (layers_fewer.go).

// layers looks for the fewest copies to which the flows can be assigned.
func (u *untying) layers(ctx context.Context) (Proposal, error) {
	j, out, err := u.kept(ctx)
	if j == nil {
		return out, err
	}
	l := newLayering(ctx, j)
	if l == nil {
		return Proposal{Because: fmt.Sprintf("the flows take more than %d turns in all", mostFlowTurns)}, ctx.Err()
	}
	flows, leader := l.maximal(ctx, func(place) bool { return true })
	if f := l.tangled(ctx, flows); f >= 0 {
		return Proposal{Verdict: spec.Violated, Because: "packets of one flow, " + l.flow(f) + ", can block each other, and the scheme keeps them on one copy"}, nil
	}
	if !l.spread(ctx, flows, leader, u.opt.Effort/16) {
		return Proposal{Because: fmt.Sprintf("no assignment to %d copies was found", mostCopies)}, ctx.Err()
	}
	if out, err = u.sharedOut(ctx, l, out); err != nil {
		return out, err
	}
	atLeast, effort, ofPart := 2, u.opt.Effort/4, u.opt.Effort // halved for each further copy, and for each part
	sorted, apart := l.apart(ctx, flows)
	parts := l.parts(ctx)
	for copies := max(2, apart-1); err == nil && copies < l.count; copies++ {
		got := sat.Undecided
		if copies < apart { // fewer than those flows need
			got, err = l.exactly(ctx, copies, sorted[:apart], nil, effort)
		}
		for ; len(parts) > 0 && got != sat.Refuted && err == nil; ofPart /= 2 {
			if got, err = l.exactly(ctx, copies, parts[0], nil, ofPart); got != sat.Refuted {
				parts = parts[1:]
			}
		}
		if got != sat.Refuted && err == nil {
			got, err = l.exactly(ctx, copies, sorted, leader, effort)
		}
		if got != sat.Refuted {
			break
		}
		effort /= 2
		atLeast = copies + 1
	}
	if err == nil {
		out, err = u.sharedOut(ctx, l, out)
	}
	why := itself
	if atLeast > 2 {
		why = fmt.Sprintf("on %s every assignment of the flows leaves the dependency graph of a copy with a cycle", plural(atLeast-1, "copy", "copies"))
		if l.least == nil {
			why += unchecked
		}
	}
	out.Least = l.least
	return out.bounded(atLeast, "the dependency graph of each copy has no cycle; "+why), err
}

// sharedOut certifies the assignment, see propose.
func (u *untying) sharedOut(ctx context.Context, l *layering, was Proposal) (Proposal, error) {
	p := &plan{
		start: func(t *table, v int32) int {
			i, _ := slices.BinarySearchFunc(l.tables, t.Target, func(t table, to spec.Target) int { return t.Target.Compare(to) })
			return l.of[l.number[place{int32(i), v}]]
		},
		step: func(_ spec.ChannelID, copy int, _ spec.ChannelID) int { return copy },
	}
	if p.copies, _ = p.follow(ctx, l.paths, l.count); p.copies == nil {
		return was, ctx.Err()
	}
	return u.propose(ctx, l.judge, p, was, l.patch())
}

// patch says which flows use later copies: a line for each target and copy.
func (l *layering) patch() []string {
	var lines []string
	for i := range l.tables {
		t := &l.tables[i]
		sources := make([][]string, l.count)
		for v, s := range t.Sources {
			c := l.of[l.number[place{int32(i), int32(v)}]]
			sources[c] = append(sources[c], l.n.Topology().Node(s.Node).Name)
		}
		for c := 1; c < l.count; c++ {
			if sources[c] != nil {
				lines = append(lines, fmt.Sprintf("packets %s from %s take copy %d of the VCs all the way", l.header(t.siteOf(0).Header), strings.Join(sources[c], ", "), c+1))
			}
		}
	}
	return append(lines, "all others take the first copy")
}
