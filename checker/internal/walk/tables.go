package walk

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// tables hands out the tables of shards: each shard has one, and moves to ever larger ones. Shards have about equally
// many states, so they outgrow tables of one size at about the same time. Such tables lie side by side in a row
// of huge pages, and a page goes back to the system once all shards with a place on it have outgrown it. So
// there are few calls and page faults, for which several workers would wait, and few misses in the TLB. Smaller
// tables are garbage collected, larger ones come from the system one by one.
type tables struct {
	mu          sync.Mutex
	rows        []row
	sizes, next [shards]int // by shard: the words of its table, and of the one that it moves to
	spare       bool        // as in an arena, or there are no huge pages
}

// row is the places of tables of one size, by shard.
type row struct {
	words     int // of a table
	slab, all []uint32
}

const (
	leastBeside = 1 << 14 // words of a table in a row
	mostBeside  = 1 << 20
	hugeWords   = pages.HugePage / 4
)

// stride returns the words from one place in a row of tables to the next.
func stride(words int) int { return (words + 31) &^ 31 }

// pagesOf returns the number of pages of a row.
func pagesOf(words int) int { return (shards*stride(words) + hugeWords - 1) / hugeWords }

// sharers returns the range of shards that have a place on a page of a row.
func sharers(words, page int) (from, to int) {
	return page * hugeWords / stride(words), min(shards, ((page+1)*hugeWords-1)/stride(words)+1)
}

// take returns a table of zeros for a shard, larger than all it had before.
func (t *tables) take(shard, words int) []uint32 {
	all := t.place(shard, words)
	if all == nil {
		all = allocate(words)
	}
	begin(all)
	return all
}

// contiguous reports whether tables of this size lie in a row.
func (t *tables) contiguous(words int) bool {
	return !t.spare && words >= leastBeside && words <= mostBeside
}

// place returns a table in huge pages, or nil if it is not for them.
func (t *tables) place(shard, words int) []uint32 {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next[shard] = words
	if !t.contiguous(words) {
		if t.spare || words < leastBeside {
			return nil
		}
		all := allocate(words)
		pages.Huge(all)
		return all
	}
	i := slices.IndexFunc(t.rows, func(r row) bool { return r.words == words })
	if i < 0 {
		slab, all := aligned(pagesOf(words) * hugeWords)
		if t.spare = !pages.Huge(all); t.spare {
			release(slab)
			return nil
		}
		i = len(t.rows)
		t.rows = append(t.rows, row{words, slab, all})
	}
	return t.rows[i].of(shard)
}

func (r *row) of(shard int) []uint32 { return r.all[shard*stride(r.words):][:r.words:r.words] }

// give takes back the table of a shard that has moved to the one taken last.
func (t *tables) give(shard int, table []uint32) {
	if t == nil {
		release(table)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free(shard, table)
	before, now := t.sizes[shard], t.next[shard]
	t.sizes[shard] = now
	t.rows = slices.DeleteFunc(t.rows, func(r row) bool {
		if r.words < before || r.words >= now {
			return false
		}
		if slices.Min(t.sizes[:]) > r.words {
			release(r.slab)
			return true
		}
		for page := range pagesOf(r.words) {
			from, to := sharers(r.words, page)
			if from <= shard && shard < to && slices.Min(t.sizes[from:to]) > r.words {
				pages.Drop(r.all[page*hugeWords:][:hugeWords])
			}
		}
		return false
	})
}

// free gives a shard's table back to the system unless it lies in a row.
func (t *tables) free(shard int, table []uint32) {
	for _, r := range t.rows {
		if r.words == len(table) && unsafe.SliceData(r.of(shard)) == unsafe.SliceData(table) {
			return
		}
	}
	release(table)
}

// release gives all rows back. Tables in them must not be used after that.
func (t *tables) release() {
	for _, r := range t.rows {
		release(r.slab)
	}
	t.rows = nil
}

// bytes returns the memory taken by tables of these sizes, in words, by shard.
func (t *tables) bytes(sizes *[shards]int) int64 {
	sum := int64(0)
	var rows []int
	for _, r := range t.rows {
		rows = append(rows, r.words)
	}
	for _, words := range sizes {
		switch {
		case !t.contiguous(words):
			sum += int64(words) * 4
		case !slices.Contains(rows, words):
			rows = append(rows, words)
		}
	}
	for _, words := range rows {
		for page := range pagesOf(words) {
			// Some shard's place is in use, or one's is no more while another's is still to come.
			from, to := sharers(words, page)
			if slices.Min(sizes[from:to]) <= words && slices.Max(sizes[from:to]) >= words {
				sum += pages.HugePage
			}
		}
	}
	return sum
}
