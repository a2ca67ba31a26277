package reduction

import (
	"context"
	"slices"
)

// Which rules accord: where both can step, each still can after the other, and both orders
// end in the same state. Two rules accord if neither sets what the other reads or sets. They
// also accord if they can never step in the same state: two rules of one process at different
// places, say, or a send into an empty FIFO and a receive from it. Anything else is decided by
// trying values.
//
// A send behind other messages does not accord with a receive when rules are taken by cases:
// after the receive the message goes to another place, which is another case.

// clashes finds, for each rule, the rules that do not accord with it. The relation is symmetric. The context is heeded
// before each rule.
func (r *rules) clashes(ctx context.Context) error {
	touch := make([][]int32, len(r.p.Variables)) // by variable: the rules that read or set it
	for i := range r.all {
		x := &r.all[i]
		for _, v := range x.reads.and(x.writes) {
			touch[v] = append(touch[v], int32(i))
		}
	}
	seen := make([]int, len(r.all))
	for i := range r.all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		x := &r.all[i]
		var met []int32
		for _, v := range x.writes {
			for _, k := range touch[v] {
				if seen[k] != i+1 {
					seen[k] = i + 1
					met = append(met, k)
				}
			}
		}
		slices.Sort(met)
		for _, k := range met {
			y := &r.all[k]
			// If both set what the other touches, the pair is met twice.
			if int(k) == i || int(k) < i && y.writes.meets(x.reads.and(x.writes)) {
				continue
			}
			if !r.accord(x, y) {
				x.clash = append(x.clash, k)
				y.clash = append(y.clash, int32(i))
			}
		}
	}
	for i := range r.all {
		slices.Sort(r.all[i].clash)
	}
	return nil
}

// accord decides whether two rules accord, one of which sets what the other reads or sets.
func (r *rules) accord(x, y *rule) bool {
	both := domains{}
	if !both.meet(x.within) || !both.meet(y.within) {
		return true
	}
	guards := slices.Concat(x.guard.conjuncts(), y.guard.conjuncts())
	of := x.reads.and(x.writes).and(y.reads).and(y.writes)
	return !r.trial.satisfiable(of, both, guards, func() bool { return !r.commute(x, y) })
}

// commute reports whether two rules accord in one state, in which both guards hold.
func (r *rules) commute(x, y *rule) bool {
	xy, yx := r.trial.after[0], r.trial.after[1]
	copy(xy, r.trial.values)
	copy(yx, r.trial.values)
	if !run(r.p, x.effect, xy) || !run(r.p, y.effect, yx) {
		return true // one of them cannot step
	}
	if !r.atoms.holds(y.guard, xy) || !run(r.p, y.effect, xy) || !r.atoms.holds(x.guard, yx) ||
		!run(r.p, x.effect, yx) {
		return false
	}
	for _, written := range []vars{x.writes, y.writes} {
		for _, v := range written {
			if xy[v] != yx[v] {
				return false
			}
		}
	}
	return true
}
