package star

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// The quotient by targets: kinds of destinations that route cannot distinguish from a place.
//
// A run of route depends on its target through some terms only, which are recorded as
// decisions. Each is made of parts that the target alone determines, such as its x, and
// of parts that the place of the packet alone determines. Targets that agree in the
// former form a class for this term, places that agree in the latter form another, and
// a table indexed by both classes holds the value. So the kind of a target, seen from a
// place, takes one table look-up for each such term and no computation. On a mesh, for
// example, all targets three or more hops to the east are one kind.
//
// A table pays if it is small compared with the number of inputs looked up in it. On a hypercube
// of 1,024 nodes each bit that route compares would take a million numbers, one for each pair
// of nodes, for about as many inputs: without tables it compiles four times as
// fast.

const (
	mostKinds  = 1 << 12 // of targets, seen from one place
	mostTable  = 1 << 20 // of one term
	tableUses  = 8       // inputs at injection for each number in a table, from which on it pays
	mostPlaces = 1 << 22
)

// Kinds returns the kinds of targets that the known runs distinguish. Once a run is
// kept that depends on its target through another term, it returns others.
func (r *relation) Kinds() *routing.Kinds {
	if r.refuses.Load() || r.concreteOnly {
		return nil
	}
	t := &r.routes
	if k := t.kinds.Load(); k != nil {
		return *k
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	k := r.quotient(t.targetTerms)
	t.kinds.Store(&k)
	return k
}

// quotient returns the kinds by some terms, or nil if there are too many, or some have no
// tables.
func (r *relation) quotient(by []*targetTerm) *routing.Kinds {
	if len(by) > mostTargetTerms {
		return nil
	}
	k := &routing.Kinds{Count: 1}
	for _, s := range by {
		if s.values == 0 {
			s.part, s.values = r.quotientBy(s.term)
		}
		if s.values < 0 || k.Count*s.values > mostKinds {
			return nil
		}
		part := s.part
		part.Value = slices.Clone(part.Value)
		for i := range part.Value {
			part.Value[i] *= int32(k.Count)
		}
		k.Count *= s.values
		k.Parts = append(k.Parts, part)
	}
	return k
}

// quotientBy returns the classes of targets and places for a term, the numbers of its values
// by both, and how many values there are; -1 if the tables would be too large.
func (r *relation) quotientBy(t *term) (part routing.KindPart, values int) {
	tags := max(1, r.ownTags)
	if r.tags > 0 {
		tags = r.tags * r.t.Nodes()
	}
	if r.t.Channels()*tags+r.t.Nodes() > mostPlaces {
		return part, -1
	}
	ofTarget, ofPlace := t.split(nil, nil)
	var targets, places []input // one of each class
	c := classifier{terms: ofTarget, numbers: map[string]int32{}}
	for v := range r.t.Nodes() {
		for class := range max(1, len(r.classes)) {
			q := input{ofDest: int64(v), ofClass: int64(class)}
			part.Target = append(part.Target, c.classOf(&q, &targets))
		}
	}
	c = classifier{terms: ofPlace, numbers: map[string]int32{}}
	for at := range r.t.Channels() {
		for tag := range tags {
			q := r.inputAt(spec.Site{Channel: spec.ChannelID(at), Header: spec.Header{Tag: spec.Tag(tag)}})
			part.Place = append(part.Place, c.classOf(&q, &places))
		}
	}
	for v := range r.t.Nodes() {
		q := r.inputAt(spec.Site{Channel: spec.Injection(spec.NodeID(v))})
		part.Place = append(part.Place, c.classOf(&q, &places))
	}
	if n := len(targets) * len(places); n > mostTable || n*tableUses > r.t.Nodes()*len(part.Target) {
		return part, -1
	}
	for i := range part.Place {
		part.Place[i] *= int32(len(targets))
	}
	var numbers numbering
	for _, q := range places {
		for _, target := range targets {
			q[ofDest], q[ofClass] = target[ofDest], target[ofClass]
			part.Value = append(part.Value, numbers.number(t.evaluateIfDefined(&q)))
		}
	}
	return part, len(numbers.all)
}

// numbering numbers values in the order in which they are met: most terms have a few.
type numbering struct {
	all   []optionalValue
	later map[optionalValue]int32 // after the first few
}

func (n *numbering) number(v optionalValue) int32 {
	const few = 4
	if i := slices.Index(n.all[:min(few, len(n.all))], v); i >= 0 {
		return int32(i)
	}
	number, met := n.later[v]
	if !met {
		number = int32(len(n.all))
		if n.all = append(n.all, v); number >= few {
			if n.later == nil {
				n.later = map[optionalValue]int32{}
			}
			n.later[v] = number
		}
	}
	return number
}

// Most answers repeat for the target that comes next, as far as routes look at it: at its group, say, or its pod. What the
// decisions of a leaf read of the target is compared once for each target, in place of each time that an answer might
// repeat: in a dragonfly of 4,020 routers, four thousand times for each target.

// alike keeps classes of targets by attributes, which are terms.
type alike struct {
	mu    sync.Mutex
	terms [][]*term // ascending
	of    [][]int32 // by terms, then by target
}

const (
	mostAlike   = 64      // lists of attributes
	mostClassed = 1 << 24 // numbers of classes
)

// alikeFor returns classes of the targets, which are numbered as [routing.Kinds] has them: at one place, the decisions of
// a leaf are the same for all targets of a class. nil: they are unknown.
func (r *relation) alikeFor(b *branch) []int32 {
	if of := b.alike.Load(); of != nil {
		return *of
	}
	var by []*term
	for _, d := range b.targets {
		by = d.term.attributes(by)
	}
	slices.SortFunc(by, func(a, b *term) int { return cmp.Compare(a.number, b.number) })
	of := r.alikeBy(slices.Compact(by))
	b.alike.Store(&of)
	return of
}

// alikeBy returns classes of targets by different terms, which are ascending.
func (r *relation) alikeBy(by []*term) []int32 {
	a, classes := &r.alike, max(1, len(r.classes))
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.IndexFunc(a.terms, func(terms []*term) bool { return slices.Equal(terms, by) }); i >= 0 {
		return a.of[i]
	}
	targets := r.t.Nodes() * classes
	if len(a.of) == mostAlike || (len(a.of)+1)*targets > mostClassed {
		return nil
	}
	c, of, first := classifier{terms: by, numbers: map[string]int32{}}, make([]int32, targets), []input(nil)
	for i := range of {
		q := input{ofDest: int64(i / classes), ofClass: int64(i % classes)}
		of[i] = c.classOf(&q, &first)
	}
	a.terms, a.of = append(a.terms, by), append(a.of, of)
	return of
}

// attributes appends what a term reads of the target: its number, or what a table has of it.
func (t *term) attributes(of []*term) []*term {
	switch {
	case !t.reads(ofDest, ofClass):
		return of
	case t.do == opPart, t.do == opElement && t.a.do == opPart:
		return append(of, t)
	}
	of = t.a.attributes(of)
	if t.b != nil {
		of = t.b.attributes(of)
	}
	return of
}

// numberOf numbers the target of a header as [routing.Kinds] has them.
func (r *relation) numberOf(h spec.Header) int {
	return int(h.Dest)*max(1, len(r.classes)) + int(h.Class)
}

// split appends the largest terms within t that read the target alone, and those that
// read nothing of it.
func (t *term) split(target, place []*term) (ofTarget, ofPlace []*term) {
	switch {
	case t == nil || t.do == opConstant:
		return target, place
	case !t.reads(ofDest, ofClass):
		return target, append(place, t)
	case !t.reads(ofNode, ofSource, ofLink, ofVC, ofChannel, ofTag):
		return append(target, t), place
	}
	return t.b.split(t.a.split(target, place))
}

// optionalValue is the value of a term, if it has one: it may have none where earlier decisions
// differ.
type optionalValue struct {
	value int64
	ok    bool
}

// evaluateIfDefined is of for an input that may not agree with the decisions before the term.
func (t *term) evaluateIfDefined(q *input) (v optionalValue) {
	defer func() {
		if recover() != nil {
			v = optionalValue{}
		}
	}()
	return optionalValue{t.evaluate(q), true}
}

// classifier numbers inputs by the values of some terms.
type classifier struct {
	terms   []*term
	numbers map[string]int32
	key     []byte
}

// classOf returns the number of q's class; first keeps one input of each class.
func (c *classifier) classOf(q *input, first *[]input) int32 {
	c.key = c.key[:0]
	for _, t := range c.terms {
		v := t.evaluateIfDefined(q)
		c.key = binary.AppendVarint(append(c.key, byte(bit(v.ok))), v.value)
	}
	n, met := c.numbers[string(c.key)]
	if !met {
		n = int32(len(*first))
		c.numbers[string(c.key)] = n
		*first = append(*first, *q)
	}
	return n
}
