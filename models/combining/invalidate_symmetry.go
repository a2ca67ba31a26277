package combining

import (
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/renaming"
)

// symmetries names the automorphisms of the tree that take homes to homes and
// writers to writers. Blocks with the same home stay in their order.
func (m *Invalidation) symmetries() {
	if m.Arbiter == RoundRobin || m.travels() { // an order, or a leftmost processor, is none that renaming keeps
		return
	}
	m.p.Renamings = m.tree.renamings(func(nodes []int) []program.Renaming {
		blocks, ok := m.blockImage(nodes)
		if !ok || !onto(m.Writers, nodes) || !onto(m.Readers, nodes) {
			return nil
		}
		return []program.Renaming{m.renaming(nodes, blocks)}
	})
}

// blockImage returns where blocks go when nodes do: the k-th block of a home to
// the k-th of the image of the home.
func (m *Invalidation) blockImage(image []int) ([]int, bool) {
	blocks := make([]int, len(m.Homes))
	taken := make([]bool, len(m.Homes))
	for b, h := range m.Homes {
		to := -1
		for x, other := range m.Homes {
			if other == image[h] && !taken[x] {
				to = x
				break
			}
		}
		if to < 0 {
			return nil, false
		}
		blocks[b], taken[to] = to, true
	}
	return blocks, true
}

// onto reports whether an image takes clusters to clusters among them.
func onto(clusters, image []int) bool {
	for _, c := range clusters {
		if !slices.Contains(clusters, image[c]) {
			return false
		}
	}
	return true
}

// nodes reports whether a variable is about two nodes, or about three.
func (s subject) nodes() (between, among bool) {
	switch s.name {
	case aLink, unitIn, unitOut:
		return true, false
	case "served":
		return false, true
	}
	return false, strings.HasPrefix(s.name, turnAt)
}

// renaming says what becomes of variables and values if nodes and blocks are
// renamed.
func (m *Invalidation) renaming(nodes, blocks []int) program.Renaming {
	at := func(image []int, i int) int {
		if i < 0 {
			return i
		}
		return image[i]
	}
	r := renaming.Identity(m.p)
	for x, s := range m.where {
		if s.name != "home" && s.name != "queue" {
			s.node = at(nodes, s.node)
		}
		between, among := s.nodes()
		if between || among {
			s.to = at(nodes, s.to)
		}
		if among {
			s.via = at(nodes, s.via)
		}
		s.block = at(blocks, s.block)
		y := m.vars[s]
		r.Vars[x] = y
		if m.facts[x] == nil {
			continue
		}
		values := make([]int, len(m.facts[x]))
		for i, f := range m.facts[x] {
			f.block, f.cluster = at(blocks, f.block), at(nodes, f.cluster)
			values[i] = slices.Index(m.facts[y], f)
		}
		r.Values[x] = values
	}
	return r
}
