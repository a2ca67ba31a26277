package diff

import (
	"cmp"
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Topologies compares nodes and links.
func Topologies(a, b *spec.Topology, opt Options) []List {
	there, back := match(a, b), match(b, a)
	nodes, links := &list{List: List{What: "nodes"}, opt: opt}, &list{List: List{What: "links"}, opt: opt}
	for v, w := range there.node {
		if w == none {
			nodes.lose(func() string { return a.Node(spec.NodeID(v)).Name })
		} else {
			nodes.Same++
		}
	}
	for v, w := range back.node {
		if w == none {
			nodes.gain(func() string { return b.Node(spec.NodeID(v)).Name })
		}
	}
	for l, k := range there.link {
		if k == none {
			links.lose(func() string { return a.LinkName(spec.LinkID(l)) })
			continue
		}
		x, y := a.Link(spec.LinkID(l)), b.Link(k)
		if x.VCs == y.VCs && x.Out == y.Out && x.In == y.In {
			links.Same++
			continue
		}
		links.change(func() string {
			return fmt.Sprintf("%s: %s, now %s", a.LinkName(spec.LinkID(l)), linkText(x), linkText(y))
		})
	}
	for l, k := range back.link {
		if k == none {
			links.gain(func() string { return b.LinkName(spec.LinkID(l)) })
		}
	}
	return []List{nodes.done(), links.done()}
}

func linkText(k spec.Link) string {
	text := fmt.Sprintf("%d VCs", k.VCs)
	if k.VCs == 1 {
		text = "1 VC"
	}
	if k.Out+k.In != "" {
		text += fmt.Sprintf(" from port %q to port %q", k.Out, k.In)
	}
	return text
}

// Networks compares networks: their settings, nodes, links, flows, routes, and the
// dependencies between channels. A route is what is permitted at a site, reported by
// destination; a dependency is new if no packet of the first network could wait so.
func Networks(ctx context.Context, a, b *spec.Network, opt Options) ([]List, error) {
	if max(a.Alternatives(), b.Alternatives()) > 0 && a.OwnTags() != b.OwnTags() {
		return nil, fmt.Errorf("networks with committed alternatives (oblivious) are compared only with equally many tags, not %d and %d",
			a.OwnTags(), b.OwnTags())
	}
	lists := append([]List{settings(a, b, opt)}, Topologies(a.Topology(), b.Topology(), opt)...)
	c := newComparison(a, b, opt)
	if err := c.tables(ctx); err != nil {
		return nil, err
	}
	waits, err := dependencies(ctx, a, b, c.there, opt)
	if err != nil {
		return nil, err
	}
	return append(lists, c.flows.done(), c.routes.done(), waits), nil
}

// settings compares what concerns a network as a whole.
func settings(a, b *spec.Network, opt Options) List {
	l := &list{List: List{What: "settings"}, opt: opt}
	for _, s := range []struct {
		what string
		x, y any
	}{
		{"switching", a.Switching(), b.Switching()}, {"buffer", a.Buffer(), b.Buffer()}, {"tags", a.OwnTags(), b.OwnTags()},
		{"alternatives", a.Alternatives(), b.Alternatives()},
		{"classes", fmt.Sprintf("%q", a.Classes()), fmt.Sprintf("%q", b.Classes())},
		{"selection", cmp.Or(a.Selection(), "any"), cmp.Or(b.Selection(), "any")},
	} {
		if s.what == "alternatives" && s.x == 0 && s.y == 0 {
			continue // few networks have them
		}
		if fmt.Sprint(s.x) == fmt.Sprint(s.y) {
			l.Same++
			continue
		}
		l.change(func() string { return fmt.Sprintf("%s: %v, now %v", s.what, s.x, s.y) })
	}
	return l.done()
}

// dependencies compares the edges of the channel dependency graphs.
func dependencies(ctx context.Context, a, b *spec.Network, there *matching, opt Options) (List, error) {
	l := &list{List: List{What: "dependencies"}, opt: opt}
	before, err := dependency.Of(ctx, a)
	if err != nil {
		return List{}, err
	}
	after, err := dependency.Of(ctx, b)
	if err != nil {
		return List{}, err
	}
	now := map[dependency.Edge]bool{}
	edges := edgesOf(after)
	for _, e := range edges {
		now[e] = true
	}
	for _, e := range edgesOf(before) {
		if in := (dependency.Edge{From: there.channel[e.From], To: there.channel[e.To]}); now[in] {
			delete(now, in)
			l.Same++
			continue
		}
		l.lose(func() string { return waits(a.Topology(), e) })
	}
	component := map[spec.ChannelID]int{}
	for i, members := range after.Cyclic() {
		for _, c := range members {
			component[c] = i + 1
		}
	}
	cyclic := 0
	for _, e := range edges {
		if !now[e] {
			continue
		}
		on := ""
		if component[e.From] > 0 && component[e.From] == component[e.To] {
			on = ", on a cycle"
			cyclic++
		}
		l.gain(func() string { return waits(b.Topology(), e) + on })
	}
	if cyclic > 0 {
		l.Note = fmt.Sprintf("%d of the new ones lie on cycles", cyclic)
	}
	return l.done(), nil
}

func edgesOf(g *dependency.Graph) []dependency.Edge {
	all := graph.Identity[spec.ChannelID](g.Channels())
	return g.EdgesAmong(all)
}

func waits(t *spec.Topology, e dependency.Edge) string {
	return t.ChannelName(e.From) + " waits for " + t.ChannelName(e.To)
}
