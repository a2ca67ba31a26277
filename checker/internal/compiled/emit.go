package compiled

import "math/bits"

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
	for plain < len(f.parts) &&
		(f.parts[plain].shape == member || f.parts[plain].shape == equal && !f.parts[plain].negated) {
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
				in := uint64(1)
				for i := range group { // without a branch
					m := &group[i]
					in &= m.want >> (v >> (uint(m.shift) - at.shift) & m.mask)
				}
				set[v/64] |= in << (v % 64)
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

// ready makes the lookups of a number and the code of its other conditions.
func (c *compiler) ready(n *number) {
	n.counts, n.lookups, n.masked, n.others, n.code = nil, nil, nil, nil, c.code
	var parts []summand
	var own [1 << sideBits]int
	var tests []numbered
	for i := range n.tables {
		t := &n.tables[i]
		if y, set := t.onlyNonzero(); set != 0 {
			if f := c.byBits(formula{shape: member, x: t.x, set: set}); f.kind == masked {
				tests = append(tests, numbered{f, y, i})
				continue
			}
		}
		parts = append(parts, t.summand())
	}
	tests = eachFields(tests, func(y int, word int32, of fields) { n.counts = append(n.counts, count{y, word, of}) })
	for _, f := range tests {
		parts = append(parts, n.tables[f.index].summand())
	}
	for _, r := range n.rest {
		if r.cond != nil {
			if at, ok := c.span(*r.cond); ok {
				parts = append(parts, summand{
					at,
					func(word uint64) int { return r.factor * truth(c.evaluate(*r.cond, c.oneWord(at.word, word))) },
				})
				continue
			}
			if t, ok := c.bitsOf(r.cond.conjuncts()); ok {
				n.masked = append(n.masked, masks{r.factor, t.word, t.mask, t.want})
				continue
			}
			r.entry = c.entry(*r.cond)
		}
		n.others = append(n.others, r)
	}
	sideBySide(parts, func(p *summand) place { return p.place }, func(group []summand, at place) {
		l := lookup{at, make([]int, at.mask+1)}
		for _, p := range group {
			own := own[:p.mask+1] // of what lies there alone
			for v := range own {
				own[v] = p.of(uint64(v) << p.shift)
			}
			for v := range l.values {
				l.values[v] += own[uint64(v)>>(p.shift-at.shift)&p.mask]
			}
		}
		n.lookups = append(n.lookups, l)
	})
}
