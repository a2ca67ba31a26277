package topology

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readGraphML reads GraphML (graphdrawing.org): nodes, edges directed or not, keys with
// their defaults, ports of edges. Graphs within nodes and hyperedges are refused, and so
// is a second graph. What yEd draws, such as a label, is read as the text that it is, and its arrows say which way an
// edge leads: yEd writes each edge as directed.
func (d *draft) readGraphML(text []byte) error {
	g := &graphML{d: d, dec: xml.NewDecoder(bytes.NewReader(text)), keys: map[string]*graphMLKey{}}
	g.dec.CharsetReader = asciiCharset
	for {
		at := g.place()
		t, err := g.token()
		if err != nil {
			return err
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local != "graphml" {
			return d.wrong(at, "element %.40q: want graphml", e.Name.Local)
		}
		break
	}
	err := g.children(func(e xml.StartElement, at place) error {
		switch e.Name.Local {
		case "key":
			return g.key(e, at)
		case "graph":
			if g.graphs++; g.graphs > 1 {
				return d.wrong(at, "a second graph: want one")
			}
			return g.graph(e, at)
		}
		return g.skip()
	})
	if err == nil && g.graphs == 0 {
		err = d.wrong(start, "no graph in the file")
	}
	if err != nil {
		return err
	}
	return d.asListed()
}

// asciiCharset accepts files that declare a subset of UTF-8.
func asciiCharset(charset string, r io.Reader) (io.Reader, error) {
	if c := strings.ToLower(charset); c == "us-ascii" || c == "ascii" {
		return r, nil
	}
	return nil, fmt.Errorf("encoding %.40q: want UTF-8", charset)
}

// graphML reads XML element by element.
type graphML struct {
	d      *draft
	dec    *xml.Decoder
	keys   map[string]*graphMLKey // by id
	order  []*graphMLKey
	graphs int
	arrows [2]string // those that yEd draws at the source and the target of the last edge; "": it says nothing
}

type graphMLKey struct {
	of, name, kind string
	preset         string // "" if none
}

// value returns the value of a datum of a key.
func (k *graphMLKey) value(text string) (any, bool) {
	switch k.kind {
	case "boolean":
		v, err := strconv.ParseBool(strings.ToLower(text))
		return v, err == nil
	case "int", "long":
		v, err := strconv.Atoi(text)
		return v, err == nil
	case "float", "double":
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil
	}
	return text, true
}

// place is where the next token begins.
func (g *graphML) place() place {
	line, col := g.dec.InputPos()
	return place{line, max(1, col)} // 0 after a line feed that was read and put back
}

func (g *graphML) token() (xml.Token, error) {
	at := g.place()
	t, err := g.dec.Token()
	var syntax *xml.SyntaxError
	switch {
	case err == nil:
		if e, ok := t.(xml.StartElement); ok && len(e.Attr) > 1 { // which the decoder lets pass
			seen := map[xml.Name]bool{}
			for _, a := range e.Attr {
				if seen[a.Name] {
					return nil, g.d.wrong(at, "attribute %.40q appears twice in %.40q", a.Name.Local, e.Name.Local)
				}
				seen[a.Name] = true
			}
		}
		return t, nil
	case err == io.EOF:
		return nil, g.d.wrong(g.place(), "unexpected end of file")
	case errors.As(err, &syntax):
		return nil, g.d.wrong(g.place(), "%s", syntax.Msg)
	case errors.Unwrap(err) != nil: // of asciiCharset
		err = errors.Unwrap(err)
	}
	return nil, g.d.wrong(g.place(), "%s", err)
}

// children calls f for each element within the one that was just opened; f reads the rest of it.
func (g *graphML) children(f func(e xml.StartElement, at place) error) error {
	for {
		at := g.place()
		t, err := g.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if err := f(t, at); err != nil {
				return err
			}
		}
	}
}

// content returns the text within the element that was just opened, at any depth.
func (g *graphML) content() (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		t, err := g.token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; t.Name.Local == "Arrows" {
				g.arrows = [2]string{attribute(t, "source"), attribute(t, "target")}
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			b.Write(t)
		}
	}
	return strings.TrimSpace(b.String()), nil
}

