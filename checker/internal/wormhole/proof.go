package wormhole

import (
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
)

// proof records what a search learns as a refutation: the head/tail fixpoint round
// by round, then the clauses and the sets of places in the order in which they are
// learned. It speaks of places, not kinds, as the verifier knows sites only.
type proof struct {
	steps  []step
	size   int           // numbers in the steps
	lit    []int32       // by variable of the solver, except those of bounds: the proof's literal that it is true
	bounds map[int32]int // by variable of a bound
	site   []int32       // by place: number of its site
	most   int           // numbers that the steps may take
}

// step is a step that holds for sets of at most most messages or channels.
type step struct {
	refutation.Step
	most int
	node int32 // in the trace of the solver; 0 for sets
}

// learned adds a clause, and reports whether there is room for more.
func (p *proof) learned(literals []sat.Literal, node int32) bool {
	s := p.translated(literals)
	s.node = node
	p.add(s)
	return p.size <= p.most
}

// crowded adds a clause that a sum shows.
func (p *proof) crowded(clause []sat.Literal, sum [][]sat.Literal, node int32) {
	s := p.translated(clause)
	s.node = node
	for _, some := range sum {
		s.Sum = append(s.Sum, p.translated(some).List)
	}
	p.add(s)
}

// translated returns a clause without the bound under which it holds.
func (p *proof) translated(literals []sat.Literal) step {
	s := step{Step: refutation.Step{Clause: true}, most: math.MaxInt}
	for _, l := range literals {
		if most, ok := p.bounds[l.Variable()]; ok {
			s.most = min(s.most, most)
		} else {
			s.List = append(s.List, p.lit[l/2]^int32(l&1))
		}
	}
	return s
}

func (p *proof) set(places []int32) {
	s := step{most: math.MaxInt}
	for _, v := range places {
		s.List = append(s.List, p.site[v])
	}
	p.add(s)
}

func (p *proof) add(s step) {
	p.steps = append(p.steps, s)
	p.size += s.numbers()
}

func (s *step) numbers() int {
	count := 1 + len(s.List)
	for _, some := range s.Sum {
		count += 1 + len(some)
	}
	return count
}

// of returns the steps that show that there is no set of at most most. It drops those that hold for smaller sets
// only, and a clause that repeats the one before: a sum shows that one.
func (p *proof) of(most int, needed []bool) (steps []refutation.Step) {
	var last []int32
	p.steps = slices.DeleteFunc(p.steps, func(s step) bool {
		if s.most < most {
			p.size -= s.numbers()
			return true
		}
		if s.Clause && needed != nil && !needed[s.node] {
			return false
		}
		list := slices.Sorted(slices.Values(s.List))
		if !s.Clause || last == nil || !slices.Equal(list, last) {
			steps = append(steps, s.Step)
		}
		if last = nil; s.Sum != nil {
			last = list
		}
		return false
	})
	return steps
}
