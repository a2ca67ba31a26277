// Package orbit finds the least state that renamings of fields make of a state:
// one representative of each orbit, if the renamings are a group.
//
// "Least" is by a special order. The fields are divided into blocks, and states
// are compared block by block. What the renamings do to the first block falls into
// few classes: with a tree whose subtrees can be exchanged, say, what becomes of a
// field near the root does not depend on how subtrees further down are turned. So one
// image of the first block is computed for each class, the classes with the least
// image are kept, and only their renamings go on to the next block, where they fall
// into finer classes; in the last block each renaming is its own class. For a
// tree this does what sorting its subtrees from the top would do, for n like processes
// what selection sort would do: about n²/2 images of parts of the state instead of n!
// of all of it. States with equal parts take longer, at worst one image of each block
// for each renaming.
//
// The invariant: after a block, the classes kept are those whose renamings make
// the least images of all blocks so far, and these images are the same for all.
//
// Where the renamings permute sets of parts in all ways, parts are sorted instead (sorted.go).
package orbit

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// Renaming is a function of states: the value of field i goes to field To[i],
// changed by the table Values[i] unless that is nil. Values may be nil as a whole.
type Renaming struct {
	To     []int
	Values [][]uint64
}

// Of returns the renaming as a function of states: field by field.
func (r Renaming) Of(layout *states.Layout) func(dst, s []uint64) []uint64 {
	fields, words := layout.Fields(), layout.Words()
	return func(dst, s []uint64) []uint64 {
		at := len(dst)
		dst = append(dst, make([]uint64, words)...)
		for i, f := range fields {
			v := f.Of(s)
			if r.Values != nil && r.Values[i] != nil {
				v = r.Values[i][v]
			}
			fields[r.To[i]].Put(dst[at:], v)
		}
		return dst
	}
}

// Least finds a representative of each orbit: the least image, or the sorted one. It is safe for concurrent use.
type Least struct {
	words  int
	fixed  []uint64 // the bits that no renaming changes
	levels []level
	order  int
	by     []int32 // by class of the last level: a renaming in it, counted from 1
	keys   []key
	sorted *sorted // nil unless parts can be sorted
}

// level is a block of fields with the classes of renamings.
type level struct {
	words   []int // that the block has bits in
	classes []class
	first   []int32 // by class c of the level before: its classes here are first[c]:first[c+1]
	keys    []int32 // by class: the number of its key; nil if images are compared
}

// class is what some renamings do to a block: how each word of it is made.
type class struct {
	moves  []move // of words[k]: moves[upTo[k-1]:upTo[k]]
	upTo   []int32
	tables []lookup // of words[k]: tables[tabled[k-1]:tabled[k]]
	tabled []int32
}

// move moves bits of one word to another, all by the same distance.
type move struct {
	word int
	by   uint // left rotation
	mask uint64
}

// lookup maps the value of a field through a table, whose entries are in place.
type lookup struct {
	word  int
	shift uint
	mask  uint64
	to    []uint64
}

// New prepares renamings of states with a layout; the identity is added. A renaming
// that is not a permutation of the fields, or whose tables do not cover the values, is
// an error. Whether renamings are symmetries of anything is for the caller to
// check.
func New(layout *states.Layout, renamings []Renaming) (*Least, error) {
	b, err := newBuilder(layout, renamings)
	if err != nil {
		return nil, err
	}
	return b.build(), nil
}

func newBuilder(layout *states.Layout, renamings []Renaming) (*builder, error) {
	fields := layout.Fields()
	b := &builder{fields: fields, words: layout.Words(), images: make([][]image, len(fields))}
	b.add(Renaming{})
	for k, r := range renamings {
		if err := b.check(r); err != nil {
			return nil, fmt.Errorf("renaming %d %w", k, err)
		}
		b.add(r)
	}
	return b, nil
}

