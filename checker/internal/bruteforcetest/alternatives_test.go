package bruteforcetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// Networks that commit packets, decided from the definition: a packet is committed to an alternative as it enters a
// channel, by anything, and then takes any hop of that one. Here a packet says which alternative it has; no site is
// split. Whole packets alone.

// commits is a network whose routing has alternatives: by place, a channel or, after those, a node that injects, by
// destination and tag.
type commits struct {
	topo   *spec.Topology
	tags   int
	buffer int
	rows   map[[3]int][][]spec.Hop
	// Mostly, a packet that does not go on around the first links, a ring perhaps, needs room for two.
	guarded bool
}

// traveller is a packet in a channel: its alternative is one of those of its place.
type traveller struct{ dest, tag, alternative int }

func (n *commits) alternatives(place, dest, tag int) [][]spec.Hop {
	node := spec.NodeID(place - n.topo.Channels())
	if place < n.topo.Channels() {
		node = n.topo.Head(spec.ChannelID(place))
	}
	if int(node) == dest {
		return [][]spec.Hop{{{Channel: spec.Eject}}}
	}
	return n.rows[[3]int{place, dest, tag}]
}

// drawCommits draws a network of up to five channels.
func drawCommits(t *rapid.T) *commits {
	nodes := rapid.IntRange(2, 3).Draw(t, "nodes")
	n := &commits{topo: netgen.Multigraph(t, nodes, netgen.Options{Channels: rapid.IntRange(nodes, 5).Draw(t, "channels"), Ring: true}),
		tags: rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "tags"), rows: map[[3]int][][]spec.Hop{}}
	n.buffer = rapid.SampledFrom([]int{1, 1, 2, 2, 3}).Draw(t, "buffer")
	n.guarded = n.buffer > 1 && rapid.Bool().Draw(t, "guarded")
	fails := rapid.IntRange(0, 3).Draw(t, "dead ends") == 0
	drops := rapid.Bool().Draw(t, "discards")
	for place := range n.topo.Channels() + nodes {
		node := spec.NodeID(place - n.topo.Channels())
		if place < n.topo.Channels() {
			node = n.topo.Head(spec.ChannelID(place))
		}
		for dest := range nodes {
			for tag := range n.tags {
				if int(node) != dest && (place < n.topo.Channels() || tag == 0) {
					n.rows[[3]int{place, dest, tag}] = n.drawAlternatives(t, place, node, fails, drops)
				}
			}
		}
	}
	return n
}

func (n *commits) drawAlternatives(t *rapid.T, place int, node spec.NodeID, fails, drops bool) (all [][]spec.Hop) {
	var out []spec.Hop
	for _, l := range n.topo.OutLinks(node) {
		for vc := range n.topo.Link(l).VCs {
			for tag := range n.tags {
				out = append(out, spec.Hop{Channel: n.topo.Channel(l, vc), Tag: spec.Tag(tag)})
			}
		}
	}
	for range rapid.SampledFrom([]int{1, 1, 2, 2, 3}).Draw(t, "alternatives") {
		var hops []spec.Hop
		if drops && rapid.IntRange(0, 2).Draw(t, "discard") == 0 {
			hops = append(hops, spec.Discard())
		}
		if len(hops) > 0 && rapid.Bool().Draw(t, "alone") {
			// the packet is discarded, whatever happens
		} else if len(out) > 0 && !(fails && rapid.IntRange(0, 5).Draw(t, "dead end") == 0) {
			for range rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "hops") {
				h := rapid.SampledFrom(out).Draw(t, "hop")
				around := place < n.topo.Nodes() && int(h.Channel) == (place+1)%n.topo.Nodes()
				switch {
				case n.guarded && around == (rapid.IntRange(0, 9).Draw(t, "unlike") > 0): // 1 room, as most around the ring
				case n.guarded:
					h.Room = 2
				case n.buffer > 1:
					h.Room = uint16(rapid.IntRange(0, n.buffer).Draw(t, "room"))
				}
				hops = append(hops, h)
			}
		}
		all = append(all, hops)
	}
	return all
}

