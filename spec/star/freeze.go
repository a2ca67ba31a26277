package star

import (
	"maps"
	"slices"

	"go.starlark.net/starlark"
)

// freeze freezes all globals, unless that would need too deep a stack or too much time.
// Starlark freezes recursively and visits a tuple once for each value that contains it,
// and Go aborts on stack overflow. Lists and dicts within the globals are added to
// lists. The first result is how many values were visited.
func freeze(globals starlark.StringDict, lists map[starlark.Value]bool) (visited int, whole bool) {
	const most = 1 << 24
	w := walk{seen: map[starlark.Value]bool{}, left: most}
	for _, name := range slices.Sorted(maps.Keys(globals)) {
		if !w.visit(globals[name]) {
			return most - w.left, false
		}
		globals[name].Freeze()
	}
	for v := range w.seen {
		switch v.(type) {
		case *starlark.List, *starlark.Dict:
			lists[v] = true
		}
	}
	return most - w.left, true
}

// walk visits values in the order in which freezing does, with a stack of its own.
type walk struct {
	seen  map[starlark.Value]bool
	left  int // visits
	stack []visit
	inner []starlark.Value
}

type visit struct {
	value starlark.Value
	depth int
}

func (w *walk) visit(v starlark.Value) bool {
	w.stack = append(w.stack[:0], visit{v, 0})
	for len(w.stack) > 0 {
		e := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if e.depth > mostDepth {
			return false
		}
		w.inner = w.inner[:0]
		w.expand(e.value)
		for _, v := range slices.Backward(w.inner) { // the first on top
			w.stack = append(w.stack, visit{v, e.depth + 1})
		}
		if w.left < 0 {
			return false
		}
	}
	return true
}

// expand collects what v contains and freezing would visit.
func (w *walk) expand(v starlark.Value) {
	if _, tuple := v.(starlark.Tuple); !tuple {
		if plain(v) || w.seen[v] {
			return
		}
		w.seen[v] = true
	}
	switch v := v.(type) {
	case starlark.Tuple:
		for _, x := range v {
			w.add(x)
		}
	case *starlark.List:
		for i := range v.Len() {
			w.add(v.Index(i))
		}
	case *starlark.Dict:
		for k, x := range v.Entries() {
			w.add(k)
			w.add(x)
		}
	case *fields:
		for _, name := range v.AttrNames() {
			w.add(v.in[name])
		}
	case *starlark.Function:
		for i := range v.NumParams() {
			w.add(v.ParamDefault(i))
		}
		for i := range v.NumFreeVars() {
			_, x := v.FreeVar(i)
			w.add(x)
		}
	}
}

func (w *walk) add(v starlark.Value) {
	w.left--
	if v != nil && !plain(v) {
		w.inner = append(w.inner, v)
	}
}

// plain reports whether a value contains no others that could be frozen.
func plain(v starlark.Value) bool {
	switch v.(type) {
	case *starlark.List, *starlark.Dict, *starlark.Function, *fields, starlark.Tuple:
		return false
	}
	return true
}
