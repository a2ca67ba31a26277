package topology

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// draft is a graph as its file lists it.
type draft struct {
	ctx     context.Context
	file    string
	opt     Options
	format  string
	name    string
	vcNames []string
	drawn   bool // what looks like coordinates is a picture's
	nodes   []draftNode
	index   map[string]int // of nodes, by what the file calls them
	listed  int            // nodes that are listed by themselves
	links   []draftLink
}

// place is a line and a column of the file, from 1.
type place struct{ line, col int }

var start = place{1, 1}

type draftNode struct {
	name       string
	at         place // where it is declared, or first named
	declared   int   // how many were listed with it; 0: it is not listed
	attributes []Attribute
}

type draftLink struct {
	from, to   int
	both       bool // a cable: a link each way
	byOption   bool // that is as the options say, not the file
	at         place
	attributes []Attribute
}

// turn makes a link lead the other way, with the ports that it has.
func (l *draftLink) turn() {
	l.from, l.to = l.to, l.from
	l.attributes = slices.Clone(l.attributes)
	for i := range l.attributes {
		a := &l.attributes[i]
		switch lower := strings.ToLower(a.Name); cmp.Or(aliases[lower], lower) {
		case "out":
			a.Name = "in"
		case "in":
			a.Name = "out"
		}
	}
}

func (d *draft) wrong(at place, format string, args ...any) error {
	return &spec.PosError{File: d.file, Line: at.line, Col: at.col, Msg: fmt.Sprintf(format, args...)}
}

// interrupted is called once for each item read.
func (d *draft) interrupted() error {
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return nil
}

// node returns the number of the node that the file calls id, adding it if it is new.
func (d *draft) node(id, name string, at place) (int, error) {
	if i, known := d.index[id]; known {
		return i, nil
	}
	if len(d.nodes) == mostNodes {
		return 0, d.wrong(at, "more than %d nodes", mostNodes)
	}
	d.index[id] = len(d.nodes)
	d.nodes = append(d.nodes, draftNode{name: spec.Printable(name), at: at})
	return len(d.nodes) - 1, nil
}

// declare adds a node that has an entry of its own, which must be the only one.
func (d *draft) declare(id, name string, at place, attributes []Attribute) error {
	i, err := d.node(id, name, at)
	if err != nil {
		return err
	}
	n := &d.nodes[i]
	if n.declared > 0 {
		return d.wrong(at, "node %.40q is listed twice: first at line %d", name, n.at.line)
	}
	d.listed++
	n.declared, n.at, n.attributes = d.listed, at, attributes
	return d.interrupted()
}

// ofGraph takes what counts of the attributes of a graph: its name, the names of VCs, and whether unknot drew it.
func (d *draft) ofGraph(a Attribute) {
	switch text := fmt.Sprint(a.Value); a.Name {
	case "id":
		d.drawn = text == "unknot"
	case "name":
		d.name = text
	case "vcNames":
		d.vcNames = strings.Split(text, ",")
	}
}

// id identifies a node: 1 and "1" are two nodes.
func id(v any) string { return fmt.Sprintf("%T %v", v, v) }

// nodeOf adds a node from its members: id, by default its number, and attributes.
func (d *draft) nodeOf(members []Attribute, at place) error {
	var name any = len(d.nodes)
	var attributes []Attribute
	for _, m := range members {
		if m.Name == "id" {
			name = m.Value
		} else {
			attributes = append(attributes, m)
		}
	}
	return d.declare(id(name), fmt.Sprint(name), at, attributes)
}

// linkOf adds a link from its members, each of which has a place: source and target, and attributes.
func (d *draft) linkOf(members []Attribute, places []place, at place) (err error) {
	l := draftLink{from: -1, to: -1, at: at}
	for i, m := range members {
		switch m.Name {
		case "source":
			l.from, err = d.node(id(m.Value), fmt.Sprint(m.Value), places[i])
		case "target":
			l.to, err = d.node(id(m.Value), fmt.Sprint(m.Value), places[i])
		default:
			l.attributes = append(l.attributes, m)
		}
		if err != nil {
			return err
		}
	}
	if l.from < 0 || l.to < 0 {
		return d.wrong(at, "a link without source or target: want both")
	}
	return d.link(l)
}

// link adds a link or a cable.
func (d *draft) link(l draftLink) error {
	switch {
	case l.from == l.to:
		return d.wrong(l.at, "a link from node %.40q to itself: leave it out", d.nodes[l.from].name)
	case len(d.links) == mostLinks:
		return d.wrong(l.at, "more than %d links", mostLinks)
	}
	d.links = append(d.links, l)
	return d.interrupted()
}

// asListed numbers the nodes in the order of their entries; each must have one.
func (d *draft) asListed() error {
	key := make([]int, len(d.nodes))
	for i := range d.nodes {
		n := &d.nodes[i]
		if key[i] = n.declared; key[i] == 0 {
			return d.wrong(n.at, "a link names node %.40q, which is not listed among the nodes", n.name)
		}
	}
	d.sort(key)
	return nil
}

// byNumber numbers nodes by their names, if all are numbers: 9 before 10.
func (d *draft) byNumber() {
	key := make([]int, len(d.nodes))
	for i := range d.nodes {
		x, err := strconv.Atoi(d.nodes[i].name)
		if err != nil {
			return
		}
		key[i] = x
	}
	d.sort(key)
}

// sort numbers the nodes by ascending keys.
func (d *draft) sort(key []int) {
	order := make([]int, len(d.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
	now, nodes := make([]int, len(order)), make([]draftNode, len(order))
	for i, old := range order {
		now[old], nodes[i] = i, d.nodes[old]
	}
	d.nodes = nodes
	for i := range d.links {
		l := &d.links[i]
		l.from, l.to = now[l.from], now[l.to]
	}
}
