package parameterized

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// small is the network of one size, by the formulas: what is fitted is fitted to it.
type small struct {
	f     *Family
	size  map[string]int
	nodes [][]int
	spans []int // of each coordinate
	kinds []kind
	count map[kind]int // the place of a kind among kinds
	sites []siteOf
	// deps are the pairs of channels of which a packet can hold the first and ask for the second.
	deps map[[2]channelOf]bool
}

// channelOf is a channel: its kind, by its place among the kinds, and the number of the node where it begins.
type channelOf struct{ kind, from int }

// siteOf is a channel with a destination that a packet in it can have.
type siteOf struct {
	channelOf
	dest int
}

// errDisagree says that the formulas do not describe the network that the file makes: a fault of this package.
var errDisagree = errors.New("the formulas and the network of the file disagree")

// layout evaluates the formulas of the nodes at a size.
func (f *Family) layout(size map[string]int) *small {
	s := &small{f: f, size: size, kinds: f.kinds(), count: map[kind]int{}, deps: map[[2]channelOf]bool{}}
	for i, k := range s.kinds {
		s.count[k] = i
	}
	s.nodes = [][]int{nil}
	for i := range f.low {
		low, high := f.low[i].Value(size), f.high[i].Value(size)
		var more [][]int
		for _, at := range s.nodes {
			for x := low; x < high; x++ {
				more = append(more, append(slices.Clone(at), x))
			}
		}
		s.nodes, s.spans = more, append(s.spans, high-low)
	}
	return s
}

