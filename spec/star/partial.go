package star

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// Partial evaluation: program text in, decision tree out.
//
// route runs concolically: with symbolic values for its arguments (symbolic.go), along the path that one concrete
// input takes. Computing with symbolic values makes terms (term.go); wherever the run depends on a term, in a
// comparison or an index, the constraint is recorded: this term had that value. The constraints of all runs form a
// tree. An input descends the tree by the values of its terms, and finds its hops at the leaf, again as terms. So a
// torus of any size is evaluated once for each offset, not for each pair of nodes, and nothing is kept for each
// site. (For injections, runs may be specific to one node: see injections. What the file's own functions returned
// is kept in calls.go.)
//
// Invariant: route is pure, so two runs with equal constraints are one run. What a symbolic value cannot do ends
// the run, and its leaf says that inputs there are evaluated concretely, with the values themselves; so are those
// beyond the bounds.

// AppendHops evaluates route, or recalls its answer.
func (r *relation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	hops, ends, err := r.asked(dst, at, h)
	if err == nil && len(ends) > 1 {
		pos := r.route.Position()
		return dst, fmt.Errorf("%s:%d:%d: %w", pos.Filename(), pos.Line, pos.Col, routing.ErrCommits)
	}
	return hops, err
}

// Alternatives evaluates route, or recalls its answer.
func (r *relation) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	hops, ends, err := r.asked(nil, at, h)
	if err != nil || len(ends) < 2 {
		return [][]spec.Hop{hops}, err
	}
	all, from := make([][]spec.Hop, len(ends)), 0
	for i, end := range ends {
		all[i], from = hops[from:end:end], end
	}
	return all, nil
}

// asked appends the hops that route returns to dst, and tells where each alternative ends among those appended, if
// there are several.
func (r *relation) asked(dst []spec.Hop, at spec.ChannelID, h spec.Header) (hops []spec.Hop, ends []int, err error) {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.concreteOnly {
		if a := r.answer(&q); a != nil && !a.concrete {
			if all, ok := r.hopsOf(dst, a, &q); ok {
				return all, a.ends, nil
			}
		}
	}
	row, ok := r.memo.find(s)
	if !ok {
		a, err := r.evaluate(s)
		if err != nil {
			return dst, nil, err
		}
		defer r.callPool.Put(a)
		row = a.hops
	}
	if r.commits.Load() {
		if kept, several := r.choices.Load(s); several {
			ends = kept.([]int)
		}
	}
	dst = slices.Grow(dst, len(row))
	for _, p := range row {
		dst = append(dst, p.Hop)
	}
	return dst, ends, nil
}

// Pure is true: what route reads is frozen, and neither time nor chance is within its reach.
func (r *relation) Pure() bool { return true }

var _ routing.Sorter = (*relation)(nil) // found by a type assertion

// AppendHopsLike is AppendHops, and returns the run of route, a leaf of the tree, if it may repeat:
// it is the run for another target, too, if that decides alike. A run that read nothing of the site but its node is
// that of every channel to the node.
func (r *relation) AppendHopsLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, routing.Scope, error) {
	q := r.inputAt(spec.Site{Channel: at, Header: h})
	if in, pinned := r.treeOf(&q); in == nil || pinned {
		hops, err := r.AppendHops(dst, at, h)
		return hops, routing.Scope{}, err
	}
	if b := r.routes.leaf(&q); b != nil && !b.leaf.concrete && len(b.leaf.ends) < 2 && !r.maybeRefused(at) {
		byNode := b.byNode && r.tags == 0 // with sources, hops carry that of the packet in their tags
		switch hops, ok := r.hopsOf(dst, b.leaf, &q); {
		case ok && b.repeatable:
			return hops, routing.Scope{Like: b, ByNode: byNode}, nil
		case ok:
			return hops, routing.Scope{ByNode: byNode}, nil
		}
	}
	hops, err := r.AppendHops(dst, at, h)
	return hops, routing.Scope{}, err
}

// Repeats compares what the decisions read of the targets alone; if that differs, it evaluates those that depend on the
// target.
func (r *relation) Repeats(like any, at spec.ChannelID, was, now spec.Header) bool {
	if r.maybeRefused(at) {
		return false
	}
	b := like.(*branch)
	if of := r.alikeFor(b); of != nil && of[r.numberOf(was)] == of[r.numberOf(now)] {
		return true
	}
	q := r.inputAt(spec.Site{Channel: at, Header: now})
	return b.answersToo(&q)
}

