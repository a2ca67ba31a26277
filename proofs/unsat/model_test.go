package unsat

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Refutable reports whether some unsatisfiability proof is accepted, by a search of its own: no values satisfy the formula
// with what lists of sites add, of which it tries those that the values so far suggest. It gives up, with
// false, after a number of decisions.
func Refutable(ctx context.Context, n *spec.Network, under spec.Scenario, decisions int) (bool, error) {
	f, err := newFormula(ctx, n, Bound{}, under)
	if err != nil {
		return false, err
	}
	tried := map[string]bool{}
	for !f.contradiction {
		before := len(f.trail)
		if !f.model(&decisions) {
			return decisions >= 0, nil
		}
		lists := f.closures()
		f.undo(before)
		last := len(tried)
		for _, list := range lists {
			if key := fmt.Sprint(list); !tried[key] {
				tried[key] = true
				f.escape(list)
			}
		}
		if len(tried) == last {
			return false, nil
		}
	}
	return true, nil
}

// model gives every variable a value, if it can.
func (f *formula) model(decisions *int) bool {
	for v := range int32(len(f.value) / 2) {
		if f.value[yes(v)] != 0 {
			continue
		}
		for _, l := range []int32{no(v), yes(v)} {
			before := len(f.trail)
			if *decisions--; *decisions >= 0 && f.set(l) && f.propagate() && f.model(decisions) {
				return true
			}
			f.undo(before)
		}
		return false
	}
	return true
}

func (f *formula) undo(before int) {
	for _, l := range f.trail[before:] {
		f.value[l], f.value[l^1] = 0, 0
		if f.counted(l) {
			f.count--
		}
	}
	f.trail, f.done = f.trail[:before], before
}

// closures returns, for each site that is held, the sites to which the hops taken lead and,
// where channels are shared, also all sites of their channels.
func (f *formula) closures() (all [][]int32) {
	for s := range int32(len(f.firstHop) - 1) {
		if f.value[yes(f.sites+s)] < 0 {
			continue
		}
		for _, beside := range []bool{false, true} {
			list := []int32{s}
			for i := 0; i < len(list); i++ {
				for hop := f.firstHop[list[i]]; hop < f.firstHop[list[i]+1]; hop++ {
					to := f.to[hop]
					if to < 0 || f.value[yes(f.hops+hop)] < 0 {
						continue
					}
					next := []int32{to}
					for _, other := range f.beside[to] {
						if beside {
							next = append(next, other/2-f.sites)
						}
					}
					for _, x := range next {
						if !slices.Contains(list, x) {
							list = append(list, x)
						}
					}
				}
			}
			slices.Sort(list)
			all = append(all, list)
		}
	}
	return all
}
