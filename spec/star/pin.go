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
// which is faster than with a stand-in, and each node has a tree of its own. (Runs that do not test whether
// the packet is being injected also serve packets within the network, and do not count.) If most of these
// runs identify the target, too, stand-ins gain nothing at all, and route is evaluated plainly: Valiant's first
// hop, for example, avoids every node by its number.

const (
	fewRuns   = 64 // about injections, before they are judged
	mostTells = 4  // runs with the node itself, for each node, after which at least as many answers must have been known
	mostVain  = 16 // runs with the node itself that serve one target alone, before route is evaluated plainly for it
)

// treeOf returns the tree of runs that may answer an input; nil if it is to be evaluated plainly.
func (r *relation) treeOf(q *input) (in *tree, pinned bool) {
	p := &r.pins
	if q[ofLink] >= 0 || p.tried.Load() < p.few || 4*p.pinned.Load() < 3*p.tried.Load() {
		return &r.routes, false
	}
	switch runs := p.runs.Load(); {
	case runs > p.tells*int64(len(r.nodes)) && p.known.Load() < runs, runs > p.few && 4*p.vain.Load() > 3*runs:
		return nil, false
	}
	p.once.Do(func() {
		p.trees, p.vainFor = make([]tree, len(r.nodes)), make([]atomic.Int32, len(r.nodes))
		for i := range p.trees {
			p.trees[i].most = max(mostBranches/len(p.trees), 1)
		}
	})
	if p.vainFor[q[ofDest]].Load() >= mostVain { // other targets may do better
		return nil, false
	}
	return &p.trees[q[ofNode]], true
}

// observe counts a run about an injection, by its outcome.
func (p *pins) observe(by *probe, a *answer) {
	g := by.r.ground()
	if by.pinned {
		p.runs.Add(1)
		if a == nil || a.plain || by.knows(g.term(partOf(ofDest, mostNodes))) {
			p.vain.Add(1)
			p.vainFor[by.q[ofDest]].Add(1)
		}
		return
	}
	p.tried.Add(1)
	link := g.term(partOf(ofLink, math.MaxInt32))
	alone := slices.ContainsFunc(by.path, func(d decided) bool { return d.what.do == isLess && d.what.a == link })
	if alone && (a == nil || a.plain || by.knows(g.term(partOf(ofNode, mostNodes)))) {
		p.pinned.Add(1)
	}
}

// knows reports whether the run has found the value of a term.
func (p *probe) knows(t *term) bool {
	return slices.ContainsFunc(p.path, func(d decided) bool {
		_, equal := d.equals(t)
		return equal || d.what == t
	})
}
