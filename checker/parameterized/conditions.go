package parameterized

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs/smt"
)

// conditions are what makes the proof: negated, so that unsat proves them for every size.
type conditions struct {
	f         *Family
	kinds     []kind
	invariant [][]*symbolic.Term // by kind
	rank      [][]*symbolic.Term // by kind; nil while the invariant is fitted
	escape    []bool             // by kind: those that a packet can always fall back to; nil: the rank is of all channels
	goesOn    []bool             // by kind: those in which packets of small networks go on, from one channel to another
}

// question is a check of a file in SMT-LIB 2.
type question struct {
	says   string
	assert []string
	want   smt.Answer
	values []string       // names whose values are wanted, if it is sat
	of     *symbolic.Term // while the invariant is fitted: the comparison that a hop may break
	kinds  [3]int         // while the rank is fitted: of the channels held and asked for; 1: that one may rank alike
	// Where these channels begin.
	held, asked func(int) string
}

func (f *Family) conditions(invariant, rank [][]*symbolic.Term) *conditions {
	return &conditions{f: f, kinds: f.kinds(), invariant: invariant, rank: rank}
}

func (f *Family) arguments(names ...func(int) string) (declared, given string) {
	var d, g []string
	for _, name := range names {
		for i := range f.low {
			d, g = append(d, "("+name(i)+" Int)"), append(g, name(i))
		}
	}
	return strings.Join(d, " "), strings.Join(g, " ")
}

// nameOf names a kind of channels: its port and VC, in one line.
func (f *Family) nameOf(k kind) string {
	port := f.links[k.link].out
	if port == "" {
		port = "of the only link"
	}
	return fmt.Sprintf("%s vc%d", port, k.vc)
}

// preamble declares the sizes and coordinates, and defines the network, the invariant and the rank.
func (c *conditions) preamble() string {
	f := c.f
	var b strings.Builder
	b.WriteString("(set-logic ALL)\n")
	for _, s := range f.Sizes {
		fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (<= %d %s))\n", s.Name, s.Least, s.Name)
	}
	for _, name := range []func(int) string{here, next, after, there} {
		for i := range f.low {
			fmt.Fprintf(&b, "(declare-const %s Int)\n", name(i))
		}
	}
	for _, name := range c.free() {
		fmt.Fprintf(&b, "(declare-const %s Int)\n", name)
	}
	x, _ := f.arguments(here)
	_, xs := f.arguments(here)
	xd, _ := f.arguments(here, there)
	yd, _ := f.arguments(next, there)
	var inside []*symbolic.Term
	for i := range f.low {
		v := variable{here(i), f.low[i], f.high[i]}
		inside = append(inside, v.bounds())
	}
	fmt.Fprintf(&b, "\n; the nodes\n(define-fun node (%s) Bool %s)\n", x, symbolic.And(inside...))
	for l, link := range f.links {
		fmt.Fprintf(&b, "; the links of port %q: whether one leaves a node, and where it leads\n", link.out)
		fmt.Fprintf(&b, "(define-fun link.%d (%s) Bool %s)\n", l, x, link.guard)
		for i, t := range link.head {
			fmt.Fprintf(&b, "(define-fun to.%d.%d (%s) Int %s)\n", l, i+1, x, t)
		}
	}
	for i, k := range c.kinds {
		fmt.Fprintf(&b, "; the channels %s: which destinations its packets can have\n", f.nameOf(k))
		_, ds := f.arguments(there)
		fmt.Fprintf(&b, "(define-fun holds.%d (%s) Bool (and (node %s) (node %s) (link.%d %s) %s))\n",
			i, xd, xs, ds, k.link, xs, symbolic.And(c.invariant[i]...))
		if c.rank != nil && (c.escape == nil || c.escape[i]) {
			for j, t := range c.rank[i] {
				fmt.Fprintf(&b, "(define-fun rank.%d.%d (%s) Int %s)\n", i, j+1, x, t)
			}
		}
	}
	b.WriteString("; what route offers a packet, by the channel that it holds and the one that it asks for\n")
	for i := range f.routes {
		for j := range c.kinds {
			if t := c.asks(i, j); !t.IsFalse() {
				fmt.Fprintf(&b, "(define-fun asks.%d.%d (%s) Bool %s)\n", i, j, yd, t)
			}
		}
	}
	return b.String()
}

