package selection

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
)

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

// Classes tells which VC classes the function chooses in which role: for some
// packet and some status of the channels (all free, with Early).
func Classes(o Options) (used [3][3]bool, err error) {
	g, err := newGrid(o)
	if err != nil {
		return used, err
	}
	for v := range spec.NodeID(g.Nodes()) {
		for dest := range spec.NodeID(g.Nodes()) {
			for _, c := range o.possible(g, v, dest) {
				dim, _ := g.Direction(c)
				used[roleOf(ways(g, o.Tie, v, dest), dim)][g.VC(c)] = true
			}
		}
	}
	return used, nil
}

func roleOf(all []way, dim int) Role {
	switch {
	case len(all) == 1:
		return Only
	case all[0].dim == dim:
		return Lowest
	}
	return Higher
}

// Spared looks for a packet and a status of the channels for which the function
// chooses CF in the lowest of several dimensions though a higher one has a free
// VC, and returns it as lines for people; none if there is no such status. The
// paper's second aim is that this does not happen.
func Spared(o Options) ([]string, error) {
	g, err := newGrid(o)
	if err != nil {
		return nil, err
	}
	for v := range spec.NodeID(g.Nodes()) {
		for dest := range spec.NodeID(g.Nodes()) {
			all := ways(g, o.Tie, v, dest)
			if len(all) < 2 {
				continue
			}
			for set := range 1 << (3 * len(all)) {
				see := view{free: freeIn(all, set)}
				higher := false
				for _, w := range all[1:] {
					_, open := w.strictest(see)
					higher = higher || open
				}
				if !higher {
					continue
				}
				for _, c := range o.Function.choices(nil, all, o.Reading, see) {
					if c == all[0].first+starchannel.CF {
						return []string{
							fmt.Sprintf("a packet at %s for %s", g.Node(v).Name, g.Node(dest).Name),
							"free: " + freeNames(g, all, set),
							"chosen: " + g.ChannelName(c),
						}, nil
					}
				}
			}
		}
	}
	return nil, nil
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
