package static

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/spec"
)

// Worms that block each other, no two in one channel, are brought to their places one
// after the other, each past those already placed, like whole packets. A packet has as many
// flits as it takes to hold its channels. One that stands behind another is placed after it.

// placeWorms returns moves that bring every worm to its place, or nil. Like
// placement.fill it repeatedly takes out a worm that can reach its place while
// all remaining ones stand.
func (d *Decision) placeWorms(ctx context.Context, all []wormhole.Worm) ([]spec.Move, error) {
	w := relation.NewWalk(d.n)
	stand, behind := map[spec.ChannelID][]int{}, map[spec.ChannelID]int{} // in one channel, each behind the one before
	for _, first := range []bool{true, false} {
		for i, worm := range all {
			for k, s := range worm.Sites {
				if last := worm.Behind && k == len(worm.Sites)-1; last != first {
					stand[s.Channel] = append(stand[s.Channel], i)
					if last {
						behind[s.Channel] = i
					}
				}
			}
		}
	}
	gone := make([]bool, len(all))
	var paths [][]spec.Move // the last one travels first
	var flits []int
	for len(paths) < len(all) {
		before := len(paths)
		for i := range all {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			last := func(s spec.Site) bool { // all behind it have been taken out
				at := stand[s.Channel]
				return !slices.ContainsFunc(at[slices.Index(at, i)+1:], func(j int) bool { return !gone[j] })
			}
			if gone[i] || slices.ContainsFunc(all[i].Sites, func(s spec.Site) bool { return !last(s) }) {
				continue
			}
			free := func(c spec.ChannelID) bool {
				return !slices.ContainsFunc(stand[c], func(j int) bool { return !gone[j] || j == i })
			}
			if path := d.wormPath(w, all[i], free); path != nil {
				paths, flits, gone[i] = append(paths, path), append(flits, d.flits(all[i], behind)), true
			}
		}
		if len(paths) == before {
			return nil, nil
		}
	}
	slices.Reverse(paths)
	slices.Reverse(flits)
	return d.carried(paths, flits), nil
}

// flits returns how many flits a packet needs to hold its channels: it fills all of them if another
// packet could enter behind its tail, and leaves room if one does. behind is by channel.
func (d *Decision) flits(w wormhole.Worm, behind map[spec.ChannelID]int) int {
	buffer, channels := d.n.Buffer(), len(w.Sites)
	_, some := behind[w.Sites[0].Channel]
	switch {
	case d.sc.Length > 0:
		return d.sc.Length
	case w.Behind && some:
		return (channels - 1) * buffer
	case w.Behind:
		return channels*buffer - 1
	case d.sc.Shared && !some:
		return channels * buffer
	}
	return (channels-1)*buffer + 1
}

// wormPath returns the hops of a worm's head to its place, or nil. The path
// avoids the worm's own channels. It may pass some other channel twice, with
// different tags, so soon that a long worm meets itself there: replaying
// the plan shows that.
func (d *Decision) wormPath(w *relation.Walk, worm wormhole.Worm, free func(spec.ChannelID) bool) []spec.Move {
	if worm.Any {
		return d.anyPath(w, worm.Sites[0].Channel, free)
	}
	table := d.n.TableOf(worm.Sites[0].Header.Target())
	tail := worm.Sites[0]
	w.Load(table)
	goal := func(s int) bool { return table.Channels[s] == tail.Channel && table.Tag(s) == tail.Header.Tag }
	path, _ := w.Shortest(nil, goal, free)
	if path == nil {
		return nil
	}
	for i, s := range worm.Sites[1:] {
		path = append(path, spec.Move{
			From:   worm.Sites[i].Channel,
			Header: worm.Sites[i].Header,
			Hop:    spec.Hop{Channel: s.Channel, Tag: s.Header.Tag},
		})
	}
	return path
}

// anyPath returns the hops of some head into a channel from its nearest source, or nil.
func (d *Decision) anyPath(w *relation.Walk, c spec.ChannelID, free func(spec.ChannelID) bool) (best []spec.Move) {
	for i := range d.n.Tables() {
		t := d.n.Table(i)
		if at, _ := slices.BinarySearch(t.Channels, c); at == t.Len() || t.Channels[at] != c || len(best) == 1 {
			continue
		}
		w.Load(t)
		if path, _ := w.Shortest(nil, func(s int) bool { return t.Channels[s] == c }, free); path != nil &&
			(best == nil || len(path) < len(best)) {
			best = path
		}
	}
	return best
}