// NewSorted prepares the group that renamings of states generate, and which is not listed, if it is all permutations of
// some sets of like parts that can be sorted (sorted.go); nil if not, or if that is not seen. Of the renamings, exchanges of
// two parts must connect each set. ReplaceBy, which tells renamings apart, must not be called. With f fields and g
// renamings it takes time of the order of f·g, for each part and each value that names one.
func NewSorted(layout *states.Layout, generators []Renaming) (*Least, error) {
	b, err := newBuilder(layout, generators)
	if err != nil {
		return nil, err
	}
	f := symmetricSets{builder: b}
	if !f.find() || !f.connected() {
		return nil, nil
	}
	l := &Least{words: b.words, order: 1, sorted: &f.found}
	for _, points := range f.points {
		l.order *= factorial(len(points))
	}
	return l, nil
}

// Order returns the number of renamings, including the identity.
func (l *Least) Order() int { return l.order }

// Listed reports whether all renamings are known, one by one: see [NewSorted].
func (l *Least) Listed() bool { return l.sorted == nil || l.sorted.by != nil }

// Replace replaces a state by the representative of its orbit.
func (l *Least) Replace(s []uint64) {
	if l.sorted != nil {
		var keys [mostParts]uint64
		l.sorted.replace(&keys, s)
		return
	}
	if l.words == 1 && len(l.levels) == 1 {
		s[0] = s[0]&l.fixed[0] | l.levels[0].leastImage(s[0])
		return
	}
	l.replace(s, true)
}

// ReplaceSteps replaces the states that steps lead to from s, one after the other, by the representatives of their
// orbits. It is faster than Replace where a step changes little.
func (l *Least) ReplaceSteps(s, after []uint64) {
	if l.sorted != nil {
		l.sorted.replaceSteps(s, after)
		return
	}
	for ; len(after) > 0; after = after[l.words:] {
		l.Replace(after[:l.words])
	}
}

// Work is a measure of the time that Replace takes for a state: how many fields, or runs of them, it moves or looks up.
// A lookup counts for three where the tables of all classes do not fit into a core's nearer caches; of parts that are
// sorted, a quarter of the fields count, as a step changes few.
func (l *Least) Work(s []uint64) int {
	if l.sorted != nil {
		return (l.sorted.fields() + 3) / 4
	}
	_, _, made := l.replace(slices.Clone(s), true)
	if l.tables() > mostNear {
		made *= 3
	}
	return made
}

// mostNear is how many entries tables may have that are at hand: 256 KiB.
const mostNear = 1 << 15

// tables counts the entries of all tables.
func (l *Least) tables() (entries int) {
	for i := range l.levels {
		for _, c := range l.levels[i].classes {
			for _, t := range c.tables {
				entries += len(t.to)
			}
		}
	}
	return entries
}

// ReplaceBy is Replace, and returns which renaming maps the state there, by its index
// counted from 1, or 0 for the identity; and how many do, if no two are the same: as many
// as leave the state unchanged.
func (l *Least) ReplaceBy(s []uint64) (by int32, ways int) {
	if l.sorted != nil {
		return l.sorted.replaceBy(s)
	}
	if len(l.levels) == 0 {
		return 0, l.order
	}
	class, ways, _ := l.replace(s, false)
	return l.by[class], ways
}