// free lists the names of obligations at top level that are no sizes.
func (c *conditions) free() []string {
	free := map[string]bool{}
	for _, o := range c.f.owed {
		o.must.Names(free)
	}
	for _, s := range c.f.Sizes {
		delete(free, s.Name)
	}
	return slices.Sorted(maps.Keys(free))
}

// asks is the condition under which a packet in a channel of kind i, or at its source, is offered one of kind j.
func (c *conditions) asks(i, j int) *symbolic.Term {
	var ways []*symbolic.Term
	for _, p := range c.f.routes[i].paths {
		for _, k := range p.hops {
			if k == c.kinds[j] {
				ways = append(ways, p.cond)
			}
		}
	}
	return symbolic.Or(ways...)
}

// underway says that a packet of kind i, or at its source, is at a node other than its destination.
func (c *conditions) underway(i int) []string {
	f := c.f
	_, xs := f.arguments(here)
	_, xds := f.arguments(here, there)
	_, ys := f.arguments(next)
	_, ds := f.arguments(there)
	var away []*symbolic.Term
	for j := range f.low {
		away = append(away, symbolic.Not(symbolic.Equal(symbolic.Named(next(j)), symbolic.Named(there(j)))))
	}
	all := []string{symbolic.Or(away...).String()}
	if i == len(c.kinds) {
		return append(all, "(node "+ys+")", "(node "+ds+")")
	}
	all = append(all, fmt.Sprintf("(holds.%d %s)", i, xds))
	for j := range f.low {
		all = append(all, fmt.Sprintf("(= %s (to.%d.%d %s))", next(j), c.kinds[i].link, j+1, xs))
	}
	return all
}

func (c *conditions) sender(i int) string {
	if i == len(c.kinds) {
		return "a source"
	}
	return c.f.nameOf(c.kinds[i])
}

// breaking lists the questions whether a hop breaks a comparison of the invariant.
func (c *conditions) breaking() []question {
	var all []question
	_, yds := c.f.arguments(next, there)
	by := map[string]*symbolic.Term{}
	for i := range c.f.low {
		by[here(i)] = symbolic.Named(next(i))
	}
	for i := range c.f.routes {
		for j := range c.kinds {
			if c.asks(i, j).IsFalse() {
				continue
			}
			for _, t := range c.invariant[j] {
				all = append(all, question{
					says: "", want: smt.Unsat, of: t,
					assert: append(c.underway(i),
						fmt.Sprintf("(asks.%d.%d %s)", i, j, yds), symbolic.Not(t.Replace(by)).String()),
				})
			}
		}
	}
	return all
}

