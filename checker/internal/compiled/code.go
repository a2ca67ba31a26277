package compiled

import "github.com/seed-105a2da2/unknot/spec/program"

// Flat code for formulas and statements.
//
// A formula is a chain of tests, each with two successors; members of a conjunction that lie
// in one word and are decided by their bits are one test. Nothing is allocated while states
// are explored.

// The ends of code.
const (
	yes int32 = -1 - iota
	no
)

type shape uint8

const (
	always  shape = iota // it holds
	never                // it does not
	member               // the value of a variable is in a set
	all                  // all parts hold: members first, each of another variable
	some                 // some part holds
	compare              // a sum is equal to, or less than, a bound
	equal                // a variable of more than 64 values is equal to a bound
)

// formula is a truth value in normal form.
type formula struct {
	shape   shape
	less    bool // sum < bound, else sum = bound
	negated bool // the negation of the comparison
	x       program.Var
	set     uint64
	parts   []formula

	sum   *number
	bound int
}

// number is a sum: of a constant, a table for each of some variables, and other
// terms.
type number struct {
	constant int
	tables   []table
	rest     []term
	counts   []count  // of the tables, those that test fields in one word
	lookups  []lookup // the other tables, as lookups
	masked   []masks  // conditions decided by bits of a word
	others   []term   // the remaining terms
	code     *code    // of their conditions
}

// lookup is a table indexed by the values of adjacent variables.
type lookup struct {
	place
	values []int
}

// masks is a number added if bits of a word are as wanted.
type masks struct {
	factor     int
	word       int32
	mask, want uint64
}

// count is a multiple of how many fields match.
type count struct {
	factor int
	word   int32
	fields
}

type table struct {
	place
	x      program.Var
	values []int // by value of x
}

// term is a multiple of a function of the state, of a variable that is not tabulated, or of 1
// if a condition holds.
type term struct {
	factor int
	value  func(s []uint64) int
	cond   *formula
	entry  int32 // of the condition
	place
	x program.Var
}

// code is the tests of a machine's formulas.
type code struct {
	tests []test
	sets  []uint64
	sums  []*formula

	fields []fields
}

// holds runs the code from one test on.
func (c *code) holds(s []uint64, at int32) bool {
	tests := c.tests
	for uint(at) < uint(len(tests)) { // the ends are below 0
		t := &tests[at]
		so := uint64(0)
		switch t.kind {
		case masked:
			if s[t.word]&t.mask == t.want {
				so = 1
			}
		case inSet:
			so = t.want >> (s[t.word] >> (t.shift & 63) & t.mask & 63)
		case inSets:
			v := s[t.word] >> (t.shift & 63) & t.mask
			so = c.sets[t.want+v>>6] >> (v & 63)
		case noField:
			if !c.fields[t.want].any(s[t.word]) {
				so = 1
			}
		default:
			if c.sums[t.want].compares(s) {
				so = 1
			}
		}
		if so&1 != 0 { // a branch, since most can be predicted: with next[so&1] each test would wait for the last
			at = t.next[1]
		} else {
			at = t.next[0]
		}
	}
	return at == yes
}

func (f *formula) compares(s []uint64) bool {
	v := f.sum.value(s)
	return (f.less && v < f.bound || !f.less && v == f.bound) != f.negated
}

// value returns the number in a state.
func (n *number) value(s []uint64) int {
	v := n.constant
	for i := range n.counts {
		t := &n.counts[i]
		v += t.factor * t.count(s[t.word])
	}
	for i := range n.lookups {
		t := &n.lookups[i]
		v += t.values[t.of(s)]
	}
	for i := range n.masked { // whether they hold is unpredictable
		t, so := &n.masked[i], 0
		if s[t.word]&t.mask == t.want {
			so = 1
		}
		v += t.factor * so
	}
	for i := range n.others {
		switch r := &n.others[i]; {
		case r.value != nil:
			v += r.factor * r.value(s)
		case r.cond == nil:
			v += r.factor * int(r.of(s))
		case n.code.holds(s, r.entry):
			v += r.factor
		}
	}
	return v
}

// number is the table's number for a value; 0 if it has none.
func (t *table) number(v uint64) int {
	if v < uint64(len(t.values)) {
		return t.values[v]
	}
	return 0
}

// of is the table's number in a state.
func (t *table) of(s []uint64) int { return t.number(t.place.of(s)) }
