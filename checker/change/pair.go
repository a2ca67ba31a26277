package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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
	of := routing.FromNetwork(n)
	return routing.Definition{
		Name: of.Name, Origin: of.Origin, Topology: of.Topology, Classes: of.Classes, Tags: n.OwnTags(), Flows: of.Flows,
		Senders: of.Senders, Routing: listed{whole, forwardsByHeader(whole)}, Selection: of.Selection,
		Switching: of.Switching, Buffer: of.Buffer,
	}
}

type listed struct {
	n        *spec.Network
	byHeader bool // the alternatives depend on the router and the header alone
}

// AppendHops answers where there is one alternative.
func (l listed) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	all, err := l.Alternatives(at, h)
	if err == nil && len(all) > 1 {
		err = routing.ErrCommits
	}
	if err != nil {
		return dst, err
	}
	return append(dst, all[0]...), nil
}

func (l listed) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	topo, v := l.n.Topology(), l.n.Topology().Head(at)
	t := l.n.TableOf(h.Target())
	var rows []spec.RowID
	switch {
	case t == nil:
	case at.IsInjection():
		rows = sourceRows(rows, t, v)
	default:
		rows = siteRows(rows, l.n, t, at, h.Tag)
	}
	if len(rows) == 0 && v == h.Dest {
		return [][]spec.Hop{{{Channel: spec.Eject}}}, nil
	}
	if len(rows) == 0 && l.byHeader && t != nil {
		if h.Tag == 0 {
			rows = sourceRows(rows, t, v)
		}
		for _, in := range topo.InLinks(v) {
			for vc := 0; vc < topo.Link(in).VCs && len(rows) == 0; vc++ {
				rows = siteRows(rows, l.n, t, topo.Channel(in, vc), h.Tag)
			}
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf(
			"the tables of %s do not list what becomes of a packet for %s in %s, where the other network may bring it",
			l.n.Name(), topo.Node(h.Dest).Name, topo.ChannelName(at))
	}
	var all [][]spec.Hop
	for _, r := range rows {
		all = append(all, l.n.OwnHops(l.n.Row(r)))
	}
	return all, nil
}

// sourceRows appends the rows of the alternatives of a source; none if the node does not send.
func sourceRows(dst []spec.RowID, t *spec.Table, v spec.NodeID) []spec.RowID {
	for _, s := range t.SourcesOf(v) {
		dst = append(dst, s.Row)
	}
	return dst
}

// siteRows appends the rows of the alternatives of a site, whose tag is that of the routing; none if there is no such
// site.
func siteRows(dst []spec.RowID, n *spec.Network, t *spec.Table, c spec.ChannelID, tag spec.Tag) []spec.RowID {
	for k := int(tag); k < n.Tags(); k += n.OwnTags() {
		i, listed := t.Find(c, spec.Tag(k))
		if !listed {
			break
		}
		dst = append(dst, t.Rows[i])
	}
	return dst
}

// forwardsByHeader reports whether each router forwards packets of one header in one way, wherever they come from.
func forwardsByHeader(n *spec.Network) bool {
	topo, tags := n.Topology(), n.OwnTags()
	rows, met := make([][]spec.RowID, topo.Nodes()*tags), make([]int, topo.Nodes()*tags)
	var scratch spec.Table
	var own []spec.RowID
	for i := range n.Tables() {
		t := n.TableIn(&scratch, i)
		same := func(v spec.NodeID, tag spec.Tag) bool {
			at := int(v)*tags + int(tag)
			if met[at] != i+1 {
				met[at], rows[at] = i+1, append(rows[at][:0], own...)
			}
			return slices.Equal(rows[at], own)
		}
		for k, s := range t.Sources {
			if k > 0 && t.Sources[k-1].Node == s.Node {
				continue
			}
			if own = sourceRows(own[:0], t, s.Node); !same(s.Node, 0) {
				return false
			}
		}
		for k, c := range t.Channels {
			v, tag := topo.Head(c), t.Tag(k)
			if v == t.Dest || int(tag) >= tags {
				continue
			}
			if own = siteRows(own[:0], n, t, c, tag); !same(v, tag) {
				return false
			}
		}
	}
	return true
}

