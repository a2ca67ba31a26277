package walk

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestQuotients: a table of any width, grown at any time, has and finds what a map does, and every
// slot says what is in it; also if many states have the same home.
func TestQuotients(t *testing.T) {
	strays, with := false, &moving{}
	rapid.Check(t, func(t *rapid.T) {
		width := uint8(rapid.IntRange(leastQuotient-shardBits, mostQuotient-shardBits).Draw(t, "width"))
		space := &Space{}
		made, _ := newQuotientTables(space, mixing{width: width})
		f, s := made.(*quotientTables), &space.shards[0]
		s.entry, s.bits = 2, blockBits
		defer f.release()
		var order []uint64
		known := map[uint64]int{}
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			y := rapid.Uint64Range(0, 1<<width-1).Draw(t, "from")
			widening := rapid.Bool().Draw(t, "widening")
			by := rapid.SampledFrom([]uint64{1, 1, factor1, 1 << 20}).Draw(t, "by")
			for range rapid.IntRange(1, 1500).Draw(t, "length") {
				y = (y + by) & (1<<width - 1)
				f.enlarge(0, s.count+1, widening, with)
				_, had := known[y]
				if f.insertOne(0, y, 0) == had {
					t.Fatalf("inserted %x: new is %t", y, !had)
				}
				if !had {
					known[y] = len(order)
					order = append(order, y)
				}
			}
		}
		strays = strays || len(f.tables[0].astray) > 0
		var got []uint64
		for local := range s.count {
			got = append(got, f.tables[0].y(uint64(s.entryAt(local)[0])))
		}
		if diff := cmp.Diff(order, got); diff != "" {
			t.Fatalf("%d homes (-inserted +stored):\n%s", f.tables[0].n, diff)
		}
		for range 100 {
			y := rapid.Uint64Range(0, 1<<width-1).Draw(t, "asked")
			if rapid.Bool().Draw(t, "known") {
				y = rapid.SampledFrom(order).Draw(t, "inserted")
			}
			_, want := known[y]
			slot, _, got := f.tables[0].find(y)
			if got != want || got && f.tables[0].y(slot) != y {
				t.Fatalf("%x: found is %t, want %t", y, got, want)
			}
		}
	})
	if seedtest.Usual() && !strays {
		t.Error("nothing went astray")
	}
}

// TestMixing: the bijection can be inverted and tells states apart, for the largest number of
// bits, too.
func TestMixing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &maze{}
		for bits := 0; bits < leastQuotient; bits = m.layout.Bits() {
			m.layout.Field("x", 1<<rapid.IntRange(1, 40).Draw(t, "bits"))
		}
		mix, ok := newMixing(&m.layout)
		if !ok {
			t.Skip("too wide")
		}
		state := m.Start(nil)
		for _, f := range m.layout.Fields() {
			f.Put(state, rapid.Uint64Range(0, f.Values-1).Draw(t, "value"))
		}
		shard, y := mix.of(state)
		if shard < 0 || shard >= shards || mix.width < 64 && y>>mix.width != 0 {
			t.Fatalf("%x: shard %d, y %x of %d bits", state, shard, y, mix.width)
		}
		if diff := cmp.Diff(state, mix.state(nil, shard, y)); diff != "" {
			t.Fatalf("(-mixed +restored):\n%s", diff)
		}
	})
}

// TestGrades: the room of a table grows with its grade, and entries have room for what they must
// say: whatever lies between a home's least y and the next home's.
func TestGrades(t *testing.T) {
	for width := uint8(leastQuotient - shardBits); width <= mostQuotient-shardBits; width++ {
		for grade := firstGrade(width); homesOf(grade) < 1<<26; grade++ {
			q, _ := shapeOf(width, grade)
			if q.size > 8 || homesOf(grade+1) <= q.n {
				t.Fatalf("width %d, grade %d: %d bytes", width, grade, q.size)
			}
		}
		for _, widening := range []bool{false, true} {
			q, _ := shapeOf(width, firstGrade(width))
			if n := homesOf(q.gradeFor(mostLocal, widening)); n*4 < mostLocal*5 && n != 1<<width || width < 64 && n > 1<<width {
				t.Errorf("width %d: %d homes for %d", width, n, mostLocal)
			}
		}
	}
}
