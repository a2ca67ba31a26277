// Package layers divides paths among layers, none of which has a cycle.
package layers

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// Paths are sets of edges of a graph. No path has a cycle by itself.
type Paths struct {
	Graph *graph.Graph
	Count int
	Edges func(path int, f func(e uint32)) // of a path, each once; every call lists the same
}

// Most is the largest number of layers.
const Most = 64

// Sharing assigns a layer to each path.
type Sharing struct {
	Of    []uint8 // by path
	Count int     // of layers
}

// Online puts each path in turn on the first layer where it closes no cycle (LASH:
// Skeie, Lysne and Theiss 2002). It returns nil if that takes more than most layers.
func Online(ctx context.Context, p Paths, most int) *Sharing {
	s := &Sharing{Of: make([]uint8, p.Count), Count: 1}
	ls := stack{paths: p}
	for path := range p.Count {
		layer := ls.fit(path, most)
		if layer >= most || ctx.Err() != nil {
			return nil
		}
		s.Of[path], s.Count = uint8(layer), max(s.Count, layer+1)
	}
	return s
}

// Lower moves paths to the first layer where they close no cycle, starting with the
// last layers, until the context ends.
func (s *Sharing) Lower(ctx context.Context, p Paths) {
	ls := stack{paths: p}
	by := make([][]int32, s.Count)
	for path, layer := range s.Of {
		if ctx.Err() != nil {
			break
		}
		ls.upTo(int(layer))
		ls.layers[layer].put(ls.edgesOf(path))
		by[layer] = append(by[layer], int32(path))
	}
	for layer := s.Count - 1; layer > 0; layer-- {
		for _, path := range by[layer] {
			if ctx.Err() != nil {
				break
			}
			if low := ls.fit(int(path), layer); low < layer {
				ls.layers[layer].take(ls.edgesOf(int(path)))
				s.Of[path] = uint8(low)
			}
		}
	}
	var now [Most]uint8 // 1 if it has paths; then its number among those
	for _, layer := range s.Of {
		now[layer] = 1
	}
	s.Count = 0
	for layer, used := range now {
		now[layer] = uint8(s.Count)
		s.Count += int(used)
	}
	for path, layer := range s.Of {
		s.Of[path] = now[layer]
	}
	s.Count = max(1, s.Count)
}

// stack holds the layers made so far.
type stack struct {
	paths  Paths
	layers []*layer
	none   *graph.Acyclic
	edges  []uint32 // scratch
}

// edgesOf lists the edges of a path, until the next call.
func (ls *stack) edgesOf(path int) []uint32 {
	ls.edges = ls.edges[:0]
	ls.paths.Edges(path, func(e uint32) { ls.edges = append(ls.edges, e) })
	return ls.edges
}

func (ls *stack) upTo(last int) {
	for len(ls.layers) <= last {
		if ls.none == nil {
			ls.none = graph.NewAcyclic(ls.paths.Graph, graph.Effort)
		}
		edges := len(ls.paths.Graph.To)
		ls.layers = append(ls.layers, &layer{ls.none.None(), make([]int32, edges), make([]int32, edges), 1, nil})
	}
}

// fit puts a path on the first layer below most where it closes no cycle.
func (ls *stack) fit(path, most int) int {
	edges := ls.edgesOf(path)
	for i := range most {
		if ls.upTo(i); ls.layers[i].put(edges) {
			return i
		}
	}
	return most
}

// layer is the graph of the edges of its paths.
type layer struct {
	*graph.Acyclic
	paths []int32 // by edge
	never []int32 // by edge: the age at which it was found to close a cycle
	age   int32   // grows when edges are removed
	added []uint32
}

// put adds a path, unless it closes a cycle.
func (l *layer) put(path []uint32) bool {
	for _, e := range path {
		if l.never[e] == l.age {
			return false
		}
	}
	l.added = l.added[:0]
	for _, e := range path {
		switch {
		case l.Has(e):
		case l.Add(e):
			l.added = append(l.added, e)
		default:
			for _, e := range l.added {
				l.Remove(e)
			}
			if l.Add(e) { // the path's own edges led back
				l.Remove(e)
			} else {
				l.never[e] = l.age
			}
			return false
		}
	}
	for _, e := range path {
		l.paths[e]++
	}
	return true
}

// take removes a path.
func (l *layer) take(path []uint32) {
	for _, e := range path {
		if l.paths[e]--; l.paths[e] == 0 {
			l.Remove(e)
			l.age++
		}
	}
}
