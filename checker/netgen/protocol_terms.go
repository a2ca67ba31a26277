package netgen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Expressions of drawn files, with their meaning.

// term is an expression. A term for a place, a variable or FIFO, means its name.
type term struct {
	text string
	of   func(f *frame) any
}

func constant(v any) term { return term{literal(v), func(*frame) any { return v }} }

func (l local) term() term { return term{l.name, func(f *frame) any { return f.names[l.name] }} }

// place draws a part of the state: keys are parameters, constants and, if it is read, other
// parts of the state.
func (d *protocols) place(name, field string, keys []set, simple bool) term {
	parts, texts := make([]term, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		of := domain{values: k.values}
		options := []term{constant(oneOf(d, "key", k.values))}
		for _, p := range d.scope.params {
			if p.of.subsetOf(of) {
				options = append(options, p.term(), p.term())
			}
		}
		for _, x := range d.cells {
			if len(x.keys) == 0 && !simple && (x.of.subsetOf(of) || !d.careful && x.of.numbers()) {
				options = append(options, d.read(x))
			}
		}
		parts[i] = oneOf(d, "index", options)
		texts[i] = parts[i].text
	}
	text := "s." + name
	if len(keys) > 0 {
		text += "[" + strings.Join(texts, ", ") + "]"
	}
	return term{text + field, func(f *frame) any {
		key := make([]any, len(keys))
		for i, p := range parts {
			if key[i] = p.of(f); !slices.Contains(keys[i].values, key[i]) {
				panic(wrong{})
			}
		}
		return named(name, field, key)
	}}
}

func (d *protocols) placeOf(x cell, simple bool) term {
	return d.place(x.name, x.field, x.keys, simple)
}

func (d *protocols) read(x cell) term {
	at := d.placeOf(x, false)
	return term{at.text, func(f *frame) any { return f.Values[at.of(f).(string)] }}
}

func (d *protocols) queue(q channel) term { return d.place(q.name, "", q.keys, true) }

func (f *frame) messages(q term) []Message { return f.FIFOs[q.of(f).(string)] }

// set assigns a value that a variable can hold; any other is an error.
func (f *frame) set(at term, of domain, v any) {
	if !slices.Contains(of.values, v) {
		panic(wrong{})
	}
	f.Values[at.of(f).(string)] = v
}

// value draws an expression for a variable; if careful, it has no other values.
func (d *protocols) value(of domain, depth int) term {
	options := []func() term{func() term { return constant(oneOf(d, "constant", of.values)) }}
	for _, x := range d.cells {
		if x.of.subsetOf(of) {
			options = append(options, func() term { return d.read(x) })
		}
	}
	for _, p := range d.scope.params {
		if p.of.subsetOf(of) {
			options = append(options, p.term)
		}
	}
	for _, m := range d.scope.messages {
		for k, field := range d.record {
			if field.subsetOf(of) {
				options = append(options, func() term {
					return term{fmt.Sprintf("%s.f%d", m, k), func(f *frame) any { return f.names[m].(Message)[k] }}
				})
			}
		}
	}
	if depth > 0 {
		options = append(options, func() term {
			c, a, b := d.condition(0), d.value(of, depth-1), d.value(of, depth-1)
			return term{fmt.Sprintf("(%s if %s else %s)", a.text, c.text, b.text), func(f *frame) any {
				if c.of(f).(bool) {
					return a.of(f)
				}
				return b.of(f)
			}}
		})
		if n := len(of.values); of.numbers() {
			options = append(options, func() term {
				a := d.number(depth - 1)
				if !d.careful {
					return a
				}
				return term{fmt.Sprintf("(%s) %% %d", a.text, n), func(f *frame) any { return a.of(f).(int) % n }}
			})
		}
	}
	return oneOf(d, "value", options)()
}

