package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Protocol completes the entry of a machine that a file in Starlark describes:
// its parameters are the file's, with their ranges, but for those that the entry fixes,
// and so are its rules.
func Protocol(e Entry, text string) Entry {
	e.Text = text
	params, err := star.Params(e.file(), []byte(text), star.Options{Set: e.Fixed})
	if err != nil {
		panic("models: " + err.Error()) // a file of the program's own, found by its test
	}
	for _, p := range params {
		if _, fixed := e.Fixed[p.Name]; fixed {
			continue
		}
		own := Param{Name: p.Name, Default: p.Default, Min: p.Min, Max: p.Max, Choices: p.Choices, Doc: p.Doc}
		switch {
		case p.Kind == "bool":
			own.Choices = []string{"false", "true"}
		case p.Kind == "string" && len(p.Choices) == 0:
			own.Form = "TEXT"
		}
		e.Params = append(e.Params, own)
	}
	e.BuildMachine = func(a Args) (states.Machine, error) {
		return Compiled(e.program(a))
	}
	return e
}

// File is the text of a protocol in a package's files, with those that it loads put in, so
// that it can be printed and run by itself. Its lines are those of [Entry.Text].
func File(files fs.FS, name string) string {
	text, err := fs.ReadFile(files, name)
	if err == nil {
		text, err = star.Inline(name, text, func(name string) ([]byte, error) { return fs.ReadFile(files, name) })
	}
	if err != nil {
		panic("models: " + err.Error()) // a file of the program's own
	}
	return string(text)
}

// Program returns the rules of a machine that a file describes, for the given
// parameters, see [Entry.Define].
func (e Entry) Program(set map[string]string) (*program.Program, error) {
	args, err := e.Args(set)
	if err != nil {
		return nil, err
	}
	return e.program(args)
}

func (e Entry) program(a Args) (*program.Program, error) {
	set := maps.Clone(e.Fixed)
	if set == nil {
		set = Set{}
	}
	for _, p := range e.Params {
		set[p.Name] = a.Text(p.Name)
	}
	f, err := star.Load(cmp.Or(a.ctx, context.Background()), e.file(), []byte(e.Text), star.Options{Set: set})
	if err != nil {
		return nil, err
	}
	if f.Program == nil {
		return nil, fmt.Errorf("%s describes a network, not a machine", e.file())
	}
	return f.Program, nil
}

func (e Entry) file() string { return e.Name + ".star" }
