package compiled

import "github.com/seed-105a2da2/unknot/spec/program"

// known is what the compiler knows of variables: the values that each can have. For one
// with more than 64 values it knows nothing, and the set is 0.
type known struct {
	sets  []uint64
	trail []learnt
}

type learnt struct {
	x   program.Var
	was uint64
}

func (k *known) learn(x program.Var, set uint64) {
	if k.sets[x] != set {
		k.trail = append(k.trail, learnt{x, k.sets[x]})
		k.sets[x] = set
	}
}

// forget undoes what was learnt since a mark, a length of the trail.
func (k *known) forget(mark int) {
	for i := len(k.trail) - 1; i >= mark; i-- {
		k.sets[k.trail[i].x] = k.trail[i].was
	}
	k.trail = k.trail[:mark]
}

// since returns what is known of the variables learnt about since a mark, and forgets
// it.
func (k *known) since(mark int) map[program.Var]uint64 {
	now := map[program.Var]uint64{}
	for _, l := range k.trail[mark:] {
		now[l.x] = k.sets[l.x]
	}
	k.forget(mark)
	return now
}

// assume learns about variables from the fact that a formula holds.
func (c *compiler) assume(f formula) {
	switch f.shape {
	case member:
		c.learn(f.x, c.sets[f.x]&f.set)
	case all:
		for _, p := range f.parts {
			c.assume(p)
		}
	}
}

// full is the set of all values of a variable; 0 if there are too many.
func (c *compiler) full(x program.Var) uint64 {
	if n := c.p.Variables[x].Values; n < narrow {
		return 1<<n - 1
	} else if n > narrow {
		return 0
	}
	return ^uint64(0)
}
