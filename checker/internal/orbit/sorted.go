package orbit

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Representatives by sorting.
//
// Where the renamings are all permutations of some sets of like parts, a part is described by its own fields and by
// which other fields name it: no two parts that are described alike can be told apart. So a state is, up to renaming,
// its fixed fields and the multiset of these descriptions, and sorting them makes the same state of all images. It takes
// the time of reading and writing each field once, where blocks take an image for each part and position, and with
// many equal parts one for each renaming.
//
// A field may be one of a part's own, and move with it, or name parts by its values, and stay where it is, but not both:
// what names a part in a field of another one describes both of them together. Such groups are left to blocks, as are
// rotations, trees, and what needs more than 64 bits to describe a part.
//
// The state that is made is not the least by blocks. It is another representative, chosen as consistently.
// TestSorted compares the two: they are equal for the same pairs of states.

// sorted is a product of symmetric groups, each of which permutes the parts of a set in all ways. Parts are numbered
// through all sets.
type sorted struct {
	sets    []set
	columns []column
	naming  []naming
	owners  []owner // by bit of a state
	by      []int32 // by rank of a permutation of each set: a renaming; nil if they are not listed
}

// owner says of a bit of a state which part has the field that it is in: part -1 if that is in no column, and then the
// field is the bit alone.
type owner struct {
	part      int
	shift, in uint // where the field is in its word, and in the key
	mask      uint64
}

// set is parts first to first+size-1. A key has the own fields of a part, then which fields name it, then its place in
// the set, which tells equal parts apart.
type set struct {
	first, size int
	names       uint // bits of a key below the own fields, places included
}

// places are the bits of a key for the place in the set.
const places = 4

const mostParts = 16

// column is a field that each part of a set has.
type column struct {
	set   int
	width uint
	shift uint // in a key
	runs  []run
}

// run is the field of some parts in their order, as far as it has equal distances in one word.
type run struct {
	word          int
	shift, stride uint   // of the first of them, and from one to the next
	field         uint64 // the mask of one, shifted to bit 0
	all           uint64 // the mask of all of them
	from, to      int    // places in the set
}

// bitField is where a field is in a state.
type bitField struct {
	word  int
	shift uint
	mask  uint64
}

func (a *bitField) of(s []uint64) uint64 { return s[a.word] >> (a.shift & 63) & a.mask }

func (a *bitField) put(s []uint64, v uint64) {
	s[a.word] = s[a.word]&^(a.mask<<(a.shift&63)) | v<<(a.shift&63)
}

// extend adds the field of the next part, which has place k, to the last run or to a new one.
func (c *column) extend(k, word int, shift uint, mask uint64) {
	if len(c.runs) > 0 {
		r := &c.runs[len(c.runs)-1]
		last := r.shift + uint(r.to-1-r.from)*r.stride
		if r.word == word && shift > last && (r.to-r.from == 1 || shift-last == r.stride) {
			r.stride, r.all, r.to = shift-last, r.all|mask<<shift, k+1
			return
		}
	}
	c.runs = append(c.runs, run{word: word, shift: shift, field: mask, all: mask << shift, from: k, to: k + 1})
}

// naming is a field some of whose values name parts.
type naming struct {
	bitField
	names []name // by value
}

// name is what a value names: part -1 for none.
type name struct {
	part int32
	bit  uint64   // in a key
	like []uint64 // by place in the set: the value that names that part in the same way
}

// keys describes the parts of a state, in their order.
func (o *sorted) keys(keys *[mostParts]uint64, s []uint64) {
	for i := range o.sets {
		v := &o.sets[i]
		for k := range v.size {
			keys[v.first+k] = uint64(k)
		}
	}
	for i := range o.columns {
		c := &o.columns[i]
		first := o.sets[c.set].first
		for j := range c.runs {
			r := &c.runs[j]
			x := s[r.word] >> (r.shift & 63)
			for k := first + r.from; k < first+r.to; k++ {
				keys[k&(mostParts-1)] |= x & r.field << (c.shift & 63)
				x >>= r.stride & 63
			}
		}
	}
	for i := range o.naming {
		f := &o.naming[i]
		if n := &f.names[f.of(s)]; n.part >= 0 {
			keys[n.part] |= n.bit
		}
	}
}

