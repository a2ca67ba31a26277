// Package listed, internal to unknot, reads routing that other programs list: paths ([Paths]), or tables of
// routers ([Tables]). Nodes and links are those that the lists name. Both are CSV with a heading.
//
// Several paths of a pair of nodes, and several rows of a router for one destination (an ECMP group), are
// alternatives: a packet is committed to one of them, unless a column adaptive says that it takes any that is free.
package listed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/prompt"
	"github.com/seed-105a2da2/unknot/spec/support/words"
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
	// of channel and tag, as a network may have
	mostPlaces = 1 << 26
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
		t.AddNode(name)
	}
	for l, ends := range g.ends {
		t.AddLink(spec.Link{From: ends[0], To: ends[1], VCs: g.vcs[l]})
	}
	return t
}

// hop is a VC of a link, with a tag, and the line of the row that has it.
type hop struct {
	link spec.LinkID
	vc   int
	tag  spec.Tag
	line int
}

// group is the hops between which a packet is committed, or of which it takes any that is free.
type group struct {
	hops     []hop
	adaptive bool
}

// choice returns what a packet may do that is given a group; the zero group is a dead end.
func (g group) choice(t *spec.Topology) routing.Choice {
	each := make([]spec.Hop, len(g.hops))
	for i, h := range g.hops {
		each[i] = spec.Hop{Channel: t.Channel(h.link, h.vc), Tag: h.tag}
	}
	if g.adaptive || len(each) < 2 {
		return routing.Adaptive(each...)
	}
	all := make([]routing.Choice, len(each))
	for i := range each {
		all[i] = routing.Adaptive(each[i : i+1]...)
	}
	return routing.Oblivious(all...)
}

// line returns the line of the row that gives a hop; 0 if none does.
func (g group) line(t *spec.Topology, to spec.Hop) int {
	for _, h := range g.hops {
		if t.Channel(h.link, h.vc) == to.Channel && h.tag == to.Tag {
			return h.line
		}
	}
	return 0
}

