package automorphism

import (
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

var (
	errNetwork     = errors.New("the networks differ in size, classes, tags, switching, buffers or selection")
	errPermutation = errors.New("nodes or channels: not a permutation")
	errEnds        = errors.New("a channel is not mapped to one between the images of its ends")
	errLink        = errors.New("channels of one link are mapped to two links")
	errDimension   = errors.New("links of one dimension are mapped to two dimensions")
	errFlow        = errors.New("a flow is not mapped to a flow")
	errSite        = errors.New("a site is not mapped to a site")
	errRow         = errors.New("the hops of a site are not mapped to those of its image")
)

// checker checks many mappings of a network to one like it, usually itself.
type checker struct {
	n, to  *spec.Network
	dims   bool
	rows   *rowFinder
	images []spec.RowID   // by row
	sites  *relation.Walk // of to
	rowsAt []spec.RowID   // of one node's sources: the images
	rowsTo []spec.RowID   // of the sources of its image
}

func newChecker(n, to *spec.Network, dims bool) *checker {
	return &checker{n: n, to: to, dims: dims, rows: newRowFinder(to), images: make([]spec.RowID, n.RowCount()),
		sites: relation.NewWalk(to)}
}

// check returns nil if and only if s is a symmetry of n or, with another network, an isomorphism to it:
//
//   - it permutes the nodes and the network channels; a channel from u to v goes
//     to a channel from the image of u to that of v, and the channels of one link
//     go to the channels of one link;
//   - flows go to flows of the same class;
//   - a site goes to a site with the same tag, and its row of hops, taken hop by
//     hop, is the row of the image: Eject stays, tags are kept.
//
// Two networks also have the same number of each, and the same tags, classes, switching,
// buffers and selection. With dims, two links of one dimension also go to two links of one
// dimension, and links of two dimensions to links of two, as bubble rules need (see [spec.Link]).
//
// The error says what does not commute. Time is linear in sites, channels and hops,
// times the logarithm of the hops of a row.
func (k *checker) check(s Symmetry) error {
	if k.n != k.to && !alike(k.n, k.to) {
		return errNetwork
	}
	t := k.n.Topology()
	if !permutation(s.Nodes, t.Nodes()) || !permutation(s.Channels, t.Channels()) {
		return errPermutation
	}
	if err := k.checkTopology(s); err != nil {
		return err
	}
	return k.checkRelation(s)
}

// alike reports whether two networks have the same counts and the same
// properties.
func alike(a, b *spec.Network) bool {
	t, u := a.Topology(), b.Topology()
	return t.Nodes() == u.Nodes() && t.Links() == u.Links() && t.Channels() == u.Channels() &&
		a.Tables() == b.Tables() && len(a.Classes()) == len(b.Classes()) && a.Tags() == b.Tags() &&
		a.Switching() == b.Switching() && a.Buffer() == b.Buffer() && a.Selection() == b.Selection()
}

// permutation reports whether images holds each of 0..want-1 once.
func permutation[ID ~int32](images []ID, want int) bool {
	taken := make([]bool, want)
	for _, to := range images {
		if to < 0 || int(to) >= want || taken[to] {
			return false
		}
		taken[to] = true
	}
	return len(images) == want
}

// checkTopology checks that channels keep their ends and their company. It only
// checks that the channels of a link, and the links of a dimension, stay together:
// as they are permuted and none is left out, they fill those that they go to.
func (k *checker) checkTopology(s Symmetry) error {
	t, u := k.n.Topology(), k.to.Topology()
	image := map[int]int{} // by dimension
	for c, to := range s.Channels {
		c := spec.ChannelID(c)
		if u.Tail(to) != s.Nodes[t.Tail(c)] || u.Head(to) != s.Nodes[t.Head(c)] {
			return errEnds
		}
		if u.LinkOf(to) != u.LinkOf(s.Channels[t.Channel(t.LinkOf(c), 0)]) {
			return errLink
		}
		dim, toDim := t.Link(t.LinkOf(c)).Dim, u.Link(u.LinkOf(to)).Dim
		if d, seen := image[dim]; k.dims && seen && d != toDim {
			return errDimension
		}
		image[dim] = toDim
	}
	return nil
}

// checkRelation checks that flows go to flows, and sites to sites with the image
// of their row. Different tables, flows and sites go to different ones, so equal
// counts mean that nothing is left over.
func (k *checker) checkRelation(s Symmetry) error {
	n := k.n
	for r := range k.images {
		k.images[r] = k.rows.image(n.Row(spec.RowID(r)), s)
	}
	for i := range n.Tables() {
		from := n.Table(i)
		to := k.to.TableOf(spec.Target{Dest: s.Nodes[from.Dest], Class: from.Class})
		if to == nil || len(from.Sources) != len(to.Sources) {
			return errFlow
		}
		for i := 0; i < len(from.Sources); {
			sources := from.SourcesOf(from.Sources[i].Node)
			i += len(sources)
			images := to.SourcesOf(s.Nodes[sources[0].Node])
			if len(images) != len(sources) {
				return errFlow
			}
			k.rowsAt, k.rowsTo = k.rowsAt[:0], k.rowsTo[:0]
			for j := range sources {
				k.rowsAt, k.rowsTo = append(k.rowsAt, k.images[sources[j].Row]), append(k.rowsTo, images[j].Row)
			}
			slices.Sort(k.rowsAt) // alternatives have no order
			slices.Sort(k.rowsTo)
			if !slices.Equal(k.rowsAt, k.rowsTo) {
				return errRow
			}
		}
		if from.Len() != to.Len() {
			return errSite
		}
		k.sites.Load(to)
		for i, c := range from.Channels {
			j := k.sites.SiteAfter(spec.Hop{Channel: s.Channels[c], Tag: from.Tag(i)})
			if j < 0 {
				return errSite
			}
			if k.images[from.Rows[i]] != to.Rows[j] {
				return errRow
			}
		}
	}
	return nil
}