// change changes the keys of a state into those of another one: of the parts that differ in a field, or are named by
// one that differs. They must be in the order of the parts.
func (o *sorted) change(keys *[mostParts]uint64, s, to []uint64) {
	for word, x := range s {
		for d := x ^ to[word]; d != 0; {
			p := &o.owners[word<<6|bits.TrailingZeros64(d)]
			d &^= p.mask << (p.shift & 63)
			if p.part >= 0 {
				k := &keys[p.part&(mostParts-1)]
				*k = *k&^(p.mask<<(p.in&63)) | to[word]>>(p.shift&63)&p.mask<<(p.in&63)
			}
		}
	}
	for i := range o.naming {
		f := &o.naming[i]
		was, is := f.of(s), f.of(to)
		if was == is {
			continue
		}
		if n := &f.names[was]; n.part >= 0 {
			keys[n.part] &^= n.bit
		}
		if n := &f.names[is]; n.part >= 0 {
			keys[n.part] |= n.bit
		}
	}
}

// fields counts the fields that parts have and those that name parts.
func (o *sorted) fields() int {
	n := len(o.naming)
	for _, c := range o.columns {
		n += o.sets[c.set].size
	}
	return n
}

// replaceSteps replaces the states that steps lead to from s.
func (o *sorted) replaceSteps(s, after []uint64) {
	var of, keys [mostParts]uint64
	o.keys(&of, s)
	for ; len(after) > 0; after = after[len(s):] {
		keys = of
		o.change(&keys, s, after)
		o.sort(&keys, after[:len(s)])
	}
}

// replace replaces a state by the one in which the parts of each set are sorted. It returns the keys, sorted.
func (o *sorted) replace(keys *[mostParts]uint64, s []uint64) {
	o.keys(keys, s)
	o.sort(keys, s)
}

// sort sorts the parts of a state by their keys.
func (o *sorted) sort(keys *[mostParts]uint64, s []uint64) {
	moved := false
	for i := range o.sets {
		v := &o.sets[i]
		all := keys[v.first : v.first+v.size]
		for k := 1; k < len(all); k++ {
			x := all[k]
			if x >= all[k-1] {
				continue
			}
			moved = true
			j := k
			for ; j > 0 && all[j-1] > x; j-- {
				all[j] = all[j-1]
			}
			all[j] = x
		}
	}
	if !moved {
		return
	}
	for i := range o.columns {
		c := &o.columns[i]
		first := o.sets[c.set].first
		for j := range c.runs {
			r := &c.runs[j]
			x := uint64(0)
			for k := first + r.to - 1; k >= first+r.from; k-- {
				x = x<<(r.stride&63) | keys[k&(mostParts-1)]>>(c.shift&63)&r.field
			}
			s[r.word] = s[r.word]&^r.all | x<<(r.shift&63)
		}
	}
	if len(o.naming) == 0 {
		return
	}
	var to [mostParts]uint8 // by part: its new place
	for i := range o.sets {
		v := &o.sets[i]
		for k, x := range keys[v.first : v.first+v.size] {
			to[v.first+int(x&(1<<places-1))] = uint8(k)
		}
	}
	for i := range o.naming {
		f := &o.naming[i]
		if n := &f.names[f.of(s)]; n.part >= 0 {
			f.put(s, n.like[to[n.part]])
		}
	}
}

// replaceBy is replace, and returns which renaming it took, and how many would do.
func (o *sorted) replaceBy(s []uint64) (by int32, ways int) {
	var keys [mostParts]uint64
	o.replace(&keys, s)
	rank, ways := 0, 1
	for i := range o.sets {
		v := &o.sets[i]
		all := keys[v.first : v.first+v.size]
		rank = rank*factorial(v.size) + rankOf(len(all), func(k int) int { return int(all[k] & (1<<places - 1)) })
		alike := 1
		for k := 1; k < len(all); k++ {
			if alike++; all[k]>>places != all[k-1]>>places {
				alike = 1
			}
			ways *= alike
		}
	}
	return o.by[rank], ways
}

// rankOf numbers a permutation of n things among all of them (Lehmer 1960).
func rankOf(n int, of func(k int) int) (rank int) {
	for k := range n {
		less := 0
		for j := k + 1; j < n; j++ {
			if of(j) < of(k) {
				less++
			}
		}
		rank = rank*(n-k) + less
	}
	return rank
}

