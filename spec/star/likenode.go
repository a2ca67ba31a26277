package star

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// In a network file a node is not its name, VCs and classes are numbers, and coordinates are
// a tuple. Starlark would silently find all of these unequal to a name.

// checkNamed refuses to compare a node or a link with a string, a number or a tuple.
func checkNamed(op syntax.Token, x, y starlark.Value) error {
	what := placeType(x)
	against := []starlark.Value{y}
	switch {
	case op == syntax.IN || op == syntax.NOT_IN:
		if what != "" {
			against, _ = elements(y)
		}
	case what == "":
		what, against = placeType(y), []starlark.Value{x}
	}
	if what == "" {
		return nil
	}
	for _, v := range against {
		switch v.(type) {
		case starlark.String:
			return mistakef("a %s is compared with a string: compare its name, as in %s", what, map[string]string{"node": "at.node.name", "link": "l.out"}[what])
		case starlark.Int, *symbolicInt:
			return mistakef("a %s is compared with a number: compare its number, as in %s", what, map[string]string{"node": "at.node.id", "link": "l.id"}[what])
		case starlark.Tuple:
			return mistakef("a %s is compared with a tuple: compare coordinates, as in %s", what, map[string]string{"node": "at.node.at", "link": "l.dst.at"}[what])
		}
	}
	return nil
}

// placeType is "node", "link", or "".
func placeType(v starlark.Value) string {
	switch v.(type) {
	case *node, *symbolicNode:
		return "node"
	case *link, *symbolicLink:
		return "link"
	}
	return ""
}

// refuseMisreadAttribute refuses to compare, within route(at, to), an attribute with a literal that it
// never equals.
func (m *metering) refuseMisreadAttribute(e *syntax.BinaryExpr) {
	if m.route == nil || e.Op != syntax.EQL && e.Op != syntax.NEQ {
		return
	}
	is := func(e syntax.Expr, param int) bool {
		x, named := e.(*syntax.Ident)
		p, plain := m.route.Params[param].(*syntax.Ident)
		return named && plain && x.Name == p.Name
	}
	for _, side := range [][2]syntax.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		attr, isAttr := side[0].(*syntax.DotExpr)
		value, isLiteral := side[1].(*syntax.Literal)
		if !isAttr || !isLiteral {
			continue
		}
		text := value.Token == syntax.STRING
		of, deeper := attr.X.(*syntax.DotExpr)
		switch name := attr.Name.Name; {
		case text && name == "cls" && is(attr.X, 0):
			m.refuse(e.OpPos, "a packet's cls is a number: compare its cls_name")
		case text && name == "vc" && is(attr.X, 0):
			m.refuse(e.OpPos, "a packet's vc is a number, even where VCs have names: the first is 0")
		case name == "at" && (is(attr.X, 1) || deeper && of.Name.Name == "node" && is(of.X, 0)):
			m.refuse(e.OpPos, "coordinates are a tuple: compare one of them, as in at.node.at[0], or all with a tuple")
		}
	}
}
