package decision

import (
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Tree holds the answers of a function. Equal subtrees are one, and a test whose
// answers are all equal is left out.
type Tree struct {
	b      *builder
	root   nodeID
	Leaves int // runs that it took
}

// Each calls f with what is answered in a state: once, or for each sequence of choices.
func (t *Tree) Each(state []int, f func(Answer)) { t.b.each(t.root, state, f) }

func (b *builder) each(id nodeID, state []int, f func(Answer)) {
	n := &b.nodes[id]
	for n.groups != nil {
		value := 0
		if n.x >= 0 {
			value = state[n.x]
		} else if e := b.tests.condition(n.x); e.Holds(state) {
			value = 1
		}
		i := slices.IndexFunc(n.groups, func(g group) bool { return slices.Contains(g.values, value) })
		n = &b.nodes[n.groups[i].child]
	}
	if n.kids == nil {
		f(n.answer)
	}
	for _, k := range n.kids {
		b.each(k, state, f)
	}
}

type nodeID int32

// anything is a subtree that is never reached.
const anything nodeID = -1

// node is an answer (kids and groups nil), a choice (kids), or a test (groups).
type node struct {
	answer Answer
	x      program.Var
	groups []group // disjoint; together all values that x can have there
	kids   []nodeID
}

type group struct {
	values []int
	child  nodeID
}

func (n *node) isLeaf() bool { return n.groups == nil && n.kids == nil }

// builder keeps equal nodes once.
type builder struct {
	tests *conditions
	nodes []node
	known map[string]nodeID
	key   []byte
}

func newBuilder(tests *conditions) *builder {
	return &builder{tests: tests, known: map[string]nodeID{}}
}

func (b *builder) note(n ...int) {
	for _, x := range n {
		b.key = binary.AppendVarint(b.key, int64(x))
	}
}

// intern returns the node whose content has been noted.
func (b *builder) intern(n node) nodeID {
	id, known := b.known[string(b.key)]
	if !known {
		id = nodeID(len(b.nodes))
		b.nodes = append(b.nodes, n)
		b.known[string(b.key)] = id
	}
	b.key = b.key[:0]
	return id
}

func (b *builder) leaf(a Answer) nodeID {
	b.noteLeaf(a)
	return b.intern(node{answer: Answer{a.Holds, slices.Clone(a.Sets), slices.Clone(a.Also)}, x: None})
}

func (b *builder) noteLeaf(a Answer) {
	b.note(0)
	if a.Holds {
		b.note(1)
	}
	for _, s := range a.Sets {
		of := -1
		if s.Of != nil {
			of = s.Of.number
		}
		b.note(int(s.Var), int(s.From), int(s.Plus), of, s.Add)
	}
	b.note(-1)
	b.note(a.Also...)
}

// Renumber gives variables that are assigned, and commands, new numbers, which differ. A variable
// that is not in vars keeps its own; commands lists all.
func (t *Tree) Renumber(vars map[program.Var]program.Var, commands []int) {
	b := t.b
	for id := range b.nodes {
		if n := &b.nodes[id]; n.isLeaf() {
			b.noteLeaf(n.answer)
			delete(b.known, string(b.key))
			b.key = b.key[:0]
		}
	}
	for id := range b.nodes {
		n := &b.nodes[id]
		if !n.isLeaf() {
			continue
		}
		for i := range n.answer.Sets {
			if x, named := vars[n.answer.Sets[i].Var]; named {
				n.answer.Sets[i].Var = x
			}
		}
		for i, k := range n.answer.Also {
			n.answer.Also[i] = commands[k]
		}
		slices.Sort(n.answer.Also)
		b.noteLeaf(n.answer)
		b.known[string(b.key)] = nodeID(id)
		b.key = b.key[:0]
	}
}

func (b *builder) choice(kids []nodeID) nodeID {
	b.note(1)
	for _, k := range kids {
		b.note(int(k))
	}
	return b.intern(node{x: None, kids: kids})
}

// test returns the node that tests x, with tests of x right below it merged into it.
func (b *builder) test(x program.Var, groups []group) nodeID {
	var flat []group
	for _, g := range groups {
		if g.child != anything && b.nodes[g.child].groups != nil && b.nodes[g.child].x == x {
			flat = append(flat, b.nodes[g.child].groups...)
		} else {
			flat = append(flat, g)
		}
	}
	groups = flat
	if groups = b.merged(groups); x >= 0 {
		groups = b.merged(b.generalised(x, groups))
	}
	switch len(groups) {
	case 0:
		return anything
	case 1:
		return groups[0].child
	}
	slices.SortFunc(groups, func(g, h group) int { return g.values[0] - h.values[0] })
	b.note(2, int(x))
	for _, g := range groups {
		b.note(len(g.values), int(g.child))
		b.note(g.values...)
	}
	return b.intern(node{x: x, groups: groups})
}

// merged puts values with the same subtree together, and leaves out those that are
// never met.
func (b *builder) merged(groups []group) []group {
	at := map[nodeID]int{}
	var out []group
	for _, g := range groups {
		if g.child == anything {
			continue
		}
		i, known := at[g.child]
		if !known {
			i = len(out)
			at[g.child] = i
			out = append(out, group{child: g.child})
		}
		out[i].values = append(out[i].values, g.values...)
	}
	for i := range out {
		slices.Sort(out[i].values)
	}
	return out
}

// generalised rewrites answers that assign the value of x, or a number that differs from it
// by the same everywhere, so that they assign x: counting, for example, is then a single
// answer.
func (b *builder) generalised(x program.Var, groups []group) []group {
	out := slices.Clone(groups)
	comparisons := 1 << 20
	for i := range out {
		g := &out[i]
		if comparisons -= len(out); comparisons < 0 {
			break // a large domain whose values have nothing in common
		}
		if g.child == anything || len(g.values) > 1 || !b.nodes[g.child].isLeaf() {
			continue
		}
		one := b.nodes[g.child].answer
		if !slices.ContainsFunc(one.Sets, Set.constant) {
			continue // nothing is left to follow
		}
		follows := make([]bool, len(one.Sets))
		var alike []int
		for k := i + 1; k < len(out); k++ {
			h := out[k]
			if h.child != anything && len(h.values) == 1 && b.nodes[h.child].isLeaf() &&
				follow(one, b.nodes[h.child].answer, h.values[0]-g.values[0], follows, len(alike) == 0) {
				alike = append(alike, k)
			}
		}
		if !slices.Contains(follows, true) {
			continue
		}
		general := Answer{one.Holds, slices.Clone(one.Sets), one.Also}
		for j, is := range follows {
			if is {
				general.Sets[j].From, general.Sets[j].Add = x, one.Sets[j].Add-g.values[0]
			}
		}
		if _, stuck := inSequence(general.Sets); stuck != None {
			continue
		}
		general.Sets = slices.DeleteFunc(general.Sets, Set.same)
		g.child = b.leaf(general)
		for _, k := range alike {
			out[k].child = g.child
		}
	}
	return out
}

// follow reports whether two answers differ only in numbers that are assigned, and those by d.
// The first comparison says which assignments follow; others must agree.
func follow(a, c Answer, d int, follows []bool, first bool) bool {
	if a.Holds != c.Holds || len(a.Sets) != len(c.Sets) || !slices.Equal(a.Also, c.Also) {
		return false
	}
	is := make([]bool, len(follows))
	for i, s := range a.Sets {
		t := c.Sets[i]
		is[i] = s.Var == t.Var && s.constant() && t.constant() && t.Add-s.Add == d
		if !is[i] && s != t {
			return false
		}
	}
	if first {
		copy(follows, is)
		return true
	}
	return slices.Equal(follows, is)
}

// mapped returns the tree with other answers.
func (b *builder) mapped(id nodeID, memo map[nodeID]nodeID, f func(Answer) nodeID) nodeID {
	if id == anything {
		return id
	}
	if out, known := memo[id]; known {
		return out
	}
	n := b.nodes[id]
	var out nodeID
	if n.isLeaf() {
		out = f(n.answer)
	} else {
		groups := make([]group, len(n.groups))
		for i, g := range n.groups {
			groups[i] = group{g.values, b.mapped(g.child, memo, f)}
		}
		out = b.test(n.x, groups)
	}
	memo[id] = out
	return out
}

// options lists the sequences of choices with which a step can be accepted, in order.
func (b *builder) options(id nodeID, memo map[nodeID][][]int) [][]int {
	if out, known := memo[id]; known {
		return out
	}
	n := b.nodes[id]
	var out [][]int
	switch {
	case n.isLeaf():
		if n.answer.Holds {
			out = [][]int{nil}
		}
	case n.kids != nil:
		for i, k := range n.kids {
			for _, rest := range b.options(k, memo) {
				out = append(out, append([]int{i}, rest...))
			}
		}
	default:
		for _, g := range n.groups {
			out = append(out, b.options(g.child, memo)...)
		}
	}
	slices.SortFunc(out, slices.Compare)
	out = slices.CompactFunc(out, slices.Equal)
	memo[id] = out
	return out
}

// chosen returns the tree without choices: the answers if exactly these options are
// chosen; elsewhere the step is refused.
func (b *builder) chosen(id nodeID, options []int, memo map[[2]int]nodeID) nodeID {
	key := [2]int{int(id), len(options)}
	if out, known := memo[key]; known {
		return out
	}
	n := b.nodes[id]
	out := nodeID(0)
	switch {
	case n.isLeaf():
		if out = id; len(options) > 0 {
			out = b.leaf(Answer{})
		}
	case n.kids != nil:
		if len(options) == 0 || options[0] >= len(n.kids) {
			out = b.leaf(Answer{})
		} else {
			out = b.chosen(n.kids[options[0]], options[1:], memo)
		}
	default:
		groups := make([]group, len(n.groups))
		for i, g := range n.groups {
			groups[i] = group{g.values, b.chosen(g.child, options, memo)}
		}
		out = b.test(n.x, groups)
	}
	memo[key] = out
	return out
}