// Refuses says why a change from or to a network is not decided; nil if it is. A network in the closed form comes
// without its definition.
func Refuses(n *spec.Network, closed bool) error {
	switch {
	case len(n.Windows()) > 0:
		return errors.New("a change is not decided with a bound on outstanding requests, as its certificates know no " +
			"packet that is sent because of another: leave the bound out")
	case closed && (routing.HasReplies(n) || n.Asks() && n.Alternatives() == 0):
		return errors.New("a change of nodes that answer requests is decided from the file that declares the replies, " +
			"not from a closed form")
	}
	return nil
}

// tables are asked for the alternatives of a packet anywhere, also where their own network never brings it.
type tables interface {
	alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error)
}

// side is the old or the new network.
type side struct {
	routing.Definition
	tables tables
}

// guarded turns a panic of a relation into an error: it is asked about packets that its own network never brings there.
type guarded struct {
	routing.Relation
	t    *spec.Topology
	name string
}

func (g guarded) alternatives(at spec.ChannelID, h spec.Header) (all [][]spec.Hop, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the routing of %s does not say what becomes of a packet for %s with tag %d in %s, "+
				"where the other network may bring it",
				g.name, g.t.Node(h.Dest).Name, h.Tag, g.t.ChannelName(at))
		}
	}()
	return routing.Alternatives(g.Relation, at, h)
}

// replying are the tables of a network with replies, asked about transactions.
type replying struct {
	*routing.Transactions
	of tables
}

func (x replying) alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	return x.Alternatives(at, h, x.of.alternatives)
}

// anyTable is the relation that permits the hops of all alternatives of both tables: it leads to all sites of a change.
type anyTable [2]tables

func (x anyTable) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	for _, t := range x {
		all, err := t.alternatives(at, h)
		if err != nil {
			return dst, err
		}
		dst = append(dst, slices.Concat(all...)...)
	}
	return dst, nil
}

// renumbered are the tables of a network with fewer links, in the numbers of the one with all.
type renumbered struct {
	all   *spec.Topology
	of    tables
	there []spec.ChannelID // by channel of all: its number in the smaller network, or none
	back  []spec.ChannelID
}

func (x renumbered) alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	if from := at; at >= 0 {
		if at = x.there[at]; at < 0 {
			if x.all.Head(from) == h.Dest {
				return [][]spec.Hop{{{Channel: spec.Eject}}}, nil
			}
			return [][]spec.Hop{nil}, nil // unless it has arrived, a packet in a link that is gone is at a dead end
		}
	}
	all, err := x.of.alternatives(at, h)
	numbered := make([][]spec.Hop, len(all))
	for i, hops := range all {
		numbered[i] = slices.Clone(hops)
		for k, h := range hops {
			if h.Channel >= 0 && int(h.Channel) < len(x.back) {
				numbered[i][k].Channel = x.back[h.Channel]
			}
		}
	}
	return numbered, err
}

