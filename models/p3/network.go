package p3

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options describes how packets are forwarded on a plane.
type Options struct {
	Plane  *Plane
	Rule   Rule
	Border Border
	// VCs is the number of buffer classes of a link; 0 means 1, as in the machine. With
	// more, a packet goes up one class when it turns from vertical to horizontal, and
	// stays in the last.
	VCs int
	// Masks: the entries are those of the coarsest masked Path Tables that the rule
	// permits, see masks.go.
	Masks Masks
	// Numbers: besides packets for targets every PE sends some to every other by its number, on a grid.
	Numbers Numbers
}

// Forwarding is the rule applied to all targets of a plane.
type Forwarding struct {
	Plane *Plane
	Cells [][]Cell // by region that holds the target
	// Targets and Entries are totals over the masked tables of all PEs, without what CPUs
	// look up; 0 without masks.
	Targets, Entries int

	asked   Options
	views   []view
	tables  tables       // one for each PE; with masks, if the rule asks for it, one for each channel
	lattice *lattice     // of integer targets, or nil
	hops    [][][]uint32 // by region, class and table: the edges permitted
	first   [][]int      // by region and class: the first cell
}

// MostClasses is the greatest number of cells within one region that differ.
const MostClasses = 1 << 16

// NewForwarding cuts the plane into cells and applies the rule to each. Cells of
// a region in which every PE decides alike have the same class.
func NewForwarding(ctx context.Context, o Options) (*Forwarding, error) {
	f := &Forwarding{Plane: o.Plane, asked: o, views: o.Plane.views(), tables: tablesOf(o.Plane, false)}
	var err error
	switch {
	case o.Numbers != NoNumbers && o.Plane.Columns == 0:
		err = errors.New("numbers: want a plane that is a grid, whose PEs have rows and columns")
	case o.Masks != NoMasks && o.Rule == Forced:
		err = fmt.Errorf("masks: want a rule other than %s, which chooses packets and not entries", RuleNames[Forced])
	case o.Masks != NoMasks:
		f.lattice, f.Cells, err = integers(ctx, o.Plane, f.views, o.Border)
	default:
		f.Cells, err = Cut(ctx, o.Plane, o.Border, o.Rule)
	}
	if err != nil {
		return nil, err
	}
	err = f.classify(ctx, func(c *Cell, pe int) uint32 { return f.permitted(pe, c) })
	if err == nil && o.Masks != NoMasks {
		err = f.coarsest(ctx)
	}
	return f, err
}

// classify finds the edges that each table of a PE but the owner permits for each cell, and
// gives one class to the cells of a region for which all tables agree.
func (f *Forwarding) classify(ctx context.Context, permitted func(c *Cell, table int) uint32) error {
	f.hops = make([][][]uint32, len(f.Cells))
	f.first = make([][]int, len(f.Cells))
	row := make([]uint32, len(f.tables.all))
	key := make([]byte, 2*len(row))
	for region, cells := range f.Cells {
		known := map[string]spec.Class{}
		for i := range cells {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			for t := range row {
				row[t] = 0
				if f.tables.all[t].pe != region {
					row[t] = permitted(&cells[i], t)
				}
				key[2*t], key[2*t+1] = byte(row[t]), byte(row[t]>>8)
			}
			class, ok := known[string(key)]
			if !ok {
				if len(known) == MostClasses {
					return fmt.Errorf("more than %d kinds of targets in the region of %s",
						MostClasses, f.Plane.Regions[region].Name)
				}
				class = spec.Class(len(known))
				known[string(key)] = class
				f.hops[region] = append(f.hops[region], slices.Clone(row))
				f.first[region] = append(f.first[region], i)
			}
			cells[i].class = class
		}
	}
	return nil
}

// edges returns the edges over which a table, by number, may send packets for a cell of
// f.Cells; none if its PE holds the target.
func (f *Forwarding) edges(table int, c *Cell) uint32 { return f.hops[c.Owner][c.class][table] }

