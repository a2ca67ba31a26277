package wormhole

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// pruned returns the graph of the places that prune leaves.
func (p *places) pruned(ctx context.Context, channels int, round func(left []bool)) (*places, error) {
	left := p.prune(ctx, channels, round)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return p.restrict(ctx, left, channels)
}

// prune is the head/tail fixpoint on places. Until nothing changes, it deletes the places
// from which no head can be reached or to which no tail leads, the channels without a
// place, and the heads that wait for a deleted channel. It returns which places are left
// and calls round, if not nil, with them after each round. If ctx ends, too many may be left.
func (p *places) prune(ctx context.Context, channels int, round func(left []bool)) []bool {
	if p.loose {
		return p.pruneChannels(ctx, channels, round)
	}
	before := p.reversed()
	usable := make([]bool, channels)
	for _, c := range p.channel {
		usable[c] = true
	}
	for {
		left := make([]bool, p.len())
		var queue []int32
		for v, w := range p.want {
			if w >= 0 && usable[p.channel[v]] && !slices.ContainsFunc(p.wants[w], func(c spec.ChannelID) bool { return !usable[c] }) {
				left[v] = true
				queue = append(queue, int32(v))
			}
		}
		for i := 0; i < len(queue); i++ {
			for _, v := range before.after(queue[i]) {
				if !left[v] && usable[p.channel[v]] {
					left[v] = true
					queue = append(queue, v)
				}
			}
		}
		if p.tail != nil {
			queue = p.ledTo(left)
		}
		if round != nil {
			round(left)
		}
		still := make([]bool, channels)
		for _, v := range queue {
			still[p.channel[v]] = true
		}
		if slices.Equal(still, usable) || ctx.Err() != nil {
			return left
		}
		usable = still
	}
}

// pruneChannels is prune where a hop leads to any place of a channel: of a channel, all places are left or none.
func (p *places) pruneChannels(ctx context.Context, channels int, round func(left []bool)) []bool {
	usable := make([]bool, channels)
	for _, c := range p.channel {
		usable[c] = true
	}
	left := make([]bool, p.len())
	into := make([][]spec.ChannelID, channels) // by channel: those from which a hop leads into it
	for v, c := range p.channel {
		for _, to := range p.after(int32(v)) {
			into[p.channel[to]] = append(into[p.channel[to]], c)
		}
	}
	for c := range into {
		slices.Sort(into[c])
		into[c] = slices.Compact(into[c])
	}
	for {
		still := make([]bool, channels)
		var queue []spec.ChannelID
		visit := func(c spec.ChannelID) {
			if usable[c] && !still[c] {
				still[c] = true
				queue = append(queue, c)
			}
		}
		for v, w := range p.want {
			if w >= 0 && !slices.ContainsFunc(p.wants[w], func(c spec.ChannelID) bool { return !usable[c] }) {
				visit(p.channel[v])
			}
		}
		for i := 0; i < len(queue); i++ {
			for _, c := range into[queue[i]] {
				visit(c)
			}
		}
		for v, c := range p.channel {
			left[v] = still[c]
		}
		if round != nil {
			round(slices.Clone(left))
		}
		if slices.Equal(still, usable) || ctx.Err() != nil {
			return left
		}
		usable = still
	}
}

// ledTo deletes the places that cannot be reached from a tail, and lists the others.
func (p *places) ledTo(left []bool) (queue []int32) {
	was := slices.Clone(left)
	for v := range left {
		if left[v] = was[v] && p.tail[v]; left[v] {
			queue = append(queue, int32(v))
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, to := range p.after(queue[i]) {
			if was[to] && !left[to] {
				left[to] = true
				queue = append(queue, to)
			}
		}
	}
	return queue
}

// reversed returns the graph with all edges reversed.
func (p *places) reversed() *places {
	r := &places{first: make([]int32, p.len()+1), next: make([]int32, len(p.next))}
	for _, to := range p.next {
		r.first[to+1]++
	}
	for v := range p.len() {
		r.first[v+1] += r.first[v]
	}
	fill := slices.Clone(r.first)
	for v := range int32(p.len()) {
		for _, to := range p.after(v) {
			r.next[fill[to]] = v
			fill[to]++
		}
	}
	return r
}

// restrict returns the graph of the places that are left; a head that waits for a
// channel without a place is no longer a head.
func (p *places) restrict(ctx context.Context, left []bool, channels int) (*places, error) {
	usable := make([]bool, channels)
	renamed := make([]int32, p.len())
	out := &places{wants: p.wants, rows: p.rows, loose: p.loose}
	for v := range p.len() {
		if late(ctx, v) {
			return nil, context.Cause(ctx)
		}
		renamed[v] = -1
		if left[v] {
			renamed[v] = int32(out.len())
			usable[p.channel[v]] = true
			out.sites = append(out.sites, p.sites[v])
			out.channel = append(out.channel, p.channel[v])
			if p.tail != nil {
				out.tail = append(out.tail, p.tail[v])
			}
		}
	}
	for v := range int32(p.len()) {
		if late(ctx, int(v)) {
			return nil, context.Cause(ctx)
		}
		if !left[v] {
			continue
		}
		w := p.want[v]
		if w >= 0 && slices.ContainsFunc(p.wants[w], func(c spec.ChannelID) bool { return !usable[c] }) {
			w = -1
		}
		out.want = append(out.want, w)
		out.first = append(out.first, int32(len(out.next)))
		for _, to := range p.after(v) {
			if renamed[to] >= 0 {
				out.next = append(out.next, renamed[to])
			}
		}
	}
	out.first = append(out.first, int32(len(out.next)))
	return out, nil
}
