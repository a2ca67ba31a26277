package star

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// How answers of route are remembered.
//
// route runs with values that stand for its arguments (standin.go). Computing
// with them makes terms; wherever the run depends on one, in a comparison or an index,
// the decision is recorded: this term had that value. The decisions of all runs form a
// tree. An input descends the tree by the values of its terms, and finds its hops at
// the leaf, again as terms. (For injections, runs may be specific to one node: see
// pin.go. Results of the file's own functions are kept in calls.go.) So a torus of any
// size is evaluated once for each offset, not for each pair of nodes, and nothing is kept for
// each site.
//
// Invariant: route is pure, so two runs with equal decisions are one run. What a
// stand-in cannot do ends the run, and its leaf says that inputs there are evaluated
// plainly, with the values themselves; so are those beyond the bound.

const (
	mostBranches  = 1 << 21 // of a tree
	mostDecisions = 1 << 6  // of a run
)

// decided is a term on which a run depends, and the value that it had.
type decided struct {
	what  *term
	value int64
}

// branch is where runs part: below it lies one branch for each value of a term that was
// met, in an open-addressing table. A leaf has no term.
type branch struct {
	value int64 // of the term above
	what  *term
	below atomic.Pointer[[]atomic.Pointer[branch]]
	met   int // branches below
	leaf  *answer
	// At a leaf: the decisions that other targets may change, if these are few and
	// nothing else of the answer depends on the target.
	targets []decided
	repeats bool
}

// tree remembers runs. It is read without a lock.
type tree struct {
	root   atomic.Pointer[branch]
	full   atomic.Bool
	mu     sync.Mutex                     // held while adding
	most   int                            // branches; 0 means mostBranches
	sorts  []*sorting                     // by its terms that read the target
	kinds  atomic.Pointer[*routing.Kinds] // by all of sorts; nil: not yet
	leaves int
	size   int // branches
}

// find returns the leaf of an input, or nil if no such run is known.
func (t *tree) find(q *input) *answer {
	if b := t.leaf(q); b != nil {
		return b.leaf
	}
	return nil
}

func (t *tree) leaf(q *input) *branch {
	b := t.root.Load()
	for b != nil && b.what != nil {
		b = b.next(b.what.of(q))
	}
	return b
}

// repeating notes with which decisions a leaf serves another target, too. The target is
// the destination and the class of an input.
func (b *branch) repeating(run []decided) {
	const mostTargets = 8
	for _, d := range run {
		if d.what.reads(ofDest, ofClass) {
			b.targets = append(b.targets, d)
		}
	}
	b.repeats = !b.leaf.plain && len(b.targets) <= mostTargets
	for _, h := range slices.Concat(b.leaf.hops, b.leaf.made) {
		b.repeats = b.repeats && !h.link.reads(ofDest, ofClass) && !h.vc.reads(ofDest, ofClass) && !h.tag.reads(ofDest, ofClass)
	}
	if !b.repeats {
		b.targets = nil
	}
}

// repeatsFor reports whether a leaf also answers an input that differs from one there
// in nothing but the target.
func (b *branch) repeatsFor(q *input) bool {
	for i := range b.targets {
		if d := &b.targets[i]; d.what.of(q) != d.value {
			return false
		}
	}
	return true
}

func (b *branch) next(value int64) *branch {
	slots := *b.below.Load()
	for i := slotOf(value, len(slots)); ; i = (i + 1) & (len(slots) - 1) {
		if next := slots[i].Load(); next == nil || next.value == value {
			return next
		}
	}
}

func slotOf(value int64, slots int) int {
	return int(uint64(value)*0x9e3779b97f4a7c15>>32) & (slots - 1)
}

// add keeps a run, unless the tree is too large.
func (t *tree) add(run []decided, leaf *answer) *answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size >= cmp.Or(t.most, mostBranches) {
		t.full.Store(true)
		return nil
	}
	// What is new is complete before others can see it.
	at := t.root.Load()
	depth := 0
	var last *branch
	for at != nil && at.what != nil {
		last, at = at, at.next(run[depth].value)
		depth++
	}
	if at != nil { // another worker was faster
		return at.leaf
	}
	t.sort(run)
	t.leaves++
	t.size += len(run) - depth + 1
	fresh := &branch{leaf: leaf}
	fresh.repeating(run)
	end := fresh
	for i := len(run) - 1; i >= depth; i-- {
		fresh.value = run[i].value
		above := &branch{what: run[i].what}
		above.put(fresh)
		fresh = above
	}
	if last == nil {
		t.root.Store(fresh)
		return end.leaf
	}
	fresh.value = run[depth-1].value
	last.put(fresh)
	return end.leaf
}

