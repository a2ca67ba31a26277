package spec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// ReadClosed reads a network in the closed form and compiles it: keys in any
// order, any white space, rows and sites in any order, sites that nobody
// reaches allowed and dropped. Everything that [ClosedSchema] demands is
// checked, and that all numbers lie in range, that hops leave the node that
// they start from and that every hop leads to a listed site. Errors are
// *PosError with the given file name; reasons of hops name the table's line.
func ReadClosed(ctx context.Context, file string, text []byte, opt CompileOptions) (*Network, error) {
	// Its sections are copies, and a number of two characters takes up to 8 bytes.
	if held := 5 * int64(len(text)); opt.Memory > 0 {
		if opt.Memory -= held; opt.Memory <= 0 {
			return nil, fmt.Errorf("reading %s: %w", file, &BudgetError{Memory: opt.Memory + held})
		}
	}
	p := &closedParser{ctx: ctx, file: file, text: text}
	def, err := p.parse()
	if err != nil {
		return nil, err
	}
	return Compile(ctx, *def, opt)
}

// closedParser turns the closed form into a definition whose relation looks
// sites up in the tables of the file.
type closedParser struct {
	ctx  context.Context
	file string
	text []byte
	def  Definition
	topo *Topology
	rows [][]Hop
}

// section is the value of one key of the outermost object.
type section struct {
	at  int // its offset in the text
	raw []byte
}

var closedKeys = []string{"format", "name", "switching", "buffer", "tags", "selection", "classes", "vcs", "nodes", "links", "rows", "tables"}

// expectKey is the only key that may be left out.
const expectKey = "expect"

func (p *closedParser) errorAt(offset int, format string, args ...any) error {
	offset = min(offset, len(p.text))
	line := 1 + bytes.Count(p.text[:offset], []byte("\n"))
	col := offset - bytes.LastIndexByte(p.text[:offset], '\n')
	return &PosError{p.file, line, col, fmt.Sprintf(format, args...)}
}

// parse reads the sections in the order in which they depend on each other.
func (p *closedParser) parse() (*Definition, error) {
	sections, err := p.sections()
	if err != nil {
		return nil, err
	}
	var format, switching, selection string
	var vcs []string
	type step struct {
		key  string
		read func(*cursor) error
	}
	steps := []step{
		{"format", func(c *cursor) error {
			if err := c.text(&format); err != nil {
				return err
			}
			if format != ClosedFormat {
				return c.errorf("format is %.40q: want %q", format, ClosedFormat)
			}
			return nil
		}},
		{"name", func(c *cursor) error { return c.text(&p.def.Name) }},
		{"switching", func(c *cursor) error {
			if err := c.text(&switching); err != nil {
				return err
			}
			s, ok := ParseSwitching(switching)
			if !ok || s.String() != switching { // the short forms are not for files
				return c.errorf("switching is %.40q: want one of %q", switching, switchingNames)
			}
			p.def.Switching = s
			return nil
		}},
		{"buffer", func(c *cursor) error { return c.count(&p.def.Buffer, 1<<30) }},
		{"tags", func(c *cursor) error { return c.count(&p.def.Tags, 1<<16) }},
		{"selection", func(c *cursor) error { return c.text(&selection) }},
		{"classes", func(c *cursor) error {
			if err := c.names(&p.def.Classes); err != nil {
				return err
			}
			if len(p.def.Classes) == 0 {
				return c.errorf("no classes: want at least one name, which may be \"\"")
			}
			return nil
		}},
		{"vcs", func(c *cursor) error { return c.names(&vcs) }},
		{"nodes", func(c *cursor) error { p.topo = NewTopology(vcs...); return c.list(p.node) }},
		{"links", func(c *cursor) error { return c.list(p.link) }},
		{"rows", func(c *cursor) error { return c.list(p.row) }},
		{"tables", p.tables},
	}
	if _, ok := sections[expectKey]; ok {
		steps = append(steps, step{expectKey, func(c *cursor) error { return c.list(p.expectation) }})
	}
	for _, s := range steps {
		if err := s.read(p.cursor(sections[s.key])); err != nil {
			return nil, err
		}
	}
	if selection != "" {
		p.def.Selection = &Selection{Name: selection}
	}
	p.def.Source, p.def.Topology = p.file, p.topo
	return &p.def, nil
}

// sections splits the outermost object and checks its keys.
func (p *closedParser) sections() (map[string]section, error) {
	c := p.cursor(section{raw: p.text})
	if err := c.delim('{'); err != nil {
		return nil, err
	}
	out := map[string]section{}
	for c.dec.More() {
		var key string
		if err := c.text(&key); err != nil {
			return nil, err
		}
		if !slices.Contains(closedKeys, key) && key != expectKey {
			return nil, c.errorf("unknown key %.40q: the keys are %q", key, closedKeys)
		}
		if _, dup := out[key]; dup {
			return nil, c.errorf("key %q stands here twice", key)
		}
		var raw json.RawMessage
		if err := c.dec.Decode(&raw); err != nil {
			return nil, c.syntax(err)
		}
		out[key] = section{int(c.dec.InputOffset()) - len(raw), raw}
	}
	if err := c.delim('}'); err != nil {
		return nil, err
	}
	if _, err := c.dec.Token(); err != io.EOF {
		return nil, c.errorf("text after the end of the network")
	}
	for _, key := range closedKeys {
		if _, ok := out[key]; !ok {
			return nil, p.errorAt(0, "the key %q is missing", key)
		}
	}
	return out, nil
}

