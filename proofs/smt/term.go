package smt

import (
	"fmt"
	"slices"
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
	if len(args) == 0 {
		return 0, fmt.Errorf("line %d: %s cannot be evaluated", t.line, t)
	}
	first, rest := args[0], args[1:]
	op := t.head()
	if related := relation(op); related != nil { // of each argument to the next
		for i, x := range rest {
			if !related(args[i], x) {
				return 0, nil
			}
		}
		return 1, nil
	}
	switch {
	case op == "+":
		for _, x := range rest {
			first += x
		}
		return first, nil
	case op == "-" && len(rest) == 0:
		return -first, nil
	case op == "-":
		for _, x := range rest {
			first -= x
		}
		return first, nil
	case op == "*" && len(rest) == 1:
		return first * rest[0], nil
	case op == "mod" && len(rest) == 1 && rest[0] > 0:
		return (first%rest[0] + rest[0]) % rest[0], nil
	case op == "distinct" && len(rest) == 1:
		return truth(first != rest[0]), nil
	case op == "not" && len(rest) == 0:
		return truth(first == 0), nil
	case op == "and":
		return slices.Min(args), nil
	case op == "or":
		return slices.Max(args), nil
	}
	return 0, fmt.Errorf("line %d: %s cannot be evaluated", t.line, t)
}

// relation returns the relation of two integers, or truth values, of that name; nil if there is none.
func relation(op string) func(a, b int) bool {
	switch op {
	case "<":
		return func(a, b int) bool { return a < b }
	case "<=":
		return func(a, b int) bool { return a <= b }
	case ">":
		return func(a, b int) bool { return a > b }
	case ">=":
		return func(a, b int) bool { return a >= b }
	case "=":
		return func(a, b int) bool { return a == b }
	}
	return nil
}

func truth(ok bool) int {
	if ok {
		return 1
	}
	return 0
}
