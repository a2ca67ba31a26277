package star

import "bytes"

const mostNesting = 200 // brackets inside brackets

// checkNesting refuses texts whose parse would need a deep stack. It counts
// brackets in comments and strings too, of which real files have few.
func checkNesting(file string, text []byte) error {
	depth, line, start := 0, 1, 0
	for i, c := range text {
		switch c {
		case '\n':
			line, start = line+1, i+1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > mostNesting {
			return place(file, line, i-start+1, "brackets nested more than %d deep: split the expression", mostNesting)
		}
	}
	return nil
}

// unclosed returns an error if a bracket is open at a line that is indented no deeper than
// the line with the bracket: then the bracket is not closed, rather than continued by that
// line. The parser fails only at what follows. Otherwise unclosed returns nil.
func unclosed(file string, text []byte, line int) error {
	type open struct {
		bracket          byte
		line, col, depth int
	}
	var stack []open
	lines := bytes.Split(text, []byte("\n"))
	indent := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
	quote := "" // of the string that is open
	for i, l := range lines[:min(line-1, len(lines))] {
		for c := 0; c < len(l); c++ {
			rest := string(l[c:])
			switch {
			case quote != "" && l[c] == '\\':
				c++
			case quote != "":
				if len(rest) >= len(quote) && rest[:len(quote)] == quote {
					c += len(quote) - 1
					quote = ""
				}
			case l[c] == '#':
				c = len(l)
			case l[c] == '"' || l[c] == '\'':
				quote = rest[:1]
				if triple := quote + quote + quote; len(rest) >= 3 && rest[:3] == triple {
					quote = triple
					c += 2
				}
			case l[c] == '(' || l[c] == '[' || l[c] == '{':
				stack = append(stack, open{l[c], i + 1, c + 1, indent(l)})
			case l[c] == ')' || l[c] == ']' || l[c] == '}':
				if len(stack) == 0 {
					return nil
				}
				stack = stack[:len(stack)-1]
			}
		}
		if len(quote) == 1 {
			quote = ""
		}
	}
	if len(stack) == 0 || quote != "" {
		return nil
	}
	last := stack[len(stack)-1]
	if line <= len(lines) && len(bytes.TrimSpace(lines[line-1])) > 0 && indent(lines[line-1]) > last.depth {
		return nil
	}
	return place(file, last.line, last.col, "this %c is never closed: close it, or indent the lines that continue it", last.bracket)
}
