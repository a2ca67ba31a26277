// Package bubbles holds certificates of networks that bubbles keep free of deadlock, and their check ([Verify]).
//
// A bubble is a free place. A hop that needs room for m packets leaves at least m-1 places of its channel free, so a
// set of channels into which only such hops lead always has free places somewhere: a packet that moves within the set
// takes a place and frees one, and one that leaves frees one. Packets that wait for each other in a ring of full
// channels are therefore impossible where every entry to the ring keeps a bubble (Carrión et al. 1997; Puente et
// al. 2001, with adaptive channels above the rings). A certificate lists such sets, which need not be rings, and ranks
// channels by levels.
package bubbles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Certificate is evidence that a network whose packets move as a whole has no deadlock.
type Certificate struct {
	Network spec.Digest
	// Bubble is that of the scenario ([spec.Scenario]), at least 2; 0: hops alone say which room they need.
	Bubble int
	// Levels is indexed by network channel, at least 0. Of channels of one level none needs another to be below it.
	Levels []int32
	// Sets hold free places.
	Sets []Set
}

// Set is a set of channels in which places are always free.
type Set struct {
	Channels []spec.ChannelID // ascending
	Free     int              // how many places, at least 1, of all its channels together
}

// Scenario returns the scenario that the certificate is about.
func (c *Certificate) Scenario() spec.Scenario { return spec.Scenario{Bubble: c.Bubble} }

// mostSteps bounds what Verify does for the sets and for the cases of stuck sets. A ring of n channels takes about n*n.
const mostSteps = 1 << 27

// Verify checks a certificate against a network. A nil error is the only acceptance; any other error says what was
// found and where. Time is linear in the sites and in the hops into each set, but for the cases told apart: a
// certificate that takes more than some 10^8 steps is refused. It ends with ctx.
//
// Soundness: (1) Each set always has its free places. All are free in the empty network. Hops within the set keep their
// number, and hops out of it raise it. After a hop into channel d from elsewhere that needs room for m packets, at
// least m-1 places of d are free and, if an earlier set is among the other channels, so are that one's places.
//
// (2) Nothing is ever stuck. What is stuck is a set of channels, the head of each of which waits, all of its hops
// leading into channels of the set that have less room than the hop needs ([spec.Traffic.CheckStuck]); so d holds more
// than B-m of its B packets. Take a stuck set that has a channel of the lowest level, by induction: no channel of a
// lower level is ever in one. From that channel on, the check follows in every row the hops into channels of the same
// level, which are then in the set too, and refutes each case: a hop leads to a lower level, or some set has less
// places free than it always has.
//
// Not covered: that the tables are those of the network its author meant, sinks that never drain, and messages of
// flits. A packet that waits for packets which move on for ever is not stuck; where no packet moves for ever (freedom
// from livelock), every packet can leave from every state.
func Verify(ctx context.Context, n *spec.Network, c *Certificate) error {
	switch {
	case c == nil:
		return errors.New("no certificate")
	case n.FlowCount() == 0:
		return errors.New("this network has no flows: the certificate shows nothing")
	case c.Network != n.Digest():
		return fmt.Errorf("the certificate is for another network: %s, not %s", c.Network, n.Digest())
	case n.Switching() == spec.Wormhole:
		return errors.New("a certificate of bubbles does not cover wormhole switching")
	case c.Bubble < 0 || c.Bubble == 1:
		return fmt.Errorf("a bubble of %d: want 0 or at least 2", c.Bubble)
	case len(c.Levels) != n.Topology().Channels():
		return fmt.Errorf("%d levels: want %d, one for each channel", len(c.Levels), n.Topology().Channels())
	case slices.ContainsFunc(c.Levels, func(level int32) bool { return level < 0 }):
		return errors.New("levels are at least 0")
	}
	traffic, err := n.Traffic(c.Scenario())
	if err != nil {
		return err
	}
	v := &verification{
		n: n, c: c, traffic: traffic,
		entries: make([][]hop, len(c.Levels)), rows: make([][]row, len(c.Levels)), in: make([][]int, len(c.Levels)),
		never: make([]bool, len(c.Levels)), least: make([]int, len(c.Levels)), held: make([]int, len(c.Sets)),
	}
	if err := v.gather(ctx); err != nil {
		return err
	}
	for i := range c.Sets {
		if err := cmp.Or(v.set(i), ctx.Err()); err != nil {
			return fmt.Errorf("set %d: %w", i, err)
		}
	}
	return v.levels(ctx)
}

