package star

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/spec/routing"
)

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
	repeatable bool
}

// answer is what a function returns at a leaf.
type answer struct {
	concrete bool // it is to be evaluated concretely
	hops     []hopTerms
	made     []hopTerms // made but not returned: they, too, must leave the node
	sends    bool       // of flows
}

// hopTerms are a hop's link, VC and tag, and the place of the call.
type hopTerms struct {
	link, vc, tag *term
	at            position
	reason        string // at, in words; of answers that are kept
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
		b = b.next(b.term.evaluate(q))
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
		last, at = at, at.next(run[depth].value)
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

func (b *branch) next(value int64) *branch {
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
	return int(uint64(value)*0x9e3779b97f4a7c15>>32) & (slots - 1)
}

func insert(slots []atomic.Pointer[branch], b *branch) {
	i := slotOf(b.value, len(slots))
	for slots[i].Load() != nil {
		i = (i + 1) & (len(slots) - 1)
	}
	slots[i].Store(b)
}

// noteRepeats notes with which decisions a leaf serves another target, too. The target is
// the destination and the class of an input.
func (b *branch) noteRepeats(run []constraint) {
	const mostTargets = 8
	for _, d := range run {
		if d.term.reads(ofDest, ofClass) {
			b.targets = append(b.targets, d)
		}
	}
	b.repeatable = !b.leaf.concrete && len(b.targets) <= mostTargets
	for _, h := range slices.Concat(b.leaf.hops, b.leaf.made) {
		b.repeatable = b.repeatable && !h.link.reads(ofDest, ofClass) && !h.vc.reads(ofDest, ofClass) && !h.tag.reads(ofDest, ofClass)
	}
	if !b.repeatable {
		b.targets = nil
	}
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
		if d.term.reads(ofDest, ofClass) && !slices.ContainsFunc(t.targetTerms, func(s *targetTerm) bool { return s.term == d.term }) && len(t.targetTerms) <= mostTargetTerms {
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
