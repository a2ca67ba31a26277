package spec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// ReadClosed reads a network in the closed form: keys in any order, any white
// space, rows and sites in any order, sites that nobody reaches allowed and
// dropped. Everything that [ClosedSchema] demands is checked, and all that
// [NewNetwork] does of the tables as they stand. Errors are *PosError with the
// given file name; reasons of hops name the table's line. Memory is linear in the
// text.
func ReadClosed(ctx context.Context, file string, text []byte) (*Network, error) {
	p := &closedParser{ctx: ctx, file: file, text: text}
	p.parts.Source, p.parts.Reason = file, p.reason
	if err := p.parse(); err != nil {
		return nil, err
	}
	if err := p.parts.Check(); err != nil {
		return nil, p.errorAt(0, "%v", err)
	}
	if err := p.canonical(); err != nil {
		return nil, err
	}
	n, err := NewNetwork(p.parts)
	var wrong *TableError
	if errors.As(err, &wrong) {
		return nil, p.errorAt(p.offsets[wrong.Target], "%s", wrong.Problem)
	}
	return n, err
}

// closedParser turns the closed form into the parts of a network.
type closedParser struct {
	ctx     context.Context
	file    string
	text    []byte
	parts   Parts
	offsets map[Target]int // of the tables in the text
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
func (p *closedParser) parse() error {
	sections, err := p.sections()
	if err != nil {
		return err
	}
	var format, switching string
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
		{"name", func(c *cursor) error { return c.text(&p.parts.Name) }},
		{"switching", func(c *cursor) error {
			if err := c.text(&switching); err != nil {
				return err
			}
			s, ok := ParseSwitching(switching)
			if !ok || s.String() != switching { // the short forms are not for files
				return c.errorf("switching is %.40q: want one of %q", switching, switchingNames)
			}
			p.parts.Switching = s
			return nil
		}},
		{"buffer", func(c *cursor) error { return c.count(&p.parts.Buffer, 1<<30) }},
		{"tags", func(c *cursor) error { return c.count(&p.parts.Tags, 1<<16) }},
		{"selection", func(c *cursor) error { return c.text(&p.parts.Selection) }},
		{"classes", func(c *cursor) error {
			if err := c.names(&p.parts.Classes); err != nil {
				return err
			}
			if len(p.parts.Classes) == 0 {
				return c.errorf("no classes: want at least one name, which may be \"\"")
			}
			return nil
		}},
		{"vcs", func(c *cursor) error { return c.names(&vcs) }},
		{"nodes", func(c *cursor) error { p.parts.Topology = NewTopology(vcs...); return c.list(p.node) }},
		{"links", func(c *cursor) error { return c.list(p.link) }},
		{"rows", func(c *cursor) error { return c.list(p.row) }},
		{"tables", p.tables},
	}
	if _, ok := sections[expectKey]; ok {
		steps = append(steps, step{expectKey, func(c *cursor) error { return c.list(p.expectation) }})
	}
	for _, s := range steps {
		if err := s.read(p.cursor(sections[s.key])); err != nil {
			return err
		}
	}
	return nil
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
	p.parts.Expect = append(p.parts.Expect, x)
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
	p.parts.Topology.AddNode(name, coordinates...)
	return c.wrap(p.parts.Topology)
}

func (p *closedParser) link(c *cursor) error {
	var from, to, vcs, dim int64
	var out, in string
	last := int64(p.parts.Topology.Nodes()) - 1
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
	p.parts.Topology.AddLink(Link{NodeID(from), NodeID(to), int(vcs), out, in, int(dim)})
	return c.wrap(p.parts.Topology)
}

func (p *closedParser) row(c *cursor) error {
	var xs []int64
	if err := c.numbers(&xs, -1, max(int64(p.parts.Topology.Channels())-1, 1<<16-1)); err != nil {
		return err
	}
	if len(xs)%2 != 0 {
		return c.errorf("a row of %d numbers: want channel,tag,channel,tag,...", len(xs))
	}
	var row []Hop
	for i := 0; i < len(xs); i += 2 {
		ch, tag := xs[i], xs[i+1]
		switch {
		case ch >= int64(p.parts.Topology.Channels()):
			return c.errorf("hop into channel %d: channels are -1 (eject) to %d", ch, p.parts.Topology.Channels()-1)
		case tag < 0 || tag >= int64(p.parts.Tags):
			return c.errorf("hop with tag %d: tags are 0 to %d", tag, p.parts.Tags-1)
		case ch == -1 && tag != 0:
			return c.errorf("eject with tag %d: want 0", tag)
		case len(row) > 0 && ch >= 0 && row[0].Channel >= 0 && p.parts.Topology.Tail(ChannelID(ch)) != p.parts.Topology.Tail(row[0].Channel):
			return c.errorf("a row with hops that leave different nodes")
		}
		row = append(row, Hop{ChannelID(ch), Tag(tag)})
	}
	slices.SortFunc(row, Hop.Compare)
	row = slices.Compact(row)
	p.parts.Rows = append(p.parts.Rows, row)
	return nil
}