// number draws an expression for a number, at least 0.
func (d *protocols) number(depth int) term {
	options := []func() term{
		func() term { return constant(d.upTo(3, "number")) },
		func() term { return d.value(domain{values: []any{0, 1, 2, 3}}, 0) },
		func() term {
			over := oneOf(d, "set", d.sets)
			c, p := d.memberCondition(over)
			return term{fmt.Sprintf("count(%s, lambda %s: %s)", over.name, p, c.text), func(f *frame) any { return f.count(over, p, c) }}
		},
	}
	for _, q := range d.channels {
		options = append(options, func() term {
			at := d.queue(q)
			return term{"len(" + at.text + ")", func(f *frame) any { return len(f.messages(at)) }}
		})
	}
	if depth > 0 {
		options = append(options, func() term {
			a, b := d.number(depth-1), d.number(depth-1)
			return term{"(" + a.text + " + " + b.text + ")", func(f *frame) any { return a.of(f).(int) + b.of(f).(int) }}
		})
	}
	return oneOf(d, "number of", options)()
}

// memberCondition draws a condition about a member of a set, and the member's name.
func (d *protocols) memberCondition(over set) (c term, name string) {
	before := d.scope
	d.locals++
	name = fmt.Sprint("k", d.locals)
	d.scope.params = append(slices.Clone(before.params), local{name, domain{over.name, over.values}})
	c = d.condition(0)
	d.scope = before
	return c, name
}

func (f *frame) count(over set, name string, c term) (n int) {
	for _, v := range over.values {
		f.names[name] = v
		if c.of(f).(bool) {
			n++
		}
	}
	return n
}

var comparisons = map[string]func(x, y int) bool{
	"==": func(x, y int) bool { return x == y }, "!=": func(x, y int) bool { return x != y },
	"<": func(x, y int) bool { return x < y }, "<=": func(x, y int) bool { return x <= y },
	">": func(x, y int) bool { return x > y }, ">=": func(x, y int) bool { return x >= y },
}

// sameKind reports whether some value of x has the type of one of y; otherwise a file must
// not compare them.
func sameKind(x, y []any) bool {
	return slices.ContainsFunc(x, func(v any) bool {
		return slices.ContainsFunc(y, func(w any) bool { return reflect.TypeOf(v) == reflect.TypeOf(w) })
	})
}

func (d *protocols) condition(depth int) term {
	options := []func() term{
		func() term {
			x, y := oneOf(d, "cell", d.cells), oneOf(d, "other cell", d.cells)
			a, b := d.read(x), d.value(x.of, depth)
			if d.upTo(3, "cells") == 0 && sameKind(x.of.values, y.of.values) { // for all the values that they can hold
				b = d.read(y)
			}
			if d.upTo(1, "unlike") == 0 {
				return term{a.text + " != " + b.text, func(f *frame) any { return a.of(f) != b.of(f) }}
			}
			return term{a.text + " == " + b.text, func(f *frame) any { return a.of(f) == b.of(f) }}
		},
		func() term {
			x := oneOf(d, "cell", d.cells)
			var in []any
			texts := ""
			for _, v := range x.of.values {
				if d.upTo(1, "among") == 0 {
					in, texts = append(in, v), texts+literal(v)+", "
				}
			}
			a, word := d.read(x), oneOf(d, "word", []string{"in", "not in"})
			return term{fmt.Sprintf("%s %s [%s]", a.text, word, texts), func(f *frame) any { return slices.Contains(in, a.of(f)) == (word == "in") }}
		},
	}
	if len(d.channels) > 0 {
		options = append(options, func() term { return d.inside(oneOf(d, "FIFO", d.channels)) })
	}
	if len(d.records) > 0 {
		options = append(options, func() term {
			a, b := d.recorded(), d.recorded()
			return term{a.text + " == " + b.text, func(f *frame) any { return slices.Equal(a.of(f).(Message), b.of(f).(Message)) }}
		})
	}
	if depth > 0 {
		options = append(options, func() term {
			a, b, op := d.number(1), d.number(1), oneOf(d, "operator", []string{"==", "!=", "<", "<=", ">", ">="})
			return term{a.text + " " + op + " " + b.text, func(f *frame) any { return comparisons[op](a.of(f).(int), b.of(f).(int)) }}
		}, func() term {
			a, b := d.condition(depth-1), d.condition(depth-1)
			if d.upTo(1, "both") == 0 {
				return term{"(" + a.text + " and " + b.text + ")", func(f *frame) any { return a.of(f).(bool) && b.of(f).(bool) }}
			}
			return term{"(" + a.text + " or " + b.text + ")", func(f *frame) any { return a.of(f).(bool) || b.of(f).(bool) }}
		}, func() term {
			a := d.condition(depth - 1)
			return term{"not (" + a.text + ")", func(f *frame) any { return !a.of(f).(bool) }}
		}, func() term {
			over := oneOf(d, "set", d.sets)
			c, p := d.memberCondition(over)
			if d.upTo(1, "all") == 0 {
				return term{fmt.Sprintf("all([%s for %s in %s])", c.text, p, over.name), func(f *frame) any { return f.count(over, p, c) == len(over.values) }}
			}
			return term{fmt.Sprintf("any([%s for %s in %s])", c.text, p, over.name), func(f *frame) any { return f.count(over, p, c) > 0 }}
		})
	}
	return oneOf(d, "condition", options)()
}

