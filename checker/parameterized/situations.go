package parameterized

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// A proof rests on the reading of the file: of a wrong formula, a proof says nothing. So the formulas are compared
// with the file, and the question is at which sizes. A file may change its meaning at any of them, as if k == 1000
// does.
//
// A situation is what the reader knows where it reads a part of the file: the kind of channel that a packet holds,
// the conditions in scope, and how a comparison turns out there, or on which case of a remainder a number depends.
// The reader never knows more of a size or a coordinate. So if it misreads an expression, it does so wherever it is
// in the same situation, at a small size or a large one, and a comparison with the file in that situation meets it.
//
// So comparisons are complete if every situation that some packet of some size can be in is met by one:
//
//   - Those that small networks have are met there, where all sites are compared.
//   - Of the others, both solvers say which no size has, by what the invariant permits. That is sound, though the
//     invariant is one of the formulas: take a site of the file which the formulas misread, after the fewest hops.
//     Formulas and file agree on the way to it, so the invariant is true of it.
//   - Of what is left, a solver finds the smallest size, and a packet. There all links are compared, and the hops
//     of that packet and of drawn ones.
//
// Where that network is too large, or a solver does not answer, the verdict is unknown.
//
// What this does not show: that an operator is right for all numbers of one situation. TestTermsMeanWhatSolversRead
// draws them. Nor can a situation be met that the reader does not read, behind a condition that it takes to be
// false. Therefore [Family.compare] also has the sizes near all numbers of the file.

// situation is a place in the file, with what is known there of a packet and of the sizes.
type situation struct {
	at   syntax.Position
	top  bool       // at top level
	by   *kind      // in route: the channel that the packet holds; nil: it is at its source
	vars []variable // at top level: those in scope
	cond *symbolic.Term
	says *symbolic.Term // the part of it for which it was noted
}

// Uncovered is a situation of the file in which the formulas were not compared with it, though it may be one of a
// size.
type Uncovered struct {
	Line      int            // 0: not of one place
	Condition string         // that is true there, beside others
	Size      map[string]int // the smallest that has it; nil: unknown
	Why       string
}

const mostSituations = 10_000

// MeetCompared notes a comparison, and how it can turn out in the situation in which it is read.
func (r *reader) MeetCompared(a, b *symbolic.Term) {
	r.Reader.MeetCompared(a, b)
	for _, t := range []*symbolic.Term{a, b} {
		r.pieces(t)
	}
	for _, c := range []*symbolic.Term{symbolic.Less(a, b), symbolic.Equal(a, b), symbolic.Less(b, a)} {
		r.note(c)
	}
}

// pieces notes the cases on which the value of a term depends.
func (r *reader) pieces(t *symbolic.Term) {
	zero := symbolic.Number(0)
	t.Visit(func(u *symbolic.Term) {
		switch u.Op {
		case symbolic.OpCases:
			r.note(u.Args[0])
			r.note(symbolic.Not(u.Args[0]))
		case symbolic.OpDiv:
			r.note(symbolic.Less(u.Args[0], zero))
			r.note(symbolic.AtMost(zero, u.Args[0]))
		case symbolic.OpWrap:
			r.note(symbolic.Less(u.Args[0], zero))
			r.note(symbolic.Within(u.Args[0], zero, u.Args[1]))
			r.note(symbolic.AtMost(u.Args[1], u.Args[0]))
		}
	})
}

// note keeps the situation in which cond is true, beside the conditions in scope.
func (r *reader) note(cond *symbolic.Term) {
	all := symbolic.And(append(slices.Clone(r.guard), cond)...)
	if all.IsTrue() || all.IsFalse() || r.f.crowded {
		return
	}
	s := &situation{at: r.At, top: r.arrival == nil, vars: slices.Clone(r.vars), cond: all, says: cond}
	if cond.IsTrue() {
		s.says = r.guard[len(r.guard)-1]
	}
	key := all.String()
	if s.top {
		for _, v := range s.vars {
			key += " " + v.name
		}
	} else if s.by = r.arrival.by; s.by != nil {
		key += fmt.Sprint(*s.by)
	} else {
		key += " at its source"
	}
	if r.noted[key] {
		return
	}
	if r.noted == nil {
		r.noted = map[string]bool{}
	}
	r.noted[key] = true
	r.f.situations = append(r.f.situations, s)
	r.f.crowded = len(r.f.situations) == mostSituations
}

