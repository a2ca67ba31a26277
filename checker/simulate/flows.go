package simulate

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// flows are who may send to whom, by source: what node v sends is in
// first[v]..first[v+1], ascending by target.
type flows struct {
	first []int32
	table []int32
	row   []spec.RowID // of the injection channel
}

// flowsOf lists the flows of a network. Those of the class of replies are left out if there
// is another class: requests generate them.
func flowsOf(n *spec.Network, o *Options) *flows {
	f := &flows{first: make([]int32, n.Topology().Nodes()+1)}
	each := func(visit func(i int, s spec.Source)) {
		for i := range n.Tables() {
			t := n.Table(i)
			if o.Window > 0 && len(n.Classes()) > 1 && t.Class == o.Replies {
				continue
			}
			for _, s := range t.Sources {
				visit(i, s)
			}
		}
	}
	each(func(_ int, s spec.Source) { f.first[s.Node+1]++ })
	for v := range f.first[1:] {
		f.first[v+1] += f.first[v]
	}
	at := slices.Clone(f.first)
	f.table, f.row = make([]int32, f.first[len(f.first)-1]), make([]spec.RowID, f.first[len(f.first)-1])
	each(func(i int, s spec.Source) {
		f.table[at[s.Node]], f.row[at[s.Node]] = int32(i), s.Row
		at[s.Node]++
	})
	return f
}

// to returns the flows from a source to a destination, one for each class that has one.
func (f *flows) to(n *spec.Network, source, dest spec.NodeID) span {
	of := f.table[f.first[source]:f.first[source+1]]
	compare := func(i int32, d spec.NodeID) int { return int(n.Stored(int(i)).Dest) - int(d) }
	from, _ := slices.BinarySearchFunc(of, dest, compare)
	end, _ := slices.BinarySearchFunc(of, dest+1, compare)
	return span{f.first[source] + int32(from), f.first[source] + int32(end)}
}

// span is a range of flows.
type span struct{ from, end int32 }

// terminals lists the nodes that send or receive, ascending: patterns use these numbers.
func terminals(n *spec.Network) []spec.NodeID {
	is := make([]bool, n.Topology().Nodes())
	for i := range n.Tables() {
		t := n.Table(i)
		is[t.Dest] = true
		for _, s := range t.Sources {
			is[s.Node] = true
		}
	}
	var list []spec.NodeID
	for v, terminal := range is {
		if terminal {
			list = append(list, spec.NodeID(v))
		}
	}
	return list
}
