package star

import "go.starlark.net/syntax"

// localNames are the names within a function that stand for parts of the state.
type localNames struct {
	state  string          // the parameter
	locals map[string]bool // wherever they are assigned
}

// stateNames returns the names that, within a function, stand for parts of its first parameter,
// the state, wherever they are assigned: m = s.q.pop(), x = s.at[i].
func stateNames(f *syntax.DefStmt) map[string]bool {
	if len(f.Params) == 0 {
		return nil
	}
	state, _ := f.Params[0].(*syntax.Ident)
	if state == nil {
		return nil
	}
	names := localNames{state.Name, map[string]bool{}}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt:
			if n.Op == syntax.EQ {
				names.bind(n.LHS, n.RHS)
			} else {
				names.bind(n.LHS, nil)
			}
		case *syntax.DefStmt:
			names.bindAll(n.Params)
		case *syntax.LambdaExpr:
			names.bindAll(n.Params)
		case *syntax.ForStmt:
			names.bind(n.Vars, n.X)
		case *syntax.ForClause:
			names.bind(n.Vars, n.X)
		}
		return true
	})
	return names.locals
}

// bind notes that an expression, nil if it is not known, is assigned to names.
func (n *localNames) bind(to, from syntax.Expr) {
	switch to := to.(type) {
	case *syntax.Ident:
		before, met := n.locals[to.Name]
		n.locals[to.Name] = from != nil && n.isPartOfState(from) && (before || !met)
	case *syntax.ParenExpr:
		n.bind(to.X, from)
	case *syntax.TupleExpr:
		each, paired := from.(*syntax.TupleExpr)
		for i, x := range to.List {
			if paired && i < len(each.List) {
				n.bind(x, each.List[i])
			} else {
				n.bind(x, nil)
			}
		}
	case *syntax.ListExpr:
		n.bindAll(to.List)
	case *syntax.BinaryExpr: // a parameter with a default
		n.bind(to.X, nil)
	}
}

func (n *localNames) bindAll(to []syntax.Expr) {
	for _, x := range to {
		n.bind(x, nil)
	}
}

// isPartOfState reports whether an expression is a part of the state.
func (n *localNames) isPartOfState(e syntax.Expr) bool {
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
			return x.Name == n.state || n.locals[x.Name]
		default:
			return false
		}
	}
}
