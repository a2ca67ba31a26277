package star

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/likely"
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

func (b *builder) param(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		p        Param
		def      starlark.Value
		low, top starlark.Value
		choices  starlark.Value
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &p.Name, "default", &def, "min?", &low, "max?", &top, "doc?", &p.Doc, "choices?", &choices)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(b.params, func(q Param) bool { return q.Name == p.Name }); i >= 0 || p.Name == "" {
		return nil, fmt.Errorf("param: the name %q is empty or declared already: names must differ", p.Name)
	}
	p.Min, p.Max = math.MinInt, math.MaxInt
	switch def := def.(type) {
	case starlark.Bool:
		p.Kind, p.Default = "bool", strings.ToLower(def.String())
	case starlark.Int:
		p.Kind, p.Default = "int", def.String()
	case starlark.String:
		p.Kind, p.Default = "string", string(def)
	default:
		return nil, fmt.Errorf("param: the default of %s is a %s: want an int, a bool or a string", p.Name, def.Type())
	}
	if p.Kind != "int" && (given(low) || given(top)) || p.Kind != "string" && given(choices) {
		return nil, fmt.Errorf("param: %s is a %s: min and max are for an int, choices for a string", p.Name, p.Kind)
	}
	if given(low) {
		if p.Min, err = starlark.AsInt32(low); err != nil {
			return nil, fmt.Errorf("param: min of %s: %w", p.Name, err)
		}
	}
	if given(top) {
		if p.Max, err = starlark.AsInt32(top); err != nil {
			return nil, fmt.Errorf("param: max of %s: %w", p.Name, err)
		}
	}
	if given(choices) {
		if p.Choices, err = stringsIn("choices", choices); err != nil {
			return nil, err
		}
	}
	value, err := p.value(p.Default)
	if err != nil {
		return nil, fmt.Errorf("param: default: %w", err)
	}
	p.Value = p.Default
	if text, ok := b.opt.Set[p.Name]; ok {
		if value, err = p.value(text); err != nil {
			return nil, err
		}
		p.Value = text
	}
	b.params = append(b.params, p)
	return value, nil
}

// checkSet refuses values for parameters that the file does not declare.
func (b *builder) checkSet() error {
	for _, name := range slices.Sorted(maps.Keys(b.opt.Set)) {
		if slices.ContainsFunc(b.params, func(p Param) bool { return p.Name == name }) {
			continue
		}
		var known []string
		for _, p := range b.params {
			known = append(known, p.Name)
		}
		return place(b.file, 1, 1, "invalid parameter %.40q: want %s%s", name, cmp.Or(strings.Join(known, ", "), "none"), likely.Ask(name, known))
	}
	return nil
}

func given(v starlark.Value) bool { return v != nil && v != starlark.None }

// stringsIn reads a list or a tuple of strings.
func stringsIn(what string, v starlark.Value) ([]string, error) {
	list, ok := v.(starlark.Indexable)
	if _, isText := v.(starlark.String); !ok || isText {
		return nil, fmt.Errorf("%s is a %s: want a list of strings", what, v.Type())
	}
	if list.Len() > 1<<16 {
		return nil, fmt.Errorf("%s has %d entries: want at most 65536", what, list.Len())
	}
	out := make([]string, list.Len())
	seen := map[string]bool{}
	for i := range out {
		text, ok := list.Index(i).(starlark.String)
		s := spec.Printable(string(text))
		if !ok {
			return nil, fmt.Errorf("%s contains a %s: want a list of strings", what, list.Index(i).Type())
		}
		if seen[s] {
			return nil, fmt.Errorf("%s contains %.40q twice: names must differ", what, s)
		}
		out[i], seen[s] = s, true
	}
	return out, nil
}

// errParamsRead ends the run of a file of which only the parameters are wanted.
var errParamsRead = errors.New("the parameters are read")

// Params returns the parameters that a file declares, in the order of the file, when it
// runs with the given values and defaults for the rest. The file of a machine stops where
// it calls machine. It evaluates no rule and no route.
func Params(file string, text []byte, opt Options) ([]Param, error) {
	s, err := compile(file, text, opt.metered)
	if err != nil {
		return nil, err
	}
	return s.Params(opt)
}

// Params is [Params] of the script's file.
func (s *Script) Params(opt Options) ([]Param, error) {
	b := s.builder(context.Background(), opt)
	predeclared := b.predeclared()
	thread := newThread(s.file, &run{limit: mostSteps})
	thread.Load = b.library(predeclared)
	b.paramsOnly = true
	if _, err := s.prog.Init(thread, predeclared); err != nil && !errors.Is(err, errParamsRead) {
		return nil, fault(s.file, thread, err)
	}
	return b.params, nil
}
