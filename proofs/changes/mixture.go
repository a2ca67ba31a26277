package changes

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Mixture says how the tables of a round make one network, of which a certificate is then checked as of any other.
// The sites of all three are those that packets reach by any mixture of the tables.
type Mixture uint8

const (
	// Union permits at each site what any table permits there that may be in force.
	Union Mixture = iota
	// Final permits what the tables permit that are in force once the round has ended. Packets begin at their sources,
	// and wherever mixed tables may have brought them: each such site is a source, too.
	Final
	// Committed has each site once for each table that may be in force at its router: tag 2t for tag t and the old
	// table, 2t+1 for the new one. A hop leads to any of those of its place, and needs the room that its table says.
	Committed
)

var mixtureNames = [...]string{"union", "final", "committed"}

// String returns "union", "final" or "committed".
func (m Mixture) String() string { return mixtureNames[min(m, Committed)] }

// Mix is what may be in force in a round, and the sites that packets reach by any mixture of it. It is immutable and
// safe for concurrent use.
type Mix struct {
	p     *Pair
	s     state
	walks []walk // one for each target
}

// walk is a table of one target with what is in force in a round.
type walk struct {
	p             *Pair
	s             state
	before, after *spec.Table
	reached       []bool // by site
}

// Mix follows the packets of a round wherever mixed tables bring them, in time proportional to the sites.
func (p *Pair) Mix(ctx context.Context, r Round) (*Mix, error) {
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	x, index := &Mix{p: p, s: s}, p.n.NewIndex()
	var stack []int
	var rows []spec.RowID
	for i := range p.n.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		before := p.n.Stored(i)
		if before.Class >= p.after {
			continue
		}
		w := walk{p, s, before, p.other(before.Target), make([]bool, before.Len())}
		index.Load(before)
		follow := func(rows []spec.RowID) {
			for _, r := range rows {
				for _, h := range p.n.Row(r) {
					if k := index.Site(h); k >= 0 && !w.reached[k] {
						w.reached[k] = true
						stack = append(stack, k)
					}
				}
			}
		}
		for k := range before.Sources {
			rows = w.atSource(rows[:0], k)
			follow(rows)
		}
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			rows = w.atSite(rows[:0], k)
			follow(rows)
		}
		x.walks = append(x.walks, w)
	}
	return x, nil
}

// atSource and atSite return the rows that may be in force at a source and at a site.
func (w *walk) atSource(dst []spec.RowID, k int) []spec.RowID {
	return w.s.rows(dst, w.before.Sources[k].Node, w.before.Sources[k].Row, w.after.Sources[k].Row)
}

func (w *walk) atSite(dst []spec.RowID, k int) []spec.RowID {
	return w.s.rows(dst, w.p.n.Topology().Head(w.before.Channels[k]), w.before.Rows[k], w.after.Rows[k])
}

// Network returns the network that a mixture makes of the tables.
func (x *Mix) Network(ctx context.Context, m Mixture) (*spec.Network, error) {
	n := x.p.n
	parts := spec.Parts{
		Name: n.Name(), Origin: n.Origin(), Topology: n.Topology(), Classes: n.Classes()[:x.p.after], Tags: n.Tags(),
		Switching: n.Switching(), Buffer: n.Buffer(), Asks: m == Final || n.Asks(),
	}
	if m == Committed {
		parts.Tags *= 2
	}
	set := rowSet{alone: make([]spec.RowID, n.RowCount()), pairs: map[[2]spec.RowID]spec.RowID{}}
	for i := range x.walks {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		parts.Tables = append(parts.Tables, x.walks[i].table(m, &set))
	}
	parts.Rows = set.Sorted(parts.Tables)
	return spec.NewNetwork(ctx, parts)
}

