package route

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// Measures says how evenly routes use links, and how long they are.
type Measures struct {
	Load    Load
	Stretch Stretch
}

// Load is how many flows a link carries, over all links except those of nodes with one
// neighbor, which carry the same under every routing, and those from a node to itself.
type Load struct {
	Links           int // 0: all other fields are 0, too
	Least, Most     int64
	Mean, Deviation float64 // standard deviation
}

// Stretch is the length of routes relative to shortest paths in the topology, over all flows
// that arrive: 1 is shortest.
type Stretch struct {
	Flows      int // 0: all other fields are 0, too
	Mean, Most float64
}

// Measure measures a network whose routes leave no choice but that of the VC. Flows that do not
// arrive are not counted. Linear in the sites, and in nodes and links for each destination.
func Measure(ctx context.Context, n *spec.Network) (Measures, error) {
	var m Measures
	t, sites := n.Topology(), relation.NewWalk(n)
	load := make(loads, t.Links())
	var far []int32
	ratios := 0.0
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return m, context.Cause(ctx)
		}
		table := n.Table(i)
		sites.Load(table)
		w := walk{Walk: sites, n: n, table: table}
		if err := w.follow(); err != nil {
			return m, err
		}
		if i == 0 || n.Table(i-1).Dest != table.Dest {
			far = distances(t, table.Dest)
		}
		for _, s := range table.Sources {
			if k := w.left(s.Row); k > 0 && s.Node != table.Dest {
				x := float64(k) / float64(far[s.Node])
				m.Stretch.Flows++
				m.Stretch.Most = max(m.Stretch.Most, x)
				ratios += x
			}
		}
		w.charge(load)
	}
	if m.Stretch.Flows > 0 {
		m.Stretch.Mean = ratios / float64(m.Stretch.Flows)
	}
	m.Load = loadOf(t, load)
	return m, nil
}

func loadOf(t *spec.Topology, load loads) Load {
	leaf := make([]bool, t.Nodes())
	for v := range spec.NodeID(t.Nodes()) {
		beside := updown.Neighbors(t, v)
		leaf[v] = len(beside) == 1
	}
	var flows []int64
	for l := range spec.LinkID(t.Links()) {
		if k := t.Link(l); k.From != k.To && !leaf[k.From] && !leaf[k.To] {
			flows = append(flows, load[l])
		}
	}
	if len(flows) == 0 {
		return Load{}
	}
	x := Load{Links: len(flows), Least: slices.Min(flows), Most: slices.Max(flows)}
	sum := int64(0)
	for _, f := range flows {
		sum += f
	}
	x.Mean = float64(sum) / float64(len(flows))
	squares := 0.0
	for _, f := range flows {
		squares += (float64(f) - x.Mean) * (float64(f) - x.Mean)
	}
	x.Deviation = math.Sqrt(squares / float64(len(flows)))
	return x
}

// walk follows the routes of one table.
type walk struct {
	*relation.Walk
	n     *spec.Network
	table *spec.Table
	hops  []int32 // by site: links to the destination, this one included; 0: not known, -1: never arrives
	order []int   // sites that arrive, each after the one that it leads to
}

// successor returns the site that a row leads to; -1: out of the network.
func (w *walk) successor(r spec.RowID) int { return w.SiteAfter(w.n.Row(r)[0]) }

// same reports whether all hops of a row take the same link.
func (w *walk) same(row []spec.Hop) bool {
	t := w.n.Topology()
	return len(row) < 2 || row[0].Channel != spec.Eject && t.LinkOf(row[0].Channel) == t.LinkOf(row[len(row)-1].Channel)
}

func (w *walk) follow() error {
	const onPath = -2
	choice := fmt.Errorf("%s: routes to %s are not unique", w.n.Name(), w.n.Topology().Node(w.table.Dest).Name)
	for _, s := range w.table.Sources {
		if !w.same(w.n.Row(s.Row)) {
			return choice
		}
	}
	w.hops = make([]int32, w.table.Len())
	var path []int
	for s := range w.hops {
		path = path[:0]
		end := int32(-1)
		for at := s; ; {
			if w.hops[at] != 0 {
				end = w.hops[at]
				break
			}
			w.hops[at] = onPath
			path = append(path, at)
			row := w.n.Row(w.table.Rows[at])
			if !w.same(row) {
				return choice
			}
			if len(row) == 0 {
				break
			}
			if row[0].Channel == spec.Eject {
				if w.n.Topology().Head(w.table.Channels[at]) == w.table.Dest {
					end = 0
				}
				break
			}
			at = w.successor(w.table.Rows[at])
		}
		for _, at := range slices.Backward(path) {
			if end < 0 {
				w.hops[at] = -1
				continue
			}
			end++
			w.hops[at] = end
			w.order = append(w.order, at)
		}
	}
	return nil
}

// left returns how many links a source's row leads over; 0 or less if it does not arrive.
func (w *walk) left(r spec.RowID) int32 {
	row := w.n.Row(r)
	if len(row) == 0 || row[0].Channel == spec.Eject {
		return 0
	}
	return w.hops[w.successor(r)]
}

// charge adds the flows of the table.
func (w *walk) charge(load loads) {
	flows := make([]int64, w.table.Len())
	for _, s := range w.table.Sources {
		if w.left(s.Row) > 0 {
			flows[w.successor(s.Row)]++
		}
	}
	for _, at := range slices.Backward(w.order) {
		load[w.n.Topology().LinkOf(w.table.Channels[at])] += flows[at]
		if next := w.successor(w.table.Rows[at]); next >= 0 {
			flows[next] += flows[at]
		}
	}
}
