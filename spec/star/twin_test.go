package star_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// The plain twin of machines in Starlark: files are drawn together with what their
// functions mean, as Go functions of a state that is a map. It shares nothing with the
// package: neither Starlark, nor forks, trees, places of FIFOs or moved values.

// twin is a state: variables by their names in the file, FIFOs as lists of messages.
type twin struct {
	values map[string]any // int or string
	q      []message
	args   int            // i
	locals map[string]any // of the rule
	trail  []int          // what choose returns, and what it could have
	most   []int
	next   int
}

type message struct {
	k string
	v int
}

// How a run of the twin can end other than by its end.
type (
	refused  struct{}
	violated struct{}
)

func (s *twin) choose(n int) int {
	if s.next == len(s.trail) {
		s.trail, s.most = append(s.trail, 0), append(s.most, n)
	}
	s.next++
	return s.trail[s.next-1]
}

// expr is an expression and its meaning.
type expr struct {
	text string
	of   func(s *twin) any
}

// stmt is a statement and its meaning.
type stmt struct {
	lines []string
	run   func(s *twin)
}

const places = 2 // of the FIFO

var domains = map[string][]any{
	"x": {0, 1, 2}, "y": {0, 1, 2, 3}, "e": {"a", "b", "c"}, "z": {0, 1, 2, 3, 4, 5, 6}, "a[0]": {0, 1, 2}, "a[1]": {0, 1, 2},
	"u[0]": {0, 1, 2}, "u[1]": {0, 1, 2},
	"r[0].k": {"a", "b"}, "r[0].v": {0, 1, 2}, "r[1].k": {"a", "b"}, "r[1].v": {0, 1, 2},
}

const declarations = `machine(name = "twin")
msg = record(k = ["a", "b"], v = range(3))
var("x", range(3))
var("y", range(4))
var("e", ["a", "b", "c"])
var("z", range(7))
var("a", range(3), over = range(2))
var("r", msg, over = range(2))
fifo("q", msg, size = 2)
var("u", lambda i: range(3) if i == 0 else [2, 1, 0], over = [0, 1], init = 0)
`

// drawer draws files.
type drawer struct {
	*rapid.T
	message bool // m is defined
	rule    bool // in a rule
}

func (d *drawer) pick(what string, options ...func() expr) expr {
	return options[rapid.IntRange(0, len(options)-1).Draw(d.T, what)]()
}

func variable(text string, name func(s *twin) string) expr {
	return expr{text, func(s *twin) any { return s.values[name(s)] }}
}

func named(name string) func(*twin) string { return func(*twin) string { return name } }

func indexed(format string) func(*twin) string {
	return func(s *twin) string { return fmt.Sprintf(format, s.args) }
}

// number draws an expression that is a small integer.
func (d *drawer) number(depth int) expr {
	options := []func() expr{
		func() expr {
			n := rapid.IntRange(0, 3).Draw(d.T, "constant")
			return expr{fmt.Sprint(n), func(*twin) any { return n }}
		},
		func() expr { return variable("s.x", named("x")) },
		func() expr { return variable("s.y", named("y")) },
		func() expr { return variable("s.a[i]", indexed("a[%d]")) },
		func() expr { return variable("s.r[i].v", indexed("r[%d].v")) },
		func() expr {
			return expr{"s.a[s.x]", func(s *twin) any {
				if s.values["x"].(int) > 1 {
					panic(violated{}) // no such key
				}
				return s.values[fmt.Sprintf("a[%d]", s.values["x"])]
			}}
		},
		func() expr { return d.counted() },
	}
	if d.message {
		options = append(options, func() expr { return expr{"m.v", func(s *twin) any { return s.locals["m"].(message).v }} })
	}
	if depth > 0 {
		options = append(options, func() expr {
			a, b := d.number(depth-1), d.number(depth-1)
			return expr{"(" + a.text + " + " + b.text + ")", func(s *twin) any { return a.of(s).(int) + b.of(s).(int) }}
		}, func() expr {
			a := d.number(depth - 1)
			return expr{"(1 + " + a.text + ") % 3", func(s *twin) any { return (1 + a.of(s).(int)) % 3 }}
		})
	}
	return d.pick("number", options...)
}

