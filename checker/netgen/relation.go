package netgen

import (
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

type question struct {
	at spec.ChannelID
	h  spec.Header
}

// Table draws a relation that is a random table: one or two hops for every channel,
// destination and tag, wherever they lead. With mayFail there are also dead ends and hops
// out of the network in the wrong place. It ignores the class; [Definition] gives each its
// own.
func Table(rt *rapid.T, t *spec.Topology, tags int, mayFail bool) routing.Relation {
	table := map[question][]spec.Hop{}
	for n := range t.Nodes() {
		for dest := range t.Nodes() {
			if n == dest {
				continue
			}
			places := []spec.ChannelID{spec.Injection(spec.NodeID(n))}
			for _, l := range t.InLinks(spec.NodeID(n)) {
				for vc := range t.Link(l).VCs {
					places = append(places, t.Channel(l, vc))
				}
			}
			for _, at := range places {
				for tag := range tags {
					table[question{at, spec.Header{Dest: spec.NodeID(dest), Tag: spec.Tag(tag)}}] = row(rt, t, spec.NodeID(n), tags, mayFail)
				}
			}
		}
	}
	return routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, table[question{at, spec.Header{Dest: h.Dest, Tag: h.Tag}}]...)
	}))
}

// Discards adds a discard to the answers of a relation at about one site in six.
func Discards(rt *rapid.T, r routing.Relation) routing.Relation {
	return discarding{r, rapid.Uint64().Draw(rt, "discards")}
}

type discarding struct {
	routing.Relation
	seed uint64
}

func (d discarding) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	site := uint64(uint32(at))<<32 | uint64(h.Dest)<<16 | uint64(h.Class)<<8 | uint64(h.Tag)
	if hash.Mix(d.seed, site)%6 == 0 {
		dst = append(dst, spec.Discard())
	}
	return d.Relation.AppendHops(dst, at, h)
}

// Rooms has most hops of a relation need room for two packets, and some for as many as fit.
func Rooms(rt *rapid.T, r routing.Relation, buffer int) routing.Relation {
	return roomy{r, rapid.Uint64().Draw(rt, "rooms"), uint16(buffer)}
}

// roomy draws the room from the channels from and to which a hop leads.
type roomy struct {
	routing.Relation
	seed uint64
	most uint16
}

func (r roomy) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	first := len(dst)
	dst, err := r.Relation.AppendHops(dst, at, h)
	for i := range dst[first:] {
		if x := &dst[first+i]; x.Channel != spec.Eject {
			x.Room = []uint16{1, 2, 2, 2, r.most}[hash.Mix(r.seed, uint64(uint32(at))<<32|uint64(x.Channel))%5]
		}
	}
	return dst, err
}

// Commits makes an alternative of each hop at about half of the sites that have several.
func Commits(rt *rapid.T, r routing.Relation) routing.Relation {
	return committing{r, rapid.Uint64().Draw(rt, "commits")}
}

type committing struct {
	routing.Relation
	seed uint64
}

func (c committing) Alternatives(at spec.ChannelID, h spec.Header) (all [][]spec.Hop, err error) {
	hops, err := c.Relation.AppendHops(nil, at, h)
	site := uint64(uint32(at))<<32 | uint64(h.Dest)<<16 | uint64(h.Class)<<8 | uint64(h.Tag)
	if err != nil || len(hops) < 2 || hash.Mix(c.seed, site)%2 == 0 {
		return [][]spec.Hop{hops}, err
	}
	for i := range hops {
		all = append(all, hops[i:i+1])
	}
	return all, nil
}

func (c committing) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	all, err := c.Alternatives(at, h)
	if err == nil && len(all) > 1 {
		err = routing.ErrCommits
	}
	if err != nil {
		return dst, err
	}
	return append(dst, all[0]...), nil
}

// row draws the hops for one question: usually one or two, sometimes none.
func row(rt *rapid.T, t *spec.Topology, n spec.NodeID, tags int, mayFail bool) []spec.Hop {
	var all []spec.Hop
	for _, l := range t.OutLinks(n) {
		for vc := range t.Link(l).VCs {
			for tag := range tags {
				all = append(all, spec.Hop{Channel: t.Channel(l, vc), Tag: spec.Tag(tag)})
			}
		}
	}
	if len(all) == 0 || mayFail && rapid.IntRange(0, 11).Draw(rt, "none") == 0 {
		return nil
	}
	hops := []spec.Hop{all[rapid.IntRange(0, len(all)-1).Draw(rt, "hop")]}
	if rapid.Bool().Draw(rt, "two") {
		hops = append(hops, all[rapid.IntRange(0, len(all)-1).Draw(rt, "hop")])
	}
	if mayFail && rapid.IntRange(0, 19).Draw(rt, "wrong") == 0 {
		hops = append(hops, spec.Hop{Channel: spec.Eject})
	}
	return hops
}