// add adds a hop of a row, whose field in the column adaptive is given. It says in words what is wrong.
func (g *group) add(h hop, adaptive string) (problem string) {
	is, known := map[string]bool{
		"": false, "no": false, "false": false, "0": false, "yes": true, "true": true, "1": true,
	}[strings.ToLower(adaptive)]
	switch {
	case !known:
		return fmt.Sprintf("invalid adaptive %.40q: want yes, no or nothing", adaptive)
	case len(g.hops) > 0 && is != g.adaptive:
		return fmt.Sprintf("adaptive differs from line %d: want the same in all rows of a group", g.hops[0].line)
	}
	g.hops, g.adaptive = append(g.hops, h), is
	return ""
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
				if _, pasted := prompt.Above(text); k < 0 && i < needed && pasted {
					return fault(0, prompt.Advice)
				}
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

// IsTableOfAll reports whether a text begins like one table of several routers, which are in a column.
func IsTableOfAll(text []byte) bool { return IsTable(text) && heads(text, nodeNames...) }

var (
	nextNames = []string{"next", "next_hop", "nexthop", "via"}
	nodeNames = []string{"node", "router", "switch", "at", "from"}
)

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

// isPunctuated reports whether a word of a path has what others write between names, or around them: an arrow, a comma at
// its end, or a bracket or a quotation mark without the other one, as in [0, 1, 2] and a -> b.
func isPunctuated(word string) bool {
	switch word {
	case "->", "<-", "=>", "-", "--", ">", "|", ":":
		return true
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(word, pair[:1]) != strings.Count(word, pair[1:]) {
			return true
		}
	}
	return strings.HasSuffix(word, ",") || strings.HasSuffix(word, ";") || strings.Count(word, "'")%2+strings.Count(word, `"`)%2 > 0
}

// Paths reads a list of paths as the whole routing of a network: rows whose column hops, or path, has the names of the
// nodes from source to destination, with spaces between. All links of a path are taken on the VC in the column vc, or
// on VC 0. Several paths from one node to another are alternatives of the packets that it sends there.
//
// A packet keeps to its path by a tag, which tells apart the paths to its destination that part after the channel
// that it is in: the fewest tags that do. Errors are *spec.PosError with the file's name. Linear in the text.
func Paths(ctx context.Context, file string, text []byte) (routing.Definition, error) {
	g := newGraph(ctx)
	p := &paths{
		file: file, first: map[[2]spec.NodeID]*group{}, to: map[spec.NodeID][]spec.NodeID{}, at: map[at]int32{},
	}
	ends := map[end]int32{}
	taken := map[int32]int{} // by the whole path: its line
	used := map[use]int{}    // tags
	tags, widest := 1, 0     // the line of the path that takes the last tag
	columns := []string{"hops|path", "vc", "adaptive"}
	err := rows(file, text, 1, columns, func(f []string, line int, wrong func(int, string, ...any) error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		names := strings.Fields(f[0])
		for i, name := range names {
			if names[i] = spec.Printable(name); isPunctuated(name) {
				return wrong(0, "invalid name %.40q in a path: want names alone, with spaces between", name)
			}
		}
		vc, ok := vcOf(f[1])
		switch {
		case !ok:
			return wrong(1, vcRange, f[1])
		case len(names) < 2:
			return wrong(0, "a path of %s: want at least two, with spaces between", words.Plural(len(names), "node"))
		}
		links, problem := g.path(names, vc)
		if problem != "" {
			return wrong(0, "%s", problem)
		}
		source, dest := g.nodes[names[0]], g.nodes[names[len(names)-1]]
		next := int32(-1)
		for _, l := range slices.Backward(links) {
			place := use{dest, l, vc}
			e := end{place, next}
			number, known := ends[e]
			if !known {
				if used[place] == 1<<16 {
					return wrong(0, "more than 65536 ways on to %.40q after one link", names[len(names)-1])
				}
				h := hop{l, vc, spec.Tag(used[place]), line}
				if used[place]++; used[place] > tags {
					tags, widest = used[place], line
				}
				number = int32(len(p.hops))
				ends[e], p.at[at{place, h.tag}] = number, number
				p.hops, p.next = append(p.hops, h), append(p.next, next)
			}
			next = number
		}
		if first, twice := taken[next]; twice {
			return wrong(0, "the same path as in line %d: want it once", first)
		}
		taken[next] = line
		pair := [2]spec.NodeID{source, dest}
		if p.first[pair] == nil {
			p.first[pair] = &group{}
			p.to[dest] = append(p.to[dest], source)
		}
		h := p.hops[next]
		h.line = line
		if problem := p.first[pair].add(h, f[2]); problem != "" {
			return wrong(2, "%s", problem)
		}
		return nil
	})
	if err != nil {
		return routing.Definition{}, err
	}
	if len(p.first) == 0 {
		const none = "no path: want a row for each below the heading"
		return routing.Definition{}, &spec.PosError{File: file, Line: 1, Col: 1, Msg: none}
	}
	p.t = g.topology()
	if n := p.t.Channels(); n*tags > mostPlaces {
		return routing.Definition{}, &spec.PosError{File: file, Line: widest, Col: 1, Msg: fmt.Sprintf(
			"%d paths go on differently to one node after the same link: with %d channels, at most %d can be told apart",
			tags, n, mostPlaces/n)}
	}
	return routing.Definition{
		Topology: p.t, Origin: file, Tags: tags, Routing: newRelation(p.t, p),
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return p.first[[2]spec.NodeID{src, dst}] != nil },
		Senders: func(dst []spec.NodeID, to spec.Target) []spec.NodeID {
			return append(dst, p.to[to.Dest]...)
		},
	}, nil
}

// path returns the links of a path that takes them on one VC, or says what is wrong with it.
func (g *graph) path(names []string, vc int) (links []spec.LinkID, problem string) {
	met := map[spec.LinkID]bool{}
	before, _ := g.node(names[0])
	for i, name := range names[1:] {
		v, _ := g.node(name)
		if v == before {
			return nil, fmt.Sprintf("the path goes from %.40q to itself", name)
		}
		l := g.link(before, v, vc)
		if met[l] {
			return nil, fmt.Sprintf("the path takes the link from %.40q to %.40q twice", names[i], name)
		}
		met[l], links, before = true, append(links, l), v
	}
	switch {
	case len(g.names) > mostNodes:
		return nil, fmt.Sprintf("more than %d nodes", mostNodes)
	case g.nodes[names[0]] == before:
		return nil, "the path ends where it begins"
	}
	return links, ""
}

// use is a channel on the way to a node.
type use struct {
	dest spec.NodeID
	link spec.LinkID
	vc   int
}

// end is the end of a path: a channel, and what follows.
type end struct {
	use
	next int32 // the number of an end; -1: nothing
}

// at is where a packet of a path is, with its tag.
type at struct {
	use
	tag spec.Tag
}