// maybeRefused reports whether the answer in a channel may be the error of flows.
func (r *relation) maybeRefused(at spec.ChannelID) bool { return at.IsInjection() && r.refuses.Load() }

// Reason returns the place of the call of hop that made a hop, and the calls
// that led there from route.
func (r *relation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.concreteOnly {
		if in, _ := r.treeOf(&q); in == nil {
		} else if a := in.find(&q); a != nil && !a.concrete {
			for i := range a.hops {
				if x, ok := r.hopOf(&a.hops[i], &q); ok && x.Taken() == hop.Taken() {
					return a.hops[i].reason
				}
			}
		}
	}
	row, ok := r.memo.find(s)
	if !ok {
		a, err := r.evaluate(s)
		if err != nil {
			return spec.Reason{}
		}
		defer r.callPool.Put(a)
		row = a.hops
	}
	for _, p := range row {
		if p.Hop.Taken() == hop.Taken() {
			return p.at.reason()
		}
	}
	return spec.Reason{}
}

// answer returns the answer of route to an input, and evaluates route if it is not known;
// nil if route must be evaluated concretely.
func (r *relation) answer(q *input) *answer {
	if q[ofLink] < 0 && r.refuses.Load() {
		s := spec.Site{Channel: spec.Injection(spec.NodeID(q[ofNode])),
			Header: spec.Header{Dest: spec.NodeID(q[ofDest]), Class: spec.Class(q[ofClass])}}
		if _, refused := r.refused.Load(s); refused {
			return nil
		}
	}
	in, pinned := r.treeOf(q)
	if in == nil {
		return nil
	}
	if a := in.find(q); a != nil {
		if pinned {
			r.injections.answered.Add(1)
		}
		return a
	}
	p := &symbolicRun{r: r, q: new(input), pinned: pinned}
	*p.q = *q
	a := p.execute(in, r.route,
		starlark.Tuple{&symbolicSite{symbolic{nil, p}}, p.node(partOf(ofDest, mostNodes))}, p.hops)
	if q[ofLink] < 0 {
		r.injections.countRun(p, a)
	}
	return a
}

// sendsTo returns the answer of the function of flows, as recall does for route.
func (r *relation) sendsTo(f *starlark.Function, q input) *answer {
	if a := r.senders.find(&q); a != nil {
		return a
	}
	p := &symbolicRun{r: r, q: &q}
	args := starlark.Tuple{p.node(partOf(ofNode, mostNodes)), p.node(partOf(ofDest, mostNodes)),
		p.int(partOf(ofClass, math.MaxUint16))}
	return p.execute(&r.senders, f, args, func(v starlark.Value) (answer, bool) {
		sends, ok := v.(starlark.Bool)
		return answer{sends: bool(sends)}, ok
	})
}

// execute runs a function with symbolic values and keeps what it decided and returned; nil if
// there is no room for it.
func (p *symbolicRun) execute(in *decisionTree, f *starlark.Function, args starlark.Tuple,
	read func(starlark.Value) (answer, bool)) *answer {
	if in.full.Load() || context.Cause(p.r.ctx) != nil {
		return nil
	}
	leaf, ok := p.run(f, args, read)
	if !ok {
		leaf = answer{concrete: true}
	}
	return in.add(p.path, p.r.facts().answer(leaf))
}

func (p *symbolicRun) run(f *starlark.Function, args starlark.Tuple,
	read func(starlark.Value) (answer, bool)) (leaf answer, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			if v != errNotSymbolic {
				panic(v)
			}
			ok = false
		}
	}()
	a := p.r.startCall()
	a.site.node, a.site.dest = p.r.nodes[p.q[ofNode]], p.r.nodes[p.q[ofDest]]
	a.run.probe = p
	v, err := starlark.Call(a.thread, f, args, nil)
	if err != nil { // evaluated concretely, route reports it
		return answer{}, false
	}
	leaf, ok = read(v)
	a.run.probe = nil
	p.r.callPool.Put(a)
	return leaf, ok
}

