package combining

import (
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Symmetries of the machines: those of the tree that take homes to homes and
// clusters to clusters that do the same. They are only named here; who explores
// modulo symmetries verifies them.

// mostSymmetries bounds the renamings that a machine names: where its rules do
// not show them, each costs time in every state. A machine with more names none.
const mostSymmetries = 256

// renamings collects the renamings that of makes of the symmetries of the tree,
// the identity left out. If there are too many of either it returns none.
func (t Tree) renamings(of func(nodes []int) []program.Renaming) []program.Renaming {
	const most = 1 << 16
	var all []program.Renaming
	tried := 0
	t.automorphisms(func(nodes []int) bool {
		tried++
		for _, r := range of(nodes) {
			if !changesNothing(r) {
				all = append(all, r)
			}
		}
		return tried < most && len(all) <= mostSymmetries
	})
	if tried == most || len(all) > mostSymmetries {
		return nil
	}
	return all
}

func changesNothing(r program.Renaming) bool {
	for x, y := range r.Vars {
		if program.Var(x) != y {
			return false
		}
		for i, v := range r.Values[y] {
			if i != v {
				return false
			}
		}
	}
	return true
}

// relabelling is a renaming in the making.
type relabelling struct{ program.Renaming }

// move says that variable x goes to y. values are what its values become; nil is
// what they are.
func (r relabelling) move(x, y program.Var, values []int) {
	r.Vars[x] = y
	if values != nil {
		r.Values[x] = values
	}
}

// moveAll moves a list of variables to another.
func (r relabelling) moveAll(from, to []program.Var, values []int) {
	for i := range from {
		r.move(from[i], to[i], values)
	}
}

// moveLane moves the messages of a FIFO to another; values are by number of the
// message, and may be nil.
func (r relabelling) moveLane(from, to parts.FIFO, values ...[]int) {
	for place := range from {
		for i, x := range from[place] {
			r.move(x, to[place][i], values[i])
		}
	}
}

// moveBuffer moves the entries of a wait buffer to another; keys says which key
// becomes which, and values are by variable of an entry.
func (r relabelling) moveBuffer(from, to *waitBuffer, keys []int, values ...[]int) {
	for key, image := range keys {
		for i, x := range from.own[key] {
			r.move(x, to.own[image][i], values[i])
			if from.taken != nil {
				r.move(from.taken[key][i], to.taken[image][i], values[i])
			}
		}
	}
}

// orNone shifts a permutation by one, so that 0 stays what stands for none.
func orNone(image []int) []int {
	values := []int{0}
	for _, x := range image {
		values = append(values, x+1)
	}
	return values
}

// permutations lists those of 0..n-1, the identity first; n is small.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := n - 1; at >= 0; at-- {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}

// mapped returns what becomes of each of the values 0..values-1 of which every
// digit, in a base, goes to another place; digits beyond those stay.
func mapped(values, base int, places []int) []int {
	powers := []int{1}
	for range places {
		powers = append(powers, powers[len(powers)-1]*base)
	}
	image := make([]int, values)
	for v := range image {
		image[v] = v - v%powers[len(places)]
		for i, to := range places {
			image[v] += v / powers[i] % base * powers[to]
		}
	}
	return image
}
