package ltl

import (
	"fmt"
	"math/bits"
	"slices"
)

// Automaton is a generalised Büchi automaton that accepts the sequences that satisfy a formula. It reads the
// letter of each state as it leaves it. Its states are sets of obligations: what the rest of the sequence still has
// to satisfy. A run is accepted if each until is, again and again, not among the obligations. States and
// moves are made as they are asked for (Gerth, Peled, Vardi and Wolper 1995; Couvreur 1999).
//
// Soundness: an obligation that is in a set is satisfied now, by the letter, or is in the next set; an until that
// is missing from some later set was satisfied before that. So what an accepting run reads satisfies the obligations
// that it began with.
//
// Completeness: let a sequence satisfy the obligations. The *truthful* move takes, of each or, a part that is true; of
// each until, the second part if that is true now; and of each release, its first part if that is true. The rest of
// the sequence satisfies the next set, and an until is in that only if its second part is not true now. If an until were
// in all later sets, its second part would never be true, but it is satisfied. So the run of truthful moves is accepted.
// [Automaton.Moves] leaves out a move to a set that contains another one: if that move is truthful, so is the move to
// the smaller set.
type Automaton struct {
	root  *node
	nodes []*node // by obligation
}

// Obligations is a set of obligations: bit i is formula i of the automaton.
type Obligations uint64

// MostObligations bounds the untils and releases of a formula.
const MostObligations = 16

// node is a formula with the bits of its parts.
type node struct {
	*Formula
	bit  Obligations // of an until or a release, and of the whole formula
	args []*node
}

// New returns the automaton of a formula. The error is that it has too many untils and releases.
func New(f *Formula) (*Automaton, error) {
	a, known := &Automaton{}, map[string]*node{}
	a.root = a.node(f, known)
	if len(a.nodes) > MostObligations {
		return nil, fmt.Errorf("the formula has %d temporal operators that differ: want at most %d",
			len(a.nodes), MostObligations)
	}
	if a.root.bit == 0 {
		a.number(a.root)
	}
	return a, nil
}

// node makes the nodes of a formula; equal formulas have one.
func (a *Automaton) node(f *Formula, known map[string]*node) *node {
	text := f.String()
	if n := known[text]; n != nil {
		return n
	}
	n := &node{Formula: f}
	for _, part := range f.Args {
		n.args = append(n.args, a.node(part, known))
	}
	if f.Op == Until || f.Op == Release {
		a.number(n)
	}
	known[text] = n
	return n
}

func (a *Automaton) number(n *node) {
	n.bit = 1 << len(a.nodes)
	a.nodes = append(a.nodes, n)
}

// Start returns the set at the beginning: the formula.
func (a *Automaton) Start() Obligations { return a.root.bit }

// Untils returns the obligations that must not stay forever.
func (a *Automaton) Untils() []int {
	var all []int
	for i, n := range a.nodes {
		if n.Op == Until {
			all = append(all, i)
		}
	}
	return all
}

// Has reports whether obligation i is in the set.
func (o Obligations) Has(i int) bool { return o>>i&1 == 1 }

// Moves returns the sets after a letter, in ascending order; none if the letter contradicts an obligation, or if the set
// has one that the automaton does not.
func (a *Automaton) Moves(from Obligations, letter Letter) []Obligations {
	if from>>len(a.nodes) != 0 {
		return nil
	}
	sets := []Obligations{0}
	for ; from != 0; from &= from - 1 {
		sets = both(sets, a.nodes[bits.TrailingZeros64(uint64(from))].derive(letter))
	}
	return sets
}

// derive returns which sets may remain of a formula after a letter.
func (n *node) derive(letter Letter) []Obligations {
	switch n.Op {
	case Atom, NotAtom:
		if letter>>n.Number&1 == 1 == (n.Op == Atom) {
			return []Obligations{0}
		}
		return nil
	case And:
		sets := []Obligations{0}
		for _, part := range n.args {
			sets = both(sets, part.derive(letter))
		}
		return sets
	case Or:
		var sets []Obligations
		for _, part := range n.args {
			sets = append(sets, part.derive(letter)...)
		}
		return smallest(sets)
	case Until:
		later := both(n.args[0].derive(letter), []Obligations{n.bit})
		return smallest(append(later, n.args[1].derive(letter)...))
	}
	later := append([]Obligations{n.bit}, n.args[0].derive(letter)...) // release
	return both(n.args[1].derive(letter), smallest(later))
}

// both returns the sets of which each has one of a and one of b.
func both(a, b []Obligations) []Obligations {
	var sets []Obligations
	for _, x := range a {
		for _, y := range b {
			sets = append(sets, x|y)
		}
	}
	return smallest(sets)
}

// smallest leaves out sets that contain another one, and sorts the rest.
func smallest(sets []Obligations) []Obligations {
	slices.Sort(sets)
	sets = slices.Compact(sets)
	var kept []Obligations
	for _, x := range sets { // a set that x contains is not above it
		if !slices.ContainsFunc(kept, func(y Obligations) bool { return y&^x == 0 }) {
			kept = append(kept, x)
		}
	}
	return kept
}
