package relation

import (
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Unranked marks a channel that a fixpoint could not delete.
const Unranked = -1

// Deletion is the deletion fixpoint for packets that fit into one channel: a channel is deleted as soon as each of its
// sites has arrived, is a dead end, or permits a hop into a deleted channel. What it leaves is the largest set of
// channels in which packets can be stuck. Further channels may be removed, with all that follows, and restored.
type Deletion struct {
	Rank []int32 // by channel: the number of the wave that deleted it, or Unranked
	Left int     // number of Unranked channels

	u        *Usage
	resolved []int32          // by row: its hops' channels that are deleted
	waiting  []int32          // by channel: its rows that no deleted channel resolves
	log      []spec.ChannelID // deleted, in order
	told     int              // of these, whose rows know
}

// Delete computes the fixpoint within the usable channels, as if the others had been deleted before; nil: within all.
// It is linear in the pairs of usable channel and row, and in the number of rows.
func (u *Usage) Delete(usable []bool) *Deletion {
	channels := u.net.Topology().Channels()
	d := &Deletion{
		u: u, Rank: make([]int32, channels), Left: channels, resolved: make([]int32, u.net.RowCount()),
		waiting: make([]int32, channels),
	}
	var counted []bool
	if usable != nil {
		counted = make([]bool, u.net.RowCount())
	}
	for c := range spec.ChannelID(channels) {
		if usable != nil && !usable[c] {
			d.Left--
			continue
		}
		d.Rank[c] = Unranked
		for _, r := range u.Of(c) {
			if !Waits(u.net, r) {
				continue
			}
			if usable != nil && !counted[r] {
				counted[r] = true
				for _, to := range Wanted(u.net, r) {
					if !usable[to] {
						d.resolved[r]++
					}
				}
			}
			if d.resolved[r] == 0 {
				d.waiting[c]++
			}
		}
		if d.waiting[c] == 0 {
			d.delete(c, 0)
		}
	}
	d.propagate(nil)
	return d
}

func (d *Deletion) delete(c spec.ChannelID, rank int32) {
	d.Rank[c] = rank
	d.Left--
	d.log = append(d.log, c)
}

// propagate deletes what follows from the deletions; it stops, and returns false, when a needed channel has gone.
func (d *Deletion) propagate(needed []bool) bool {
	into, users := d.u.rowsInto(), d.u.users()
	for ok := true; d.told < len(d.log); d.told++ {
		if !ok {
			return false
		}
		c := d.log[d.told]
		for _, r := range into.Successors(int32(c)) {
			if d.resolved[r]++; d.resolved[r] > 1 {
				continue
			}
			for _, user := range users.Successors(r) {
				if d.waiting[user]--; d.waiting[user] == 0 && d.Rank[user] == Unranked {
					d.delete(spec.ChannelID(user), d.Rank[c]+1)
					ok = ok && (needed == nil || !needed[user])
				}
			}
		}
	}
	return true
}

// Remove deletes a channel, and what follows. It stops, and returns false, when a needed channel has gone.
func (d *Deletion) Remove(c spec.ChannelID, needed []bool) bool {
	d.delete(c, 0)
	return d.propagate(needed)
}

// Deleted returns the number of channels deleted, for Restore.
func (d *Deletion) Deleted() int { return len(d.log) }

// Restore takes back all deletions after the first keep.
func (d *Deletion) Restore(keep int) {
	into, users := d.u.rowsInto(), d.u.users()
	for i, c := range d.log[keep:] {
		d.Rank[c] = Unranked
		d.Left++
		if keep+i >= d.told {
			continue
		}
		for _, r := range into.Successors(int32(c)) {
			if d.resolved[r]--; d.resolved[r] == 0 {
				for _, user := range users.Successors(r) {
					d.waiting[user]++
				}
			}
		}
	}
	d.log, d.told = d.log[:keep], min(d.told, keep)
}

// Leaves reports whether a channel is left.
func (d *Deletion) Leaves(c spec.ChannelID) bool { return d.Rank[c] == Unranked }

// Blocks reports whether all channels are left that a packet with row r waits for.
func (d *Deletion) Blocks(r spec.RowID) bool { return Waits(d.u.net, r) && d.resolved[r] == 0 }

// rowsInto lists, by channel, the rows with a hop into it.
func (u *Usage) rowsInto() *graph.Graph {
	if u.into == nil {
		u.into = graph.Collect(u.net.Topology().Channels(), func(add func(from, to int32)) {
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
	return u.into
}

// users lists, by row, the channels where packets with it wait.
func (u *Usage) users() *graph.Graph {
	if u.usedAt == nil {
		u.usedAt = graph.Collect(u.net.RowCount(), func(add func(from, to int32)) {
			for c := range spec.ChannelID(u.net.Topology().Channels()) {
				for _, r := range u.Of(c) {
					if Waits(u.net, r) {
						add(int32(r), int32(c))
					}
				}
			}
		})
	}
	return u.usedAt
}