// definition returns the network in Go, and as a file.
func (n *commits) definition() (routing.Definition, string) {
	place := func(at spec.ChannelID) int {
		if at.IsInjection() {
			return n.topo.Channels() + int(n.topo.Head(at))
		}
		return int(at)
	}
	def := routing.Definition{Name: "drawn", Topology: n.topo, Tags: n.tags, Buffer: n.buffer, Routing: routing.Router{
		Topology: n.topo, Route: func(p routing.Packet) routing.Choice {
			var all []routing.Choice
			for _, hops := range n.alternatives(place(p.At), int(p.Dest), int(p.Tag)) {
				all = append(all, routing.Adaptive(hops...))
			}
			return routing.Oblivious(all...)
		},
	}}
	var b strings.Builder
	fmt.Fprintf(&b,
		"network(name = \"drawn\", switching = \"store-and-forward\", buffer = %d, tags = %d)\nn = [node() for _ in range(%d)]\nl = [\n",
		n.buffer, n.tags, n.topo.Nodes())
	for l := range spec.LinkID(n.topo.Links()) {
		x := n.topo.Link(l)
		fmt.Fprintf(&b, "    link(n[%d], n[%d], vcs = %d),\n", x.From, x.To, x.VCs)
	}
	b.WriteString("]\nrows = {\n")
	var lines []string
	for q, all := range n.rows {
		var alternatives []string
		for _, hops := range all {
			var texts []string
			for _, h := range hops {
				if h.Discards() {
					texts = append(texts, "(-1, 0, 0, 1)")
					continue
				}
				texts = append(texts,
					fmt.Sprintf("(%d, %d, %d, %d)", n.topo.LinkOf(h.Channel), n.topo.VC(h.Channel), h.Tag, max(1, h.Room)))
			}
			alternatives = append(alternatives, "["+strings.Join(texts, ", ")+"]")
		}
		lines = append(lines, fmt.Sprintf("    (%d, %d, %d): [%s],\n", q[0], q[1], q[2], strings.Join(alternatives, ", ")))
	}
	slices.Sort(lines)
	fmt.Fprintf(&b, "%s}\ndef route(at, to):\n    place = %d + at.node.id if at.injecting else at.channel\n"+
		"    return oblivious([[discard() if i < 0 else hop(l[i], vc, tag, room) for i, vc, tag, room in x] for x in rows[(place, to.id, at.tag)]])\n",
		strings.Join(lines, ""), n.topo.Channels())
	return def, b.String()
}

// roads is what one packet can do: its sites, with the alternative that it has there.
type roads struct {
	undelivered, loops bool
	discards           int             // flows whose packets may come to a discard
	sites              map[[4]int]bool // place, destination, tag, alternative
}

