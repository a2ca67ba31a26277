package star

import "go.starlark.net/syntax"

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
