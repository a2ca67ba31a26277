package spec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/internal/cursor"
)

// ReadClosed reads a network in the closed form, keys in any order and any white
// space, and the tables as they stand: rows, tables and sites must be in order, as
// [WriteClosed] writes them. Everything that network.schema.json demands is checked, and
// all that [NewNetwork] does. Errors are *PosError with the given file name;
// reasons of hops name the table's line. Memory is linear in the text. Package
// routing reads texts in any order.
func ReadClosed(ctx context.Context, file string, text []byte) (*Network, error) {
	parts, locate, err := ReadParts(ctx, file, text)
	if err != nil {
		return nil, err
	}
	n, err := NewNetwork(ctx, parts)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), locate(err))
	}
	return n, nil
}

// ReadParts reads what a network in the closed form is made of, as it stands.
// locate gives an error of [NewNetwork] its place in the text.
func ReadParts(ctx context.Context, file string, text []byte) (parts Parts, locate func(error) error, err error) {
	fault := func(line, col int, msg string) error { return &PosError{file, line, col, msg} }
	p := &closedParser{whole: cursor.New(ctx, text, fault, Printable), offsets: map[Target]int{}}
	p.parts.Origin, p.parts.Reason = file, p.reason
	if err := p.parse(); err != nil {
		return Parts{}, nil, err
	}
	if p.several {
		if err := (&split{p: &p.parts, alternatives: p.alternatives}).do(ctx); err != nil {
			return Parts{}, nil, cmp.Or(context.Cause(ctx), p.locate(err))
		}
	}
	return p.parts, p.locate, nil
}

// PosError is a fault at a place in a text: "file:line:col: what is wrong".
type PosError struct {
	File      string
	Line, Col int    // 1-based; columns count bytes
	Msg       string // what is wrong, a clause without a full stop
}

// Error returns one line in the form that editors and compilers share.
func (e *PosError) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg) }

// closedParser turns the closed form into the parts of a network.
type closedParser struct {
	whole   *cursor.Cursor
	parts   Parts
	version uint8          // of the format, from 0 on
	offsets map[Target]int // of the tables in the text
	rows    int            // the offset of the rows
	room    int            // the most that a hop may need; 0: hops in rows do not say what they need
	// alternatives are, in version 2, the rows of each row, in which every alternative is one; until all is read,
	// tables name a row by its number here.
	alternatives [][]RowID
	several      bool // some row has several
}

// locate places an error: that of a table at the table, any other at the rows, since
// everything before them has been checked.
func (p *closedParser) locate(err error) error {
	var wrong *tableError
	if errors.As(err, &wrong) {
		return p.whole.ErrorAt(p.offsets[wrong.Target], "%s", wrong.Problem)
	}
	return p.whole.ErrorAt(p.rows, "%v", err)
}

// reason is the place of the table in the file.
func (p *closedParser) reason(s Site, _ Hop) Reason {
	if offset, ok := p.offsets[s.Header.Target()]; ok {
		line, col := p.whole.Place(offset)
		return PlaceReason(p.parts.Origin, line, col)
	}
	return Reason{}
}

