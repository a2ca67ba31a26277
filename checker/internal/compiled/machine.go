// Package compiled makes programs of guarded commands step fast.
//
// Expressions are brought into a normal form (normal.go, formula.go, number.go) and become flat
// code (emit.go, code.go), which compares many variables of a word at once (fields.go). The variables that
// most guards read decide which rules can step (dispatch.go), and effects are lookups of what
// words become (effect.go). After a step only what it may have falsified of the invariants is
// checked (obligations.go), given what it moves (moves.go).
//
// Package program defines what a program means; its machine takes the same steps by walking the
// syntax tree, and tests compare the two on random programs. No evidence rests on this
// package: what is found with it is replayed and verified with the machine of package
// program.
package compiled

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Machine is the machine of a program with AppendSuccessors and Claims compiled: the same
// states, and the same successors in the same order. It is safe for concurrent use.
type Machine struct {
	*program.Machine
	code   *code
	blocks []block
	leaves []leaf
	rules  []rule // by leaf
	claims states.Claims
}

var _ walk.Kinds = (*Machine)(nil)

// rule is what the filters leave of a leaf's guard, and its effect.
type rule struct {
	guard   int32
	kind    uint32 // of its steps
	waits   bool   // its effect changes nothing where whether leads to idle
	idle    bool
	whether int32  // code
	stays   bool   // its effect may well change nothing
	looks   []step // the leading steps of its effect, all looks
	effect  []step // the other steps
}

// AppendSuccessors appends a successor for every rule whose guard holds, in the order of the rules.
// If an assignment is out of range, the uncompiled machine says which.
func (m *Machine) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	dst, _, _, err := m.steps(dst, nil, s, false, nil)
	return dst, err
}

// Steps does what AppendSuccessors does, and appends the kinds of the successors: the leaves that lead to them,
// counted from 1.
func (m *Machine) Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	dst, kinds, _, err := m.steps(dst, kinds, s, true, nil)
	return dst, kinds, err
}

// steps is Steps, or AppendSuccessors if tell is false. With idle it leaves out, and counts, the steps that
// need not be taken.
func (m *Machine) steps(
	dst []uint64, kinds []uint32, s []uint64, tell bool, idle *idle,
) ([]uint64, []uint32, int, error) {
	begin, left := len(dst), 0
	for b := range m.blocks {
		rules, able := m.blocks[b].candidates(s), uint64(0)
		if idle != nil && b < len(idle.asleep) {
			able = idle.asleep[b]
			rules &^= able
			left += bits.OnesCount64(able)
		}
		for ; rules != 0; rules &= rules - 1 {
			r := &m.rules[b*blockRules+bits.TrailingZeros64(rules)]
			if r.guard != yes && !m.code.holds(s, r.guard) {
				continue
			}
			able |= rules & -rules
			at := len(dst)
			if r.waits && m.code.holds(s, r.whether) == r.idle {
				if idle != nil {
					idle.taken[r.kind] = true
					left++
					continue
				}
				if dst = append(dst, s...); tell {
					kinds = append(kinds, r.kind)
				}
				continue
			}
			fails := uint64(0)
			switch len(s) {
			case 1:
				word := s[0]
				for i := range r.looks {
					t := &r.looks[i]
					e := &t.entries[word>>(t.shift&63)&t.mask]
					fails |= e.keep & e.set
					word = word&e.keep | e.set
				}
				dst = append(dst, word)
			case 2:
				two := [2]uint64{s[0], s[1]}
				for i := range r.looks {
					t := &r.looks[i]
					e := &t.entries[two[t.word&1]>>(t.shift&63)&t.mask]
					fails |= e.keep & e.set
					two[t.to&1] = two[t.to&1]&e.keep | e.set
				}
				dst = append(dst, two[0], two[1])
			default:
				if cap(dst)-at < len(s) {
					dst = slices.Grow(dst, blockRules*len(s))
				}
				dst = dst[:at+len(s)]
				next := dst[at:]
				copy(next, s)
				for i := range r.looks {
					t := &r.looks[i]
					e := &t.entries[t.of(next)]
					fails |= e.keep & e.set
					next[t.to] = next[t.to]&e.keep | e.set
				}
			}
			if fails != 0 || len(r.effect) > 0 && !m.code.run(r.effect, dst[at:]) {
				dst, err := m.Machine.AppendSuccessors(dst[:begin], s)
				return dst, kinds, 0, err
			}
			if !tell {
				continue
			}
			kinds = append(kinds, r.kind)
			if idle == nil {
				continue
			}
			idle.taken[r.kind] = true
			if r.stays { // without a branch, which would be unpredictable
				differs, moved := uint64(0), 0
				for i, x := range dst[at:] {
					differs |= x ^ s[i]
				}
				if differs != 0 {
					moved = 1
				}
				dst, kinds = dst[:at+moved*len(s)], kinds[:len(kinds)-1+moved]
				left += 1 - moved
			}
		}
		if idle != nil && b < len(idle.able) {
			idle.able[b] = able
		}
	}
	return dst, kinds, left, nil
}

// Rules appends, for each successor of s in the order of AppendSuccessors, the number of the rule that
// leads to it: RuleOf for all of them, in one pass over the rules.
func (m *Machine) Rules(dst []int32, s []uint64) []int32 {
	for b := range m.blocks {
		for left := m.blocks[b].candidates(s); left != 0; left &= left - 1 {
			k := b*blockRules + bits.TrailingZeros64(left)
			if m.code.holds(s, m.rules[k].guard) {
				dst = append(dst, int32(m.leaves[k].rule))
			}
		}
	}
	return dst
}

// Taken calls f with the rules of the kinds of steps that a walk has taken; ok is false
// if kinds do not identify all rules.
func (m *Machine) Taken(kinds []bool, f func(rule int32)) (ok bool) {
	if len(kinds) == 0 || kinds[0] {
		return false
	}
	for k, taken := range kinds[1:] {
		if taken {
			f(int32(m.leaves[k].rule))
		}
	}
	return true
}

// Claims returns the program's invariants, responses and intended end.
func (m *Machine) Claims() states.Claims { return m.claims }

// RulesOfKinds returns, by kind of step, the number of its rule; nil if there are more
// leaves than kinds.
func (m *Machine) RulesOfKinds() []int32 {
	if len(m.leaves) >= walk.MostKinds {
		return nil
	}
	rules := make([]int32, 1+len(m.leaves))
	for i, l := range m.leaves {
		rules[kindOf(i)] = int32(l.rule)
	}
	return rules
}

// idle is what steps leaves out.
type idle struct {
	asleep []uint64 // leaves, a bit each; all can step
	able   []uint64 // steps notes here all leaves that can step
	taken  []bool   // by kind: steps notes here those that do not sleep, even if they lead back
}

// kindOf returns the kind of the steps of a leaf: 0 (any) if there are too many.
func kindOf(leaf int) uint32 {
	if leaf >= walk.MostKinds {
		return 0
	}
	return uint32(leaf) + 1
}