// Zone returns the zone in which PE pe finds a cell.
func (f *Forwarding) Zone(pe int, c *Cell) Zone { return f.views[pe].zone(c, f.asked.Border) }

// Definition returns the network: its nodes are the PEs, the destination of a packet is
// the PE whose region holds the target, its class the kind of target within that
// region. Switching is store-and-forward.
func (f *Forwarding) Definition() routing.Definition {
	t := spec.NewTopology()
	for i, r := range f.Plane.Regions {
		if f.Plane.Columns > 0 {
			t.AddNode(r.Name, i%f.Plane.Columns, i/f.Plane.Columns)
		} else {
			t.AddNode(r.Name)
		}
	}
	n := &network{Forwarding: f, t: t, links: make([][]spec.LinkID, len(f.Plane.Regions))}
	vcs := max(1, f.asked.VCs)
	for i, across := range f.Plane.Across {
		n.links[i] = make([]spec.LinkID, len(across))
		for e, to := range across {
			if to == Outside {
				continue
			}
			dim := 2
			if f.Plane.Sideways(i, e) {
				dim = 1
			}
			if old := t.LinksBetween(spec.NodeID(i), spec.NodeID(to)); len(old) > 0 {
				n.links[i][e] = old[0] // two PEs share one link, however many edges they share
				continue
			}
			n.links[i][e] = t.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID(to), VCs: vcs, Dim: dim})
		}
	}
	most := 0
	for _, rows := range f.hops {
		most = max(most, len(rows))
	}
	classes := make([]string, most)
	for i := range classes {
		classes[i] = fmt.Sprintf("target %d", i)
	}
	if n.number = most; f.asked.Numbers != NoNumbers {
		classes = append(classes, "PE number")
	}
	flows := func(src, dst spec.NodeID, c spec.Class) bool {
		return int(c) == n.number || int(c) < len(f.hops[dst]) &&
			(f.asked.Rule != Forced || f.forced(int(src), int(dst), int(c)))
	}
	return routing.Definition{
		Name: "p3", Topology: t, Classes: classes, Flows: flows, Routing: n, Switching: spec.StoreAndForward,
	}
}

// forced reports whether no PE on a packet's path has a choice, and the path ends at
// its destination.
func (f *Forwarding) forced(src, dst, class int) bool {
	row := f.hops[dst][class]
	for range f.Plane.Regions {
		if src == dst {
			return true
		}
		if bits.OnesCount32(row[src]) != 1 {
			return false
		}
		src = f.Plane.Across[src][bits.TrailingZeros32(row[src])]
	}
	return src == dst
}

// NeverFarther reports whether no permitted hop takes a packet to a region farther from
// its target or, strictly, whether each takes it to a region nearer to it. If not,
// because names a hop that does not.
//
// The verdict holds for all targets of a cell. A PE in zone A of an edge, or in zone B
// at one of its ends, has its point nearest to the target on that edge; the edge
// belongs to the neighbour as well, so the neighbour is not farther. The nearest point
// of a convex region is unique: the neighbour is strictly nearer unless both have the
// same one. In a strip, the neighbour contains a piece of the segment from the foot to
// the target, so a common nearest point is a corner, and which corner is nearest is the
// same for all targets of a cell.
func (f *Forwarding) NeverFarther(ctx context.Context, strictly bool) (holds bool, because string, err error) {
	for _, cells := range f.Cells {
		for i := range cells {
			c := &cells[i]
			if err := ctx.Err(); err != nil {
				return false, "", err
			}
			for t, edges := range f.hops[c.Owner][c.class] {
				pe := f.tables.all[t].pe
				z := f.Zone(pe, c)
				for ; edges != 0; edges &= edges - 1 {
					e := bits.TrailingZeros32(edges)
					to := f.Plane.Across[pe][e]
					switch {
					case z.Edges>>e&1 == 0:
						because = "a packet crosses an edge that the zone does not name"
					case strictly && f.stays(pe, e, c):
						because = "the nearest point stays the same"
					default:
						continue
					}
					return false, fmt.Sprintf("from %s to %s, for the target %s: %s",
						f.Plane.Regions[pe].Name, f.Plane.Regions[to].Name, c, because), nil
				}
			}
		}
	}
	if strictly {
		return true, "the neighbour across never has the same nearest point", nil
	}
	return true, "each hop crosses the edge on which the region's nearest point lies, and the neighbour has that " +
		"edge too", nil
}

