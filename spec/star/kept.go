package star

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const fewCalls = 1 << 16 // of a function; then an eighth of them must have been known

// calls remembers calls of some functions.
type calls struct {
	functions map[*starlark.Function]*callsOf
	seed      maphash.Seed
	kept      atomic.Int64
}

// callsOf holds the calls of one function, in an open-addressing table that is read without a lock.
type callsOf struct {
	slots        atomic.Pointer[[]atomic.Pointer[keptCall]]
	mu           sync.Mutex // held while adding
	kept         int
	hops         atomic.Bool  // some call made a hop
	calls, known atomic.Int64 // of the first fewCalls
}

// keptCall is what a call returned.
type keptCall struct {
	hash   uint64
	key    string
	value  starlark.Value
	steps  uint64
	around []syntax.Position // of a hop: the calls around, innermost first
}

// find returns the call with a key, or nil.
func (m *callsOf) find(hash uint64, key []byte) *keptCall {
	slots := m.slots.Load()
	if slots == nil {
		return nil
	}
	for i := hash; ; i++ {
		k := (*slots)[i%uint64(len(*slots))].Load()
		if k == nil || k.hash == hash && k.key == string(key) {
			return k
		}
	}
}

// add keeps a call, unless another worker was faster.
func (m *callsOf) add(k *keptCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(k.hash, []byte(k.key)) != nil {
		return
	}
	insert := func(slots []atomic.Pointer[keptCall], k *keptCall) {
		i := k.hash
		for slots[i%uint64(len(slots))].Load() != nil {
			i++
		}
		slots[i%uint64(len(slots))].Store(k)
	}
	slots := m.slots.Load()
	if m.kept++; slots == nil || 2*m.kept > len(*slots) {
		larger := make([]atomic.Pointer[keptCall], 4*m.kept)
		if slots != nil {
			for i := range *slots {
				if old := (*slots)[i].Load(); old != nil {
					insert(larger, old)
				}
			}
		}
		insert(larger, k)
		m.slots.Store(&larger)
		return
	}
	insert(*slots, k)
}

// isUseless reports whether too few calls were repeated to be worth the memory.
func (m *callsOf) isUseless() bool {
	return m.calls.Load() > fewCalls && m.known.Load() < fewCalls/8
}
