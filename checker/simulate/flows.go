package simulate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// flows are who may send to whom, by source: what node v sends is in
// first[v]..first[v+1], ascending by target.
type flows struct {
	first []int32
	table []int32
	row   []spec.RowID // of the injection channel
	tag   []spec.Tag   // of the source: its number among those of its node
	// by flow: the rows among which the routing chooses as a packet begins; nil if it never does
	alternatives [][]spec.RowID
	absent       *absent // if not nil, table, row and tag are, and no tag is above 0
}

// flowsOf lists the flows of a network. Those of the class of replies are left out if there
// is another class: requests generate them.
func flowsOf(n *spec.Network, o *Options) *flows {
	f := &flows{first: make([]int32, n.Topology().Nodes()+1), absent: absentOf(n, o)}
	if a := f.absent; a != nil {
		for v, not := range a.of {
			f.first[v+1] = f.first[v] + int32(len(a.tables)-len(not))
		}
		return f
	}
	oblivious := n.Alternatives() > 0 // else the data choose, and each alternative is a flow
	each := func(visit func(i, tag int, begins bool, s spec.Source)) {
		var scratch spec.Table
		for i := range n.Tables() {
			t := n.TableIn(&scratch, i)
			if o.Window > 0 && len(n.Classes()) > 1 && t.Class == o.Replies {
				continue
			}
			for k, s := range t.Sources {
				visit(i, int(t.SourceSite(k).Header.Tag), !n.ContinuesFlow(t, k), s)
			}
		}
	}
	each(func(_, _ int, begins bool, s spec.Source) {
		if begins {
			f.first[s.Node+1]++
		}
	})
	for v := range f.first[1:] {
		f.first[v+1] += f.first[v]
	}
	at := slices.Clone(f.first)
	all := f.first[len(f.first)-1]
	f.table, f.row, f.tag = make([]int32, all), make([]spec.RowID, all), make([]spec.Tag, all)
	if oblivious {
		f.alternatives = make([][]spec.RowID, all)
	}
	each(func(i, tag int, begins bool, s spec.Source) {
		if begins {
			f.table[at[s.Node]], f.row[at[s.Node]], f.tag[at[s.Node]] = int32(i), s.Row, spec.Tag(tag)
			at[s.Node]++
		}
		if oblivious {
			f.alternatives[at[s.Node]-1] = append(f.alternatives[at[s.Node]-1], s.Row)
		}
	})
	return f
}

// flowsTo returns the flows from a source flowsTo a destination, one for each class that has one.
func (f *flows) flowsTo(n *spec.Network, source, dest spec.NodeID) span {
	if f.absent != nil {
		first := f.first[source]
		return span{first + f.absent.countBelow(source, dest), first + f.absent.countBelow(source, dest+1)}
	}
	of := f.table[f.first[source]:f.first[source+1]]
	compare := func(i int32, d spec.NodeID) int { return int(n.Stored(int(i)).Dest) - int(d) }
	from, _ := slices.BinarySearchFunc(of, dest, compare)
	end, _ := slices.BinarySearchFunc(of, dest+1, compare)
	return span{f.first[source] + int32(from), f.first[source] + int32(end)}
}

// start returns the table, the row and the tag with which packets of flow i of node v begin.
func (f *flows) start(v, i int32) (table int32, row spec.RowID, tag spec.Tag) {
	if f.absent != nil {
		table, row = f.absent.flow(v, i-f.first[v])
		return table, row, 0
	}
	return f.table[i], f.row[i], f.tag[i]
}

// span is a range of flows.
type span struct{ from, end int32 }

// terminals lists the nodes that send or receive, ascending: patterns use these numbers.
func terminals(n *spec.Network) []spec.NodeID {
	is, seen := make([]bool, n.Topology().Nodes()), make([]bool, n.Fragments())
	mark := func(of []spec.Source) {
		for _, s := range of {
			is[s.Node] = true
		}
	}
	for i := range n.Tables() {
		t := n.Stored(i)
		is[t.Dest] = true
		mark(t.Sources)
		for _, f := range t.Fragments {
			if !seen[f] {
				mark(n.Fragment(f).Sources)
			}
			seen[f] = true
		}
	}
	var list []spec.NodeID
	for v, terminal := range is {
		if terminal {
			list = append(list, spec.NodeID(v))
		}
	}
	return list
}

// destinations is traffic on a network, ready to draw from.
type destinations struct {
	flows  *flows
	random *rand.Rand
	spans  []span    // by node, for fixed destinations
	hot    [][]span  // by node, to the hot nodes
	share  float64   // to the hot nodes
	sums   []float64 // by flow, for demands: the sum of the weights of its source so far
	rate   []float64 // by node, relative to the one that sends most
}

