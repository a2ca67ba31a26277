package compiled

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Flat code for formulas and statements.
//
// A formula is a chain of tests, each with two successors; members of a conjunction that lie
// in one word and are decided by their bits are one test. Nothing is allocated while states
// are explored.

// place says where a variable lies in a state.
type place struct {
	word  int
	shift uint
	mask  uint64
}

func (c *compiler) place(x program.Var) place { return c.places[x] }

func (p *place) of(s []uint64) uint64 { return s[p.word] >> (p.shift & 63) & p.mask }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.word, q.word), cmp.Compare(p.shift, q.shift))
}

// join returns the place that covers two places; fits says that a table can be that large.
func (p place) join(q place) (at place, fits bool) {
	if p.word != q.word {
		return p, false
	}
	if q.shift < p.shift {
		p, q = q, p
	}
	width := max(bits.Len64(p.mask), int(q.shift-p.shift)+bits.Len64(q.mask))
	p.mask = 1<<width - 1
	return p, width <= sideBits
}

func (p place) covers(q place) bool {
	return p.word == q.word && p.shift <= q.shift && q.mask<<(q.shift-p.shift)&^p.mask == 0
}

// test is one test of a state and where to continue after it. It has 32 bytes and no
// pointers: most of a machine's time goes into tests.
type test struct {
	kind  kind
	shift uint8 // with word and mask: the place
	word  int32
	next  [2]int32 // if it fails, if it holds
	mask  uint64
	want  uint64 // masked: the bits wanted; inSet: the values wanted; inSets, summed: where these are
}

type kind uint8

const (
	masked  kind = iota // s[word]&mask == want
	inSet               // the value at the place is in want
	inSets              // the values at the place, of adjacent variables, are in the sets from want on
	noField             // none of fields[want] matches
	summed              // the comparison sums[want] holds
)

func (t *test) place() place { return place{int(t.word), uint(t.shift), t.mask} }

func testOf(k kind, at place, want uint64) test {
	return test{kind: k, shift: uint8(at.shift), word: int32(at.word), mask: at.mask, want: want}
}

// The ends of code.
const (
	yes int32 = -1 - iota
	no
)

// code is the tests of a machine's formulas.
type code struct {
	tests []test
	sets  []uint64
	sums  []*formula

	fields []fields
}

// holds runs the code from one test on.
func (c *code) holds(s []uint64, at int32) bool {
	tests := c.tests
	for uint(at) < uint(len(tests)) { // the ends are below 0
		t := &tests[at]
		so := uint64(0)
		switch t.kind {
		case masked:
			if s[t.word]&t.mask == t.want {
				so = 1
			}
		case inSet:
			so = t.want >> (s[t.word] >> (t.shift & 63) & t.mask & 63)
		case inSets:
			v := s[t.word] >> (t.shift & 63) & t.mask
			so = c.sets[t.want+v>>6] >> (v & 63)
		case noField:
			if !c.fields[t.want].any(s[t.word]) {
				so = 1
			}
		default:
			if c.sums[t.want].compares(s) {
				so = 1
			}
		}
		at = t.next[so&1]
	}
	return at == yes
}

func (f *formula) compares(s []uint64) bool {
	v := f.sum.value(s)
	return (f.less && v < f.bound || !f.less && v == f.bound) != f.negated
}

// entry returns where the code of a formula begins, and appends it unless it is there.
func (c *compiler) entry(f formula) int32 {
	c.key = f.key(c.key[:0])
	at, known := c.entries[string(c.key)]
	if !known {
		key := string(c.key) // emit makes keys, too
		at = c.emit(f, yes, no)
		c.entries[key] = at
	}
	return at
}

// length is the length of a formula's key.
func (c *compiler) length(f formula) int {
	c.key = f.key(c.key[:0])
	return len(c.key)
}

func (c *compiler) emit(f formula, yes, no int32) int32 {
	switch f.shape {
	case always:
		return yes
	case never:
		return no
	case member, equal:
		return c.tests([]formula{f}, yes, no)
	case compare:
		c.ready(f.sum)
		c.code.sums = append(c.code.sums, &f)
		t := testOf(summed, place{}, uint64(len(c.code.sums)-1))
		t.next = [2]int32{no, yes}
		return c.test(t)
	case some:
		return c.emit(c.not(f), no, yes)
	}
	plain := 0 // members and equalities; all but some of the latter are in front
	for plain < len(f.parts) && (f.parts[plain].shape == member || f.parts[plain].shape == equal && !f.parts[plain].negated) {
		plain++
	}
	for i := len(f.parts) - 1; i >= plain; i-- {
		yes = c.emit(f.parts[i], yes, no)
	}
	return c.tests(f.parts[:plain], yes, no)
}

func (c *compiler) test(t test) int32 {
	c.code.tests = append(c.code.tests, t)
	return int32(len(c.code.tests) - 1)
}