// counted draws a count, or the length of the FIFO.
func (d *drawer) counted() expr {
	return d.pick("counted", func() expr {
		return expr{"len(s.q)", func(s *twin) any { return len(s.q) }}
	}, func() expr {
		return expr{"count(range(2), lambda k: s.a[k] < s.y)", func(s *twin) any {
			return b2i(s.values["a[0]"].(int) < s.values["y"].(int)) + b2i(s.values["a[1]"].(int) < s.values["y"].(int))
		}}
	}, func() expr {
		return expr{`count([(0, "a"), (1, "b")], lambda k, name: s.r[k].k == name)`, func(s *twin) any {
			return b2i(s.values["r[0].k"] == "a") + b2i(s.values["r[1].k"] == "b")
		}}
	}, func() expr {
		return expr{`count(range(2), lambda k: len(s.q) > k and s.q[k].k == s.r[i].k)`, func(s *twin) any {
			n := 0
			for _, m := range s.q {
				n += b2i(m.k == s.values[fmt.Sprintf("r[%d].k", s.args)])
			}
			return n
		}}
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// name draws an expression that is "a", "b" or, with c, "c".
func (d *drawer) name(c bool) expr {
	options := []func() expr{
		func() expr { return expr{`"a"`, func(*twin) any { return "a" }} },
		func() expr { return expr{`"b"`, func(*twin) any { return "b" }} },
		func() expr { return variable("s.r[i].k", indexed("r[%d].k")) },
		func() expr { return variable("s.r[0].k", named("r[0].k")) },
	}
	if c {
		options = append(options, func() expr { return variable("s.e", named("e")) })
	}
	if d.message {
		options = append(options, func() expr { return expr{"m.k", func(s *twin) any { return s.locals["m"].(message).k }} })
	}
	return d.pick("name", options...)
}

// condition draws an expression that is True or False.
func (d *drawer) condition(depth int) expr {
	options := []func() expr{
		func() expr {
			a, b := d.number(1), d.number(1)
			op := rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">="}).Draw(d.T, "operator")
			return expr{a.text + " " + op + " " + b.text, func(s *twin) any {
				x, y := a.of(s).(int), b.of(s).(int)
				return map[string]bool{"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
			}}
		},
		func() expr {
			a := d.name(false)
			return expr{"s.e == " + a.text, func(s *twin) any { return s.values["e"] == a.of(s) }}
		},
		func() expr {
			return expr{`s.e in ("a", "c")`, func(s *twin) any { return s.values["e"] != "b" }}
		},
		func() expr { // sets of values that are no interval
			in := [][]int{{1, 3, 5}, {0, 2, 4, 6}, {0, 1, 4}, {2, 5, 6}, {1, 2, 4, 5}}[rapid.IntRange(0, 4).Draw(d.T, "set")]
			return expr{"s.z in " + strings.ReplaceAll(fmt.Sprint(in), " ", ", "), func(s *twin) any {
				return slices.Contains(in, s.values["z"].(int))
			}}
		},
		func() expr {
			return expr{"s.r[0] == s.r[1]", func(s *twin) any {
				return s.values["r[0].k"] == s.values["r[1].k"] && s.values["r[0].v"] == s.values["r[1].v"]
			}}
		},
		func() expr {
			op := rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">="}).Draw(d.T, "operator")
			a, n := d.counted(), rapid.IntRange(0, 3).Draw(d.T, "constant")
			b, of := fmt.Sprint(n), func(*twin) int { return n }
			if n == 3 {
				b, of = "s.x", func(s *twin) int { return s.values["x"].(int) }
			}
			x, y, mirror := a.text, b, rapid.Bool().Draw(d.T, "mirror")
			if mirror {
				x, y = y, x
			}
			return expr{x + " " + op + " " + y, func(s *twin) any {
				x, y := a.of(s).(int), of(s)
				if mirror {
					x, y = y, x
				}
				return map[string]bool{"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
			}}
		},
		func() expr { return expr{"s.q.full", func(s *twin) any { return len(s.q) == places }} },
		func() expr { return expr{"s.q.empty", func(s *twin) any { return len(s.q) == 0 }} },
		func() expr {
			return expr{`s.q.head != None and s.q.head.k == "b"`, func(s *twin) any { return len(s.q) > 0 && s.q[0].k == "b" }}
		},
		func() expr {
			return expr{`msg(k = "b", v = 1) in s.q`, func(s *twin) any { return slices.Contains(s.q, message{"b", 1}) }}
		},
		func() expr {
			return expr{`s.q.count(msg(k = "a"), msg(k = "b", v = 2)) == 1`, func(s *twin) any {
				n := 0
				for _, m := range s.q {
					if m == (message{"a", 0}) || m == (message{"b", 2}) {
						n++
					}
				}
				return n == 1
			}}
		},
		func() expr {
			return expr{`any([m.v == 2 for m in s.q])`, func(s *twin) any {
				return slices.ContainsFunc(s.q, func(m message) bool { return m.v == 2 })
			}}
		},
	}
	if depth > 0 {
		options = append(options, func() expr {
			a, b := d.condition(depth-1), d.condition(depth-1)
			return expr{"(" + a.text + " and " + b.text + ")", func(s *twin) any { return a.of(s).(bool) && b.of(s).(bool) }}
		}, func() expr {
			a := d.condition(depth - 1)
			return expr{"not (" + a.text + ")", func(s *twin) any { return !a.of(s).(bool) }}
		})
	}
	return d.pick("condition", options...)
}

// set assigns what a variable may hold; all else is a violation.
func (s *twin) set(name string, v any) {
	if !slices.Contains(domains[name], v) {
		panic(violated{})
	}
	s.values[name] = v
}

func line(text string, run func(s *twin)) stmt { return stmt{[]string{text}, run} }

func (d *drawer) statement(depth int) stmt {
	options := []func() stmt{
		func() stmt {
			c := d.condition(1)
			return line("when("+c.text+")", func(s *twin) {
				if !c.of(s).(bool) {
					panic(refused{})
				}
			})
		},
		func() stmt {
			v := d.number(2)
			return line("s.x = "+v.text, func(s *twin) { s.set("x", v.of(s)) })
		},
		func() stmt {
			v := d.number(0)
			return line("s.y += "+v.text, func(s *twin) { s.set("y", s.values["y"].(int)+v.of(s).(int)) })
		},
		func() stmt {
			v := d.number(1)
			return line("s.a[i] = "+v.text, func(s *twin) { s.set(fmt.Sprintf("a[%d]", s.args), v.of(s)) })
		},
		func() stmt {
			v := d.number(1)
			return line("s.z = (s.z + 3 + "+v.text+") % 7", func(s *twin) { s.set("z", (s.values["z"].(int)+3+v.of(s).(int))%7) })
		},
		func() stmt {
			v := d.name(true)
			return line("s.e = "+v.text, func(s *twin) { s.set("e", v.of(s)) })
		},
		func() stmt {
			return line("s.a[0], s.a[1] = s.a[1], s.a[0]", func(s *twin) {
				s.values["a[0]"], s.values["a[1]"] = s.values["a[1]"], s.values["a[0]"]
			})
		},
		func() stmt {
			return line("s.r[i] = s.r[1 - i]", func(s *twin) {
				for _, f := range []string{"k", "v"} {
					s.values[fmt.Sprintf("r[%d].%s", s.args, f)] = s.values[fmt.Sprintf("r[%d].%s", 1-s.args, f)]
				}
			})
		},
		func() stmt {
			return line(`s.e = choose(["a", "b", "c"] if s.x == 1 else ["c", "b"])`, func(s *twin) {
				from := []string{"c", "b"}
				if s.values["x"] == 1 {
					from = []string{"a", "b", "c"}
				}
				s.set("e", from[s.choose(len(from))])
			})
		},
		func() stmt { return line("s.q.clear()", func(s *twin) { s.q = nil }) },
		func() stmt {
			k, v := d.name(false), d.number(0)
			return line("s.q.push(k = "+k.text+", v = "+v.text+")", func(s *twin) {
				m := message{k.of(s).(string), 0}
				n := v.of(s).(int)
				if n > 2 || len(s.q) == places {
					panic(violated{})
				}
				m.v = n
				s.q = append(slices.Clone(s.q), m)
			})
		},
		func() stmt {
			return line("s.q.push(s.r[i])", func(s *twin) {
				if len(s.q) == places {
					panic(violated{})
				}
				s.q = append(slices.Clone(s.q), message{s.values[fmt.Sprintf("r[%d].k", s.args)].(string), s.values[fmt.Sprintf("r[%d].v", s.args)].(int)})
			})
		},
	}
	if d.message {
		options = append(options, func() stmt {
			return line("s.r[0] = m", func(s *twin) {
				m := s.locals["m"].(message)
				s.values["r[0].k"], s.values["r[0].v"] = m.k, m.v
			})
		})
	}
	if depth > 0 {
		options = append(options, func() stmt {
			c := d.condition(1)
			yes, no := d.block(depth-1), d.block(depth-1)
			out := stmt{lines: []string{"if " + c.text + ":"}}
			for _, l := range yes.lines {
				out.lines = append(out.lines, "    "+l)
			}
			out.lines = append(out.lines, "else:")
			for _, l := range no.lines {
				out.lines = append(out.lines, "    "+l)
			}
			out.run = func(s *twin) {
				if c.of(s).(bool) {
					yes.run(s)
				} else {
					no.run(s)
				}
			}
			return out
		})
	}
	return options[rapid.IntRange(0, len(options)-1).Draw(d.T, "statement")]()
}

func (d *drawer) block(depth int) stmt {
	var out stmt
	var all []stmt
	before := d.message
	if !d.message && rapid.IntRange(0, 2).Draw(d.T, "pop") == 0 {
		d.message = true
		i := rapid.IntRange(0, places-1).Draw(d.T, "place")
		all = append(all, line([]string{"m = s.q.pop()", "m = s.q.pop(1)"}[i], func(s *twin) {
			if len(s.q) <= i {
				panic(refused{})
			}
			s.locals["m"], s.q = s.q[i], slices.Delete(slices.Clone(s.q), i, i+1)
		}))
	}
	for range rapid.IntRange(1, 3).Draw(d.T, "statements") {
		all = append(all, d.statement(depth))
	}
	d.message = before
	for _, s := range all {
		out.lines = append(out.lines, s.lines...)
	}
	out.run = func(s *twin) {
		for _, x := range all {
			x.run(s)
		}
	}
	return out
}

// also draws a function that assigns u, which nothing else does, and the call of it in
// front of a rule's body: it looks at the state as it was before the step.
func (d *drawer) also(name string, body stmt) (function string, with stmt) {
	c, v := d.condition(1), d.number(1)
	function = fmt.Sprintf("def %s(s, i):\n    when(%s)\n    s.u[i] = %s\n", name, c.text, v.text)
	lines := append(slices.Clone(body.lines), "also("+name+", i)")
	return function, stmt{lines, func(s *twin) {
		before := s.clone()
		before.args = s.args
		body.run(s)
		if !c.of(before).(bool) {
			panic(refused{})
		}
		before.set(fmt.Sprintf("u[%d]", s.args), v.of(before))
		s.values[fmt.Sprintf("u[%d]", s.args)] = before.values[fmt.Sprintf("u[%d]", s.args)]
	}}
}

// steps lists the states that a rule leads to, in the order of choices; wrong is
// whether one of its steps is a violation.
func (s *twin) steps(i int, run func(*twin)) (after []*twin, wrong bool) {
	var trail, most []int
	for {
		t := s.clone()
		t.args, t.trail, t.most = i, trail, most
		switch ended(func() { run(t) }).(type) {
		case nil:
			after = append(after, t)
		case violated:
			wrong = true
		}
		trail, most = t.trail, t.most
		for len(trail) > 0 && trail[len(trail)-1]+1 == most[len(most)-1] {
			trail, most = trail[:len(trail)-1], most[:len(most)-1]
		}
		if len(trail) == 0 {
			return after, wrong
		}
		trail[len(trail)-1]++
	}
}

func ended(run func()) (how any) {
	defer func() {
		how = recover()
		switch how.(type) {
		case nil, refused, violated:
		default:
			panic(how)
		}
	}()
	run()
	return nil
}

func (s *twin) clone() *twin {
	t := &twin{values: map[string]any{}, q: s.q, locals: map[string]any{}}
	for k, v := range s.values {
		t.values[k] = v
	}
	return t
}

// numbers writes the state as the program's variables.
func (s *twin) numbers(p *program.Program) []int {
	out := make([]int, len(p.Variables))
	for x, v := range p.Variables {
		var value any
		var place int
		var field string
		if n, _ := fmt.Sscanf(strings.ReplaceAll(v.Name, ".", " "), "q %d %s", &place, &field); n == 2 {
			switch {
			case place >= len(s.q):
				continue
			case field == "k":
				value = s.q[place].k
			default:
				value = s.q[place].v
			}
		} else if value = s.values[v.Name]; value == nil {
			continue // the variable of a violation
		}
		if out[x] = slices.Index(v.Names, fmt.Sprint(value)); v.Names == nil {
			out[x] = value.(int)
		}
	}
	return out
}

// TestTwin: programs made from drawn files do what the functions mean: the same
// steps, refusals and violations in every state of random walks, and the same values
// of invariants.
func TestTwin(t *testing.T) {
	stepped, wronged, chosen := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		d := &drawer{T: rt, rule: true}
		var bodies []stmt
		text := declarations
		for r := range rapid.IntRange(1, 3).Draw(rt, "rules") {
			body := d.block(2)
			if rapid.Bool().Draw(rt, "also") {
				var function string
				function, body = d.also(fmt.Sprint("g", r), body)
				text += function
			}
			bodies = append(bodies, body)
			text += fmt.Sprintf("def f%d(s, i):\n    %s\nrule(\"f%d\", f%d, over = range(2))\n", r, strings.Join(body.lines, "\n    "), r, r)
		}
		holds := d.condition(2)
		text += "invariant(\"holds\", lambda s, i: " + holds.text + ", over = range(2))\n"
		f, err := star.Load(context.Background(), "twin.star", []byte(text), star.Options{})
		if err != nil {
			if regexp.MustCompile(`(invalid value|has no \[|is full).*\(in rule`).MatchString(err.Error()) {
				return // a step that is wrong whatever the state is an error of the file
			}
			rt.Fatalf("%v\n%s", err, text)
		}
		s := &twin{values: map[string]any{}}
		for name, values := range domains {
			s.values[name] = values[0]
		}
		for range 12 {
			before := s.numbers(f.Program)
			want := true
			for i := range 2 {
				t := s.clone()
				t.args = i
				if how := ended(func() { want = want && holds.of(t).(bool) }); how != nil {
					want = false
				}
			}
			if got := f.Program.Invariants[0].Holds.Holds(before); got != want {
				rt.Fatalf("the invariant is %v in %v, want %v\n%s", got, before, want, text)
			}
			from, possible := star.SourceOf(f.Program), map[string]bool{}
			if got := len(from.Broken("holds", before)) == 0; got != want {
				rt.Fatalf("the invariant is told to be %v in %v\n%s", got, before, text)
			}
			for _, x := range f.Program.Rules {
				possible[x.Name] = possible[x.Name] || x.Guard.Holds(before)
			}
			for k, x := range f.Program.Rules {
				why := from.Refusal(k, before)
				if x.Guard.Holds(before) && why != "" || !possible[x.Name] && why == "" {
					rt.Fatalf("%s in %v: %q, possible: %v\n%s", x.Name, before, why, possible[x.Name], text)
				}
				from.Step(k, before)
			}
			var next []*twin
			for r, body := range bodies {
				for i := range 2 {
					after, wrong := s.steps(i, body.run)
					only := *f.Program
					only.Rules = slices.DeleteFunc(slices.Clone(only.Rules), func(x program.Rule) bool { return x.Name != fmt.Sprintf("f%d %d", r, i) })
					steps, err := only.Steps(before)
					if (err != nil) != wrong {
						rt.Fatalf("f%d %d in %v: error %v, want one: %v\n%s", r, i, before, err, wrong, text)
					}
					if wrong {
						wronged++
						continue
					}
					var got, want [][]int
					for _, x := range steps {
						got = append(got, x.After)
					}
					for _, x := range after {
						want = append(want, x.numbers(f.Program))
					}
					slices.SortFunc(got, slices.Compare)
					slices.SortFunc(want, slices.Compare)
					if diff := cmp.Diff(want, got); diff != "" {
						rt.Fatalf("f%d %d in %v (-twin +program):\n%s\n%s", r, i, before, diff, text)
					}
					if len(after) > 1 {
						chosen++
					}
					next = append(next, after...)
				}
			}
			if len(next) == 0 {
				return
			}
			stepped++
			s = next[rapid.IntRange(0, len(next)-1).Draw(rt, "step")]
		}
	})
	if !testing.Short() && (stepped == 0 || wronged == 0 || chosen == 0) { // a short draw may miss one
		t.Errorf("%d steps, %d violations, %d choices: want some of each", stepped, wronged, chosen)
	}
}
