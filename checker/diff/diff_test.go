package diff_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/diff"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// facts are everything that networks are compared by, as texts, by kind: what exists, and what it
// is like. They contain no number of a node or channel.
func facts(t *rapid.T, n *spec.Network) map[string]map[string]string {
	topo := n.Topology()
	all := map[string]map[string]string{"nodes": {}, "links": {}, "flows": {}, "routes": {}, "dependencies": {}}
	for v := range spec.NodeID(topo.Nodes()) {
		all["nodes"][topo.Node(v).Name] = ""
	}
	for l := range spec.LinkID(topo.Links()) {
		k := topo.Link(l)
		all["links"][topo.Node(k.From).Name+">"+topo.Node(k.To).Name] = fmt.Sprint(k.VCs)
	}
	err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		at := fmt.Sprint(topo.ChannelName(s.Channel), "|", topo.Node(s.Header.Dest).Name, "|", n.Classes()[s.Header.Class], "|", s.Header.Tag)
		var to []string
		for _, h := range hops {
			to = append(to, fmt.Sprint(topo.ChannelName(h.Channel), h.Tag))
			if !s.Channel.IsInjection() && h.Channel != spec.Eject {
				all["dependencies"][topo.ChannelName(s.Channel)+">"+topo.ChannelName(h.Channel)] = ""
			}
		}
		slices.Sort(to)
		all["routes"][at] = strings.Join(to, " ")
		if s.Channel.IsInjection() {
			all["flows"][at] = ""
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// counts compares facts.
func counts(a, b map[string]string) (c [4]int) {
	for k, v := range a {
		switch w, ok := b[k]; {
		case !ok:
			c[0]++
		case v != w:
			c[2]++
		default:
			c[3]++
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			c[1]++
		}
	}
	return c
}

func compile(t *rapid.T, def routing.Definition) *spec.Network {
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Skip(err)
	}
	return n
}

// TestAgainstFacts: what is gone, new and changed between a drawn network and what failures leave
// of it, with nodes and links renumbered, agrees with the names; and between networks of which one
// has another class in place of the last. Parallel links are left out: their names do not tell which is
// which.
func TestAgainstFacts(t *testing.T) {
	differ := 0
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 5, Channels: 10, Tags: 2, Classes: 2, MayFail: true})
		a := compile(t, def)
		top := a.Topology()
		for l := range spec.LinkID(top.Links()) {
			if k := top.Link(l); len(top.LinksBetween(k.From, k.To)) > 1 || k.From == k.To {
				t.Skip("parallel links, or a link from a node to itself")
			}
		}
		failed := sweep.Failures{}
		for _, c := range sweep.Cables(top) {
			if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
				failed.Cables = append(failed.Cables, c)
			}
		}
		b := compile(t, reversed(sweep.Without(def, failed)))
		another := def
		another.Classes = slices.Clone(def.Classes)
		if last := len(another.Classes) - 1; last >= 0 {
			another.Classes[last] = "another"
		}
		c := compile(t, another)
		for _, pair := range [][2]*spec.Network{{a, b}, {b, a}, {a, a}, {a, compile(t, reversed(def))}, {a, c}, {c, a}} {
			lists, err := diff.Networks(context.Background(), pair[0], pair[1], diff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			x, y := facts(t, pair[0]), facts(t, pair[1])
			for _, l := range lists {
				if l.What == "settings" {
					continue
				}
				want := counts(x[l.What], y[l.What])
				if got := [4]int{l.Gone, l.New, l.Changed, l.Same}; got != want {
					t.Fatalf("%s: %v, want %v (gone, new, changed, same)\n%s", l.What, got, want, strings.Join(l.Rows, "\n"))
				}
				if len(l.Rows) != l.Gone+l.New+l.Changed {
					t.Fatalf("%s: %d rows", l.What, len(l.Rows))
				}
				differ += len(l.Rows)
			}
			checkCycles(t, pair[1], lists[len(lists)-1])
		}
	})
	if seedtest.Usual() && differ < 100 {
		t.Errorf("only %d differences were drawn", differ)
	}
}

