package murphi

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// translator makes a program of a model.
type translator struct {
	ctx   context.Context
	file  string
	base  string // of its name
	c     *checker
	m     *model
	p     *program.Program
	class []int // of each leaf: elements of one array agree

	// What an earlier translation has found, see build.
	optional []bool         // by leaf: it can be undefined
	byRule   []map[int]bool // leaves that a rule writes, by instance

	wanted  map[int]bool // classes that must be optional
	changed bool         // the rules write more, or are more
	started bool         // the startstates are translated, which does not depend on an earlier translation

	faults        map[string]program.Var
	properties    map[position]int      // their numbers
	temporaries   map[any][]program.Var // by type or number of values
	temporaryType map[program.Var]*typ
	ticks, nodes  int
	startTicks    int

	// Of the rule that is being translated:
	at       position // of the expression or statement
	block    []program.Stmt
	frame    *frame
	locals   []val
	globals  []val // in a startstate: what the variables hold
	blank    []val // what they hold before one
	left     []val // the memory of globals between startstates
	pure     bool  // a condition is translated, which changes nothing
	written  map[int]bool
	writes   map[int]bool
	busy     map[program.Var]bool // temporary variables
	used     map[program.Var]bool
	fixed    map[program.Var]bool // those that keep their value until they are given back
	homes    map[int]program.Var  // by local leaf
	instance int
	ranges   map[*typ][]val // of quantifiers over a type
	starts   []int32        // what startstates leave in the variables, each counted from its least value, or unset
	dropped  bool           // assume fails in the startstate

	assumptions []assumption
	covers      []covered
}

func (t *translator) fail(at position, form string, args ...any) {
	panic(wrong(t.file, at, form, args...))
}

// build translates until two translations agree on what can be undefined and what rules write. Both only grow.
func build(ctx context.Context, file, name string, c *checker, m *model) *program.Program {
	t := &translator{ctx: ctx, file: file, base: filepath.Base(file), c: c, m: m,
		optional: make([]bool, c.leaves), class: make([]int, c.leaves), writes: map[int]bool{}, busy: map[program.Var]bool{},
		used: map[program.Var]bool{}, fixed: map[program.Var]bool{}, homes: map[int]program.Var{}, ranges: map[*typ][]val{}}
	classes := map[string]int{}
	for _, g := range c.globals {
		t.classify(g.t, g.base, g.name, classes)
	}
	for {
		t.p = program.New(name)
		t.translate()
		t.changed = t.changed || t.anyWanted()
		for leaf, k := range t.class {
			t.optional[leaf] = t.optional[leaf] || t.wanted[k]
		}
		if !t.changed {
			t.renamings()
			if err := t.p.Check(); err != nil {
				t.fail(position{1, 1}, "%v", err)
			}
			return t.p
		}
	}
}

// classify numbers leaves by where they are, but for indices.
func (t *translator) classify(y *typ, base int, path string, classes map[string]int) {
	switch y.kind {
	case recordKind:
		for _, f := range y.fields {
			t.classify(f.t, base+f.offset, path+"."+f.name, classes)
		}
	case arrayKind:
		for i := range y.index.values() {
			t.classify(y.elem, base+i*y.elem.leaves, path+"[]", classes)
		}
	case multisetKind:
		t.classify(y.size, base, path+".size", classes)
		for i := range y.index.values() {
			t.classify(y.elem, base+1+i*y.elem.leaves, path+"[]", classes)
		}
	default:
		if _, known := classes[path]; !known {
			classes[path] = len(classes)
		}
		t.class[base] = classes[path]
	}
}

func (t *translator) translate() {
	t.wanted, t.changed, t.faults, t.instance = map[int]bool{}, false, map[string]program.Var{}, 0
	t.properties, t.assumptions, t.covers = map[position]int{}, nil, nil
	t.temporaries, t.temporaryType, t.ticks, t.nodes = map[any][]program.Var{}, map[program.Var]*typ{}, 0, 0
	for _, g := range t.c.globals {
		g.t.each(g.base, g.name, func(leaf int, y *typ, name string) {
			x := program.Variable{Name: name, Values: y.values()}
			names := y.names
			if names == nil && (y.low != 0 || t.optional[leaf]) {
				for v := y.low; v <= y.high; v++ {
					names = append(names, y.of(v))
				}
			}
			if t.optional[leaf] {
				x.Values++
				names = append([]string{"undefined"}, names...)
			}
			x.Names = names
			t.p.Variables = append(t.p.Variables, x)
		})
	}
	t.fresh()
	t.rules(t.m.rules, nil)
	t.started = true
	switch {
	case t.c.leaves == 0:
		t.fail(position{1, 1}, "a protocol without variables")
	case len(t.starts) == 0:
		t.fail(position{1, 1}, "a protocol without a startstate")
	case len(t.p.Rules) == 0:
		t.fail(position{1, 1}, "a protocol without rules")
	}
	t.assumed()
	t.coverProperties()
	first := true
	n := len(t.p.Variables)
	all := make([]int, n*(len(t.starts)/t.c.leaves)) // 0 for temporary variables and faults
	for start := range slices.Chunk(t.starts, t.c.leaves) {
		values := all[:n:n]
		all = all[n:]
		for x, v := range start {
			values[x] = t.initial(x, v)
		}
		if !t.permitted(values) {
			continue
		}
		if !first {
			t.p.Starts = append(t.p.Starts, values)
			continue
		}
		first = false
		for x, value := range values {
			t.p.Variables[x].Initial = value
		}
	}
	// In the last translation: what can be undefined is known then.
	if unfinished := t.changed || t.anyWanted(); first && !unfinished {
		t.fail(t.assumptions[0].at, "this assumption, with the others, fails in every startstate")
	}
	if len(t.byRule) != t.instance {
		t.fail(position{1, 1}, "the rules change from one translation to the next")
	}
}

