package change

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// DifferenceError says what else than its routing differs between the old and the new network.
type DifferenceError struct{ What string }

func (e *DifferenceError) Error() string {
	return e.What + ": a change rewrites routing tables, and all else must be the same in both networks"
}

// Tables returns the definition of a network in the closed form. Its tables list hops where its own packets come. Another
// network may bring packets elsewhere: there a router forwards by destination, class and tag, if it forwards all packets
// of its own so, as forwarding tables do. If it does not, or lists no such packet, the relation fails.
func Tables(n *spec.Network) routing.Definition {
	whole := routing.Whole(context.Background(), n)
	def := routing.FromNetwork(n)
	def.Routing = listed{whole, forwardsByHeader(whole)}
	return def
}

type listed struct {
	n        *spec.Network
	byHeader bool // the hops depend on the router and the header alone
}

func (l listed) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	hops, found := l.n.Hops(spec.Site{Channel: at, Header: h})
	topo, v := l.n.Topology(), l.n.Topology().Head(at)
	switch t := l.n.TableOf(h.Target()); {
	case found:
		return append(dst, hops...), nil
	case v == h.Dest:
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	case l.byHeader && t != nil:
		if own := t.SourcesOf(v); len(own) > 0 && h.Tag == 0 {
			return append(dst, l.n.Row(own[0].Row)...), nil
		}
		for _, in := range topo.InLinks(v) {
			for vc := range topo.Link(in).VCs {
				if i, ok := t.Find(topo.Channel(in, vc), h.Tag); ok {
					return append(dst, l.n.Row(t.Rows[i])...), nil
				}
			}
		}
	}
	return dst, fmt.Errorf(
		"the tables of %s do not list what becomes of a packet for %s in %s, where the other network may bring it",
		l.n.Name(), topo.Node(h.Dest).Name, topo.ChannelName(at))
}

// forwardsByHeader reports whether each router forwards packets of one header in one way, wherever they come from.
func forwardsByHeader(n *spec.Network) bool {
	topo, tags := n.Topology(), n.Tags()
	rows, met := make([]spec.RowID, topo.Nodes()*tags), make([]int, topo.Nodes()*tags)
	var scratch spec.Table
	for i := range n.Tables() {
		t := n.TableIn(&scratch, i)
		same := func(v spec.NodeID, tag spec.Tag, r spec.RowID) bool {
			at := int(v)*tags + int(tag)
			if met[at] != i+1 {
				met[at], rows[at] = i+1, r
			}
			return rows[at] == r
		}
		for _, s := range t.Sources {
			if !same(s.Node, 0, s.Row) {
				return false
			}
		}
		for k, c := range t.Channels {
			if v := topo.Head(c); v != t.Dest && !same(v, t.Tag(k), t.Rows[k]) {
				return false
			}
		}
	}
	return true
}

// errCommits refuses alternatives: a packet that waits is looked up again, and then has those of the other table.
var errCommits = &DifferenceError{
	"packets that are committed to one of several alternatives (oblivious) are not decided"}

// errDiscards refuses discards.
var errDiscards = &DifferenceError{"networks that discard packets on purpose are not decided"}

// Refuses says why a change from or to a network is not decided; nil if it is. It begins with the place of the hop in
// a file, or with the network's name; that of replies, which are no hops, does not.
func Refuses(n *spec.Network) error {
	switch {
	case routing.HasReplies(n) || n.Asks() && n.Alternatives() == 0 || len(n.Windows()) > 0:
		return errors.New("a change is not decided where nodes answer requests, as its certificates know no packet that is " +
			"sent because of another")
	case n.Alternatives() > 0:
		return relation.RefuseAlternatives(n, "a change is not decided where packets are committed to alternatives "+
			"(oblivious), as a packet that is looked up again would have those of the other table")
	case n.Discards():
		return relation.RefuseDiscards(n, "a change is not decided where packets are discarded on purpose, as its "+
			"certificates know no packet that ends on its way")
	}
	return nil
}

// guarded turns a panic of a relation into an error: it is asked about packets that its own network never brings there.
type guarded struct {
	routing.Relation
	t    *spec.Topology
	name string
}