type verification struct {
	n       *spec.Network
	c       *Certificate
	traffic *spec.Traffic
	entries [][]hop // by channel: from where hops lead into it, each once, with the least room that they need there
	rows    [][]row // by channel: what a packet there may wait for
	in      [][]int // by channel: the sets that it is in

	never []bool // by channel: it is in no stuck set

	// What is assumed of a stuck set.
	least   []int            // by channel: how many packets it holds at least; 0: it may not be in the stuck set
	members []spec.ChannelID // that are in it
	held    []int            // by set: the sum of least of its channels
	steps   int
}

// hop is one between a channel and another one, from or to; need is the room that it needs.
type hop struct {
	other spec.ChannelID
	need  int
}

type row []hop

// of reports whether all hops of r are among those of a row.
func (r row) of(all row) bool {
	return !slices.ContainsFunc(r, func(h hop) bool { return !slices.Contains(all, h) })
}

// gather notes what packets may do in each channel. A row that permits a packet to leave the network does not wait.
func (v *verification) gather(ctx context.Context) error {
	return eachRow(ctx, v.n, func(at spec.ChannelID, r spec.RowID) {
		var waits row
		for _, h := range v.n.Row(r) {
			if h.Channel == spec.Eject {
				continue
			}
			need := v.traffic.Need(at, h)
			waits = append(waits, hop{h.Channel, need})
			into := v.entries[h.Channel]
			if i := slices.IndexFunc(into, func(e hop) bool { return e.other == at }); i < 0 {
				v.entries[h.Channel] = append(into, hop{at, need})
			} else {
				into[i].need = min(into[i].need, need)
			}
		}
		if !at.IsInjection() && !v.n.Leaves(r) {
			v.rows[at] = append(v.rows[at], waits)
		}
	})
}

// set checks that the places of a set are always free.
func (v *verification) set(i int) error {
	s := v.c.Sets[i]
	capacity, topo := v.n.Capacity(), v.n.Topology()
	if s.Free < 1 || s.Free > len(s.Channels)*capacity {
		return fmt.Errorf("%d free places: want 1 to %d", s.Free, len(s.Channels)*capacity)
	}
	for k, d := range s.Channels {
		if d < 0 || int(d) >= topo.Channels() || k > 0 && d <= s.Channels[k-1] {
			return fmt.Errorf("channel %d: channels must exist and ascend", d)
		}
		v.in[d] = append(v.in[d], i)
	}
	for _, d := range s.Channels {
		others := -1 // places that are always free in the other channels
		for _, e := range v.entries[d] {
			if _, inside := slices.BinarySearch(s.Channels, e.other); inside || e.need-1 >= s.Free {
				continue
			}
			if others < 0 {
				others = v.freeWithout(i, d)
			}
			if free := e.need - 1 + others; free < s.Free {
				return fmt.Errorf("a hop from %s into %s may leave only %d of %d free places",
					topo.ChannelName(e.other), topo.ChannelName(d), free, s.Free)
			}
		}
	}
	return nil
}

// freeWithout returns how many places an earlier set shows to be free in set i without channel d.
func (v *verification) freeWithout(i int, d spec.ChannelID) (free int) {
	s := v.c.Sets[i].Channels
	v.steps += i
	for _, t := range v.c.Sets[:i] {
		if t.Free > free && !slices.ContainsFunc(t.Channels, func(c spec.ChannelID) bool {
			_, in := slices.BinarySearch(s, c)
			return !in || c == d
		}) {
			free = t.Free
		}
	}
	return free
}

// levels checks, level by level, that no channel is ever in a stuck set.
func (v *verification) levels(ctx context.Context) error {
	order := make([]spec.ChannelID, len(v.c.Levels))
	for c := range order {
		order[c] = spec.ChannelID(c)
	}
	slices.SortStableFunc(order, func(a, b spec.ChannelID) int { return int(v.c.Levels[a]) - int(v.c.Levels[b]) })
	for first := 0; first < len(order); {
		level, end := v.c.Levels[order[first]], first
		for ; end < len(order) && v.c.Levels[order[end]] == level; end++ {
			v.rows[order[end]] = v.hopsWithin(level, v.rows[order[end]])
		}
		for _, c := range order[first:end] {
			if err := ctx.Err(); err != nil {
				return err
			}
			v.members = v.members[:0]
			possible := v.assume(row{{c, v.n.Capacity()}}) && v.possible(0)
			v.undo(0, nil)
			if v.steps > mostSteps {
				return fmt.Errorf("more than %d steps", mostSteps)
			} else if possible {
				return fmt.Errorf("level %d: what bubbles there are does not show that a packet in %s can ever move",
					level, v.n.Topology().ChannelName(c))
			}
			v.never[c] = true
		}
		first = end
	}
	return nil
}

