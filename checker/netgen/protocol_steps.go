package netgen

import (
	"fmt"
	"slices"
	"strings"
)

// Statements of drawn files, with their meaning.

type stmt struct {
	lines []string
	run   func(f *frame)
}

func line(run func(f *frame), format string, args ...any) stmt {
	return stmt{[]string{fmt.Sprintf(format, args...)}, run}
}

// block draws statements; the names that they introduce end with them.
func (d *protocols) block(depth int) stmt {
	before := d.scope
	var out stmt
	var all []stmt
	if len(d.channels) > 0 && d.upTo(2, "pop") == 0 {
		all = append(all, d.pop(oneOf(d, "FIFO", d.channels)))
	} else if len(d.channels) > 0 && d.upTo(2, "take") == 0 {
		all = append(all, d.take(oneOf(d, "FIFO", d.channels)))
	}
	for range 1 + d.upTo(1, "statements") {
		all = append(all, d.statement(depth))
	}
	d.scope = before
	for _, s := range all {
		out.lines = append(out.lines, s.lines...)
	}
	out.run = func(f *frame) {
		for _, s := range all {
			s.run(f)
		}
	}
	return out
}

func (d *protocols) pop(q channel) stmt {
	at, k, given := d.queue(q), 0, ""
	if d.upTo(2, "which") == 0 {
		k = d.upTo(q.size-1, "message")
		given = fmt.Sprint(k)
	}
	d.locals++
	name := fmt.Sprint("m", d.locals)
	if len(q.of) > 1 {
		d.scope.messages = append(slices.Clone(d.scope.messages), name)
	} else {
		d.scope.params = append(slices.Clone(d.scope.params), local{name, q.of[0]})
	}
	return line(func(f *frame) {
		queue, i := f.messages(at), k
		if len(queue) <= k {
			panic(refused{})
		}
		if given == "" && q.unordered {
			i = f.choose(len(queue))
		}
		if f.names[name] = any(queue[i]); len(q.of) == 1 {
			f.names[name] = queue[i][0]
		}
		f.FIFOs[at.of(f).(string)] = slices.Delete(slices.Clone(queue), i, i+1)
	}, "%s = %s.pop(%s)", name, at.text, given)
}

// take names one or two messages, or one or two fields.
func (d *protocols) take(q channel) stmt {
	at, records := d.queue(q), len(q.of) > 1
	var wanted []string
	var is []func(m Message) bool
	for i := range 1 + d.upTo(1, "more") {
		field := 0
		if records {
			field = i
		}
		v := oneOf(d, "wanted", q.of[field].values)
		if wanted = append(wanted, literal(v)); records {
			wanted[i] = fmt.Sprintf("f%d = %s", i, wanted[i])
		}
		is = append(is, func(m Message) bool { return m[field] == v })
	}
	return line(func(f *frame) {
		queue, i, those := f.messages(at), 0, 0
		if len(queue) == 0 {
			panic(refused{})
		}
		if q.unordered {
			i = f.choose(len(queue))
		}
		for _, one := range is {
			if one(queue[i]) {
				those++
			}
		}
		if those == 0 || records && those < len(is) {
			panic(refused{})
		}
		f.FIFOs[at.of(f).(string)] = slices.Delete(slices.Clone(queue), i, i+1)
	}, "%s.take(%s)", at.text, strings.Join(wanted, ", "))
}

func (d *protocols) push(q channel) stmt {
	at, m := d.queue(q), d.sent(q)
	careful := d.careful && !q.blocking
	ways, room := []int{1}, "not "+at.text+".full"
	if q.lossy {
		ways = append(ways, 0)
	}
	if q.duplicating {
		ways, room = append(ways, 2), at.text+".empty"
	}
	out := stmt{[]string{at.text + ".push(" + m.text + ")"}, func(f *frame) {
		queue, sent := slices.Clone(f.messages(at)), m.of(f).(Message)
		if careful && (len(queue) == q.size || q.duplicating && len(queue) > 0) {
			panic(refused{})
		}
		for range ways[f.choose(len(ways))] {
			queue = append(queue, sent)
		}
		if len(queue) > q.size && q.blocking && len(queue) > len(f.messages(at)) {
			panic(refused{})
		}
		if len(queue) > q.size {
			panic(wrong{})
		}
		f.FIFOs[at.of(f).(string)] = queue
	}}
	if careful {
		out.lines = append([]string{"when(" + room + ", \"room\")"}, out.lines...)
	}
	return out
}

