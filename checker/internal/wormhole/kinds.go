package wormhole

import (
	"context"
	"slices"
)

// kinds groups places of the same channel with the same future: the same want, both or
// neither a tail, and hops to the same kinds. A path of kinds is a path of places from
// every place of its first kind, so a search over kinds loses nothing. Partition
// refinement (Moore 1956): one pass over the edges for each step of the longest path
// needed to tell two places apart, but at most a hundred passes; beyond, every
// place is a separate kind, which is also correct.
func (p *places) kinds(ctx context.Context) (kindOf []int32, count int, err error) {
	kindOf = make([]int32, p.len())
	number := map[[2]int32]int32{}
	for v := range kindOf {
		key := [2]int32{int32(p.channel[v]), 2 * p.want[v]}
		if p.tail != nil && p.tail[v] {
			key[1]++
		}
		k, known := number[key]
		if !known {
			k = int32(len(number))
			number[key] = k
		}
		kindOf[v] = k
	}
	count = len(number)
	for range 100 {
		if err := context.Cause(ctx); err != nil {
			return nil, 0, err
		}
		finer := make([]int32, p.len())
		number := map[string]int32{}
		var key []int32
		for v := range int32(p.len()) {
			if late(ctx, int(v)) {
				return nil, 0, context.Cause(ctx)
			}
			key = key[:0]
			for _, to := range p.after(v) {
				key = append(key, kindOf[to])
			}
			slices.Sort(key)
			key = append(slices.Compact(key), kindOf[v])
			name := encode(key)
			k, known := number[name]
			if !known {
				k = int32(len(number))
				number[name] = k
			}
			finer[v] = k
		}
		if len(number) == count {
			return kindOf, count, nil
		}
		kindOf, count = finer, len(number)
	}
	for v := range kindOf {
		kindOf[v] = int32(v)
	}
	return kindOf, p.len(), nil
}

// quotient returns the graph of kinds, each with the site of its first place.
func (p *places) quotient(ctx context.Context, kindOf []int32, count int) (*places, error) {
	q := &places{wants: p.wants}
	representative := make([]int32, count)
	for v := int32(p.len()) - 1; v >= 0; v-- {
		representative[kindOf[v]] = v
	}
	for k, v := range representative {
		if late(ctx, k) {
			return nil, context.Cause(ctx)
		}
		q.sites = append(q.sites, p.sites[v])
		q.channel = append(q.channel, p.channel[v])
		q.want = append(q.want, p.want[v])
		if p.tail != nil {
			q.tail = append(q.tail, p.tail[v])
		}
		q.first = append(q.first, int32(len(q.next)))
		var to []int32
		for _, w := range p.after(v) {
			to = append(to, kindOf[w])
		}
		slices.Sort(to)
		q.next = append(q.next, slices.Compact(to)...)
	}
	q.first = append(q.first, int32(len(q.next)))
	return q, nil
}
