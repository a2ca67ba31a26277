package statespace

import (
	"sync"
	"unsafe"

	"github.com/seed-105a2da2/unknot/spec/pages"
)

// arena hands out zeroed memory that is given back to the system all at once. It is cut from slabs that the
// system is asked to provide in huge pages: on virtual machines the first write to a page of 4 KiB takes the
// host some 10 µs even if the guest has the page, and a huge page takes hardly more. A nil arena hands out memory that is
// garbage collected.
type arena struct {
	mu    sync.Mutex
	slabs [][]uint32 // as they came from the system
	left  []uint32   // of the last one
	plain bool       // there are no huge pages
}

const slabWords = 1 << 23 // the system commits only what is written

// begun returns n zeros, aligned as cache lines are.
func (a *arena) begun(n int) []uint32 {
	if a == nil {
		return begun(n)
	}
	all := a.cut(n)
	if all == nil {
		return begun(n)
	}
	begin(all)
	return all
}

func (a *arena) cut(n int) []uint32 {
	const line = 32
	a.mu.Lock()
	defer a.mu.Unlock()
	if n > len(a.left) {
		if a.plain {
			return nil
		}
		slab := allocate(max(slabWords, n+line) + pages.HugePage/4)
		before := -uintptr(unsafe.Pointer(unsafe.SliceData(slab))) % pages.HugePage / 4
		all := slab[before : len(slab)-pages.HugePage/4+int(before)]
		if a.plain = !pages.Huge(all); a.plain {
			release(slab)
			return nil
		}
		a.slabs, a.left = append(a.slabs, slab), all
	}
	all := a.left[:n:n]
	a.left = a.left[min(len(a.left), (n+line-1)&^(line-1)):]
	return all
}

// release gives the memory back. What was handed out must not be used after that.
func (a *arena) release() {
	for _, slab := range a.slabs {
		release(slab)
	}
	a.slabs, a.left = nil, nil
}
