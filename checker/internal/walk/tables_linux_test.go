package walk

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/pages"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// resident returns the bytes that the system has committed for a stretch of memory.
func resident(t interface{ Fatal(...any) }, all []uint32) (sum int64) {
	if len(all) == 0 {
		return 0
	}
	page := uintptr(os.Getpagesize())
	from := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	end := from + uintptr(len(all))*4
	from -= from % page
	there := make([]byte, (end-from+page-1)/page)
	if _, _, failed := syscall.Syscall(syscall.SYS_MINCORE, from, end-from, uintptr(unsafe.Pointer(unsafe.SliceData(there)))); failed != 0 {
		t.Fatal(failed)
	}
	for _, x := range there {
		sum += int64(x&1) * int64(page)
	}
	return sum
}

// resident returns what the system has committed for the arena and the rows of a space.
func (s *Space) resident(t interface{ Fatal(...any) }) (sum int64) {
	for _, slab := range s.arena.slabs {
		sum += resident(t, slab)
	}
	for _, r := range s.tables.rows {
		sum += resident(t, r.slab)
	}
	return sum
}

// TestTables moves shards to ever larger tables, in any order: each is zeros when it is taken, and stays what was
// written while others come and go. No more memory is committed than is counted, and no more is counted
// than whole pages of tables that are needed, once all shards have one size.
func TestTables(t *testing.T) {
	seedtest.Sample(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		form := &hashTables{}
		s := &Space{form: form}
		s.tables.spare = rapid.IntRange(0, 3).Draw(t, "spare") == 0
		defer s.tables.release()
		var all [shards][]uint32
		check := func(i int) {
			for at := 0; at < len(all[i]); at += max(1, len(all[i])>>10) {
				if all[i][at] != uint32(i+1) {
					t.Fatalf("word %d of table %d has become %d", at, i, all[i][at])
				}
			}
		}
		grow := func(i, words int) {
			table := s.tables.take(i, words)
			if len(table) != words || cap(table) != words {
				t.Fatalf("%d words, room for %d, in place of %d", len(table), cap(table), words)
			}
			for at := 0; at < words; at += max(1, words>>10) {
				if table[at] != 0 {
					t.Fatalf("word %d of %d is %d", at, words, table[at])
				}
				table[at] = uint32(i + 1)
			}
			check(i)
			s.tables.give(i, all[i])
			all[i] = table
			form.tables[i] = table
		}
		size := rapid.IntRange(leastBeside/2, leastBeside).Draw(t, "least")
		for range rapid.IntRange(1, 3).Draw(t, "sizes") {
			for i := range rapid.IntRange(0, shards).Draw(t, "in order") {
				if size > len(all[i]) {
					grow(i, size)
				}
			}
			for range rapid.IntRange(0, 9).Draw(t, "turns") {
				i, words := rapid.IntRange(0, shards-1).Draw(t, "shard"), size<<rapid.IntRange(0, 2).Draw(t, "larger")
				if words > len(all[i]) {
					grow(i, words)
				}
				if has, counted := s.resident(t), s.bytes(); has > counted {
					t.Fatalf("%d bytes committed, %d counted", has, counted)
				}
			}
			size *= 4
		}
		for i := range all {
			if size > len(all[i]) {
				grow(i, size)
			}
		}
		if needed := int64(pagesOf(size)) * hugeWords * 4; s.bytes() > needed || s.resident(t) > needed {
			t.Fatalf("%d bytes counted, %d committed, %d needed", s.bytes(), s.resident(t), needed)
		}
		for i := range all {
			check(i)
			s.tables.free(i, all[i])
		}
	})
}

// TestArenaCounted: what an arena has handed out takes what is counted, or as much less as a page and the ends of slabs.
func TestArenaCounted(t *testing.T) {
	for _, spare := range []bool{false, true} {
		a := &arena{spare: spare}
		defer a.release()
		handed := 0
		for _, n := range []int{1, 100, 1 << 14, slabWords / 3, slabWords / 2, slabWords / 2, slabWords + 1, 7} {
			foreseen := a.bytes(n)
			a.begun(n)
			handed += n
			has := int64(0)
			for _, slab := range a.slabs {
				has += resident(t, slab)
			}
			if counted := a.bytes(0); has > counted || counted > int64(handed)*4+int64(max(1, len(a.slabs)))*hugeWords*4 || foreseen > counted && !a.plain {
				t.Errorf("after %d words: %d bytes committed, %d counted, %d foreseen", handed, has, counted, foreseen)
			}
		}
	}
}

// TestCommitted: after no round of a walk does its space take more memory than is counted, nor the walk more than
// was foreseen.
func TestCommitted(t *testing.T) {
	for _, tt := range []struct{ gap, memory uint64 }{{1 << 33, 0}, {1 << 54, 0}, {1 << 33, pages.LeastBudget - 1}, {1 << 54, pages.LeastBudget - 1}} {
		m := counter(6, 9) // 531,441 states
		m.layout.Queue("gap", 1, tt.gap, nil)
		var w *walk
		rows := 0
		w, err := newWalk(m, Options{Workers: 2, Memory: int64(tt.memory), Until: func(*[FlagBits]int64, int64) bool {
			if has, counted := w.space.resident(t), w.space.bytes(); has > counted {
				t.Fatalf("%s: %d bytes committed, %d counted", w.space.name, has, counted)
			}
			const grown = 1 << 16 // by lists of a worker that the other one waits for: 3 kB, once, on a machine with a load of 6
			if now := w.space.bytes() + w.buffers(0); now > w.result.Peak+grown {
				t.Fatalf("%s: a round took %d bytes, at most %d were foreseen", w.space.name, now, w.result.Peak)
			}
			rows = max(rows, len(w.space.tables.rows))
			return false
		}})
		if err != nil {
			t.Fatal(err)
		}
		w.start()
		if err := w.run(t.Context()); err != nil || w.result.Reason != Complete {
			t.Fatalf("reason %d, %v", w.result.Reason, err)
		}
		if rows == 0 && !w.space.tables.spare {
			t.Errorf("%s: no tables in rows", w.space.name)
		}
		w.space.Release()
		w.arena.release()
	}
}
