package star

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// kind is what a variable of a machine can hold: one of a list of values (*domain), a
// record of named fields (*record), one element for each key (*array), or messages in
// order (*queue).
type kind interface{ isKind() }

const mostValues = 1 << 16 // of a domain, and keys of an array

// domain lists the values of a variable: value i is the number i of the program.
type domain struct {
	values []starlark.Value
	texts  []string       // keyText of each
	number map[string]int // by keyText
	like   *members       // the set whose members are among the values; nil if none
	types  []string       // of the values, each once
	of     *domain        // of an inferred FIFO: what was declared, while values lists what can come
}

// declared returns the domain that the file declares.
func (d *domain) declared() *domain {
	if d.of != nil {
		return d.of
	}
	return d
}

// declares reports whether v is one of the values that the file declares.
func (d *domain) declares(v starlark.Value) bool {
	_, is := numbered(d.declared().number, v)
	return is
}

// record is a type of records. Two types differ even if their fields are equal.
type record struct {
	names  []string
	fields []kind
	extent extent   // of a type that the file makes
	at     position // where it makes it
}

// String names the type by its fields and its place, as types have no names.
func (r *record) String() string {
	names := r.names
	if len(names) > 8 {
		names = append(slices.Clip(names[:8]), "...")
	}
	return fmt.Sprintf("record(%s) of %s:%d:%d", strings.Join(names, ", "), r.at.file, r.at.line, r.at.col)
}

// checkSame refuses a record of another type.
func (r *record) checkSame(other *record) error {
	if r == other {
		return nil
	}
	return mistakef("records of two types: %s and %s: make both by one type", r, other)
}

// extent says how much a place of some kind takes.
type extent struct {
	variables int64
	names     int64 // of their values
}

func (e extent) plus(o extent, times int) extent {
	const most = 1 << 30 // is too much, and does not overflow
	return extent{min(e.variables+int64(times)*o.variables, most), min(e.names+int64(times)*o.names, most)}
}

func extentOf(k kind) (e extent) {
	switch k := k.(type) {
	case *domain:
		return extent{1, int64(len(k.values))}
	case *record: // whose fields may share types
		return k.extent
	case *array:
		for _, elem := range k.elems {
			e = e.plus(extentOf(elem), 1)
		}
	case *queue:
		e = e.plus(extentOf(k.elem), k.size)
	}
	return e
}

func (r *record) field(name string) int {
	for i, n := range r.names {
		if n == name {
			return i
		}
	}
	return -1
}

// array has an element for every key, each of a kind of its own.
type array struct {
	keys  *keys
	elems []kind
}

// queue is a FIFO of at most size messages.
type queue struct {
	elem               kind
	size               int
	lossy, duplicating bool
	unordered          bool
	blocking           bool // a push waits for room
	inferred           bool // it holds what it begins with or some step can push, and nothing else
}

func (*domain) isKind() {}
func (*record) isKind() {}
func (*array) isKind()  {}
func (*queue) isKind()  {}

// keyText identifies a value: those of 1, True and "1" differ. A value that no variable
// can hold has "\x03".
func keyText(v starlark.Value) string {
	var space [64]byte
	return string(appendKey(space[:0], v))
}

// numbered looks a value up, by its keyText.
func numbered(in map[string]int, v starlark.Value) (int, bool) {
	var space [64]byte
	i, ok := in[string(appendKey(space[:0], v))]
	return i, ok
}

// elements lists what a list, tuple, range or set of values contains.
func elements(v starlark.Value) ([]starlark.Value, bool) {
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, false
	}
	if n := starlark.Len(v); n < 0 || n > mostValues {
		return nil, false
	}
	var out []starlark.Value
	for x := range starlark.Elements(list) {
		out = append(out, x)
	}
	return out, true
}

// countable refuses what elements does not list only because it is too long.
func countable(v starlark.Value) error {
	if n := starlark.Len(v); n > mostValues {
		return fmt.Errorf("%s of %d values: want at most %d", v.Type(), n, mostValues)
	}
	return nil
}