// holds reports whether a situation is that of a packet, or, at top level, of a size.
func (s *situation) holds(values map[string]int) bool {
	if !s.top {
		return s.cond.Value(values) != 0
	}
	var some func(i int) bool
	some = func(i int) bool {
		if i == len(s.vars) {
			return s.cond.Value(values) != 0
		}
		v := s.vars[i]
		defer delete(values, v.name)
		for x, high := v.low.Value(values), v.high.Value(values); x < high; x++ {
			if values[v.name] = x; some(i + 1) {
				return true
			}
		}
		return false
	}
	return some(0)
}

// unmet returns the situations that are those of no site of a network, as far as the budget of evaluations goes.
func (s *small) unmet(open []*situation, budget *int) []*situation {
	byKind := map[int][]*situation{}
	rest := []*situation{}
	for _, at := range open {
		switch {
		case !at.top && at.by == nil:
			byKind[len(s.kinds)] = append(byKind[len(s.kinds)], at)
		case !at.top:
			byKind[s.count[*at.by]] = append(byKind[s.count[*at.by]], at)
		case *budget <= 0 || !at.holds(maps.Clone(s.size)):
			rest = append(rest, at)
		}
	}
	visit := func(kind, at, dest int) {
		if at == dest || len(byKind[kind]) == 0 || *budget <= 0 {
			return
		}
		values := maps.Clone(s.size)
		s.values(values, next, at)
		s.values(values, there, dest)
		*budget -= len(byKind[kind])
		byKind[kind] = slices.DeleteFunc(byKind[kind], func(o *situation) bool { return o.holds(values) })
	}
	for at := range s.nodes {
		for dest := range s.nodes {
			visit(len(s.kinds), at, dest)
		}
	}
	for _, site := range s.sites {
		visit(site.kind, s.head(site.channelOf), site.dest)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		rest = append(rest, byKind[kind]...)
	}
	return rest
}

// cover compares the formulas with the file in the situations that the sizes that were checked do not have, and notes
// those in which it cannot. Errors are those of cancellation, and a disagreement.
func (f *Family) cover(ctx context.Context, p *Proof, samples []*small, c *conditions) error {
	const evaluations, mostPoints = 2_000_000, 400
	if f.crowded {
		p.Uncovered = append(p.Uncovered, Uncovered{Why: fmt.Sprintf("there are %d situations or more", mostSituations)})
		return nil
	}
	open, budget := f.situations, evaluations
	for _, s := range samples {
		open = s.unmet(open, &budget)
	}
	var possible []*situation
	var questions []question
	for _, s := range open {
		questions = append(questions, c.situated(s))
	}
	none := make([]bool, len(open))
	for i := range none {
		none[i] = true
	}
	for _, v := range smt.Solvers() {
		answers, err := ask(ctx, v, limits[v.Name]+c.preambleFor(open)+script(questions))
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range none {
			none[i] = none[i] && err == nil && len(answers) == len(open) && answers[i] == string(smt.Unsat)
		}
	}
	for i, s := range open {
		if !none[i] {
			possible = append(possible, s)
		}
	}
	points := 0
	for len(possible) > 0 {
		s := possible[0]
		possible = possible[1:]
		left := func(size map[string]int, why string) {
			p.Uncovered = append(p.Uncovered, Uncovered{int(s.at.Line), s.says.Infix(), size, why})
		}
		if points++; points > mostPoints {
			left(nil, fmt.Sprintf("%d situations were compared before it", mostPoints))
			continue
		}
		values, err := c.least(ctx, s)
		if err != nil {
			return err
		}
		if values == nil {
			left(nil, "a solver finds no size that has it, and not both say that there is none")
			continue
		}
		size := map[string]int{}
		for _, s := range f.Sizes {
			size[s.Name] = values[s.Name]
		}
		before := p.last
		network, why, err := f.large(ctx, p, size)
		if err == nil && why == "" && network != before {
			err = network.draw(p, c.invariant)
		}
		switch {
		case err != nil:
			return err
		case why != "":
			left(size, why)
			continue
		case !s.top:
			if err := network.agreesFor(s.by, values); err != nil {
				return err
			}
			p.Points++
		}
		possible = slices.DeleteFunc(possible, func(o *situation) bool {
			alike := o.top == s.top && (o.by == s.by || o.by != nil && s.by != nil && *o.by == *s.by)
			return alike && !s.top && o.holds(values)
		})
	}
	return nil
}

