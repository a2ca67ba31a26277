// Package sweep, internal to unknot, decides many variants of a network: parameters over ranges,
// all failures of a few links or nodes, all sets of a few destinations.
//
// The cases are numbered in an order that depends on the question alone. So shards of them
// can be decided on different machines, and a run can be stopped and resumed. Merged, they
// are byte for byte what one run would have written: a header and a line of JSON for each
// case.
package sweep

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Range is a parameter and its values, in order.
type Range struct {
	Name   string
	Values []string
}

// Question says what is swept.
type Question struct {
	Network string // for the header: a model or a file
	// Content is a digest of everything that Build reads: results of other content
	// are neither continued nor merged.
	Content string
	// Build makes the network for the given parameters.
	Build  func(ctx context.Context, set map[string]string) (routing.Definition, error)
	Set    map[string]string // fixed parameters
	Ranges []Range           // varied parameters, the last one fastest
	Links  int               // largest number of failed cables
	Nodes  int               // largest number of failed nodes
	// Ends lists, ascending, the nodes whose cables never fail; nil: all may. A host with one cable
	// cannot be served without it, so a sweep of all cables would say nothing about the others.
	Ends  func(routing.Definition) []spec.NodeID
	Dests int // destinations: all sets of 1 to Dests; 0: all destinations at once
	// Reroute names the parameter that tells the network which cables and nodes are missing, so
	// that it routes around them: their names, separated by commas, as Cable has them. Whatever
	// the network does with it, they are removed (see Rerouted). Without it the routing does not
	// know of failures.
	Reroute string
	// Engine, if not nil, routes what failures leave of a network afresh; Reroute is then its
	// name. intact is the network without failures, left the same without what failed: the
	// answer must have its flows and its topology.
	Engine func(ctx context.Context, intact, left routing.Definition) (routing.Definition, error)
	// UpToSymmetry decides only the first of the cases whose networks are the same except for
	// names; see [Result].Like.
	UpToSymmetry bool
	// Under names what else the results depend on, such as the switching that
	// Build chooses, or how far undecided cases are explored.
	Under []string
	// Properties are decided for every case; none means all but no-discard.
	Properties []spec.Property
}

// Case is one variant.
type Case struct {
	Number int
	Set    map[string]string // the values of the ranges
	Links  []string          // names of failed cables
	Nodes  []string          // names of failed nodes
	Dests  []string          // names of the destinations; nil: all

	base     *base
	failures Failures
}

// base is the network for some values of the ranges, without failures. It is built when
// first needed.
type base struct {
	set   map[string]string // values of the ranges
	build func() (routing.Definition, error)

	once  sync.Once
	shown *intact // see intactOf
}

// intact returns what the sites of the network without failures show, or nil; a sweep always asks with the same options.
func (b *base) intact(ctx context.Context, q *Question, opt Options) *intact {
	b.once.Do(func() {
		if def, err := b.build(); err == nil {
			b.shown = q.intactOf(ctx, def, opt)
		}
	})
	return b.shown
}

func (q *Question) base(ctx context.Context, values []string) *base {
	varied := map[string]string{}
	for i, r := range q.Ranges {
		varied[r.Name] = values[i]
	}
	return &base{
		set:   varied,
		build: sync.OnceValues(func() (routing.Definition, error) { return q.Build(ctx, q.setting(varied, "")) }),
	}
}

// setting returns the parameters of a variant, including what has failed.
func (q *Question) setting(varied map[string]string, failed string) map[string]string {
	set := map[string]string{}
	maps.Copy(set, q.Set)
	maps.Copy(set, varied)
	if failed != "" {
		set[q.Reroute] = failed
	}
	return set
}