func (p *closedParser) tables(c *cursor) error {
	p.offsets = map[Target]int{}
	return c.list(func(c *cursor) error {
		offset := c.offset()
		var dest, class int64
		var sources, sites []int64
		err := c.object(map[string]func() error{
			"dest":    func() error { return c.number(&dest, 0, int64(p.parts.Topology.Nodes())-1) },
			"class":   func() error { return c.number(&class, 0, int64(len(p.parts.Classes))-1) },
			"sources": func() error { return c.numbers(&sources, 0, 1<<31-1) },
			"sites":   func() error { return c.numbers(&sites, 0, 1<<31-1) },
		})
		if err != nil {
			return err
		}
		t := Table{Target: Target{NodeID(dest), Class(class)}}
		if _, twice := p.offsets[t.Target]; twice {
			return c.errorf("a second table for node %d, class %d", dest, class)
		}
		p.offsets[t.Target] = offset
		if err := p.fillSources(c, &t, sources); err != nil {
			return err
		}
		if err := p.fillSites(c, &t, sites); err != nil {
			return err
		}
		p.parts.Tables = append(p.parts.Tables, t)
		return nil
	})
}

func (p *closedParser) fillSources(c *cursor, t *Table, xs []int64) error {
	if len(xs)%2 != 0 {
		return c.errorf("sources of %d numbers: want node,row,node,row,...", len(xs))
	}
	for i := 0; i < len(xs); i += 2 {
		node, row := xs[i], xs[i+1]
		switch {
		case node >= int64(p.parts.Topology.Nodes()):
			return c.errorf("source node %d: nodes are 0 to %d", node, p.parts.Topology.Nodes()-1)
		case NodeID(node) == t.Dest:
			return c.errorf("node %d sends to itself", node)
		case row >= int64(len(p.parts.Rows)):
			return c.errorf("row %d: rows are 0 to %d", row, len(p.parts.Rows)-1)
		}
		t.Sources = append(t.Sources, Source{NodeID(node), RowID(row)})
	}
	slices.SortFunc(t.Sources, func(a, b Source) int { return cmp.Compare(a.Node, b.Node) })
	for i := 1; i < len(t.Sources); i++ {
		if t.Sources[i].Node == t.Sources[i-1].Node {
			return c.errorf("source node %d stands here twice", t.Sources[i].Node)
		}
	}
	return nil
}

// closedSite is a site of a table: its place, channel<<16 | tag, and row.
type closedSite struct {
	place int64
	row   RowID
}

func (p *closedParser) fillSites(c *cursor, t *Table, xs []int64) error {
	if len(xs)%3 != 0 {
		return c.errorf("sites of %d numbers: want channel,tag,row,channel,tag,row,...", len(xs))
	}
	sites := make([]closedSite, 0, len(xs)/3)
	for i := 0; i < len(xs); i += 3 {
		ch, tag, row := xs[i], xs[i+1], xs[i+2]
		switch {
		case ch >= int64(p.parts.Topology.Channels()):
			return c.errorf("site in channel %d: channels are 0 to %d", ch, p.parts.Topology.Channels()-1)
		case tag >= int64(p.parts.Tags):
			return c.errorf("site with tag %d: tags are 0 to %d", tag, p.parts.Tags-1)
		case row >= int64(len(p.parts.Rows)):
			return c.errorf("row %d: rows are 0 to %d", row, len(p.parts.Rows)-1)
		}
		sites = append(sites, closedSite{ch<<16 | tag, RowID(row)})
	}
	slices.SortFunc(sites, func(a, b closedSite) int { return cmp.Compare(a.place, b.place) })
	t.Channels, t.Rows = make([]ChannelID, len(sites)), make([]RowID, len(sites))
	if p.parts.Tags > 1 {
		t.Tags = make([]Tag, len(sites))
	}
	for i, s := range sites {
		if i > 0 && s.place == sites[i-1].place {
			return c.errorf("the site of channel %d with tag %d stands here twice", s.place>>16, s.place&0xffff)
		}
		t.Channels[i], t.Rows[i] = ChannelID(s.place>>16), s.row
		if t.Tags != nil {
			t.Tags[i] = Tag(s.place & 0xffff)
		}
	}
	return nil
}

// reason is the place of the table in the file.
func (p *closedParser) reason(s Site, _ Hop) string {
	offset, ok := p.offsets[s.Header.Target()]
	if !ok {
		return ""
	}
	e := p.errorAt(offset, "").(*PosError)
	return e.File + ":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Col)
}
