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
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// The state of a machine is a tree of places whose leaves are the variables of a program.
// While a rule is evaluated, what it has set is kept apart (evaluation.set), and what it
// reads of the rest forks the run. A datum is what is known of a value: the value itself,
// or the variable that held it before the step. So values that are only moved, such as
// those behind the head of a FIFO, are not read.

// slot is where something is kept.
type slot struct {
	path  string
	label string // path without keys, for messages: like parts have like messages
	kind  kind
	x     program.Var // of a domain
	free  int         // 1: the number 0 means that the place of a FIFO is free, and i+1 value i
	zero  bool        // where the place of a FIFO is free it has its first value
	in    []*slot     // fields, elements, places of a FIFO
}

// datum is a value of some kind.
type datum struct {
	value starlark.Value // of a domain; nil: free, or not known
	from  *slot          // the variable that had it before the step; nil: known
	plus  *slot          // a second variable, whose value is added; nil: none
	of    *computed      // from is a part of this number; nil: there is no other than plus
	shift int            // a number that is added to what from, or from and plus, had, or to of
	in    []datum        // of a record
}

// computed reports whether a value is not simply what a variable had.
func (d *datum) computed() bool { return d.plus != nil || d.of != nil || d.shift != 0 }

// reads returns the variables that determine it.
func (d *datum) reads() []*slot {
	switch {
	case d.of != nil:
		return d.of.reads
	case d.plus != nil:
		return []*slot{d.from, d.plus}
	case d.from != nil:
		return []*slot{d.from}
	}
	return nil
}

// computed is a number that variables which hold numbers determine, as an expression of the program.
type computed struct {
	value       program.Expr
	reads       []*slot // each once
	least, most int
	size        int         // of value: operators and operands, or a little more
	extremes    []*computed // if it is the least of several numbers, or the greatest: these
	greatest    bool
	state       []int // to evaluate value in
}

// names returns the names of what a place can hold, nil for the numbers 0, 1, ... Values that would
// be called alike, such as 1 and "1", are written as in the file.
func (p *slot) names(d *domain) []string {
	names := d.names()
	if names == nil {
		if p.free == 0 {
			return nil
		}
		for i := range d.values {
			names = append(names, fmt.Sprint(i))
		}
	}
	if p.free > 0 {
		names = append([]string{"-"}, names...)
	}
	called := map[string]int{}
	for _, name := range names {
		called[name]++
	}
	for i, v := range d.values {
		if called[names[p.free+i]] > 1 {
			names[p.free+i] = spec.Printable(v.String())
		}
	}
	return names
}

// first returns the initial value of what the file gives none.
func first(k kind) datum {
	switch k := k.(type) {
	case *domain:
		return datum{value: k.values[0]}
	case *record:
		d := datum{}
		for _, f := range k.fields {
			d.in = append(d.in, first(f))
		}
		return d
	}
	return datum{}
}

// vacant is the content of a free place of a FIFO: zeros.
func vacant(p *slot) datum {
	if p.zero {
		return first(p.kind)
	}
	d := datum{}
	for _, q := range p.in {
		d.in = append(d.in, vacant(q))
	}
	return d
}

// occupied reports whether a number means a value: in a FIFO 0 means that the place is
// free, elsewhere every number is a value.
func (p *slot) occupied(number int) bool { return number >= p.free }

// value returns the value that a number means; nil if the place is free.
func (p *slot) value(number int) starlark.Value {
	if !p.occupied(number) {
		return nil
	}
	return p.kind.(*domain).values[number-p.free]
}

// number returns the program's number of a value; false if the place cannot hold it.
func (p *slot) number(v starlark.Value) (int, bool) {
	if v == nil {
		return 0, true // free
	}
	i, ok := numbered(p.kind.(*domain).number, v)
	return i + p.free, ok
}

// How the state is laid out as the variables of a program, and its initial contents.

// within says where in a FIFO something is kept.
type within int