// parse finds the values of the outermost keys, and reads them in the order of
// their dependencies.
func (p *closedParser) parse() error {
	var vcs []string
	order := []string{"format", "name", "switching", "buffer", "tags", "selection", "room",
		"expect", "classes", "vcs", "nodes",
		"links", "rows", "fragments", "tables", "windows", "exchanges"}
	return p.whole.InOrder(order, map[string]func(*cursor.Cursor) error{
		"format": func(c *cursor.Cursor) error {
			err := cursor.Choice(c, &p.version, ClosedFormats())
			p.parts.Asks = p.version > 0
			return err
		},
		"name":      func(c *cursor.Cursor) error { return c.String(&p.parts.Name) },
		"switching": func(c *cursor.Cursor) error { return cursor.Choice(c, &p.parts.Switching, switchingNames[:]) },
		"buffer":    func(c *cursor.Cursor) error { return cursor.Number(c, &p.parts.Buffer, 1, 1<<30) },
		"tags":      func(c *cursor.Cursor) error { return cursor.Number(c, &p.parts.Tags, 1, 1<<16) },
		"selection": func(c *cursor.Cursor) error { return c.String(&p.parts.Selection) },
		"room":      func(c *cursor.Cursor) error { return p.roomKey(c) },
		"classes":   func(c *cursor.Cursor) error { return c.Strings(&p.parts.Classes) },
		"vcs":       func(c *cursor.Cursor) error { return c.Strings(&vcs) },
		"nodes": func(c *cursor.Cursor) error {
			p.parts.Topology = NewTopology(vcs...)
			return c.List(func() error { return p.node(c) })
		},
		"links":  func(c *cursor.Cursor) error { return c.List(func() error { return p.link(c) }) },
		"expect": func(c *cursor.Cursor) error { return c.List(func() error { return p.expectation(c) }) },
		"rows": func(c *cursor.Cursor) error {
			if err := p.parts.Check(); err != nil {
				return c.ErrorAt(0, "%v", err)
			}
			p.rows = c.NextOffset()
			return c.List(func() error { return p.row(c) })
		},
		"fragments": func(c *cursor.Cursor) error {
			if p.several {
				return c.ErrorAt(c.NextOffset(), "fragments in a network with rows of several alternatives")
			}
			all := &p.parts.Pieces
			all.Dest, p.parts.Ends = -1, [][2]int32{{}} // fragments have no place among the tables' offsets
			return c.List(func() error {
				err := p.table(c, all, "dest", "class", "fragments")
				p.parts.Ends = append(p.parts.Ends, [2]int32{int32(len(all.Sources)), int32(all.Len())})
				return err
			})
		},
		"tables": func(c *cursor.Cursor) error {
			return c.List(func() error {
				p.parts.Tables = append(p.parts.Tables, Table{})
				return p.table(c, &p.parts.Tables[len(p.parts.Tables)-1])
			})
		},
		"windows": func(c *cursor.Cursor) error {
			if p.version == 0 {
				return c.ErrorAt(c.NextOffset(), "windows in version 1: want version 2")
			}
			return c.Rows(func(x []int) { p.parts.Windows = append(p.parts.Windows, x[0]) },
				cursor.Bounds{1, math.MaxInt32})
		},
		"exchanges": func(c *cursor.Cursor) error { return p.exchanges(c) },
	}, "room", "expect", "fragments", "windows", "exchanges")
}

// roomKey reads the most room that hops may need.
func (p *closedParser) roomKey(c *cursor.Cursor) error {
	if p.version == 0 {
		return c.ErrorAt(c.NextOffset(), "room in version 1: want version 2")
	}
	if err := cursor.Number(c, &p.room, 2, math.MaxUint16); err != nil {
		return err
	}
	if problem := p.parts.WrongRoom(p.room); problem != "" {
		return c.Wrong("%s", problem)
	}
	return nil
}

func (p *closedParser) exchanges(c *cursor.Cursor) error {
	if len(p.parts.Windows) == 0 {
		return c.ErrorAt(c.NextOffset(), "exchanges without windows")
	}
	number := cursor.Bounds{-1, math.MaxInt32}
	return c.Rows(func(x []int) {
		at := Site{Injection(NodeID(x[2])), Header{NodeID(x[0]), Class(x[1]), Tag(x[3])}}
		p.parts.Exchanges = append(p.parts.Exchanges, Exchange{at, int32(x[4]), int32(x[5]), int32(x[6])})
	}, cursor.Bounds{0, p.parts.Topology.Nodes() - 1}, cursor.Bounds{0, len(p.parts.Classes) - 1},
		cursor.Bounds{0, p.parts.Topology.Nodes() - 1},
		cursor.Bounds{0, math.MaxUint16}, number, number, number)
}

func (p *closedParser) expectation(c *cursor.Cursor) error {
	var x Expectation
	err := c.Object(map[string]func() error{
		"property": func() error {
			if p.version > 0 {
				return cursor.Choice(c, &x.Property, propertyNames[:])
			}
			// Version 1 may name two of them by their faults.
			err := cursor.Choice(c, &x.Property, append(PropertyNames(), "deadlock", "livelock"))
			x.Property %= Property(len(propertyNames))
			return err
		},
		"verdict":   func() error { return cursor.Choice(c, &x.Verdict, verdictNames[:]) },
		"switching": func() error { return cursor.Choice(c, &x.Switching, switchingNames[:]) },
	})
	p.parts.Expect = append(p.parts.Expect, x)
	return err
}

// built returns the first fault of the topology.
func (p *closedParser) built(c *cursor.Cursor, err error) error {
	if faults := p.parts.Topology.faults; err == nil && len(faults) > 0 {
		return c.Wrong("%v", faults[0])
	}
	return err
}