// recorded draws a record: a part of the state, a message, or a new record.
func (d *protocols) recorded() term {
	var options []func() term
	for _, x := range d.records {
		options = append(options, func() term {
			at := d.placeOf(x, false)
			return term{at.text, func(f *frame) any { return f.record(at) }}
		})
	}
	for _, m := range d.scope.messages {
		options = append(options, func() term { return term{m, func(f *frame) any { return f.names[m] }} })
	}
	if len(options) == 0 || d.upTo(2, "new") == 0 {
		a, b := d.value(d.record[0], 0), d.value(d.record[1], 0)
		return term{fmt.Sprintf("rec(f0 = %s, f1 = %s)", a.text, b.text), func(f *frame) any { return Message{a.of(f), b.of(f)} }}
	}
	return oneOf(d, "record", options)()
}

func (f *frame) record(at term) Message {
	name := at.of(f).(string)
	return Message{f.Values[name+".f0"], f.Values[name+".f1"]}
}

// sent draws something that a FIFO's message can be, or be compared with.
func (d *protocols) sent(q channel) term {
	if len(q.of) > 1 {
		return d.recorded()
	}
	v := d.value(q.of[0], 0)
	return term{v.text, func(f *frame) any { return Message{v.of(f)} }}
}

// inside draws a condition about what is in a FIFO.
func (d *protocols) inside(q channel) term {
	at := d.queue(q)
	k, field, of := d.upTo(q.size-1, "message"), "", q.of[0]
	if len(q.of) > 1 {
		field = ".f0"
	}
	v := d.value(of, 0)
	among := func(f *frame) int {
		n := 0
		for _, m := range f.messages(at) {
			if m[0] == v.of(f) {
				n++
			}
		}
		return n
	}
	whole := d.sent(q)
	equal := func(f *frame) func(m Message) bool {
		w := whole.of(f).(Message)
		return func(m Message) bool { return slices.Equal(m, w) }
	}
	return oneOf(d, "of a FIFO", []term{
		{at.text + ".full", func(f *frame) any { return len(f.messages(at)) == q.size }},
		{at.text + ".empty", func(f *frame) any { return len(f.messages(at)) == 0 }},
		{fmt.Sprintf("%[1]s.head != None and %[1]s.head%[2]s == %[3]s", at.text, field, v.text), func(f *frame) any {
			return len(f.messages(at)) > 0 && f.messages(at)[0][0] == v.of(f)
		}},
		{fmt.Sprintf("(len(%[1]s) > %[2]d and %[1]s[%[2]d]%[3]s != %[4]s)", at.text, k, field, v.text), func(f *frame) any {
			return len(f.messages(at)) > k && f.messages(at)[k][0] != v.of(f)
		}},
		{fmt.Sprintf("any([m%s == %s for m in %s])", field, v.text, at.text), func(f *frame) any { return among(f) > 0 }},
		{fmt.Sprintf("%s in %s", whole.text, at.text), func(f *frame) any { return slices.ContainsFunc(f.messages(at), equal(f)) }},
		{fmt.Sprintf("%s.holds(%d, %s)", at.text, k, whole.text), func(f *frame) any {
			is := equal(f)
			return len(f.messages(at)) > k && is(f.messages(at)[k])
		}},
		{fmt.Sprintf("%s.count(%s) == 1", at.text, whole.text), func(f *frame) any {
			is := equal(f)
			return len(slices.DeleteFunc(slices.Clone(f.messages(at)), func(m Message) bool { return !is(m) })) == 1
		}},
	})
}