// checkCycles: a new dependency is reported to be on a cycle if and only if its target leads
// back to its source, and a note says how many are, if any is.
func checkCycles(t *rapid.T, n *spec.Network, l diff.List) {
	g, err := dependency.Of(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	topo := n.Topology()
	var all []spec.ChannelID
	for c := range spec.ChannelID(topo.Channels()) {
		all = append(all, c)
	}
	next := map[string][]string{}
	for _, e := range g.EdgesAmong(all) {
		next[topo.ChannelName(e.From)] = append(next[topo.ChannelName(e.From)], topo.ChannelName(e.To))
	}
	on := 0
	for _, row := range l.Rows {
		text, fresh := strings.CutPrefix(row, "+ ")
		if !fresh {
			continue
		}
		text, cyclic := strings.CutSuffix(text, ", on a cycle")
		from, to, _ := strings.Cut(text, " waits for ")
		seen, stack := map[string]bool{to: true}, []string{to}
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, d := range next[c] {
				if !seen[d] {
					seen[d], stack = true, append(stack, d)
				}
			}
		}
		if cyclic != seen[from] {
			t.Fatalf("%s: leads back: %t", row, seen[from])
		}
		if cyclic {
			on++
		}
	}
	note := ""
	if on > 0 {
		note = fmt.Sprintf("%d of the new ones lie on cycles", on)
	}
	if l.Note != note {
		t.Fatalf("the note is %q, want %q", l.Note, note)
	}
}

// reversed returns a network whose nodes and links are numbered in reverse.
func reversed(def routing.Definition) routing.Definition {
	old := def.Topology
	node := func(v spec.NodeID) spec.NodeID { return spec.NodeID(old.Nodes()-1) - v }
	r := &renumbered{old: old, now: spec.NewTopology(old.VCNames()...), relation: def.Routing, node: node}
	for v := range spec.NodeID(old.Nodes()) {
		r.now.AddNode(old.Node(node(v)).Name)
	}
	for l := range spec.LinkID(old.Links()) {
		k := old.Link(spec.LinkID(old.Links()-1) - l)
		k.From, k.To = node(k.From), node(k.To)
		r.now.AddLink(k)
	}
	def.Topology, def.Routing, def.Senders, def.Selection = r.now, r, nil, nil
	if flows := def.Flows; flows != nil {
		def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return flows(node(src), node(dst), c) }
	}
	return def
}

type renumbered struct {
	old, now *spec.Topology
	relation routing.Relation
	node     func(spec.NodeID) spec.NodeID
}

// channel translates a channel of one topology to the numbers of the other.
func (r *renumbered) channel(from, to *spec.Topology, c spec.ChannelID) spec.ChannelID {
	switch {
	case c == spec.Eject:
		return c
	case c.IsInjection():
		return spec.Injection(r.node(from.Head(c)))
	}
	return to.Channel(spec.LinkID(from.Links()-1)-from.LinkOf(c), from.VC(c))
}

func (r *renumbered) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	h.Dest = r.node(h.Dest)
	hops, err := r.relation.AppendHops(nil, r.channel(r.now, r.old, at), h)
	for _, hop := range hops {
		hop.Channel = r.channel(r.old, r.now, hop.Channel)
		dst = append(dst, hop)
	}
	return dst, err
}

// TestTopologies: the rows were written by hand. If two links from a to b are exchanged in the
// file, their ports tell which is which; the third, with a new port, is the same link,
// changed. Rows are cut by kind.
func TestTopologies(t *testing.T) {
	build := func(nodes string, links ...spec.Link) *spec.Topology {
		t := spec.NewTopology()
		for name := range strings.FieldsSeq(nodes) {
			t.AddNode(name)
		}
		for _, l := range links {
			t.AddLink(l)
		}
		return t
	}
	a := build("a b c d", spec.Link{From: 0, To: 1, VCs: 1, Out: "p"}, spec.Link{From: 0, To: 1, VCs: 1, Out: "q"},
		spec.Link{From: 0, To: 1, VCs: 1, Out: "r"}, spec.Link{From: 2, To: 3, VCs: 1})
	b := build("b a e f", spec.Link{From: 1, To: 0, VCs: 1, Out: "q"}, spec.Link{From: 1, To: 0, VCs: 2, Out: "p"},
		spec.Link{From: 1, To: 0, VCs: 1, Out: "s"}, spec.Link{From: 0, To: 1, VCs: 1})
	want := []diff.List{
		{What: "nodes", Gone: 2, New: 2, Same: 2, Rows: []string{"- c", "+ e"}},
		{What: "links", Gone: 1, New: 1, Changed: 2, Same: 1, Rows: []string{"- c->d", "+ b->a",
			`~ a->b[p]: 1 VC from port "p" to port "", now 2 VCs from port "p" to port ""`}},
	}
	if diff := cmp.Diff(want, diff.Topologies(a, b, diff.Options{Rows: 1})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