// hops reads what route returned.
func (p *symbolicRun) hops(v starlark.Value) (answer, bool) {
	var alternatives []starlark.Indexable
	if o, commits := v.(*oblivious); commits {
		alternatives = o.alternatives
	} else if list, ok := returnedList(v); ok {
		alternatives = append(alternatives, list)
	} else {
		return answer{}, false
	}
	var a answer
	returned := map[*symbolicHop]bool{}
	for _, list := range alternatives {
		for i := range list.Len() {
			h, ok := list.Index(i).(*symbolicHop)
			if !ok {
				return answer{}, false
			}
			a.hops, returned[h] = append(a.hops, h.hopTerms), true
		}
		a.ends = append(a.ends, len(a.hops))
	}
	if len(a.ends) < 2 {
		a.ends = nil
	}
	for _, h := range p.made {
		if !returned[h] {
			a.made, returned[h] = append(a.made, h.hopTerms), true
		}
	}
	return a, true
}

const (
	mostBranches    = 1 << 21 // of a tree
	mostTargetTerms = 1 << 4  // terms
)

// decisionTree remembers runs. It is read without a lock.
type decisionTree struct {
	root        atomic.Pointer[branch]
	full        atomic.Bool
	mu          sync.Mutex                     // held while adding
	limit       int                            // branches; 0 means mostBranches
	targetTerms []*targetTerm                  // by its terms that read the target
	kinds       atomic.Pointer[*routing.Kinds] // by all of targetTerms; nil: not yet
	leaves      int
	size        int // branches
}

// branch is where runs part: below it lies one branch for each value of a term that was
// met, in an open-addressing table. A leaf has no term.
type branch struct {
	value int64 // of the term above
	term  *term
	below atomic.Pointer[[]atomic.Pointer[branch]]
	met   int // branches below
	leaf  *answer
	// At a leaf: the decisions that other targets may change, if these are few and
	// nothing else of the answer depends on the target.
	targets    []constraint
	alike      atomic.Pointer[[]int32] // of alikeFor, once it has been asked
	repeatable bool
	byNode     bool // at a leaf: neither a decision nor the answer depends on the channel, the tag or the source
}

// answer is what a function returns at a leaf.
type answer struct {
	concrete bool // it is to be evaluated concretely
	hops     []hopTerms
	ends     []int      // of alternatives among the hops, if there are several
	made     []hopTerms // made but not returned: they, too, must leave the node
	sends    bool       // of flows
}

// hopTerms are a hop's link, VC, tag and room, and the place of the call.
type hopTerms struct {
	link, vc, tag *term
	discards      bool // discard(), and the terms mean nothing
	room          uint16
	at            position
	reason        spec.Reason // at; of answers that are kept
}

// find returns the leaf of an input, or nil if no such run is known.
func (t *decisionTree) find(q *input) *answer {
	if b := t.leaf(q); b != nil {
		return b.leaf
	}
	return nil
}

func (t *decisionTree) leaf(q *input) *branch {
	b := t.root.Load()
	for b != nil && b.term != nil {
		b = b.child(b.term.evaluate(q))
	}
	return b
}

// add keeps a run, unless the tree is too large.
func (t *decisionTree) add(run []constraint, leaf *answer) *answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size >= cmp.Or(t.limit, mostBranches) {
		t.full.Store(true)
		return nil
	}
	// What is new is complete before others can see it.
	at := t.root.Load()
	depth := 0
	var last *branch
	for at != nil && at.term != nil {
		last, at = at, at.child(run[depth].value)
		depth++
	}
	if at != nil { // another worker was faster
		return at.leaf
	}
	t.noteTargetTerms(run)
	t.leaves++
	t.size += len(run) - depth + 1
	fresh := &branch{leaf: leaf}
	fresh.noteRepeats(run)
	end := fresh
	for i := len(run) - 1; i >= depth; i-- {
		fresh.value = run[i].value
		above := &branch{term: run[i].term}
		above.addBelow(fresh)
		fresh = above
	}
	if last == nil {
		t.root.Store(fresh)
		return end.leaf
	}
	fresh.value = run[depth-1].value
	last.addBelow(fresh)
	return end.leaf
}

func (b *branch) child(value int64) *branch {
	slots := *b.below.Load()
	for i := slotOf(value, len(slots)); ; i = (i + 1) & (len(slots) - 1) {
		if next := slots[i].Load(); next == nil || next.value == value {
			return next
		}
	}
}