func (g *graphML) skip() error {
	_, err := g.content()
	return err
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// required returns an attribute that an element must have.
func (g *graphML) required(e xml.StartElement, at place, name string) (string, error) {
	v := attribute(e, name)
	if v == "" {
		return "", g.d.wrong(at, "%s without the attribute %s", e.Name.Local, name)
	}
	return v, nil
}

func (g *graphML) key(e xml.StartElement, at place) error {
	id, err := g.required(e, at, "id")
	if err != nil {
		return err
	}
	if g.keys[id] != nil {
		return g.d.wrong(at, "key %.40q is declared twice", id)
	}
	k := &graphMLKey{
		of: cmp.Or(attribute(e, "for"), "all"), name: attribute(e, "attr.name"), kind: attribute(e, "attr.type"),
	}
	if strings.HasSuffix(attribute(e, "yfiles.type"), "graphics") {
		k.name = cmp.Or(k.name, "label")
	}
	k.name = cmp.Or(k.name, id)
	g.keys[id], g.order = k, append(g.order, k)
	return g.children(func(e xml.StartElement, at place) (err error) {
		text, err := g.content()
		if err != nil || e.Name.Local != "default" {
			return err
		}
		if _, ok := k.value(text); !ok {
			return g.d.wrong(at, "invalid default %.40q of key %.40q: want a value of type %s", text, k.name, k.kind)
		}
		k.preset = text
		return nil
	})
}

// datum reads a data element.
func (g *graphML) datum(e xml.StartElement, at place) (Attribute, error) {
	id := attribute(e, "key")
	k := g.keys[id]
	if k == nil {
		return Attribute{}, g.d.wrong(at, "key %.40q is not declared", id)
	}
	text, err := g.content()
	if err != nil {
		return Attribute{}, err
	}
	v, ok := k.value(text)
	if !ok {
		return Attribute{}, g.d.wrong(at, "invalid %.40q %.40q: want a value of type %s", k.name, text, k.kind)
	}
	return Attribute{k.name, v}, nil
}

// data reads the data of an element, and fills in defaults for those it lacks.
func (g *graphML) data(
	of string, all []Attribute, other func(e xml.StartElement, at place) error,
) ([]Attribute, error) {
	given, keys := map[string]bool{}, map[string]bool{}
	err := g.children(func(e xml.StartElement, at place) error {
		if e.Name.Local != "data" {
			return other(e, at)
		}
		key := attribute(e, "key")
		if keys[key] {
			return g.d.wrong(at, "key %.40q appears twice in %s", key, of)
		}
		keys[key] = true
		a, err := g.datum(e, at)
		if a.Value != nil && a.Value != "" {
			all = append(all, a)
		}
		given[a.Name] = true
		return err
	})
	for _, k := range g.order {
		if k.preset != "" && (k.of == of || k.of == "all") && !given[k.name] {
			v, _ := k.value(k.preset)
			all = append(all, Attribute{k.name, v})
		}
	}
	return all, err
}

func (g *graphML) graph(e xml.StartElement, at place) error {
	g.d.ofGraph(Attribute{"id", attribute(e, "id")})
	var directed bool
	switch preset := attribute(e, "edgedefault"); preset {
	case "directed":
		directed = true
	case "undirected":
	default:
		return g.d.wrong(at, "invalid edgedefault %.40q: want directed or undirected", preset)
	}
	all, err := g.data("graph", nil, func(e xml.StartElement, at place) error {
		switch e.Name.Local {
		case "node":
			return g.node(e, at)
		case "edge":
			return g.edge(e, at, directed)
		case "hyperedge":
			return g.d.wrong(at, "a hyperedge: want edges between two nodes")
		}
		return g.skip()
	})
	for _, a := range all {
		g.d.ofGraph(a)
	}
	return err
}

func (g *graphML) node(e xml.StartElement, at place) error {
	id, err := g.required(e, at, "id")
	if err != nil {
		return err
	}
	attributes, err := g.data("node", nil, func(e xml.StartElement, at place) error {
		if e.Name.Local == "graph" {
			return g.d.wrong(at, "a graph within node %.40q: want a flat graph", id)
		}
		return g.skip()
	})
	if err != nil {
		return err
	}
	return g.d.declare(id, id, at, attributes)
}

func (g *graphML) edge(e xml.StartElement, at place, directed bool) error {
	l := draftLink{at: at}
	for _, end := range []struct {
		name string
		node *int
	}{{"source", &l.from}, {"target", &l.to}} {
		id, err := g.required(e, at, end.name)
		if err != nil {
			return err
		}
		if *end.node, err = g.d.node(id, id, at); err != nil {
			return err
		}
	}
	switch own := attribute(e, "directed"); own {
	case "":
	case "true", "false":
		directed = own == "true"
	default:
		return g.d.wrong(at, "invalid directed %.40q: want true or false", own)
	}
	l.both = !directed
	for _, port := range []string{"sourceport", "targetport"} {
		if v := attribute(e, port); v != "" {
			l.attributes = append(l.attributes, Attribute{port, v})
		}
	}
	var err error
	g.arrows = [2]string{}
	l.attributes, err = g.data("edge", l.attributes, func(xml.StartElement, place) error { return g.skip() })
	if err != nil {
		return err
	}
	if source, target := g.arrows[0], g.arrows[1]; directed && source != "" && target != "" {
		if l.both = (source == "none") == (target == "none"); !l.both && target == "none" {
			l.turn()
		}
	}
	return g.d.link(l)
}
