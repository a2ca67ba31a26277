package selection

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// What follows from the function alone, for every packet and every status of the
// channels of its router: whether any traffic brings that status about is not
// asked. [Machine.Use] has what does happen.

// Role is what a dimension is to a packet that chooses.
type Role uint8

const (
	Only   Role = iota // the only one with hops left
	Lowest             // the lowest of several
	Higher             // one of the others
)

// RoleNames are the names of the roles, in order.
var RoleNames = []string{"only dimension left", "lowest of several", "higher than the lowest"}

// ClassNames are the names of the VC classes, in order.
var ClassNames = []string{"CH", "CA", "CF"}

func roleOf(all []way, dim int) Role {
	switch {
	case len(all) == 1:
		return Only
	case all[0].dim == dim:
		return Lowest
	}
	return Higher
}

// mostViews bounds what is enumerated: pairs of nodes times statuses of 3 VCs in
// every dimension.
const mostViews = 1 << 23

// everyPair calls f with each pair of nodes and the ways between them. f may end
// it with an error.
func (o Options) everyPair(ctx context.Context, f func(g *grid.Grid, v, dest spec.NodeID, all []way) error) error {
	views := 1
	for range o.N {
		views = min(views*o.K*o.K*8, mostViews+1)
	}
	if views > mostViews {
		return fmt.Errorf("k=%d, n=%d: all pairs of nodes and statuses of their routers are more than %d: choose a smaller torus", o.K, o.N, mostViews)
	}
	g, err := newGrid(o)
	if err != nil {
		return err
	}
	for v := range spec.NodeID(g.Nodes()) {
		if ctx.Err() != nil {
			return fmt.Errorf("enumerating what routers can see: %w", context.Cause(ctx))
		}
		for dest := range spec.NodeID(g.Nodes()) {
			if all := o.ways(g, v, dest); len(all) > 0 {
				if err := f(g, v, dest, all); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Classes tells which VC classes the function chooses in which role: for some
// packet and some status of the channels (all free, with Early).
func Classes(ctx context.Context, o Options) (used [3][3]bool, err error) {
	err = o.everyPair(ctx, func(g *grid.Grid, _, _ spec.NodeID, all []way) error {
		o.addClasses(g, all, &used)
		return nil
	})
	return used, err
}

func (o Options) addClasses(g *grid.Grid, all []way, used *[3][3]bool) {
	for _, c := range o.possible(all) {
		dim, _ := g.Direction(c)
		used[roleOf(all, dim)][g.VC(c)] = true
	}
}

// Outside looks for a packet and a status of the channels for which the function
// chooses a channel that *-channel does not permit or, unless it is Early, one
// that is taken. It returns the number of statuses that were looked at, and the
// first such one as lines for people; none if there is none. What is permitted is
// asked of the relation itself.
func Outside(ctx context.Context, o Options) (views int, lines []string, err error) {
	return o.outside(ctx, o.ways)
}

func (o Options) outside(ctx context.Context, ways func(g *grid.Grid, v, dest spec.NodeID) []way) (views int, lines []string, err error) {
	var relation routing.Relation
	err = o.everyPair(ctx, func(g *grid.Grid, v, dest spec.NodeID, _ []way) error {
		if relation == nil {
			def, err := o.starChannel(g)
			if err != nil {
				return err
			}
			relation = def.Routing
		}
		permitted, err := channels(relation, v, dest)
		if err != nil {
			return err
		}
		all := ways(g, v, dest)
		o.eachView(all, func(set int, see view) {
			views++
			for _, c := range o.Function.choices(nil, all, o.Reading, see) {
				if why := wrong(all, permitted, c, set, o.Form); why != "" && lines == nil {
					lines = append(describe(g, v, dest, all, set), "chosen: "+g.ChannelName(c)+why)
				}
			}
		})
		return nil
	})
	return views, lines, err
}

// wrong says what is wrong with choosing c; "" if nothing is.
func wrong(all []way, permitted []spec.ChannelID, c spec.ChannelID, set int, form Form) string {
	switch {
	case !slices.Contains(permitted, c):
		return ", which *-channel does not permit"
	case form != Early && !freeIn(all, set)(c):
		return ", which is taken"
	}
	return ""
}

// eachView calls f for each status of the outputs of a router, or with Early for
// the one in which all are free; those of its neighbours and the history are left
// open.
func (o Options) eachView(all []way, f func(set int, see view)) {
	every := 1<<(3*len(all)) - 1
	set := 0
	if o.Form == Early {
		set = every
	}
	for ; set <= every; set++ {
		f(set, view{free: freeIn(all, set)})
	}
}

// channels lists the channels that a relation permits a packet at node v.
func channels(relation routing.Relation, v, dest spec.NodeID) ([]spec.ChannelID, error) {
	hops, err := relation.Next(nil, spec.Injection(v), spec.Header{Dest: dest})
	if err != nil {
		return nil, fmt.Errorf("asking the relation at node %d: %w", v, err)
	}
	var all []spec.ChannelID
	for _, hop := range hops {
		if hop.Channel >= 0 {
			all = append(all, hop.Channel)
		}
	}
	return all, nil
}

// Spared looks for a packet and a status of the channels for which the function
// chooses CF in the lowest of several dimensions though a higher one has a free
// VC, and returns it as lines for people; none if there is no such status. The
// paper's second aim is that this does not happen.
func Spared(ctx context.Context, o Options) (lines []string, err error) {
	o.Form = Again // any status, not only the one in which all are free
	err = o.everyPair(ctx, func(g *grid.Grid, v, dest spec.NodeID, all []way) error {
		o.eachView(all, func(set int, see view) {
			if lines != nil || !slices.ContainsFunc(all[1:], func(w way) bool { _, open := w.strictest(see); return open }) {
				return
			}
			if c := all[0].first + starchannel.CF; slices.Contains(o.Function.choices(nil, all, o.Reading, see), c) {
				lines = append(describe(g, v, dest, all, set), "chosen: "+g.ChannelName(c))
			}
		})
		return nil
	})
	return lines, err
}

// describe says what a router sees.
func describe(g *grid.Grid, v, dest spec.NodeID, all []way, set int) []string {
	free := freeNames(g, all, set)
	if free == "" {
		free = "none"
	}
	return []string{fmt.Sprintf("a packet at %s for %s", g.Node(v).Name, g.Node(dest).Name), "free: " + free}
}

// freeIn makes a status of a number: three bits a way, in order.
func freeIn(all []way, set int) func(spec.ChannelID) bool {
	return func(c spec.ChannelID) bool {
		for i, w := range all {
			if c >= w.first && c < w.first+3 {
				return set>>(3*i+int(c-w.first))&1 == 1
			}
		}
		return false
	}
}

func freeNames(g *grid.Grid, all []way, set int) string {
	text := ""
	for i, w := range all {
		for class := range spec.ChannelID(3) {
			if set>>(3*i+int(class))&1 == 1 {
				if text != "" {
					text += ", "
				}
				text += g.ChannelName(w.first + class)
				if !w.usable[class] {
					text += " (not permitted)"
				}
			}
		}
	}
	return text
}