func (g guarded) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) (hops []spec.Hop, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the routing of %s does not say what becomes of a packet for %s with tag %d in %s, "+
				"where the other network may bring it",
				g.name, g.t.Node(h.Dest).Name, h.Tag, g.t.ChannelName(at))
		}
	}()
	if hops, err = g.Relation.AppendHops(dst, at, h); errors.Is(err, routing.ErrCommits) {
		return hops, errCommits
	}
	if slices.ContainsFunc(hops[len(dst):], spec.Hop.Discards) {
		return hops, errDiscards
	}
	return hops, err
}

// renumbered is a relation of a network with fewer links, in the numbers of the one with all.
type renumbered struct {
	all   *spec.Topology
	r     routing.Relation
	there []spec.ChannelID // by channel of all: its number in the smaller network, or none
	back  []spec.ChannelID
}

func (x renumbered) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	if from := at; at >= 0 {
		if at = x.there[at]; at < 0 {
			if x.all.Head(from) == h.Dest {
				dst = append(dst, spec.Hop{Channel: spec.Eject})
			}
			return dst, nil // unless it has arrived, a packet in a link that is gone is at a dead end
		}
	}
	first := len(dst)
	dst, err := x.r.AppendHops(dst, at, h)
	for i := first; i < len(dst); i++ {
		if c := dst[i].Channel; c >= 0 && int(c) < len(x.back) {
			dst[i].Channel = x.back[c]
		}
	}
	return dst, err
}

// common returns both definitions over one topology: that of the network that has all links.
func common(before, after routing.Definition) (a, b routing.Definition, err error) {
	a, b = before, after
	switch {
	case len(a.Replies)+len(b.Replies) > 0:
		return a, b, &DifferenceError{"nodes that answer requests are not decided: leave out the replies"}
	case a.Selection != nil && a.Selection.Commit != nil || b.Selection != nil && b.Selection.Commit != nil:
		return a, b, &DifferenceError{"a selection function that commits is not decided"}
	case a.Alternatives()+b.Alternatives() > 0: // what is a site of the one may be two of the other
		return a, b, errCommits
	case a.Topology == nil || b.Topology == nil || a.Routing == nil || b.Routing == nil:
		return a, b, fmt.Errorf("a change needs two topologies with routing")
	}
	for _, d := range []*routing.Definition{&a, &b} {
		d.Tags, d.Buffer = max(d.Tags, 1), max(d.Buffer, 1)
		if len(d.Classes) == 0 {
			d.Classes = []string{""}
		}
	}
	switch {
	case !slices.Equal(a.Classes, b.Classes):
		return a, b, &DifferenceError{fmt.Sprintf("classes %q, now %q", a.Classes, b.Classes)}
	case a.Switching != b.Switching:
		return a, b, &DifferenceError{fmt.Sprintf("%s switching, now %s", a.Switching, b.Switching)}
	case a.Buffer != b.Buffer:
		return a, b, &DifferenceError{fmt.Sprintf("a buffer of %d, now %d", a.Buffer, b.Buffer)}
	}
	a.Routing, b.Routing = guarded{a.Routing, a.Topology, a.Name}, guarded{b.Routing, b.Topology, b.Name}
	a.Tags = max(a.Tags, b.Tags)
	b.Tags = a.Tags
	if a.Topology == b.Topology {
		return a, b, nil
	}
	if a.Topology.Links() >= b.Topology.Links() {
		b, err = over(a.Topology, b)
	} else {
		a, err = over(b.Topology, a)
	}
	return a, b, err
}

