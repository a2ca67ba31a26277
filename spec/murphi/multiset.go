package murphi

import "github.com/seed-105a2da2/unknot/spec/program"

// Multisets. A multiset of at most n elements is a number, how many there are, and n elements of which those that are
// there come first, in the order of their values; the others are undefined. So equal multisets are equal states, whatever
// the order in which elements were added. Renaming values would change their order, so the scalarsets within multisets
// are not among the symmetries.

// elementAt is an element of the multiset that begins at a leaf.
func (y *typ) elementAt(base, k int) place {
	return place{y.elem, []alternative{{program.And(), moved(base, 1+k*y.elem.leaves)}}}
}

// multisets reports whether a type has multisets within.
func (y *typ) multisets() bool {
	switch y.kind {
	case multisetKind:
		return true
	case arrayKind:
		return y.elem.multisets()
	case recordKind:
		for _, f := range y.fields {
			if f.t.multisets() {
				return true
			}
		}
	}
	return false
}

// inMultiset notes the scalarsets within the elements of a multiset.
func (c *checker) inMultiset(y *typ) {
	if c.kept == nil {
		c.kept = map[*typ]bool{}
	}
	switch y.kind {
	case scalarsetKind:
		c.kept[y] = true
	case unionKind:
		for _, m := range y.members {
			c.inMultiset(m)
		}
	case arrayKind:
		c.inMultiset(y.index)
		c.inMultiset(y.elem)
	case recordKind:
		for _, f := range y.fields {
			c.inMultiset(f.t)
		}
	}
}

// sizeOf is how many elements a multiset has.
func (t *translator) sizeOf(p place) val { return t.read(place{p.t.size, p.alts}) }

// has reports whether a multiset of a size has its element k.
func has(size val, k int) program.Expr {
	if k >= size.high {
		return none()
	}
	return less(program.Const(k), size.e)
}

// precedes compares two elements, leaf by leaf.
func (t *translator) precedes(a, b place) program.Expr {
	cond := none()
	for leaf := a.t.leaves - 1; leaf >= 0; leaf-- {
		var y *typ
		a.t.each(0, "", func(k int, of *typ, _ string) {
			if k == leaf {
				y = of
			}
		})
		at := func(p place) program.Expr {
			v := t.leaf(moved(p.alts[0].base, leaf), y)
			return v.raw()
		}
		cond = or(less(at(a), at(b)), and(equal(at(a), at(b)), cond))
	}
	return cond
}

// resize changes the size of a multiset by one more or less.
func (t *translator) resize(y *typ, base int, size val, by int) {
	size.e, size.t = plus2(size.e, by), y.size
	size.low, size.high = max(0, size.low+by), min(y.size.high, size.high+by)
	t.setLeaf(base, y.size, size)
}

// added is multisetadd.
func (t *translator) added(s *stmt) {
	m, e := t.lvalue(s.exprs[1]), s.exprs[0]
	var x place
	if m.t.elem.simple() {
		v := t.eval(e)
		x = t.variable(m.t.elem)
		t.set(x, v, e.at)
	} else {
		from := t.lvalue(e)
		x = t.variable(m.t.elem)
		t.copy(x, from, e.at)
	}
	t.each(m.alts, func(base int) {
		size := t.kept(t.leaf(base, m.t.size))
		n := m.t.size.high
		t.fault(equal(size.e, program.Const(n)), s.at, "the multiset is full: it has room for %d", n)
		// From the last to the first: what comes after x moves up, x goes where the first of these was.
		for k := n - 1; k >= 0; k-- {
			t.tick(s.at)
			here := m.t.elementAt(base, k)
			later := none()
			if k > 0 {
				later = and(has(size, k-1), t.precedes(x, m.t.elementAt(base, k-1)))
			}
			t.branch(later, func() { t.copy(here, m.t.elementAt(base, k-1), s.at) }, func() {
				free := not(has(size, k))
				reached := or(truth(k == 0), has(size, k-1))
				t.provided(and(reached, or(free, t.precedes(x, here))), func() { t.copy(here, x, s.at) })
			})
		}
		t.resize(m.t, base, size, 1)
	})
}

// removed takes an element out of the multiset that begins at a leaf: those behind it move down.
func (t *translator) removed(y *typ, base, k int, at position) {
	size := t.kept(t.leaf(base, y.size))
	last := y.size.high - 1
	for ; k < last; k++ {
		t.tick(at)
		t.copy(y.elementAt(base, k), y.elementAt(base, k+1), at)
	}
	t.fill(y.elementAt(base, last), y.elem.blank)
	t.resize(y, base, size, -1)
}

// removedAt is multisetremove.
func (t *translator) removedAt(s *stmt) {
	m := t.lvalue(s.exprs[1])
	i := t.kept(t.eval(s.exprs[0]))
	t.each(m.alts, func(base int) {
		for k := i.low; k <= i.high; k++ {
			t.provided(equal(i.e, program.Const(k)), func() {
				t.fault(not(has(t.leaf(base, m.t.size), k)), s.at, "the multiset has no element %s", s.exprs[0].text())
				t.removed(m.t, base, k, s.at)
			})
		}
	})
}

// filtered is multisetremovepred.
func (t *translator) filtered(s *stmt) {
	m := t.lvalue(s.over.multiset)
	t.each(m.alts, func(base int) {
		for k := m.t.size.high - 1; k >= 0; k-- { // those behind it are decided
			t.frame.bound[s.over.symbol] = bound{value: constantOf(s.over.symbol.t, k)}
			t.provided(has(t.leaf(base, m.t.size), k), func() {
				t.branch(t.eval(s.exprs[0]).e, func() { t.removed(m.t, base, k, s.at) }, func() {})
			})
		}
	})
	delete(t.frame.bound, s.over.symbol)
}

// counted is multisetcount.
func (t *translator) counted(e *expr) val {
	size := t.sizeOf(t.lvalue(e.over.multiset))
	out := val{t: t.c.integer, e: program.Const(0), high: size.high}
	for k := range e.over.multiset.t.size.high {
		t.frame.bound[e.over.symbol] = bound{value: constantOf(e.over.symbol.t, k)}
		cond := has(size, k)
		t.provided(cond, func() { cond = and(cond, t.eval(e.args[0]).e) })
		out.e = add(out.e, choose(cond, program.Const(1), program.Const(0)))
	}
	delete(t.frame.bound, e.over.symbol)
	return out
}