// small evaluates the formulas at a size.
func (f *Family) small(ctx context.Context, size map[string]int) (*small, error) {
	s := f.layout(size)
	seen := map[siteOf]bool{}
	for dest := range s.nodes {
		var queue []siteOf
		visit := func(from *channelOf, at int) error {
			hops, err := s.hops(from, at, dest)
			for _, k := range hops {
				to := channelOf{s.count[k], at}
				if from != nil {
					s.deps[[2]channelOf{*from, to}] = true
				}
				if site := (siteOf{to, dest}); !seen[site] {
					seen[site] = true
					queue = append(queue, site)
				}
			}
			return err
		}
		for at := range s.nodes {
			if at != dest {
				if err := visit(nil, at); err != nil {
					return nil, err
				}
			}
		}
		for i := 0; i < len(queue); i++ {
			site := queue[i]
			if head := s.head(site.channelOf); head != dest {
				if err := visit(&site.channelOf, head); err != nil {
					return nil, err
				}
			}
		}
		s.sites = append(s.sites, queue...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return s, nil
}

// values binds the coordinates of a node, under the names that a function gives.
func (s *small) values(values map[string]int, name func(int) string, node int) {
	for i, x := range s.nodes[node] {
		values[name(i)] = x
	}
}

// number is the number of a node with given coordinates, in the order of the file; -1 if there is none.
func (s *small) number(at []int) int {
	n := 0
	for i, x := range at {
		x -= s.f.low[i].Value(s.size)
		if x < 0 || x >= s.spans[i] {
			return -1
		}
		n = n*s.spans[i] + x
	}
	return n
}

func (s *small) head(c channelOf) int {
	values := maps.Clone(s.size)
	s.values(values, here, c.from)
	var at []int
	for _, t := range s.f.links[s.kinds[c.kind].link].head {
		at = append(at, t.Value(values))
	}
	return s.number(at)
}

// hops evaluates route for a packet at a node, which holds a channel or is at its source.
func (s *small) hops(by *channelOf, at, dest int) ([]kind, error) {
	if at < 0 {
		return nil, fmt.Errorf("%w: a link leads out of the nodes", errDisagree)
	}
	values := maps.Clone(s.size)
	s.values(values, next, at)
	s.values(values, there, dest)
	routes := s.f.routes[len(s.kinds)]
	if by != nil {
		routes = s.f.routes[by.kind]
	}
	for _, p := range routes.paths {
		if p.cond.Value(values) != 0 {
			return p.hops, nil
		}
	}
	return nil, fmt.Errorf("%w: no way through route", errDisagree)
}

// isCyclic reports whether channels depend on each other in a circle, so that no rank is lowered by every hop.
func (s *small) isCyclic() bool {
	channels := len(s.kinds) * len(s.nodes)
	number := func(c channelOf) int32 { return int32(c.kind*len(s.nodes) + c.from) }
	itself := false
	parts := new(graph.Components)
	parts.Find(graph.Collect(channels, func(add func(from, to int32)) {
		for d := range s.deps {
			add(number(d[0]), number(d[1]))
			itself = itself || d[0] == d[1]
		}
	}))
	return itself || parts.Count() < channels
}

// load makes the network of the file at a size.
func (f *Family) load(ctx context.Context, size map[string]int) (*spec.Network, error) {
	file, err := star.Load(ctx, f.file, f.text, star.Options{Set: f.settings(size)})
	if err != nil {
		return nil, err
	}
	return routing.Compile(ctx, file.Definition, routing.CompileOptions{})
}

// settings are the values of all parameters at a size.
func (f *Family) settings(size map[string]int) map[string]string {
	set := maps.Clone(f.set)
	if set == nil {
		set = map[string]string{}
	}
	for name, n := range size {
		set[name] = strconv.Itoa(n)
	}
	return set
}

// agreesLinks compares the nodes and links of the formulas with those that the file makes.
func (s *small) agreesLinks(t *spec.Topology) error {
	links := 0
	for l, link := range s.f.links {
		for from := range s.nodes {
			values := maps.Clone(s.size)
			s.values(values, here, from)
			if link.guard.Value(values) == 0 {
				continue
			}
			links++
			id := t.Port(spec.NodeID(from), link.out)
			head := spec.NodeID(s.head(channelOf{s.count[kind{l, 0}], from}))
			if id < 0 || t.Link(id).To != head || t.Link(id).VCs != link.vcs {
				return fmt.Errorf("%w: the link of port %q of node %d", errDisagree, link.out, from)
			}
		}
	}
	if t.Nodes() != len(s.nodes) || t.Links() != links {
		return fmt.Errorf("%w: %d nodes and %d links, not %d and %d",
			errDisagree, t.Nodes(), t.Links(), len(s.nodes), links)
	}
	return nil
}

// agrees compares the formulas with the network that the file makes: links, and the hops of each site.
func (s *small) agrees(n *spec.Network) error {
	if err := s.agreesLinks(n.Topology()); err != nil {
		return err
	}
	sites := 0
	for i := range n.Tables() {
		table := n.Table(i)
		for j := range table.Sources {
			if err := s.agreesAt(n, table.SourceSite(j)); err != nil {
				return err
			}
		}
		for j := range table.Len() {
			if err := s.agreesAt(n, table.Site(j)); err != nil {
				return err
			}
		}
		sites += table.Len()
	}
	if sites != len(s.sites) {
		return fmt.Errorf("%w: %d sites, not %d", errDisagree, sites, len(s.sites))
	}
	return nil
}

func (s *small) agreesAt(n *spec.Network, site spec.Site) error {
	hops, _ := n.Hops(site)
	return s.agreesHops(n.Topology(), site, hops)
}

// agreesHops compares the hops of a site.
func (s *small) agreesHops(t *spec.Topology, site spec.Site, hops []spec.Hop) error {
	at, dest := int(t.Head(site.Channel)), int(site.Header.Dest)
	if at == dest {
		return nil
	}
	var by *channelOf
	if !site.Channel.IsInjection() {
		c := s.channel(t, site.Channel)
		by = &c
	}
	want, err := s.hops(by, at, dest)
	if err != nil {
		return err
	}
	got := map[kind]bool{}
	for _, h := range hops {
		if h.Channel < 0 || h.Tag != 0 || h.Room > 1 {
			return fmt.Errorf("%w: a hop that formulas do not have", errDisagree)
		}
		got[s.kinds[s.channel(t, h.Channel).kind]] = true
	}
	for _, k := range want {
		if !got[k] {
			return fmt.Errorf("%w: a hop of port %q at node %d for node %d",
				errDisagree, s.f.links[k.link].out, at, dest)
		}
	}
	for k := range got {
		if !slices.Contains(want, k) {
			return fmt.Errorf("%w: hops at node %d for node %d", errDisagree, at, dest)
		}
	}
	return nil
}

// channel finds the kind of a channel of the network, by its port.
func (s *small) channel(t *spec.Topology, c spec.ChannelID) channelOf {
	of := t.Link(t.LinkOf(c))
	l := slices.IndexFunc(s.f.links, func(l link) bool { return l.out == of.Out })
	return channelOf{s.count[kind{l, t.VC(c)}], int(of.From)}
}

// verify has unknot's verifier check the rank on the network.
func (s *small) verify(ctx context.Context, n *spec.Network, rank [][]*symbolic.Term) error {
	t := n.Topology()
	tuples := make([][]int, t.Channels())
	for c := range tuples {
		of := s.channel(t, spec.ChannelID(c))
		values := maps.Clone(s.size)
		s.values(values, here, of.from)
		for _, level := range rank[of.kind] {
			tuples[c] = append(tuples[c], level.Value(values))
		}
	}
	cert := &proofs.Certificate{
		Network: n.Digest(), Property: spec.DeadlockFreedom, Switching: n.Switching(),
		Kind: proofs.Rank, Rank: families.Places(tuples),
	}
	return proofs.Verify(ctx, n, cert)
}
