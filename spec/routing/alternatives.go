package routing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Committing is implemented by relations that may commit a packet to one of several alternatives (oblivious routing):
// which one, the relation does not tell; a hash or a random bit may decide it. Within its alternative a packet takes
// any hop that is free. An alternative without hops is a dead end.
//
// At a site with several alternatives AppendHops fails with [ErrCommits], so that who knows hops alone does not take
// all of them for those of a packet that may choose.
type Committing interface {
	Relation
	// Alternatives returns at least one list of hops. It must be pure, as AppendHops.
	Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error)
}

// ErrCommits is the error of a relation that is asked for hops where it commits packets to one of several lists of
// them.
var ErrCommits = errors.New("packets are committed to one of several alternatives here (oblivious), of which a list " +
	"of hops knows nothing")

// alternativesOf returns the alternatives of a relation, one if it knows nothing of them.
func alternativesOf(r Relation, at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	if c, ok := r.(Committing); ok {
		return c.Alternatives(at, h)
	}
	hops, err := r.AppendHops(nil, at, h)
	return [][]spec.Hop{hops}, err
}

// Oblivious commits a packet to one of several choices: its routing, a hash or a random bit, say, picks one whether or
// not it has a free hop, and the packet waits for the hops of that one alone. A zero choice among them is a dead end.
func Oblivious(choices ...Choice) Choice {
	var all [][]spec.Hop
	for _, c := range choices {
		all = append(all, c.alternatives()...)
	}
	if len(all) < 2 {
		return Adaptive(slices.Concat(all...)...)
	}
	return Choice{several: all}
}

func (c Choice) alternatives() [][]spec.Hop {
	if c.several != nil {
		return c.several
	}
	return [][]spec.Hop{c.hops}
}

// anyAlternative is the relation that permits the hops of all alternatives: it leads to the same sites.
type anyAlternative struct{ of Committing }

func (a anyAlternative) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	all, err := a.of.Alternatives(at, h)
	for _, hops := range all {
		dst = append(dst, hops...)
	}
	return dst, err
}

func (a anyAlternative) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	return Reason(a.of, at, h, hop)
}

// committed is the relation in which each alternative of a site is a site of its own (package spec, alternatives.go).
type committed struct {
	of    Committing
	tags  int               // of the relation
	count map[spec.Site]int // alternatives of sites that have several
}

// commit compiles a definition whose relation commits packets somewhere: first the hops of all alternatives,
// which finds the sites; then the sites with their alternatives.
func commit(ctx context.Context, def Definition, of Committing, opt CompileOptions) (*spec.Network, error) {
	if def.Selection != nil && def.Selection.Commit != nil {
		return nil, fmt.Errorf("compiling %s: selection %s commits packets, and so does the relation: want one of them",
			def.Name, def.Selection.Name)
	}
	plain := def
	plain.Routing = anyAlternative{of}
	n, err := compile(ctx, plain, opt)
	if err != nil {
		return nil, err
	}
	r := &committed{of: of, tags: def.Tags, count: map[spec.Site]int{}}
	most := 1
	err = Sites(n, func(s spec.Site, _ []spec.Hop) error {
		all, err := r.alternatives(s.Channel, s.Header)
		if err == nil && len(all) > 1 {
			r.count[s] = len(all)
			if !s.Channel.IsInjection() {
				most = max(most, len(all))
			}
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	})
	if err != nil || len(r.count) == 0 { // the alternatives are all alike
		return n, err
	}
	if most*def.Tags > 1<<16 {
		return nil, located(def.Name, &spec.BoundError{What: "tags, one for every alternative of a site", Limit: 1 << 16})
	}
	whole := def
	whole.Routing, whole.Tags, whole.alternatives = r, def.Tags*most, most
	whole.asks = func(f spec.Flow) int { return max(1, r.count[source(f.Source, f.Target)]) }
	if err := complete(&whole); err != nil {
		return nil, located(def.Name, err)
	}
	return compile(ctx, whole, opt)
}

// alternatives returns the different alternatives of a site, with the tag of the relation, in its order.
func (r *committed) alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	all, err := r.of.Alternatives(at, h)
	if err != nil {
		return nil, err
	}
	var different [][]spec.Hop
	for _, hops := range all {
		hops = slices.Clone(hops)
		slices.SortFunc(hops, spec.Hop.Compare)
		hops = slices.Compact(hops)
		if !slices.ContainsFunc(different, func(x []spec.Hop) bool { return slices.Equal(x, hops) }) {
			different = append(different, hops)
		}
	}
	return different, nil
}

// own returns a header as the relation sees it, and the number of the alternative.
func (r *committed) own(at spec.ChannelID, h spec.Header) (spec.Header, int) {
	tag := int(h.Tag)
	if at.IsInjection() {
		h.Tag = 0
		return h, tag
	}
	h.Tag = spec.Tag(tag % r.tags)
	return h, tag / r.tags
}

// AppendHops returns, for each hop of an alternative, one to every alternative of the site that it leads to.
func (r *committed) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	h, k := r.own(at, h)
	all, err := r.alternatives(at, h)
	if err != nil {
		return dst, err
	}
	if k >= len(all) {
		return dst, fmt.Errorf("alternative %d of %d", k+1, len(all))
	}
	for _, hop := range all[k] {
		dst = append(dst, hop)
		to := spec.Site{Channel: hop.Channel, Header: h}
		to.Header.Tag = hop.Tag
		for j := 1; hop.Channel != spec.Eject && j < r.count[to]; j++ {
			dst = append(dst, spec.Hop{Channel: hop.Channel, Tag: hop.Tag + spec.Tag(j*r.tags)})
		}
	}
	return dst, nil
}

// Reason is that of the relation.
func (r *committed) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	h, _ = r.own(at, h)
	if hop.Channel != spec.Eject {
		hop.Tag = spec.Tag(int(hop.Tag) % r.tags)
	}
	return Reason(r.of, at, h, hop)
}
