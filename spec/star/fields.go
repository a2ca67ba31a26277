package star

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// fields is what struct(name = value, ...) makes: values of a file under names, such as
// the tables that a library computes. It is not part of the state.
type fields struct{ in starlark.StringDict }

func newFields(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, errors.New("struct takes named arguments only: write struct(root = 6, parent = table)")
	}
	f := &fields{in: starlark.StringDict{}}
	for _, kv := range kwargs {
		f.in[string(kv[0].(starlark.String))] = kv[1]
	}
	return f, charge(t, emptyDict+len(kwargs))
}

// String lists the names alone: values may contain each other.
func (f *fields) String() string        { return "struct(" + strings.Join(f.AttrNames(), ", ") + ")" }
func (f *fields) Type() string          { return "struct" }
func (f *fields) Freeze()               { f.in.Freeze() }
func (f *fields) Truth() starlark.Bool  { return true }
func (f *fields) Hash() (uint32, error) { return 0, errors.New("a struct cannot be a key of a dict") }
func (f *fields) AttrNames() []string   { return slices.Sorted(maps.Keys(f.in)) }

func (f *fields) Attr(name string) (starlark.Value, error) {
	v, ok := f.in[name]
	if !ok {
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("the struct has no %s: it has %v", name, f.AttrNames()))
	}
	return v, nil
}
