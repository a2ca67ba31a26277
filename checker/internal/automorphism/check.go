package automorphism

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Check returns nil if and only if s is a symmetry of n:
//
//   - it permutes the nodes and the network channels; a channel from u to v goes
//     to a channel from the image of u to that of v, and the channels of one link
//     go to the channels of one link;
//   - flows go to flows of the same class;
//   - a site goes to a site with the same tag, and its row of hops, taken hop by
//     hop, is the row of the image: Eject stays, tags are kept.
//
// With dims, two links of one dimension also go to two links of one dimension,
// and of two dimensions to two, as bubble rules need it (see [spec.Link]).
//
// The error names something that does not commute. Time is linear in sites,
// channels and hops, times the logarithm of the hops of a row.
func Check(n *spec.Network, s Symmetry, dims bool) error { return newChecker(n, dims).check(s) }

// checker checks many symmetries of one network.
type checker struct {
	n       *spec.Network
	dims    bool
	rows    *rowFinder
	images  []spec.RowID // by row
	index   *spec.Index
	sources []spec.RowID // by node: its row in one table + 1, or 0
}

func newChecker(n *spec.Network, dims bool) *checker {
	return &checker{n: n, dims: dims, rows: newRowFinder(n), images: make([]spec.RowID, n.RowCount()),
		index: n.NewIndex(), sources: make([]spec.RowID, n.Topology().Nodes())}
}

func (k *checker) check(s Symmetry) error {
	t := k.n.Topology()
	if err := permutation(s.Nodes, t.Nodes(), "node", func(v spec.NodeID) string { return "node " + t.Node(v).Name }); err != nil {
		return err
	}
	if err := permutation(s.Channels, t.Channels(), "channel", t.ChannelName); err != nil {
		return err
	}
	if err := checkTopology(t, s); err != nil {
		return err
	}
	if k.dims {
		if err := checkDims(t, s); err != nil {
			return err
		}
	}
	return k.checkRelation(s)
}

// permutation checks that images holds each of 0..want-1 once.
func permutation[ID ~int32](images []ID, want int, what string, name func(ID) string) error {
	if len(images) != want {
		return fmt.Errorf("images of %d %ss are given, but there are %d", len(images), what, want)
	}
	from := make([]ID, want) // by image: what goes there + 1, or 0
	for i, to := range images {
		if to < 0 || int(to) >= want {
			return fmt.Errorf("%s goes to %s %d, but they are numbered 0 to %d", name(ID(i)), what, to, want-1)
		}
		if from[to] != 0 {
			return fmt.Errorf("%s and %s both go to %s", name(from[to]-1), name(ID(i)), name(to))
		}
		from[to] = ID(i) + 1
	}
	return nil
}

// checkTopology checks that channels keep their ends and their company. It asks
// no more than that the channels of a link stay together: being permuted, they
// then fill the links that they go to, since no link is left out.
func checkTopology(t *spec.Topology, s Symmetry) error {
	for c, to := range s.Channels {
		c := spec.ChannelID(c)
		if t.Tail(to) != s.Nodes[t.Tail(c)] || t.Head(to) != s.Nodes[t.Head(c)] {
			return fmt.Errorf("%s goes to %s, but its ends to %s and %s", t.ChannelName(c), t.ChannelName(to),
				t.Node(s.Nodes[t.Tail(c)]).Name, t.Node(s.Nodes[t.Head(c)]).Name)
		}
		first := t.Channel(t.LinkOf(c), 0)
		if t.LinkOf(to) != t.LinkOf(s.Channels[first]) {
			return fmt.Errorf("%s and %s are of one link, but go to %s and %s of two", t.ChannelName(first), t.ChannelName(c),
				t.ChannelName(s.Channels[first]), t.ChannelName(to))
		}
	}
	return nil
}

// checkDims checks that links of one dimension go to links of one dimension.
// Being as many before as after, the dimensions are then permuted.
func checkDims(t *spec.Topology, s Symmetry) error {
	dimOf := func(c spec.ChannelID) int { return t.Link(t.LinkOf(c)).Dim }
	first := map[int]spec.ChannelID{} // by dimension: its first channel
	for c, to := range s.Channels {
		c := spec.ChannelID(c)
		witness, seen := first[dimOf(c)]
		if !seen {
			first[dimOf(c)] = c
			continue
		}
		if dimOf(s.Channels[witness]) != dimOf(to) {
			return fmt.Errorf("%s and %s are of one dimension, but go to %s and %s of two", t.ChannelName(witness), t.ChannelName(c),
				t.ChannelName(s.Channels[witness]), t.ChannelName(to))
		}
	}
	return nil
}

