package compiled

import (
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// compiler knows where variables lie and what values they can have.
type compiler struct {
	p        *program.Program
	places   []place // by variable
	code     *code
	entries  map[string]int32 // of formulas, by key
	key      []byte           // the last key made
	lookBits int              // most bits of a look
	words    int              // of a state
	one      []uint64         // see with
	made     []uint64         // see cases
	states   slab[uint64]     // of moves, while a leaf is looked at
	sides    slab[uint64]     // of moves, too: see moves.after
	lent     slab[formula]    // of what is left, while a leaf is looked at
	known
}

func newCompiler(p *program.Program, fields []states.Field) *compiler {
	c := &compiler{p: p, code: &code{}, entries: map[string]int32{}, lookBits: lookBits}
	if len(p.Rules) > manyRules {
		c.lookBits = fewerBits
	}
	for x := range p.Variables {
		c.sets = append(c.sets, c.full(program.Var(x)))
		word, shift, mask := fields[x].Place()
		c.places = append(c.places, place{word, shift, mask})
		c.words = max(c.words, word+1)
	}
	c.one = make([]uint64, c.words)
	return c
}

func (c *compiler) place(x program.Var) place { return c.places[x] }

// The most bits that an effect is looked up by, in a program of few rules and of many.
const (
	lookBits  = 9
	fewerBits = 6
	manyRules = 1 << 9
)

// slab lends out slices that are all returned at once.
type slab[T any] struct{ all, free []T }

// take returns an empty slice with room.
func (s *slab[T]) take(room int) []T {
	if len(s.free) < room {
		s.all = make([]T, max(room, 2*len(s.all)))
		s.free = s.all
	}
	taken := s.free[:0:room]
	s.free = s.free[room:]
	return taken
}

// back takes back everything lent.
func (s *slab[T]) back() { s.free = s.all }

// narrow is the largest number of values that a set holds.
const narrow = 64

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

// takeSince returns what is known of the variables learnt about takeSince a mark, and forgets
// it.
func (k *known) takeSince(mark int) map[program.Var]uint64 {
	now := map[program.Var]uint64{}
	for _, l := range k.trail[mark:] {
		now[l.x] = k.sets[l.x]
	}
	k.forget(mark)
	return now
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