func (p *closedParser) expectation(c *cursor) error {
	var property, verdict, switching string
	err := c.object(map[string]func() error{
		"property":  func() error { return c.text(&property) },
		"verdict":   func() error { return c.text(&verdict) },
		"switching": func() error { return c.text(&switching) },
	})
	if err != nil {
		return err
	}
	var x Expectation
	var ok1, ok2, ok3 bool
	x.Property, ok1 = ParseProperty(property)
	x.Verdict, ok2 = ParseVerdict(verdict)
	x.Switching, ok3 = ParseSwitching(switching)
	if !ok1 || !ok2 || !ok3 || x.Switching.String() != switching {
		return c.errorf("%.20q is %.20q with %.30q: no such expectation", property, verdict, switching)
	}
	p.def.Expect = append(p.def.Expect, x)
	return nil
}

func (p *closedParser) node(c *cursor) error {
	var name string
	var at []int64
	err := c.object(map[string]func() error{
		"name": func() error { return c.text(&name) },
		"at":   func() error { return c.numbers(&at, -1<<31, 1<<31-1) },
	})
	if err != nil {
		return err
	}
	var coordinates []int
	for _, x := range at {
		coordinates = append(coordinates, int(x))
	}
	p.topo.AddNode(name, coordinates...)
	return c.wrap(p.topo)
}

func (p *closedParser) link(c *cursor) error {
	var from, to, vcs, dim int64
	var out, in string
	last := int64(p.topo.Nodes()) - 1
	err := c.object(map[string]func() error{
		"from": func() error { return c.number(&from, 0, last) },
		"to":   func() error { return c.number(&to, 0, last) },
		"vcs":  func() error { return c.number(&vcs, 1, 1<<16) },
		"out":  func() error { return c.text(&out) },
		"in":   func() error { return c.text(&in) },
		"dim":  func() error { return c.number(&dim, 0, 1<<16) },
	})
	if err != nil {
		return err
	}
	p.topo.AddLink(Link{NodeID(from), NodeID(to), int(vcs), out, in, int(dim)})
	return c.wrap(p.topo)
}

func (p *closedParser) row(c *cursor) error {
	var xs []int64
	if err := c.numbers(&xs, -1, max(int64(p.topo.Channels())-1, 1<<16-1)); err != nil {
		return err
	}
	if len(xs)%2 != 0 {
		return c.errorf("a row of %d numbers: want channel,tag,channel,tag,...", len(xs))
	}
	var row []Hop
	for i := 0; i < len(xs); i += 2 {
		ch, tag := xs[i], xs[i+1]
		switch {
		case ch >= int64(p.topo.Channels()):
			return c.errorf("hop into channel %d: channels are -1 (eject) to %d", ch, p.topo.Channels()-1)
		case tag < 0 || tag >= int64(p.def.Tags):
			return c.errorf("hop with tag %d: tags are 0 to %d", tag, p.def.Tags-1)
		case ch == -1 && tag != 0:
			return c.errorf("eject with tag %d: want 0", tag)
		case len(row) > 0 && ch >= 0 && row[0].Channel >= 0 && p.topo.Tail(ChannelID(ch)) != p.topo.Tail(row[0].Channel):
			return c.errorf("a row with hops that leave different nodes")
		}
		row = append(row, Hop{ChannelID(ch), Tag(tag)})
	}
	p.rows = append(p.rows, row)
	return nil
}

// closedTable is one target's part of the file.
type closedTable struct {
	offset  int          // of the table in the text
	sources []Source     // ascending by node
	sites   []closedSite // ascending by place
}

type closedSite struct {
	place int64 // channel<<16 | tag
	row   RowID
}

// source returns the row of a node that sends to the table's target.
func (t *closedTable) source(n NodeID) (RowID, bool) {
	i, ok := slices.BinarySearchFunc(t.sources, n, func(s Source, n NodeID) int { return cmp.Compare(s.Node, n) })
	if !ok {
		return 0, false
	}
	return t.sources[i].Row, true
}

