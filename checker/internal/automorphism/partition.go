package automorphism

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// partition is an ordered partition of the vertices of a structure into cells,
// with colour refinement (Weisfeiler and Leman, 1968; cells and worklist after
// Hopcroft, 1971, and McKay, 1981). A cell is named by the position of its first
// vertex. Refinement depends on the structure and the cells, not on vertex
// numbers, so two partitions that an automorphism maps to each other are refined
// alike, cell by cell, with one trace.
//
// Splits are logged and can be undone: the order within a cell means nothing, so
// only its bounds have to be restored.
type partition struct {
	g     *structure
	elems []int32 // vertices, cell by cell
	pos   []int32 // by vertex: its place in elems
	cell  []int32 // by vertex: its cell
	size  []int32 // by cell
	cells int
	log   []split
	work  int // edges followed so far

	queue   []int32 // cells to refine by
	queued  []bool  // by cell
	members []int32 // the cell refined by
	count   []int32 // by vertex: edges to or from members
	hits    []int32 // by cell: vertices with such an edge
	hit     []int32 // cells with hits
}

type split struct{ cell, parent int32 }

// newPartition returns the partition by colour, not yet refined.
func newPartition(g *structure) *partition {
	n := len(g.colours)
	p := &partition{
		g: g, elems: graph.Identity[int32](n), pos: make([]int32, n), cell: make([]int32, n), size: make([]int32, n),
		queued: make([]bool, n), count: make([]int32, n), hits: make([]int32, n),
	}
	slices.SortStableFunc(p.elems, func(v, w int32) int { return compareColours(g.colours[v], g.colours[w]) })
	start := int32(0)
	for i, v := range p.elems {
		if i == 0 || g.colours[v] != g.colours[p.elems[i-1]] {
			start = int32(i)
			p.cells++
			p.push(start)
		}
		p.pos[v], p.cell[v] = int32(i), start
		p.size[start]++
	}
	return p
}

func (p *partition) push(cell int32) {
	if !p.queued[cell] {
		p.queued[cell] = true
		p.queue = append(p.queue, cell)
	}
}

// vertices returns the members of a cell, in no meaningful order.
func (p *partition) vertices(cell int32) []int32 { return p.elems[cell : cell+p.size[cell]] }

// divide makes a cell of the vertices of a cell from position at on.
func (p *partition) divide(parent, at int32) {
	size := parent + p.size[parent] - at
	p.size[parent] -= size
	p.size[at] = size
	for _, v := range p.vertices(at) {
		p.cell[v] = at
	}
	p.cells++
	p.log = append(p.log, split{at, parent})
}

// undo takes back all splits after the first mark.
func (p *partition) undo(mark int) {
	for len(p.log) > mark {
		s := p.log[len(p.log)-1]
		p.log = p.log[:len(p.log)-1]
		for _, v := range p.vertices(s.cell) {
			p.cell[v] = s.parent
		}
		p.size[s.parent] += p.size[s.cell]
		p.size[s.cell] = 0
		p.cells--
	}
}

func (p *partition) swap(v int32, to int32) {
	w, from := p.elems[to], p.pos[v]
	p.elems[from], p.elems[to] = w, v
	p.pos[w], p.pos[v] = from, to
}

// individualise splits v off a cell of at least two vertices, in front
// of the others.
func (p *partition) individualise(v int32) {
	c := p.cell[v]
	p.swap(v, c)
	p.divide(c, c+1)
	p.push(c)
}

// refine splits cells until all vertices of a cell have, for each cell, equally many
// edges to it and equally many from it, or until all cells are single vertices. It
// appends what it does to trace. If like is given and the trace differs, it stops at
// the first difference and returns false; the partition is then valid, but not
// refined.
func (p *partition) refine(trace []uint64, like []uint64) ([]uint64, bool) {
	same := true
	for i := 0; i < len(p.queue) && same && p.cells < len(p.elems); i++ {
		c := p.queue[i]
		p.queued[c] = false
		p.members = append(p.members[:0], p.vertices(c)...)
		for _, first := range [...]func(int32) []int32{p.g.out.Successors, p.g.in.Successors} {
			mark := p.splitBy(first)
			if like == nil {
				trace = append(trace, mark)
			} else if same = len(like) > 0 && like[0] == mark; !same {
				break
			} else {
				like = like[1:]
			}
		}
	}
	for _, c := range p.queue {
		p.queued[c] = false
	}
	p.queue = p.queue[:0]
	return trace, same && len(like) == 0
}

// splitBy splits every cell by the number of edges that its vertices have with
// members, and returns a digest of what it saw.
func (p *partition) splitBy(next func(int32) []int32) uint64 {
	for _, v := range p.members {
		ws := next(v)
		p.work += 1 + len(ws)
		for _, w := range ws {
			if p.count[w]++; p.count[w] > 1 {
				continue
			}
			c := p.cell[w]
			if p.hits[c]++; p.hits[c] == 1 {
				p.hit = append(p.hit, c)
			}
			p.swap(w, c+p.size[c]-p.hits[c])
		}
	}
	slices.Sort(p.hit)
	digest := uint64(len(p.hit))
	for _, c := range p.hit {
		digest = hash.Digest(hash.Digest(digest, uint64(c)), uint64(p.hits[c]))
		digest = p.splitCell(c, digest)
		p.hits[c] = 0
	}
	p.hit = p.hit[:0]
	return digest
}

// splitCell splits a cell whose last hits[c] vertices are those with an edge,
// by ascending number of edges, and resets their counts.
func (p *partition) splitCell(c int32, digest uint64) uint64 {
	end := c + p.size[c]
	from := end - p.hits[c]
	hit := p.elems[from:end]
	uniform := true
	for _, v := range hit {
		uniform = uniform && p.count[v] == p.count[hit[0]]
	}
	if !uniform {
		slices.SortFunc(hit, func(v, w int32) int { return int(p.count[v] - p.count[w]) })
		for i, v := range hit {
			p.pos[v] = from + int32(i)
		}
		p.work += len(hit)
	}
	// Cut from the end: the front stays the parent.
	pieces := len(p.log)
	for i := end; i > from; i-- {
		v := p.elems[i-1]
		if i == from+1 || p.count[p.elems[i-2]] != p.count[v] {
			digest = hash.Digest(hash.Digest(digest, uint64(i)), uint64(p.count[v]))
			if i-1 > c {
				p.divide(c, i-1)
			}
		}
	}
	for _, v := range hit {
		p.count[v] = 0
	}
	p.pushPieces(c, p.log[pieces:])
	return digest
}

// pushPieces queues the pieces of a split cell: all but one of the largest, since the
// edges of the last piece follow from those of the whole and the others; all of them,
// if the whole was still queued.
func (p *partition) pushPieces(c int32, pieces []split) {
	if len(pieces) == 0 {
		return
	}
	largest := c
	for _, s := range pieces {
		if p.size[s.cell] > p.size[largest] {
			largest = s.cell
		}
	}
	if p.queued[c] {
		largest = -1
	}
	if largest != c {
		p.push(c)
	}
	for _, s := range pieces {
		if s.cell != largest {
			p.push(s.cell)
		}
	}
}
