package spec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// ReadClosed reads a network in the closed form, keys in any order and any white
// space, and the tables as they stand: rows, tables and sites must be in order, as
// [WriteClosed] writes them. Everything that [ClosedSchema] demands is checked, and
// all that [NewNetwork] does. Errors are *PosError with the given file name;
// reasons of hops name the table's line. Memory is linear in the text. Package
// routing reads texts in any order.
func ReadClosed(ctx context.Context, file string, text []byte) (*Network, error) {
	parts, locate, err := ReadParts(ctx, file, text)
	if err != nil {
		return nil, err
	}
	n, err := NewNetwork(parts)
	if err != nil {
		return nil, locate(err)
	}
	return n, nil
}

// ReadParts reads what a network in the closed form is made of, as it stands.
// locate gives an error of [NewNetwork] its place in the text.
func ReadParts(ctx context.Context, file string, text []byte) (parts Parts, locate func(error) error, err error) {
	p := &closedParser{whole: &cursor{ctx: ctx, file: file, text: text}, offsets: map[Target]int{}}
	p.parts.Source, p.parts.Reason = file, p.reason
	if err := p.parse(); err != nil {
		return Parts{}, nil, err
	}
	return p.parts, p.locate, nil
}

// closedParser turns the closed form into the parts of a network.
type closedParser struct {
	whole   *cursor
	parts   Parts
	offsets map[Target]int // of the tables in the text
	rows    int            // the offset of the rows
}

// locate places an error: that of a table at the table, any other at the rows, as
// all that comes before them has been checked.
func (p *closedParser) locate(err error) error {
	var wrong *TableError
	if errors.As(err, &wrong) {
		return p.whole.at(p.offsets[wrong.Target], "%s", wrong.Problem)
	}
	return p.whole.at(p.rows, "%v", err)
}

// reason is the place of the table in the file.
func (p *closedParser) reason(s Site, _ Hop) string {
	offset, ok := p.offsets[s.Header.Target()]
	if !ok {
		return ""
	}
	var e *PosError
	errors.As(p.whole.at(offset, ""), &e)
	return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Col)
}