func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1)
}

// sorted finds out whether the renamings are all permutations of sets of like parts. It returns nil if not.
func (b *builder) sorted() *sorted {
	f := symmetricSets{builder: b}
	if !f.find() || !f.rank() {
		return nil
	}
	return &f.found
}

// find finds sets of parts, each of which the renamings permute, and what else they change in a state: nothing, but for
// fields that name parts.
func (f *symmetricSets) find() bool {
	if !f.findSets() || !f.findColumns() || !f.findNaming() {
		return false
	}
	o := &f.found
	o.owners = make([]owner, 64*f.words)
	for bit := range o.owners {
		o.owners[bit] = owner{part: -1, shift: uint(bit % 64), mask: 1}
	}
	for _, c := range o.columns {
		for _, r := range c.runs {
			for k := r.from; k < r.to; k++ {
				shift := r.shift + uint(k-r.from)*r.stride
				for bit := range c.width {
					o.owners[uint(r.word)<<6+shift+bit] = owner{o.sets[c.set].first + k, shift, c.shift, r.field}
				}
			}
		}
	}
	return true
}

// rank numbers the renamings by the permutations of the sets, and reports whether there is one for each. Two that permute
// alike do the same to columns and naming fields, which are all that change.
func (f *symmetricSets) rank() bool {
	o, b := &f.found, f.builder
	rank := make([]int, b.order)
	o.by = make([]int32, 1)
	for _, points := range f.points {
		n := len(points)
		for g := range rank {
			rank[g] = rank[g]*factorial(n) + rankOf(n, func(k int) int { return slices.Index(points, b.images[points[k]][g].from) })
		}
		if len(o.by) > b.order/factorial(n) { // the product of the sets has more permutations
			return false
		}
		o.by = slices.Repeat([]int32{-1}, len(o.by)*factorial(n))
	}
	for g := b.order - 1; g >= 0; g-- {
		o.by[rank[g]] = int32(g)
	}
	return !slices.Contains(o.by, -1)
}

// connected reports whether the renamings that exchange two parts, and leave all others in place, connect the parts of
// each set. Then they generate all permutations of each, the others in place, and so all products of these.
func (f *symmetricSets) connected() bool {
	joined := make([][]int, len(f.points)) // by set and part: a number, the same for parts that are connected
	for in, points := range f.points {
		joined[in] = graph.Identity[int](len(points))
	}
	for g := range f.order {
		var moved [][2]int // set and part
		for in, points := range f.points {
			for k, p := range points {
				if f.images[p][g].from != p {
					moved = append(moved, [2]int{in, k})
				}
			}
		}
		if len(moved) == 2 { // in one set, as none has a single part that is moved
			all := joined[moved[0][0]]
			a, b := all[moved[0][1]], all[moved[1][1]]
			for k, number := range all {
				if number == b {
					all[k] = a
				}
			}
		}
	}
	return !slices.ContainsFunc(joined, func(all []int) bool {
		return slices.ContainsFunc(all, func(number int) bool { return number != all[0] })
	})
}

// symmetricSets is the search for sets of parts. The parts of a set are the fields, one of each part, that renamings
// move to each other; fields that are moved alike belong to the same parts.
type symmetricSets struct {
	*builder
	points [][]int // by set and place: a field
	moved  [][]int // the fields that renamings move, divided into those that they move to each other
	found  sorted
}

// findSets finds fields that are moved, and sets of parts.
func (f *symmetricSets) findSets() bool {
	seen := make([]bool, len(f.fields))
	for i := range f.fields {
		if seen[i] || f.kinds[i].Len() == 1 {
			continue
		}
		orbit := orbitOf(i, f.order, func(i, g int) int { return f.images[i][g].from })
		if len(orbit) < 2 {
			continue
		}
		if len(orbit) > 1<<places {
			return false
		}
		for _, j := range orbit {
			seen[j] = true
			if slices.ContainsFunc(f.images[j], func(im image) bool { return im.values != nil }) {
				return false
			}
		}
		f.moved = append(f.moved, orbit)
	}
	return len(f.moved) > 0
}

// orbitOf returns what some functions, and those that they generate, make of x, ascending.
func orbitOf[T cmp.Ordered](x T, functions int, image func(x T, g int) T) []T {
	_, all := bfs.Reach([]T{x}, func(x T, visit func(T)) {
		for g := range functions {
			visit(image(x, g))
		}
	})
	slices.Sort(all)
	return all
}

