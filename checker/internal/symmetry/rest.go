package symmetry

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// What a program's rules do not confirm, checked in every state.
//
// Let the rules be C and R, where each symmetry is known to map C to itself. Then it maps the steps
// from s to those from its image g(s), as multisets, if and only if it does so for the steps of R alone. Those
// depend on the variables that R reads or sets, in s and in all g(s): on the set of variables
// that some symmetry maps to one of them. Of the states that agree in that set, one is checked. Where it can
// be guessed which rule becomes which, each is checked for itself (pairs.go).

// checkOnly restricts what is checked in every state to what is left of the program.
func (o *checkedOrbits) checkOnly(m *compiled.Machine, left rest) error {
	p := *m.Program()
	p.Rules, p.Invariants, p.Final = nil, nil, program.Expr{}
	p.Responses, p.Formulas, p.Expect = nil, nil, nil
	counts := make([]bool, len(p.Variables))
	note := func(touched map[program.Var]bool) {
		for x := range touched {
			counts[x] = true
		}
	}
	var names []string
	for i, is := range left.rules {
		if r := &m.Program().Rules[i]; is {
			p.Rules = append(p.Rules, *r)
			if name := fmt.Sprintf("%q", r.Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	reads := map[program.Var]bool{}
	for i, is := range left.invariants {
		if v := m.Program().Invariants[i]; is {
			v.Cover = ""
			p.Invariants = append(p.Invariants, v)
			rewriting.Reads(reads, &v.Holds)
		}
	}
	if left.final {
		p.Final = m.Program().Final
		rewriting.Reads(reads, &p.Final)
	}
	rest, err := p.Machine()
	if err != nil {
		return err
	}
	c := compiled.New(rest)
	o.rest, o.claims, o.how = c, c.Claims(), count(1+len(o.symmetries))+", "+howVerified(names)
	if o.pairs = pairsOf(m, c); o.pairs != nil && len(p.Invariants) == 0 && !left.final {
		return nil
	}
	if note(reads); o.pairs == nil {
		for i := range p.Rules {
			note(touches(&p.Rules[i]))
		}
	}
	for x := range counts {
		for k := 0; k < len(p.Renamings) && !counts[x]; k++ {
			counts[x] = counts[p.Renamings[k].Vars[x]]
		}
	}
	o.shown = newShown(m, counts)
	return nil
}

// howVerified says how symmetries were verified, given the names of the rules that do not confirm them.
func howVerified(names []string) string {
	const most = 3
	switch {
	case len(names) == 0:
		return "verified in every state on its claims, else on its rules"
	case len(names) > most:
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", len(names)-most))
	}
	return "verified in every state on " + strings.Join(names, ", ") + ", else on its rules"
}

// describe names a renaming of a program by some of what it moves, and by its place in a file.
func describe(p *program.Program, k int) string {
	const most = 2
	var moves []string
	add := func(from, to string) {
		if len(moves) < most {
			moves = append(moves, from+" to "+to)
		}
	}
	r := p.Renamings[k]
	for x, to := range r.Vars {
		if int(to) != x {
			add(p.Variables[x].Name, p.Variables[to].Name)
		}
	}
	for x := range p.Variables {
		for v, to := range r.Values[program.Var(x)] {
			if v != to {
				add(fmt.Sprintf("%s = %d", p.Variables[x].Name, v), fmt.Sprint(to))
			}
		}
	}
	text := "the symmetry that maps " + strings.Join(moves, ", ")
	if s := star.SourceOf(p); s != nil {
		file, line, col, _ := s.Symmetry(k)
		text += fmt.Sprintf(" (%s:%d:%d)", file, line, col)
	}
	return text
}

// shown remembers in which states symmetries were checked, by what counts for them. It is safe for concurrent use.
type shown struct {
	words []int    // of a state, those that have a part in it
	masks []uint64 // of these words
	mu    sync.RWMutex
	known map[string]struct{}
}

const (
	mostShown = 1 << 17 // states; what is beyond is checked again
	mostWords = 32      // of a state
)

// newShown remembers states by some variables. It returns nil where that is not worth its memory.
func newShown(m *compiled.Machine, counts []bool) *shown {
	fields := m.Layout().Fields()
	masks := make([]uint64, m.Layout().Words())
	for x, is := range counts {
		if is {
			word, shift, mask := fields[x].Place()
			masks[word] |= mask << shift
		}
	}
	s := &shown{known: map[string]struct{}{}}
	for word, mask := range masks {
		if mask != 0 {
			s.words, s.masks = append(s.words, word), append(s.masks, mask)
		}
	}
	if len(s.words) > mostWords {
		return nil
	}
	return s
}

func (s *shown) key(dst []byte, state []uint64) []byte {
	for i, word := range s.words {
		dst = binary.LittleEndian.AppendUint64(dst, state[word]&s.masks[i])
	}
	return dst
}

// has reports whether symmetries were checked in a state that agrees with this one. Without a memory they were not.
func (s *shown) has(state []uint64) bool {
	if s == nil {
		return false
	}
	var space [8 * mostWords]byte
	key := s.key(space[:0], state)
	s.mu.RLock()
	_, is := s.known[string(key)]
	s.mu.RUnlock()
	return is
}

// add notes that symmetries were checked in a state.
func (s *shown) add(state []uint64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	if len(s.known) < mostShown {
		s.known[string(s.key(nil, state))] = struct{}{}
	}
	s.mu.Unlock()
}