// paths are paths as ends that they share.
type paths struct {
	file  string
	t     *spec.Topology
	first map[[2]spec.NodeID]*group
	to    map[spec.NodeID][]spec.NodeID
	at    map[at]int32 // the number of an end
	hops  []hop        // by end: into its first channel
	next  []int32      // by end: that of the channel that follows, or -1
}

func (p *paths) group(c spec.ChannelID, h spec.Header) (g group, arrives bool) {
	if c.IsInjection() {
		if first := p.first[[2]spec.NodeID{p.t.Head(c), h.Dest}]; first != nil {
			g = *first
		}
		return g, false
	}
	number, known := p.at[at{use{h.Dest, p.t.LinkOf(c), p.t.VC(c)}, h.Tag}]
	switch {
	case !known:
		return g, false
	case p.next[number] < 0:
		return g, true
	}
	return group{hops: p.hops[p.next[number]:][:1]}, false
}

func (p *paths) reason(_ spec.ChannelID, line int) spec.Reason { return rowOf(p.file, line) }

// rowOf is a row of a file as a reason.
func rowOf(file string, line int) spec.Reason {
	return spec.Reason{Text: fmt.Sprintf("%s:%d", file, line), File: file, Line: line, Col: 1}
}

// lists say what a packet may do, and which file has a line of theirs.
type lists interface {
	group(c spec.ChannelID, h spec.Header) (g group, arrives bool)
	reason(c spec.ChannelID, line int) spec.Reason
}

// relation is that of lists.
type relation struct {
	routing.Router
	lists lists
}

// newRelation returns the relation of lists for the nodes and links of a topology.
func newRelation(t *spec.Topology, of lists) relation {
	route := func(p routing.Packet) routing.Choice {
		g, arrives := of.group(p.At, p.Header)
		if arrives {
			return routing.Arrive()
		}
		return g.choice(t)
	}
	return relation{routing.Router{Topology: t, Route: route, Arrivals: true}, of}
}

// Pure is true: lists do not change.
func (r relation) Pure() bool { return true }

// Reason is the line of a row.
func (r relation) Reason(c spec.ChannelID, h spec.Header, to spec.Hop) spec.Reason {
	if g, _ := r.lists.group(c, h); to.Channel != spec.Eject {
		if line := g.line(r.Topology, to); line > 0 {
			return r.lists.reason(c, line)
		}
	}
	return spec.Reason{}
}

// File is a table of a router: its name is the router's, with .csv.
type File struct {
	Name string // as it is named in errors
	Text []byte
}

