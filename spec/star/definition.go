package star

import (
	"strings"

	"go.starlark.net/syntax"
)

// Definition returns the function of a rule of the program as the file writes it, without the
// indentation of its first line; "" if it is in no file, as with the rules of network_of.
func (s *Source) Definition(rule int) string {
	d := s.b.instances[rule].d
	if d.f == nil || d.f.Position().Filename() == networkFile {
		return ""
	}
	pos, text := d.f.Position(), s.text
	if name := pos.Filename(); name != s.b.file {
		var err error
		if text, err = s.b.opt.open(name[strings.LastIndexByte(name, '/')+1:]); err != nil {
			return ""
		}
	}
	tree, err := parse(pos.Filename(), text)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(newlines(text)), "\n")
	var found string
	syntax.Walk(tree, func(n syntax.Node) bool {
		var at syntax.Position
		switch n := n.(type) {
		case *syntax.DefStmt:
			at = n.Def
		case *syntax.LambdaExpr:
			at = n.Lambda
		default:
			return n != nil && found == ""
		}
		if at.Line == pos.Line && at.Col == pos.Col {
			start, end := n.Span()
			found = spanned(lines, start, end)
		}
		return found == ""
	})
	return found
}

// spanned returns what stands between two positions, whose columns count characters.
func spanned(lines []string, start, end syntax.Position) string {
	part := append([]string(nil), lines[start.Line-1:end.Line]...)
	last := []rune(part[len(part)-1])
	part[len(part)-1] = string(last[:min(len(last), int(end.Col)-1)])
	first := []rune(part[0])
	part[0] = string(first[min(len(first), int(start.Col)-1):])
	indent := lines[start.Line-1]
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	for i := range part[1:] {
		part[1+i] = strings.TrimPrefix(part[1+i], indent)
	}
	return strings.Join(part, "\n")
}
