package liveness

import (
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// numbers are those of some states; see [walk.Numbers].
type numbers interface {
	States() int
	Parts() int
	Part(i int) (from, to int)
	EachIn(i int, f func(state []uint64) bool)
	State(dst []uint64, i int) []uint64
	FindAll(dst []int32, states []uint64, missing int32) (_ []int32, found bool)
	Forget()
}

// table numbers the states of a list in its order. A slot holds some bits of a hash above a number counted from 1; a
// state is in the first slot that was free from where its hash points.
type table struct {
	words int
	all   []uint64
	slots []uint64
}

const (
	mostPart   = 1 << 13   // states of a part
	tableBytes = 8 * 8 / 3 // taken by slots for a state, at most
)

func newTable(words int, all []uint64) *table {
	t := &table{words: words, all: all}
	t.slots = make([]uint64, 1<<bits.Len(uint(t.States()*4/3)))
	for i := range t.States() {
		h := t.hash(all[i*words:][:words])
		slot := h & uint64(len(t.slots)-1)
		for t.slots[slot] != 0 {
			slot = (slot + 1) & uint64(len(t.slots)-1)
		}
		t.slots[slot] = h&^(1<<32-1) | uint64(i+1)
	}
	return t
}

func (t *table) hash(state []uint64) uint64 {
	h := hash.Words(0, state) * 0xaf251af3b0f025b5
	return h ^ h>>29
}

func (t *table) States() int { return len(t.all) / t.words }

func (t *table) Parts() int { return (t.States() + mostPart - 1) / mostPart }

func (t *table) Part(i int) (from, to int) {
	return i * mostPart, min((i+1)*mostPart, t.States())
}

func (t *table) EachIn(i int, f func(state []uint64) bool) {
	from, to := t.Part(i)
	for k := from; k < to; k++ {
		if !f(t.all[k*t.words:][:t.words:t.words]) {
			return
		}
	}
}

func (t *table) State(dst []uint64, i int) []uint64 {
	return append(dst, t.all[i*t.words:][:t.words]...)
}

// FindAll reads the first slots of several states before it looks at any: their cache misses overlap.
func (t *table) FindAll(dst []int32, states []uint64, missing int32) (_ []int32, found bool) {
	const abreast = 64
	var hashes, firsts [abreast]uint64
	mask := uint64(len(t.slots) - 1)
	for found = true; len(states) > 0; {
		few := min(abreast, len(states)/t.words)
		for k := range few {
			hashes[k] = t.hash(states[k*t.words:][:t.words])
			firsts[k] = t.slots[hashes[k]&mask]
		}
		for k := range few {
			state, h := states[k*t.words:][:t.words], hashes[k]
			at := missing
			for slot, e := h&mask, firsts[k]; e != 0; e = t.slots[slot] {
				if (e^h)>>32 == 0 {
					if i := int(uint32(e)) - 1; same(t.all[i*t.words:][:t.words], state) {
						at = int32(i)
						break
					}
				}
				slot = (slot + 1) & mask
			}
			found = found && at != missing
			dst = append(dst, at)
		}
		states = states[few*t.words:]
	}
	return dst, found
}

func same(a, b []uint64) bool {
	for i, x := range a {
		if x != b[i] {
			return false
		}
	}
	return true
}

func (t *table) Forget() { t.slots = nil }
