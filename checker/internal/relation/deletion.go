package relation

import (
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Unranked marks a channel that a fixpoint could not delete.
const Unranked = -1

// Drain computes the deletion fixpoint for store-and-forward and virtual
// cut-through: starting from all channels, delete a channel as soon as each of
// its sites has arrived, is a dead end, or permits a hop into a deleted
// channel. It returns the rank of each channel: the number of the wave that deleted
// it, or Unranked; stuck counts the Unranked ones. Time is linear in the pairs of
// channel and row.
func (u *Usage) Drain() (rank []int32, stuck int) {
	n := u.net
	channels := n.Topology().Channels()
	inRows := u.rowsInto()
	users := u.users()
	pending := make([]int32, channels) // rows of the channel not yet resolved
	resolved := make([]bool, n.RowCount())
	rank = make([]int32, channels)
	var queue []spec.ChannelID
	for c := range spec.ChannelID(channels) {
		for _, r := range u.Of(c) {
			if Waits(n, r) {
				pending[c]++
			}
		}
		if pending[c] == 0 {
			queue = append(queue, c)
		} else {
			rank[c] = Unranked
		}
	}
	for i := 0; i < len(queue); i++ {
		d := queue[i]
		for _, r := range inRows.Next(int32(d)) {
			if resolved[r] || !Waits(n, spec.RowID(r)) {
				continue
			}
			resolved[r] = true
			for _, c := range users.Next(r) {
				if pending[c]--; pending[c] == 0 {
					rank[c] = rank[d] + 1
					queue = append(queue, spec.ChannelID(c))
				}
			}
		}
	}
	return rank, channels - len(queue)
}

// rowsInto lists, by channel, the rows with a hop into it.
func (u *Usage) rowsInto() *graph.Graph {
	return graph.Collect(u.net.Topology().Channels(), func(add func(from, to int32)) {
		for r := range u.net.RowCount() {
			last := spec.ChannelID(-1)
			for _, h := range u.net.Row(spec.RowID(r)) {
				if h.Channel != last { // hops into the same channel with different tags are adjacent
					last = h.Channel
					add(int32(h.Channel), int32(r))
				}
			}
		}
	})
}

// users lists, by row, the channels whose sites use it.
func (u *Usage) users() *graph.Graph {
	return graph.Collect(u.net.RowCount(), func(add func(from, to int32)) {
		for c := range spec.ChannelID(u.net.Topology().Channels()) {
			for _, r := range u.Of(c) {
				add(int32(r), int32(c))
			}
		}
	})
}
