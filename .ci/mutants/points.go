package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A point is a condition of the source: what an if, a for or a case asks, what a
// function returns as a boolean, a comparison wherever it stands, and each operand
// of && and ||.
type point struct {
	number    int // in its package
	file      string
	line, col int
	function  string // "Type.Method", or the variable whose value it is in
	text      string // the condition, with single spaces
	mutations []string
	operand   bool // of && or ||
}

// What may be done to a condition. Its operands are evaluated as before, so a
// mutant changes the decision and nothing else.
const (
	negated = "negated"
	always  = "true"         // an operand of && dropped, or a check that always answers yes
	never   = "false"        // an operand of || dropped, or "if wrong { return err }" dropped
	edge    = "<= for <"     // the other answer where both sides are equal; also < for <=, and so on
	masked  = "no such type" // a case of a type switch dropped
)

// comparisons are the operators with an edge, and the functions that stand for them.
var comparisons = map[token.Token]string{token.LSS: "unknotLT", token.LEQ: "unknotLE", token.GTR: "unknotGT", token.GEQ: "unknotGE"}

// An edit replaces text[from:to].
type edit struct {
	from, to int
	text     string
}

// instrumenter rewrites one file so that every condition is asked by a function
// that knows its number.
type instrumenter struct {
	file     string
	text     []byte
	set      *token.FileSet
	function string
	first    int // the number of the first point
	points   []point
	edits    []edit
	done     map[ast.Node]bool
}

// instrument returns the text of a file with its conditions numbered from first,
// and the points. No line moves.
func instrument(file string, text []byte, first int) ([]byte, []point, error) {
	in := &instrumenter{file: file, text: text, set: token.NewFileSet(), first: first, done: map[ast.Node]bool{}}
	tree, err := parser.ParseFile(in.set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			in.function = d.Name.Name
			if d.Recv != nil {
				in.function = strings.TrimLeft(in.source(d.Recv.List[0].Type), "*") + "." + in.function
			}
			in.body(d.Type, d.Body)
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				in.function = in.source(d.Specs[0].(*ast.ValueSpec).Names[0])
				in.walk(d, nil)
			}
		}
	}
	// Where two edits meet, what closes comes before what opens, the inner one first;
	// edits of the same point of the text were made from the outer to the inner.
	slices.SortStableFunc(in.edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range in.edits {
		out.Write(text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(text[at:])
	return out.Bytes(), in.points, nil
}

func (in *instrumenter) offset(p token.Pos) int { return in.set.Position(p).Offset }

// source is the text of a node in one line.
func (in *instrumenter) source(n ast.Node) string {
	return strings.Join(strings.Fields(string(in.text[in.offset(n.Pos()):in.offset(n.End())])), " ")
}

func (in *instrumenter) body(t *ast.FuncType, b *ast.BlockStmt) {
	if b == nil {
		return
	}
	in.walk(b, t)
}

// walk visits what lies in n, a part of a function of type t.
func (in *instrumenter) walk(n ast.Node, t *ast.FuncType) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			in.body(n.Type, n.Body)
			return false
		case *ast.ArrayType: // its length is a constant
			return false
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.IfStmt:
			in.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				in.condition(n.Cond)
			}
		case *ast.SwitchStmt:
			in.cases(n)
		case *ast.TypeSwitchStmt:
			in.types(n)
		case *ast.ReturnStmt:
			for i, boolean := range results(t) {
				if boolean && len(n.Results) == len(results(t)) {
					in.condition(n.Results[i])
				}
			}
		case *ast.BinaryExpr:
			if slices.Contains([]token.Token{token.LAND, token.LOR, token.EQL, token.NEQ}, n.Op) || comparisons[n.Op] != "" {
				in.condition(n)
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				in.condition(n)
			}
		}
		return true
	})
}

// results reports which results of a function are booleans.
func results(t *ast.FuncType) (bools []bool) {
	if t == nil || t.Results == nil {
		return nil
	}
	for _, f := range t.Results.List {
		name, named := f.Type.(*ast.Ident)
		for range max(1, len(f.Names)) {
			bools = append(bools, named && name.Name == "bool")
		}
	}
	return bools
}

// condition makes a point of e, which stands by itself, and of its operands.
func (in *instrumenter) condition(e ast.Expr) { in.operand(e, negated, always, never) }

