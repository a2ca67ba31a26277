package combining

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/renaming"
)

// regroupings lists the ways to rename groups of clusters when the nodes are
// renamed: each group becomes that of its members' images, and whatever a cluster
// does in turn its image does in turn.
func regroupings(groups [][]int, nodes []int) [][]int {
	var all [][]int
	for _, to := range permutations(len(groups)) {
		if keepsGroups(groups, nodes, to) {
			all = append(all, to)
		}
	}
	return all
}

func keepsGroups(groups [][]int, nodes, to []int) bool {
	for g, members := range groups {
		if !slices.Equal(imageOf(members, nodes), groups[to[g]]) {
			return false
		}
		for other := range g {
			if to[other] > to[g] && slices.ContainsFunc(members, func(c int) bool { return slices.Contains(groups[other], c) }) {
				return false
			}
		}
	}
	return true
}

// imageOf is the image of a group, in ascending order.
func imageOf(members, nodes []int) []int {
	var image []int
	for _, c := range members {
		image = append(image, nodes[c])
	}
	slices.Sort(image)
	return image
}

// rename renames what clusters have done.
func (a *arrivals) rename(r relabelling, nodes, groups []int) {
	for g, members := range a.groups {
		for i, c := range members {
			to := groups[g]
			k := slices.Index(a.groups[to], nodes[c])
			r.move(a.arrived[g][i], a.arrived[to][k], nil)
			r.move(a.left[g][i], a.left[to][k], nil)
		}
	}
}

// symmetries names those of the tree that take groups to groups.
func (b *hierarchical) symmetries() {
	b.Renamings = b.tree.renamings(func(nodes []int) []program.Renaming {
		var all []program.Renaming
		for _, groups := range regroupings(b.Groups, nodes) {
			all = append(all, b.renaming(nodes, groups))
		}
		return all
	})
}

func (b *hierarchical) renaming(nodes, groups []int) program.Renaming {
	r := relabelling{renaming.Identity(b.Program)}
	b.arrivals.rename(r, nodes, groups)
	for at, x := range b.held {
		r.move(x, b.held[membership{nodes[at.cluster], groups[at.group]}], nil)
	}
	for node, image := range nodes {
		r.moveLane(b.up[node], b.up[image], orNone(groups))
		r.moveLane(b.down[node], b.down[image], orNone(groups))
		for k, child := range b.tree.Children(node) {
			to := slices.Index(b.tree.Children(image), nodes[child])
			for g, x := range b.there[node][k] {
				if b.Key == ByGroup {
					g = groups[g]
				}
				r.move(x, b.there[image][to][g], nil)
			}
		}
	}
	return r.Renaming
}

// symmetries names those of the tree that take the home to itself and groups to
// groups.
func (b *memoryBarrier) symmetries() {
	b.Renamings = b.tree.renamings(func(nodes []int) []program.Renaming {
		var all []program.Renaming
		if b.tree.local(0) && nodes[0] != 0 {
			return nil
		}
		for _, groups := range regroupings(b.Groups, nodes) {
			all = append(all, b.renaming(nodes, groups))
		}
		return all
	})
}

func (b *memoryBarrier) renaming(nodes, groups []int) program.Renaming {
	r := relabelling{renaming.Identity(b.Program)}
	b.arrivals.rename(r, nodes, groups)
	keys := make([]int, b.keys())
	for key := range keys {
		keys[key] = groups[b.group(key)]*b.Variables + key%b.Variables
		r.move(b.counter[key], b.counter[keys[key]], nil)
		if b.Release == Multicast {
			r.move(b.releasing[key], b.releasing[keys[key]], nil)
		} else {
			r.move(b.flag[key], b.flag[keys[key]], nil)
		}
	}
	for node, image := range nodes {
		r.moveLane(b.up[node], b.up[image], orNone(keys), nil)
		r.moveLane(b.down[node], b.down[image], orNone(keys))
		if b.buffers[node] != nil {
			r.moveBuffer(b.buffers[node], b.buffers[image], keys, nil, nil)
		}
	}
	return r.Renaming
}