// limits bound the time for one answer, without which a situation counts as one of some size.
var limits = map[string]string{
	"z3": "(set-option :timeout 10000)\n", "cvc5": "(set-option :tlimit-per 10000)\n",
}

// preambleFor is the preamble, with the names in scope at top level.
func (c *conditions) preambleFor(all []*situation) string {
	known, names := map[string]bool{}, map[string]bool{}
	for _, name := range c.free() {
		known[name] = true
	}
	for _, s := range all {
		for _, v := range s.vars {
			names[v.name] = !known[v.name]
		}
	}
	var b strings.Builder
	b.WriteString(c.preamble())
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] {
			fmt.Fprintf(&b, "(declare-const %s Int)\n", name)
		}
	}
	for _, s := range c.f.Sizes { // there is no network of the file beyond
		if s.Most > 0 {
			fmt.Fprintf(&b, "(assert (<= %s %d))\n", s.Name, s.Most)
		}
	}
	return b.String()
}

// situated asks whether a situation is one of some size.
func (c *conditions) situated(s *situation) question {
	q := question{want: smt.Unsat}
	switch {
	case s.top:
		for _, v := range s.vars {
			q.assert = append(q.assert, v.bounds().String())
		}
	case s.by == nil:
		q.assert = c.underway(len(c.kinds))
	default:
		q.assert = c.underway(slices.Index(c.kinds, *s.by))
	}
	q.assert = append(q.assert, s.cond.String())
	return q
}

// least returns the values of sizes and coordinates in a situation at the smallest size that has it, by the sum of
// sizes; nil if a solver does not say.
func (c *conditions) least(ctx context.Context, s *situation) (map[string]int, error) {
	q := c.situated(s)
	var sizes []string
	for _, size := range c.f.Sizes {
		sizes = append(sizes, size.Name)
	}
	q.values = slices.Clone(sizes)
	for i := range c.f.low {
		q.values = append(q.values, here(i), next(i), there(i))
	}
	text := script([]question{q})
	text = strings.Replace(text, "(check-sat)", "(minimize (+ 0 "+strings.Join(sizes, " ")+"))\n(check-sat)", 1)
	solver := smt.Solvers()[0]
	out, err := solver.Output(ctx, limits[solver.Name]+c.preambleFor([]*situation{s})+text)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil // no answer, which the caller says
	}
	found, err := smt.Values(out)
	if err != nil || len(found) == 0 {
		return nil, nil
	}
	values := map[string]int{}
	for name, v := range found {
		if !v.IsInt() || !v.Num().IsInt64() {
			return nil, nil
		}
		values[name] = int(v.Num().Int64())
	}
	return values, nil
}

// network is a network of the file whose sites are not listed, beside the formulas.
type network struct {
	*small
	file routing.Definition
}

// mostLarge bounds the nodes of networks of which a part is compared.
const mostLarge = 20_000

// nodes is the number of nodes of a size, or one more than most.
func (f *Family) nodes(size map[string]int, most int) int {
	nodes := 1
	for i := range f.low {
		nodes = min(nodes*min(max(0, f.high[i].Value(size)-f.low[i].Value(size)), most+1), most+1)
	}
	return nodes
}

