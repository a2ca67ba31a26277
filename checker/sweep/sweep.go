// Package sweep decides many variants of a network: parameters over ranges, all
// failures of a few links or nodes, all sets of a few destinations.
//
// The cases are numbered in an order that depends on the question alone, so
// that shards of them can be decided on different machines, a run can be
// stopped and resumed, and what is merged in the end is, to the byte, what one
// run would have written: a header and a line of JSON for each case.
package sweep

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Range is a parameter and its values, in order.
type Range struct {
	Name   string
	Values []string
}

// Question says what is swept.
type Question struct {
	Network string // for the header: a model or a file
	// Build makes the network for the given parameters.
	Build  func(ctx context.Context, set map[string]string) (spec.Definition, error)
	Set    map[string]string // parameters that stay
	Ranges []Range           // parameters that vary, the last one fastest
	Links  int               // up to so many cables fail
	Nodes  int               // up to so many nodes fail
	Dests  int               // destinations: all sets of 1 to so many; 0: all destinations at once
	// Reroute names a parameter by which the network is told which cables and
	// nodes are not there, so that it routes around them: their names, separated by commas. Without
	// it failures are not known to the routing.
	Reroute string
	// Under names what else the results depend on, such as the switching that
	// Build chooses, or how far undecided cases are explored.
	Under []string
	// Properties are decided of every case; none means all.
	Properties []spec.Property
}

// Case is one variant.
type Case struct {
	Number int
	Set    map[string]string // the values of the ranges
	Links  []string          // names of failed cables
	Nodes  []string          // names of failed nodes
	Dests  []string          // names of the destinations; nil: all

	base     spec.Definition // without failures
	failures Failures
	dests    []spec.NodeID
}

// Text names the question, so that results of different ones are not mixed.
func (q *Question) Text() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(q.Set)) {
		parts = append(parts, name+"="+q.Set[name])
	}
	for _, r := range q.Ranges {
		parts = append(parts, r.Name+"="+strings.Join(r.Values, "|"))
	}
	parts = append(parts, fmt.Sprintf("links<=%d nodes<=%d dests<=%d", q.Links, q.Nodes, q.Dests))
	if q.Reroute != "" {
		parts = append(parts, "reroute="+q.Reroute)
	}
	for _, p := range q.Properties {
		parts = append(parts, p.String())
	}
	parts = append(parts, q.Under...)
	return strings.Join(parts, " ")
}

// Cases yields all cases in order. It ends with an error if a network without
// failures cannot be built.
func (q *Question) Cases(ctx context.Context) iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		number := 0
		for values := range combinations(q.Ranges) {
			set := maps.Clone(q.Set)
			if set == nil {
				set = map[string]string{}
			}
			varied := map[string]string{}
			for i, r := range q.Ranges {
				set[r.Name], varied[r.Name] = values[i], values[i]
			}
			base, err := q.Build(ctx, set)
			if err != nil {
				yield(nil, err)
				return
			}
			t := base.Topology
			cables := Cables(t)
			for links := range subsets(len(cables), 0, q.Links) {
				for nodes := range subsets(t.Nodes(), 0, q.Nodes) {
					for dests := range q.destinations(t.Nodes()) {
						c := &Case{Number: number, Set: varied, base: base}
						for _, i := range links {
							c.failures.Cables = append(c.failures.Cables, cables[i])
							c.Links = append(c.Links, cables[i].Name)
						}
						for _, v := range nodes {
							c.failures.Nodes = append(c.failures.Nodes, spec.NodeID(v))
							c.Nodes = append(c.Nodes, t.Node(spec.NodeID(v)).Name)
						}
						for _, v := range dests {
							c.dests = append(c.dests, spec.NodeID(v))
							c.Dests = append(c.Dests, t.Node(spec.NodeID(v)).Name)
						}
						number++
						if !yield(c, nil) {
							return
						}
					}
				}
			}
		}
	}
}

func (q *Question) destinations(nodes int) iter.Seq[[]int] {
	if q.Dests == 0 {
		return func(yield func([]int) bool) { yield(nil) }
	}
	return subsets(nodes, 1, q.Dests)
}

// define returns the definition of a case.
func (q *Question) define(ctx context.Context, c *Case) (spec.Definition, error) {
	def := c.base
	switch missing := append(slices.Clone(c.Links), c.Nodes...); {
	case q.Reroute == "" || len(missing) == 0:
		def = Without(def, c.failures)
	default:
		set := maps.Clone(q.Set)
		if set == nil {
			set = map[string]string{}
		}
		maps.Copy(set, c.Set)
		set[q.Reroute] = strings.Join(missing, ",")
		var err error
		if def, err = q.Build(ctx, set); err != nil {
			return def, err
		}
	}
	if c.dests != nil {
		names := map[string]bool{}
		for _, name := range c.Dests {
			names[name] = true
		}
		flows, t := def.Flows, def.Topology
		def.Flows = func(src, dst spec.NodeID, class spec.Class) bool {
			return names[t.Node(dst).Name] && (flows == nil || flows(src, dst, class))
		}
	}
	return def, nil
}

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

// ParseRange reads NAME=FROM..TO, integers both included, or NAME=A|B|C.
func ParseRange(text string) (Range, error) {
	wrong := fmt.Errorf("%.60q is no range: want name=3..8, or name=a|b|c", text)
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
	if err1 != nil || err2 != nil || a > b || b-a >= most {
		return Range{}, wrong
	}
	r := Range{Name: name}
	for x := a; x <= b; x++ {
		r.Values = append(r.Values, strconv.Itoa(x))
	}
	return r, nil
}