// checkRelation checks that flows go to flows and sites to sites with the image
// of their row. Tables, flows of a table and sites of a table go to different
// ones, so equal numbers mean that nothing is left over.
func (k *checker) checkRelation(s Symmetry) error {
	n := k.n
	for r := range k.images {
		k.images[r] = k.rows.image(spec.RowID(r), s)
	}
	for i := range n.Tables() {
		from := n.Table(i)
		target := spec.Target{Dest: s.Nodes[from.Dest], Class: from.Class}
		to := n.TableOf(target)
		if to == nil {
			return fmt.Errorf("somebody sends to %s, but nobody to its image %s", targetName(n, from.Target), targetName(n, target))
		}
		if err := k.checkSources(s, from, to); err != nil {
			return err
		}
		if from.Len() != to.Len() {
			return fmt.Errorf("packets for %s come to %d sites, those for its image %s to %d", targetName(n, from.Target), from.Len(),
				targetName(n, target), to.Len())
		}
		k.index.Load(to)
		for i, c := range from.Channels {
			j := k.index.Site(spec.Hop{Channel: s.Channels[c], Tag: from.Tag(i)})
			if j < 0 {
				return fmt.Errorf("packets come %s, but not to its image %s", siteName(n, from.Site(i)), siteName(n, imageSite(n, s, from.Site(i))))
			}
			if k.images[from.Rows[i]] != to.Rows[j] {
				return rowError(n, s, from.Site(i), from.Rows[i], to.Rows[j])
			}
		}
	}
	return nil
}

func (k *checker) checkSources(s Symmetry, from, to *spec.Table) error {
	n := k.n
	if len(from.Sources) != len(to.Sources) {
		return fmt.Errorf("%d nodes send to %s, but %d to its image %s", len(from.Sources), targetName(n, from.Target),
			len(to.Sources), targetName(n, to.Target))
	}
	clear(k.sources)
	for _, src := range to.Sources {
		k.sources[src.Node] = src.Row + 1
	}
	for _, src := range from.Sources {
		row := k.sources[s.Nodes[src.Node]] - 1
		if row < 0 {
			return fmt.Errorf("%s sends to %s, but its image %s does not send to %s", n.Topology().Node(src.Node).Name,
				targetName(n, from.Target), n.Topology().Node(s.Nodes[src.Node]).Name, targetName(n, to.Target))
		}
		if k.images[src.Row] != row {
			return rowError(n, s, spec.Site{Channel: spec.Injection(src.Node), Header: header(from.Target)}, src.Row, row)
		}
	}
	return nil
}

func header(t spec.Target) spec.Header { return spec.Header{Dest: t.Dest, Class: t.Class} }

func imageSite(n *spec.Network, s Symmetry, at spec.Site) spec.Site {
	at.Channel = s.image(n.Topology(), at.Channel)
	at.Header.Dest = s.Nodes[at.Header.Dest]
	return at
}

func targetName(n *spec.Network, t spec.Target) string {
	name := n.Topology().Node(t.Dest).Name
	if classes := n.Classes(); len(classes) > 1 {
		name += " class " + classes[t.Class]
	}
	return name
}

func siteName(n *spec.Network, s spec.Site) string {
	name := "at " + n.Topology().ChannelName(s.Channel) + " for " + targetName(n, s.Header.Target())
	if n.Tags() > 1 {
		name += fmt.Sprintf(" tag %d", s.Header.Tag)
	}
	return name
}

func rowName(n *spec.Network, row []spec.Hop) string {
	if len(row) == 0 {
		return "nothing"
	}
	var b strings.Builder
	for i, h := range row {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n.Topology().ChannelName(h.Channel))
		if n.Tags() > 1 && h.Channel != spec.Eject {
			fmt.Fprintf(&b, " tag %d", h.Tag)
		}
	}
	return b.String()
}

func rowError(n *spec.Network, s Symmetry, at spec.Site, row, found spec.RowID) error {
	return fmt.Errorf("%s the hops go to %s, but %s, its image, permits %s", siteName(n, at), rowName(n, appendImage(nil, s, n.Row(row))),
		siteName(n, imageSite(n, s, at)), rowName(n, n.Row(found)))
}
