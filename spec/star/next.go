package star

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Next evaluates route, or recalls its answer.
func (r *relation) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.plainly {
		if a := r.recall(&q); a != nil && !a.plain {
			if all, ok := r.hopsOf(dst, a, &q); ok {
				return all, nil
			}
		}
	}
	row, ok := r.memo.find(s)
	if !ok {
		a, err := r.evaluate(s)
		if err != nil {
			return dst, err
		}
		defer r.evaluators.Put(a)
		row = a.hops
	}
	dst = slices.Grow(dst, len(row))
	for _, p := range row {
		dst = append(dst, p.Hop)
	}
	return dst, nil
}

// Pure is true: what route reads is frozen, and neither time nor chance is within its reach.
func (r *relation) Pure() bool { return true }

// NextLike is Next, and returns the run of route, a leaf of the tree, if it may repeat:
// it is the run for another target, too, if that decides alike.
func (r *relation) NextLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, any, error) {
	q := r.inputAt(spec.Site{Channel: at, Header: h})
	if in, pinned := r.treeOf(&q); in == nil || pinned {
		hops, err := r.Next(dst, at, h)
		return hops, nil, err
	}
	if b := r.routes.leaf(&q); b != nil && !b.leaf.plain && !r.maybeRefused(at) {
		switch hops, ok := r.hopsOf(dst, b.leaf, &q); {
		case ok && b.repeats:
			return hops, b, nil
		case ok:
			return hops, nil, nil
		}
	}
	hops, err := r.Next(dst, at, h)
	return hops, nil, err
}

// Repeats evaluates only the decisions that depend on the target.
func (r *relation) Repeats(like any, at spec.ChannelID, h spec.Header) bool {
	q := r.inputAt(spec.Site{Channel: at, Header: h})
	return like.(*branch).repeatsFor(&q) && !r.maybeRefused(at)
}

// maybeRefused reports whether the answer in a channel may be the error of flows.
func (r *relation) maybeRefused(at spec.ChannelID) bool { return at.IsInjection() && r.refuses.Load() }

// Reason returns the place of the call of hop that made a hop, and the calls
// that led there from route.
func (r *relation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.plainly {
		if in, _ := r.treeOf(&q); in == nil {
		} else if a := in.find(&q); a != nil && !a.plain {
			for i := range a.hops {
				if x, ok := r.hopOf(&a.hops[i], &q); ok && x == hop {
					return a.hops[i].reason
				}
			}
		}
	}
	row, ok := r.memo.find(s)
	if !ok {
		a, err := r.evaluate(s)
		if err != nil {
			return ""
		}
		defer r.evaluators.Put(a)
		row = a.hops
	}
	for _, p := range row {
		if p.Hop == hop {
			return p.at.String()
		}
	}
	return ""
}