// large compares the links of a size, and returns its network; or why it is not compared.
func (f *Family) large(ctx context.Context, p *Proof, size map[string]int) (n *network, why string, err error) {
	if p.last != nil && maps.Equal(p.last.size, size) {
		return p.last, "", nil
	}
	if f.nodes(size, mostLarge) > mostLarge {
		return nil, fmt.Sprintf("such networks have more than %d nodes", mostLarge), nil
	}
	file, err := star.Load(ctx, f.file, f.text, star.Options{Set: f.settings(size)})
	var bound *spec.BoundError
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.As(err, &bound):
		return nil, "the file is too large: " + err.Error(), nil
	case err != nil:
		return nil, "", fmt.Errorf("at %s: %w", Text(f.Sizes, size), err)
	}
	n = &network{f.layout(size), file.Definition}
	if err := n.agreesLinks(n.file.Topology); err != nil {
		return nil, "", n.located(err)
	}
	p.last = n
	p.Large = append(p.Large, size)
	return n, "", nil
}

func (s *small) located(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s at %s: %w", s.f.file, Text(s.f.Sizes, s.size), err)
}

// agreesFor compares the hops of a packet, by the coordinates of where it is and of its destination.
func (n *network) agreesFor(by *kind, values map[string]int) error {
	node := func(name func(int) string) int {
		var at []int
		for i := range n.spans {
			at = append(at, values[name(i)])
		}
		return n.number(at)
	}
	at, dest := node(next), node(there)
	channel := spec.Injection(spec.NodeID(at))
	if by != nil {
		at = node(here)
		t := n.file.Topology
		channel = t.Channel(t.Port(spec.NodeID(at), n.f.links[by.link].out), by.vc)
	}
	return n.located(n.agreesAlone(spec.Site{Channel: channel, Header: spec.Header{Dest: spec.NodeID(dest)}}))
}

// agreesAlone asks the file about one site.
func (n *network) agreesAlone(site spec.Site) error {
	hops, err := n.file.Routing.AppendHops(nil, site.Channel, site.Header)
	if err != nil {
		return fmt.Errorf("%w: %w", errDisagree, err)
	}
	return n.agreesHops(n.file.Topology, site, hops)
}

// draw compares drawn sites, of those that the invariant permits: near the ends of coordinates, near their
// destinations, and others.
func (n *network) draw(p *Proof, invariant [][]*symbolic.Term) error {
	const drawn = 2000
	random := rand.New(rand.NewPCG(uint64(len(n.nodes)), 4))
	node := func(near []int) int {
		at := make([]int, len(n.spans))
		for i, span := range n.spans {
			switch low := n.f.low[i].Value(n.size); random.IntN(4) {
			case 0:
				at[i] = low + random.IntN(min(4, span))
			case 1:
				at[i] = low + span - 1 - random.IntN(min(4, span))
			case 2:
				if at[i] = low + random.IntN(span); near != nil {
					at[i] = min(max(near[i]+random.IntN(5)-2, low), low+span-1)
				}
			default:
				at[i] = low + random.IntN(span)
			}
		}
		return n.number(at)
	}
	t := n.file.Topology
	for range drawn {
		if len(n.nodes) == 0 {
			return nil
		}
		dest, kind := node(nil), random.IntN(len(n.kinds)+1)
		from := node(n.nodes[dest])
		site := spec.Site{Channel: spec.Injection(spec.NodeID(from)), Header: spec.Header{Dest: spec.NodeID(dest)}}
		at := from
		if kind < len(n.kinds) {
			values := maps.Clone(n.size)
			n.values(values, here, from)
			n.values(values, there, dest)
			isFalse := func(t *symbolic.Term) bool { return t.Value(values) == 0 }
			link := n.f.links[n.kinds[kind].link]
			if isFalse(link.guard) || slices.ContainsFunc(invariant[kind], isFalse) {
				continue
			}
			at = n.head(channelOf{kind, from})
			site.Channel = t.Channel(t.Port(spec.NodeID(from), link.out), n.kinds[kind].vc)
		}
		if at == dest {
			continue
		}
		if err := n.agreesAlone(site); err != nil {
			return n.located(err)
		}
		p.Points++
	}
	return nil
}
