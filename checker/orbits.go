package checker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/spec"
)

// symmetries finds the network's automorphisms that commute with its relation.
// Bubbles tell dimensions apart, so then they keep dimensions, too.
func (s *subject) symmetries(ctx context.Context) (*packets.Orbits, error) {
	group, err := automorphism.Find(ctx, s.traffic.Network(), automorphism.Options{Dims: s.traffic.Scenario().Bubble > 0})
	if err != nil {
		return nil, err
	}
	var permutations []packets.Permutation
	for _, g := range group {
		permutations = append(permutations, packets.Permutation(g))
	}
	return packets.NewOrbits(s.packed, permutations)
}

// machineOrbits is a machine modulo the symmetries that it names. They are not
// believed: in every state that is expanded, each symmetry has to take the
// successors to those of the image, and leave the invariants and the intended
// ends as they are. By induction along the walk that makes them automorphisms
// of the reachable space, at the price of expanding every image once.
type machineOrbits struct {
	spec.Machine
	symmetries []spec.Symmetry
	claims     spec.Claims
	words      int
}

func newMachineOrbits(m spec.Machine) (*machineOrbits, error) {
	named, ok := m.(spec.Symmetric)
	if !ok {
		return nil, errors.New("the machine names no symmetries")
	}
	o := &machineOrbits{Machine: m, symmetries: named.Symmetries(), words: m.Layout().Words()}
	if c, ok := m.(spec.Claimer); ok {
		o.claims = c.Claims()
	}
	start := m.Start(nil)
	for k, sym := range o.symmetries {
		if !o.same(start, o.image(sym, start)) {
			return nil, fmt.Errorf("symmetry %d of %s takes an initial state to one that is none", k, m.Name())
		}
	}
	return o, nil
}

// Start appends the least images of the initial states.
func (o *machineOrbits) Start(dst []uint64) []uint64 { return o.least(o.Machine.Start(dst), len(dst)) }

// Next appends the least images of the successors of s, and checks the symmetries there.
func (o *machineOrbits) Next(dst, s []uint64) ([]uint64, error) {
	at := len(dst)
	dst, err := o.Machine.Next(dst, s)
	if err != nil {
		return dst, err
	}
	for k, sym := range o.symmetries {
		image := sym(nil, s)
		next, err := o.Machine.Next(nil, image)
		if err != nil {
			return dst, err
		}
		if !o.same(next, o.image(sym, dst[at:])) {
			return dst, fmt.Errorf("symmetry %d is none: it does not take the steps of %s to those of %s", k, o.Layout().Text(s), o.Layout().Text(image))
		}
		if what := o.tells(s, image); what != "" {
			return dst, fmt.Errorf("symmetry %d changes %s in %s", k, what, o.Layout().Text(s))
		}
	}
	return o.least(dst, at), nil
}

// tells names a claim that tells two states apart.
func (o *machineOrbits) tells(s, image []uint64) string {
	for _, v := range o.claims.Invariants {
		if v.Holds(s) != v.Holds(image) {
			return fmt.Sprintf("the invariant %q", v.Name)
		}
	}
	if f := o.claims.Final; f != nil && f(s) != f(image) {
		return "the intended end"
	}
	return ""
}

// image takes states one by one.
func (o *machineOrbits) image(sym spec.Symmetry, states []uint64) []uint64 {
	var out []uint64
	for ; len(states) > 0; states = states[o.words:] {
		out = sym(out, states[:o.words])
	}
	return out
}

// same compares states as multisets.
func (o *machineOrbits) same(a, b []uint64) bool {
	sorted := func(states []uint64) [][]uint64 {
		return slices.SortedFunc(slices.Chunk(states, o.words), slices.Compare[[]uint64])
	}
	return slices.EqualFunc(sorted(a), sorted(b), slices.Equal[[]uint64])
}

// canonical returns the least image of a state.
func (o *machineOrbits) canonical(s []uint64) []uint64 {
	least := s
	var other []uint64
	for _, sym := range o.symmetries {
		if other = sym(other[:0], s); slices.Compare(other, least) < 0 {
			least = slices.Clone(other)
		}
	}
	return least
}

func (o *machineOrbits) least(states []uint64, from int) []uint64 {
	for ; from < len(states); from += o.words {
		copy(states[from:], o.canonical(states[from:from+o.words]))
	}
	return states
}