// common returns both networks over one topology: that of the network that has all links.
func common(before, after routing.Definition) (a, b side, err error) {
	a, b = side{Definition: before}, side{Definition: after}
	switch {
	case a.Selection != nil && a.Selection.Commit != nil || b.Selection != nil && b.Selection.Commit != nil:
		return a, b, &DifferenceError{"a selection function that commits is not decided"}
	case a.Definition.Alternatives()+b.Definition.Alternatives() > 0:
		return a, b, errors.New("of a network with alternatives, a change needs what Tables returns")
	case a.Topology == nil || b.Topology == nil || a.Routing == nil || b.Routing == nil:
		return a, b, fmt.Errorf("a change needs two topologies with routing")
	}
	for _, d := range []*side{&a, &b} {
		d.Tags, d.Buffer = max(d.Tags, 1), max(d.Buffer, 1)
		if len(d.Classes) == 0 {
			d.Classes = []string{""}
		}
		d.tables = guarded{d.Routing, d.Topology, d.Name}
	}
	switch {
	case !slices.Equal(a.Classes, b.Classes):
		return a, b, &DifferenceError{fmt.Sprintf("classes %q, now %q", a.Classes, b.Classes)}
	case a.Switching != b.Switching:
		return a, b, &DifferenceError{fmt.Sprintf("%s switching, now %s", a.Switching, b.Switching)}
	case a.Buffer != b.Buffer:
		return a, b, &DifferenceError{fmt.Sprintf("a buffer of %d, now %d", a.Buffer, b.Buffer)}
	}
	if err := sameTransactions(a.Definition, b.Definition); err != nil {
		return a, b, err
	}
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

// sameTransactions checks that nodes of two networks with the same classes send the same requests and answer them
// alike, if one of them has replies.
func sameTransactions(a, b routing.Definition) error {
	if len(a.Replies)+len(b.Replies) == 0 {
		return nil
	}
	differs := &DifferenceError{"the networks differ in their replies"}
	if len(a.Replies) != len(b.Replies) || a.Topology.Nodes() != b.Topology.Nodes() {
		return differs
	}
	nodes := spec.NodeID(a.Topology.Nodes())
	for i, r := range a.Replies {
		s := b.Replies[i]
		if r.Request != s.Request || r.Reply != s.Reply || r.Slots != s.Slots || r.RequestBuffer != s.RequestBuffer ||
			r.Outstanding != s.Outstanding || (r.To == nil) != (s.To == nil) {
			return differs
		}
		for origin := spec.NodeID(0); origin < nodes && r.To != nil; origin++ {
			for at := range nodes {
				x, err := r.To(nil, origin, at)
				y, err2 := s.To(nil, origin, at)
				if err := cmp.Or(err, err2); err != nil {
					return err
				}
				if !slices.Equal(x, y) {
					return differs
				}
			}
		}
	}
	for c := range spec.Class(len(a.Classes)) {
		for src := range nodes {
			for dst := range nodes {
				answers := slices.ContainsFunc(a.Replies, func(r routing.Reply) bool { return r.Reply == c })
				if src != dst && !answers && sends(a.Flows, src, dst, c) != sends(b.Flows, src, dst, c) {
					return oneSends(a.Topology, src, dst)
				}
			}
		}
	}
	return nil
}

func sends(f routing.Flows, src, dst spec.NodeID, c spec.Class) bool {
	return f == nil || f(src, dst, c)
}

func oneSends(t *spec.Topology, src, dst spec.NodeID) error {
	return &DifferenceError{fmt.Sprintf("%s sends to %s in one network only", t.Node(src).Name, t.Node(dst).Name)}
}

// over returns a network over a topology of the same nodes, in the same order, and at least the same links.
func over(all *spec.Topology, d side) (side, error) {
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
		all, d.tables, slices.Repeat([]spec.ChannelID{spec.Eject}, all.Channels()), make([]spec.ChannelID, t.Channels()),
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
		d.tables = x
	}
	return d, nil
}