// addBelow adds a branch below.
func (b *branch) addBelow(next *branch) {
	b.met++
	slots := b.below.Load()
	if slots != nil && 2*b.met <= len(*slots) {
		insert(*slots, next)
		return
	}
	larger := make([]atomic.Pointer[branch], 2)
	if slots != nil {
		larger = make([]atomic.Pointer[branch], 2*len(*slots))
		for i := range *slots {
			if old := (*slots)[i].Load(); old != nil {
				insert(larger, old)
			}
		}
	}
	insert(larger, next)
	b.below.Store(&larger)
}

func slotOf(value int64, slots int) int {
	return int(hash.Mix(0, uint64(value))>>32) & (slots - 1)
}

func insert(slots []atomic.Pointer[branch], b *branch) {
	i := slotOf(b.value, len(slots))
	for slots[i].Load() != nil {
		i = (i + 1) & (len(slots) - 1)
	}
	slots[i].Store(b)
}

// noteRepeats notes with which decisions a leaf serves another target, too, and whether it serves all channels to a
// node. The target is the destination and the class of an input.
func (b *branch) noteRepeats(run []constraint) {
	const mostTargets = 8
	for _, d := range run {
		if d.term.reads(ofDest, ofClass) {
			b.targets = append(b.targets, d)
		}
	}
	b.repeatable = !b.leaf.concrete && len(b.targets) <= mostTargets
	for _, h := range slices.Concat(b.leaf.hops, b.leaf.made) {
		b.repeatable = b.repeatable && !h.link.reads(ofDest, ofClass) && !h.vc.reads(ofDest, ofClass) &&
			!h.tag.reads(ofDest, ofClass)
	}
	if !b.repeatable {
		b.targets = nil
	}
	elsewhere := func(t *term) bool { return t.reads(ofSource, ofLink, ofVC, ofChannel, ofTag) }
	b.byNode = !b.leaf.concrete && !slices.ContainsFunc(run, func(d constraint) bool { return elsewhere(d.term) }) &&
		!slices.ContainsFunc(slices.Concat(b.leaf.hops, b.leaf.made), func(h hopTerms) bool {
			return elsewhere(h.link) || elsewhere(h.vc) || elsewhere(h.tag)
		})
}

// answersToo reports whether a leaf also answers an input that differs from one there
// in nothing but the target.
func (b *branch) answersToo(q *input) bool {
	for i := range b.targets {
		if d := &b.targets[i]; d.term.evaluate(q) != d.value {
			return false
		}
	}
	return true
}

// noteTargetTerms records the terms of a run that read the target, before anybody can find the run.
func (t *decisionTree) noteTargetTerms(run []constraint) {
	for _, d := range run {
		if d.term.reads(ofDest, ofClass) && !slices.ContainsFunc(t.targetTerms,
			func(s *targetTerm) bool { return s.term == d.term }) && len(t.targetTerms) <= mostTargetTerms {
			t.targetTerms = append(t.targetTerms, &targetTerm{term: d.term})
			t.kinds.Store(nil)
		}
	}
}

// targetTerm is a term that reads the target, and its tables.
type targetTerm struct {
	term   *term
	part   routing.KindPart
	values int // how many there are; 0: no tables yet, -1: they would be too large
}

// Injections.
//
// A run that compares the node with others until it knows which one it is serves that node alone: its
// decisions gain nothing. If most runs for injections are such, route is evaluated with the node itself,
// which is faster than with a symbolic value, and each node has a tree of its own. (Runs that do not test whether
// the packet is being injected also serve packets within the network, and do not count.) If most of these
// runs identify the target, too, symbolic values gain nothing, and route is evaluated concretely: Valiant's
// first hop, for example, avoids every node by its number.

const (
	fewRuns         = 64 // about injections, before they are judged
	mostRunsPerNode = 4  // runs with the node itself, per node; by then at least as many answers must have been known
	mostFutile      = 16 // runs with the node itself that serve one target alone; beyond, it is evaluated concretely
)

// treeOf returns the tree of runs that may answer an input; nil if it is to be evaluated concretely.
func (r *relation) treeOf(q *input) (in *decisionTree, pinned bool) {
	p := &r.injections
	if q[ofLink] >= 0 || p.symbolicRuns.Load() < p.fewRuns || 4*p.identifying.Load() < 3*p.symbolicRuns.Load() {
		return &r.routes, false
	}
	switch runs := p.runs.Load(); {
	case runs > p.runsPerNode*int64(len(r.nodes)) && p.answered.Load() < runs,
		runs > p.fewRuns && 4*p.futile.Load() > 3*runs:
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