func appendKey(to []byte, v starlark.Value) []byte {
	if plainValue(v) != nil {
		return append(to, 3)
	}
	switch v := v.(type) {
	case starlark.String:
		if v != "" && v[0] <= 4 { // as the keys of other types begin
			to = append(to, 4)
		}
		return append(to, v...)
	case starlark.Int:
		n, _ := v.Int64()
		return strconv.AppendInt(append(to, 0), n, 10)
	case starlark.Tuple:
		to = append(to, 1)
		for _, x := range v { // each after its length
			at := len(to)
			to = appendKey(append(to, 0, 0, 0, 0), x)
			binary.BigEndian.PutUint32(to[at:], uint32(len(to)-at-4))
		}
		return to
	}
	return append(append(to, 2), v.String()...)
}

// shown returns a value as names of variables, values and rules show it.
func shown(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.String:
		return spec.Printable(string(v))
	case starlark.Tuple:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = shown(x)
		}
		return strings.Join(parts, ",")
	}
	return v.String()
}

// plainValue refuses what a variable cannot hold.
func plainValue(v starlark.Value) error { return plainWithin(v, 3) }

func plainWithin(v starlark.Value, depth int) error {
	const longest, widest = 200, 16
	switch v := v.(type) {
	case starlark.Bool, starlark.NoneType:
		return nil
	case starlark.Int:
		if _, small := v.Int64(); small {
			return nil
		}
	case starlark.String:
		if len(v) <= longest {
			return nil
		}
	case starlark.Tuple:
		if depth == 0 || len(v) > widest {
			break
		}
		for _, x := range v {
			if err := plainWithin(x, depth-1); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("a value is %s: want strings (at most %d bytes), ints, True, False, None, or small tuples of them", nameOf(v), longest)
}

// least returns the first of the values if they are consecutive ascending numbers.
func (d *domain) least() (int, bool) {
	if len(d.values) == 0 {
		return 0, false
	}
	first, err := starlark.AsInt32(d.values[0])
	for i, v := range d.values {
		n, isInt := v.(starlark.Int)
		if x, small := n.Int64(); !isInt || !small || err != nil || x != int64(first+i) {
			return 0, false
		}
	}
	return first, true
}

// names returns the names of the values, nil for the numbers 0, 1, ...
func (d *domain) names() []string {
	plain := true
	names := make([]string, len(d.values))
	for i, v := range d.values {
		names[i] = shown(v)
		_, isInt := v.(starlark.Int)
		plain = plain && isInt && names[i] == fmt.Sprint(i)
	}
	if plain {
		return nil
	}
	return names
}

// String describes the values in bounded space.
func (d *domain) String() string {
	d = d.declared()
	if len(d.values) == 1 {
		return short(d.values[0])
	}
	first, last := d.values[0], d.values[len(d.values)-1]
	if _, ints := first.(starlark.Int); ints && len(d.values) > 3 {
		return fmt.Sprintf("%s to %s", short(first), short(last))
	}
	var all []string
	for i, v := range d.values {
		if i == 8 {
			all = append(all, "...")
			break
		}
		all = append(all, short(v))
	}
	return strings.Join(all, ", ")
}

// members is a named set of values, such as processes, which symmetries rename: what is
// declared with it, a variable or a key, holds one of them.
type members struct {
	name   string
	values starlark.Tuple
	alike  bool // any two can be exchanged
	at     position
}

var _ starlark.Indexable = (*members)(nil)

func (m *members) String() string       { return m.name }
func (m *members) Type() string         { return "set of values" }
func (m *members) Freeze()              {}
func (m *members) Truth() starlark.Bool { return m.values.Truth() }
func (m *members) Hash() (uint32, error) {
	return 0, errors.New("a set of values cannot be a dict key")
}
func (m *members) Len() int                   { return len(m.values) }
func (m *members) Index(i int) starlark.Value { return m.values[i] }
func (m *members) Iterate() starlark.Iterator { return m.values.Iterate() }
func (m *members) Has(v starlark.Value) (bool, error) {
	return slices.ContainsFunc(m.values, func(x starlark.Value) bool { return keyText(x) == keyText(v) }), nil
}

// keys is what over= says: the keys of an array, the instances of a rule.
type keys struct {
	values []starlark.Value // a tuple, if there are several parts
	args   []starlark.Tuple // the arguments of a function for each
	number map[string]int
	like   []*members // by part: the set that it is a member of; nil if none
}

// once is what a rule without over has: one instance without arguments.
func once() *keys { return &keys{values: []starlark.Value{nil}, args: []starlark.Tuple{nil}} }
