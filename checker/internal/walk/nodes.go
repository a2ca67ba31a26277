package walk

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// nodes numbers 64-bit values, each once, for any number of workers at once. A value keeps its number; that of a new one
// depends on which worker comes first, so nothing that a user sees may depend on numbers.
//
// Values are in blocks, in the order of their numbers, each as large as all before it, and a table finds numbers by the
// hash of the value. A worker
// claims a number, writes the value, and then tries to put the number into an empty slot. If another one was faster, it
// looks at that slot again, and its number is never used. So a slot never changes once it is filled, and a worker that
// reads a number from a slot finds the value there.
type nodes struct {
	// For reading while values are looked up, for writing while the table grows. Tables that are used together share it:
	// with one each, two workers would wait for each other, each reading the table that the other wants to grow.
	growing *sync.RWMutex
	// Number + 1; 0: empty. A power of two long. From Go's heap, as the race detector knows nothing of atomic
	// operations elsewhere.
	slots  []uint32
	next   atomic.Uint32
	blocks [33 - nodeBits]atomic.Pointer[uint64] // the first value of each
	making sync.Mutex                            // of blocks
}

const (
	nodeBits   = 10 // of a number in the first block
	firstNodes = 1 << 10
)

func newNodes(least int, growing *sync.RWMutex) *nodes {
	length := firstNodes
	for length < least {
		length *= 2
	}
	return &nodes{growing: growing, slots: make([]uint32, length)}
}

// place returns the block of a number, how many numbers are before that, and how many it has.
func place(n uint32) (block int, first, size uint32) {
	if block = bits.Len32(n >> nodeBits); block == 0 {
		return 0, 0, 1 << nodeBits
	}
	first = 1 << (nodeBits - 1 + block)
	return block, first, first
}

// value returns the value of a number.
func (t *nodes) value(n uint32) uint64 {
	block, first, _ := place(n)
	return *(*uint64)(unsafe.Add(unsafe.Pointer(t.blocks[block].Load()), 8*uintptr(n-first)))
}

// number returns the number of a value, given mix of it, and adds it if it is new. There must be room.
func (t *nodes) number(v, hash uint64) uint32 {
	mask, mine, claimed := uint64(len(t.slots)-1), uint32(0), false
	for i := hash & mask; ; i = (i + 1) & mask {
		e := atomic.LoadUint32(&t.slots[i])
		if e == 0 {
			if !claimed {
				mine, claimed = t.claim(v), true
			}
			if atomic.CompareAndSwapUint32(&t.slots[i], 0, mine+1) {
				return mine
			}
			e = atomic.LoadUint32(&t.slots[i])
		}
		if t.value(e-1) == v {
			return e - 1
		}
	}
}

// find returns the number of a value if it is there.
func (t *nodes) find(v, hash uint64) (n uint32, found bool) {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
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
	i, first, size := place(n)
	at := &t.blocks[i]
	if at.Load() == nil {
		t.making.Lock()
		if at.Load() == nil {
			at.Store(unsafe.SliceData(make([]uint64, size)))
		}
		t.making.Unlock()
	}
	unsafe.Slice(at.Load(), size)[n-first] = v
	return n
}

// room makes the table larger if it is nearly full. Who uses number reads growing, and calls room before at most some
// values are added by each of some workers; meanwhile it may be read by others.
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

// bytes returns the memory of values and table; the system commits what is written of a block.
func (t *nodes) bytes() int64 { return int64(t.next.Load())*8 + int64(len(t.slots))*4 }

func (t *nodes) release() { *t = nodes{} }
