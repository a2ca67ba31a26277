package topology

import (
	"html"
	"strings"
)

// readGML reads GML (Himsolt 1997), as the Topology Zoo, NetworkX, igraph, yEd and Gephi write it:
//
//	graph [ directed 0 node [ id 0 label "Aa" ] node [ id 1 ] edge [ source 0 target 1 weight 2 ] ]
//
// An edge is a cable unless the graph is directed. Lists within a node or an edge, which draw it, are left out.
func (d *draft) readGML(text []byte) error {
	g := &gml{newScanner(d, text)}
	graphs, directed := 0, false
	err := g.list(0, func(key string, at place) error {
		if key != "graph" {
			return g.leave(0)
		}
		if graphs++; graphs > 1 {
			return d.wrong(at, "a second graph: want one")
		}
		return g.open(func() error {
			return g.list(1, func(key string, at place) error {
				switch key {
				case "directed":
					v, err := g.value()
					directed = v == 1
					return err
				case "label", "name":
					v, err := g.value()
					d.name, _ = v.(string)
					return err
				case "node", "edge":
					return g.open(func() error {
						members, places, err := g.members()
						switch {
						case err != nil:
							return err
						case key == "node":
							return d.nodeOf(members, at)
						}
						return d.linkOf(members, places, at)
					})
				}
				return g.leave(1)
			})
		})
	})
	switch {
	case err != nil:
		return err
	case graphs == 0:
		return d.wrong(start, "no graph in the file")
	}
	for i := range d.links {
		d.links[i].both = !directed
	}
	return d.asListed()
}

// gml is the state of a reader of GML.
type gml struct{ *scanner }

// spaces moves behind white space and lines that are comments.
func (g *gml) spaces() {
	for g.blanks(); g.peek() == '#'; g.blanks() {
		g.lineEnd()
	}
}

// open reads a list in brackets, by a function that reads what is in it.
func (g *gml) open(inside func() error) error {
	g.spaces()
	at := g.place()
	if g.peek() != '[' {
		return g.d.wrong(at, "want [ here")
	}
	g.skip(1)
	if err := inside(); err != nil {
		return err
	}
	if g.peek() != ']' {
		return g.d.wrong(at, "a list without its end: want ]")
	}
	g.skip(1)
	return nil
}

// list calls f for each key until the list, or the text if the depth is 0, ends; f reads the value.
func (g *gml) list(depth int, f func(key string, at place) error) error {
	if depth > mostNested {
		return g.d.wrong(g.place(), "lists in lists: want at most %d", mostNested)
	}
	for {
		g.spaces()
		at := g.place()
		c := g.peek()
		switch {
		case g.next == len(g.text):
			return nil // open says what is missing
		case c == ']' && depth > 0:
			return nil
		case !isLetter(c):
			return g.d.wrong(at, "unexpected %q: want a key", rune(c))
		}
		key := g.word(func(c byte) bool { return isLetter(c) || isDigit(c) })
		if err := f(key, at); err != nil {
			return err
		}
		if err := g.d.interrupted(); err != nil {
			return err
		}
	}
}

// leave reads a value of any kind and forgets it.
func (g *gml) leave(depth int) error {
	if g.spaces(); g.peek() != '[' {
		_, err := g.value()
		return err
	}
	return g.open(func() error {
		return g.list(depth+1, func(string, place) error { return g.leave(depth + 1) })
	})
}

// value reads a number or a string.
func (g *gml) value() (any, error) {
	g.spaces()
	at := g.place()
	switch c := g.peek(); {
	case c == '"':
		g.skip(1)
		text, closed := g.skipThrough(`"`)
		if !closed {
			return nil, g.d.wrong(at, "a string without its end: want a quotation mark")
		}
		return html.UnescapeString(string(text)), nil
	case isDigit(c) || c == '-' || c == '+' || c == '.':
		text := g.word(func(c byte) bool { return isDigit(c) || isLetter(c) || strings.IndexByte("+-.", c) >= 0 })
		v := ValueOf(text)
		if _, isText := v.(string); isText {
			return nil, g.d.wrong(at, "invalid number %.40q", text)
		}
		return v, nil
	case isLetter(c): // NAN and INF, as some write them
		return g.word(isLetter), nil
	}
	if g.next == len(g.text) {
		return nil, g.d.wrong(at, "unexpected end of file: want a value")
	}
	return nil, g.d.wrong(at, "unexpected %q: want a number or a string", rune(g.peek()))
}

// members reads the values of a node or an edge, and where each is.
func (g *gml) members() (all []Attribute, at []place, err error) {
	err = g.list(2, func(key string, _ place) error {
		if g.spaces(); g.peek() == '[' {
			return g.leave(2)
		}
		where := g.place()
		v, err := g.value()
		all, at = append(all, Attribute{key, v}), append(at, where)
		return err
	})
	return all, at, err
}