const (
	elsewhere within = iota // in none
	firstPart               // the first field says whether the place is free
	laterPart               // and so does a field of processes: renaming them would rename it in a free place, too
)

// layOut adds the variables of a place.
func (m *machine) layOut(path, label string, k kind, in within) (*slot, error) {
	p := &slot{path: path, label: label, kind: k, x: decision.None}
	inner := func(key, name string, k kind, in within) error {
		q, err := m.layOut(path+key, label+name, k, in)
		p.in = append(p.in, q)
		return err
	}
	switch k := k.(type) {
	case *domain:
		if in == firstPart || in == laterPart && k.like != nil && k.like.alike && k.values[0] != starlark.None {
			p.free = 1
		}
		p.zero = in == laterPart && p.free == 0
		return p, m.variable(p, k)
	case *record:
		for i, f := range k.fields {
			if err := inner("."+k.names[i], "."+k.names[i], f, in); err != nil {
				return nil, err
			}
			if in == firstPart {
				in = laterPart
			}
		}
	case *array:
		for i, key := range k.keys.values {
			if err := inner("["+shown(key)+"]", "", k.elems[i], elsewhere); err != nil {
				return nil, err
			}
		}
	case *queue:
		for i := range k.size {
			if err := inner(fmt.Sprintf(".%d", i), "", k.elem, firstPart); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

const mostVariables = 1 << 14

func (m *machine) variable(p *slot, d *domain) error {
	if len(m.p.Variables) >= mostVariables {
		return bound(mostVariables, "variables", "make the machine smaller")
	}
	p.x = m.p.Var(p.path, len(d.values)+p.free)
	m.p.Variables[p.x].Names = p.names(d)
	return nil
}

// index lists the places of variables, in order.
func (m *machine) index(p *slot) {
	if _, ok := p.kind.(*domain); ok {
		m.places = append(m.places, p)
	}
	for _, q := range p.in {
		m.index(q)
	}
}

// initial gives a place its initial contents.
func (m *machine) initial(t *starlark.Thread, p *slot, v starlark.Value) error {
	if of, several := v.(*anyOf); several {
		if _, is := p.kind.(*array); !is { // each element by itself
			return m.initialAny(t, p, of)
		}
	}
	if f, ok := v.(starlark.Callable); ok {
		if a, is := p.kind.(*array); is {
			for i, q := range p.in {
				x, err := starlark.Call(t, f, a.keys.args[i], nil)
				if err != nil {
					return err
				}
				if err := m.initial(t, q, x); err != nil {
					return err
				}
			}
			return nil
		}
		return fmt.Errorf(
			"init of %s is a function of a key, but the variable has no keys: give over=, or the value itself", p.path)
	}
	switch k := p.kind.(type) {
	case *array:
		list, isList := v.(*starlark.List)
		if isList && list.Len() != len(p.in) {
			return fmt.Errorf("init of %s has %d entries: want %d, one for each key", p.path, list.Len(), len(p.in))
		}
		for i, q := range p.in {
			x := v
			if isList {
				x = list.Index(i)
			}
			if err := m.initial(t, q, x); err != nil {
				return err
			}
		}
		return nil
	case *queue:
		list, ok := elements(v)
		if !ok || len(list) > k.size {
			return fmt.Errorf("init of %s: want a list of at most %d messages", p.path, k.size)
		}
		for i, x := range list {
			if err := m.initial(t, p.in[i], x); err != nil {
				return err
			}
		}
		return nil
	}
	d, err := m.datumOf(nil, p.kind, v)
	if err != nil {
		return fmt.Errorf("init of %s: %w", p.path, err)
	}
	m.start(p, d)
	return nil
}

func (m *machine) start(p *slot, d datum) {
	if k, ok := p.kind.(*domain); ok {
		m.p.Init(p.x, k.number[keyText(d.value)]+p.free)
	}
	for i, q := range p.in {
		m.start(q, d.in[i])
	}
}

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
	blocking           bool               // a push waits for room
	inferred           bool               // it holds what it begins with or some step can push, and nothing else
	classes            *starlark.Function // of a message: the name of its class; nil: the name of the FIFO
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
	return fmt.Errorf(
		"a value is %s: want strings (at most %d bytes), ints, True, False, None, or small tuples of them",
		nameOf(v), longest)
}

// firstOfRun returns the first of the values if they are consecutive ascending numbers.
func (d *domain) firstOfRun() (int, bool) {
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

// Lists that the file gives: of the values of a variable, of keys.

func newDomain(t *starlark.Thread, values []starlark.Value, like *members) (*domain, error) {
	d := &domain{number: map[string]int{}, like: like}
	if len(values) == 0 {
		return nil, errors.New("no values: want at least one")
	}
	if len(values) > mostValues {
		return nil, bound(mostValues, "values of a variable", "use fewer")
	}
	for _, v := range values {
		if err := plainValue(v); err != nil {
			return nil, err
		}
		if _, twice := numbered(d.number, v); twice {
			return nil, fmt.Errorf("the value %s twice: values must differ", short(v))
		}
		text := keyText(v)
		if err := charge(t, len(text)/16); err != nil {
			return nil, err
		}
		d.texts = append(d.texts, text)
		d.number[text] = len(d.values)
		if d.values = append(d.values, v); !slices.Contains(d.types, v.Type()) {
			d.types = append(d.types, v.Type())
		}
	}
	return d, charge(t, len(values))
}

// keysError says what is wrong with a list of keys: what over= is or has.
type keysError struct{ verb, why string }

func (e *keysError) Error() string { return "over " + e.verb + " " + e.why }

// keysOf reads over=: a list of keys, or a list of lists, of which every combination
// is a key.
func keysOf(t *starlark.Thread, v starlark.Value) (*keys, error) {
	if err := countable(v); err != nil {
		return nil, err
	}
	list, ok := elements(v)
	if !ok {
		return nil, &keysError{"is",
			nameOf(v) + ": want a list of keys, such as range(n), or a list of lists for all combinations"}
	}
	k := &keys{number: map[string]int{}}
	if set, is := v.(*members); is {
		k.like = []*members{set}
	}
	if parts, product := lists(list); product {
		list = []starlark.Value{starlark.Tuple(nil)}
		for i, part := range parts {
			set, _ := list2set(v, i)
			k.like = append(k.like, set)
			if len(list)*len(part) > mostValues {
				return nil, bound(mostValues, "keys", "use fewer")
			}
			var next []starlark.Value
			for _, head := range list {
				for _, x := range part {
					next = append(next, append(head.(starlark.Tuple)[:i:i], x))
				}
			}
			list = next
		}
	}
	for _, x := range list {
		if err := plainValue(x); err != nil {
			return nil, fmt.Errorf("over: %w", err)
		}
		if _, twice := numbered(k.number, x); twice {
			return nil, &keysError{"has", short(x) + " twice: keys must differ"}
		}
		text := keyText(x)
		if err := charge(t, len(text)/16); err != nil {
			return nil, err
		}
		k.number[text] = len(k.values)
		k.values = append(k.values, x)
		args, tuple := x.(starlark.Tuple)
		if !tuple {
			args = starlark.Tuple{x}
		}
		k.args = append(k.args, args)
	}
	return k, charge(t, 4*len(list))
}

// list2set returns the i-th of several lists, if it is a set of values.
func list2set(v starlark.Value, i int) (*members, bool) {
	list, _ := elements(v)
	set, ok := list[i].(*members)
	return set, ok
}

// lists reports whether all elements are lists, ranges or sets of values.
func lists(list []starlark.Value) (parts [][]starlark.Value, all bool) {
	for _, x := range list {
		if _, tuple := x.(starlark.Tuple); tuple {
			return nil, false
		}
		part, ok := elements(x)
		if !ok {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, len(list) > 0
}
