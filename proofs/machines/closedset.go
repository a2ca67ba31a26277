// Package machines holds the evidence for a verdict "holds" about the states of a
// machine: closed sets ([VerifyClosed]), rankings of them ([VerifyRanking]), and
// counts, which [Recount] checks by visiting all states again. Apart from that
// recount, and from [Lost], which goes back along hops from each destination, no
// check searches.
package machines

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// A closed set is evidence that a property of a machine's states holds: a set
// that contains the initial states, that no step leaves, and all of whose states
// are safe. By induction over the steps, every reachable state is safe. The check
// takes every step of every state once and searches nothing. The reachable states
// are the smallest closed set.

// ClosedSet is a set of states of a machine.
type ClosedSet struct {
	Machine  string // its Name
	Property string // which states are safe: "deadlock-freedom", or an invariant
	States   [][]uint64
}

// VerifyClosed checks that the set is closed under the machine's steps, holds
// its initial states, and that safe accepts each of its states. A nil error is
// the only acceptance. A machine without an initial state is refused, since every
// property holds of it. VerifyClosed ends with ctx.
//
// Soundness: the initial states are in the set and no step leaves it, so by induction
// every reachable state is in it, and so is safe. Not covered: that the machine is the
// one its author meant; and with [Safe] of a network, traffic beyond its scenario.
func VerifyClosed(ctx context.Context, m states.Machine, safe func(s, next []uint64) error, set *ClosedSet) error {
	if set == nil {
		return errors.New("no closed set")
	}
	if set.Machine != m.Name() {
		return fmt.Errorf("the closed set is for another machine: %s, not %s", set.Machine, m.Name())
	}
	words := m.Layout().Words()
	in := newStateSet(words, len(set.States))
	for i, s := range set.States {
		if len(s) != words {
			return fmt.Errorf("state %d has %d words, not %d", i, len(s), words)
		}
		err := cmp.Or(ctx.Err(), written(m.Layout(), s))
		if t, is := m.(*states.Traffic); is && err == nil {
			err = t.Valid(s)
		}
		if err != nil {
			return fmt.Errorf("invalid state %d: %w", i, err)
		}
		in.add(s)
	}
	within := func(states []uint64, whence func() string) error {
		for ; len(states) >= words; states = states[words:] {
			if !in.has(states[:words]) {
				return fmt.Errorf("the set lacks the state %s, %s", m.Layout().Text(states[:words]), whence())
			}
		}
		return nil
	}
	if start := m.Start(nil); len(start) < words {
		return errNoStart
	} else if err := within(start, func() string { return "in which the machine begins" }); err != nil {
		return err
	}
	var next []uint64
	for _, s := range set.States {
		var err error
		if next, err = m.AppendSuccessors(next[:0], s); err == nil {
			err = cmp.Or(ctx.Err(), safe(s, next))
		}
		if err != nil {
			return fmt.Errorf("in %s: %w", m.Layout().Text(s), err)
		}
		what := func() string { return "to which a step leads from " + m.Layout().Text(s) }
		if err := within(next, what); err != nil {
			return err
		}
	}
	return nil
}

// errNoStart refuses evidence about a machine without an initial state.
var errNoStart = errors.New("the machine has no initial state: nothing is shown")

// written checks that a state from a file has only values of the layout's fields, so
// that models need not handle others.
func written(l *states.Layout, s []uint64) error {
	fields := make([]uint64, len(s))
	for _, f := range l.Fields() {
		if v := f.Of(s); v >= f.Values {
			return fmt.Errorf("%s is %d: want less than %d", f.Name, v, f.Values)
		}
		f.Put(fields, f.Of(s))
	}
	if !slices.Equal(fields, s) {
		return errors.New("bits outside every field are set")
	}
	return nil
}

func stateKey(s []uint64) string { return string(appendKey(nil, s)) }