// stays reports whether a PE and the one across edge e have the same point nearest to
// the target: a corner, or the target itself on a closed border.
func (f *Forwarding) stays(pe, e int, c *Cell) bool {
	to := f.Plane.Across[pe][e]
	z, next := f.Zone(pe, c), f.Zone(to, c)
	return f.Plane.contains(pe, c) && f.Plane.contains(to, c) ||
		z.Corner >= 0 && next.Corner >= 0 &&
			f.Plane.Regions[pe].Corners[z.Corner] == f.Plane.Regions[to].Corners[next.Corner]
}

// network is the relation.
type network struct {
	*Forwarding
	t     *spec.Topology
	links [][]spec.LinkID // by region and edge
	// number is the class of packets for a PE by its number, behind those of targets.
	number int
}

// AppendHops permits the edges that the rule names.
func (n *network) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	pe := n.t.Head(at)
	if pe == h.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	var edges uint32
	if int(h.Class) == n.number {
		next := n.asked.Numbers.nextPE(n.Plane.Columns, int(pe), int(h.Dest))
		edges = 1 << slices.Index(n.Plane.Across[pe], next)
	} else {
		from := cpu
		if !at.IsInjection() {
			from = int(n.t.Tail(at))
		}
		edges = n.hops[h.Dest][h.Class][n.tables.number(int(pe), from)]
		if n.asked.Rule == NeverBack {
			edges = n.onward(int(pe), edges, from)
		}
	}
	for e, l := range n.links[pe] {
		if edges>>e&1 == 1 {
			dst = append(dst, spec.Hop{Channel: n.t.Channel(l, n.vc(at, l))})
		}
	}
	return dst, nil
}

// onward drops the edges to the region that a packet came from, unless there are no
// others; from the CPU there are none.
func (f *Forwarding) onward(pe int, edges uint32, from int) uint32 {
	kept := edges
	for e, to := range f.Plane.Across[pe] {
		if to == from {
			kept &^= 1 << e
		}
	}
	if kept == 0 {
		return edges
	}
	return kept
}

// vc returns the buffer class in which a packet from channel at takes link l.
func (n *network) vc(at spec.ChannelID, l spec.LinkID) int {
	if at.IsInjection() {
		return 0
	}
	vc := n.t.VC(at)
	if n.t.Link(n.t.LinkOf(at)).Dim == 2 && n.t.Link(l).Dim == 1 {
		vc = min(vc+1, max(0, n.asked.VCs-1))
	}
	return vc
}

// Reason names the zone, and a point of the targets.
func (n *network) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	pe := int(n.t.Head(at))
	if hop.Channel == spec.Eject {
		if int(h.Class) == n.number {
			return spec.Reason{Text: "this PE's number"}
		}
		return spec.Reason{Text: "the target lies in this region"}
	}
	if int(h.Class) == n.number {
		return spec.Reason{Text: "the number of " + n.Plane.Regions[h.Dest].Name}
	}
	c := &n.Cells[h.Dest][n.first[h.Dest][h.Class]]
	z := n.Zone(pe, c)
	place := "target " + c.String()
	if n.asked.Masks != NoMasks {
		place += ", by a masked entry,"
	}
	if z.Corner < 0 {
		return spec.Reason{Text: place + " in zone A"}
	}
	return spec.Reason{Text: fmt.Sprintf("%s in zone B at %v", place, n.Plane.Regions[pe].Corners[z.Corner])}
}
