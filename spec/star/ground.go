package star

import (
	"encoding/binary"
	"slices"
	"sync"

	"go.starlark.net/starlark"
)

// meaning says what the number of a term means.
type meaning int

const (
	meaningNone meaning = iota
	meaningInt
	meaningNode
	meaningLink
)

// facts holds what terms read of the nodes, the links and the file's lists.
type facts struct {
	nodes       []*node
	global      map[starlark.Value]bool // the file's own lists and dicts
	coordinates []*column               // by dimension, then by node; nil if nodes differ in the number of coordinates
	exits       *column                 // by node: how many links leave it
	links       [][]arc                 // by node: the links that leave it
	ofLinks     [6]*column              // by link: src, dst, vcs, dim, and the numbers of out and into in portNames
	portNames   []string

	mu    sync.Mutex
	ports map[string]*column
	lists map[starlark.Value]listed
	terms terms
	same  map[string]*answer
}

func newFacts(nodes []*node, links []*link, global map[starlark.Value]bool) *facts {
	g := &facts{nodes: nodes, global: global, ports: map[string]*column{}, lists: map[starlark.Value]listed{}, terms: terms{}, same: map[string]*answer{}}
	dims := len(nodes[0].at)
	if !slices.ContainsFunc(nodes, func(n *node) bool { return len(n.at) != dims }) {
		g.coordinates = make([]*column, dims)
		for d := range g.coordinates {
			of := make([]int64, len(nodes))
			for v, n := range nodes {
				of[v] = int64(n.coordinates()[d])
			}
			g.coordinates[d] = columnOf(of)
		}
	}
	var exits []int64
	for _, n := range nodes {
		arcs := make([]arc, len(n.links))
		for i, l := range n.links {
			arcs[i] = arc{int64(l.(*link).dst.id), int64(l.(*link).id)}
		}
		exits, g.links = append(exits, int64(len(arcs))), append(g.links, arcs)
	}
	g.exits = columnOf(exits)
	numbers := map[string]int64{}
	text := func(s string) int64 {
		i, met := numbers[s]
		if !met {
			i = int64(len(g.portNames))
			numbers[s] = i
			g.portNames = append(g.portNames, s)
		}
		return i
	}
	var ofLinks [6][]int64
	for _, l := range links {
		for i, v := range []int64{int64(l.src.id), int64(l.dst.id), int64(l.vcs), int64(l.dim), text(l.out), text(l.into)} {
			ofLinks[i] = append(ofLinks[i], v)
		}
	}
	for i := range ofLinks {
		g.ofLinks[i] = columnOf(ofLinks[i])
	}
	return g
}

// port returns, by node, the link with a name, or -1; nil if there are too many names.
func (g *facts) port(name string) *column {
	const most = 1 << 24 // numbers in all tables
	g.mu.Lock()
	defer g.mu.Unlock()
	table := g.ports[name]
	if table != nil || len(g.ports)*len(g.nodes) > most {
		return table
	}
	of := make([]int64, len(g.nodes))
	for v, n := range g.nodes {
		of[v] = -1
		if i := slices.IndexFunc(n.links, func(l starlark.Value) bool { return l.(*link).out == name }); i >= 0 {
			of[v] = g.links[v][i].link
		}
	}
	table = columnOf(of)
	g.ports[name] = table
	return table
}

func (g *facts) term(t *term) *term {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.terms.intern(t)
}

// hop returns hop i: first come those returned, then those made but not returned.
func (a *answer) hop(i int) *hopTerms {
	if i < len(a.hops) {
		return &a.hops[i]
	}
	return &a.made[i-len(a.hops)]
}

// answer returns the one copy of an answer that is kept.
func (g *facts) answer(a answer) *answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	var key []byte
	key = binary.AppendUvarint(key, uint64(len(a.hops)))
	for i := range len(a.hops) + len(a.made) {
		h := a.hop(i)
		h.link, h.vc, h.tag = g.terms.intern(h.link), g.terms.intern(h.vc), g.terms.intern(h.tag)
		for _, n := range []int{h.link.number, h.vc.number, h.tag.number, int(h.at.line), int(h.at.col), len(h.at.file), len(h.at.callers)} {
			key = binary.AppendUvarint(key, uint64(n))
		}
		key = append(append(key, h.at.file...), h.at.callers...)
	}
	key = append(key, byte(bit(a.concrete)), byte(bit(a.sends)))
	kept := g.same[string(key)]
	if kept == nil {
		for i := range a.hops {
			a.hops[i].reason = a.hops[i].at.String()
		}
		kept = &a
		g.same[string(key)] = kept
	}
	return kept
}

// listed is the content of a list or a dict.
type listed struct {
	table *column // row by row
	is    meaning // nothing: other things
	width int     // of rows; 0: there are none
}

func (e *listed) rows() int { return len(e.table.of) / max(1, e.width) }
