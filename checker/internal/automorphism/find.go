package automorphism

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Options bounds a search. The zero value is usable.
type Options struct {
	Most int  // symmetries; 0 means 1000
	Dims bool // keep links of one dimension together; as bubble rules need
	Work int  // steps after which to give up looking for more; 0 means 100 million: one to three seconds
}

// Find returns the whole group of symmetries of n if it has at most opt.Most
// elements; otherwise, or if finding it takes more than opt.Work, a subgroup. It is
// closed under composition and inverse; the identity comes first, and the others
// follow in the order of their images.
//
// Channels that no packet ever enters may be permuted at will, and so may nodes
// without links and flows. Of all these ways Find takes the one that keeps their
// order, so the group distinguishes symmetries only by other nodes and channels in
// use. (With opt.Dims, parallel links of different dimensions are distinct even if
// no packet enters them.)
//
// Each has been checked hop by hop. The time is that of refining the sites once,
// times a few dozen for the networks of the literature, plus that of the checks.
// opt.Work bounds both, so a network with more than 25,000 sites gets fewer than
// 1000 symmetries unless it is raised. The error is that of ctx, or says that Find
// is at fault.
func Find(ctx context.Context, n *spec.Network, opt Options) ([]Symmetry, error) {
	opt.Most = cmp.Or(opt.Most, 1000)
	opt.Work = cmp.Or(opt.Work, 100_000_000)
	alone := []Symmetry{Identity(n.Topology())}
	// A site costs some hundred bytes, and as many steps before anything is found.
	const least = 50
	sites := n.SiteCount() + n.FlowCount()
	if opt.Most < 2 || least*sites > opt.Work {
		return alone, nil
	}
	g := newStructure(n, opt.Dims)
	s, ok := newSearch(ctx, g, opt.Dims, opt.Work/2)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("looking for symmetries of %s: %w", n.Name(), context.Cause(ctx))
	}
	if !ok {
		return alone, nil
	}
	generators, err := s.generators()
	if err != nil {
		return nil, fmt.Errorf("looking for symmetries of %s: %w", n.Name(), err)
	}
	base := make([]int32, len(s.levels))
	for i, l := range s.levels {
		base[i] = l.point
	}
	// A quarter of the work is for checks, and a quarter for growing the group.
	most := max(1, min(opt.Most, opt.Work/4/(sites+1)))
	group := generate(g.frame, base, generators, most, opt.Work/4)
	found := make([]Symmetry, len(group.elems))
	for i, e := range group.elems {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("looking for symmetries of %s: %w", n.Name(), context.Cause(ctx))
		}
		found[i], _ = g.symmetry(g, e) // ok or not, it is checked
		if err := s.k.check(found[i]); err != nil {
			return nil, fmt.Errorf("symmetries of %s: the product of two is not a symmetry: %w", n.Name(), err)
		}
	}
	slices.SortFunc(found, func(a, b Symmetry) int { // the identity comes first
		return cmp.Or(slices.Compare(a.Nodes, b.Nodes), slices.Compare(a.Channels, b.Channels))
	})
	return found, nil
}
