package machines

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// ground is the protocol at one size: the formulas evaluated on numbers, beside the program that the file makes.
type ground struct {
	m       *Machine
	n       int
	program *program.Program
	first   map[*variable]int // where its values begin in a state
	cells   []cell
	states  []state // that are reachable

	evaluated int // operators
}

// cell is a variable at its keys.
type cell struct {
	v     *variable
	keys  []int
	in    int         // the number of the variable of the program
	codes []int       // what each of its values means
	value map[int]int // and the reverse
}

// state has a value for each cell: 0 or 1, the code of a text, or a number.
type state []int

func (m *Machine) load(ctx context.Context, n int) (*program.Program, error) {
	set := map[string]string{m.Size: strconv.Itoa(n)}
	for name, v := range m.set {
		set[name] = v
	}
	file, err := star.Load(ctx, m.file, m.text, star.Options{Set: set})
	if err != nil {
		return nil, err
	}
	return file.Program, nil
}

// ground lays out the states of a size.
func (m *Machine) ground(n int, p *program.Program) (*ground, error) {
	g := &ground{m: m, n: n, program: p, first: map[*variable]int{}}
	numbers := map[string]int{}
	for i, v := range p.Variables {
		numbers[v.Name] = i
	}
	env := map[string]int{m.Size: n}
	for _, v := range m.variables {
		g.first[v] = len(g.cells)
		var grow func(keys []int) error
		grow = func(keys []int) error {
			if i := len(keys); i < len(v.keys) {
				for k := g.value(v.keys[i].lo, env, nil); k < g.value(v.keys[i].hi, env, nil); k++ {
					if err := grow(append(slices.Clone(keys), k)); err != nil {
						return err
					}
				}
				return nil
			}
			name := v.name
			if len(keys) > 0 {
				base, place, isFIFO := strings.Cut(v.name, ".")
				name = base + "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(keys), " ", ","), "[]") + "]"
				if isFIFO {
					name += "." + place
				}
			}
			i, known := numbers[name]
			if !known {
				return fmt.Errorf("the formulas have a variable %s that the file does not have", name)
			}
			c := cell{v: v, keys: keys, in: i, value: map[int]int{}}
			for x := range p.Variables[i].Values {
				code, err := g.code(v, p.Variables[i], x)
				if err != nil {
					return err
				}
				c.codes, c.value[code] = append(c.codes, code), x
				if v.domain.kind != truths && g.value(v.domain.contains(symbolic.Number(code)), env, nil) == 0 {
					return fmt.Errorf("%s has the value %s in the file, and not in the formulas", name, g.word(v, code))
				}
			}
			g.cells = append(g.cells, c)
			return nil
		}
		if err := grow(nil); err != nil {
			return nil, err
		}
	}
	ours := map[int]bool{}
	for _, c := range g.cells {
		ours[c.in] = true
	}
	for i, v := range p.Variables { // those of one value say that a step was wrong
		if !ours[i] && v.Values > 1 {
			return nil, fmt.Errorf("the file has a variable %s that the formulas do not have", v.Name)
		}
	}
	return g, nil
}

