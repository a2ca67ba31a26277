package routing

import (
	"cmp"
	"context"
	"errors"

	"github.com/seed-105a2da2/unknot/spec"
)

// Visit calls f for each site of a definition, the injection channels included, with its alternatives, of which
// there is at least one; f must not keep them. Sites of one target follow each other. No tables are built.
//
// Visit asks the relation once for each site, and [Compile] asks again. So Visit does not notice a relation whose
// second answer differs, which Compile refuses. All other errors are those of Compile, and what f returns.
//
// Time is linear in the hops of all sites, memory in the channels and tags.
func Visit(
	ctx context.Context, def Definition, opt CompileOptions, f func(at spec.Site, alternatives [][]spec.Hop) error,
) error {
	if err := complete(&def); err != nil {
		return err
	}
	if len(def.Replies) > 0 || def.Selection != nil && def.Selection.Commit != nil || def.asks != nil || def.split != nil {
		return errors.New("visiting sites is not for replies, nor for selection functions that commit packets")
	}
	opt.MaxSites = min(cmp.Or(opt.MaxSites, 1<<30), spec.MostSites)
	c := &compilation{def: def, opt: opt, targets: def.Topology.Nodes() * len(def.Classes)}
	t := def.Topology
	w := &tabulator{last: make([]lastAnswer, t.Nodes())}
	met, queue := make([]int32, t.Channels()*def.Tags), []int32(nil) // by place: the target for which it was met, + 1
	count := 0
	committing, commits := def.Routing.(Committing)
	one := make([][]spec.Hop, 1)
	for i := range c.targets {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		target, number := c.target(i), int32(i)+1
		senders, err := c.senders(w, target)
		if err != nil {
			return located(def.Name, err)
		}
		queue = queue[:0]
		visit := func(at spec.Site) error {
			all := one
			if commits {
				if all, err = committing.Alternatives(at.Channel, at.Header); err != nil {
					return err
				}
			} else if one[0], err = def.Routing.AppendHops(one[0][:0], at.Channel, at.Header); err != nil {
				return err
			}
			v := t.Head(at.Channel)
			for _, hops := range all {
				for k := range hops {
					h := &hops[k]
					if h.Channel < 0 || int(h.Channel) >= t.Channels() || int(h.Tag) >= def.Tags || h.Room > 1 ||
						t.Tail(h.Channel) != v {
						if _, err := c.rowOf(w, at, []spec.Hop{*h}); err != nil {
							return err
						}
						if h.Channel == spec.Eject {
							continue
						}
					}
					if place := int32(int(h.Channel)*def.Tags + int(h.Tag)); met[place] != number {
						met[place] = number
						queue = append(queue, place)
					}
				}
			}
			if count += len(all); count > opt.MaxSites {
				return &spec.BoundError{What: "sites", Limit: opt.MaxSites}
			}
			return f(at, all)
		}
		for _, src := range senders {
			if err := visit(source(src, target)); err != nil {
				return located(def.Name, err)
			}
		}
		for k := 0; k < len(queue); k++ {
			if err := visit(c.site(target, queue[k])); err != nil {
				return located(def.Name, err)
			}
		}
	}
	return nil
}