func appendKey(dst []byte, s []uint64) []byte {
	for _, w := range s {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// stateSet is a set of states of equally many words. Those of one word are their own keys, which takes half the time.
type stateSet struct {
	single map[uint64]struct{}
	longer map[string]struct{}
	key    []byte
}

func newStateSet(words, size int) *stateSet {
	if words == 1 {
		return &stateSet{single: make(map[uint64]struct{}, size)}
	}
	return &stateSet{longer: make(map[string]struct{}, size)}
}

func (x *stateSet) add(s []uint64) {
	if x.single != nil {
		x.single[s[0]] = struct{}{}
		return
	}
	x.longer[stateKey(s)] = struct{}{}
}

func (x *stateSet) has(s []uint64) (is bool) {
	if x.single != nil {
		_, is = x.single[s[0]]
		return is
	}
	x.key = appendKey(x.key[:0], s)
	_, is = x.longer[string(x.key)] // without a copy
	return is
}

// Safe returns what makes a state of a machine, given its successors, safe for a property: of a network's
// traffic, that nothing is stuck, or no packet is lost and every flow is routed; of
// another machine, that the state has a successor or is an intended end ("deadlock-freedom"),
// or that the named invariant holds.
//
// For a network it examines only states without a greater successor for stuck packets. What is
// stuck stays stuck (see [spec.Waiting]), in every successor; so if something is stuck in a state,
// a chain of ever greater successors leads from it to a state that is examined. A caller that
// asks about a state must also ask about its successors.
//
// As in [proofs.Verify], a network without flows is refused.
func Safe(m states.Machine, property string) (func(s, next []uint64) error, error) {
	claims, deadlock := states.ClaimsOf(m), property == spec.DeadlockFreedom.String()
	t, traffic := m.(*states.Traffic)
	switch {
	case traffic && t.Network().FlowCount() == 0:
		return nil, proofs.ErrNoFlow
	case traffic && deadlock:
		return func(s, next []uint64) error {
			for after := range slices.Chunk(next, len(s)) {
				if slices.Compare(after, s) > 0 {
					return nil
				}
			}
			if stuck := t.StuckIn(s); len(stuck) > 0 {
				return fmt.Errorf("the packet in %s is stuck", t.Network().Topology().ChannelName(stuck[0]))
			}
			return nil
		}, nil
	case traffic && property == spec.Delivery.String():
		return delivered(t), nil
	case deadlock:
		return func(s, next []uint64) error {
			if len(next) == 0 && (claims.Final == nil || !claims.Final(s)) {
				return errors.New("no step is possible")
			}
			return nil
		}, nil
	}
	i := slices.IndexFunc(claims.Invariants, func(v states.Invariant) bool { return v.Name == property })
	if i < 0 {
		return nil, fmt.Errorf("the machine has no invariant %q%s", property,
			words.NowCalled(property, spec.PropertyNames()))
	}
	return func(s, _ []uint64) error {
		if claims.Invariants[i].Broken(s) {
			return fmt.Errorf("the invariant %q is violated", property)
		}
		return nil
	}, nil
}

// SetDigest is a digest of a set of states that does not depend on their order,
// so that an engine that meets them in another order can reproduce it. Each state goes through
// rounds of mixing, one for each of its words and eight more; a round takes in a word, if one is
// left, and multiplies. The result of each round is added, modulo 2^64, to one of four words in turn.
//
// It distinguishes sets that differ by mistake, even if missing and extra states differ from each
// other in the same way. It does not withstand an attacker who looks for two sets with one digest,
// and neither would sums of any 256-bit hash: such sets are found in some 2^32 steps (Wagner, A
// Generalized Birthday Problem, 2002). No verdict rests on it.
type SetDigest spec.Digest

// Add adds a state to the set.
func (d *SetDigest) Add(s []uint64) {
	a, b := uint64(len(s)), uint64(0xff51afd7ed558ccd)
	for i := range len(s) + 8 {
		if i < len(s) {
			a ^= s[i]
		}
		hi, lo := bits.Mul64(a, 0x9e3779b97f4a7c15)
		a, b = b^hi, lo // tells a and b as they were
		sum := d[i%4*8:][:8]
		binary.BigEndian.PutUint64(sum, binary.BigEndian.Uint64(sum)+a)
	}
}

// Join adds another set, which must not have a state in common with this one.
func (d *SetDigest) Join(o SetDigest) {
	for i := 0; i < len(d); i += 8 {
		binary.BigEndian.PutUint64(d[i:], binary.BigEndian.Uint64(d[i:])+binary.BigEndian.Uint64(o[i:]))
	}
}

// String returns the digest in hexadecimal digits.
func (d SetDigest) String() string { return spec.Digest(d).String() }

// The written form of a closed set:
//
//	unknot-closed-set 2
//	machine NAME
//	property NAME
//	states COUNT WORDS
//	WORD ...                  a state a line, ascending; words in hexadecimal digits
//	end
const closedSetLine = "unknot-closed-set 2"

// ReadClosedSet reads the written form. Memory is bounded by the text. Errors
// are *spec.PosError with the given file name.
func ReadClosedSet(file string, r io.Reader) (*ClosedSet, error) {
	l, set := lines.New(file, r, closedSetLine), &ClosedSet{}
	readStates(l, set, func(words []string) bool { return len(words) == 0 })
	return lines.End(l, set)
}

// readStates reads a set after its first line; about takes the words before each state.
// States are ascending, so none is repeated.
func readStates(l *lines.Reader, set *ClosedSet, about func(words []string) bool) {
	set.Machine, set.Property = l.Quoted("machine"), l.Quoted("property")
	size := l.Numbers("states", 2)
	for i := 0; i < size[0] && l.Err() == nil; i++ {
		words := strings.Split(l.ReadLine(), " ")
		before := len(words) - size[1]
		if before < 0 || !about(words[:before]) {
			l.Fail("want a state of %d words here, after its ranks if it has any", size[1])
			break
		}
		s := l.Hexadecimal(words[before:])
		if i > 0 && slices.Compare(set.States[i-1], s) >= 0 {
			l.Fail("states must be ascending, each once")
		}
		set.States = append(set.States, s)
	}
}