func (p *closedParser) node(c *cursor.Cursor) error {
	var name string
	var at []int
	err := c.Object(map[string]func() error{
		"name": func() error { return c.String(&name) },
		"at": func() error {
			return c.Rows(func(x []int) { at = append(at, x...) }, cursor.Bounds{math.MinInt32, math.MaxInt32})
		},
	})
	if err == nil {
		p.parts.Topology.AddNode(name, at...)
	}
	return p.built(c, err)
}

func (p *closedParser) link(c *cursor.Cursor) error {
	var l Link
	last := p.parts.Topology.Nodes() - 1
	err := c.Object(map[string]func() error{
		"from": func() error { return cursor.Number(c, &l.From, 0, last) },
		"to":   func() error { return cursor.Number(c, &l.To, 0, last) },
		"vcs":  func() error { return cursor.Number(c, &l.VCs, 1, 1<<16) },
		"out":  func() error { return c.String(&l.Out) },
		"in":   func() error { return c.String(&l.In) },
		"dim":  func() error { return cursor.Number(c, &l.Dim, 0, 1<<16) },
	})
	if err == nil {
		p.parts.Topology.AddLink(l)
	}
	return p.built(c, err)
}

func (p *closedParser) row(c *cursor.Cursor) error {
	var alternatives []RowID
	read := func() error {
		var row []Hop
		offset := c.NextOffset()
		tags := cursor.Bounds{0, max(int(p.version), p.parts.Tags-1)}
		columns := []cursor.Bounds{{-1, p.parts.Topology.Channels() - 1}, tags, {1, p.room}}
		err := c.Rows(func(x []int) {
			h := Hop{Channel: ChannelID(x[0]), Tag: Tag(x[1])}
			if len(x) > 2 && x[2] > 1 {
				h.Room = uint16(x[2])
			}
			row = append(row, h)
		}, columns[:2+min(p.room, 1)]...)
		if p.version == 0 && err == nil && slices.ContainsFunc(row, Hop.Discards) {
			err = c.ErrorAt(offset, "a row that discards in version 1: want version 2")
		}
		alternatives = append(alternatives, RowID(len(p.parts.Rows)))
		p.parts.Rows = append(p.parts.Rows, row)
		return err
	}
	if p.version == 0 {
		return read()
	}
	offset := c.NextOffset()
	err := c.List(read)
	if err == nil && len(alternatives) == 0 {
		err = c.ErrorAt(offset, "a row without alternatives: want one, empty for a dead end")
	}
	p.alternatives, p.several = append(p.alternatives, alternatives), p.several || len(alternatives) > 1
	return err
}

// table reads a table, or without some keys a fragment, and adds it to the lists of t.
func (p *closedParser) table(c *cursor.Cursor, t *Table, without ...string) error {
	offset := c.NextOffset()
	nodes := cursor.Bounds{0, p.parts.Topology.Nodes() - 1}
	rows := cursor.Bounds{0, len(p.parts.Rows) - 1}
	if p.several {
		rows[1] = len(p.alternatives) - 1
	}
	fields := map[string]func() error{
		"dest":  func() error { return cursor.Number(c, &t.Dest, 0, nodes[1]) },
		"class": func() error { return cursor.Number(c, &t.Class, 0, len(p.parts.Classes)-1) },
		"sources": func() error {
			return c.Rows(func(x []int) { t.Sources = append(t.Sources, Source{NodeID(x[0]), RowID(x[1])}) }, nodes,
				rows)
		},
		"sites": func() error {
			return c.Rows(func(x []int) {
				t.Channels, t.Rows = append(t.Channels, ChannelID(x[0])), append(t.Rows, RowID(x[2]))
				if p.parts.Tags > 1 {
					t.Tags = append(t.Tags, Tag(x[1]))
				}
			}, cursor.Bounds{0, p.parts.Topology.Channels() - 1}, cursor.Bounds{0, p.parts.Tags - 1}, rows)
		},
		"fragments": func() error {
			return c.Rows(func(x []int) { t.Fragments = append(t.Fragments, int32(x[0])) },
				cursor.Bounds{0, math.MaxInt32})
		},
	}
	for _, key := range without {
		delete(fields, key)
	}
	err := c.Object(fields, "fragments")
	p.offsets[t.Target] = offset
	return err
}