// anyWanted reports whether another leaf turns out to be possibly undefined.
func (t *translator) anyWanted() bool {
	for leaf, k := range t.class {
		if t.wanted[k] && !t.optional[leaf] {
			return true
		}
	}
	return false
}

// unset stands for undefined in what a startstate leaves behind.
const unset = -1

// initial is the value of a variable that a startstate leaves behind.
func (t *translator) initial(x int, v int32) int {
	switch {
	case v == unset:
		t.wanted[t.class[x]] = true
		return 0
	case t.optional[x]:
		return int(v) + 1
	}
	return int(v)
}

// fresh begins a rule.
func (t *translator) fresh() {
	t.block, t.locals, t.globals, t.pure, t.written = nil, t.locals[:0], nil, false, nil
	clear(t.writes)
	clear(t.busy)
	clear(t.used)
	clear(t.fixed)
	clear(t.homes)
	if t.frame == nil {
		t.frame = &frame{bound: map[*symbol]bound{}}
	}
	clear(t.frame.bound)
}

// scope is what the rulesets and aliases around a rule say: its frame is made anew for each rule.
type scope struct {
	name    string // of what has the value
	symbol  *symbol
	value   val
	aliases []*binding
	element *expr // the value is an index of this multiset, which must have such an element
}

// keysOf says which values the rulesets around a rule have.
func keysOf(in []scope) string {
	var b strings.Builder
	for _, s := range in {
		if s.symbol == nil {
			continue
		}
		value, _ := s.value.known()
		if s.element != nil {
			fmt.Fprintf(&b, ", %s: %d", s.name, value)
		} else {
			fmt.Fprintf(&b, ", %s: %s", s.name, s.value.t.of(value))
		}
	}
	return b.String()
}

const (
	mostInstances   = 1 << 16 // of rules
	mostStartstates = 1 << 20
	mostStarts      = 1 << 24 // values of variables in startstates
)

// rules translates rules, for all values of the rulesets around them. The scopes are a stack, which nothing keeps.
func (t *translator) rules(list []*rule, in []scope) {
	for _, r := range list {
		switch r.op {
		case "ruleset":
			t.ruleset(r, r.over, in)
		case "choose":
			q := r.over[0]
			for k := range q.symbol.t.values() {
				v := constantOf(q.symbol.t, k)
				t.rules(r.in, append(in, scope{name: q.name, symbol: q.symbol, value: v, element: q.multiset}))
			}
		case "alias":
			t.rules(r.in, append(in, scope{aliases: r.aliases}))
		case "rule":
			t.rule(r, in)
		case "startstate":
			t.start(r, in)
		default:
			t.property(r, in)
		}
	}
}

func (t *translator) ruleset(r *rule, over []*quantifier, in []scope) {
	if len(over) == 0 {
		t.rules(r.in, in)
		return
	}
	t.fresh()
	t.enter(in)
	t.pure = true
	for _, v := range t.range_(over[0]) {
		t.ruleset(r, over[1:], append(in, scope{name: over[0].name, symbol: over[0].symbol, value: v}))
	}
}

// enter binds what is around a rule, and returns whether the multisets around it have the elements chosen.
func (t *translator) enter(in []scope) program.Expr {
	has := program.And()
	for _, s := range in {
		if s.symbol != nil {
			t.frame.bound[s.symbol] = bound{value: s.value}
			if s.element != nil {
				n := t.sizeOf(t.lvalue(s.element))
				has = and(has, less(program.Const(s.value.e.Value), n.e))
			}
		} else {
			pure := t.pure
			t.pure = t.globals == nil && t.pure
			t.bind(s.aliases)
			t.pure = pure
		}
	}
	return has
}

func (t *translator) titled(r *rule) string {
	if r.name != "" {
		return r.name
	}
	return fmt.Sprintf("%s at line %d", r.op, r.at.line)
}