// put adds a branch below.
func (b *branch) put(next *branch) {
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

func insert(slots []atomic.Pointer[branch], b *branch) {
	i := slotOf(b.value, len(slots))
	for slots[i].Load() != nil {
		i = (i + 1) & (len(slots) - 1)
	}
	slots[i].Store(b)
}

// answer is what a function returns at a leaf.
type answer struct {
	plain bool // it is to be evaluated plainly
	hops  []hopTerms
	made  []hopTerms // made but not returned: they, too, must leave the node
	sends bool       // of flows
}

// hopTerms are a hop's link, VC and tag, and the place of the call.
type hopTerms struct {
	link, vc, tag *term
	at            position
	reason        string // at, in words; of answers that are kept
}

// inputAt returns all that route can read at a site.
func (r *relation) inputAt(s spec.Site) input {
	at := int64(r.t.Head(s.Channel))
	q := input{ofNode: at, ofDest: int64(s.Header.Dest), ofLink: -1, ofTag: int64(s.Header.Tag), ofClass: int64(s.Header.Class)}
	if r.tags > 0 {
		q[ofSource], q[ofTag] = at, q[ofTag]%int64(r.tags)
	}
	if !s.Channel.IsInjection() {
		q[ofLink], q[ofVC], q[ofChannel] = int64(r.t.LinkOf(s.Channel)), int64(r.t.VC(s.Channel)), int64(s.Channel)
		if r.tags > 0 {
			q[ofSource] = int64(s.Header.Tag) / int64(r.tags)
		}
	}
	return q
}

// hopOf returns the hop for an input; ok is false if the file may not permit it
// there.
func (r *relation) hopOf(h *hopTerms, q *input) (spec.Hop, bool) {
	l, vc, tag := r.links[h.link.of(q)], h.vc.of(q), h.tag.of(q)
	ok := int64(l.src.id) == q[ofNode] && 0 <= vc && vc < int64(l.vcs) && 0 <= tag && tag < int64(r.ownTags)
	return spec.Hop{Channel: l.first + spec.ChannelID(vc), Tag: spec.Tag(tag + q[ofSource]*int64(r.tags))}, ok
}

func (r *relation) hopsOf(dst []spec.Hop, a *answer, q *input) ([]spec.Hop, bool) {
	for i := range a.hops {
		h, ok := r.hopOf(&a.hops[i], q)
		if !ok {
			return nil, false
		}
		dst = append(dst, h)
	}
	for i := range a.made {
		if _, ok := r.hopOf(&a.made[i], q); !ok {
			return nil, false
		}
	}
	return dst, true
}

// recall returns the answer of route to an input, and evaluates route if it is not known;
// nil if route must be evaluated plainly.
func (r *relation) recall(q *input) *answer {
	if q[ofLink] < 0 && r.refuses.Load() {
		s := spec.Site{Channel: spec.Injection(spec.NodeID(q[ofNode])), Header: spec.Header{Dest: spec.NodeID(q[ofDest]), Class: spec.Class(q[ofClass])}}
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
			r.pins.known.Add(1)
		}
		return a
	}
	p := &probe{r: r, q: new(input), pinned: pinned}
	*p.q = *q
	a := p.learn(in, r.route, starlark.Tuple{&someSite{standIn{nil, p}}, p.node(partOf(ofDest, mostNodes))}, p.hops)
	if q[ofLink] < 0 {
		r.pins.observe(p, a)
	}
	return a
}

// sendsTo returns the answer of the function of flows, as recall does for route.
func (r *relation) sendsTo(f *starlark.Function, q input) *answer {
	if a := r.senders.find(&q); a != nil {
		return a
	}
	p := &probe{r: r, q: &q}
	args := starlark.Tuple{p.node(partOf(ofNode, mostNodes)), p.node(partOf(ofDest, mostNodes)), p.int(partOf(ofClass, math.MaxUint16))}
	return p.learn(&r.senders, f, args, func(v starlark.Value) (answer, bool) {
		sends, ok := v.(starlark.Bool)
		return answer{sends: bool(sends)}, ok
	})
}

// learn runs a function with stand-ins and keeps what it decided and returned; nil if
// there is no room for it.
func (p *probe) learn(in *tree, f *starlark.Function, args starlark.Tuple, read func(starlark.Value) (answer, bool)) *answer {
	if in.full.Load() || context.Cause(p.r.ctx) != nil {
		return nil
	}
	leaf, ok := p.run(f, args, read)
	if !ok {
		leaf = answer{plain: true}
	}
	return in.add(p.path, p.r.ground().answer(leaf))
}

func (p *probe) run(f *starlark.Function, args starlark.Tuple, read func(starlark.Value) (answer, bool)) (leaf answer, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			if v != errUnlike {
				panic(v)
			}
			ok = false
		}
	}()
	a := p.r.evaluator()
	a.site.node, a.site.dest = p.r.nodes[p.q[ofNode]], p.r.nodes[p.q[ofDest]]
	a.run.probe = p
	v, err := starlark.Call(a.thread, p.r.withStandIns(f), args, nil)
	if err != nil { // evaluated plainly, route reports it
		return answer{}, false
	}
	leaf, ok = read(v)
	a.run.probe = nil
	p.r.evaluators.Put(a)
	return leaf, ok
}

// hops reads what route returned.
func (p *probe) hops(v starlark.Value) (answer, bool) {
	list, ok := listOf(v)
	if !ok {
		return answer{}, false
	}
	var a answer
	returned := map[*someHop]bool{}
	for i := range list.Len() {
		h, ok := list.Index(i).(*someHop)
		if !ok {
			return answer{}, false
		}
		a.hops, returned[h] = append(a.hops, h.hopTerms), true
	}
	for _, h := range p.made {
		if !returned[h] {
			a.made, returned[h] = append(a.made, h.hopTerms), true
		}
	}
	return a, true
}
