package murphi

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

const (
	mostRenamings = 720
	mostListed    = 6  // values of a scalarset
	mostExchanged = 16 // the same, if its permutations are not listed
)

// renamings states the symmetries of the program: its scalarsets, each permuted, as long as they are not too many; if
// they are, also exchanges that generate all of them. They are hints: a search verifies those that it uses.
func (t *translator) renamings() {
	all, generators, whole := []map[*typ][]int{{}}, []program.Renaming(nil), true
	for _, set := range t.c.sets {
		if set.values() > mostExchanged || t.c.kept[set] {
			continue
		}
		for k := range set.values() - 1 {
			generators = append(generators, t.renaming(map[*typ][]int{set: exchanged(set.values(), k)}))
		}
		if set.values() > mostListed {
			whole = false
			continue
		}
		permutations := permuted(set.values())
		if len(all)*len(permutations) > mostRenamings {
			whole = false
			continue
		}
		var next []map[*typ][]int
		for _, others := range all {
			for _, p := range permutations {
				one := map[*typ][]int{set: p}
				for s, q := range others {
					one[s] = q
				}
				next = append(next, one)
			}
		}
		all = next
	}
	for _, images := range all[1:] { // the first is the identity
		t.p.Renamings = append(t.p.Renamings, t.renaming(images))
	}
	if !whole {
		t.p.Generators = generators
	}
}

// renaming is what permutations of scalarsets do.
func (t *translator) renaming(images map[*typ][]int) program.Renaming {
	r := program.Renaming{Vars: make([]program.Var, len(t.p.Variables)), Values: map[program.Var][]int{}}
	for x := range r.Vars {
		r.Vars[x] = program.Var(x)
	}
	for _, g := range t.c.globals {
		t.rename(&r, images, g.t, g.base, g.base)
	}
	for x, y := range t.temporaryType {
		if values, moves := imageOf(images, y, 1); moves {
			r.Values[x] = values
		}
	}
	return r
}

// exchanged is the permutation of 0..n-1 that exchanges k and k+1.
func exchanged(n, k int) (p []int) {
	for i := range n {
		p = append(p, i)
	}
	p[k], p[k+1] = k+1, k
	return p
}

// rename says where the leaves of a variable go.
func (t *translator) rename(r *program.Renaming, images map[*typ][]int, y *typ, from, to int) {
	switch y.kind {
	case recordKind:
		for _, f := range y.fields {
			t.rename(r, images, f.t, from+f.offset, to+f.offset)
		}
	case arrayKind:
		at, _ := imageOf(images, y.index, 0)
		for i, k := range at {
			t.rename(r, images, y.elem, from+i*y.elem.leaves, to+k*y.elem.leaves)
		}
	case multisetKind: // the values within are not renamed, see checker.kept
		for i := range y.leaves {
			r.Vars[from+i] = program.Var(to + i)
		}
	default:
		r.Vars[from] = program.Var(to)
		first := 0
		if t.optional[from] {
			first = 1
		}
		if values, moves := imageOf(images, y, first); moves {
			r.Values[program.Var(from)] = values
		}
	}
}

// imageOf returns the images of the values of a simple type, the first of which are not renamed.
func imageOf(images map[*typ][]int, y *typ, first int) (out []int, moves bool) {
	for v := range y.values() + first {
		out = append(out, v)
	}
	members := []*typ{y}
	if y.kind == unionKind {
		members = y.members
	}
	at := first
	for _, m := range members {
		if p := images[m]; p != nil {
			for v, k := range p {
				out[at+v] = at + k
			}
		}
		at += m.values()
	}
	return out, !slices.IsSorted(out)
}

// permuted lists the permutations of 0..n-1, in lexicographic order.
func permuted(n int) (all [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for first := range n {
		for _, rest := range permuted(n - 1) {
			p := []int{first}
			for _, v := range rest {
				if v >= first {
					v++
				}
				p = append(p, v)
			}
			all = append(all, p)
		}
	}
	return all
}
