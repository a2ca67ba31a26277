package star

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Rules that others go before: rule(..., priority = n) and rule(..., timeout = True), as the priorities of processes and
// timeout in Promela, but of rules. A rule is possible only where no rule that goes before it is. That is a part of its guard,
// so every engine, export and certificate means the same. It is enough to negate the guards without that part: if a
// rule that goes first is itself kept back, another one is possible that goes before both.

// precedes reports whether a rule goes before another one: every rule before those of a timeout, and otherwise that of
// higher priority.
func (d *declared) precedes(o *declared) bool {
	if d.timeout != o.timeout {
		return o.timeout
	}
	return d.priority > o.priority
}

// mostKeptBack bounds the operators by which guards grow.
const mostKeptBack = 1 << 20

// putFirst adds to the guard of each rule that no rule that goes before it is possible.
func (b *builder) putFirst() error {
	rules, operators := b.m.p.Rules, 0
	guards := make([]program.Expr, len(rules))
	for k := range rules {
		guards[k] = rules[k].Guard
	}
	earlier := map[struct {
		priority int
		timeout  bool
	}][]program.Expr{}
	for k := range rules {
		d := b.instances[k].d
		level := struct {
			priority int
			timeout  bool
		}{d.priority, d.timeout}
		first, known := earlier[level]
		if !known {
			for i := range guards {
				if b.instances[i].d.precedes(d) {
					first = append(first, guards[i])
				}
			}
			first = slices.Clip(first)
			earlier[level] = first
		}
		if len(first) == 0 {
			continue
		}
		for i := range first {
			operators += operatorsOf(&first[i])
		}
		if operators > mostKeptBack {
			return place(d.at.file, int(d.at.line), int(d.at.col),
				"the conditions of rules that go before others are repeated in the guards of these: more than %d operators; "+
					"give priority or timeout to fewer rules", mostKeptBack)
		}
		rules[k].Guard = program.And(rules[k].Guard, program.Not(program.Or(first...)))
	}
	return nil
}

// operatorsOf counts the operators and operands of an expression.
func operatorsOf(e *program.Expr) int {
	n := 1
	for i := range e.Args {
		n += operatorsOf(&e.Args[i])
	}
	return n
}
