// Package ltl is linear temporal logic without next (Pnueli 1977): what a formula says of an infinite
// sequence of states ([Formula.Holds]), and an automaton that accepts the sequences that satisfy it
// ([Automaton]). It knows nothing of states but a letter, which has a bit for each atomic proposition.
//
// Without next, a formula cannot tell a sequence from one in which states are repeated (Lamport 1983). So a
// run that ends is read as one that stays in its last state.
package ltl

import (
	"fmt"
	"strings"
)

// Letter says which atomic propositions are true in a state: bit i is proposition i.
type Letter uint64

// MostAtoms bounds the propositions of a formula, the bits of a Letter.
const MostAtoms = 64

// Op is what a formula is made with.
type Op uint8

// The operators. Negations are only in front of propositions: see [Not].
const (
	Atom    Op = iota + 1 // proposition Number
	NotAtom               // its negation
	And                   // all of Args; of none: true
	Or                    // one of Args; of none: false
	Until                 // Args[1] is true at some time, and Args[0] until then
	Release               // Args[1] is true up to and including the time when Args[0] is, or forever
)

// Formula is a formula in negation normal form.
type Formula struct {
	Op     Op
	Number int // of the proposition
	Args   []*Formula
}

// Proposition is the formula that proposition i is true.
func Proposition(i int) *Formula { return &Formula{Op: Atom, Number: i} }

// All is the conjunction of formulas, and Any the disjunction.
func All(parts ...*Formula) *Formula { return &Formula{Op: And, Args: parts} }

// Any is the disjunction of formulas.
func Any(parts ...*Formula) *Formula { return &Formula{Op: Or, Args: parts} }

// Eventually is <> f.
func Eventually(f *Formula) *Formula { return AUntilB(All(), f) }

// Always is [] f.
func Always(f *Formula) *Formula { return &Formula{Op: Release, Args: []*Formula{Any(), f}} }

// AUntilB is a U b.
func AUntilB(a, b *Formula) *Formula { return &Formula{Op: Until, Args: []*Formula{a, b}} }

// duals are the operators that a negation exchanges.
var duals = map[Op]Op{Atom: NotAtom, NotAtom: Atom, And: Or, Or: And, Until: Release, Release: Until}

// Not is the negation of f.
func Not(f *Formula) *Formula {
	g := &Formula{Op: duals[f.Op], Number: f.Number}
	for _, a := range f.Args {
		g.Args = append(g.Args, Not(a))
	}
	return g
}

// String writes the formula with propositions p0, p1, ...: equal formulas are equal texts.
func (f *Formula) String() string {
	var parts []string
	for _, a := range f.Args {
		parts = append(parts, a.String())
	}
	switch f.Op {
	case Atom:
		return fmt.Sprintf("p%d", f.Number)
	case NotAtom:
		return fmt.Sprintf("!p%d", f.Number)
	case And, Or:
		if len(parts) == 0 {
			return map[Op]string{And: "true", Or: "false"}[f.Op]
		}
		return "(" + strings.Join(parts, map[Op]string{And: " && ", Or: " || "}[f.Op]) + ")"
	}
	return "(" + parts[0] + map[Op]string{Until: " U ", Release: " V "}[f.Op] + parts[1] + ")"
}

// Holds reports whether a sequence satisfies the formula: the letters, of which those from back on repeat
// forever. It needs 0 <= back < len(letters), and takes time linear in formula times letters, squared.
//
// This is the plain meaning: it finds where each part of the formula is true, from the inside out. Until is
// the least solution of "b, or a and the same at the next place", release the greatest of "b, and a or the same at
// the next place".
func (f *Formula) Holds(letters []Letter, back int) bool { return f.where(letters, back)[0] }

// where returns at which places of the sequence the formula is true.
func (f *Formula) where(letters []Letter, back int) []bool {
	at := make([]bool, len(letters))
	switch f.Op {
	case Atom, NotAtom:
		for i, l := range letters {
			at[i] = l>>f.Number&1 == 1 == (f.Op == Atom)
		}
		return at
	case And, Or:
		for i := range at {
			at[i] = f.Op == And
		}
		for _, a := range f.Args {
			for i, is := range a.where(letters, back) {
				if f.Op == And {
					at[i] = at[i] && is
				} else {
					at[i] = at[i] || is
				}
			}
		}
		return at
	}
	a, b := f.Args[0].where(letters, back), f.Args[1].where(letters, back)
	for i := range at {
		at[i] = f.Op == Release
	}
	for changed := true; changed; {
		changed = false
		for i := len(at) - 1; i >= 0; i-- {
			next := back
			if i+1 < len(at) {
				next = i + 1
			}
			is := b[i] || a[i] && at[next]
			if f.Op == Release {
				is = b[i] && (a[i] || at[next])
			}
			changed = changed || is != at[i]
			at[i] = is
		}
	}
	return at
}