// pairOf makes the network of both tables: the sites are those of the union of both relations.
func pairOf(ctx context.Context, a, b side, opt routing.CompileOptions) (*changes.Pair, error) {
	both := routing.Definition{
		Name: a.Name, Origin: a.Origin, Topology: a.Topology, Classes: a.Classes, Tags: a.Tags, Switching: a.Switching,
		Buffer: a.Buffer, Routing: anyTable{a.tables, b.tables}, Replies: a.Replies,
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
	var union *spec.Network
	var err error
	if len(a.Replies) > 0 {
		var x *routing.Transactions
		union, x, err = routing.CompileTransactions(ctx, both, opt)
		a.tables, b.tables = replying{x, a.tables}, replying{x, b.tables}
	} else {
		union, err = routing.Compile(ctx, both, opt)
	}
	if err != nil {
		return nil, err
	}
	m := pairing{union: union, sides: [2]side{a, b}, most: 1, listed: make([][]alternatives, union.Tables())}
	for i := range union.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if m.listed[i], err = m.list(union.Table(i)); err != nil {
			return nil, err
		}
	}
	if m.most*union.Tags() > 1<<16 {
		return nil, &spec.BoundError{What: "tags, one for every alternative of a site", Limit: 1 << 16}
	}
	parts := spec.Parts{
		Name: both.Name, Origin: a.Origin, Topology: union.Topology(), Tags: union.Tags() * m.most, Switching: a.Switching,
		Buffer: a.Buffer, Asks: union.Asks(),
	}
	if m.several {
		parts.Alternatives, parts.Asks = m.most, true
	}
	if len(a.Replies) > 0 {
		half := spec.Class(len(a.Classes))
		parts.Message = func(s spec.Site) string {
			if s.Header.Class %= half; !s.Channel.IsInjection() {
				s.Header.Tag %= spec.Tag(union.Tags())
			} else if m.several {
				return "" // alternatives number the sources anew
			}
			return union.Message(s)
		}
	}
	for i, words := range []string{"old", "new"} {
		for _, name := range a.Classes {
			if name != "" {
				words = name + " " + []string{"old", "new"}[i]
			}
			parts.Classes = append(parts.Classes, words)
		}
	}
	m.count = make([]int, union.Topology().Channels()*union.Tags())
	for i := range union.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		made := m.tables(union.Table(i), m.listed[i])
		parts.Tables = append(parts.Tables, made...)
		if m.several {
			parts.Apart = append(parts.Apart, m.separateSources(union.Table(i), m.listed[i], made)...)
		}
	}
	slices.SortFunc(parts.Apart, func(a, b spec.Site) int { return spec.Exchange{At: a}.Compare(spec.Exchange{At: b}) })
	slices.SortFunc(parts.Tables, func(a, b spec.Table) int { return a.Target.Compare(b.Target) })
	parts.Rows = m.rows.Sorted(parts.Tables)
	n, err := spec.NewNetwork(ctx, parts)
	if err != nil {
		return nil, err
	}
	return changes.NewPair(n)
}

// alternatives are those of a source or a site, by the old and by the new table, as many of each. If one table has
// fewer, it repeats its last one. A packet that is looked up again keeps its number. So it has each alternative of
// either table with some of the other, which is enough: from each place a packet leaves by one alternative alone.
type alternatives [2][][]spec.Hop

// pairing makes the tables of a pair.
type pairing struct {
	union   *spec.Network // of all hops
	sides   [2]side
	listed  [][]alternatives // by table: of its sources, then of its sites
	several bool             // somewhere, a packet is committed to one of several alternatives
	most    int              // alternatives of a site in a network channel
	rows    changes.Rows
	count   []int // by channel and tag of the routing: the alternatives of a site of the present table
}

// list asks both sides for the alternatives of the sources and the sites of a target.
func (m *pairing) list(t *spec.Table) ([]alternatives, error) {
	topo := m.union.Topology()
	all := make([]alternatives, len(t.Sources)+t.Len())
	for k := range all {
		var at spec.Site
		if k < len(t.Sources) {
			at = t.SourceSite(k)
		} else {
			at = t.Site(k - len(t.Sources))
		}
		for i, d := range m.sides {
			v := topo.Head(at.Channel)
			if at.Channel.IsInjection() && len(d.Replies) == 0 && !sends(d.Flows, v, t.Dest, t.Class) {
				return nil, oneSends(topo, v, t.Dest)
			}
			lists, err := d.tables.alternatives(at.Channel, at.Header)
			if err != nil {
				return nil, err
			}
			for _, hops := range lists {
				hops = spec.Distinct(slices.Clone(hops))
				same := func(x []spec.Hop) bool { return slices.Equal(x, hops) }
				if !slices.ContainsFunc(all[k][i], same) {
					all[k][i] = append(all[k][i], hops)
				}
			}
		}
		x := &all[k]
		if x.agree() {
			x[1] = x[0]
		}
		n := max(len(x[0]), len(x[1]))
		for i := range x {
			for len(x[i]) < n {
				x[i] = append(x[i], x[i][len(x[i])-1])
			}
		}
		if m.several = m.several || n > 1; k >= len(t.Sources) {
			m.most = max(m.most, n)
		}
	}
	return all, nil
}

