package star

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// Data: files that are not programs, which a file reads at top level.
//
// The inputs of a network are known without running its file: each call names its data
// file as a string literal (see inputsOf), in the same folder or below it. So a cache
// keyed by content can read the same files ([Loads]).

// MostData is how many bytes a data file can have.
const MostData = 64 << 20

var dataName = pattern(`^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// readers are the functions that read data.
var readers = map[string]bool{"table": true, "json": true, "topology": true, "paths": true, "tables": true}

// dataBuiltins are the readers that files of networks and of machines have in common.
func (b *builder) dataBuiltins() map[string]builtin {
	return map[string]builtin{"table": b.table, "json": b.json}
}

// inputsOf adds the data files that a text names.
func (b *builder) inputsOf(tree *syntax.File) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		if name, ok := loadedBy(n); ok {
			b.inputs[name] = true
		}
		return true
	})
}

// input returns the name, with its folder, and the text of a data file.
func (b *builder) input(t *starlark.Thread, reader, name string) (file string, text []byte, err error) {
	switch {
	case !b.inputs[name]:
		return "", nil, unnamed(reader, name)
	case !dataName().MatchString(name) || len(name) > 200:
		return "", nil,
			fmt.Errorf("invalid file %.60q: want the name of a file in the same folder or below it, such as "+
				"\"data/edges.csv\"", name)
	}
	return b.opened(t, name)
}

// unnamed is the error about an input whose name the file does not write.
func unnamed(reader, name string) error {
	return fmt.Errorf("%s of %.60q: write the name of the file in the call, in quotes, so that what is read is known "+
		"before the file runs", reader, name)
}

// opened returns the name, with its folder, and the text of a data file that the file names.
func (b *builder) opened(t *starlark.Thread, name string) (file string, text []byte, err error) {
	if b.opt.Open == nil {
		return "", nil, errors.New("there are no files to read from")
	}
	if text, err = b.opt.Open(name); err != nil {
		return "", nil, err
	}
	if len(text) > MostData {
		return "", nil, fmt.Errorf("%s has %d bytes: at most %d are read", name, len(text), MostData)
	}
	const opening = 1000 // steps
	b.read[name] = true
	return b.file[:strings.LastIndexByte(b.file, '/')+1] + name, text, charge(t, opening+len(text)/16)
}

// table is table(file, columns=): a list of dicts.
func (b *builder) table(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var named starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "file", &name, "columns?", &named); err != nil {
		return nil, err
	}
	file, text, err := b.input(t, f.Name(), name)
	if err != nil {
		return nil, err
	}
	var columns []string
	if given(named) {
		if columns, err = stringsIn("columns", named); err != nil {
			return nil, err
		}
	}
	var rows []starlark.Value
	err = topology.Rows(file, text, func(row []string, at func(int) (int, int)) error {
		wrong := func(field int, format string, args ...any) error {
			line, col := at(field)
			return place(file, line, col, format, args...)
		}
		if columns == nil {
			i := topology.Repeated(row)
			if none := slices.Index(row, ""); none >= 0 && (i < 0 || none < i) {
				i = none
			}
			if i >= 0 {
				return wrong(i, "the heading names column %d %.40q: names must differ", i+1, row[i])
			}
			columns = slices.Clone(row)
			return nil
		}
		if len(row) != len(columns) {
			return wrong(0, "invalid number of fields %d: want %d, one for each column", len(row), len(columns))
		}
		record := starlark.NewDict(len(row))
		for i, text := range row {
			if err := record.SetKey(starlark.String(columns[i]), valueOf(topology.ValueOf(text))); err != nil {
				return err
			}
		}
		rows = append(rows, record)
		return charge(t, emptyDict+2*len(row))
	})
	return starlark.NewList(rows), err
}

// valueOf converts a value of a data file.
func valueOf(v any) starlark.Value {
	switch v := v.(type) {
	case bool:
		return starlark.Bool(v)
	case int:
		return starlark.MakeInt(v)
	case float64:
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	}
	return starlark.None
}

var (
	longNumber = pattern(`[0-9]{1000}`)
	jsonOffset = pattern(`^(?:json\.decode: )?at offset (\d+), `)
)

// json is json(file): the value of the JSON text, with objects as dicts in the order of
// the file.
func (b *builder) json(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "file", &name); err != nil {
		return nil, err
	}
	file, text, err := b.input(t, f.Name(), name)
	if err != nil {
		return nil, err
	}
	wrong := func(offset int, problem string) error {
		offset = min(offset, len(text))
		return place(file, 1+bytes.Count(text[:offset], []byte("\n")), offset-bytes.LastIndexByte(text[:offset], '\n'),
			"%s", problem)
	}
	values := bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + emptyDict*bytes.Count(text, []byte("{"))
	if err := charge(t, 2*values); err != nil {
		return nil, err
	}
	if err := checkNesting(file, text); err != nil {
		return nil, err
	}
	if long := longNumber().FindIndex(text); long != nil {
		return nil, wrong(long[0], "a number of a thousand digits: want fewer")
	}
	v, err := starlark.Call(t, json.Module.Members["decode"], starlark.Tuple{starlark.String(text)}, nil)
	if err != nil {
		problem, offset := err.Error(), 0
		if m := jsonOffset().FindStringSubmatch(problem); m != nil {
			offset, _ = strconv.Atoi(m[1])
			problem = problem[len(m[0]):]
		}
		return nil, wrong(offset, strings.TrimPrefix(problem, "json.decode: "))
	}
	return v, topology.UniqueKeys(file, text) // of two values for a key only the last would remain
}

// noData is the data of nodes and links that no file describes.
var noData = frozen(starlark.NewDict(0))

func frozen(d *starlark.Dict) *starlark.Dict {
	d.Freeze()
	return d
}

// dataOf returns what a file says of a node or a link.
func dataOf(t *starlark.Thread, all []topology.Attribute) (*starlark.Dict, error) {
	if len(all) == 0 {
		return noData, nil
	}
	d := starlark.NewDict(len(all))
	for _, a := range all {
		if err := d.SetKey(starlark.String(a.Name), valueOf(a.Value)); err != nil {
			return nil, err
		}
	}
	return frozen(d), charge(t, emptyDict+2*len(all))
}

// allPairs returns the flows of a network whose topology file says who sends and
// receives.
func (b *builder) allPairs() routing.Flows {
	if len(b.quiet) == 0 {
		return nil
	}
	sends := make([]bool, len(b.nodes))
	for i, n := range b.nodes {
		sends[i] = !b.quiet[n]
	}
	return func(src, dst spec.NodeID, _ spec.Class) bool { return sends[src] && sends[dst] }
}

// inputNames lists the data files that were read.
func (b *builder) inputNames() []string { return slices.Sorted(maps.Keys(b.read)) }

// loadedBy returns the file that a load, or a call of network_of or one of the readers, names.
func loadedBy(n syntax.Node) (name string, ok bool) {
	switch n := n.(type) {
	case *syntax.LoadStmt:
		return n.ModuleName(), true
	case *syntax.CallExpr:
		f, named := n.Fn.(*syntax.Ident)
		if !named || f.Name != "network_of" && !readers[f.Name] || len(n.Args) == 0 {
			return "", false
		}
		arg := n.Args[0]
		if named, is := arg.(*syntax.BinaryExpr); is && named.Op == syntax.EQ { // file = "..."
			arg = named.Y
		}
		if text, is := arg.(*syntax.Literal); is {
			name, ok = text.Value.(string)
		}
	}
	return name, ok
}
