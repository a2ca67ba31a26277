package murphi

import (
	"fmt"
	"strconv"
)

// typ is a type. A simple one has the values low to high, numbers.
type typ struct {
	kind      kind
	name      string // as declared; may be ""
	low, high int
	names     []string // of the values from low on: boolean, enum, scalarset, union
	fields    []field  // record
	index     *typ     // array; multiset: of its elements, which only choose and the like give
	elem      *typ
	size      *typ   // multiset: how many elements it has
	members   []*typ // union, whose values are those of its members, one after another
	leaves    int    // simple values within: 1 for a simple type
}

type kind uint8

const (
	booleanKind kind = iota
	enumKind
	rangeKind
	scalarsetKind
	unionKind
	recordKind
	arrayKind
	multisetKind
)

// field is a part of a record; its leaves begin at offset.
type field struct {
	name   string
	t      *typ
	offset int
}

func (t *typ) simple() bool { return t.kind < recordKind }

// values is how many values a simple type has.
func (t *typ) values() int { return t.high - t.low + 1 }

// of returns the name of a value of a simple type.
func (t *typ) of(v int) string {
	if i := v - t.low; t.names != nil && i >= 0 && i < len(t.names) {
		return t.names[i]
	}
	return strconv.Itoa(v)
}

func (t *typ) String() string {
	if t.name != "" {
		return t.name
	}
	switch t.kind {
	case rangeKind:
		if t.low <= -largest {
			return "integer"
		}
		return fmt.Sprintf("%d..%d", t.low, t.high)
	case arrayKind:
		return fmt.Sprintf("array [%v] of %v", t.index, t.elem)
	case multisetKind:
		return fmt.Sprintf("multiset [%d] of %v", t.size.high, t.elem)
	}
	return map[kind]string{enumKind: "an enumeration", scalarsetKind: "a scalarset", unionKind: "a union",
		recordKind: "a record"}[t.kind]
}

// startIn returns where the values of t begin among those of u, if they are: u is t, or a union that contains it.
func (t *typ) startIn(u *typ) (first int, ok bool) {
	if t == u {
		return t.low, true
	}
	if u.kind == unionKind {
		for _, m := range u.members {
			if m == t {
				return first, true
			}
			first += m.values()
		}
	}
	return 0, false
}

// fits reports whether a value of type u can be compared with or assigned to one of type t.
func (t *typ) fits(u *typ) bool {
	switch {
	case t == u, t.kind == rangeKind && u.kind == rangeKind:
		return true
	case t.kind == unionKind && u.kind == unionKind:
		for _, m := range u.members {
			if _, in := m.startIn(t); in {
				return true
			}
		}
		return false
	case t.kind == unionKind:
		_, in := u.startIn(t)
		return in
	case u.kind == unionKind:
		_, in := t.startIn(u)
		return in
	case t.kind == multisetKind && u.kind == multisetKind:
		return t.size.high == u.size.high && t.elem.storedAlike(u.elem)
	case t.kind == arrayKind && u.kind == arrayKind:
		return t.index.storedAlike(u.index) && t.elem.storedAlike(u.elem)
	case t.kind == recordKind && u.kind == recordKind && len(t.fields) == len(u.fields):
		for i, f := range t.fields {
			if f.name != u.fields[i].name || !f.t.storedAlike(u.fields[i].t) {
				return false
			}
		}
		return true
	}
	return false
}

// storedAlike reports whether values of both types are stored alike.
func (t *typ) storedAlike(u *typ) bool {
	if t.kind == rangeKind && u.kind == rangeKind {
		return t.low == u.low && t.high == u.high
	}
	if t.kind == unionKind || u.kind == unionKind {
		return t == u
	}
	return t.fits(u)
}

// each calls what with every leaf of a type: its number, its simple type and its name below that of the variable.
func (t *typ) each(base int, name string, what func(leaf int, t *typ, name string)) {
	switch t.kind {
	case recordKind:
		for _, f := range t.fields {
			f.t.each(base+f.offset, name+"."+f.name, what)
		}
	case arrayKind:
		for i := range t.index.values() {
			t.elem.each(base+i*t.elem.leaves, name+"["+t.index.of(t.index.low+i)+"]", what)
		}
	case multisetKind:
		what(base, t.size, name+".size")
		for i := range t.index.values() {
			t.elem.each(base+1+i*t.elem.leaves, name+"["+t.index.of(i)+"]", what)
		}
	default:
		what(base, t, name)
	}
}

// blank calls what with every leaf of a type and what it holds while nothing is assigned: of a multiset, that it is empty.
func (t *typ) blank(what func(leaf int, v val)) {
	sizes := map[int]bool{}
	t.eachMultiset(0, func(first, _ int) { sizes[first] = true })
	t.each(0, "", func(leaf int, y *typ, _ string) {
		if sizes[leaf] {
			what(leaf, constantOf(y, 0))
			return
		}
		what(leaf, undefined(y))
	})
}

// eachMultiset calls f with the first leaf and the number of leaves of each multiset in a value that begins at a leaf.
func (t *typ) eachMultiset(base int, f func(first, leaves int)) {
	switch t.kind {
	case recordKind:
		for _, x := range t.fields {
			x.t.eachMultiset(base+x.offset, f)
		}
	case arrayKind:
		if t.elem.multisets() {
			for i := range t.index.values() {
				t.elem.eachMultiset(base+i*t.elem.leaves, f)
			}
		}
	case multisetKind:
		f(base, t.leaves)
	}
}

// cleared is blank after clear: all but multisets hold their first values.
func (t *typ) cleared(what func(leaf int, v val)) {
	within := map[int]bool{}
	t.eachMultiset(0, func(first, leaves int) {
		for i := range leaves {
			within[first+i] = true
		}
	})
	t.blank(func(leaf int, v val) {
		if !within[leaf] {
			v = constantOf(v.t, v.t.low)
		}
		what(leaf, v)
	})
}
