// Package listed, internal to unknot, reads routing that other programs list: a path for each flow ([Paths]), or a
// table for each router ([Tables]). Nodes and links are those that the lists name. Both are CSV with a heading, and
// give every flow one path.
package listed

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// graph is the nodes and links that have been named so far.
type graph struct {
	ctx   context.Context
	names []string
	nodes map[string]spec.NodeID
	links map[[2]spec.NodeID]spec.LinkID
	vcs   []int // by link
	ends  [][2]spec.NodeID
}

const (
	mostNodes = 1 << 20
	mostVCs   = 1 << 8
)

func newGraph(ctx context.Context) *graph {
	return &graph{ctx: ctx, nodes: map[string]spec.NodeID{}, links: map[[2]spec.NodeID]spec.LinkID{}}
}

// node returns the number of a name, and whether it is new.
func (g *graph) node(name string) (v spec.NodeID, fresh bool) {
	v, known := g.nodes[name]
	if !known {
		v = spec.NodeID(len(g.names))
		g.nodes[name], g.names = v, append(g.names, name)
	}
	return v, !known
}

// link returns the link between two nodes, which has a VC of this number.
func (g *graph) link(from, to spec.NodeID, vc int) spec.LinkID {
	l, known := g.links[[2]spec.NodeID{from, to}]
	if !known {
		l = spec.LinkID(len(g.vcs))
		g.links[[2]spec.NodeID{from, to}] = l
		g.vcs, g.ends = append(g.vcs, 0), append(g.ends, [2]spec.NodeID{from, to})
	}
	g.vcs[l] = max(g.vcs[l], vc+1)
	return l
}

func (g *graph) topology() *spec.Topology {
	t := spec.NewTopology()
	for _, name := range g.names {
		t.AddNode(spec.Printable(name))
	}
	for l, ends := range g.ends {
		t.AddLink(spec.Link{From: ends[0], To: ends[1], VCs: g.vcs[l]})
	}
	return t
}

// hop is a VC of a link, and the place of the row that has it.
type hop struct {
	link spec.LinkID
	vc   int
	tag  spec.Tag
	line int
}

// rows calls f for each row below the heading, with the fields of some columns; those after the first ones that are
// needed may be missing. wrong makes an error at one of these fields.
func rows(
	file string, text []byte, needed int, columns []string,
	f func(fields []string, line int, wrong func(field int, format string, args ...any) error) error,
) error {
	var at []int // by column: its place in a row, or -1
	width := 0
	err := topology.Rows(file, text, func(row []string, place func(int) (int, int)) error {
		fault := func(field int, format string, args ...any) error {
			line, col := place(field)
			return &spec.PosError{File: file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
		}
		if at == nil {
			if i := topology.Repeated(row); i >= 0 {
				return fault(i, "the heading names column %d %.40q: names must differ", i+1, row[i])
			}
			for i, names := range columns {
				k := slices.IndexFunc(row, func(s string) bool {
					return slices.Contains(strings.Split(names, "|"), strings.ToLower(s))
				})
				if k < 0 && i < needed {
					return fault(0, "the heading has no column %s", strings.ReplaceAll(names, "|", " or "))
				}
				at = append(at, k)
			}
			width = len(row)
			return nil
		}
		if len(row) != width {
			return fault(0, "invalid number of fields %d: want %d, one for each column", len(row), width)
		}
		fields := make([]string, len(at))
		for i, k := range at {
			if k >= 0 {
				fields[i] = strings.Clone(row[k])
			}
		}
		line, _ := place(0)
		return f(fields, line, func(field int, format string, args ...any) error {
			return fault(max(0, at[field]), format, args...)
		})
	})
	if err == nil && at == nil {
		want := strings.ReplaceAll(strings.Join(columns[:needed], ", "), "|", " or ")
		err = &spec.PosError{File: file, Line: 1, Col: 1, Msg: "no heading: want " + want}
	}
	return err
}

// vcOf reads the number of a VC; 0 if there is none.
func vcOf(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	vc, err := strconv.Atoi(text)
	return vc, err == nil && vc >= 0 && vc < mostVCs
}

const vcRange = "invalid vc %.40q: want 0 to 255"

// IsPaths reports whether a text begins like a list of paths: with a heading that has a column hops or path.
func IsPaths(text []byte) bool { return heads(text, "hops", "path") }

// IsTable reports whether a text begins like the table of a router: with a heading that has a column for the next hop.
func IsTable(text []byte) bool { return heads(text, nextNames...) }

var nextNames = []string{"next", "next_hop", "nexthop", "via"}

// heads reports whether the first row of a text has one of some fields.
func heads(text []byte, names ...string) bool {
	for line := range bytes.Lines(text[:min(len(text), 1<<12)]) {
		line = bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		fields := bytes.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ';' || r == '\t' })
		return !bytes.ContainsAny(line, "<{") && slices.ContainsFunc(fields, func(f []byte) bool {
			return slices.Contains(names, strings.Trim(string(bytes.TrimSpace(f)), `"`))
		})
	}
	return false
}

