package star

import (
	"math"
	"slices"
	"sync/atomic"
)

// Injections.
//
// A run that compares the node with others until it knows which one it is serves that node alone: its
// decisions gain nothing. If most runs for injections are such, route is evaluated with the node itself,
// which is faster than with a symbolic value, and each node has a tree of its own. (Runs that do not test whether
// the packet is being injected also serve packets within the network, and do not count.) If most of these
// runs identify the target, too, symbolic values gain nothing at all, and route is evaluated concretely: Valiant's first
// hop, for example, avoids every node by its number.

const (
	fewRuns         = 64 // about injections, before they are judged
	mostRunsPerNode = 4  // runs with the node itself, for each node, after which at least as many answers must have been known
	mostFutile      = 16 // runs with the node itself that serve one target alone, before route is evaluated concretely for it
)

// treeOf returns the tree of runs that may answer an input; nil if it is to be evaluated concretely.
func (r *relation) treeOf(q *input) (in *decisionTree, pinned bool) {
	p := &r.injections
	if q[ofLink] >= 0 || p.symbolicRuns.Load() < p.fewRuns || 4*p.identifying.Load() < 3*p.symbolicRuns.Load() {
		return &r.routes, false
	}
	switch runs := p.runs.Load(); {
	case runs > p.runsPerNode*int64(len(r.nodes)) && p.answered.Load() < runs, runs > p.fewRuns && 4*p.futile.Load() > 3*runs:
		return nil, false
	}
	p.once.Do(func() {
		p.trees, p.futileFor = make([]decisionTree, len(r.nodes)), make([]atomic.Int32, len(r.nodes))
		for i := range p.trees {
			p.trees[i].limit = max(mostBranches/len(p.trees), 1)
		}
	})
	if p.futileFor[q[ofDest]].Load() >= mostFutile { // other targets may do better
		return nil, false
	}
	return &p.trees[q[ofNode]], true
}

// countRun counts a run about an injection, by its outcome.
func (p *injections) countRun(by *symbolicRun, a *answer) {
	g := by.r.facts()
	if by.pinned {
		p.runs.Add(1)
		if a == nil || a.concrete || by.hasDecided(g.term(partOf(ofDest, mostNodes))) {
			p.futile.Add(1)
			p.futileFor[by.q[ofDest]].Add(1)
		}
		return
	}
	p.symbolicRuns.Add(1)
	link := g.term(partOf(ofLink, math.MaxInt32))
	alone := slices.ContainsFunc(by.path, func(d constraint) bool { return d.term.do == opLess && d.term.a == link })
	if alone && (a == nil || a.concrete || by.hasDecided(g.term(partOf(ofNode, mostNodes)))) {
		p.identifying.Add(1)
	}
}

// hasDecided reports whether the run has found the value of a term.
func (p *symbolicRun) hasDecided(t *term) bool {
	return slices.ContainsFunc(p.path, func(d constraint) bool {
		_, equal := d.equality(t)
		return equal || d.term == t
	})
}
