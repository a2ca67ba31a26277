package wormhole

import (
	"context"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// mostHeld bounds what one worm may hold, as paths are numbered by the set of channels held on them.
const mostHeld = 6

// packed looks for disjoint worms with the rows of a closed set, each holding the
// channels it holds there. Each in turn takes a shortest path through these channels,
// around the worms before it. A worm that finds no path goes first in the next attempt;
// there are a few. A nil result proves nothing.
func packed(ctx context.Context, n *spec.Network, closed *refutation.ClosedError) ([]Worm, error) {
	p, err := allPlaces(ctx, n)
	if err != nil || p == nil {
		return nil, err
	}
	order := make([]int, len(closed.Rows))
	for i := range order {
		order[i] = i
	}
	for range 4 * len(order) {
		worms, used, stuck := make([]Worm, len(order)), map[spec.ChannelID]bool{}, -1
		for _, i := range order {
			paths := p.path(ctx, n, closed, i, used)
			if paths == nil {
				stuck = i
				break
			}
			for _, v := range paths {
				used[p.channel[v]] = true
				worms[i].Sites = append(worms[i].Sites, n.Table(int(p.sites[v].table)).Site(int(p.sites[v].site)))
			}
		}
		if stuck < 0 {
			if Check(n, worms) != nil {
				return nil, nil
			}
			return minimise(n, worms, false), nil
		}
		if order[0] == stuck || ctx.Err() != nil {
			break
		}
		order = slices.Insert(slices.DeleteFunc(order, func(i int) bool { return i == stuck }), 0, stuck)
	}
	return nil, ctx.Err()
}

// path returns the places of a shortest worm for message i of a closed set. It holds the
// channels that this message holds, none that another message holds, and no used channel;
// its head waits for the channels of its row.
func (p *places) path(ctx context.Context, n *spec.Network, closed *refutation.ClosedError, i int, used map[spec.ChannelID]bool) []int32 {
	number := map[spec.ChannelID]int{} // its bit, for each channel to be held
	for c, j := range closed.Holder {
		if j == i+1 {
			number[c] = 0
		}
	}
	for k, c := range slices.Sorted(maps.Keys(number)) {
		number[c] = k
	}
	if len(number) > mostHeld {
		return nil
	}
	all := int32(1)<<len(number) - 1
	want := encode(wanted(n, spec.RowID(closed.Rows[i])))
	before := make([]int32, p.len()<<len(number)) // by place and set of channels held: the place before + 1; -1 if none
	var queue []int32
	visit := func(v, held, from int32) {
		c := p.channel[v]
		k, own := number[c]
		if own {
			held |= 1 << k
		}
		if at := v<<len(number) | held; before[at] == 0 && !used[c] && (own || closed.Holder[c] == 0) && held > 0 {
			before[at] = from
			queue = append(queue, at)
		}
	}
	for v := range int32(p.len()) {
		visit(v, 0, -1)
	}
	for k := 0; k < len(queue) && !late(ctx, k); k++ {
		at := queue[k]
		v, held := at>>len(number), at&all
		if w := p.want[v]; held == all && w >= 0 && encode(p.wants[w]) == want {
			var path []int32
			for ; at >= 0; at = before[at] - 1 {
				path = append(path, at>>len(number))
				if before[at] < 0 {
					break
				}
			}
			slices.Reverse(path)
			return path
		}
		for _, to := range p.after(v) {
			visit(to, held, at+1)
		}
	}
	return nil
}
