// Package unsat checks that packets of any length cannot block each other, where
// that follows only from worms being disjoint: a proof in clauses (RUP: Goldberg and
// Novikov 2003) of the exact condition (Verbeek and Schmaltz 2011), checked without
// search. For a few packets it tries all sets, without a proof. In the same way it checks
// that no repair of a network costs less than a given one (package repairs).
package unsat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// Proof shows that there is no deadlock, or none within a bound; or no repair.
type Proof struct {
	Network spec.Digest
	Under   *spec.Scenario // packets of one length, or any; nil: of any
	Bound   Bound
	Steps   []Step
}

// Bound limits the size of the deadlocks, or the cost of the repairs, that are refuted.
type Bound struct {
	Of   Unit
	Most int // at least 1; 0 if unbounded, which layers and the hop index are not
}

// Unit is the unit of a deadlock's size, or the scheme of a repair.
type Unit uint8

const (
	Unbounded Unit = iota // deadlocks of any size
	Packets               // that block each other
	Channels              // that they hold
	Turns                 // that a repair forbids; from here on see package repairs
	Hops
	Order
	Layers
	HopIndex
	Dateline
)

var units = [...]string{"", "packets", "channels", "turns", "hops", "order", "layers", "hop-index", "dateline"}

// String returns the word for a unit.
func (u Unit) String() string { return units[u] }

// Property says what does not exist within the bound.
func (b Bound) Property() string {
	switch {
	case b.Of == Unbounded:
		return spec.DeadlockFreedom.String()
	case b.Of <= Channels && b.Most == 1:
		return "no deadlock of at most 1 " + strings.TrimSuffix(b.Of.String(), "s")
	case b.Of <= Channels:
		return fmt.Sprintf("no deadlock of at most %d %s", b.Most, b.Of)
	case b.Most == 0:
		return fmt.Sprintf("no repair by %s", b.Of)
	}
	return fmt.Sprintf("no repair by %s that costs at most %d", b.Of, b.Most)
}

// Step is a step of an unsatisfiability proof. A clause follows from what comes before it by unit
// propagation, or by a sum: were it false, each clause of the sum would follow, but they
// cannot all be true, since at most one literal of a group is. (With scheme dateline some
// clauses need more than one true literal, and a turn and its negation are a group.) A
// list of sites says that no worm goes round in them forever; a condition is a clause that
// every repair meets. In the end there is a contradiction.
type Step struct {
	Clause, Condition bool
	List              []int32 // literals, see formula and package repairs; or numbers of sites (spec.Table.First + i)
	Sum               [][]int32
}