// all lists the conditions of the proof.
func (c *conditions) all() []question {
	f := c.f
	var all []question
	_, xs := f.arguments(here)
	_, yds := f.arguments(next, there)
	for _, o := range f.owed {
		all = append(all, question{
			says: fmt.Sprintf("never at line %d: %s", o.at.Line, o.says), want: smt.Unsat,
			assert: []string{symbolic.Not(o.must).String()},
		})
	}
	for l, link := range f.links {
		var to []string
		for i := range link.head {
			to = append(to, fmt.Sprintf("(to.%d.%d %s)", l, i+1, xs))
		}
		all = append(all, question{
			says: fmt.Sprintf("the links of port %q lead to nodes", link.out), want: smt.Unsat,
			assert: []string{
				"(node " + xs + ")", fmt.Sprintf("(link.%d %s)", l, xs), "(not (node " + strings.Join(to, " ") + "))",
			},
		})
		var same []*symbolic.Term
		for i, t := range link.head {
			same = append(same, symbolic.Equal(t, symbolic.Named(here(i))))
		}
		all = append(all, question{
			says: fmt.Sprintf("no link of port %q joins a node to itself", link.out), want: smt.Unsat,
			assert: []string{"(node " + xs + ")", fmt.Sprintf("(link.%d %s)", l, xs), symbolic.And(same...).String()},
		})
	}
	all = append(all, c.lowering()...)
	if c.escape != nil {
		all = append(all, c.offered()...)
		all = append(all, c.nearer()...)
	}
	vacuous := slices.Contains(c.goesOn, true)
	for i := range f.routes {
		for _, o := range f.routes[i].owed {
			all = append(all, question{
				says: fmt.Sprintf("never at line %d for a packet of %s: %s", o.at.Line, c.sender(i), o.says),
				want: smt.Unsat, assert: append(c.underway(i), symbolic.Not(o.must).String()),
			})
		}
		for j := range c.kinds {
			if c.asks(i, j).IsFalse() {
				continue
			}
			asks := append(c.underway(i), fmt.Sprintf("(asks.%d.%d %s)", i, j, yds))
			all = append(all, question{
				says: fmt.Sprintf("from %s to %s: the invariant stays true", c.sender(i), c.sender(j)), want: smt.Unsat,
				assert: slices.Concat(asks, []string{fmt.Sprintf("(not (holds.%d %s))", j, yds)}),
			})
			if i == j && vacuous && c.goesOn[i] {
				vacuous = false
				all = append(all, question{
					says: fmt.Sprintf("not vacuous: a packet goes on in %s", c.sender(i)), want: smt.Sat, assert: asks,
				})
			}
		}
	}
	return all
}

// lowering lists the questions whether a hop does not lower the rank.
func (c *conditions) lowering() []question {
	if c.escape != nil {
		return c.escaping()
	}
	var all []question
	_, xs := c.f.arguments(here)
	_, ys := c.f.arguments(next)
	_, yds := c.f.arguments(next, there)
	for i := range c.kinds {
		for j := range c.kinds {
			if !c.asks(i, j).IsFalse() {
				all = append(all, question{
					says: fmt.Sprintf("from %s to %s: the rank gets lower", c.sender(i), c.sender(j)), want: smt.Unsat,
					assert: append(c.underway(i),
						fmt.Sprintf("(asks.%d.%d %s)", i, j, yds), "(not "+c.lower(i, j, xs, ys, "false")+")"),
					kinds: [3]int{i, j}, held: here, asked: next,
				})
			}
		}
	}
	return all
}

// lower says that the rank of a channel of kind j is below that of one of kind i, lexicographically; alike is what to say
// where both are the same.
func (c *conditions) lower(i, j int, xs, ys, alike string) string {
	text := alike
	for l := len(c.rank[i]); l > 0; l-- {
		a, b := fmt.Sprintf("(rank.%d.%d %s)", j, l, ys), fmt.Sprintf("(rank.%d.%d %s)", i, l, xs)
		text = fmt.Sprintf("(or (< %s %s) (and (= %s %s) %s))", a, b, a, b, text)
	}
	return text
}

// script writes questions one after the other.
func script(all []question) string {
	var b strings.Builder
	for _, q := range all {
		b.WriteString("(push 1)\n")
		if q.says != "" {
			fmt.Fprintf(&b, "; %s\n", q.says)
		}
		for _, a := range q.assert {
			fmt.Fprintf(&b, "(assert %s)\n", a)
		}
		if q.says != "" {
			fmt.Fprintf(&b, "(set-info :status %s)\n", q.want)
		}
		b.WriteString("(check-sat)\n")
		if q.values != nil {
			fmt.Fprintf(&b, "(get-value (%s))\n", strings.Join(q.values, " "))
		}
		b.WriteString("(pop 1)\n")
	}
	return b.String()
}
