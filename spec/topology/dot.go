package topology

import (
	"fmt"
	"strings"
)

// readDOT reads the language of Graphviz (graphviz.org/doc/info/lang.html): nodes and edges, chains of them, defaults
// of attributes by scope, subgraphs as scopes and as ends of edges, ports, strict graphs. In a graph an edge is a
// cable, in a digraph a link; dir=both, or no arrow, makes it a cable, dir=back turns it. A port of a node is the port of the link.
// What draws the graph (labels, positions) has no meaning here: a node's name is its identifier.
//
// It is a reader of its own, and not gographviz: every fault has its place, the length of the text bounds time and
// memory, and gographviz knows neither edges of subgraphs nor semicolons between attributes. A test compares the two.
func (d *draft) readDOT(text []byte) error {
	d.drawn = true
	g := &dot{scanner: newScanner(d, text), met: map[way]bool{}, members: map[string][]int{}}
	return g.file()
}

const (
	mostNested = 100     // subgraphs in subgraphs
	mostSpread = 1 << 20 // links of edges that have a subgraph as an end
)

// dot is the state of a reader of DOT.
type dot struct {
	*scanner
	token    string // the next one
	literal  bool   // it is a quoted string or HTML, hence no keyword
	at       place  // of the next token
	strict   bool
	directed bool
	depth    int
	spread   int
	met      map[way]bool     // edges, if strict
	members  map[string][]int // nodes of the named subgraphs
}

// scope has the defaults that hold for nodes and edges from here to the end of a subgraph, and the nodes in it.
type scope struct {
	node, edge []Attribute
	members    []int
	has        map[int]bool
}

func (s *scope) add(nodes ...int) {
	for _, v := range nodes {
		if !s.has[v] {
			s.has[v], s.members = true, append(s.members, v)
		}
	}
}

// advance reads the next token; "" is the end of the text.
func (g *dot) advance() error {
	for {
		g.blanks()
		switch {
		case g.has("//") || g.peek() == '#' && g.next == g.begin:
			g.lineEnd()
			continue
		case g.has("/*"):
			at := g.place()
			g.skip(2)
			if _, closed := g.skipThrough("*/"); !closed {
				return g.d.wrong(at, "a comment without its end: want */")
			}
			continue
		}
		break
	}
	g.at, g.literal = g.place(), false
	c := g.peek()
	switch {
	case g.next == len(g.text):
		g.token = ""
		return nil
	case g.has("->") || g.has("--"):
		g.token = string(g.skip(2))
	case strings.IndexByte("{}[]=;,:+", c) >= 0:
		g.token = string(g.skip(1))
	case c == '"':
		return g.quoted()
	case c == '<':
		return g.html()
	case isLetter(c):
		g.token = g.word(func(c byte) bool { return isLetter(c) || isDigit(c) })
	case isDigit(c) || c == '.' || c == '-':
		sign := ""
		if c == '-' {
			sign = string(g.skip(1))
		}
		g.token = sign + g.word(func(c byte) bool { return isDigit(c) || c == '.' })
		if strings.Trim(g.token, "-.") == "" || strings.Count(g.token, ".") > 1 {
			return g.d.wrong(g.at, "invalid number %.40q", g.token)
		}
	default:
		return g.d.wrong(g.at, "unexpected %q: want a name, a number or a quoted string", rune(c))
	}
	return nil
}