func (p *closedParser) tables(c *cursor) error {
	rel := &closedRelation{p: p, tables: map[Target]*closedTable{}}
	err := c.list(func(c *cursor) error {
		t := &closedTable{offset: c.offset()}
		var dest, class int64
		var sources, sites []int64
		err := c.object(map[string]func() error{
			"dest":    func() error { return c.number(&dest, 0, int64(p.topo.Nodes())-1) },
			"class":   func() error { return c.number(&class, 0, int64(len(p.def.Classes))-1) },
			"sources": func() error { return c.numbers(&sources, 0, 1<<31-1) },
			"sites":   func() error { return c.numbers(&sites, 0, 1<<31-1) },
		})
		if err != nil {
			return err
		}
		target := Target{NodeID(dest), Class(class)}
		if rel.tables[target] != nil {
			return c.errorf("a second table for node %d, class %d", dest, class)
		}
		rel.tables[target] = t
		if err := p.fillSources(c, t, target, sources); err != nil {
			return err
		}
		return p.fillSites(c, t, sites)
	})
	p.def.Routing = rel
	p.def.Flows, p.def.Senders = rel.flows, rel.senders
	return err
}

func (p *closedParser) fillSources(c *cursor, t *closedTable, target Target, xs []int64) error {
	if len(xs)%2 != 0 {
		return c.errorf("sources of %d numbers: want node,row,node,row,...", len(xs))
	}
	for i := 0; i < len(xs); i += 2 {
		node, row := xs[i], xs[i+1]
		switch {
		case node >= int64(p.topo.Nodes()):
			return c.errorf("source node %d: nodes are 0 to %d", node, p.topo.Nodes()-1)
		case NodeID(node) == target.Dest:
			return c.errorf("node %d sends to itself", node)
		case row >= int64(len(p.rows)):
			return c.errorf("row %d: rows are 0 to %d", row, len(p.rows)-1)
		}
		t.sources = append(t.sources, Source{NodeID(node), RowID(row)})
	}
	slices.SortFunc(t.sources, func(a, b Source) int { return cmp.Compare(a.Node, b.Node) })
	for i := 1; i < len(t.sources); i++ {
		if t.sources[i].Node == t.sources[i-1].Node {
			return c.errorf("source node %d stands here twice", t.sources[i].Node)
		}
	}
	return nil
}

func (p *closedParser) fillSites(c *cursor, t *closedTable, xs []int64) error {
	if len(xs)%3 != 0 {
		return c.errorf("sites of %d numbers: want channel,tag,row,channel,tag,row,...", len(xs))
	}
	t.sites = make([]closedSite, 0, len(xs)/3)
	for i := 0; i < len(xs); i += 3 {
		ch, tag, row := xs[i], xs[i+1], xs[i+2]
		switch {
		case ch >= int64(p.topo.Channels()):
			return c.errorf("site in channel %d: channels are 0 to %d", ch, p.topo.Channels()-1)
		case tag >= int64(p.def.Tags):
			return c.errorf("site with tag %d: tags are 0 to %d", tag, p.def.Tags-1)
		case row >= int64(len(p.rows)):
			return c.errorf("row %d: rows are 0 to %d", row, len(p.rows)-1)
		}
		t.sites = append(t.sites, closedSite{ch<<16 | tag, RowID(row)})
	}
	slices.SortFunc(t.sites, func(a, b closedSite) int { return cmp.Compare(a.place, b.place) })
	for i := 1; i < len(t.sites); i++ {
		if place := t.sites[i].place; place == t.sites[i-1].place {
			return c.errorf("the site of channel %d with tag %d stands here twice", place>>16, place&0xffff)
		}
	}
	return nil
}

// closedRelation answers from the tables of a file.
type closedRelation struct {
	p      *closedParser
	tables map[Target]*closedTable
}

func (r *closedRelation) flows(src, dst NodeID, c Class) bool {
	t := r.tables[Target{dst, c}]
	if t == nil {
		return false
	}
	_, ok := t.source(src)
	return ok
}

func (r *closedRelation) senders(dst []NodeID, to Target) []NodeID {
	if t := r.tables[to]; t != nil {
		for _, s := range t.sources {
			dst = append(dst, s.Node)
		}
	}
	return dst
}

func (r *closedRelation) Next(dst []Hop, at ChannelID, h Header) ([]Hop, error) {
	t := r.tables[h.Target()]
	if t == nil {
		return dst, nil
	}
	if at.IsInjection() {
		if row, ok := t.source(r.p.topo.Head(at)); ok {
			dst = append(dst, r.p.rows[row]...)
		}
		return dst, nil
	}
	i, ok := slices.BinarySearchFunc(t.sites, int64(at)<<16|int64(h.Tag), func(s closedSite, place int64) int { return cmp.Compare(s.place, place) })
	if !ok {
		return dst, r.p.errorAt(t.offset, "a hop leads into channel %d with tag %d, but this table lists no such site", at, h.Tag)
	}
	return append(dst, r.p.rows[t.sites[i].row]...), nil
}

// Reason returns the place of the table in the file.
func (r *closedRelation) Reason(_ ChannelID, h Header, _ Hop) string {
	t := r.tables[h.Target()]
	if t == nil {
		return ""
	}
	e := r.p.errorAt(t.offset, "").(*PosError)
	return e.File + ":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Col)
}
