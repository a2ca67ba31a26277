package netgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// What drawn machine files declare.

// set is a set that keys are made from.
type set struct {
	name   string // in the file
	values []any
}

// domain is the values that a variable can hold.
type domain struct {
	text   string
	values []any
}

func (d domain) subsetOf(o domain) bool {
	return !slices.ContainsFunc(d.values, func(v any) bool { return !slices.Contains(o.values, v) })
}

func (d domain) numbers() bool {
	return !slices.ContainsFunc(d.values, func(v any) bool { _, is := v.(int); return !is })
}

// cell is a variable, a field, or one of an array of them; channel is a FIFO.
type (
	cell struct {
		name, field string // around the key
		keys        []set
		of          domain
	}
	channel struct {
		name                          string
		keys                          []set
		of                            []domain // of a message; fields of a record are f0 and f1
		size                          int
		lossy, duplicating, unordered bool
		blocking                      bool
	}
)

// protocols draws a file.
type protocols struct {
	*rapid.T
	careful  bool
	p        *Protocol
	sets     []set
	domains  []domain
	record   []domain // fields of the one type of records
	cells    []cell
	channels []channel
	records  []cell // with no domain: records of the state
	scope    scope
	locals   int
}

// scope is the names that a function can use.
type scope struct {
	params   []local
	messages []string // records that are not part of the state
}

type local struct {
	name string
	of   domain
}

func (d *protocols) upTo(n int, what string) int { return rapid.IntRange(0, n).Draw(d.T, what) }

func (d *protocols) line(format string, args ...any) { d.p.Text += fmt.Sprintf(format, args...) + "\n" }

func oneOf[T any](d *protocols, what string, all []T) T { return all[d.upTo(len(all)-1, what)] }

// DrawProtocol draws a machine file. If careful, no step of it has an error.
func DrawProtocol(rt *rapid.T, careful bool) *Protocol {
	d := &protocols{T: rt, careful: careful, p: &Protocol{Start: &State{map[string]any{}, map[string][]Message{}}}}
	d.line("machine(name = \"drawn\")")
	d.declare()
	for i := range 1 + d.upTo(3, "rules") {
		d.rule(fmt.Sprint("f", i))
	}
	for i := range 1 + d.upTo(2, "properties") {
		d.property(oneOf(d, "kind", []string{"invariant", "never", "reach"}), fmt.Sprint("p", i))
	}
	if d.careful { // in these, what cannot be evaluated is an error of the file
		d.property("eventually", "served")
		if d.upTo(1, "final") == 0 {
			d.scope = scope{}
			c := d.condition(2)
			d.line("final(lambda s: %s)", c.text)
			d.p.Final = func(s *State) bool { return c.of(&frame{State: s, names: map[string]any{}}).(bool) }
		}
	}
	return d.p
}

// declare draws sets, variables and FIFOs.
func (d *protocols) declare() {
	n := 2 + d.upTo(1, "processes")
	procs := set{name: "procs"}
	for i := range n {
		procs.values = append(procs.values, i)
	}
	d.sets = []set{procs, {"sides", []any{"l", "r"}}}
	d.line("procs = processes(\"p\", %d)\nsides = [\"l\", \"r\"]", n)
	d.domains = []domain{
		{"range(3)", []any{0, 1, 2}}, {"range(2)", []any{0, 1}}, {`["a", "b"]`, []any{"a", "b"}}, {`["c", "a", "b"]`, []any{"c", "a", "b"}},
		{"bool", []any{false, true}}, {"procs", procs.values}, {"optional(procs)", append([]any{nil}, procs.values...)}, {"[2, 1, 0]", []any{2, 1, 0}},
	}
	d.record = []domain{oneOf(d, "field", d.domains), oneOf(d, "field", d.domains)}
	d.line("rec = record(f0 = %s, f1 = %s)", d.record[0].text, d.record[1].text)
	for i := range 2 + d.upTo(2, "variables") {
		name, keys := fmt.Sprint("x", i), d.drawKeys(1)
		if i > 0 && d.upTo(3, "record") == 0 {
			d.line("var(%q, rec%s)", name, overText(keys))
			d.records = append(d.records, cell{name: name, keys: keys})
			for k, f := range d.record {
				d.cells = append(d.cells, d.begun(cell{name, fmt.Sprint(".f", k), keys, f}, f.values[0]))
			}
			continue
		}
		x := cell{name: name, keys: keys, of: oneOf(d, "domain", d.domains)}
		first := oneOf(d, "initial", x.of.values)
		d.line("var(%q, %s%s, init = %s)", name, x.of.text, overText(keys), literal(first))
		d.cells = append(d.cells, d.begun(x, first))
	}
	for i := range d.upTo(2, "FIFOs") {
		d.channel(fmt.Sprint("q", i))
	}
}

func (d *protocols) channel(name string) {
	q := channel{
		name: name, size: 1 + d.upTo(1, "size"),
		lossy: d.upTo(3, "lossy") == 0, duplicating: d.upTo(3, "duplicating") == 0,
		unordered: d.upTo(3, "unordered") == 0, blocking: d.upTo(2, "blocking") == 0,
	}
	if d.upTo(2, "keys of a FIFO") == 0 {
		q.keys = d.drawKeys(1)
	}
	of := "rec"
	if q.of = d.record; d.upTo(1, "of records") == 0 {
		one := oneOf(d, "domain", d.domains)
		q.of, of = []domain{one}, one.text
	}
	if q.duplicating {
		q.size = 2
	}
	flags := ""
	for i, on := range []bool{q.lossy, q.duplicating, q.unordered, q.blocking} {
		if on {
			flags += ", " + []string{"lossy", "duplicating", "unordered", "blocking"}[i] + " = True"
		}
	}
	d.line("fifo(%q, %s, size = %d%s%s)", name, of, q.size, overText(q.keys), flags)
	d.channels = append(d.channels, d.empty(q))
}