func (in *instrumenter) operand(e ast.Expr, mutations ...string) {
	if in.done[e] {
		return
	}
	in.done[e] = true
	inner := unparen(e)
	in.done[inner] = true
	if id, constant := inner.(*ast.Ident); constant && (id.Name == "true" || id.Name == "false") {
		mutations = []string{negated}
	}
	if b, binary := inner.(*ast.BinaryExpr); binary && comparisons[b.Op] != "" {
		p := in.point(e, append(slices.Clone(mutations), edge))
		in.insert(e.Pos(), fmt.Sprintf("%s(%d, ", comparisons[b.Op], p))
		if e != inner { // (a < b): the comma must not stand in parentheses of its own
			in.edits = append(in.edits, edit{in.offset(e.Pos()), in.offset(inner.Pos()), ""})
		}
		in.edits = append(in.edits, edit{in.offset(b.OpPos), in.offset(b.OpPos) + len(b.Op.String()), ","})
		in.walk(b.X, nil)
		in.walk(b.Y, nil)
		in.edits = append(in.edits, edit{in.offset(inner.End()), in.offset(e.End()), ")"})
		return
	}
	p := in.point(e, mutations)
	in.insert(e.Pos(), fmt.Sprintf("unknotIf(%d, ", p))
	switch b := inner.(type) {
	case *ast.BinaryExpr:
		in.chain(b)
	case *ast.UnaryExpr:
		if b.Op == token.NOT {
			c, binary := unparen(b.X).(*ast.BinaryExpr)
			switch {
			case binary && comparisons[c.Op] != "":
				in.operand(b.X) // only its edge: the rest is as of the whole
			case binary && (c.Op == token.LAND || c.Op == token.LOR):
				in.chain(c)
			default:
				in.done[unparen(b.X)] = true
				in.walk(b.X, nil)
			}
		} else {
			in.walk(b.X, nil)
		}
	default:
		in.walk(inner, nil)
	}
	in.insert(e.End(), ")")
}

// chain makes points of the operands of && or ||, through all links of a chain.
func (in *instrumenter) chain(b *ast.BinaryExpr) {
	in.done[b] = true
	dropped := map[token.Token]string{token.LAND: always, token.LOR: never}[b.Op]
	for _, x := range []ast.Expr{b.X, b.Y} {
		link, binary := unparen(x).(*ast.BinaryExpr)
		switch {
		case dropped == "":
			in.walk(x, nil)
		case binary && link.Op == b.Op:
			in.done[x] = true
			in.chain(link)
		default:
			at := len(in.points)
			in.operand(x, negated, dropped)
			if at < len(in.points) {
				in.points[at].operand = true
			}
		}
	}
}

// cases makes points of the cases of a switch; "switch x { case 1:" becomes
// "switch { case x == 1:".
func (in *instrumenter) cases(s *ast.SwitchStmt) {
	if in.done[s] {
		return
	}
	in.done[s] = true
	if s.Tag == nil {
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				in.condition(e)
			}
		}
		return
	}
	tag := in.source(s.Tag)
	asked, before := tag, ""
	if s.Init == nil && calls(s.Tag) && slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool { return c.(*ast.CaseClause).List != nil }) {
		asked, before = "unknotTag", "unknotTag := "+tag+";" // once: it may be another each time
	}
	in.edits = append(in.edits, edit{in.offset(s.Tag.Pos()), in.offset(s.Tag.End()), before})
	in.done[s.Tag] = true
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			p := in.point(e, []string{negated, never})
			in.points[len(in.points)-1].text = tag + " == " + in.source(e)
			in.insert(e.Pos(), fmt.Sprintf("unknotIf(%d, %s == ", p, asked))
			in.insert(e.End(), ")")
			in.done[e] = true
		}
	}
}

// calls reports whether an expression calls something.
func calls(e ast.Expr) (does bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, is := n.(*ast.CallExpr)
		does = does || is
		return true
	})
	return does
}

// types makes points of the cases of a type switch: each may be masked, and then
// the value is nil where it is of that type.
func (in *instrumenter) types(s *ast.TypeSwitchStmt) {
	if in.done[s] {
		return
	}
	in.done[s] = true
	var asserted *ast.TypeAssertExpr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		asserted = a.Rhs[0].(*ast.TypeAssertExpr)
	case *ast.ExprStmt:
		asserted = a.X.(*ast.TypeAssertExpr)
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if in.source(e) == "nil" {
				continue
			}
			p := in.point(e, []string{masked})
			in.points[len(in.points)-1].text = "case " + in.source(e)
			in.insert(asserted.X.Pos(), fmt.Sprintf("unknotMask[%s](%d, ", in.source(e), p))
			in.insert(asserted.X.End(), ")")
		}
	}
}

func (in *instrumenter) insert(at token.Pos, text string) {
	in.edits = append(in.edits, edit{in.offset(at), in.offset(at), text})
}

func (in *instrumenter) point(e ast.Expr, mutations []string) int {
	at := in.set.Position(e.Pos())
	p := point{number: in.first + len(in.points), file: in.file, line: at.Line, col: at.Column, function: in.function,
		text: in.source(e), mutations: mutations}
	in.points = append(in.points, p)
	return p.number
}

func unparen(e ast.Expr) ast.Expr {
	for {
		p, in := e.(*ast.ParenExpr)
		if !in {
			return e
		}
		e = p.X
	}
}