// over returns a definition over a topology of the same nodes, in the same order, and at least the same links.
func over(all *spec.Topology, d routing.Definition) (routing.Definition, error) {
	t := d.Topology
	if all.Nodes() != t.Nodes() {
		return d, &DifferenceError{fmt.Sprintf("%d nodes, and %d nodes", all.Nodes(), t.Nodes())}
	}
	for v := range spec.NodeID(t.Nodes()) {
		if all.Node(v).Name != t.Node(v).Name {
			return d, &DifferenceError{fmt.Sprintf("node %d is %s, and %s", v, all.Node(v).Name, t.Node(v).Name)}
		}
	}
	x := renumbered{
		all, d.Routing, slices.Repeat([]spec.ChannelID{spec.Eject}, all.Channels()), make([]spec.ChannelID, t.Channels()),
	}
	taken := make([]bool, all.Links())
	same := all.Links() == t.Links()
	for l := range spec.LinkID(t.Links()) {
		k, found := t.Link(l), false
		for _, exactly := range []bool{true, false} {
			for _, m := range all.OutLinks(k.From) {
				o := all.Link(m)
				if found || taken[m] || o.To != k.To || o.VCs != k.VCs || exactly && (o.Out != k.Out || o.In != k.In) {
					continue
				}
				taken[m], found, same = true, true, same && m == l
				for i := range k.VCs {
					x.there[all.Channel(m, i)], x.back[t.Channel(l, i)] = t.Channel(l, i), all.Channel(m, i)
				}
			}
		}
		if !found {
			return d, &DifferenceError{fmt.Sprintf("the network with more links has none like %s", t.LinkName(l))}
		}
	}
	if d.Topology = all; !same {
		d.Routing = x
	}
	return d, nil
}

// pairOf makes the network of both tables: the sites are those of the union of both relations.
func pairOf(ctx context.Context, a, b routing.Definition, opt routing.CompileOptions) (*changes.Pair, error) {
	sends := func(f routing.Flows, src, dst spec.NodeID, c spec.Class) bool { return f == nil || f(src, dst, c) }
	both := routing.Definition{
		Name: a.Name, Origin: a.Origin, Topology: a.Topology, Classes: a.Classes, Tags: a.Tags, Switching: a.Switching,
		Buffer: a.Buffer, Routing: routing.Union(a.Routing, b.Routing),
	}
	if b.Name != a.Name {
		both.Name += ", now " + b.Name
	}
	if a.Flows != nil || b.Flows != nil {
		both.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
			return sends(a.Flows, src, dst, c) || sends(b.Flows, src, dst, c)
		}
	}
	if a.Senders != nil && b.Senders != nil {
		both.Senders = func(dst []spec.NodeID, to spec.Target) []spec.NodeID { return b.Senders(a.Senders(dst, to), to) }
	}
	opt.Fragments = 0
	union, err := routing.Compile(ctx, both, opt)
	if err != nil {
		return nil, err
	}
	t, k := a.Topology, len(a.Classes)
	parts := spec.Parts{
		Name: both.Name, Origin: a.Origin, Topology: t, Tags: union.Tags(), Switching: a.Switching, Buffer: a.Buffer,
	}
	for i, words := range []string{"old", "new"} {
		for _, name := range a.Classes {
			if name != "" {
				words = name + " " + []string{"old", "new"}[i]
			}
			parts.Classes = append(parts.Classes, words)
		}
	}
	var rows changes.Rows
	var hops []spec.Hop
	row := func(r routing.Relation, at spec.Site) (spec.RowID, error) {
		var err error
		if hops, err = r.AppendHops(hops[:0], at.Channel, at.Header); err != nil {
			return 0, err
		}
		hops = spec.Distinct(hops)
		return rows.Add(hops), nil
	}
	for i := range union.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		of := union.Table(i)
		for j, d := range []routing.Definition{a, b} {
			made := spec.Table{Target: of.Target, Channels: of.Channels, Tags: of.Tags}
			made.Class += spec.Class(j * k)
			for s, src := range of.Sources {
				if !sends(d.Flows, src.Node, of.Dest, of.Class) {
					return nil, &DifferenceError{fmt.Sprintf("%s sends to %s in one network only", t.Node(src.Node).Name, t.Node(of.Dest).Name)}
				}
				r, err := row(d.Routing, of.SourceSite(s))
				if err != nil {
					return nil, err
				}
				made.Sources = append(made.Sources, spec.Source{Node: src.Node, Row: r})
			}
			made.Rows = make([]spec.RowID, of.Len())
			for s := range of.Len() {
				if made.Rows[s], err = row(d.Routing, of.Site(s)); err != nil {
					return nil, err
				}
			}
			parts.Tables = append(parts.Tables, made)
		}
	}
	slices.SortFunc(parts.Tables, func(a, b spec.Table) int { return a.Target.Compare(b.Target) })
	parts.Rows = rows.Sorted(parts.Tables)
	n, err := spec.NewNetwork(ctx, parts)
	if err != nil {
		return nil, err
	}
	return changes.NewPair(n)
}