// router returns the name of a table's router.
func (f File) router() string {
	return spec.Printable(strings.TrimSuffix(f.Name[strings.LastIndexAny(f.Name, `/\`)+1:], ".csv"))
}

// Tables reads tables of routers as the whole routing of a network: rows for each destination, with the columns
// dest and next, the neighbour that a packet goes to, and perhaps vc. The table of a router has its name; one of several
// routers has a column node. Several rows of a router for one destination are a group.
// A node without a table is a host: it hangs on the router whose next hop for it is the host itself, and sends there. If
// there are hosts they send to each other, otherwise the routers do. A packet whose router has no row for its
// destination is at a dead end. Errors about a file are *spec.PosError with its name.
func Tables(ctx context.Context, files []File) (routing.Definition, error) {
	if len(files) == 0 {
		return routing.Definition{}, errors.New("no table: want one for each router")
	}
	r := &reading{
		graph: newGraph(ctx), tables: tables{next: map[[2]spec.NodeID]*group{}}, hangs: map[spec.NodeID]hop{},
		taken: map[use]int{},
	}
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.router(), b.router()) })
	if err := r.nameRouters(files); err != nil {
		return routing.Definition{}, err
	}
	for _, file := range files {
		if err := r.table(file); err != nil {
			return routing.Definition{}, err
		}
	}
	for _, check := range r.wants {
		if err := check(); err != nil {
			return routing.Definition{}, err
		}
	}
	if len(r.next) == 0 {
		const none = "no row below the heading, as in all tables: want one for each destination"
		return routing.Definition{}, &spec.PosError{File: files[0].Name, Line: 1, Col: 1, Msg: none}
	}
	r.t, r.tables.hangs = r.topology(), r.hangs
	def := routing.Definition{Topology: r.t, Routing: newRelation(r.t, &r.tables)}
	if routers := len(r.file); len(r.hangs) > 0 {
		def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return int(min(src, dst)) >= routers }
	}
	return def, nil
}

// reading is what is known while tables are read.
type reading struct {
	*graph
	tables
	hangs map[spec.NodeID]hop // by host: its link
	taken map[use]int         // lines
	wants []func() error      // checks of hosts, once all tables are read
}

// columns of a table, the first two of which it must have, and the place of the last one.
var columns = []string{
	"dest|destination|to", strings.Join(nextNames, "|"), "vc", "adaptive", strings.Join(nodeNames, "|"),
}

const nodeColumn = 4

// nameRouters numbers the routers, by name: those of the tables' names and of columns node.
func (r *reading) nameRouters(files []File) error {
	in := map[string]string{} // by router: the table
	for _, file := range files {
		if !heads(file.Text, nodeNames...) {
			in[file.router()] = file.Name
			continue
		}
		name := func(f []string, _ int, wrong func(int, string, ...any) error) error {
			router := spec.Printable(f[nodeColumn])
			switch other, known := in[router]; {
			case r.ctx.Err() != nil:
				return context.Cause(r.ctx)
			case router == "":
				return wrong(nodeColumn, "a row without a router")
			case known && other != file.Name:
				return wrong(nodeColumn, "%.40q has a table already, %s: want its rows in one", router, other)
			case !known && len(in) == mostNodes:
				return wrong(nodeColumn, "more than %d nodes", mostNodes)
			}
			in[router] = file.Name
			return nil
		}
		if err := rows(file.Name, file.Text, 2, columns, name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		r.node(name)
		r.file = append(r.file, in[name])
	}
	return nil
}

// table reads one table.
func (r *reading) table(file File) error {
	own := r.nodes[file.router()]
	several := heads(file.Text, nodeNames...)
	return rows(file.Name, file.Text, 2, columns, func(f []string, line int, wrong func(int, string, ...any) error) error {
		from := own
		if several {
			from = r.nodes[spec.Printable(f[nodeColumn])]
		}
		f[0], f[1] = spec.Printable(f[0]), spec.Printable(f[1])
		return r.row(from, f, line, wrong)
	})
}

// row reads one row of a router.
func (r *reading) row(from spec.NodeID, f []string, line int, wrong func(int, string, ...any) error) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
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
	dest, _ := r.node(f[0])
	next, _ := r.node(f[1])
	routers := len(r.file)
	switch {
	case len(r.names) > mostNodes:
		return wrong(0, "more than %d nodes", mostNodes)
	case dest == from:
		return wrong(0, "a row for the router itself: leave it out")
	case next == from:
		return wrong(1, "the next hop is the router itself: want a neighbour")
	case int(next) >= routers && next != dest:
		return wrong(1, "%.40q has no table, and so cannot pass on packets for %.40q", f[1], f[0])
	}
	way := r.next[[2]spec.NodeID{from, dest}]
	if way == nil {
		way = &group{}
		r.next[[2]spec.NodeID{from, dest}] = way
	}
	to := hop{r.link(from, next, vc), vc, 0, line}
	place := use{dest, to.link, vc}
	if before, twice := r.taken[place]; twice {
		return wrong(0, "the same row as in line %d: want it once", before)
	}
	r.taken[place] = line
	if problem := way.add(to, f[3]); problem != "" {
		return wrong(3, "%s", problem)
	}
	if int(dest) < routers {
		return nil
	}
	if next != dest {
		r.wants = append(r.wants, func() error {
			if _, has := r.hangs[dest]; !has {
				return wrong(0, "%.40q has no table, and is no router's next hop", f[0])
			}
			return nil
		})
	} else if on, has := r.hangs[dest]; has && r.ends[on.link][1] != from {
		return wrong(1, "%.40q hangs on two routers: give it a table, %s.csv, with what it sends to which", f[1], f[1])
	} else {
		r.hangs[dest] = hop{r.link(dest, from, 0), 0, 0, 0}
	}
	return nil
}

// tables is the relation of the tables of routers.
type tables struct {
	t     *spec.Topology
	file  []string                  // by router: its table
	next  map[[2]spec.NodeID]*group // by router and destination
	hangs map[spec.NodeID]hop       // by host
}

func (r *tables) group(c spec.ChannelID, h spec.Header) (g group, arrives bool) {
	v := r.t.Head(c)
	if v == h.Dest {
		return g, true
	}
	if int(v) >= len(r.file) {
		if on, hangs := r.hangs[v]; hangs {
			g.hops = []hop{on}
		}
	} else if next := r.next[[2]spec.NodeID{v, h.Dest}]; next != nil {
		g = *next
	}
	return g, false
}

func (r *tables) reason(c spec.ChannelID, line int) spec.Reason {
	return rowOf(r.file[r.t.Head(c)], line)
}
