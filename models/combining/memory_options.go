package combining

import (
	"fmt"
	"slices"
)

// What may be asked for of a memory, and the scripts that its clusters follow.

// check says what is wrong with options that every machine has.
func (o MemoryOptions) check() error {
	switch {
	case o.Level > Forever:
		return fmt.Errorf("waiting level %d: must be 0 to 3", o.Level)
	case o.Capacity < 1 || o.Capacity > 8:
		return fmt.Errorf("links of %d messages: must be 1 to 8", o.Capacity)
	case (o.Each < 1 || o.Each > mostEach) && o.Targets == nil:
		return fmt.Errorf("%d requests of each cluster: must be 1 to %d", o.Each, mostEach)
	case int(o.Splitting) >= len(SplittingNames):
		return fmt.Errorf("splitting %d: there are %d", o.Splitting, len(SplittingNames))
	case o.Joined != 0 && (o.Joined < 2 || o.Joined > mostJoined):
		return fmt.Errorf("%d requests combine: must be 2 to %d", o.Joined, mostJoined)
	case o.Homes != nil && (len(o.Homes) < 1 || len(o.Homes) > mostCells):
		return fmt.Errorf("%d homes: must be 1 to %d, one for each cell", len(o.Homes), mostCells)
	case o.Overflow != Ample:
		return checkWaitBuffer(o.Entries, o.Overflow)
	}
	return nil
}

// start checks options and returns the tree turned towards the home of each cell,
// and the requesters.
func (o MemoryOptions) start() (homes []*homeward, requesters []int, err error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	tree, err := NewTree(o.FanOut, o.Depth)
	if err != nil {
		return nil, nil, err
	}
	if o.Levels != nil && len(o.Levels) != tree.Clusters() {
		return nil, nil, fmt.Errorf("levels of %d clusters: there are %d", len(o.Levels), tree.Clusters())
	}
	for c, level := range o.Levels {
		if level > Forever {
			return nil, nil, fmt.Errorf("waiting level %d of cluster %d: must be 0 to 3", level, c)
		}
	}
	if o.Homes == nil {
		h, err := turn(tree, o.Home)
		if err != nil {
			return nil, nil, err
		}
		homes = []*homeward{h}
	}
	for k, home := range o.Homes {
		if home != BesideRoot && (home < 0 || home >= tree.Clusters()) {
			return nil, nil, fmt.Errorf("home %d of cell %d: must be a cluster from 0 to %d, or the root", home, k, tree.Clusters()-1)
		}
		homes = append(homes, towards(tree, home))
	}
	if o.Requesters < 1 || o.Requesters > tree.Clusters() {
		return nil, nil, fmt.Errorf("%d requesters among %d clusters", o.Requesters, tree.Clusters())
	}
	for i := range o.Requesters {
		requesters = append(requesters, tree.Clusters()-1-i)
	}
	return homes, requesters, o.checkTargets(len(homes))
}

// checkTargets says what is wrong with the cells that requests are for.
func (o MemoryOptions) checkTargets(cells int) error {
	if o.Targets == nil {
		return nil
	}
	if len(o.Targets) != o.Requesters {
		return fmt.Errorf("targets of %d requesters: there are %d", len(o.Targets), o.Requesters)
	}
	for i, list := range o.Targets {
		if len(list) > mostEach {
			return fmt.Errorf("%d targets of requester %d: must be at most %d", len(list), i, mostEach)
		}
		if bad := slices.IndexFunc(list, func(k int) bool { return k < 0 || k >= cells }); bad >= 0 {
			return fmt.Errorf("target %d of requester %d: must be a cell from 0 to %d", list[bad], i, cells-1)
		}
	}
	return nil
}

// script returns the cells of the requests of a requester, by its place among
// them. Without Targets there are some more than Each at first.
func (o MemoryOptions) script(place, more, cells int) []int {
	if o.Targets != nil {
		return o.Targets[place]
	}
	var all []int
	for i := range more + o.Each {
		all = append(all, i%cells)
	}
	return all
}

// withWrites returns scripts of the request 0, before which the last requester
// sends some of request 1.
func (o MemoryOptions) withWrites(clusters, cells int, requesters []int, writes int) ([][]call, error) {
	const most = 4
	if writes < 0 || writes > most {
		return nil, fmt.Errorf("%d writes: must be 0 to %d", writes, most)
	}
	scripts := make([][]call, clusters)
	for place, c := range requesters {
		writing := 0
		if place == len(requesters)-1 {
			writing = writes
		}
		targets := o.script(place, writing, cells)
		if writing > len(targets) {
			return nil, fmt.Errorf("%d writes of a requester with %d targets", writing, len(targets))
		}
		for i, k := range targets {
			r := call{cell: k}
			if i < writing {
				r.mapping = 1
			}
			scripts[c] = append(scripts[c], r)
		}
	}
	return scripts, nil
}
