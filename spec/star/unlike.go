package star

import (
	"maps"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec/likely"
)

// Comparisons that would be False, or True, in every state: Starlark silently finds values
// of two types unequal. An array without a key, a FIFO in place of its head, a record in
// place of a field and a misspelt string are mistakes in the file.

// alike refuses to compare an array, a FIFO or a record with a value.
func alike(op syntax.Token, x, y starlark.Value) error {
	for i, v := range []starlark.Value{x, y} {
		other := []starlark.Value{y, x}[i]
		if _, isRecord := recordOf(v); isRecord {
			if op != syntax.EQL && op != syntax.NEQ || other == starlark.None {
				continue
			}
			if _, also := recordOf(other); !also {
				return mistakef("a record is compared with %s: compare a field, as in m.kind", typeName(other))
			}
			continue
		}
		switch v := v.(type) {
		case *view:
			return mistakef("%s is an array: compare an element, as in %s[i], or any([%s[i] == x for i in keys])", v.place.label, v.place.label, v.place.label)
		case *fifo:
			if i == 0 || op != syntax.IN && op != syntax.NOT_IN {
				return mistakef("%s is a FIFO: compare its head or its length, as in %s.head and len(%s)", v.place.label, v.place.label, v.place.label)
			}
		}
	}
	return nil
}

func typeName(v starlark.Value) string {
	if c, ok := v.(*cell); ok {
		v = c.kind.values[0]
	}
	return v.Type()
}

// spelt is compare, where a local name stands for a value of the state: it refuses to
// compare with a string that no variable and no message can hold.
func spelt(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	a := evaluationOf(t)
	value, is := x.(starlark.String)
	if a == nil || !is || !a.m.heldStrings()[string(value)] {
		return compare(op, x, y)
	}
	against := []starlark.Value{y}
	if op == syntax.IN || op == syntax.NOT_IN {
		against, _ = elements(y)
	}
	for _, v := range against {
		text, also := v.(starlark.String)
		if also && !a.m.heldStrings()[string(text)] {
			known := slices.Sorted(maps.Keys(a.m.heldStrings()))
			return nil, mistakef("invalid value %s to compare with: no variable and no message can be that%s", short(v), likely.Ask(string(text), known))
		}
	}
	return compare(op, x, y)
}

// heldStrings returns the strings that, as the file declares, variables and FIFOs may hold.
func (m *machine) heldStrings() map[string]bool {
	if m.strings == nil {
		m.strings = map[string]bool{}
		m.root.kind.(*record).addStrings(m.strings)
	}
	return m.strings
}

func (r *record) addStrings(into map[string]bool) {
	for _, k := range r.fields {
		addStringsOf(k, into)
	}
}

func addStringsOf(k kind, into map[string]bool) {
	switch k := k.(type) {
	case *domain:
		for _, v := range k.declared().values {
			if text, is := v.(starlark.String); is {
				into[string(text)] = true
			}
		}
	case *record:
		k.addStrings(into)
	case *array:
		for _, e := range k.elems {
			addStringsOf(e, into)
		}
	case *queue:
		addStringsOf(k.elem, into)
	}
}

// ofState returns the names that, within a function, stand for parts of its first parameter,
// the state, wherever they are assigned: m = s.q.pop(), x = s.at[i].
func ofState(f *syntax.DefStmt) map[string]bool {
	if len(f.Params) == 0 {
		return nil
	}
	state, _ := f.Params[0].(*syntax.Ident)
	if state == nil {
		return nil
	}
	is := map[string]bool{}
	part := func(e syntax.Expr) bool {
		for {
			switch x := e.(type) {
			case *syntax.ParenExpr:
				e = x.X
			case *syntax.DotExpr:
				e = x.X
			case *syntax.IndexExpr:
				e = x.X
			case *syntax.CallExpr:
				method, ok := x.Fn.(*syntax.DotExpr)
				if !ok || method.Name.Name != "pop" && method.Name.Name != "take" {
					return false
				}
				e = method.X
			case *syntax.Ident:
				return x.Name == state.Name || is[x.Name]
			default:
				return false
			}
		}
	}
	var bind func(to, from syntax.Expr)
	bind = func(to, from syntax.Expr) {
		switch to := to.(type) {
		case *syntax.Ident:
			before, met := is[to.Name]
			is[to.Name] = from != nil && part(from) && (before || !met)
		case *syntax.ParenExpr:
			bind(to.X, from)
		case *syntax.TupleExpr:
			each, paired := from.(*syntax.TupleExpr)
			for i, x := range to.List {
				if paired && i < len(each.List) {
					bind(x, each.List[i])
				} else {
					bind(x, nil)
				}
			}
		case *syntax.ListExpr:
			for _, x := range to.List {
				bind(x, nil)
			}
		case *syntax.BinaryExpr: // a parameter with a default
			bind(to.X, nil)
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt:
			if n.Op == syntax.EQ {
				bind(n.LHS, n.RHS)
			} else {
				bind(n.LHS, nil)
			}
		case *syntax.DefStmt:
			for _, p := range n.Params {
				bind(p, nil)
			}
		case *syntax.LambdaExpr:
			for _, p := range n.Params {
				bind(p, nil)
			}
		case *syntax.ForStmt:
			bind(n.Vars, n.X)
		case *syntax.ForClause:
			bind(n.Vars, n.X)
		}
		return true
	})
	return is
}
