package automorphism

import (
	"cmp"
	"fmt"
	"slices"
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
// The error names something that does not commute. Time is linear in sites and
// channels, and rows times their logarithm.
func Check(n *spec.Network, s Symmetry, dims bool) error {
	t := n.Topology()
	if err := permutation(s.Nodes, t.Nodes(), "node", func(v spec.NodeID) string { return "node " + t.Node(v).Name }); err != nil {
		return err
	}
	if err := permutation(s.Channels, t.Channels(), "channel", t.ChannelName); err != nil {
		return err
	}
	if err := checkTopology(t, s); err != nil {
		return err
	}
	if dims {
		if err := checkDims(t, s); err != nil {
			return err
		}
	}
	return checkRelation(n, s)
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
func checkRelation(n *spec.Network, s Symmetry) error {
	rows := imageRows(n, s)
	index := n.NewIndex()
	for i := range n.Tables() {
		from := n.Table(i)
		target := spec.Target{Dest: s.Nodes[from.Dest], Class: from.Class}
		to := n.TableOf(target)
		if to == nil {
			return fmt.Errorf("somebody sends to %s, but nobody to its image %s", targetName(n, from.Target), targetName(n, target))
		}
		if len(from.Sources) != len(to.Sources) {
			return fmt.Errorf("%d nodes send to %s, but %d to its image %s", len(from.Sources), targetName(n, from.Target),
				len(to.Sources), targetName(n, target))
		}
		for _, src := range from.Sources {
			image, ok := to.Source(s.Nodes[src.Node])
			if !ok {
				return fmt.Errorf("%s sends to %s, but its image %s does not send to %s", n.Topology().Node(src.Node).Name,
					targetName(n, from.Target), n.Topology().Node(s.Nodes[src.Node]).Name, targetName(n, target))
			}
			if rows[src.Row] != image.Row {
				return rowError(n, s, spec.Site{Channel: spec.Injection(src.Node), Header: header(from.Target)}, src.Row, image.Row)
			}
		}
		if from.Len() != to.Len() {
			return fmt.Errorf("packets for %s come to %d sites, those for its image %s to %d", targetName(n, from.Target), from.Len(),
				targetName(n, target), to.Len())
		}
		index.Load(to)
		for j, c := range from.Channels {
			k := index.Site(spec.Hop{Channel: s.Channels[c], Tag: from.Tag(j)})
			if k < 0 {
				return fmt.Errorf("packets come %s, but not to its image %s", siteName(n, from.Site(j)), siteName(n, imageSite(n, s, from.Site(j))))
			}
			if rows[from.Rows[j]] != to.Rows[k] {
				return rowError(n, s, from.Site(j), from.Rows[j], to.Rows[k])
			}
		}
	}
	return nil
}

func compareHops(a, b spec.Hop) int {
	if d := cmp.Compare(a.Channel, b.Channel); d != 0 {
		return d
	}
	return cmp.Compare(a.Tag, b.Tag)
}

// imageRow appends the image of a row, in the order of rows.
func imageRow(dst []spec.Hop, s Symmetry, row []spec.Hop) []spec.Hop {
	at := len(dst)
	for _, h := range row {
		if h.Channel != spec.Eject {
			h.Channel = s.Channels[h.Channel]
		}
		dst = append(dst, h)
	}
	slices.SortFunc(dst[at:], compareHops)
	return dst
}

// imageRows returns, by row, the number of its image; -1 if no site has that
// row. A network numbers its rows in their own order, which makes them fit for
// bisection; equal rows have one number.
func imageRows(n *spec.Network, s Symmetry) []spec.RowID {
	images := make([]spec.RowID, n.RowCount())
	var row []spec.Hop
	for r := range images {
		row = imageRow(row[:0], s, n.Row(spec.RowID(r)))
		lo, hi := 0, len(images)
		for lo < hi {
			mid := (lo + hi) / 2
			if slices.CompareFunc(n.Row(spec.RowID(mid)), row, compareHops) < 0 {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		images[r] = -1
		if lo < len(images) && slices.Equal(n.Row(spec.RowID(lo)), row) {
			images[r] = spec.RowID(lo)
		}
	}
	return images
}

func header(t spec.Target) spec.Header { return spec.Header{Dest: t.Dest, Class: t.Class} }

func imageSite(n *spec.Network, s Symmetry, at spec.Site) spec.Site {
	at.Channel = s.image(n.Topology(), at.Channel)
	at.Header.Dest = s.Nodes[at.Header.Dest]
	return at
}

func targetName(n *spec.Network, t spec.Target) string {
	name := n.Topology().Node(t.Dest).Name
	if classes := n.Definition().Classes; len(classes) > 1 {
		name += " class " + classes[t.Class]
	}
	return name
}

func siteName(n *spec.Network, s spec.Site) string {
	name := "at " + n.Topology().ChannelName(s.Channel) + " for " + targetName(n, s.Header.Target())
	if n.Definition().Tags > 1 {
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
		if n.Definition().Tags > 1 && h.Channel != spec.Eject {
			fmt.Fprintf(&b, " tag %d", h.Tag)
		}
	}
	return b.String()
}

func rowError(n *spec.Network, s Symmetry, at spec.Site, row, found spec.RowID) error {
	return fmt.Errorf("%s the hops go to %s, but %s, its image, permits %s", siteName(n, at), rowName(n, imageRow(nil, s, n.Row(row))),
		siteName(n, imageSite(n, s, at)), rowName(n, n.Row(found)))
}
