package spec

import (
	"slices"
)

// TablesRight returns, by table of p, whether the fast check and the plain one accept it. Rows must be right.
func TablesRight(p Parts) (fast, plain []bool) {
	n := &Network{parts: p, hops: slices.Concat(p.Rows...), rowAt: []int32{0}}
	for r, row := range p.Rows {
		n.rowAt = append(n.rowAt, n.rowAt[r]+int32(len(row)))
	}
	checks := [2]tableCheck{}
	for i := range checks {
		checks[i] = tableCheck{
			sites: make([]int32, p.Topology.Channels()*p.Tags), leads: make([]int32, len(p.Rows)),
		}
	}
	lists := n.checkLists()
	for f := range n.Fragments() {
		t := n.Fragment(int32(f))
		lists.right[f] = n.rightLists(&t, lists.leaves)
	}
	for i := range p.Tables {
		fast = append(fast, checks[0].sound(n, i, &lists))
		plain = append(plain, n.checkTable(i, &checks[1]) == nil)
	}
	return fast, plain
}
