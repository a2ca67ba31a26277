package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"sync"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Protocol completes the entry of a machine that a file in Starlark describes, see [File]:
// its parameters are the file's, with their ranges, except for those that the entry fixes,
// and its rules are the file's. The file is read when they are first asked for.
func Protocol(e Entry, s Source) Entry {
	e = e.reading(s)
	e.BuildMachine = func(a Args) (states.Machine, error) {
		return Compiled(e.program(a))
	}
	return e
}

// Network completes the entry of a network that a file in Starlark describes, as [Protocol] does that of a machine.
func Network(e Entry, s Source) Entry {
	e = e.reading(s)
	e.Build = func(a Args) (routing.Definition, error) {
		f, err := e.load(a)
		if err != nil {
			return routing.Definition{}, err
		}
		return f.Definition, nil
	}
	return e
}

func (e Entry) reading(s Source) Entry {
	e.source = s
	e.written = sync.OnceValue(func() file {
		f := file{text: s.Text()}
		var err error
		var params []star.Param
		if f.script, err = star.Compile(e.file(), []byte(f.text)); err == nil {
			params, err = f.script.Params(star.Options{Set: e.Described().Fixed})
		}
		if err != nil {
			panic("models: " + err.Error()) // a file of the program's own, found by its test
		}
		for _, p := range params {
			if _, fixed := e.Described().Fixed[p.Name]; fixed {
				continue
			}
			own := Param{Name: p.Name, Default: p.Default, Min: p.Min, Max: p.Max, Choices: p.Choices, Doc: p.Doc}
			switch {
			case p.Kind == "bool":
				own.Choices = []string{"false", "true"}
			case p.Kind == "string" && len(p.Choices) == 0:
				own.Form = "TEXT"
			}
			f.params = append(f.params, own)
		}
		return f
	})
	return e
}

// Text is the file that describes a model, see [Protocol] and [Network], or that stands beside its paper, see
// [Entry.WithFile]; "" if there is none.
func (e Entry) Text() string {
	switch {
	case e.written != nil:
		return e.written().text
	case e.beside:
		return e.source.Text()
	}
	return ""
}

// inlined reads a model from a package's files and inlines the files that it loads, so that it can be printed and run
// alone.
func inlined(files fs.FS, name string) string {
	text, err := fs.ReadFile(files, name)
	if err == nil {
		text, err = star.Inline(name, text, func(name string) ([]byte, error) { return fs.ReadFile(files, name) })
	}
	if err != nil {
		panic("models: " + err.Error()) // a file of the program's own
	}
	return string(text)
}

func (e Entry) program(a Args) (*program.Program, error) {
	f, err := e.load(a)
	if err != nil {
		return nil, err
	}
	return f.Program, nil
}

func (e Entry) load(a Args) (*star.File, error) {
	set := Set{}
	maps.Copy(set, e.Described().Fixed)
	for _, p := range e.Parameters() {
		set[p.Name] = a.Text(p.Name)
	}
	f, err := e.written().script.Load(cmp.Or(a.ctx, context.Background()), star.Options{Set: set})
	if err == nil && (f.Program != nil) != e.IsMachine() {
		err = fmt.Errorf("%s does not match its entry: one is a network, the other a machine", e.file())
	}
	return f, err
}

func (e Entry) file() string { return e.Name + ".star" }
