package automorphism

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// Shape returns a number that is the same for isomorphic networks and rarely for
// others: a digest of the refined colours of its structure. The time is that of
// refining the sites once.
func Shape(n *spec.Network) uint64 {
	p := newPartition(newStructure(n, false))
	trace, _ := p.refine(nil, nil)
	shape := hash.Digest(uint64(n.Switching()), uint64(n.Buffer()))
	for _, c := range p.g.colours {
		// The order of colours does not matter.
		shape += hash.Digest(hash.Digest(uint64(c.kind), uint64(uint32(c.a))), uint64(uint32(c.b)))
	}
	for _, mark := range trace {
		shape = hash.Digest(shape, mark)
	}
	return shape
}

// Isomorphism returns a mapping of a to b that has been checked hop by hop: then
// whatever is decided for a holds for b. It gives up after opt.Work steps; false says
// that it found none, not that none exists. It ignores opt.Most and opt.Dims. The
// error is that of ctx.
func Isomorphism(ctx context.Context, a, b *spec.Network, opt Options) (Symmetry, bool, error) {
	if !alike(a, b) {
		return Symmetry{}, false, nil
	}
	work := cmp.Or(opt.Work, 100_000_000)
	s, ok := newSearch(ctx, newStructure(a, false), false, work/2)
	if ok {
		ok = s.aim(newStructure(b, false), work/2)
	}
	var images []int32
	if ok {
		images = s.complete(0)
	}
	if ctx.Err() != nil {
		return Symmetry{}, false, fmt.Errorf("comparing %s with %s: %w", a.Name(), b.Name(), context.Cause(ctx))
	}
	if images == nil {
		return Symmetry{}, false, nil
	}
	found, ok := s.g.symmetry(s.into, images)
	return found, ok && s.k.check(found) == nil, nil
}

// aim sets the structure that g is to be mapped to. It returns false if colours tell
// them apart.
func (s *search) aim(into *structure, work int) bool {
	sorted := func(g *structure) []colour { return slices.SortedFunc(slices.Values(g.colours), compareColours) }
	if s.g.frame != into.frame || len(s.g.groups) != len(into.groups) || !slices.Equal(sorted(s.g), sorted(into)) {
		return false
	}
	s.into, s.p, s.k, s.until = into, newPartition(into), newChecker(s.g.n, into.n, false), work
	_, same := s.p.refine(nil, s.first)
	return same
}