// agree reports whether both tables have the same alternatives, in any order.
func (x *alternatives) agree() bool {
	within := func(a, b [][]spec.Hop) bool {
		return !slices.ContainsFunc(a, func(hops []spec.Hop) bool {
			return !slices.ContainsFunc(b, func(other []spec.Hop) bool { return slices.Equal(hops, other) })
		})
	}
	return within(x[0], x[1]) && within(x[1], x[0])
}

// tables returns the old and the new table of a target, with a source or a site for each alternative.
func (m *pairing) tables(of *spec.Table, all []alternatives) []spec.Table {
	sources, sites := all[:len(of.Sources)], all[len(of.Sources):]
	own := m.union.Tags()
	for i, c := range of.Channels {
		m.count[int(c)*own+int(of.Tag(i))] = len(sites[i][0])
	}
	made := make([]spec.Table, 2)
	for j := range made {
		t := &made[j]
		t.Target = of.Target
		t.Class += spec.Class(j * len(m.sides[0].Classes))
		for k, src := range of.Sources {
			for _, hops := range sources[k][j] {
				t.Sources = append(t.Sources, spec.Source{Node: src.Node, Row: m.row(hops)})
			}
		}
		for from, to := 0, 0; from < of.Len(); from = to {
			for to = from; to < of.Len() && of.Channels[to] == of.Channels[from]; to++ {
			}
			for k, more := 0, true; more; k++ { // all first alternatives of a channel, then all second ones: by tag
				more = false
				for i := from; i < to; i++ {
					if k >= len(sites[i][j]) {
						continue
					}
					t.Channels, t.Rows = append(t.Channels, of.Channels[i]), append(t.Rows, m.row(sites[i][j][k]))
					if own*m.most > 1 {
						t.Tags = append(t.Tags, of.Tag(i)+spec.Tag(k*own))
					}
					more = more || k+1 < len(sites[i][j])
				}
			}
		}
	}
	for i, c := range of.Channels {
		m.count[int(c)*own+int(of.Tag(i))] = 0
	}
	return made
}

// separateSources returns the sites of sources with which flows begin whose node has another of the same target before: in a
// network with replies, one for each way to answer.
func (m *pairing) separateSources(of *spec.Table, all []alternatives, made []spec.Table) (sites []spec.Site) {
	first := 0 // among the sources of the node
	for k, src := range of.Sources {
		if k == 0 || of.Sources[k-1].Node != src.Node {
			first = 0
		} else {
			for _, t := range made {
				h := spec.Header{Dest: t.Dest, Class: t.Class, Tag: spec.Tag(first)}
				sites = append(sites, spec.Site{Channel: spec.Injection(src.Node), Header: h})
			}
		}
		first += len(all[k][0])
	}
	return sites
}

// row returns the row of an alternative in the present tables: for each of its hops, one to every alternative there.
func (m *pairing) row(hops []spec.Hop) spec.RowID {
	own := m.union.Tags()
	var row []spec.Hop
	for _, h := range hops {
		row = append(row, h)
		for k := 1; h.Channel != spec.Eject && k < m.count[int(h.Channel)*own+int(h.Tag)]; k++ {
			row = append(row, spec.Hop{Channel: h.Channel, Tag: h.Tag + spec.Tag(k*own), Room: h.Room})
		}
	}
	slices.SortFunc(row, spec.Hop.Compare)
	return m.rows.Add(row)
}
