package smt

import (
	"fmt"
	"strconv"
	"strings"
)

// term is an S-expression: an atom, or a list.
type term struct {
	atom string
	list []term
	line int
}

// head returns the first atom of a list, "" if there is none.
func (t term) head() string {
	if len(t.list) == 0 {
		return ""
	}
	return t.list[0].atom
}

func (t term) String() string {
	if t.atom != "" {
		return t.atom
	}
	var parts []string
	for _, sub := range t.list {
		parts = append(parts, sub.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// read reads the lists of a file. Strings and quoted symbols do not occur and are refused.
func read(text string) ([]term, error) {
	open := []term{{}} // lists that have not ended; the first holds the whole file
	line := 1
	for i := 0; i < len(text); {
		last := &open[len(open)-1]
		switch c := text[i]; {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t':
			i++
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '(':
			open = append(open, term{line: line})
			i++
		case c == ')':
			if len(open) == 1 {
				return nil, fmt.Errorf("%d: a parenthesis too many", line)
			}
			done := *last
			open = open[:len(open)-1]
			open[len(open)-1].list = append(open[len(open)-1].list, done)
			i++
		case c == '"' || c == '|':
			return nil, fmt.Errorf("%d: invalid character %q: want symbols without quotes", line, c)
		default:
			end := i
			for end < len(text) && !strings.ContainsRune(" \t\n();", rune(text[end])) {
				end++
			}
			last.list = append(last.list, term{atom: text[i:end], line: line})
			i = end
		}
	}
	if len(open) > 1 {
		return nil, fmt.Errorf("%d: this parenthesis is not closed", open[len(open)-1].line)
	}
	return open[0].list, nil
}

// value evaluates a term. Truth is 1.
func (s *Script) value(t term, values map[string]int) (int, error) {
	if t.atom != "" {
		return s.atom(t, values)
	}
	args := make([]int, max(0, len(t.list)-1))
	if t.head() == "ite" && len(args) == 3 { // only the case that is true has a meaning
		yes, err := s.value(t.list[1], values)
		if err != nil {
			return 0, err
		}
		return s.value(t.list[3-yes], values)
	}
	for i := range args {
		x, err := s.value(t.list[i+1], values)
		if err != nil {
			return 0, err
		}
		args[i] = x
	}
	if f, ok := s.functions[t.head()]; ok && len(f.params) == len(args) {
		bound := map[string]int{}
		for name, x := range values { // the constants of the file are seen in every function
			bound[name] = x
		}
		for i, p := range f.params {
			bound[p] = args[i]
		}
		return s.value(f.body, bound)
	}
	return apply(t, args)
}

func (s *Script) atom(t term, values map[string]int) (int, error) {
	if x, ok := values[t.atom]; ok {
		return x, nil
	}
	if f, ok := s.functions[t.atom]; ok && len(f.params) == 0 {
		return s.value(f.body, values)
	}
	switch t.atom {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	x, err := strconv.Atoi(t.atom)
	if err != nil {
		return 0, fmt.Errorf("line %d: %q has no value", t.line, t.atom)
	}
	return x, nil
}

// apply applies a function of the theory of integers or of the core.
func apply(t term, args []int) (int, error) {
	holds := func(ok bool) (int, error) {
		if ok {
			return 1, nil
		}
		return 0, nil
	}
	chain := func(related func(a, b int) bool) (int, error) {
		for i := 1; i < len(args); i++ {
			if !related(args[i-1], args[i]) {
				return 0, nil
			}
		}
		return 1, nil
	}
	if len(args) == 0 {
		return 0, fmt.Errorf("line %d: %s cannot be evaluated", t.line, t)
	}
	sum := args[0]
	switch op := t.head(); {
	case op == "+":
		for _, x := range args[1:] {
			sum += x
		}
		return sum, nil
	case op == "-" && len(args) == 1:
		return -sum, nil
	case op == "-":
		for _, x := range args[1:] {
			sum -= x
		}
		return sum, nil
	case op == "*" && len(args) == 2:
		return args[0] * args[1], nil
	case op == "mod" && len(args) == 2 && args[1] > 0:
		return (args[0]%args[1] + args[1]) % args[1], nil
	case op == "<":
		return chain(func(a, b int) bool { return a < b })
	case op == "<=":
		return chain(func(a, b int) bool { return a <= b })
	case op == ">":
		return chain(func(a, b int) bool { return a > b })
	case op == ">=":
		return chain(func(a, b int) bool { return a >= b })
	case op == "=":
		return chain(func(a, b int) bool { return a == b })
	case op == "distinct" && len(args) == 2:
		return holds(args[0] != args[1])
	case op == "not" && len(args) == 1:
		return holds(args[0] == 0)
	case op == "and":
		for _, x := range args {
			sum = min(sum, x)
		}
		return sum, nil
	case op == "or":
		for _, x := range args {
			sum = max(sum, x)
		}
		return sum, nil
	}
	return 0, fmt.Errorf("line %d: %s cannot be evaluated", t.line, t)
}