// empty records that a FIFO is initially empty.
func (d *protocols) empty(q channel) channel {
	for _, key := range combinations(q.keys) {
		d.p.Start.FIFOs[named(q.name, "", key)] = nil
	}
	return q
}

// begun records the initial value of a variable.
func (d *protocols) begun(x cell, first any) cell {
	for _, key := range combinations(x.keys) {
		d.p.Start.Values[named(x.name, x.field, key)] = first
	}
	return x
}

// drawKeys draws the sets that keys are made from: none, one or more.
func (d *protocols) drawKeys(most int) (keys []set) {
	for range d.upTo(most, "keys") {
		keys = append(keys, oneOf(d, "set", d.sets))
	}
	return keys
}

func overText(keys []set) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	switch len(keys) {
	case 0:
		return ""
	case 1:
		return ", over = " + names[0]
	}
	return ", over = [" + strings.Join(names, ", ") + "]"
}

// combinations lists the keys of several sets, the last varying fastest.
func combinations(keys []set) [][]any {
	all := [][]any{nil}
	for _, k := range keys {
		var longer [][]any
		for _, head := range all {
			for _, v := range k.values {
				longer = append(longer, append(slices.Clone(head), v))
			}
		}
		all = longer
	}
	return all
}

// named returns the name of a variable in the program.
func named(name, field string, key []any) string {
	if len(key) == 0 {
		return name + field
	}
	parts := make([]string, len(key))
	for i, v := range key {
		parts[i] = strings.Trim(literal(v), `"`)
	}
	return name + "[" + strings.Join(parts, ",") + "]" + field
}

// instances records a declaration for every key.
func (d *protocols) instances(to *[]Instance, kind, name, property string, fair bool, keys []set, run func(f *frame) any) {
	for _, key := range combinations(keys) {
		in := Instance{Name: name, Property: property, Kind: kind, Fair: fair, run: run, key: map[string]any{}}
		for i, v := range key {
			in.key[parameter(i)] = v
			in.Name += " " + strings.Trim(literal(v), `"`)
		}
		*to = append(*to, in)
	}
}

func parameter(i int) string { return fmt.Sprint("i", i) }

// opened starts a function over some keys, and returns its parameters as text.
func (d *protocols) opened(keys []set) (params string) {
	d.scope = scope{}
	params = "s"
	for i, k := range keys {
		d.scope.params = append(d.scope.params, local{parameter(i), domain{k.name, k.values}})
		params += ", " + parameter(i)
	}
	return params
}

func (d *protocols) rule(name string) {
	keys := d.drawKeys(2)
	params := d.opened(keys)
	body := d.block(2)
	switch d.upTo(5, "also") {
	case 0, 1:
		body = d.drawObserver(name, params, keys, body)
	case 2:
		body = d.alsoPush(name, keys, body)
	}
	fair := d.upTo(3, "fair") > 0
	d.line("def %s(%s):\n    %s\nrule(%q, %s%s%s)", name, params, strings.Join(body.lines, "\n    "),
		name, name, overText(keys), map[bool]string{false: ", fair = False"}[fair])
	d.instances(&d.p.Rules, "rule", name, "", fair, keys, func(f *frame) any { body.run(f); return nil })
}

// drawObserver draws a function that assigns a variable that nothing else reads, called after a
// rule's body: it sees the state as it was before the step.
func (d *protocols) drawObserver(name, params string, keys []set, body stmt) stmt {
	d.scope.messages = nil
	x := cell{name: "also_" + name, keys: keys, of: d.domains[0]}
	at, v, c := d.placeOf(x, true), d.value(x.of, 1), d.condition(1)
	d.line("var(%q, %s%s)\ndef also_%s(%s):\n    when(%s)\n    %s = %s", x.name, x.of.text, overText(keys), name, params, c.text, at.text, v.text)
	d.begun(x, 0)
	call := "also(" + strings.Join(append([]string{"also_" + name}, strings.Split(params, ", ")[1:]...), ", ") + ")"
	return stmt{append(slices.Clone(body.lines), call), func(f *frame) {
		before := &frame{State: f.clone(), names: maps.Clone(f.names)}
		body.run(f)
		if !c.of(before).(bool) {
			panic(refused{})
		}
		f.set(at, x.of, v.of(before))
	}}
}

// alsoPush draws a push into a FIFO that nothing else reads.
func (d *protocols) alsoPush(name string, keys []set, body stmt) stmt {
	d.scope.messages = nil
	q := d.empty(channel{name: "also_" + name, keys: keys, of: d.domains[:1], size: 2})
	at, v := d.queue(q), oneOf(d, "message", q.of[0].values)
	d.line("fifo(%q, %s, size = 2%s, blocking = True)", q.name, q.of[0].text, overText(keys))
	return stmt{append(slices.Clone(body.lines), fmt.Sprintf("also(%s.push, %s)", at.text, literal(v))), func(f *frame) {
		body.run(f)
		queue := f.messages(at)
		if len(queue) == q.size {
			panic(refused{})
		}
		f.FIFOs[at.of(f).(string)] = append(slices.Clone(queue), Message{v})
	}}
}

func (d *protocols) property(kind, name string) {
	keys := d.drawKeys(2)
	params := d.opened(keys)
	c := d.condition(2)
	d.line("%s(%q, lambda %s: %s%s)", kind, name, params, c.text, overText(keys))
	to, property := &d.p.Properties, map[string]string{"invariant": name, "never": "never: " + name, "reach": name + ": never reached"}[kind]
	if kind == "eventually" {
		to = &d.p.Responses
	}
	d.instances(to, kind, name, property, true, keys, c.of)
}
