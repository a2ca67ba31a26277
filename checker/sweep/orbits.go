package sweep

import (
	"context"
	"errors"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
)

// Up to symmetry.
//
// A symmetry of the parameters maps the network of one case to that of another: nodes,
// links and the routing relation, everything except names and ports. Nobody states it:
// among networks of one shape (colour refinement) a mapping from one to the other is
// searched for, and checked hop by hop (automorphism.Isomorphism). Such networks have
// the same verdicts, so only the first case of each orbit is decided. A search that gives
// up makes two orbits of one, but no verdict wrong.

// ErrShards says that cases of one orbit may be in several shards.
var ErrShards = errors.New("up to symmetry, all cases are compared with each other: want one shard")

// orbits holds the first case of every orbit found so far.
type orbits struct {
	q      *Question
	opt    Options
	shapes map[uint64][]*variant
	firsts map[int]*variant // by case
	sites  int              // of the networks kept
}

// mostSites bounds the networks kept for comparison: some hundred megabytes. Networks of
// further orbits are rebuilt when needed.
const mostSites = 1 << 23

// orbitsOf returns the orbits of the results so far, or nil if all cases are decided.
func (p *Plan) orbitsOf(ctx context.Context, done []Result, opt Options) (*orbits, error) {
	if !p.q.UpToSymmetry {
		return nil, nil
	}
	o := &orbits{p.q, opt, map[uint64][]*variant{}, map[int]*variant{}, 0}
	firsts := map[int]Result{}
	for _, r := range done {
		if r.Like == nil && r.Error == "" {
			firsts[r.Case] = r
		}
	}
	for c, err := range p.Each(ctx, func(number int) bool { _, is := firsts[number]; return is }) {
		if err != nil {
			return nil, err
		}
		v := &variant{c: c}
		if err := p.q.build(ctx, v, opt); err != nil {
			return nil, err
		}
		v.result, v.decided = firsts[c.Number], true
		o.add(v)
	}
	return o, nil
}

func (o *orbits) add(v *variant) {
	o.shapes[v.shape] = append(o.shapes[v.shape], v)
	o.firsts[v.c.Number] = v
	o.sites += v.network.SiteCount()
}

// compare finds a placed case that v is an image of. Cases are compared concurrently while
// none is placed; no two cases are compared twice.
func (o *orbits) compare(ctx context.Context, v *variant) error {
	if v.network == nil || v.result.Like != nil {
		return nil
	}
	for ; v.compared < len(o.shapes[v.shape]); v.compared++ {
		first := o.shapes[v.shape][v.compared]
		if first.network == nil {
			again := &variant{c: first.c}
			if err := o.q.build(ctx, again, o.opt); err != nil {
				return err
			}
			first = again
		}
		_, like, err := automorphism.Isomorphism(ctx, first.network, v.network, automorphism.Options{})
		if err != nil {
			return err
		}
		if like {
			v.result.Like = &first.c.Number
			return nil
		}
	}
	return nil
}

// place makes a case that is not an image the first of its orbit.
func (o *orbits) place(ctx context.Context, v *variant) error {
	err := o.compare(ctx, v)
	if err == nil && v.network != nil && v.result.Like == nil {
		o.add(v)
	}
	return err
}

// copyVerdicts gives an image the verdicts of the first case of its orbit, and drops
// networks that are no longer needed, or too many.
func (o *orbits) copyVerdicts(v *variant) {
	if v.result.Like != nil {
		first := o.firsts[*v.result.Like]
		from := first.result.verdicts()
		for i, w := range v.result.verdicts() {
			*w.verdict = *from[i].verdict
		}
		v.decided = first.decided
		v.network = nil
	} else if v.network != nil && o.sites > mostSites {
		o.sites -= v.network.SiteCount()
		v.network = nil
	}
}