// code says what a value of a variable of the program means.
func (g *ground) code(v *variable, in program.Variable, x int) (int, error) {
	if v.domain.kind == truths {
		return x, nil
	}
	name := strconv.Itoa(x)
	if in.Names != nil {
		name = in.Names[x]
	}
	switch {
	case name == "None" && v.domain.optional:
		return codeNone, nil
	case name == "-" && v.domain.absent && x == 0:
		return codeAbsent, nil
	case v.domain.kind == texts:
		if i := slices.Index(g.m.texts, name); i >= 0 {
			return i, nil
		}
	default:
		if n, err := strconv.Atoi(name); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s has the value %q in the file, and not in the formulas", in.Name, name)
}

func (g *ground) word(v *variable, code int) string {
	switch {
	case code == codeNone:
		return none.Name
	case code == codeAbsent:
		return absent.Name
	case v.domain.kind == texts && code < len(g.m.texts):
		return g.m.texts[code]
	}
	return strconv.Itoa(code)
}

// ours translates a state of the program.
func (g *ground) ours(values []int) state {
	s := make(state, len(g.cells))
	for i, c := range g.cells {
		s[i] = c.codes[values[c.in]]
	}
	return s
}

// cellOf returns the number of a cell, -1 if there is none for these keys.
func (g *ground) cellOf(v *variable, keys []int) int {
	env := map[string]int{g.m.Size: g.n}
	i := 0
	for j, k := range keys {
		lo, hi := g.value(v.keys[j].lo, env, nil), g.value(v.keys[j].hi, env, nil)
		if k < lo || k >= hi {
			return -1
		}
		i = i*(hi-lo) + k - lo
	}
	return g.first[v] + i
}

// value evaluates a term; a truth value is 0 or 1. What a key that does not exist has is 0: an obligation is broken.
func (g *ground) value(t *symbolic.Term, env map[string]int, s state) int {
	v := symbolic.Values{Names: env, Read: func(of symbolic.Function, keys []int) int {
		if i := g.cellOf(of.(*variable), keys); i >= 0 {
			return s[i]
		}
		return 0
	}}
	x := v.Of(t)
	g.evaluated += v.Evaluated
	return x
}

// each calls f for all values of names; f may stop it.
func (g *ground) each(names []binder, env map[string]int, f func() bool) bool {
	if len(names) == 0 {
		return f()
	}
	b := names[0]
	lo, hi := g.value(b.of.lo, env, nil), g.value(b.of.hi, env, nil)
	defer delete(env, b.name)
	for x := lo; x < hi; x++ {
		env[b.name] = x
		if !g.each(names[1:], env, f) {
			return false
		}
	}
	return true
}

// step returns the states that follow by the formulas, as text, and what is wrong with the first step that is.
func (g *ground) step(s state) (next map[string]bool, wrong string) {
	next = map[string]bool{}
	env := map[string]int{g.m.Size: g.n}
	for _, r := range g.m.rules {
		for _, p := range r.paths {
			for _, o := range p.owed {
				if wrong == "" && !g.each(o.params, env, func() bool { return g.value(o.must, env, s) != 0 }) {
					wrong = fmt.Sprintf("%s: %s", o.at, o.says)
				}
			}
			g.each(p.params, env, func() bool {
				if slices.ContainsFunc(p.conds, func(c *symbolic.Term) bool { return g.value(c, env, s) == 0 }) {
					return true
				}
				next[fmt.Sprint(g.after(&p, env, s))] = true
				return true
			})
		}
	}
	return next, wrong
}

func (g *ground) after(p *path, env map[string]int, s state) state {
	after := slices.Clone(s)
	for i, c := range g.cells {
		if len(p.updates[c.v]) == 0 {
			continue
		}
		keys := make([]*symbolic.Term, len(c.keys))
		for j, k := range c.keys {
			keys[j] = symbolic.Number(k)
		}
		after[i] = g.value(updated(p.updates[c.v], c.v, keys), env, s)
	}
	return after
}

// holds evaluates a property.
func (g *ground) holds(p *property, s state) bool {
	env := map[string]int{g.m.Size: g.n}
	return g.each(p.params, env, func() bool { return g.value(p.holds, env, s) != 0 })
}

// reach visits the states that are reachable, at most so many; it reports whether these are all.
func (g *ground) reach(ctx context.Context, most int) (whole bool, err error) {
	known := map[string]bool{}
	var queue [][]int
	add := func(values []int) {
		if key := fmt.Sprint(values); !known[key] && len(queue) < most {
			known[key] = true
			queue = append(queue, slices.Clone(values))
		}
	}
	for _, values := range g.program.Initials() {
		add(values)
	}
	for i := 0; i < len(queue); i++ {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		g.states = append(g.states, g.ours(queue[i]))
		if err := g.program.Each(queue[i], func(_ int, after []int) { add(after) }); err != nil {
			return false, err
		}
	}
	return len(queue) < most, nil
}

// some returns those of the reachable states that are compared.
func (g *ground) some() (some []state) {
	const most = 1500
	for i := 0; i < len(g.states); i += 1 + len(g.states)/most {
		some = append(some, g.states[i])
	}
	return some
}

// agrees compares the formulas with the program: initial states, steps and properties, in reachable states and in
// drawn ones.
func (g *ground) agrees(ctx context.Context) (compared int, err error) {
	if err := g.agreesAtFirst(); err != nil {
		return 0, err
	}
	for _, s := range g.some() {
		if ctx.Err() != nil {
			return compared, ctx.Err()
		}
		compared++
		if _, err := g.agreesIn(s); err != nil {
			return compared, err
		}
	}
	const drawn = 500
	random := rand.New(rand.NewPCG(uint64(g.n), 1))
	for range drawn {
		if ctx.Err() != nil {
			return compared, ctx.Err()
		}
		compared++
		if _, err := g.agreesIn(g.draw(random)); err != nil {
			return compared, err
		}
	}
	return compared, nil
}

// draw returns a state, reachable or not, whose FIFOs have no message behind a place without one.
func (g *ground) draw(random *rand.Rand) state {
	s := make(state, len(g.cells))
	for i, c := range g.cells {
		s[i] = c.codes[random.IntN(len(c.codes))]
	}
	g.fill(s)
	return s
}

// fill leaves no message of a FIFO behind a place without one.
func (g *ground) fill(s state) {
	for i, c := range g.cells {
		if base, place, isFIFO := strings.Cut(c.v.name, "."); isFIFO && place != "0" {
			at, _ := strconv.Atoi(place)
			before := slices.IndexFunc(g.m.variables, func(v *variable) bool { return v.name == base+"."+strconv.Itoa(at-1) })
			if s[g.cellOf(g.m.variables[before], c.keys)] == codeAbsent {
				s[i] = codeAbsent
			}
		}
	}
}

func (g *ground) agreesAtFirst() error {
	env := map[string]int{g.m.Size: g.n}
	want := 1
	for _, c := range g.cells {
		if c.v.initial == nil {
			want *= len(c.codes)
		}
	}
	met := map[string]bool{}
	for _, values := range g.program.Initials() {
		s := g.ours(values)
		met[fmt.Sprint(s)] = true
		for i, c := range g.cells {
			for j, name := range c.v.names {
				env[name] = c.keys[j]
			}
			if c.v.initial != nil && g.value(c.v.initial, env, nil) != s[i] {
				return fmt.Errorf("the formulas and the file differ in the initial value of %s", c.v.name)
			}
		}
	}
	if len(met) != want {
		return fmt.Errorf("the file has %d initial states, and the formulas %d", len(met), want)
	}
	return nil
}

// agreesIn compares steps and properties in a state. Where a step is wrong, other steps are not compared.
func (g *ground) agreesIn(s state) (compared bool, err error) {
	values := make([]int, len(g.program.Variables))
	for i, c := range g.cells {
		values[c.in] = c.value[s[i]]
	}
	theirs := map[string]bool{}
	wrong := g.program.Each(values, func(_ int, after []int) { theirs[fmt.Sprint(g.ours(after))] = true })
	ours, why := g.step(s)
	switch {
	case wrong != nil && why == "":
		return false, fmt.Errorf("the formulas do not have a wrong step of the file: %w", wrong)
	case wrong == nil && why == "":
		for next := range ours {
			if !theirs[next] {
				return false, fmt.Errorf("the formulas have a step that the file does not have, from %s", g.text(s))
			}
		}
		if len(theirs) > len(ours) {
			return false, fmt.Errorf("the file has a step that the formulas do not have, from %s", g.text(s))
		}
	}
	for _, invariant := range g.program.Invariants {
		if invariant.Cover != "" {
			continue
		}
		holds, found := true, false
		for i := range g.m.properties {
			if p := &g.m.properties[i]; p.name == invariant.Name || "never: "+p.name == invariant.Name {
				holds, found = holds && g.holds(p, s), true
			}
		}
		if !found || holds != invariant.Holds.Holds(values) {
			return false, fmt.Errorf("the formulas and the file differ in %s, in %s", invariant.Name, g.text(s))
		}
	}
	return wrong == nil && why == "", nil
}

func (g *ground) text(s state) string {
	const most = 40
	var parts []string
	for i, c := range g.cells {
		if i == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, g.program.Variables[c.in].Name+"="+g.word(c.v, s[i]))
	}
	return strings.Join(parts, " ")
}