// findColumns finds to which parts the fields belong that are moved.
func (f *symmetricSets) findColumns() bool {
	parts := 0
	for _, orbit := range f.moved {
		_, _, mask := f.fields[orbit[0]].Place()
		c := column{width: width(mask)}
		in, order := f.alike(len(orbit), func(x, g int) int { return slices.Index(orbit, f.images[orbit[x]][g].from) })
		if in < 0 {
			in, order = len(f.points), graph.Identity[int](len(orbit))
			f.points = append(f.points, orbit)
			f.found.sets = append(f.found.sets, set{first: parts, size: len(orbit), names: places})
			parts += len(orbit)
		}
		c.set = in
		for k, x := range order {
			word, shift, mask := f.fields[orbit[x]].Place()
			if width(mask) != c.width {
				return false
			}
			c.extend(k, word, shift, mask)
		}
		if c.width > 0 {
			f.found.columns = append(f.found.columns, c)
		}
	}
	return parts <= mostParts
}

// alike finds a set whose parts are permuted as these things are, n in number, thing x coming from thing from(x, g) under
// renaming g, and which thing is for which part; -1 if there is none.
func (f *symmetricSets) alike(n int, from func(x, g int) int) (in int, order []int) {
	for in, points := range f.points {
		if len(points) != n {
			continue
		}
		order := make([]int, 0, n)
		for _, p := range points {
			fixes := func(x int) bool {
				for g := range f.order {
					if (f.images[p][g].from == p) != (from(x, g) == x) {
						return false
					}
				}
				return !slices.Contains(order, x)
			}
			if x := slices.IndexFunc(graph.Identity[int](n), fixes); x >= 0 {
				order = append(order, x)
			}
		}
		if len(order) == n && f.permuted(points, order, from) {
			return in, order
		}
	}
	return -1, nil
}

// permuted reports whether things are permuted as the parts that they are for.
func (f *symmetricSets) permuted(points, order []int, from func(x, g int) int) bool {
	for g := range f.order {
		for k, p := range points {
			if from(order[k], g) != order[slices.Index(points, f.images[p][g].from)] {
				return false
			}
		}
	}
	return true
}

// findNaming finds the fields that name parts, and divides the keys.
func (f *symmetricSets) findNaming() bool {
	o := &f.found
	for i := range f.fields {
		if f.kinds[i].Len() == 1 || slices.ContainsFunc(f.moved, func(orbit []int) bool { return slices.Contains(orbit, i) }) {
			continue
		}
		word, shift, mask := f.fields[i].Place()
		n := naming{bitField: bitField{word, shift, mask}, names: make([]name, mask+1)}
		for v := range n.names {
			n.names[v].part = -1
		}
		for v := range f.fields[i].Values {
			if n.names[v].part < 0 && !f.name(&n, i, v) {
				return false
			}
		}
		o.naming = append(o.naming, n)
	}
	for k := range o.sets {
		v := &o.sets[k]
		shift := v.names
		for i := len(o.columns) - 1; i >= 0; i-- { // the first column is the most significant
			if c := &o.columns[i]; c.set == k {
				c.shift = shift
				shift += c.width
			}
		}
		if shift > 64 {
			return false
		}
	}
	return true
}

// name finds what a value of a field names, and what others name in the same way.
func (f *symmetricSets) name(n *naming, field int, value uint64) bool {
	to := func(v uint64, g int) uint64 {
		if values := f.images[field][g].values; values != nil {
			return values[v]
		}
		return v
	}
	like := orbitOf(value, f.order, to)
	if len(like) == 1 {
		return true
	}
	in, order := f.alike(len(like), func(x, g int) int {
		return slices.IndexFunc(like, func(v uint64) bool { return to(v, g) == like[x] })
	})
	if in < 0 {
		return false
	}
	set := &f.found.sets[in]
	if set.names >= 64 {
		return false
	}
	values := make([]uint64, len(order))
	for k, x := range order {
		values[k] = like[x]
	}
	for k, v := range values {
		n.names[v] = name{part: int32(set.first + k), bit: 1 << set.names, like: values}
	}
	set.names++
	return true
}
