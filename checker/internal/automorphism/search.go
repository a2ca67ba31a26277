package automorphism

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// search finds generators of the group of a structure: individualisation and
// refinement along one path of base points down to single vertices, then, from
// the deepest base point upwards, one backtracking search for every vertex that
// the point might go to while those before it stay (McKay, 1981; Sims, 1970).
// It skips vertices that the generators found so far reach, and those whose
// orbit has been searched without success.
type search struct {
	ctx    context.Context
	g      *structure
	into   *structure // what g is mapped to: itself, except for Isomorphism
	p      *partition // of into
	k      *checker
	first  []uint64 // trace of refining the colours
	levels []level
	elems  []int32 // the vertices at the end of the path, cell by cell
	pos    []int32 // by vertex: its place in elems
	most   int     // work after which to give up
	until  int     // work after which to give up the current search
}

// level is a base point: a vertex of the frame, the cell that it was chosen from,
// and the trace of individualising it.
type level struct {
	cell  int32
	point int32
	mark  int // splits before
	trace []uint64
}

// newSearch walks the path. It returns false if that alone takes too much work.
func newSearch(ctx context.Context, g *structure, dims bool, most int) (*search, bool) {
	s := &search{ctx: ctx, g: g, into: g, p: newPartition(g), k: newChecker(g.n, g.n, dims), most: most}
	s.first, _ = s.p.refine([]uint64{}, nil)
	for at := int32(0); ; {
		for at < int32(g.frame) && s.p.size[at] == 1 {
			at++
		}
		if at == int32(g.frame) {
			break
		}
		if s.p.work > most || ctx.Err() != nil {
			return s, false
		}
		l := level{cell: at, point: slices.Min(s.p.vertices(at)), mark: len(s.p.log)}
		s.p.individualise(l.point)
		l.trace, _ = s.p.refine([]uint64{}, nil)
		s.levels = append(s.levels, l)
	}
	s.elems, s.pos = slices.Clone(s.p.elems), slices.Clone(s.p.pos)
	return s, true
}

// generators returns permutations of the frame that generate the whole group, or
// part of it if that takes too much work. Those that fix more base points come
// first.
func (s *search) generators() ([][]int32, error) {
	var found [][]int32
	orbit := graph.NewUnion[int32](s.g.frame) // of vertices
	for i := len(s.levels) - 1; i >= 0; i-- {
		l := &s.levels[i]
		s.p.undo(l.mark)
		candidates := slices.Sorted(slices.Values(s.p.vertices(l.cell)))
		var vain []int32
		for _, v := range candidates {
			if orbit.Find(v) == orbit.Find(l.point) ||
				slices.ContainsFunc(vain, func(w int32) bool { return orbit.Find(w) == orbit.Find(v) }) {
				continue
			}
			// One search may take an eighth of what is left.
			s.until = s.p.work + (s.most-s.p.work)/8
			images := s.match(i, v)
			s.p.undo(l.mark)
			if err := s.ctx.Err(); err != nil {
				return nil, context.Cause(s.ctx)
			}
			if images == nil {
				vain = append(vain, v)
				continue
			}
			found = append(found, images)
			for v, w := range images {
				orbit.Join(int32(v), w)
			}
		}
	}
	return found, nil
}

// match looks for a symmetry that maps the base point of level i to v, given the
// partition for the images of the earlier points, and returns its permutation of
// the frame, or nil.
func (s *search) match(i int, v int32) []int32 {
	if s.p.work > s.until || s.ctx.Err() != nil {
		return nil
	}
	mark := len(s.p.log)
	defer s.p.undo(mark)
	s.p.individualise(v)
	if _, same := s.p.refine(nil, s.levels[i].trace); !same {
		return nil
	}
	return s.complete(i + 1)
}

// complete finds images for the base points from level i on.
func (s *search) complete(i int) []int32 {
	if images := s.candidate(); images != nil || i == len(s.levels) {
		return images
	}
	for _, w := range s.candidates(i) {
		if images := s.match(i, w); images != nil {
			return images
		}
	}
	return nil
}

// candidates lists the possible images of the base point of level i: first itself,
// then, for a channel, those with the same VC, so that images are as like the
// originals as they can be and generate few others.
func (s *search) candidates(i int) []int32 {
	l := &s.levels[i]
	vs := slices.Clone(s.p.vertices(l.cell))
	rank := func(v int32) int {
		switch {
		case v == l.point:
			return 0
		case s.into.vc(v) == s.g.vc(l.point):
			return 1
		}
		return 2
	}
	slices.SortFunc(vs, func(v, w int32) int {
		if d := rank(v) - rank(w); d != 0 {
			return d
		}
		return int(v - w)
	})
	return vs
}

// candidate returns the permutation that maps the single vertices of the path to those
// at their places in the partition and fixes all others, if it is a symmetry. It
// can only be one if the larger cells hold the same vertices; then it is one
// (Darga, Sakallah and Markov, 2008), but that is checked, not
// trusted.
func (s *search) candidate() []int32 {
	n := int32(len(s.elems))
	for c := int32(0); c < n; c += s.p.size[c] {
		if s.p.size[c] == 1 {
			continue
		}
		for _, v := range s.p.vertices(c) {
			s.p.work++
			if at := s.pos[v]; at < c || at >= c+s.p.size[c] {
				return nil
			}
		}
	}
	images := graph.Identity[int32](s.g.frame)
	for c := int32(0); c < int32(s.g.frame); c += s.p.size[c] {
		if s.p.size[c] == 1 {
			images[s.elems[c]] = s.p.elems[c]
		}
	}
	s.p.work += len(s.elems)
	symmetry, ok := s.g.symmetry(s.into, images)
	if !ok || s.k.check(symmetry) != nil {
		return nil
	}
	return images
}
