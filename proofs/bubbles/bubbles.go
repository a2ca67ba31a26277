// Package bubbles holds certificates of networks that bubbles keep free of deadlock, and their check: [Verify], and
// [VerifyPlain] for readers.
//
// A bubble is a free place. A hop that needs room for m packets leaves at least m-1 places of its channel free, so a
// set of channels into which only such hops lead always has free places somewhere: a packet that moves within the set
// takes a place and frees one, and one that leaves frees one. Packets that wait for each other in a ring of full
// channels are therefore impossible where every entry to the ring keeps a bubble (Carrión et al. 1997; Puente et
// al. 2001, with adaptive channels above the rings). A certificate lists such sets, which need not be rings, and gives
// channels levels.
//
// # Theorem
//
// Packets move as a whole, and each channel has B places. A hop into channel d that needs room for m packets is taken
// only while m places of d are free. A stuck set is a set of channels, the first packet of each of which waits, with
// all its hops into channels of the set that have less room than the hop needs ([spec.Traffic.CheckStuck]): none of
// these packets ever moves again. A packet that may leave the network does not wait; one that is committed to an
// alternative waits with the hops of that alternative alone. No reachable state has a stuck set if
//
//  1. each set of the certificate has at most as many places free as these hold: a hop from elsewhere into channel d
//     of the set, injections included, that needs room for m packets leaves m-1 places of d free, and besides these
//     an earlier set that lies within the other channels has its own;
//  2. for no channel c is there a set W of channels of c's level, c among them, and for each w in W a row of hops
//     with which a packet in w may wait, such that no hop of these rows leads to a lower level, those at this level
//     lead into W, and W can be as full as the rows demand: w holds a packet and, if a hop into it needs room for m,
//     more than B-m; and each set of the certificate then still has its free places.
//
// Proof. (1) All places are free in the empty network. A hop within a set keeps their number, a hop out of it raises
// it, and a hop into it leaves as many as was checked; by induction over the sets and over the steps, each set always
// has its free places. (2) Suppose that a reachable state has a stuck set. Take c of the lowest level in it, W the
// channels of the stuck set at that level, and for each w the row with which its first packet waits. Its hops lead
// into the stuck set, so none leads lower, and those at this level lead into W, which is as full as that. By (1),
// each set has its free places. This is what 2 excludes.
//
// The ring theorem is a case of it. Let every hop into a ring, but for those from one of its channels to the next,
// need room for two packets, so that one place of the ring is always free. Let a packet in the ring have a hop to a
// lower level, or one to the next channel that needs room for one packet only. If the first packet of a channel is
// stuck then the next channel is full, and its first packet is stuck: all are full, and no place is free. The levels
// of channels outside rings are those of an escape, in which every packet has a hop to a lower level.
//
// Why no measure is needed by which packets leave a ring: never stuck does not mean that every packet leaves. Where
// no packet moves for ever (livelock freedom), each can leave from every state: inject nothing more; as long as there
// are packets, one can move, since the channels that hold packets would be a stuck set otherwise (dead ends aside,
// which are faults of delivery); and moves end. A packet that others keep out for ever is starved, not stuck.
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
// found and where. [VerifyPlain] says the same for readers. Time is linear in the sites and in the hops into each set,
// but for the cases told apart: a certificate that takes more than some 10^8 steps is refused. It ends with ctx.
//
// Soundness: the theorem above. Level by level, each channel is shown to be in no stuck set (condition 2): from it on,
// the check follows in every row the hops into channels of the same level, which are then in the set too, and refutes
// each case: a hop leads into a channel that is in no stuck set, or some set has less places free than it always has.
//
// Not covered: that the tables are those of the network its author meant, sinks that never drain, and messages of
// flits. A packet that waits for packets which move on for ever is not stuck.
func Verify(ctx context.Context, n *spec.Network, c *Certificate) error {
	traffic, err := head(n, c)
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

// head checks all but the conditions of the theorem, and returns what hops need.
func head(n *spec.Network, c *Certificate) (*spec.Traffic, error) {
	switch {
	case c == nil:
		return nil, errors.New("no certificate")
	case n.FlowCount() == 0:
		return nil, errors.New("this network has no flows: the certificate shows nothing")
	case c.Network != n.Digest():
		return nil, fmt.Errorf("the certificate is for another network: %s, not %s", c.Network, n.Digest())
	case n.Switching() == spec.Wormhole:
		return nil, errors.New("a certificate of bubbles does not cover wormhole switching")
	case c.Bubble < 0 || c.Bubble == 1:
		return nil, fmt.Errorf("a bubble of %d: want 0 or at least 2", c.Bubble)
	case len(c.Levels) != n.Topology().Channels():
		return nil, fmt.Errorf("%d levels: want %d, one for each channel", len(c.Levels), n.Topology().Channels())
	case slices.ContainsFunc(c.Levels, func(level int32) bool { return level < 0 }):
		return nil, errors.New("levels are at least 0")
	}
	for i, s := range c.Sets {
		if places := len(s.Channels) * n.Capacity(); s.Free < 1 || s.Free > places {
			return nil, fmt.Errorf("set %d: %d free places: want 1 to %d", i, s.Free, places)
		}
		for k, d := range s.Channels {
			if d < 0 || int(d) >= len(c.Levels) || k > 0 && d <= s.Channels[k-1] {
				return nil, fmt.Errorf("set %d: channel %d: channels must exist and ascend", i, d)
			}
		}
	}
	return n.Traffic(c.Scenario())
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
	s, topo := v.c.Sets[i], v.n.Topology()
	for _, d := range s.Channels {
		v.in[d] = append(v.in[d], i)
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