// tests appends the tests of members and equalities all of which must hold: first those
// decided by bits, one test per word.
func (c *compiler) tests(parts []formula, yes, no int32) int32 {
	var fused, sets []test
	var not []numbered // bits that must not be as given
	for i, f := range parts {
		t := c.byBits(f)
		if t.kind == inSet {
			if other := c.byBits(c.not(f)); other.kind == masked {
				not = append(not, numbered{test: other, index: i})
			} else {
				sets = append(sets, t)
			}
			continue
		}
		merged := false
		for i := range fused {
			if o := &fused[i]; o.word == t.word && o.mask&t.mask == 0 {
				o.mask, o.want, merged = o.mask|t.mask, o.want|t.want, true
				break
			}
		}
		if !merged {
			fused = append(fused, t)
		}
	}
	not = eachFields(not, func(_ int, word int32, of fields) {
		t := testOf(noField, place{word: int(word)}, uint64(len(c.code.fields)))
		c.code.fields = append(c.code.fields, of)
		t.next = [2]int32{no, yes}
		yes = c.test(t)
	})
	for _, t := range not {
		sets = append(sets, c.byBits(parts[t.index]))
	}
	sideBySide(sets, (*test).place, func(group []test, at place) {
		t := group[0]
		if len(group) > 1 {
			set := make([]uint64, at.mask/64+1)
			for v := range at.mask + 1 {
				if !slices.ContainsFunc(group, func(m test) bool { return m.want>>(v>>(uint(m.shift)-at.shift)&m.mask)&1 == 0 }) {
					set[v/64] |= 1 << (v % 64)
				}
			}
			t = testOf(inSets, at, uint64(len(c.code.sets)))
			c.code.sets = append(c.code.sets, set...)
		}
		t.next = [2]int32{no, yes}
		yes = c.test(t)
	})
	for _, t := range fused {
		t.next = [2]int32{no, yes}
		if parts[0].negated {
			t.next = [2]int32{yes, no}
		}
		yes = c.test(t)
	}
	return yes
}

// sideBits bounds the bits by which adjacent variables are looked up together.
const sideBits = 10

// sideBySide calls f with groups of adjacent parts, and the place of each. It orders
// the parts.
func sideBySide[T any](parts []T, of func(*T) place, f func(group []T, at place)) {
	slices.SortFunc(parts, func(a, b T) int { return of(&a).compare(of(&b)) })
	for len(parts) > 0 {
		at, n := of(&parts[0]), 1
		for ; n < len(parts); n++ {
			wide, fits := at.join(of(&parts[n]))
			if !fits {
				break
			}
			at = wide
		}
		f(parts[:n], at)
		parts = parts[n:]
	}
}

// byBits returns the test of a member or an equality: a test of bits, if the values in the
// set are exactly those with certain bits.
func (c *compiler) byBits(f formula) test {
	at := c.place(f.x)
	if f.shape == equal {
		return testOf(masked, place{at.word, 0, at.mask << at.shift}, uint64(f.bound)<<at.shift)
	}
	ones, zeros := at.mask, at.mask
	for set := f.set; set != 0; set &= set - 1 {
		v := uint64(bits.TrailingZeros64(set))
		ones, zeros = ones&v, zeros&^v
	}
	for others := c.full(f.x) &^ f.set; others != 0; others &= others - 1 {
		if uint64(bits.TrailingZeros64(others))&(ones|zeros) == ones {
			return testOf(inSet, at, f.set)
		}
	}
	return testOf(masked, place{at.word, 0, (ones | zeros) << at.shift}, ones<<at.shift)
}

// bitsOf returns the test of bits that decides whether all the formulas hold; ok is false if there is none.
func (c *compiler) bitsOf(parts []formula) (all test, ok bool) {
	for i, f := range parts {
		if f.shape != member {
			return all, false
		}
		t := c.byBits(f)
		if i == 0 {
			all = t
		}
		if t.kind != masked || t.word != all.word || i > 0 && all.mask&t.mask != 0 {
			return all, false
		}
		all.mask, all.want = all.mask|t.mask, all.want|t.want
	}
	return all, len(parts) > 0
}

// compiler knows where variables lie and what values they can have.
type compiler struct {
	p        *program.Program
	places   []place // by variable
	code     *code
	entries  map[string]int32 // of formulas, by key
	key      []byte           // the last key made
	lookBits int              // see effect.go
	words    int              // of a state
	one      []uint64         // see with
	made     []uint64         // see cases
	states   slab[uint64]     // of moves, while a leaf is looked at
	lent     slab[formula]    // of what is left, while a leaf is looked at
	known
}

func newCompiler(p *program.Program, fields []states.Field) *compiler {
	c := &compiler{p: p, code: &code{}, entries: map[string]int32{}, lookBits: lookBits}
	if len(p.Rules) > manyRules {
		c.lookBits = fewerBits
	}
	for x := range p.Variables {
		c.sets = append(c.sets, c.full(program.Var(x)))
		word, shift, mask := fields[x].Place()
		c.places = append(c.places, place{word, shift, mask})
		c.words = max(c.words, word+1)
	}
	c.one = make([]uint64, c.words)
	return c
}