// table returns the table of a mixture for one target.
func (w *walk) table(m Mixture, set *rowSet) spec.Table {
	n, topo := w.p.n, w.p.n.Topology()
	t := spec.Table{Target: w.before.Target}
	var rows []spec.RowID
	add := func(k int, tag spec.Tag, row spec.RowID) {
		t.Channels, t.Rows = append(t.Channels, w.before.Channels[k]), append(t.Rows, row)
		if n.Tags() > 1 || m == Committed {
			t.Tags = append(t.Tags, tag)
		}
	}
	for k, s := range w.before.Sources {
		rows = w.atSource(rows[:0], k)
		t.Sources = append(t.Sources, spec.Source{Node: s.Node, Row: w.row(m, set, rows)})
	}
	for k, c := range w.before.Channels {
		if !w.reached[k] {
			continue
		}
		rows = w.atSite(rows[:0], k)
		switch tag := w.before.Tag(k); m {
		case Committed:
			for i, r := range rows {
				b := spec.Tag(0)
				if i == 1 || !w.s[topo.Head(c)].old {
					b = 1
				}
				add(k, 2*tag+b, w.row(m, set, []spec.RowID{r}))
			}
		case Final:
			add(k, tag, w.row(m, set, rows))
			t.Sources = append(t.Sources,
				spec.Source{Node: topo.Tail(c), Row: set.Add([]spec.Hop{{Channel: c, Tag: tag}})})
		default:
			add(k, tag, w.row(m, set, rows))
		}
	}
	slices.SortStableFunc(t.Sources, func(a, b spec.Source) int { return cmp.Compare(a.Node, b.Node) })
	return t
}

// row returns the row of a mixture for a place where these rows may be in force.
func (w *walk) row(m Mixture, set *rowSet, rows []spec.RowID) spec.RowID {
	if m == Final {
		rows = rows[len(rows)-1:]
	}
	// How a row is committed depends on the router, which the channels of the row tell, and the round alone.
	first, last := rows[0], rows[len(rows)-1]
	if first == last && set.alone[first] > 0 {
		return set.alone[first] - 1
	}
	if number, known := set.pairs[[2]spec.RowID{first, last}]; known {
		return number
	}
	var hops []spec.Hop
	for _, r := range rows {
		for _, h := range w.p.n.Row(r) {
			if m != Committed {
				h = h.Taken() // certificates of these mixtures do not count free places
			}
			if m != Committed || h.Channel == spec.Eject {
				hops = append(hops, h)
				continue
			}
			at := w.s[w.p.n.Topology().Head(h.Channel)]
			if at.old {
				hops = append(hops, spec.Hop{Channel: h.Channel, Tag: 2 * h.Tag, Room: h.Room})
			}
			if at.renewed {
				hops = append(hops, spec.Hop{Channel: h.Channel, Tag: 2*h.Tag + 1, Room: h.Room})
			}
		}
	}
	number := set.Add(spec.Distinct(hops)) // of two tables at a source, the one that needs less room
	if first == last {
		set.alone[first] = number + 1
	} else {
		set.pairs[[2]spec.RowID{first, last}] = number
	}
	return number
}

// rowSet numbers the rows of a mixture.
type rowSet struct {
	Rows
	alone []spec.RowID                 // by the row that alone may be in force: one more than its number; 0 has none
	pairs map[[2]spec.RowID]spec.RowID // by two rows that may be in force
}

// Rows numbers different rows as they come.
type Rows struct {
	rows   [][]spec.Hop
	number map[string]spec.RowID
	key    []byte
}

// Add returns the number of a row, whose hops are ascending. It keeps a copy of a new one.
func (s *Rows) Add(hops []spec.Hop) spec.RowID {
	s.key = s.key[:0]
	for _, h := range hops {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(h.Channel))
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(h.Tag)|uint32(h.Room)<<16)
	}
	r, known := s.number[string(s.key)]
	if !known {
		if s.number == nil {
			s.number = map[string]spec.RowID{}
		}
		r = spec.RowID(len(s.rows))
		s.rows, s.number[string(s.key)] = append(s.rows, slices.Clone(hops)), r
	}
	return r
}

// Sorted returns the rows in ascending order, and gives them their new numbers in the tables.
func (s *Rows) Sorted(tables []spec.Table) [][]spec.Hop {
	order, now := make([]int, len(s.rows)), make([]spec.RowID, len(s.rows))
	for r := range order {
		order[r] = r
	}
	slices.SortFunc(order, func(a, b int) int { return slices.CompareFunc(s.rows[a], s.rows[b], spec.Hop.Compare) })
	sorted := make([][]spec.Hop, len(order))
	for i, r := range order {
		sorted[i], now[r] = s.rows[r], spec.RowID(i)
	}
	for _, t := range tables {
		for i := range t.Sources {
			t.Sources[i].Row = now[t.Sources[i].Row]
		}
		for i := range t.Rows {
			t.Rows[i] = now[t.Rows[i]]
		}
	}
	return sorted
}