func (t *translator) rule(r *rule, in []scope) {
	k := t.instance
	if t.instance++; t.instance > mostInstances {
		t.fail(r.at, "more than %d rules, counted for all values of their rulesets", mostInstances)
	}
	if k == len(t.byRule) {
		t.byRule, t.changed = append(t.byRule, nil), true
	}
	t.fresh()
	t.pure = true
	chosen := t.enter(in)
	guard := chosen
	if r.guard != nil {
		t.provided(chosen, func() { guard = and(chosen, t.eval(r.guard).e) })
	}
	guard = or(faultsOf(t.block), guard)
	effect := t.block
	t.fresh()
	t.written = t.byRule[k]
	t.enter(in)
	t.body(&r.block)
	effect = append(effect, t.block...)
	guard, effect = t.resolved(r, guard, effect)
	for _, x := range slices.Sorted(maps.Keys(t.used)) {
		effect = append(effect, program.Set(x, 0))
	}
	if !maps.Equal(t.writes, t.byRule[k]) || t.byRule[k] == nil {
		if t.byRule[k] == nil {
			t.byRule[k] = map[int]bool{}
		}
		n := len(t.byRule[k])
		maps.Copy(t.byRule[k], t.writes)
		t.changed = t.changed || t.written == nil || len(t.byRule[k]) > n
	}
	if never(guard) && len(t.p.Rules) > 0 && k > 0 {
		return
	}
	t.p.Rules = append(t.p.Rules, program.Rule{Name: t.titled(r) + keysOf(in), Guard: guard, Effect: effect,
		Where: spec.PlaceReason(t.file, r.at.line, r.at.col)})
}

func (t *translator) start(r *rule, in []scope) {
	if t.started {
		return
	}
	if n := len(t.starts); n >= mostStartstates*t.c.leaves || n > mostStarts {
		t.fail(r.at, "more than %d startstates, counted for all values of their rulesets", n/max(1, t.c.leaves))
	}
	t.fresh()
	if t.blank == nil {
		for _, g := range t.c.globals {
			g.t.blank(func(_ int, v val) { t.blank = append(t.blank, v) })
		}
	}
	t.globals = append(t.left[:0], t.blank...)
	t.dropped = false
	if has := t.enter(in); !always(has) {
		t.fail(r.at, "a startstate within choose is not read")
	}
	t.body(&r.block)
	if !t.dropped {
		for _, v := range t.globals {
			left := int32(unset)
			if value, defined := v.known(); defined {
				left = int32(value - v.t.low)
			}
			t.starts = append(t.starts, left)
		}
	}
	t.left, t.globals = t.globals, nil
}

// property adds an instance of a property. All instances are one property, but for liveness, which each is.
func (t *translator) property(r *rule, in []scope) {
	t.fresh()
	t.pure = true
	chosen := t.enter(in)
	holds := program.And()
	t.provided(chosen, func() { holds = t.eval(r.guard).e })
	fault := faultsOf(t.block)
	if r.op == "assume" {
		if !never(fault) {
			t.fail(r.at, "this assumption reads what can be undefined or out of range: it is not read")
		}
		t.assumptions = append(t.assumptions, assumption{r.at, or(not(chosen), holds)})
		return
	}
	if r.op == "cover" {
		holds = and(chosen, holds)
	} else {
		holds = or(not(chosen), holds)
	}
	name := t.titled(r)
	if r.op == "liveness" { // AG EF in Rumur's meaning; a condition that cannot be evaluated is not reached
		if name += keysOf(in); t.taken(name) {
			name += fmt.Sprintf(" (line %d)", r.at.line)
		}
		t.p.Formulas = append(t.p.Formulas, program.Formula{
			Name: name, Holds: or(not(chosen), and(not(fault), holds)), Possible: true,
		})
		return
	}
	if k, known := t.properties[r.at]; known { // a further instance
		v := &t.p.Invariants[k]
		if r.op == "cover" { // one of them is to be reached
			holds = not(holds)
		}
		v.Holds = and(v.Holds, or(and(truth(r.op == "cover"), fault), and(not(fault), holds)))
		return
	}
	if t.taken(name) {
		name += fmt.Sprintf(" (line %d)", r.at.line)
	}
	t.properties[r.at] = len(t.p.Invariants)
	v := program.Invariant{Name: name, Holds: and(not(fault), holds)}
	if r.op == "cover" {
		v = program.Invariant{Name: name + ": never reached", Cover: name, Holds: or(fault, not(holds))}
	}
	t.p.Invariants = append(t.p.Invariants, v)
}

// taken reports whether a property has a name.
func (t *translator) taken(name string) bool {
	return name == spec.DeadlockFreedom.String() || name == states.InRange ||
		slices.ContainsFunc(t.p.Invariants, func(v program.Invariant) bool { return v.Name == name || v.Cover == name }) ||
		slices.ContainsFunc(t.p.Formulas, func(f program.Formula) bool { return f.Name == name })
}

// faultVar returns the variable of a fault.
func (t *translator) faultVar(text string) program.Var {
	x, known := t.faults[text]
	if !known {
		x = t.p.Var(text, 1)
		t.faults[text] = x
	}
	return x
}