// hopsWithin returns the hops that the rows of a channel have at its own level, but for rows with a hop into a channel that
// is never in a stuck set. Of rows it keeps the least: to wait with more hops is to wait with these.
func (v *verification) hopsWithin(level int32, rows []row) (out []row) {
	for _, r := range rows {
		if len(r) == 0 || slices.ContainsFunc(r, func(h hop) bool { return v.never[h.other] }) {
			continue // a dead end, or it does not wait
		}
		same := slices.DeleteFunc(slices.Clone(r), func(h hop) bool { return v.c.Levels[h.other] != level })
		if !slices.ContainsFunc(out, func(o row) bool { return o.of(same) }) {
			out = append(slices.DeleteFunc(out, same.of), same)
		}
	}
	return out
}

// possible reports whether the members from number k on may all wait.
func (v *verification) possible(k int) bool {
	if k == len(v.members) || v.steps > mostSteps {
		return true
	}
	for _, r := range v.rows[v.members[k]] {
		if slices.ContainsFunc(r, func(h hop) bool { return v.never[h.other] }) {
			continue
		}
		members, before := len(v.members), make(row, len(r))
		for i, h := range r {
			before[i] = hop{h.other, v.least[h.other]}
		}
		if v.assume(r) && v.possible(k+1) {
			return true
		}
		v.undo(members, before)
	}
	return false
}

// assume has the channels of a row's hops be members without the room that these need, or reports that a set then has
// too few free places.
func (v *verification) assume(r row) (possible bool) {
	possible = true
	for _, h := range r {
		if v.least[h.other] == 0 {
			v.members = append(v.members, h.other)
		}
		possible = v.hold(h.other, max(v.least[h.other], v.n.Capacity()-h.need+1)) && possible
	}
	return possible
}

// undo takes back all but the first members, and what was assumed of channels.
func (v *verification) undo(members int, before row) {
	for _, h := range slices.Backward(before) {
		v.hold(h.other, h.need)
	}
	for _, c := range v.members[members:] {
		v.hold(c, 0)
	}
	v.members = v.members[:members]
}

// hold has a channel hold at least so many packets, and reports whether its sets have their free places then.
func (v *verification) hold(c spec.ChannelID, packets int) (possible bool) {
	possible = true
	v.steps += 1 + len(v.in[c])
	for _, i := range v.in[c] {
		v.held[i] += packets - v.least[c]
		s := &v.c.Sets[i]
		possible = possible && v.held[i] <= len(s.Channels)*v.n.Capacity()-s.Free
	}
	v.least[c] = packets
	return possible
}

// eachRow calls f once for each channel, of the network or of an injection, and each row that a packet may have there.
// Tables share rows, and a node has few.
func eachRow(ctx context.Context, n *spec.Network, f func(spec.ChannelID, spec.RowID)) error {
	type use struct {
		at  spec.ChannelID
		row spec.RowID
	}
	seen := map[use]bool{}
	last := make([]spec.RowID, n.Topology().Channels()+n.Topology().Nodes()) // + 1, since most rows repeat the last
	look := func(at spec.ChannelID, r spec.RowID) {
		place := int(at)
		if at.IsInjection() {
			place = n.Topology().Channels() + int(n.Topology().Head(at))
		}
		if last[place] != r+1 && !seen[use{at, r}] {
			seen[use{at, r}] = true
			f(at, r)
		}
		last[place] = r + 1
	}
	table := func(t *spec.Table) {
		for _, src := range t.Sources {
			look(spec.Injection(src.Node), src.Row)
		}
		for i, c := range t.Channels {
			look(c, t.Rows[i])
		}
	}
	for i := range n.Fragments() {
		t := n.Fragment(int32(i))
		table(&t)
	}
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return err
		}
		table(n.Stored(i))
	}
	return nil
}