// replace is Replace, and returns the first class that is kept, how many are, and how many
// fields it made. keyed compares keys instead
// of images.
func (l *Least) replace(s []uint64, keyed bool) (class int32, classes, made int) {
	var fewWords [24]uint64
	var fewClasses [128]int32
	var keys [mostKeys]uint64
	scratch := fewWords[:]
	if 3*l.words > len(fewWords) {
		scratch = make([]uint64, 3*l.words)
	}
	out, best, next := scratch[:l.words], scratch[l.words:2*l.words], scratch[2*l.words:3*l.words]
	for i, mask := range l.fixed {
		out[i] = s[i] & mask
	}
	if keyed {
		l.read(keys[:], s)
		made = len(l.keys)
	}
	kept, found := append(fewClasses[:0:64], 0), fewClasses[64:64]
	for i := range l.levels {
		v := &l.levels[i]
		if found = found[:0]; keyed && v.keys != nil {
			found = v.leastKeys(found, kept, keys[:])
			_, n := v.classes[found[0]].image(best, best, s, len(v.words), true)
			made += n
		} else {
			for _, parent := range kept {
				for c := v.first[parent]; c < v.first[parent+1]; c++ {
					order, n := v.classes[c].image(next, best, s, len(v.words), len(found) == 0)
					made += n
					switch {
					case order < 0:
						best, next = next, best
						found = append(found[:0], c)
					case order == 0:
						found = append(found, c)
					}
				}
			}
		}
		for k, w := range v.words {
			out[w] |= best[k]
		}
		kept, found = found, kept
	}
	copy(s, out)
	return kept[0], len(kept), made
}

// leastKeys appends the classes that the kept ones of the level before lead to and whose key is least.
func (v *level) leastKeys(found, kept []int32, keys []uint64) []int32 {
	best := uint64(0)
	for _, parent := range kept {
		for c := v.first[parent]; c < v.first[parent+1]; c++ {
			switch x := keys[v.keys[c]&(mostKeys-1)]; {
			case len(found) > 0 && x > best:
			case len(found) > 0 && x == best:
				found = append(found, c)
			default:
				best, found = x, append(found[:0], c)
			}
		}
	}
	return found
}

// leastImage returns the leastImage image of a block that is the only one and lies in one word.
func (v *level) leastImage(s uint64) uint64 {
	best := ^uint64(0)
	for i := range v.classes {
		c := &v.classes[i]
		x := uint64(0)
		for k := range c.moves {
			mv := &c.moves[k]
			x |= bits.RotateLeft64(s, int(mv.by)) & mv.mask
		}
		for k := range c.tables {
			lk := &c.tables[k]
			x |= lk.to[s>>(lk.shift&63)&lk.mask]
		}
		best = min(best, x)
	}
	return best
}

// image computes the image of a block until it is greater than best, and compares the two. With first, anything is less
// than best. It returns how many fields, or runs of them, it made.
func (c *class) image(dst, best, s []uint64, words int, first bool) (order, made int) {
	if first {
		order = -1
	}
	m, t := int32(0), int32(0)
	for k := range words {
		v := uint64(0)
		for ; m < c.upTo[k]; m++ {
			mv := &c.moves[m]
			v |= bits.RotateLeft64(s[mv.word], int(mv.by)) & mv.mask
		}
		for ; t < c.tabled[k]; t++ {
			lk := &c.tables[t]
			v |= lk.to[s[lk.word]>>(lk.shift&63)&lk.mask]
		}
		dst[k] = v
		if order == 0 && v != best[k] {
			if v > best[k] {
				return 1, int(m + t)
			}
			order = -1
		}
	}
	return order, int(m + t)
}

// check refuses what is not a renaming.
func (b *builder) check(r Renaming) error {
	if len(r.To) != len(b.fields) || r.Values != nil && len(r.Values) != len(b.fields) {
		return fmt.Errorf("has %d fields, not %d", len(r.To), len(b.fields))
	}
	taken := make([]bool, len(b.fields))
	for i, to := range r.To {
		if to < 0 || to >= len(taken) || taken[to] {
			return fmt.Errorf("maps %s to a field that does not exist, or is already mapped to", b.fields[i].Name)
		}
		taken[to] = true
		here, there := b.fields[i].Values, b.fields[to].Values
		if r.Values == nil || r.Values[i] == nil {
			if there < here {
				return fmt.Errorf("maps %s to a field with fewer values", b.fields[i].Name)
			}
			continue
		}
		if uint64(len(r.Values[i])) < here ||
			slices.ContainsFunc(r.Values[i], func(v uint64) bool { return v >= there }) {
			return fmt.Errorf("has a table for %s that does not fit", b.fields[i].Name)
		}
	}
	return nil
}