// Paths reads a list of paths as the whole routing of a network: a row for each flow, whose column hops, or path, has
// the names of its nodes from source to destination, with spaces between. All its links are taken on the VC in the
// column vc, or on VC 0.
// A packet keeps to its path by a tag, which paths to one destination share unless they part in a channel. Errors
// are *spec.PosError with the file's name. Linear in the text, times the tags.
func Paths(ctx context.Context, file string, text []byte) (routing.Definition, error) {
	g := newGraph(ctx)
	p := &paths{file: file, first: map[[2]spec.NodeID]hop{}, next: map[at]hop{}, to: map[spec.NodeID][]spec.NodeID{}}
	tags, steps := 1, 0
	used := map[spec.NodeID]int{} // by destination: tags
	columns := []string{"hops|path", "vc"}
	err := rows(file, text, 1, columns, func(f []string, line int, wrong func(int, string, ...any) error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		names := strings.Fields(f[0])
		vc, ok := vcOf(f[1])
		switch {
		case !ok:
			return wrong(1, vcRange, f[1])
		case len(names) < 2:
			return wrong(0, "a path of %d nodes: want at least 2, with spaces between", len(names))
		}
		var way []channel
		before := spec.NodeID(0)
		met := map[channel]bool{}
		for i, name := range names {
			v, _ := g.node(name)
			if i > 0 {
				if v == before {
					return wrong(0, "the path goes from %.40q to itself", name)
				}
				c := channel{g.link(before, v, vc), vc}
				if met[c] {
					return wrong(0, "the path takes the link from %.40q to %.40q twice", names[i-1], name)
				}
				met[c], way = true, append(way, c)
			}
			before = v
		}
		if len(g.names) > mostNodes {
			return wrong(0, "more than %d nodes", mostNodes)
		}
		source, dest := g.nodes[names[0]], before
		if source == dest {
			return wrong(0, "the path ends where it begins")
		}
		pair := [2]spec.NodeID{source, dest}
		if first, twice := p.first[pair]; twice {
			return wrong(0, "a second path from %.40q to %.40q, after line %d: want one, as flows that are shared out "+
				"among paths are not read", names[0], names[len(names)-1], first.line)
		}
		tag := 0
		for ; !p.fits(dest, spec.Tag(tag), way); tag++ {
			const mostTags, mostSteps = 1<<16 - 1, 1 << 28
			if steps += len(way); tag == mostTags || steps > mostSteps {
				return wrong(0, "paths to %.40q part in too many ways", names[len(names)-1])
			}
		}
		for i, c := range way {
			after := hop{link: -1, line: line}
			if i+1 < len(way) {
				after = hop{way[i+1].link, vc, spec.Tag(tag), line}
			}
			if _, known := p.next[at{dest, spec.Tag(tag), c}]; !known {
				p.next[at{dest, spec.Tag(tag), c}] = after
			}
		}
		used[dest] = max(used[dest], tag+1)
		tags = max(tags, tag+1)
		p.first[pair] = hop{way[0].link, vc, spec.Tag(tag), line}
		p.to[dest] = append(p.to[dest], source)
		return nil
	})
	if err != nil {
		return routing.Definition{}, err
	}
	if len(p.first) == 0 {
		const none = "no path: want a row for each flow below the heading"
		return routing.Definition{}, &spec.PosError{File: file, Line: 1, Col: 1, Msg: none}
	}
	p.t = g.topology()
	return routing.Definition{
		Topology: p.t, Source: file, Tags: tags, Routing: p,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { _, is := p.first[[2]spec.NodeID{src, dst}]; return is },
		Senders: func(dst []spec.NodeID, to spec.Target) []spec.NodeID {
			return append(dst, p.to[to.Dest]...)
		},
	}, nil
}

// channel is a VC of a link.
type channel struct {
	link spec.LinkID
	vc   int
}

// at is where a packet of a path stands.
type at struct {
	dest spec.NodeID
	tag  spec.Tag
	channel
}

// paths is the relation that keeps packets to their paths.
type paths struct {
	file  string
	t     *spec.Topology
	first map[[2]spec.NodeID]hop
	next  map[at]hop // link -1: the path ends
	to    map[spec.NodeID][]spec.NodeID
}

// fits reports whether a path goes on as those do that share some of its channels with this tag.
func (p *paths) fits(dest spec.NodeID, tag spec.Tag, way []channel) bool {
	for i, c := range way {
		next, known := p.next[at{dest, tag, c}]
		if !known {
			continue
		}
		if i+1 == len(way) && next.link >= 0 || i+1 < len(way) && (channel{next.link, next.vc}) != way[i+1] {
			return false
		}
	}
	return true
}

func (p *paths) at(c spec.ChannelID, h spec.Header) (hop, bool) {
	if c.IsInjection() {
		next, known := p.first[[2]spec.NodeID{p.t.Head(c), h.Dest}]
		return next, known
	}
	next, known := p.next[at{h.Dest, h.Tag, channel{p.t.LinkOf(c), p.t.VC(c)}}]
	return next, known
}

func (p *paths) AppendHops(dst []spec.Hop, c spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	switch next, known := p.at(c, h); {
	case !known:
		return dst, nil
	case next.link < 0:
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	default:
		return append(dst, spec.Hop{Channel: p.t.Channel(next.link, next.vc), Tag: next.tag}), nil
	}
}