func (n *commits) roads() (r roads) {
	r.sites = map[[4]int]bool{}
	next := map[[4]int][][4]int{}
	home := map[[4]int]bool{}
	var queue [][4]int
	visit := func(place, dest, tag int) (all [][4]int) {
		for k := range n.alternatives(place, dest, tag) {
			s := [4]int{place, dest, tag, k}
			if all = append(all, s); !r.sites[s] {
				r.sites[s] = true
				queue = append(queue, s)
			}
		}
		return all
	}
	for src := range n.topo.Nodes() {
		for dest := range n.topo.Nodes() {
			if src != dest {
				visit(n.topo.Channels()+src, dest, 0)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for _, h := range n.alternatives(s[0], s[1], s[2])[s[3]] {
			if h.Channel == spec.Eject {
				home[s] = true
				continue
			}
			next[s] = append(next[s], visit(int(h.Channel), s[1], int(h.Tag))...)
		}
	}
	for src := range n.topo.Nodes() {
		for dest := range n.topo.Nodes() {
			if src != dest && n.drops(src, dest, next) {
				r.discards++
			}
		}
	}
	ends := map[[4]int]bool{} // from where no packet comes back
	for again := true; again; {
		again = false
		for s := range r.sites {
			if !home[s] && slices.ContainsFunc(next[s], func(x [4]int) bool { return home[x] }) {
				home[s], again = true, true
			}
			if !ends[s] && !slices.ContainsFunc(next[s], func(x [4]int) bool { return !ends[x] }) {
				ends[s], again = true, true
			}
		}
	}
	for s := range r.sites {
		r.undelivered = r.undelivered || !home[s]
		r.loops = r.loops || !ends[s]
	}
	return r
}

// drops reports whether a packet of a flow may be discarded.
func (n *commits) drops(src, dest int, next map[[4]int][][4]int) bool {
	met, queue := map[[4]int]bool{}, [][4]int{}
	for k := range n.alternatives(n.topo.Channels()+src, dest, 0) {
		queue = append(queue, [4]int{n.topo.Channels() + src, dest, 0, k})
	}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if slices.ContainsFunc(n.alternatives(s[0], s[1], s[2])[s[3]], spec.Hop.Discards) {
			return true
		}
		if !met[s] {
			met[s], queue = true, append(queue, next[s]...)
		}
	}
	return false
}

// stuck reports whether some packet can come to where it never moves again, whatever happens; a packet without a hop
// counts as discarded. known is false if there are too many states.
func (n *commits) stuck(most int) (stuck, known bool) {
	channels := n.topo.Channels()
	key := func(s [][]traveller) string { return fmt.Sprint(s) }
	start := make([][]traveller, channels)
	states, number := [][][]traveller{start}, map[string]int{key(start): 0}
	var before [][]int       // by state
	moves := map[int][]int{} // by channel: states in which its first packet can move
	to := func(from int, s [][]traveller) {
		i, met := number[key(s)]
		if !met {
			i = len(states)
			number[key(s)], states = i, append(states, s)
		}
		for len(before) < len(states) {
			before = append(before, nil)
		}
		before[i] = append(before[i], from)
	}
	for i := 0; i < len(states); i++ {
		if len(states) > most {
			return false, false
		}
		s := states[i]
		enter := func(base [][]traveller, dest int, h spec.Hop) {
			for k := range n.alternatives(int(h.Channel), dest, int(h.Tag)) {
				after := slices.Clone(base)
				after[h.Channel] = append(slices.Clone(after[h.Channel]), traveller{dest, int(h.Tag), k})
				to(i, after)
			}
		}
		for src := range n.topo.Nodes() {
			for dest := range n.topo.Nodes() {
				if src == dest {
					continue
				}
				for _, hops := range n.alternatives(channels+src, dest, 0) {
					for _, h := range hops {
						if !h.Discards() && len(s[h.Channel])+max(1, int(h.Room)) <= n.buffer {
							enter(s, dest, h)
						}
					}
				}
			}
		}
		for c, in := range s {
			if len(in) == 0 {
				continue
			}
			left := slices.Clone(s)
			left[c] = in[1:]
			hops := n.alternatives(c, in[0].dest, in[0].tag)[in[0].alternative]
			if len(hops) == 0 || slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == spec.Eject }) {
				moves[c] = append(moves[c], i)
				to(i, left)
			}
			for _, h := range hops {
				if h.Channel != spec.Eject && len(s[h.Channel])+max(1, int(h.Room)) <= n.buffer {
					moves[c] = append(moves[c], i)
					enter(left, in[0].dest, h)
				}
			}
		}
	}
	for c := range channels {
		can := make([]bool, len(states))
		queue := moves[c]
		for _, i := range queue {
			can[i] = true
		}
		for ; len(queue) > 0; queue = queue[1:] {
			if queue[0] >= len(before) {
				continue
			}
			for _, b := range before[queue[0]] {
				if !can[b] {
					can[b] = true
					queue = append(queue, b)
				}
			}
		}
		for i, s := range states {
			if len(s[c]) > 0 && !can[i] {
				return true, true
			}
		}
	}
	return false, true
}

// TestCommitted: what is decided of networks that commit packets is what the definition says, by the static decision and
// by exploring; the file says the same network; the closed form gives it back; and traces name alternatives.
func TestCommitted(t *testing.T) {
	seen := map[string]int{}
	seedtest.Few(40, func() {
		rapid.Check(t, func(t *rapid.T) { compareCommitted(t, seen) })
	})
	demand(t, seen, "delivery violated", "livelock-freedom violated", "deadlock violated", "deadlock holds", "several alternatives",
		"a packet never moves again", "a choice makes a deadlock", "explored", "discards", "no-discard violated",
		"a deadlock beside discards", "room for several packets")
}