func (d *protocols) statement(depth int) stmt {
	options := d.onCell(oneOf(d, "cell", d.cells))
	if !d.careful {
		options = append(options, func() stmt { return line(func(*frame) { panic(wrong{}) }, "fail(\"drawn\")") })
	}
	if len(d.records) > 0 {
		options = append(options, d.assignRecord)
	}
	if len(d.channels) > 0 {
		q := oneOf(d, "FIFO", d.channels)
		options = append(options, func() stmt { return d.push(q) }, func() stmt { return d.push(q) }, func() stmt {
			at := d.queue(q)
			return line(func(f *frame) { f.FIFOs[at.of(f).(string)] = nil }, "%s.clear()", at.text)
		})
	}
	if depth > 0 {
		options = append(options, func() stmt { return d.branch(depth) }, func() stmt { return d.loop(depth) })
	}
	return oneOf(d, "statement", options)()
}

// onCell lists the statements about one cell or, as when and local names are, about values such as it holds.
func (d *protocols) onCell(x cell) []func() stmt {
	options := []func() stmt{
		func() stmt {
			c := d.condition(1)
			return line(func(f *frame) {
				if !c.of(f).(bool) {
					panic(refused{})
				}
			}, "when(%s)", c.text)
		},
		func() stmt {
			at, v := d.placeOf(x, false), d.value(x.of, 2)
			return line(func(f *frame) { f.set(at, x.of, v.of(f)) }, "%s = %s", at.text, v.text)
		},
		func() stmt { // both sides are evaluated before anything is assigned
			a, b := d.placeOf(x, true), d.placeOf(x, true)
			return line(func(f *frame) {
				one, two := a.of(f).(string), b.of(f).(string)
				f.Values[one], f.Values[two] = f.Values[two], f.Values[one]
			}, "%s, %s = %s, %s", a.text, b.text, b.text, a.text)
		},
		func() stmt {
			var from []any
			texts := ""
			for _, v := range x.of.values {
				if d.upTo(2, "option") > 0 {
					from, texts = append(from, v), texts+literal(v)+", "
				}
			}
			at := d.placeOf(x, true)
			return line(func(f *frame) {
				if len(from) == 0 {
					panic(refused{})
				}
				f.set(at, x.of, from[f.choose(len(from))])
			}, "%s = choose([%s])", at.text, texts)
		},
	}
	if !d.careful && x.of.numbers() { // instead of a local name, which may not be in the domain
		return append(options, func() stmt {
			at, v := d.placeOf(x, true), d.number(1)
			return line(func(f *frame) { f.set(at, x.of, f.Values[at.of(f).(string)].(int)+v.of(f).(int)) }, "%s += %s", at.text, v.text)
		})
	}
	return append(options, func() stmt {
		v := d.value(x.of, 1)
		d.locals++
		name := fmt.Sprint("v", d.locals)
		d.scope.params = append(slices.Clone(d.scope.params), local{name, x.of})
		return line(func(f *frame) {
			if f.names[name] = v.of(f); !slices.Contains(x.of.values, f.names[name]) {
				panic("a local name has a value of another domain")
			}
		}, "%s = %s", name, v.text)
	})
}

func (d *protocols) assignRecord() stmt {
	r := oneOf(d, "record", d.records)
	at, v := d.placeOf(r, true), d.recorded()
	return line(func(f *frame) {
		m, name := v.of(f).(Message), at.of(f).(string)
		f.Values[name+".f0"], f.Values[name+".f1"] = m[0], m[1]
	}, "%s = %s", at.text, v.text)
}

func (d *protocols) branch(depth int) stmt {
	c, yes, no := d.condition(1), d.block(depth-1), d.block(depth-1)
	lines := slices.Concat([]string{"if " + c.text + ":"}, indented(yes.lines), []string{"else:"}, indented(no.lines))
	return stmt{lines, func(f *frame) {
		if c.of(f).(bool) {
			yes.run(f)
		} else {
			no.run(f)
		}
	}}
}

func (d *protocols) loop(depth int) stmt {
	before, over := d.scope, oneOf(d, "set", d.sets)
	d.locals++
	name := fmt.Sprint("k", d.locals)
	d.scope.params = append(slices.Clone(before.params), local{name, domain{over.name, over.values}})
	body := d.block(depth - 1)
	d.scope = before
	return stmt{append([]string{fmt.Sprintf("for %s in %s:", name, over.name)}, indented(body.lines)...), func(f *frame) {
		for _, v := range over.values {
			f.names[name] = v
			body.run(f)
		}
	}}
}

func indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = "    " + l
	}
	return out
}