// Minimal is the relation that permits every hop on a shortest path, on the VCs
// that vc permits ([AnyVC], or one that [VCs] drew).
func Minimal(t *spec.Topology, vc VC) routing.Relation {
	left := distances(t, func(_, _ spec.LinkID) bool { return true })
	return along(t, left, func(_, _ spec.LinkID) bool { return true }, vc)
}

// TurnRestricted draws a set of forbidden turns, from one link to the next, and returns the
// relation that permits every hop on a shortest path without them. A destination to which no
// such way leads is a dead end; with keep, all turns between the links of a spanning tree
// are permitted, so there is a way wherever links lead both ways.
func TurnRestricted(rt *rapid.T, t *spec.Topology, keep bool, vc VC) routing.Relation {
	tree := map[spec.LinkID]bool{}
	if keep {
		tree = spanning(t)
	}
	forbidden := map[[2]spec.LinkID]bool{}
	for a := range spec.LinkID(t.Links()) {
		for _, b := range t.OutLinks(t.Link(a).To) {
			if !(tree[a] && tree[b]) && rapid.IntRange(0, 2).Draw(rt, "forbidden") == 0 {
				forbidden[[2]spec.LinkID{a, b}] = true
			}
		}
	}
	legal := func(a, b spec.LinkID) bool { return !forbidden[[2]spec.LinkID{a, b}] }
	return along(t, distances(t, legal), legal, vc)
}

// spanning returns the links of a spanning tree from node 0, both ways.
func spanning(t *spec.Topology) map[spec.LinkID]bool {
	tree := map[spec.LinkID]bool{}
	seen := make([]bool, t.Nodes())
	queue := []spec.NodeID{0}
	seen[0] = true
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, l := range t.OutLinks(v) {
			w := t.Link(l).To
			if seen[w] {
				continue
			}
			seen[w] = true
			queue = append(queue, w)
			tree[l] = true
			for _, back := range t.OutLinks(w) {
				if t.Link(back).To == v {
					tree[back] = true
				}
			}
		}
	}
	return tree
}

// distances returns, by destination and link, how many hops a packet that has
// just come over the link needs, taking legal turns only.
func distances(t *spec.Topology, legal func(a, b spec.LinkID) bool) [][]int32 {
	all := make([][]int32, t.Nodes())
	for dest := range all {
		all[dest], _ = bfs.Levels(t.Links(), t.InLinks(spec.NodeID(dest)), func(b spec.LinkID, visit func(spec.LinkID)) {
			for _, a := range t.InLinks(t.Link(b).From) {
				if legal(a, b) {
					visit(a)
				}
			}
		})
	}
	return all
}

// along permits the hops that bring a packet nearer by legal turns.
func along(t *spec.Topology, left [][]int32, legal func(a, b spec.LinkID) bool, vc VC) routing.Relation {
	return routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		best := int32(bfs.Never)
		var next []spec.LinkID
		for _, l := range t.OutLinks(t.Head(at)) {
			d := left[h.Dest][l]
			if !at.IsInjection() && !legal(t.LinkOf(at), l) || d > best || d == bfs.Never {
				continue
			}
			if d < best {
				best, next = d, next[:0]
			}
			next = append(next, l)
		}
		for _, l := range next {
			for k := range t.Link(l).VCs {
				if vc(at, l, k) {
					dst = append(dst, spec.Hop{Channel: t.Channel(l, k)})
				}
			}
		}
		return dst
	}))
}

// VC says whether a packet in channel at may take VC k of a link.
type VC func(at spec.ChannelID, l spec.LinkID, k int) bool

// AnyVC permits every VC.
func AnyVC(spec.ChannelID, spec.LinkID, int) bool { return true }

// VCs draws an assignment: for every link and every VC that a packet arrives on,
// some VCs, at least one.
func VCs(rt *rapid.T, t *spec.Topology) VC {
	type key struct {
		from int // the VC that the packet comes on; -1 from its source
		l    spec.LinkID
	}
	most := 0
	for l := range spec.LinkID(t.Links()) {
		most = max(most, t.Link(l).VCs)
	}
	sets := map[key]int{}
	for l := range spec.LinkID(t.Links()) {
		for from := -1; from < most; from++ {
			sets[key{from, l}] = rapid.IntRange(1, 1<<t.Link(l).VCs-1).Draw(rt, "vcs")
		}
	}
	return func(at spec.ChannelID, l spec.LinkID, k int) bool {
		from := -1
		if !at.IsInjection() {
			from = t.VC(at)
		}
		return sets[key{from, l}]>>k&1 == 1
	}
}