// quoted reads a string: a backslash keeps a quotation mark in it and joins two lines; all other backslashes stay.
func (g *dot) quoted() error {
	g.skip(1)
	end := g.next
	for end < len(g.text) && g.text[end] != '"' {
		if g.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(g.text) {
		return g.d.wrong(g.at, "a string without its end: want a quotation mark")
	}
	text := string(g.skip(end - g.next))
	g.skip(1)
	g.token, g.literal = strings.NewReplacer(`\\`, `\\`, `\"`, `"`, "\\\r\n", "", "\\\n", "").Replace(text), true
	return nil
}

// html reads a text in angle brackets, which may hold others.
func (g *dot) html() error {
	depth, end := 0, g.next
	for ; end < len(g.text); end++ {
		switch g.text[end] {
		case '<':
			depth++
		case '>':
			depth--
		}
		if depth == 0 {
			text := g.skip(end + 1 - g.next)
			g.token, g.literal = string(text), true
			return nil
		}
	}
	return g.d.wrong(g.at, "an HTML string without its end: want >")
}

// is reports whether the next token is a sign, or a keyword in any case.
func (g *dot) is(token string) bool { return !g.literal && strings.EqualFold(g.token, token) }

// take moves behind a sign or keyword if it is next.
func (g *dot) take(token string) (bool, error) {
	if !g.is(token) {
		return false, nil
	}
	return true, g.advance()
}

func (g *dot) want(token string) error {
	if found, err := g.take(token); found || err != nil {
		return err
	}
	return g.unexpected(fmt.Sprintf("%q", token))
}

func (g *dot) unexpected(want string) error {
	if g.token == "" && !g.literal {
		return g.d.wrong(g.at, "unexpected end of file: want %s", want)
	}
	return g.d.wrong(g.at, "unexpected %.40q: want %s", g.token, want)
}

// isID reports whether an identifier is next.
func (g *dot) isID() bool {
	if g.literal {
		return true
	}
	for _, keyword := range []string{"strict", "graph", "digraph", "subgraph", "node", "edge"} {
		if g.is(keyword) {
			return false
		}
	}
	return g.token != "" && strings.IndexByte("{}[]=;,:+", g.token[0]) < 0 && g.token != "->" && g.token != "--"
}

// id reads an identifier; a + joins quoted strings.
func (g *dot) id() (string, error) {
	if !g.isID() {
		return "", g.unexpected("a name")
	}
	text, joins := g.token, g.literal
	if err := g.advance(); err != nil {
		return "", err
	}
	if !joins || !g.is("+") {
		return text, nil
	}
	var all strings.Builder
	all.WriteString(text)
	for g.is("+") {
		if err := g.advance(); err != nil {
			return "", err
		}
		if !g.literal {
			return "", g.unexpected("a quoted string")
		}
		all.WriteString(g.token)
		if err := g.advance(); err != nil {
			return "", err
		}
	}
	return all.String(), nil
}

func (g *dot) file() error {
	err := g.advance()
	if err != nil {
		return err
	}
	if g.strict, err = g.take("strict"); err != nil {
		return err
	}
	if g.directed, err = g.take("digraph"); err != nil {
		return err
	}
	if !g.directed {
		if err := g.want("graph"); err != nil {
			return err
		}
	}
	if g.isID() {
		if g.d.name, err = g.id(); err != nil {
			return err
		}
	}
	if err := g.body(&scope{has: map[int]bool{}}); err != nil {
		return err
	}
	if g.token != "" {
		return g.unexpected("the end of the file: one graph")
	}
	return nil
}

// body reads statements in braces.
func (g *dot) body(s *scope) error {
	if err := g.want("{"); err != nil {
		return err
	}
	for {
		if end, err := g.take("}"); end || err != nil {
			return err
		}
		if err := g.statement(s); err != nil {
			return err
		}
		for g.is(";") || g.is(",") {
			if err := g.advance(); err != nil {
				return err
			}
		}
	}
}

func (g *dot) statement(s *scope) error {
	for _, of := range []string{"graph", "node", "edge"} {
		if found, err := g.take(of); err != nil {
			return err
		} else if found {
			all, err := g.attributes()
			switch of {
			case "node":
				s.node = with(s.node, all)
			case "edge":
				s.edge = with(s.edge, all)
			}
			return err
		}
	}
	begin := g.at
	from, err := g.end(s)
	if err != nil || from.assigned {
		return err
	}
	if !g.is("->") && !g.is("--") {
		if from.subgraph || !g.is("[") {
			return nil
		}
		all, err := g.attributes()
		n := &g.d.nodes[from.nodes[0]]
		n.attributes = with(n.attributes, all)
		return err
	}
	chain := []dotEnd{from}
	for g.is("->") || g.is("--") {
		if (g.token == "->") != g.directed {
			want := "graph: want --"
			if g.directed {
				want = "digraph: want ->"
			}
			return g.d.wrong(g.at, "an edge %s in a %s", g.token, want)
		}
		if err := g.advance(); err != nil {
			return err
		}
		to, err := g.end(s)
		if err != nil {
			return err
		}
		if to.assigned {
			return g.d.wrong(begin, "an edge to an attribute: want a node or a subgraph")
		}
		chain = append(chain, to)
	}
	all := s.edge
	if g.is("[") {
		own, err := g.attributes()
		if err != nil {
			return err
		}
		all = with(all, own)
	}
	for i := range len(chain) - 1 {
		if err := g.edges(chain[i], chain[i+1], all, begin); err != nil {
			return err
		}
	}
	return nil
}

// dotEnd is an end of an edge: a node, perhaps at a port, or all nodes of a subgraph.
type dotEnd struct {
	nodes    []int
	port     string
	subgraph bool
	assigned bool // it is name = value, which stands alone
}

// end reads an end of an edge.
func (g *dot) end(s *scope) (e dotEnd, err error) {
	if g.is("subgraph") || g.is("{") {
		e.subgraph = true
		e.nodes, err = g.subgraph(s)
		return e, err
	}
	at := g.at
	name, err := g.id()
	if err != nil {
		return e, err
	}
	if e.assigned, err = g.take("="); err != nil {
		return e, err
	}
	if e.assigned {
		_, err = g.id()
		return e, err
	}
	before := len(g.d.nodes)
	v, err := g.d.node(name, name, at)
	if err != nil {
		return e, err
	}
	if v == before {
		g.d.nodes[v].attributes = s.node
	}
	s.add(v)
	e.nodes = []int{v}
	for i := 0; g.is(":"); i++ {
		if err := g.advance(); err != nil {
			return e, err
		}
		port, err := g.id()
		if err != nil {
			return e, err
		}
		if i == 0 {
			e.port = port // what follows says at which side of it the edge ends
		}
	}
	return e, g.d.interrupted()
}

// subgraph reads a subgraph and returns its nodes. One that is named again has those that it had before, too.
func (g *dot) subgraph(outer *scope) ([]int, error) {
	at := g.at
	if g.depth++; g.depth > mostNested {
		return nil, g.d.wrong(at, "subgraphs in subgraphs: want at most %d", mostNested)
	}
	defer func() { g.depth-- }()
	name := ""
	if found, err := g.take("subgraph"); err != nil {
		return nil, err
	} else if found && g.isID() {
		if name, err = g.id(); err != nil {
			return nil, err
		}
	}
	s := &scope{node: outer.node, edge: outer.edge, has: map[int]bool{}}
	s.add(g.members[name]...)
	if name == "" || g.is("{") {
		if err := g.body(s); err != nil {
			return nil, err
		}
	}
	if name != "" {
		g.members[name] = s.members
	}
	outer.add(s.members...)
	return s.members, nil
}

// edges adds a link, or a cable, from each node of one end to each of another.
func (g *dot) edges(from, to dotEnd, attributes []Attribute, at place) error {
	if from.subgraph || to.subgraph {
		if g.spread += len(from.nodes) * len(to.nodes); g.spread > mostSpread {
			return g.d.wrong(at, "edges of subgraphs stand for more than %d links", mostSpread)
		}
	}
	l := draftLink{both: !g.directed, at: at}
	if from.port != "" {
		l.attributes = append(l.attributes, Attribute{"out", from.port})
	}
	if to.port != "" {
		l.attributes = append(l.attributes, Attribute{"in", to.port})
	}
	l.attributes = with(l.attributes, attributes)
	back := false
	if dir, _ := find(l.attributes, "dir"); g.directed {
		head, _ := find(l.attributes, "arrowhead")
		l.both, back = dir == "both" || dir == "none" || dir != "back" && head == "none", dir == "back"
	}
	for _, a := range from.nodes {
		for _, b := range to.nodes {
			k := l
			k.from, k.to = a, b
			if back {
				k.turn()
			}
			if g.strict {
				w := way{a, b}
				if !g.directed {
					w = way{min(a, b), max(a, b)}
				}
				if g.met[w] {
					continue
				}
				g.met[w] = true
			}
			if err := g.d.link(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// attributes reads lists of attributes in brackets.
func (g *dot) attributes() (all []Attribute, err error) {
	if err := g.want("["); err != nil {
		return nil, err
	}
	for {
		if end, err := g.take("]"); err != nil {
			return nil, err
		} else if end {
			if !g.is("[") {
				return all, nil
			}
			if err := g.advance(); err != nil {
				return nil, err
			}
			continue
		}
		name, err := g.id()
		if err != nil {
			return nil, err
		}
		var value any = true // as Graphviz takes a name alone
		if given, err := g.take("="); err != nil {
			return nil, err
		} else if given {
			text, err := g.id()
			if err != nil {
				return nil, err
			}
			value = ValueOf(text)
		}
		all = with(all, []Attribute{{name, value}})
		for g.is(";") || g.is(",") {
			if err := g.advance(); err != nil {
				return nil, err
			}
		}
	}
}

// with returns attributes with others added, which replace those of the same name.
func with(all, others []Attribute) []Attribute {
	if len(all) == 0 {
		return others
	}
	joined := append([]Attribute(nil), all...)
next:
	for _, a := range others {
		for i := range joined {
			if joined[i].Name == a.Name {
				joined[i].Value = a.Value
				continue next
			}
		}
		joined = append(joined, a)
	}
	return joined
}
