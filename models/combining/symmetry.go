package combining

import "github.com/seed-105a2da2/unknot/spec/program"

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