// Content returns the digest of the files that a network is made of: its own text, the network of a fabric's dumps or
// nil, and the files that its text loads, by name.
func Content(text []byte, dumped *spec.Network, files map[string][]byte) string {
	sum := sha256.New()
	sum.Write(text)
	if dumped != nil {
		fmt.Fprintln(sum, dumped.Digest())
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%q %d ", name, len(files[name]))
		sum.Write(files[name])
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// ParameterFile is a file that a parameter of a model names.
type ParameterFile struct {
	Parameter, Name string
	Text            []byte
}

// ModelContent returns the digest of a model: of the first of its networks, which stands for the code that describes it,
// and of the files that its parameters name.
func ModelContent(first *spec.Network, files []ParameterFile) string {
	sum := sha256.New()
	fmt.Fprintln(sum, first.Digest())
	for _, f := range files {
		fmt.Fprintf(sum, "%s %q %x\n", f.Parameter, f.Name, sha256.Sum256(f.Text))
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// FirstSet returns the parameters of the first network.
func (q *Question) FirstSet() map[string]string {
	set := q.setting(nil, "")
	for _, r := range q.Ranges {
		if len(r.Values) > 0 {
			set[r.Name] = r.Values[0]
		}
	}
	return set
}

// Values returns the values that a parameter is given; none if it keeps its default.
func (q *Question) Values(name string) []string {
	var values []string
	if v, ok := q.Set[name]; ok {
		values = append(values, v)
	}
	for _, r := range q.Ranges {
		if r.Name == name {
			values = append(values, r.Values...)
		}
	}
	return values
}

// Text identifies the question, so that results of different questions are not mixed.
func (q *Question) Text() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(q.Set)) {
		parts = append(parts, word(name)+"="+word(q.Set[name]))
	}
	for _, r := range q.Ranges {
		var values []string
		for _, v := range r.Values {
			values = append(values, word(v))
		}
		if len(values) == 1 {
			values = append(values, "") // not a fixed parameter
		}
		parts = append(parts, word(r.Name)+"="+strings.Join(values, "|"))
	}
	parts = append(parts, fmt.Sprintf("links<=%d nodes<=%d dests<=%d", q.Links, q.Nodes, q.Dests))
	if q.Reroute != "" {
		parts = append(parts, "reroute="+word(q.Reroute))
	}
	if q.Ends != nil {
		parts = append(parts, "switch-links")
	}
	if q.UpToSymmetry {
		parts = append(parts, upToSymmetry)
	}
	for _, p := range q.Properties {
		parts = append(parts, p.String())
	}
	parts = append(parts, q.Under...)
	return strings.Join(parts, " ")
}

// upToSymmetry is a word in the text of a question up to symmetry.
const upToSymmetry = "up-to-symmetry"

// word writes a text so that its end is unambiguous: quoted if need be.
func word(s string) string {
	if quoted := strconv.Quote(s); s == "" || quoted[1:len(quoted)-1] != s || strings.ContainsAny(s, " =|<") {
		return quoted
	}
	return s
}

// fails reports whether cases differ in more than the values of ranges, so that
// their number depends on the network.
func (q *Question) fails() bool { return q.Links > 0 || q.Nodes > 0 || q.Dests > 0 }

// sizeOf returns the number of cases of one network: a product of numbers of subsets.
func (q *Question) sizeOf(def routing.Definition) int {
	t := def.Topology
	size := times(atMost(len(q.cables(def)), 0, q.Links), atMost(t.Nodes(), 0, q.Nodes))
	if q.Dests > 0 {
		size = times(size, atMost(t.Nodes(), 1, q.Dests))
	}
	return size
}

// cables lists the cables that may fail.
func (q *Question) cables(def routing.Definition) []Cable {
	t := def.Topology
	all := Cables(t)
	if q.Links == 0 || q.Ends == nil {
		return all
	}
	ends := q.Ends(def)
	is := func(v spec.NodeID) bool { _, found := slices.BinarySearch(ends, v); return found }
	return slices.DeleteFunc(all, func(c Cable) bool {
		link := t.Link(c.Links[0])
		return is(link.From) || is(link.To)
	})
}

// huge stands for any larger number of cases.
const huge = min(1<<40, math.MaxInt/2)

func times(a, b int) int {
	if b != 0 && a > huge/b {
		return huge
	}
	return a * b
}

// atMost returns the number of subsets of n things with least to most elements.
func atMost(n, least, most int) int {
	sum, choose := 0, 1 // choose: n over size
	for size := 0; size <= min(most, n); size++ {
		if size > 0 {
			if choose = times(choose, n-size+1); choose < huge {
				choose /= size
			}
		}
		if size >= least {
			sum = min(sum+choose, huge)
		}
	}
	return sum
}

// cases yields the wanted cases of one network, by number from first on.
func (q *Question) cases(b *base, first int, wanted func(number int) bool, yield func(*Case, error) bool) bool {
	number := first - 1
	if !q.fails() {
		return !wanted(first) || yield(&Case{Number: first, Set: b.set, base: b}, nil)
	}
	def, err := b.build()
	if err != nil {
		yield(nil, err)
		return false
	}
	t := def.Topology
	cables := q.cables(def)
	for links := range subsets(len(cables), 0, q.Links) {
		for nodes := range subsets(t.Nodes(), 0, q.Nodes) {
			for dests := range q.destinations(t.Nodes()) {
				if number++; !wanted(number) {
					continue
				}
				c := &Case{Number: number, Set: b.set, base: b}
				for _, i := range links {
					c.failures.Cables = append(c.failures.Cables, cables[i])
					c.Links = append(c.Links, cables[i].Name)
				}
				for _, v := range nodes {
					c.failures.Nodes = append(c.failures.Nodes, spec.NodeID(v))
					c.Nodes = append(c.Nodes, t.Node(spec.NodeID(v)).Name)
				}
				for _, v := range dests {
					c.Dests = append(c.Dests, t.Node(spec.NodeID(v)).Name)
				}
				if !yield(c, nil) {
					return false
				}
			}
		}
	}
	return true
}

func (q *Question) destinations(nodes int) iter.Seq[[]int] {
	if q.Dests == 0 {
		return func(yield func([]int) bool) { yield(nil) }
	}
	return subsets(nodes, 1, q.Dests)
}

// define returns the definition of a case.
func (q *Question) define(ctx context.Context, c *Case) (routing.Definition, error) {
	def, err := c.base.build()
	if err != nil {
		return def, &baseError{err}
	}
	switch missing := append(slices.Clone(c.Links), c.Nodes...); {
	case q.Reroute == "" || len(missing) == 0:
		def = Without(def, c.failures)
	case q.Engine != nil:
		if def, err = q.Engine(ctx, def, Without(def, c.failures)); err != nil {
			return def, err
		}
	default:
		intact := def.Topology
		if def, err = q.Build(ctx, q.setting(c.Set, strings.Join(missing, ","))); err != nil {
			return def, err
		}
		if def, err = Rerouted(def, intact, c.failures); err != nil {
			return def, fmt.Errorf("%s without %s: %w", q.Network, strings.Join(missing, ","), err)
		}
	}
	if c.Dests != nil {
		flows, t := def.Flows, def.Topology
		def.Flows = func(src, dst spec.NodeID, class spec.Class) bool {
			return slices.Contains(c.Dests, t.Node(dst).Name) && (flows == nil || flows(src, dst, class))
		}
	}
	return def, nil
}

// baseError says that a network without failures cannot be built.
type baseError struct{ err error }

func (e *baseError) Error() string { return e.err.Error() }
func (e *baseError) Unwrap() error { return e.err }

// combinations yields every choice of one value from each range.
func combinations(ranges []Range) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		values := make([]string, len(ranges))
		var choose func(i int) bool
		choose = func(i int) bool {
			if i == len(ranges) {
				return yield(values)
			}
			for _, v := range ranges[i].Values {
				values[i] = v
				if !choose(i + 1) {
					return false
				}
			}
			return true
		}
		choose(0)
	}
}

