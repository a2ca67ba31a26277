package star

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// load("lib.star", "f") reads lib.star from the same folder, once, with the same
// built-in functions, and freezes its globals.

const mostLibraries = 64

var libraryName = pattern(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}\.star$`)

// library returns the function that the interpreter calls for load.
func (b *builder) library(predeclared starlark.StringDict) func(*starlark.Thread, string) (starlark.StringDict, error) {
	type loaded struct {
		globals starlark.StringDict
		done    bool
	}
	all := map[string]*loaded{}
	folder := b.file[:strings.LastIndexByte(b.file, '/')+1]
	return func(t *starlark.Thread, name string) (starlark.StringDict, error) {
		if l := all[name]; l != nil {
			if !l.done {
				return nil, errors.New("it is being loaded: files load each other in a cycle")
			}
			return l.globals, nil
		}
		if len(all) == mostLibraries {
			return nil, bound(mostLibraries, "files that are loaded", "load fewer")
		}
		text, err := b.opt.open(name)
		if err != nil {
			return nil, err
		}
		l := &loaded{}
		all[name] = l
		tree, err := parse(folder+name, text)
		if err != nil {
			return nil, err
		}
		prog, err := b.compile(folder+name, text, tree, predeclared)
		if err != nil {
			return nil, err
		}
		if l.globals, err = prog.Init(t, predeclared); err != nil {
			return nil, err
		}
		visited, whole := freeze(l.globals, b.lists)
		if err := charge(t, visited/visitsPerStep); err != nil {
			return nil, err
		}
		if !whole {
			return nil, fmt.Errorf("the global values of %s are nested too deeply or too often: nest them less", name)
		}
		l.done = true
		return l.globals, nil
	}
}

// open reads a .star file.
func (o *Options) open(name string) ([]byte, error) {
	switch {
	case !libraryName().MatchString(name):
		return nil, fmt.Errorf("invalid file %.60q: want the name of a .star file in the same folder", name)
	case o.Open == nil:
		return nil, errors.New("this file cannot load others")
	}
	return o.Open(name)
}

// Inline replaces each load by the text of the file, once for each file, so that the result
// says the same by itself. Names keep their names: load("lib.star", mine = "f") is refused,
// and a name that two files define must mean the same in both, which is not checked.
func Inline(file string, text []byte, open func(name string) ([]byte, error)) ([]byte, error) {
	return inline(file, text, &Options{Open: open}, map[string]bool{})
}

func inline(file string, text []byte, o *Options, done map[string]bool) ([]byte, error) {
	tree, err := parse(file, beforeFunctions(text))
	if err != nil { // the cut may be within a string
		tree, err = parse(file, text)
	}
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(newlines(text), []byte("\n"))
	for _, s := range tree.Stmts {
		l, ok := s.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		from, to := l.Span()
		for i := range l.From {
			if l.From[i].Name != l.To[i].Name {
				return nil, place(file, int(from.Line), int(from.Col), "load of %s as %s: want the same name", l.From[i].Name, l.To[i].Name)
			}
		}
		name := l.ModuleName()
		var library []byte
		if !done[name] {
			done[name] = true
			if library, err = o.open(name); err != nil {
				return nil, place(file, int(from.Line), int(from.Col), "%v", err)
			}
			if library, err = inline(name, library, o, done); err != nil {
				return nil, err
			}
		}
		for i := from.Line; i <= to.Line; i++ {
			lines[i-1] = nil
		}
		lines[from.Line-1] = append(bytes.TrimRight(library, "\n"), '\n')
	}
	return bytes.Join(lines, nil), nil
}

// beforeFunctions returns the text up to its first function or, if something is loaded after that, all of it.
func beforeFunctions(text []byte) []byte {
	if i := bytes.Index(text, []byte("\ndef ")); i >= 0 && !bytes.Contains(text[i:], []byte("\nload(")) {
		return text[:i+1]
	}
	return text
}

// Loads returns, by name, the texts of the files that a text loads, directly or through
// others, and of the data that these read. What cannot be read or parsed is left out:
// [Load] says what is wrong.
func Loads(text []byte, open func(name string) ([]byte, error)) map[string][]byte {
	all := map[string][]byte{}
	o := Options{Open: open}
	queue := [][]byte{text}
	for ; len(queue) > 0 && len(all) <= mostLibraries; queue = queue[1:] {
		tree, err := parse("", queue[0])
		if err != nil {
			continue
		}
		syntax.Walk(tree, func(n syntax.Node) bool {
			name, named := loadedBy(n)
			if _, known := all[name]; !named || known {
				return true
			}
			if text, err := o.open(name); err == nil {
				all[name] = slices.Clip(text)
				queue = append(queue, text)
			} else if dataName().MatchString(name) {
				if text, err := open(name); err == nil {
					all[name] = text
				}
			}
			return true
		})
	}
	return all
}
