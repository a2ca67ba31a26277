package walk

import (
	"sync"

	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// arena hands out zeroed memory that is given back to the system all at once. It is cut from slabs that the
// system is asked to provide in huge pages: on virtual machines the first write to a page of 4 KiB takes the
// host some 10 µs even if the guest has the page, and a huge page takes little longer. A nil arena hands out
// memory that is garbage collected.
type arena struct {
	mu    sync.Mutex
	slabs [][]uint32 // as they came from the system
	left  []uint32   // of the last one
	plain bool       // there are no huge pages
	spare bool       // huge pages are not requested: they are large compared with the memory budget

	before int64 // bytes taken by earlier slabs, or outside slabs
	used   int   // words of the last slab
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

// bytes returns how much memory the system will have committed, in whole pages, once that many more words are handed
// out.
func (a *arena) bytes(more int) int64 {
	page := int64(pages.HugePage)
	if a.spare {
		page = 4 << 10
	} else if a.plain {
		page = 4
	}
	return a.before + (int64(a.used+more)*4+page-1)/page*page
}

func (a *arena) cut(n int) []uint32 {
	const line = 32
	a.mu.Lock()
	defer a.mu.Unlock()
	if n > len(a.left) {
		slab, all := []uint32(nil), []uint32(nil)
		if !a.plain {
			slab, all = aligned(max(slabWords, n+line))
			a.plain = !a.spare && !pages.Huge(all)
		}
		if a.plain {
			release(slab)
			a.before += int64(n) * 4
			return nil
		}
		a.before, a.used = a.bytes(0), 0
		a.slabs, a.left = append(a.slabs, slab), all
	}
	all, whole := a.left[:n:n], min(len(a.left), (n+line-1)&^(line-1))
	a.left, a.used = a.left[whole:], a.used+whole
	return all
}

// release gives the memory back. What was handed out must not be used after that.
func (a *arena) release() {
	for _, slab := range a.slabs {
		release(slab)
	}
	a.slabs, a.left, a.before, a.used = nil, nil, 0, 0
}