// subsets yields the subsets of 0..n-1 with least to most elements, smaller ones
// first, each ascending, in lexical order.
func subsets(n, least, most int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for size := least; size <= min(most, n); size++ {
			chosen := make([]int, size)
			var choose func(i, from int) bool
			choose = func(i, from int) bool {
				if i == size {
					return yield(chosen)
				}
				for v := from; v <= n-(size-i); v++ {
					chosen[i] = v
					if !choose(i+1, v+1) {
						return false
					}
				}
				return true
			}
			if !choose(0, 0) {
				return
			}
		}
	}
}

// Vary adds ranges as [ParseRange] reads them, or by the name alone of a parameter: then declared has its values. A
// parameter that is fixed, or has a range, is refused.
func (q *Question) Vary(ranges []string, declared map[string]string) error {
	for _, text := range ranges {
		if values, known := declared[text]; known {
			text += "=" + values
		}
		r, err := ParseRange(text)
		if err != nil {
			return err
		}
		if _, fixed := q.Set[r.Name]; fixed {
			return fmt.Errorf("%s has a fixed value, too", r.Name)
		}
		if slices.ContainsFunc(q.Ranges, func(other Range) bool { return other.Name == r.Name }) {
			return fmt.Errorf("%s has a range already", r.Name)
		}
		q.Ranges = append(q.Ranges, r)
	}
	return nil
}

// ParseRange reads NAME=FROM..TO, integers both included, or NAME=A|B|C.
func ParseRange(text string) (Range, error) {
	wrong := fmt.Errorf("invalid range %.60q: want name=3..8, or name=a|b|c", text)
	name, values, ok := strings.Cut(text, "=")
	if !ok || name == "" || values == "" {
		return Range{}, wrong
	}
	from, to, interval := strings.Cut(values, "..")
	if !interval {
		return Range{name, strings.Split(values, "|")}, nil
	}
	a, err1 := strconv.Atoi(from)
	b, err2 := strconv.Atoi(to)
	const most = 100_000
	switch {
	case err1 != nil || err2 != nil:
		return Range{}, wrong
	case a > b:
		return Range{}, fmt.Errorf("invalid range %.60q: want the lesser number first, as in name=3..8", text)
	case uint64(b)-uint64(a) >= most: // b-a may be more than an int holds
		return Range{}, fmt.Errorf("invalid range %.60q: want at most %d values", text, most)
	}
	r := Range{Name: name}
	for x := a; x <= b; x++ {
		r.Values = append(r.Values, strconv.Itoa(x))
	}
	return r, nil
}
