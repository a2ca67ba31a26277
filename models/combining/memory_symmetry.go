package combining

import (
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/renaming"
)

// symmetries names the symmetries of the tree that take the homes of cells to
// homes of cells and each cluster to one with the same levels and requests. With
// Fetch&Add the numbers that clusters add are renamed, too: all sums are sets of
// requests. A switch that adds a number twice ([ByKey] does) makes something else
// of them, so none are named for it.
func (m *Memory) symmetries() {
	if m.cell.sets && m.Splitting == ByKey {
		return
	}
	cells := permutations(len(m.homes))
	m.Renamings = m.tree.renamings(func(nodes []int) []program.Renaming {
		var all []program.Renaming
		for _, to := range cells {
			if bits, ok := m.keeps(nodes, to); ok {
				all = append(all, m.renaming(nodes, to, bits))
			}
		}
		return all
	})
}

// keeps reports whether nodes and cells can be renamed like that. bits are the
// requests, by the exponents of their addends, if requests are such.
func (m *Memory) keeps(nodes, cells []int) (bits []int, ok bool) {
	for k, h := range m.homes {
		home := h.home
		if home != BesideRoot {
			home = nodes[home]
		}
		if m.homes[cells[k]].home != home {
			return nil, false
		}
	}
	if m.cell.sets {
		requests := 0
		for 1<<requests < m.cell.mappings {
			requests++
		}
		bits = make([]int, requests)
	}
	for c, script := range m.scripts {
		other := m.scripts[nodes[c]]
		if len(script) != len(other) || m.levelOf(c) != m.levelOf(nodes[c]) {
			return nil, false
		}
		for i, r := range script {
			switch {
			case other[i].cell != cells[r.cell]:
				return nil, false
			case m.cell.sets:
				bits[exponent(r.mapping)] = exponent(other[i].mapping)
			case other[i].mapping != r.mapping:
				return nil, false
			}
		}
	}
	return bits, true
}

// exponent is that of a power of two.
func exponent(power int) int {
	n := 0
	for ; power > 1; power /= 2 {
		n++
	}
	return n
}

// renaming says what becomes of variables and values if nodes, cells and requests
// are renamed.
func (m *Memory) renaming(nodes, cells, bits []int) program.Renaming {
	r := relabelling{renaming.Identity(m.Program)}
	who := orNone(nodes[:m.tree.Clusters()])
	var values, mappings, replies []int
	if m.cell.sets {
		values, mappings, replies = mapped(m.cell.values, 2, bits), mapped(m.cell.mappings, 2, bits), mapped(m.cell.replies, 2, bits)
	}
	for k, to := range cells {
		r.move(m.values[k], m.values[to], values)
	}
	for c := range m.scripts {
		r.move(m.at[c], m.at[nodes[c]], nil)
		r.moveAll(m.results[c], m.results[nodes[c]], replies)
	}
	for at, x := range m.past {
		r.move(x, m.past[[3]int{nodes[at[0]], at[1], nodes[at[2]]}], nil)
	}
	entry := [][]int{nil, who}
	for range m.Joined - 1 {
		entry = append(entry, mappings, who)
	}
	for _, s := range m.tree.switches() {
		r.moveBuffer(m.buffers[s], m.buffers[nodes[s]], cells, entry...)
	}
	image := func(node int) int {
		if node == BesideRoot {
			return node
		}
		return nodes[node]
	}
	for at, q := range m.lanes {
		parts := make([][]int, len(q.FIFO[0]))
		parts[0] = who
		if q.cell > 0 {
			parts[q.cell] = orNone(cells)
		}
		switch {
		case q.kind > 0 && m.cell.sets: // values of both
			parts[q.data] = mapped(max(m.cell.mappings, m.cell.replies), 2, bits)
		case at.replies:
			parts[q.data] = replies
		default:
			parts[q.data] = mappings
		}
		r.moveLane(q.FIFO, m.lanes[road{image(at.from), image(at.to), at.replies}].FIFO, parts...)
	}
	return r.Renaming
}
