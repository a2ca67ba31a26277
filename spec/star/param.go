package star

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// Param is a parameter that a file declares.
type Param struct {
	Name     string
	Kind     string // "int", "bool" or "string"
	Default  string
	Value    string   // what the file was run with
	Min, Max int      // of an int; math.MinInt and math.MaxInt if unbounded
	Choices  []string // of a string; nil if any will do
	Doc      string
}

// Range describes the values that p takes, such as "2..64" or "xy|yx".
func (p Param) Range() string {
	switch {
	case p.Kind == "bool":
		return "true|false"
	case p.Kind == "string" && len(p.Choices) > 0:
		return strings.Join(p.Choices, "|")
	case p.Kind == "string":
		return "any text"
	case p.Min == math.MinInt && p.Max == math.MaxInt:
		return "any integer"
	case p.Min == math.MinInt:
		return fmt.Sprintf("at most %d", p.Max)
	case p.Max == math.MaxInt:
		return fmt.Sprintf("at least %d", p.Min)
	}
	return fmt.Sprintf("%d..%d", p.Min, p.Max)
}

// value turns text into a value of p's kind within its range.
func (p Param) value(text string) (starlark.Value, error) {
	wrong := fmt.Errorf("invalid %s %.40q: want %s", p.Name, text, p.Range())
	switch p.Kind {
	case "bool":
		switch text {
		case "true", "True", "yes", "1":
			return starlark.True, nil
		case "false", "False", "no", "0":
			return starlark.False, nil
		}
		return nil, wrong
	case "int":
		x, err := strconv.Atoi(text)
		if err != nil || x < p.Min || x > p.Max {
			return nil, wrong
		}
		return starlark.MakeInt(x), nil
	}
	if len(p.Choices) > 0 && !slices.Contains(p.Choices, text) {
		return nil, wrong
	}
	if len(text) > 1<<10 {
		return nil, fmt.Errorf("invalid %s of %d bytes: want at most 1024", p.Name, len(text))
	}
	return starlark.String(text), nil
}
