package machines

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// A count is evidence for a state space too large to be written: the numbers of
// reachable states and of steps, and a digest of the set. To check it is to visit
// all states again. Recount does so in the plainest way there is, and shares nothing
// with the checker's search. Its verdict is its own, since it asks of every state it
// visits whether it is safe; that the counts agree shows in addition that two searches
// have found the same.

// Count sums up the reachable states of a machine.
type Count struct {
	Machine     string // its Name
	Property    string // which states are safe: "deadlock-freedom", "delivery", or an invariant
	States      int64
	Transitions int64 // successors of all states, those that are equal counted each
	Digest      SetDigest
}

// Recount visits every reachable state, checks that safe accepts each with its
// successors, and compares the counts and the digest. A nil error is the only
// acceptance. It takes 8 bytes for each word of a state and 8 to 16 more for each state,
// and at most some 128 MiB for successors that wait. Beyond memory bytes (0 means 8 GiB) or
// 2^31 states it fails with a *spec.BoundError; as soon as it meets more states than the
// count has, it fails, too. It ends with ctx. It uses all cores: safe is called by several
// goroutines at once.
//
// Soundness: a search that began with the initial states and went on with every
// successor of every state it met has met every reachable state, and safe accepted
// each; two states count as one only if they are equal word by word. Not covered:
// the digest itself, which shows only that another search met the same states.
func Recount(ctx context.Context, m states.Machine, safe func(s, next []uint64) error, c *Count, memory int64) error {
	if err := checkHead(m, c); err != nil {
		return err
	}
	sets, seed, words := make([]visited, sets), rand.Uint64(), m.Layout().Words()
	for i := range sets {
		sets[i] = visited{words: words, seed: seed}
	}
	start := m.Start(nil)
	if len(start) < words {
		return errNoStart
	}
	parts := make([]steps, runtime.GOMAXPROCS(0))
	parts[0].met(start, words)
	for todo := true; todo; {
		err := each.Do(ctx, len(parts), len(sets), func(_, i int) error {
			for p := range parts {
				sets[i].add(parts[p].next[i])
				parts[p].next[i] = parts[p].next[i][:0]
			}
			return nil
		})
		if err != nil {
			return err
		}
		if todo, err = within(sets, c, bound(memory)); err != nil {
			return err
		}
		err = each.Do(ctx, len(parts), len(parts), func(_, i int) error {
			return parts[i].take(ctx, m, safe, sets[len(sets)*i/len(parts):len(sets)*(i+1)/len(parts)])
		})
		if err != nil {
			return err
		}
	}
	var all steps
	for i := range parts {
		all.count += parts[i].count
		all.digest.Join(parts[i].digest)
	}
	return checkSums(c, all.count, all.digest)
}

// within reports whether states are left whose steps are to be taken. It refuses more than a count has, more than
// memory bytes of them, and too few once none is left.
func within(sets []visited, c *Count, memory int64) (todo bool, err error) {
	var count, bytes int64
	for i := range sets {
		count += int64(sets[i].count())
		bytes += int64(8*cap(sets[i].all) + 4*len(sets[i].table))
		todo = todo || sets[i].done < sets[i].count()
	}
	switch {
	case count > mostStates:
		return todo, &spec.BoundError{What: "states", Limit: mostStates}
	case bytes > memory:
		return todo, &spec.BoundError{What: "bytes of states", Limit: int(memory)}
	case count > c.States:
		return todo, fmt.Errorf("more states are reachable than the %d of the count", c.States)
	case !todo && count != c.States:
		return todo, fmt.Errorf("%d states are reachable, not %d", count, c.States)
	}
	return todo, nil
}

// steps holds what one goroutine finds out about some states.
type steps struct {
	after  []uint64       // the successors of one
	next   [sets][]uint64 // those of all, by the set in which each belongs
	count  int64          // of successors
	digest SetDigest
}

// take takes the steps of the next states of each set. The error is about the first
// state that is not safe, or whose steps are not defined.
func (p *steps) take(
	ctx context.Context, m states.Machine, safe func(s, next []uint64) error, from []visited,
) (err error) {
	// The more successors a set is given at once, the more often it is in the cache.
	for i := 0; i < len(from) && ctx.Err() == nil; i++ {
		for s := range slices.Chunk(from[i].todo(1<<16/max(1, cap(p.after))), from[i].words) {
			if p.after, err = m.AppendSuccessors(p.after[:0], s); err == nil {
				err = safe(s, p.after)
			}
			if err != nil {
				return fmt.Errorf("in %s: %w", m.Layout().Text(s), err)
			}
			p.digest.Add(s)
			p.count += int64(len(p.after) / len(s))
			p.met(p.after, len(s))
		}
	}
	return nil
}

// met sorts a sequence of states into the sets they belong to.
func (p *steps) met(states []uint64, words int) {
	for s := range slices.Chunk(states, words) {
		i := hash.Words(0, s) % sets // so that states are always visited in the same order
		p.next[i] = append(p.next[i], s...)
	}
}

// sets is the number of sets into which the states are divided, so that cores can add to
// several at once, each with its set in its cache.
const sets = 256

// visited is one of these sets: its states in the order in which they were met, and a
// table of their numbers.
type visited struct {
	words int
	done  int // states of which the steps have been taken
	all   []uint64
	table []uint32 // 1 + number of a state, 0: free; its length is a power of two
	seed  uint64
}

// mostStates keeps the numbers of states within those of the table, however many
// one step adds.
const mostStates = 1<<31 - 1

func (v *visited) count() int           { return len(v.all) / v.words }
func (v *visited) state(i int) []uint64 { return v.all[i*v.words : (i+1)*v.words] }

// todo returns the next states whose steps are to be taken: at most the given number, but at
// least one if any is left.
func (v *visited) todo(most int) []uint64 {
	from := v.done
	v.done = min(v.count(), from+max(1, most))
	return v.all[from*v.words : v.done*v.words]
}

// add adds a sequence of states.
func (v *visited) add(states []uint64) {
	for s := range slices.Chunk(states, v.words) {
		if 2*v.count() >= len(v.table) {
			v.grow()
		}
		if at := v.place(s); v.table[at] == 0 {
			v.all = append(v.all, s...)
			v.table[at] = uint32(v.count())
		}
	}
}

// place returns where s is in the table, or the free place for it.
func (v *visited) place(s []uint64) int {
	at := int(hash.Words(v.seed, s)) & (len(v.table) - 1)
	for v.table[at] != 0 && !slices.Equal(v.state(int(v.table[at])-1), s) {
		at = (at + 1) & (len(v.table) - 1)
	}
	return at
}

func (v *visited) grow() {
	v.table = make([]uint32, max(64, 2*len(v.table)))
	for i := range v.count() {
		v.table[v.place(v.state(i))] = uint32(i + 1)
	}
}

// The written form of a count:
//
//	unknot-count 3
//	machine NAME
//	property NAME
//	states COUNT
//	transitions COUNT
//	digest DIGEST
//	end
const countLine = "unknot-count 3"

// ReadCount reads the written form. Errors are *spec.PosError with the given file name.
func ReadCount(file string, r io.Reader) (*Count, error) {
	l := lines.New(file, r, countLine)
	c := &Count{Machine: l.Quoted("machine"), Property: l.Quoted("property")}
	c.States, c.Transitions = int64(l.Numbers("states", 1)[0]), int64(l.Numbers("transitions", 1)[0])
	digest, err := spec.ParseDigest(l.Field("digest"))
	if err != nil {
		l.Fail("%v", err)
	}
	c.Digest = SetDigest(digest)
	return lines.End(l, c)
}