// parse finds the values of the outermost keys, and reads them in the order in
// which they depend on each other.
func (p *closedParser) parse() error {
	var format uint8
	var vcs []string
	steps := []struct {
		key  string
		read func(*cursor) error
	}{
		{"format", func(c *cursor) error { return choice(c, &format, []string{ClosedFormat}) }},
		{"name", func(c *cursor) error { return c.string(&p.parts.Name) }},
		{"switching", func(c *cursor) error { return choice(c, &p.parts.Switching, switchingNames[:]) }},
		{"buffer", func(c *cursor) error { return number(c, &p.parts.Buffer, 1, 1<<30) }},
		{"tags", func(c *cursor) error { return number(c, &p.parts.Tags, 1, 1<<16) }},
		{"selection", func(c *cursor) error { return c.string(&p.parts.Selection) }},
		{"classes", func(c *cursor) error { return c.strings(&p.parts.Classes) }},
		{"vcs", func(c *cursor) error { return c.strings(&vcs) }},
		{"nodes", func(c *cursor) error {
			p.parts.Topology = NewTopology(vcs...)
			return c.list(func() error { return p.node(c) })
		}},
		{"links", func(c *cursor) error { return c.list(func() error { return p.link(c) }) }},
		{"expect", func(c *cursor) error { return c.list(func() error { return p.expectation(c) }) }},
		{"rows", func(c *cursor) error {
			if err := p.parts.Check(); err != nil {
				return c.at(0, "%v", err)
			}
			p.rows = c.next()
			return c.list(func() error { return p.row(c) })
		}},
		{"tables", func(c *cursor) error { return c.list(func() error { return p.table(c) }) }},
	}
	c := p.whole.within(0, len(p.whole.text))
	sections := map[string]*cursor{}
	find := map[string]func() error{}
	for _, s := range steps {
		find[s.key] = func() error {
			var raw json.RawMessage
			if err := c.dec.Decode(&raw); err != nil {
				return c.syntax(err)
			}
			sections[s.key] = c.within(c.read()-len(raw), c.read())
			return nil
		}
	}
	if err := c.object(find, "expect"); err != nil {
		return err
	}
	if _, err := c.dec.Token(); err != io.EOF {
		return c.errorf("text after the end of the network")
	}
	for _, s := range steps {
		if section := sections[s.key]; section != nil {
			if err := s.read(section); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *closedParser) expectation(c *cursor) error {
	var x Expectation
	err := c.object(map[string]func() error{
		"property":  func() error { return choice(c, &x.Property, propertyNames[:]) },
		"verdict":   func() error { return choice(c, &x.Verdict, verdictNames[:]) },
		"switching": func() error { return choice(c, &x.Switching, switchingNames[:]) },
	})
	p.parts.Expect = append(p.parts.Expect, x)
	return err
}

// built returns the first fault of the topology.
func (p *closedParser) built(c *cursor, err error) error {
	if faults := p.parts.Topology.faults; err == nil && len(faults) > 0 {
		return c.errorf("%v", faults[0])
	}
	return err
}

func (p *closedParser) node(c *cursor) error {
	var name string
	var at []int
	err := c.object(map[string]func() error{
		"name": func() error { return c.string(&name) },
		"at": func() error {
			return c.rows(func(x []int) { at = append(at, x...) }, bounds{math.MinInt32, math.MaxInt32})
		},
	})
	if err == nil {
		p.parts.Topology.AddNode(name, at...)
	}
	return p.built(c, err)
}

func (p *closedParser) link(c *cursor) error {
	var l Link
	last := p.parts.Topology.Nodes() - 1
	err := c.object(map[string]func() error{
		"from": func() error { return number(c, &l.From, 0, last) },
		"to":   func() error { return number(c, &l.To, 0, last) },
		"vcs":  func() error { return number(c, &l.VCs, 1, 1<<16) },
		"out":  func() error { return c.string(&l.Out) },
		"in":   func() error { return c.string(&l.In) },
		"dim":  func() error { return number(c, &l.Dim, 0, 1<<16) },
	})
	if err == nil {
		p.parts.Topology.AddLink(l)
	}
	return p.built(c, err)
}

func (p *closedParser) row(c *cursor) error {
	var row []Hop
	err := c.rows(func(x []int) { row = append(row, Hop{ChannelID(x[0]), Tag(x[1])}) },
		bounds{-1, p.parts.Topology.Channels() - 1}, bounds{0, p.parts.Tags - 1})
	p.parts.Rows = append(p.parts.Rows, row)
	return err
}

func (p *closedParser) table(c *cursor) error {
	offset := c.next()
	var t Table
	nodes := bounds{0, p.parts.Topology.Nodes() - 1}
	rows := bounds{0, len(p.parts.Rows) - 1}
	err := c.object(map[string]func() error{
		"dest":  func() error { return number(c, &t.Dest, 0, nodes.most) },
		"class": func() error { return number(c, &t.Class, 0, len(p.parts.Classes)-1) },
		"sources": func() error {
			return c.rows(func(x []int) { t.Sources = append(t.Sources, Source{NodeID(x[0]), RowID(x[1])}) }, nodes, rows)
		},
		"sites": func() error {
			return c.rows(func(x []int) {
				t.Channels, t.Rows = append(t.Channels, ChannelID(x[0])), append(t.Rows, RowID(x[2]))
				if p.parts.Tags > 1 {
					t.Tags = append(t.Tags, Tag(x[1]))
				}
			}, bounds{0, p.parts.Topology.Channels() - 1}, bounds{0, p.parts.Tags - 1}, rows)
		},
	})
	p.offsets[t.Target] = offset
	p.parts.Tables = append(p.parts.Tables, t)
	return err
}
