package orbit

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
)

// How blocks and classes are made. Where a field's value comes from and through which
// table divides the renamings into classes. Each new block begins with the field that
// divides the existing classes least, and takes in all fields that divide them no
// further.

// image is how a renaming makes a field from the state before.
type image struct {
	from   int
	values []uint64 // nil: unchanged
	kind   int32    // equal for equal images of one field; 0: the field stays as it is
}

type builder struct {
	fields []states.Field
	words  int
	order  int
	images [][]image               // by field and renaming
	kinds  []intern.Slices[uint64] // by field: the field that an image comes from, and its values
	keys   map[string]int32        // numbers of the keys of blocks, by what they read
}

// add appends the images of every field under a renaming; the zero Renaming is the identity.
func (b *builder) add(r Renaming) {
	if b.kinds == nil {
		b.kinds = make([]intern.Slices[uint64], len(b.fields))
	}
	for i := range b.fields {
		to, im := i, image{from: i}
		if r.To != nil {
			to = r.To[i]
		}
		if r.Values != nil && changes(r.Values[i]) {
			im.values = r.Values[i]
		}
		key := append([]uint64{uint64(i)}, im.values...)
		im.kind, _ = b.kinds[to].Number(hash.Words(0, key), key)
		b.images[to] = append(b.images[to], im)
	}
	b.order++
}

// changes reports whether a table maps any value to another.
func changes(values []uint64) bool {
	for v, to := range values {
		if uint64(v) != to {
			return true
		}
	}
	return false
}

// build makes the levels.
func (b *builder) build() *Least {
	l := &Least{words: b.words, fixed: make([]uint64, b.words), order: b.order}
	b.keys = map[string]int32{}
	part := make([]int32, b.order) // by renaming: its class so far
	classes := 1
	var left []int
	for i, f := range b.fields {
		if b.kinds[i].Len() > 1 {
			left = append(left, i)
			continue
		}
		word, shift, mask := f.Place()
		l.fixed[word] |= mask << shift
	}
	for len(left) > 0 {
		var next []int32
		var parents []int32
		for _, i := range left {
			if meet, from := b.meet(part, i); next == nil || len(from) < len(parents) {
				next, parents = meet, from
			}
		}
		var block, rest []int
		for _, i := range left {
			if _, from := b.meet(next, i); len(from) == len(parents) {
				block = append(block, i)
			} else {
				rest = append(rest, i)
			}
		}
		l.levels = append(l.levels, b.level(l, block, next, parents, classes))
		part, classes, left = next, len(parents), rest
	}
	l.by = make([]int32, classes)
	for g := len(part) - 1; g >= 0; g-- {
		l.by[part[g]] = int32(g)
	}
	l.pay()
	l.sorted = b.sorted()
	return l
}

// meet divides classes by the image of a field, and says which class each part came
// from. The parts of a class are consecutive.
func (b *builder) meet(part []int32, field int) (meet, parents []int32) {
	type key struct{ class, kind int32 }
	of := func(g int) key { return key{part[g], b.images[field][g].kind} }
	number := map[key]int32{}
	var keys []key
	for g := range part {
		k := of(g)
		if _, known := number[k]; !known {
			number[k] = 0
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.kind, b.kind))
	})
	for i, k := range keys {
		number[k] = int32(i)
		parents = append(parents, k.class)
	}
	for g := range part {
		meet = append(meet, number[of(g)])
	}
	return meet, parents
}

// level makes the classes of a block.
func (b *builder) level(l *Least, block []int, part, parents []int32, before int) level {
	v := level{first: make([]int32, before+1)}
	for _, p := range parents {
		v.first[p+1]++
	}
	for p := range before {
		v.first[p+1] += v.first[p]
	}
	for _, i := range block {
		if word, _, mask := b.fields[i].Place(); mask > 0 && !slices.Contains(v.words, word) {
			v.words = append(v.words, word)
		}
	}
	slices.Sort(v.words)
	v.classes = make([]class, len(parents))
	some := make([]int, len(parents))
	for g, c := range part {
		if v.classes[c].upTo == nil {
			v.classes[c], some[c] = b.class(block, g, v.words), g
		}
	}
	b.key(l, &v, block, some)
	return v
}

// class returns how renaming g makes the words of a block.
func (b *builder) class(block []int, g int, words []int) class {
	c := class{upTo: []int32{}}
	for _, w := range words {
		for _, i := range block {
			im := b.images[i][g]
			to, toShift, mask := b.fields[i].Place()
			if to != w || mask == 0 {
				continue
			}
			from, shift, fromMask := b.fields[im.from].Place()
			if im.values != nil {
				lk := lookup{word: from, shift: shift, mask: fromMask, to: make([]uint64, fromMask+1)}
				for x, y := range im.values {
					lk.to[x] = y << toShift
				}
				c.tables = merge(c.tables, int(at(c.tabled)), lk)
				continue
			}
			c.moves = join(c.moves, int(at(c.upTo)), move{
				word: from,
				by:   (toShift - shift) & 63,
				mask: fromMask << toShift,
			})
		}
		c.upTo = append(c.upTo, int32(len(c.moves)))
		c.tabled = append(c.tabled, int32(len(c.tables)))
	}
	return c
}

// mostLookup bounds the bits that a merged lookup reads: the tables of all classes should
// stay in the nearest cache.
const mostLookup = 8

// merge adds a lookup to those from first on, or merges it into one of adjacent bits: then
// one lookup does for both.
func merge(tables []lookup, first int, lk lookup) []lookup {
	for i := range tables[first:] {
		a := &tables[first+i]
		shift, end := min(a.shift, lk.shift), max(a.shift+width(a.mask), lk.shift+width(lk.mask))
		if a.word != lk.word || end-shift > mostLookup {
			continue
		}
		both := lookup{word: lk.word, shift: shift, mask: 1<<(end-shift) - 1, to: make([]uint64, 1<<(end-shift))}
		for x := range both.to {
			v := uint64(x)
			both.to[x] = a.to[v>>(a.shift-shift)&a.mask] | lk.to[v>>(lk.shift-shift)&lk.mask]
		}
		*a = both
		return tables
	}
	return append(tables, lk)
}

func width(mask uint64) uint { return uint(bits.Len64(mask)) }

// at returns the last number of a list, or 0 if it is empty.
func at(list []int32) int32 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

// join adds a move to those from first on, or merges it into one by the same distance.
func join(moves []move, first int, mv move) []move {
	for i := range moves[first:] {
		if m := &moves[first+i]; m.word == mv.word && m.by == mv.by {
			m.mask |= mv.mask
			return moves
		}
	}
	return append(moves, mv)
}