func newDestinations(n *spec.Network, o *Options) (*destinations, error) {
	d := &destinations{
		flows:  flowsOf(n, o),
		random: rand.New(rand.NewPCG(o.Seed, 1)),
		rate:   make([]float64, n.Topology().Nodes()),
	}
	for v := range d.rate {
		if d.flows.first[v] < d.flows.first[v+1] {
			d.rate[v] = 1
		}
	}
	t := &o.Traffic
	if len(t.Demands) > 0 {
		return d, d.demand(n, t.Demands)
	}
	pattern := cmp.Or(t.Pattern, "uniform")
	if !slices.Contains(patternNames(), pattern) {
		return nil, fmt.Errorf("invalid traffic %q: want %s", pattern, strings.Join(patternNames(), ", "))
	}
	if pattern == "hot-spot" {
		return d, d.heat(n, t)
	}
	list := terminals(n)
	to, fixed := permute(n, pattern, list, d.random)
	if !fixed {
		return d, nil
	}
	d.spans = make([]span, len(d.rate))
	for i, v := range list {
		if d.rate[v] == 0 {
			continue
		}
		k, err := to(i)
		if err != nil {
			return nil, err
		}
		if d.rate[v] = 0; k != i {
			if d.spans[v], err = d.must(n, v, list[k]); err != nil {
				return nil, fmt.Errorf("%s: %w", pattern, err)
			}
			d.rate[v] = 1
		}
	}
	if !slices.Contains(d.rate, 1) {
		return nil, fmt.Errorf("%s: no node of %s sends to another", pattern, n.Name())
	}
	return d, nil
}

// must returns the flows from one node to another; there must be one.
func (d *destinations) must(n *spec.Network, from, to spec.NodeID) (span, error) {
	s := d.flows.flowsTo(n, from, to)
	if s.from == s.end {
		return s, fmt.Errorf("%s has no flow from %s to %s",
			n.Name(), n.Topology().Node(from).Name, n.Topology().Node(to).Name)
	}
	return s, nil
}

// heat sends a share of the packets to the hot nodes.
func (d *destinations) heat(n *spec.Network, t *Traffic) error {
	if len(t.Hot) == 0 || !(t.Share > 0 && t.Share <= 1) {
		return fmt.Errorf("hot-spot needs hot nodes and a share above 0 and at most 1, not %d and %v",
			len(t.Hot), t.Share)
	}
	d.share, d.hot = t.Share, make([][]span, len(d.rate))
	for _, name := range t.Hot {
		h, ok := n.Topology().NodeNamed(name)
		if !ok {
			return fmt.Errorf("invalid hot node %q: %s has no such node", name, n.Name())
		}
		for v, rate := range d.rate {
			if spec.NodeID(v) == h || rate == 0 {
				continue
			}
			s, err := d.must(n, spec.NodeID(v), h)
			if err != nil {
				return err
			}
			d.hot[v] = append(d.hot[v], s)
		}
	}
	return nil
}

// demand weights the flows by a matrix.
func (d *destinations) demand(n *spec.Network, demands []Demand) error {
	d.sums = make([]float64, d.flows.first[len(d.flows.first)-1])
	total := make([]float64, len(d.rate))
	for _, x := range demands {
		s, err := d.must(n, x.Source, x.Dest)
		if err != nil {
			return err
		}
		if !(x.Weight >= 0 && x.Weight < 1e300) {
			return fmt.Errorf("invalid demand %v: want a number of at least 0", x.Weight)
		}
		for i := s.from; i < s.end; i++ {
			d.sums[i] += x.Weight / float64(s.end-s.from)
		}
		total[x.Source] += x.Weight
	}
	most := slices.Max(total)
	if most <= 0 {
		return fmt.Errorf("all demands are 0: nothing is sent")
	}
	for v := range d.rate {
		d.rate[v] = total[v] / most
		of := d.sums[d.flows.first[v]:d.flows.first[v+1]]
		for i := 1; i < len(of); i++ {
			of[i] += of[i-1]
		}
	}
	return nil
}

// draw returns the flow of the next packet of node v.
func (d *destinations) draw(v int32) int32 {
	from, end := d.flows.first[v], d.flows.first[v+1]
	s := span{from, end}
	switch {
	case d.sums != nil:
		of := d.sums[from:end]
		i, _ := slices.BinarySearch(of, d.random.Float64()*of[len(of)-1])
		for i < len(of)-1 && of[i] == 0 { // a flow without weight is never drawn
			i++
		}
		return from + int32(min(i, len(of)-1))
	case d.spans != nil:
		s = d.spans[v]
	case d.hot != nil && len(d.hot[v]) > 0 && d.random.Float64() < d.share:
		s = d.hot[v][d.random.IntN(len(d.hot[v]))]
	}
	return s.from + d.random.Int32N(s.end-s.from)
}