func compareCommitted(t *rapid.T, seen map[string]int) {
	ctx := context.Background()
	d := drawCommits(t)
	def, text := d.definition()
	def.Switching = spec.StoreAndForward
	n, err := routing.Compile(ctx, def, routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f, err := star.Load(ctx, "n.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if m, err := routing.Compile(ctx, f.Definition, routing.CompileOptions{Workers: 1}); err != nil || m.Digest() != n.Digest() {
		t.Fatalf("the file is another network (%v)\n%s", err, text)
	}
	var closed, again bytes.Buffer
	if err := spec.WriteClosed(&closed, n); err != nil {
		t.Fatal(err)
	}
	back, err := spec.ReadClosed(ctx, "n.json", closed.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, closed.String())
	}
	if err := spec.WriteClosed(&again, back); err != nil || again.String() != closed.String() {
		t.Fatalf("read and written again (%v): %s", err, cmp.Diff(closed.String(), again.String()))
	}
	if back.SiteCount() != n.SiteCount() || back.RowCount() != n.RowCount() || back.Alternatives() != n.Alternatives() {
		t.Fatalf("read again it has %d sites and %d rows, not %d and %d", back.SiteCount(), back.RowCount(), n.SiteCount(), n.RowCount())
	}
	r, err := checker.Check(ctx, back, checker.Question{Workers: 1, MaxStates: 2000, Properties: spec.PropertyNames()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	count(seen, n.Alternatives() > 0, "several alternatives")
	count(seen, n.Room() > 1, "room for several packets")
	roads := d.roads()
	fail := func(diff string) {
		if diff != "" {
			t.Fatalf("%s\n%s", diff, text)
		}
	}
	fail(exactly(r, spec.Delivery, roads.undelivered, seen))
	if n.SiteCount() == 0 {
		return // no packet enters
	}
	fail(exactly(r, spec.LivelockFreedom, roads.loops, seen))
	dropped, err := relation.DiscardsOf(ctx, back)
	if err != nil || dropped.Flows != roads.discards || dropped.Sites > 0 != back.Discards() {
		t.Fatalf("packets of %d flows may be discarded (%v), not %d\n%s", dropped.Flows, err, roads.discards, text)
	}
	count(seen, dropped.Flows > 0, "discards")
	fail(exactly(r, spec.NoDiscard, roads.discards > 0, seen))
	stuck, known := d.stuck(2000)
	deadlock := finding(r, spec.DeadlockFreedom)
	count(seen, stuck, "a packet never moves again")
	// A packet that packets keep out which move forever, so that there is never room for two, is starved (assumptions).
	starved := n.Room() > 1 && roads.loops
	if known && (deadlock.Verdict == spec.Violated && !stuck || deadlock.Verdict == spec.Holds && stuck && !starved) {
		fail(fmt.Sprintf("deadlock %s (%s), but a packet never moves again: %t", deadlock.Verdict, deadlock.Because, stuck))
	}
	seen[fmt.Sprint("deadlock ", deadlock.Verdict)]++
	count(seen, deadlock.Verdict == spec.Violated && dropped.Flows > 0, "a deadlock beside discards")
	if tr, is := deadlock.Evidence.(evidence.Trace); is {
		if err := counterexamples.Replay(ctx, back, tr.Trace); err != nil {
			t.Fatal(err)
		}
		plain := def
		plain.Routing = anyHop{def.Routing.(routing.Committing)}
		if m, err := routing.Compile(ctx, plain, routing.CompileOptions{Workers: 1}); err == nil {
			r, err := checker.Check(ctx, m, checker.Question{Workers: 1, MaxStates: 2000})
			count(seen, err == nil && finding(r, spec.DeadlockFreedom).Verdict == spec.Holds, "a choice makes a deadlock")
		}
	}
	if known && rapid.IntRange(0, 3).Draw(t, "explored") == 3 {
		m, err := states.NewTraffic(back, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Explore(ctx, m, checker.Question{Workers: 1, MaxStates: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if f := finding(r, spec.DeadlockFreedom); f.Verdict == spec.Violated || f.Verdict == spec.Holds && !(n.Room() > 1 && roads.loops) {
			seen["explored"]++
			fail(exactly(r, spec.DeadlockFreedom, stuck, map[string]int{}))
		}
	}
}

// anyHop takes the hops of all alternatives for one list: adaptive routing.
type anyHop struct{ routing.Committing }

func (a anyHop) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	all, err := a.Alternatives(at, h)
	return append(dst, slices.Concat(all...)...), err
}
