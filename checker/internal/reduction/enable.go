package reduction

import (
	"context"
	"slices"
)

// Which rules may make a false atom true: those that set a variable it reads, except where trying
// values shows that they cannot.

// makers lists these rules for each atom, and heeds the context before each.
func (r *rules) makers(ctx context.Context) error {
	for i := range r.atoms.all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a := &r.atoms.all[i]
		var met []int32
		for _, x := range a.reads {
			met = append(met, r.writers[x]...)
		}
		slices.Sort(met)
		for _, k := range slices.Compact(met) {
			if r.makes(&r.all[k], a) {
				a.makers = append(a.makers, k)
			}
		}
	}
	return nil
}

// makes reports whether a rule may make an atom true. It may err on the side of yes.
func (r *rules) makes(x *rule, a *atom) bool {
	if a.failing != nil {
		return true
	}
	of := dependsOn(x.effect, a.reads)
	effect := only(x.effect, of)
	return r.trial.satisfiable(of, x.within, x.guard.conjuncts(), func() bool {
		after := r.trial.after[0]
		if a.holds(r.p, r.trial.values, nil) {
			return false
		}
		copy(after, r.trial.values)
		return run(r.p, effect, after) && a.holds(r.p, after, nil)
	})
}