// Reason is the line of a path.
func (p *paths) Reason(c spec.ChannelID, h spec.Header, _ spec.Hop) string {
	next, _ := p.at(c, h)
	return fmt.Sprintf("%s:%d", p.file, next.line)
}

// File is a table of a router: its name is the router's, with .csv.
type File struct {
	Name string // as it is named in errors
	Text []byte
}

// router returns the name of a table's router.
func (f File) router() string {
	return strings.TrimSuffix(f.Name[strings.LastIndexAny(f.Name, `/\`)+1:], ".csv")
}

// Tables reads a table for each router as the whole routing of a network: a row for each destination, with the columns
// dest and next, the neighbour that a packet goes to, and perhaps vc. Whoever has no table is a host: it hangs on the
// router whose next hop for it is the host itself, and sends there. If there are hosts they send to each other,
// otherwise the routers do. A packet whose router has no row for its destination is at a dead end. Errors are *spec.PosError with the file's name.
func Tables(ctx context.Context, files []File) (routing.Definition, error) {
	g := newGraph(ctx)
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.router(), b.router()) })
	for _, f := range files {
		g.node(f.router())
	}
	r := &tables{next: map[[2]spec.NodeID]hop{}, files: files}
	hangs := map[spec.NodeID]hop{} // by host: its link
	wants := []func() error{}      // checks of hosts, once all tables are read
	for i, file := range files {
		from := spec.NodeID(i)
		columns := []string{"dest|destination|to", strings.Join(nextNames, "|"), "vc"}
		row := func(f []string, line int, wrong func(int, string, ...any) error) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			vc, ok := vcOf(f[2])
			switch {
			case !ok:
				return wrong(2, vcRange, f[2])
			case f[0] == "":
				return wrong(0, "a row without a destination")
			case f[1] == "":
				return wrong(1, "a row without a next hop")
			}
			dest, _ := g.node(f[0])
			next, _ := g.node(f[1])
			first, twice := r.next[[2]spec.NodeID{from, dest}]
			switch {
			case len(g.names) > mostNodes:
				return wrong(0, "more than %d nodes", mostNodes)
			case dest == from:
				return wrong(0, "a row for the router itself: leave it out")
			case next == from:
				return wrong(1, "the next hop is the router itself: want a neighbour")
			case twice:
				return wrong(0, "a second row for %.40q, after line %d: want one, as an ECMP group is not read",
					f[0], first.line)
			case int(next) >= len(files) && next != dest:
				return wrong(1, "%.40q has no table, and so cannot pass on packets for %.40q", f[1], f[0])
			}
			r.next[[2]spec.NodeID{from, dest}] = hop{g.link(from, next, vc), vc, 0, line}
			if int(dest) < len(files) {
				return nil
			}
			if next != dest {
				wants = append(wants, func() error {
					if _, has := hangs[dest]; !has {
						return wrong(0, "%.40q has no table, and is no router's next hop", f[0])
					}
					return nil
				})
			} else if _, other := hangs[dest]; other {
				return wrong(1, "%.40q hangs on two routers: give it a table, %s.csv, with what it sends to which",
					f[1], f[1])
			} else {
				hangs[dest] = hop{g.link(dest, from, 0), 0, 0, 0}
			}
			return nil
		}
		if err := rows(file.Name, file.Text, 2, columns, row); err != nil {
			return routing.Definition{}, err
		}
	}
	for _, check := range wants {
		if err := check(); err != nil {
			return routing.Definition{}, err
		}
	}
	if len(r.next) == 0 {
		return routing.Definition{}, fmt.Errorf("%s: no row: want tables of routers", files[0].Name)
	}
	r.t, r.hangs, r.routers = g.topology(), hangs, len(files)
	def := routing.Definition{Topology: r.t, Routing: r}
	if len(hangs) > 0 {
		def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return int(min(src, dst)) >= r.routers }
	}
	return def, nil
}

// tables is the relation of the tables of routers.
type tables struct {
	t       *spec.Topology
	files   []File
	routers int
	next    map[[2]spec.NodeID]hop // by router and destination
	hangs   map[spec.NodeID]hop    // by host
}

func (r *tables) at(c spec.ChannelID, h spec.Header) (hop, bool) {
	v := r.t.Head(c)
	if int(v) >= r.routers {
		next, known := r.hangs[v]
		return next, known
	}
	next, known := r.next[[2]spec.NodeID{v, h.Dest}]
	return next, known
}

func (r *tables) AppendHops(dst []spec.Hop, c spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	if r.t.Head(c) == h.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	if next, known := r.at(c, h); known {
		dst = append(dst, spec.Hop{Channel: r.t.Channel(next.link, next.vc)})
	}
	return dst, nil
}

// Reason is the line of a table.
func (r *tables) Reason(c spec.ChannelID, h spec.Header, hop spec.Hop) string {
	v := r.t.Head(c)
	next, known := r.at(c, h)
	if hop.Channel == spec.Eject || !known || int(v) >= r.routers {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.files[v].Name, next.line)
}
