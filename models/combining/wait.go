package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Waiting is how long a message waits for partners at a switch: the level in two
// bits of its header.
type Waiting uint8

const (
	// Pass (level 0): not at all; the message does not come to the wait buffer.
	Pass Waiting = iota
	// Record (level 1): not at all, but an entry is left, and what comes later
	// is combined with it as long as it stays.
	Record
	// Window (level 2): a bounded time. unknot knows no time, so the wait may
	// end at any moment after it has begun: whatever the bound, what happens
	// with it is among what is explored.
	Window
	// Forever (level 3): until all partners are there.
	Forever
)

// Overflow is what happens to a message that needs a new entry while the wait
// buffer is full.
type Overflow uint8

const (
	// Ample: it never is, there is an entry for every key.
	Ample Overflow = iota
	// Refuse: the message stays at the head of its link until an entry is free.
	Refuse
	// Interrupt: the nearest processor takes over, with a table of its own in
	// memory, ample; the switch remembers nothing of it and asks its own buffer
	// first for every message. Taking over is one step together with the arrival
	// of the message: the way of the interrupt packet and the time of the
	// software are left out, so that what goes wrong is not their fault. (In
	// invalidate/Ack they can be put in: interrupts=travel.)
	Interrupt
	// Marked: as Interrupt, but the switch marks the key as taken over until the
	// processor is done with it, and passes all its messages on to the processor.
	Marked
)

// OverflowNames are the values of Overflow for people, in their order.
var OverflowNames = []string{"none", "refuse", "interrupt", "marked"}

// waitBuffer is the wait buffer of one switch: at most one entry a key, each a
// few variables that are 0 while there is no entry. parts says which variables
// make up the entry of a key.
//
// With overflow to a processor there are two entries a key, the processor's in the second
// place; the first is the switch's own.
type waitBuffer struct {
	size     int // entries
	overflow Overflow
	own      [][]program.Var // by key
	taken    [][]program.Var // by key: the processor's; nil unless it may take over
}

// store is one of the entries that a message may have to do with.
type store struct {
	place int          // 0: the switch's own entry, 1: the processor's
	when  program.Expr // the message has to do with this one, and can be entered now
}

// newWaitBuffer makes a buffer with a number of entries for keys 0..keys-1.
// entry adds the variables of the entry of one key to the program; place is 0 for
// the switch's own and 1 for the processor's. All of them have to be 0 at first.
func newWaitBuffer(keys, size int, overflow Overflow, entry func(key, place int) []program.Var) *waitBuffer {
	b := &waitBuffer{size: size, overflow: overflow}
	for key := range keys {
		b.own = append(b.own, entry(key, 0))
	}
	if b.spills() {
		for key := range keys {
			b.taken = append(b.taken, entry(key, 1))
		}
	}
	return b
}

// spills reports whether a processor may have to take over.
func (b *waitBuffer) spills() bool {
	return (b.overflow == Interrupt || b.overflow == Marked) && b.bounded()
}

// bounded reports whether there are more keys than entries.
func (b *waitBuffer) bounded() bool { return b.overflow != Ample && b.size < len(b.own) }

// places returns how many entries a key may have: 1, or 2 with a processor's.
func (b *waitBuffer) places() int {
	if b.spills() {
		return 2
	}
	return 1
}

// Has holds if the key has an entry at a place.
func (b *waitBuffer) Has(key, place int) program.Expr {
	entry := b.own[key]
	if place == 1 {
		entry = b.taken[key]
	}
	return some(entry)
}

func some(entry []program.Var) program.Expr {
	any := make([]program.Expr, len(entry))
	for i, x := range entry {
		any[i] = program.Ne(x, 0)
	}
	return program.Or(any...)
}

// Used is the number of the switch's own entries.
func (b *waitBuffer) Used() program.Expr {
	n := program.Const(0)
	for _, entry := range b.own {
		n = program.Add(n, program.IfElse(some(entry), 1, 0))
	}
	return n
}

// Idle holds if there is no entry, neither here nor with the processor.
func (b *waitBuffer) Idle() program.Expr {
	var none []program.Expr
	for _, entry := range append(b.own[:len(b.own):len(b.own)], b.taken...) {
		none = append(none, program.Not(some(entry)))
	}
	return program.And(none...)
}

// Stores returns where a message with the key may be entered, or matched with
// what was entered before; the conditions exclude each other. With Refuse they
// may all fail: the message has to wait then.
func (b *waitBuffer) Stores(key int) []store {
	if !b.bounded() {
		return []store{{0, program.And()}}
	}
	fits := b.Fits(key)
	switch b.overflow {
	case Interrupt:
		return []store{{0, fits}, {1, program.Not(fits)}}
	case Marked:
		taken := b.Has(key, 1)
		return []store{{0, program.And(program.Not(taken), fits)}, {1, program.Or(taken, program.Not(fits))}}
	}
	return []store{{0, fits}}
}

// Fits holds if the key has one of the switch's own entries, or there is room for
// one.
func (b *waitBuffer) Fits(key int) program.Expr {
	return program.Or(b.Has(key, 0), program.Lt(b.Used(), b.size))
}

// check says what is wrong with the size of a wait buffer.
func checkWaitBuffer(size int, overflow Overflow) error {
	switch {
	case overflow > Marked:
		return fmt.Errorf("overflow %d: want 0 to %d", overflow, Marked)
	case size < 1 || size > 16:
		return fmt.Errorf("a wait buffer of %d entries: want 1 to 16", size)
	}
	return nil
}
