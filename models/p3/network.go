package p3

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options describes how packets are forwarded on a plane.
type Options struct {
	Plane  *Plane
	Rule   Rule
	Border Border
	// VCs is the number of buffer classes of a link, 1 to 16; 0 means 1, as the
	// machine has. With more, a packet goes up one class when it turns from a
	// vertical way into a horizontal one, and stays in the last.
	VCs int
	// Targets: all points, or the integer ones, which need borders as with [Lean].
	Targets Targets
	// Quadrants is used by the rules [ByQuadrant] and [BeyondQuadrant].
	Quadrants Quadrants
	// Masks: the entries are those of the coarsest masked Path Tables whose ways the
	// rule permits; the targets are then [Integers].
	Masks Masks
}

// Forwarding is the rule applied to all targets of a plane.
type Forwarding struct {
	Plane *Plane
	Cells [][]Cell // by region that holds the target

	asked   Options
	views   []view
	lattice *lattice     // of integer targets, or nil
	hops    [][][]uint32 // by region, class and PE: the edges permitted
	first   [][]int      // by region and class: the first cell
}

// MostClasses is the most cells that differ within one region.
const MostClasses = 1 << 16

// NewForwarding cuts the plane into cells and applies the rule to each. Cells of
// a region in which every PE decides alike have the same class.
func NewForwarding(ctx context.Context, o Options) (*Forwarding, error) {
	if o.VCs == 0 {
		o.VCs = 1
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	f := &Forwarding{Plane: o.Plane, asked: o, views: o.Plane.views()}
	var err error
	if o.Targets == Integers {
		f.lattice, f.Cells, err = integers(ctx, o.Plane, f.views)
	} else {
		f.Cells, err = Cut(ctx, o.Plane, o.Border, o.Rule, 0)
	}
	if err != nil {
		return nil, err
	}
	err = f.classify(ctx, func(c *Cell, pe int) uint32 {
		return f.permitted(pe, f.views[pe].zone(c, f.asked.Border), c)
	})
	if err != nil {
		return nil, err
	}
	if f.asked.Rule == Fitted {
		if err := f.fit(ctx); err != nil {
			return nil, fmt.Errorf("fitting a rule: %w", err)
		}
	}
	if o.Masks != Unmasked {
		if _, err := f.coarsest(ctx); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (o *Options) check() error {
	switch {
	case o.Plane == nil:
		return errors.New("forwarding needs a plane")
	case o.Rule >= rules:
		return fmt.Errorf("rule %d does not exist", o.Rule)
	case int(o.Border) >= len(BorderNames):
		return fmt.Errorf("treatment %d of borders does not exist", o.Border)
	case o.VCs < 1 || o.VCs > 16:
		return fmt.Errorf("%d buffer classes: want 1 to 16", o.VCs)
	case int(o.Targets) >= len(TargetNames):
		return fmt.Errorf("targets %d do not exist", o.Targets)
	case int(o.Masks) >= len(MasksNames):
		return fmt.Errorf("masks %d do not exist", o.Masks)
	case o.Masks != Unmasked && o.Targets != Integers:
		return fmt.Errorf("masks %s are of coordinates: want targets %s", MasksNames[o.Masks], TargetNames[Integers])
	case o.Masks != Unmasked && o.Rule == NeverBack:
		return fmt.Errorf("masks %s: want a rule other than %s, whose entries differ by input channel", MasksNames[o.Masks], RuleNames[NeverBack])
	case o.Masks != Unmasked && o.Rule == Forced:
		return fmt.Errorf("masks %s: want a rule other than %s, which some packets are not sent by", MasksNames[o.Masks], RuleNames[Forced])
	case o.Masks != Unmasked && !o.Plane.Convex():
		return fmt.Errorf("masks %s: want a plane that is convex, where every PE has a neighbour for every target", MasksNames[o.Masks])
	case o.Targets == Integers && o.Border != Lean:
		return fmt.Errorf("borders %s: integer targets need borders %s", BorderNames[o.Border], BorderNames[Lean])
	case o.Targets != Integers && (o.Rule == Nearer || o.Rule == BeyondNearer):
		return fmt.Errorf("rule %s compares distances, and where two are equal is a curve: want targets %s", RuleNames[o.Rule], TargetNames[Integers])
	}
	return nil
}

// classify asks for the edges that each PE but the owner may use for each cell,
// and gives cells of a region for which all answers agree the same class.
func (f *Forwarding) classify(ctx context.Context, permitted func(c *Cell, pe int) uint32) error {
	f.hops = make([][][]uint32, len(f.Cells))
	f.first = make([][]int, len(f.Cells))
	row := make([]uint32, len(f.Cells))
	key := make([]byte, 2*len(row))
	for region, cells := range f.Cells {
		known := map[string]spec.Class{}
		for i := range cells {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			for pe := range row {
				row[pe] = 0
				if pe != region {
					row[pe] = permitted(&cells[i], pe)
				}
				key[2*pe], key[2*pe+1] = byte(row[pe]), byte(row[pe]>>8)
			}
			class, ok := known[string(key)]
			if !ok {
				if len(known) == MostClasses {
					return fmt.Errorf("more than %d kinds of targets in the region of %s", MostClasses, f.Plane.Regions[region].Name)
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

// edges returns the edges over which PE pe may send packets for a cell of
// f.Cells; none if it holds the target.
func (f *Forwarding) edges(pe int, c *Cell) uint32 { return f.hops[c.Owner][c.class][pe] }

// Zone returns what PE pe makes of one of the cells.
func (f *Forwarding) Zone(pe int, c *Cell) Zone { return f.views[pe].zone(c, f.asked.Border) }

// New returns the network: nodes are the PEs, the destination of a packet is the
// PE whose region holds the target, its class the kind of target within it.
// Switching is store-and-forward, as in the machine.
func New(ctx context.Context, o Options) (routing.Definition, error) {
	f, err := NewForwarding(ctx, o)
	if err != nil {
		return routing.Definition{}, err
	}
	return f.Definition(), nil
}

// Definition returns the network, see [New].
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
			if old := t.Between(spec.NodeID(i), spec.NodeID(to)); len(old) > 0 {
				n.links[i][e] = old[0] // two PEs have one link, however many edges they share
				continue
			}
			n.links[i][e] = t.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID(to), VCs: f.asked.VCs, Dim: dim})
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
	flows := func(src, dst spec.NodeID, c spec.Class) bool { return int(c) < len(f.hops[dst]) }
	if f.asked.Rule == Forced {
		flows = func(src, dst spec.NodeID, c spec.Class) bool {
			return int(c) < len(f.hops[dst]) && f.forced(int(src), int(dst), int(c))
		}
	}
	return routing.Definition{Name: "p3", Topology: t, Classes: classes, Flows: flows, Routing: n, Switching: spec.StoreAndForward}
}

// forced reports whether no PE on the way of a packet has a choice, and the way
// ends at its destination.
func (f *Forwarding) forced(src, dst, class int) bool {
	row := f.hops[dst][class]
	for range f.Plane.Regions {
		if src == dst {
			return true
		}
		edges := row[src]
		if edges == 0 || edges&(edges-1) != 0 {
			return false
		}
		src = f.over(src, edges)
	}
	return src == dst
}

// over returns the region across the lowest edge of a set.
func (f *Forwarding) over(region int, edges uint32) int {
	for e, to := range f.Plane.Across[region] {
		if edges>>e&1 == 1 {
			return to
		}
	}
	return Outside
}

// network is the relation.
type network struct {
	*Forwarding
	t     *spec.Topology
	links [][]spec.LinkID // by region and edge
}

// Next permits the edges that the rule names.
func (n *network) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	pe := n.t.Head(at)
	if pe == h.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	edges := n.hops[h.Dest][h.Class][pe]
	if n.asked.Rule == NeverBack && !at.IsInjection() {
		edges = n.onward(int(pe), edges, int(n.t.Tail(at)))
	}
	for e, l := range n.links[pe] {
		if edges>>e&1 == 1 {
			dst = append(dst, spec.Hop{Channel: n.t.Channel(l, n.vc(at, l))})
		}
	}
	return dst, nil
}

// onward drops the edges to the region that a packet came from, unless there are
// no others.
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
		vc = min(vc+1, n.asked.VCs-1)
	}
	return vc
}

// Reason names the zone, and a point of the targets.
func (n *network) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	pe := int(n.t.Head(at))
	if hop.Channel == spec.Eject {
		return "the target lies in this region"
	}
	c := &n.Cells[h.Dest][n.first[h.Dest][h.Class]]
	z := n.Zone(pe, c)
	x, y := c.Inner()
	place := fmt.Sprintf("target (%s,%s)", x.RatString(), y.RatString())
	if n.asked.Masks != Unmasked {
		place += ", by a masked entry,"
	}
	if z.Corner < 0 {
		return place + " in zone A"
	}
	return fmt.Sprintf("%s in zone B at %v", place, n.Plane.Regions[pe].Corners[z.Corner])
}
