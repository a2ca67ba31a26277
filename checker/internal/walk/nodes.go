package walk

import (
	"sync"
	"sync/atomic"
)

// nodes numbers 64-bit values, each once, for any number of workers at once. A value keeps its number; that of a new one
// depends on which worker comes first, so nothing that a user sees may depend on numbers.
//
// Values are in blocks, in the order of their numbers, and a table finds numbers by the hash of the value. A worker
// claims a number, writes the value, and then tries to put the number into an empty slot. If another one was faster, it
// looks at that slot again, and its number is never used. So a slot never changes once it is filled, and a worker that
// reads a number from a slot finds the value there.
type nodes struct {
	growing sync.RWMutex // for reading while values are looked up, for writing while the table grows
	// Number + 1; 0: empty. A power of two long. From Go's heap, as the race detector knows nothing of atomic
	// operations elsewhere.
	slots  []uint32
	next   atomic.Uint32
	blocks [1 << (32 - nodeBits)]atomic.Pointer[[1 << nodeBits]uint64]
	making sync.Mutex // of blocks
}

const (
	nodeBits   = 16 // of a number, in its block
	firstNodes = 1 << 12
)

func newNodes(least int) *nodes {
	length := firstNodes
	for length < least {
		length *= 2
	}
	return &nodes{slots: make([]uint32, length)}
}

// value returns the value of a number.
func (t *nodes) value(n uint32) uint64 { return t.blocks[n>>nodeBits].Load()[n&(1<<nodeBits-1)] }

// number returns the number of a value, and adds it if it is new. There must be room. The second result is true, as that
// of find is for a value that is there.
func (t *nodes) number(v uint64) (n uint32, known bool) {
	mask, mine, claimed := uint64(len(t.slots)-1), uint32(0), false
	for i := mix(v) & mask; ; i = (i + 1) & mask {
		e := atomic.LoadUint32(&t.slots[i])
		if e == 0 {
			if !claimed {
				mine, claimed = t.claim(v), true
			}
			if atomic.CompareAndSwapUint32(&t.slots[i], 0, mine+1) {
				return mine, true
			}
			e = atomic.LoadUint32(&t.slots[i])
		}
		if t.value(e-1) == v {
			return e - 1, true
		}
	}
}

// find returns the number of a value if it is there.
func (t *nodes) find(v uint64) (n uint32, found bool) {
	mask := uint64(len(t.slots) - 1)
	for i := mix(v) & mask; ; i = (i + 1) & mask {
		switch e := atomic.LoadUint32(&t.slots[i]); {
		case e == 0:
			return 0, false
		case t.value(e-1) == v:
			return e - 1, true
		}
	}
}

// claim takes the next number for a value.
func (t *nodes) claim(v uint64) uint32 {
	n := t.next.Add(1) - 1
	at := &t.blocks[n>>nodeBits]
	block := at.Load()
	if block == nil {
		t.making.Lock()
		if block = at.Load(); block == nil {
			block = new([1 << nodeBits]uint64)
			at.Store(block)
		}
		t.making.Unlock()
	}
	block[n&(1<<nodeBits-1)] = v
	return n
}

// begin must precede uses of number, and end follow them; room is asked before at most some values are added by each of
// some workers.
func (t *nodes) begin() { t.growing.RLock() }
func (t *nodes) end()   { t.growing.RUnlock() }

// room makes the table larger if it is nearly full. It is called between begin and end.
func (t *nodes) room(values int) {
	if int(t.next.Load())+values <= len(t.slots)/4*3 {
		return
	}
	t.growing.RUnlock()
	t.growing.Lock()
	for int(t.next.Load())+values > len(t.slots)/4*3 {
		old := t.slots
		t.slots = make([]uint32, 2*len(old))
		mask := uint64(len(t.slots) - 1)
		for _, e := range old {
			if e == 0 {
				continue
			}
			i := mix(t.value(e-1)) & mask
			for t.slots[i] != 0 {
				i = (i + 1) & mask
			}
			t.slots[i] = e
		}
	}
	t.growing.Unlock()
	t.growing.RLock()
}

// bytes returns the memory of values and table.
func (t *nodes) bytes() int64 {
	blocks := int64(t.next.Load()>>nodeBits) + 1
	return blocks<<(nodeBits+3) + int64(len(t.slots))*4
}

func (t *nodes) release() { *t = nodes{} }