// Verify checks an unsatisfiability proof: one pass over its steps. Each step, and each clause of a sum, takes
// time at most linear in the network; a list of sites, where channels are shared, in the hops times
// the sites of a channel; a condition visits the network until nothing more changes.
// A nil error is the only acceptance. Verify ends with ctx.
//
// Soundness: every set of worms that block each other satisfies the formula; what a
// clause adds follows from it, and what sites add follows from the end of each worm: its head
// waits in one of them, or it has taken a hop out of them. So a contradiction leaves no
// such set, for all lengths of packets and depths of buffers. Packets of one length are
// taken to fill a known number of channels, unless their source still feeds them: while their flits
// close up, heads stay where they are and what is stuck stays stuck; then the largest stuck set has
// all channels of its packets. Within a bound the formula counts heads, one for each packet, or
// channels held. If there are no steps, all sets of that few packets are tried (see waits). Every
// repair meets the conditions and the clauses of package repairs, and within a bound forbids no
// more units.
//
// Where channels are shared, the first packets in the channels of a stuck set satisfy the formula: each
// has its head in its channel and waits, or has taken a hop into another channel of the set.
//
// Not covered: deadlocks within a bound where channels of more than one flit are shared; repairs by other
// schemes, and those that are deadlock-free for another reason than ranks.
func Verify(ctx context.Context, n *spec.Network, r *Proof) error {
	switch {
	case n.FlowCount() == 0:
		return proofs.ErrNoFlow
	case r.Network != n.Digest():
		return fmt.Errorf("the unsatisfiability proof is for another network: %s, not %s", r.Network, n.Digest())
	case int(r.Bound.Of) >= len(units) || r.Bound.Of == Unbounded && r.Bound.Most != 0 || r.Bound.Most < 0 ||
		r.Bound.Most == 0 && r.Bound.Of != Unbounded && (r.Bound.Of < Turns || r.Bound.Of > Order) ||
		r.Under != nil && r.Bound.Of > Channels:
		return fmt.Errorf("invalid bound of %d", r.Bound.Most)
	}
	under := cmp.Or(r.Under, &spec.Scenario{Length: spec.AnyLength})
	sharing := under.Shared && r.Bound.Of != Unbounded && n.Buffer() > 1
	if _, err := n.Traffic(*under); r.Under != nil && (err != nil || !under.Flits() || sharing) {
		return cmp.Or(err,
			errors.New("an unsatisfiability proof needs a packet length; within a bound, packets that share no channel"))
	}
	f, err := newFormula(ctx, n, r.Bound, *under)
	if err != nil {
		return err
	}
	if r.Bound.Of == Packets && len(r.Steps) == 0 {
		most := min(r.Bound.Most, n.Topology().Channels()) // each packet holds a channel
		if w := newWaits(ctx, n); w != nil && w.none(w.follow(f), most) {
			return nil
		} else if w != nil && !w.ends() {
			return &ClosedError{w.rows, w.holder}
		}
	}
	literals, sites := int32(len(f.value)), int32(len(f.ends[0]))
	for i, step := range r.Steps {
		limit := sites
		if step.Clause || step.Condition {
			limit = literals
		}
		for _, x := range slices.Concat(step.List, slices.Concat(step.Sum...)) {
			if x < 0 || x >= limit {
				return fmt.Errorf("step %d: number %d is out of range: want 0 to %d", i+1, x, limit-1)
			}
		}
		switch {
		case step.Condition && (f.meets == nil || !f.meets(step.List)):
			return fmt.Errorf("step %d: not every repair meets the condition", i+1)
		case step.Condition:
		case !step.Clause:
			f.escape(step.List)
		case !f.follows(ctx, step.List, step.Sum...):
			return cmp.Or(ctx.Err(), fmt.Errorf("step %d: the clause does not follow", i+1))
		default:
			f.add(step.List...)
		}
		if err := ctx.Err(); err != nil || f.contradiction {
			return err
		}
	}
	return cmp.Or(ctx.Err(), errors.New("the steps end without a contradiction"))
}

// ClosedError says that trying all sets of a few packets refutes nothing, because one of the sets
// may be stuck.
type ClosedError struct {
	Rows   []int                  // spec.RowID, one for each packet of that set
	Holder map[spec.ChannelID]int // of what they wait for: which of them holds it, and one more
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("%d packets that wait with rows %v might hold all that they wait for", len(e.Rows), e.Rows)
}

// Read reads the written form, a line for each step:
//
//	unknot-unsatisfiability-proof 2
//	network DIGEST
//	scenario WORDS, unless it is of any length; see spec.Scenario.String
//	packets NUMBER, or channels NUMBER, or a scheme and a NUMBER, or nothing: the bound
//	clause LITERAL ... some LITERAL ... some LITERAL ...: a clause, and those of its sum, if any
//	sites SITE ...
//	condition LITERAL ...
//	end
//
// Errors are *spec.PosError with the given file name.
func Read(file string, in io.Reader) (*Proof, error) {
	l := lines.New(file, in, "unknot-unsatisfiability-proof 2")
	r := &Proof{Network: l.Network()}
	if strings.HasPrefix(l.Peek(), "scenario") {
		sc, err := spec.ParseScenario(l.Field("scenario"))
		if r.Under = &sc; err != nil || sc.Bounded() {
			l.Fail("invalid scenario: %v", err)
		}
	}
	for of := Packets; int(of) < len(units); of++ {
		if strings.HasPrefix(l.Peek(), of.String()+" ") {
			r.Bound = Bound{of, l.Number(l.Field(of.String()), 0, math.MaxInt32)}
		}
	}
	for l.Err() == nil && l.Peek() != "end" {
		name := "sites"
		for _, other := range []string{"clause", "condition"} {
			if strings.HasPrefix(l.Peek(), other) {
				name = other
			}
		}
		step := Step{Clause: name == "clause", Condition: name == "condition"}
		list := &step.List
		for _, word := range l.Words(name, -1) {
			if step.Clause && word == "some" {
				step.Sum = append(step.Sum, nil)
				list = &step.Sum[len(step.Sum)-1]
			} else {
				*list = append(*list, int32(l.Number(word, 0, math.MaxInt32)))
			}
		}
		r.Steps = append(r.Steps, step)
	}
	return lines.End(l, r)
}
