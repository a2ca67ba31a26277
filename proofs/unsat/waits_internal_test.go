package unsat

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSets: sets contain what was added and not removed, on both sides of a word
// boundary.
func TestSets(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const most = 130
		numbers := rapid.SliceOfDistinct(rapid.IntRange(0, most-1), rapid.ID[int])
		a, b := numbers.Draw(rt, "a"), numbers.Draw(rt, "b")
		sets := newSets(2, most)
		for i, list := range [][]int{a, b} {
			for _, x := range list {
				sets[i].add(x)
			}
		}
		common := slices.DeleteFunc(slices.Sorted(slices.Values(a)), func(x int) bool { return !slices.Contains(b, x) })
		both := sets[0].and(sets[1])
		if got := slices.Collect(both.all()); !slices.Equal(got, common) || sets[0].common(sets[1]) != len(common) {
			rt.Fatalf("%v and %v: %v in both, %d", a, b, got, sets[0].common(sets[1]))
		}
		for _, x := range a {
			sets[0].remove(x)
			if sets[0].has(x) || both.has(x) != slices.Contains(b, x) {
				rt.Fatalf("%d is in %v, or not in %v", x, sets[0], both)
			}
		}
		for range sets[0].all() {
			rt.Fatalf("%v is not empty", sets[0])
		}
	})
}

// pairs makes some channels the pair of another: rows ask for both, and hold either.
func pairs(rt *rapid.T, w *waits) {
	for range rapid.IntRange(0, 3).Draw(rt, "pairs") {
		c, d := rapid.IntRange(0, len(w.beside)-1).Draw(rt, "one"), rapid.IntRange(0, len(w.beside)-1).Draw(rt, "other")
		if c == d {
			continue
		}
		for row, asks := range w.asks {
			w.asks[row] = slices.DeleteFunc(asks, func(e spec.ChannelID) bool { return int(e) == d })
			if len(w.asks[row]) == 0 {
				w.asks[row] = append(w.asks[row], spec.ChannelID(c))
				w.asking[c] = append(w.asking[c], row)
			}
			if slices.Contains(w.asks[row], spec.ChannelID(c)) {
				w.asks[row] = append(w.asks[row], spec.ChannelID(d))
			}
			w.holds[row].remove(d)
			w.holders[d].remove(row)
			if w.holds[row].has(c) {
				w.holds[row].add(d)
				w.holders[d].add(row)
			}
		}
		slices.Sort(w.asking[c])
		w.asking[d] = slices.Clone(w.asking[c])
		w.beside[c].remove(d)
		for e := range w.beside {
			w.beside[e].remove(d)
			w.beside[d].remove(e)
			if e == d || w.beside[e].has(c) && e != c {
				w.beside[e].add(d)
				w.beside[d].add(e)
			}
		}
	}
}

// TestNone: for drawn rows, whether or not a network has them, the sizes for which no set is
// closed are those found by trying all sets.
func TestNone(t *testing.T) {
	sizes, paired := map[int]int{}, map[int]int{}
	rapid.Check(t, func(rt *rapid.T) {
		channels := rapid.IntRange(3, 9).Draw(rt, "channels")
		rows := rapid.IntRange(2, 9).Draw(rt, "rows")
		w := &waits{ctx: context.Background(), asks: make([][]spec.ChannelID, rows), asking: make([][]int, channels),
			holds: newSets(rows, channels), holders: newSets(channels, rows), beside: newSets(channels, channels)}
		number := rapid.IntRange(0, channels-1)
		left := newSets(1, rows)[0]
		for row := range rows {
			left.add(row)
			for _, c := range rapid.SliceOfNDistinct(number, 1, 3, rapid.ID[int]).Draw(rt, "asks") {
				w.asks[row] = append(w.asks[row], spec.ChannelID(c))
				w.asking[c] = append(w.asking[c], row)
			}
			itself := rapid.IntRange(0, 9).Draw(rt, "itself") == 0 // it may hold what it waits for
			for _, c := range rapid.SliceOfNDistinct(number, 1, 3, rapid.ID[int]).Draw(rt, "holds") {
				if itself || !slices.Contains(w.asks[row], spec.ChannelID(c)) {
					w.holds[row].add(c)
					w.holders[c].add(row)
				}
			}
		}
		together := rapid.IntRange(0, 3).Draw(rt, "together")
		for c := range channels {
			w.beside[c].add(c)
			for d := range c {
				if rapid.IntRange(0, 3).Draw(rt, "beside") < together {
					w.beside[c].add(d)
					w.beside[d].add(c)
				}
			}
		}
		pairs(rt, w)
		for _, asks := range w.asks {
			slices.SortFunc(asks, func(c, d spec.ChannelID) int { return int(d - c) })
		}
		least := 0
		for most := 1; most <= 5; most++ {
			none := w.none(slices.Clone(left), most)
			if none != (least == 0 && !closedPlainly(w, nil, nil, most)) {
				rt.Fatalf("none of at most %d: %v; %d are the least before", most, none, least)
			}
			if !none && least == 0 {
				least = most
			}
		}
		sizes[least]++
		if slices.ContainsFunc(w.asks, func(asks []spec.ChannelID) bool {
			return slices.ContainsFunc(asks, func(c spec.ChannelID) bool {
				return slices.ContainsFunc(asks, func(d spec.ChannelID) bool { return c != d && w.alike[c] == w.alike[d] })
			})
		}) {
			paired[least]++
		}
	})
	total := 0
	for _, n := range sizes {
		total += n
	}
	for size, from := range []int{0, 0, 0, 1000, 1000} { // large ones are rare
		if seedtest.Usual() && total >= from && sizes[size] == 0 {
			t.Errorf("nothing was drawn whose smallest closed set is of %d: %v", size, sizes)
		}
	}
	t.Log(sizes, "of them with pairs that are waited for:", paired)
	if seedtest.Usual() && (total >= 1000 && (paired[0] == 0 || paired[2] == 0 || paired[3] == 0)) {
		t.Errorf("too few pairs: %v", paired)
	}
}

// closedPlainly reports whether packets, each with its row and what it holds for others, and
// room others can be closed: by whichever packet can hold the first channel that nobody
// holds.
func closedPlainly(w *waits, rows []int, held [][]spec.ChannelID, room int) bool {
	if len(rows) == 0 {
		for row := range w.asks {
			if closedPlainly(w, []int{row}, make([][]spec.ChannelID, 1), room-1) {
				return true
			}
		}
		return false
	}
	for _, row := range rows {
		for _, c := range w.asks[row] {
			if slices.ContainsFunc(held, func(cs []spec.ChannelID) bool { return slices.Contains(cs, c) }) {
				continue
			}
			for i := range len(rows) + len(w.asks) {
				at, by, of := i, slices.Clone(rows), slices.Clone(held)
				if i >= len(rows) {
					if room == 0 {
						break
					}
					at, by, of = len(rows), append(by, i-len(rows)), append(of, nil)
				}
				if !w.holds[by[at]].has(int(c)) || slices.ContainsFunc(of[at], func(d spec.ChannelID) bool { return !w.beside[c].has(int(d)) }) {
					continue
				}
				of[at] = append(slices.Clone(of[at]), c)
				if closedPlainly(w, by, of, room-(len(by)-len(rows))) {
					return true
				}
			}
			return false
		}
	}
	return true
}

// TestBesideTheCycle: A holds 0 and waits for 1, B holds 1 and waits for 0 and 2, C holds 2 and
// waits for 3, D holds 3 and waits for 0. So A and B wait for each other, and C, outside their
// cycle, for neither.
func TestBesideTheCycle(t *testing.T) {
	asks := [][]spec.ChannelID{{1}, {2, 0}, {3}, {0}}
	w := &waits{ctx: context.Background(), asks: asks, asking: [][]int{{1, 3}, {0}, {1}, {2}}, holds: newSets(4, 4),
		holders: newSets(4, 4), beside: newSets(4, 4)}
	left := newSets(1, 4)[0]
	for i := range 4 {
		left.add(i)
		w.holds[i].add(i)
		w.holders[i].add(i)
		w.beside[i].add(i)
	}
	if !w.none(slices.Clone(left), 3) || w.none(left, 4) || len(w.rows) != 4 {
		t.Errorf("closed: %v; want all four", w.rows)
	}
	some := slices.Clone(left)
	tried := []packet{{rows: w.holds[0], can: w.holds[0]}, {rows: w.holds[1], can: w.holds[1]}, {rows: left, can: some}, {rows: left, can: some}}
	if !w.fits(tried, 2, 2, 2, 1) || w.fits(tried, 1, 2, 2, 1) {
		t.Error("C fits in the cycle, or not outside of it")
	}
	tried = []packet{{by: []int{2}}, {}, {by: []int{-1}}}
	for _, tt := range []struct {
		from, to, steps int
		want            bool
	}{{0, 0, 0, true}, {0, 0, -1, false}, {0, 1, 1, true}, {0, 1, 0, false}, {0, 2, 1, true}, {1, 2, 1, false},
		{1, 2, 2, true}, {2, 0, 2, false}, {2, 1, 3, false}} {
		if got := reaches(tried, tt.from, tt.to, 2, tt.steps); got != tt.want {
			t.Errorf("from %d to %d in %d steps: %t", tt.from, tt.to, tt.steps, got)
		}
	}
}

// TestEnough: a row waits for both channels of a link, 0 and 1, which no packet holds together, and for 2.
func TestEnough(t *testing.T) {
	w := &waits{alike: []int{1, 1, 2}}
	channels := func(list ...int) packet {
		can := newSets(1, 3)[0]
		for _, c := range list {
			can.add(c)
		}
		return packet{can: can}
	}
	both, all := []spec.ChannelID{2, 1, 0}, channels(0, 1, 2)
	for _, tt := range []struct {
		name  string
		tried []packet
		asks  []spec.ChannelID
		room  int
		want  bool
	}{
		{"one packet for one channel", []packet{channels(2), all}, both[:1], 0, true},
		{"no packet for one channel", []packet{channels(0, 1), all}, both[:1], 0, false},
		{"one packet for both", []packet{channels(0, 1), channels(2), all}, both, 0, false},
		{"two packets for both", []packet{channels(0), channels(1), all}, both, 0, true},
		{"another packet for one of both", []packet{channels(1), channels(2), all}, both, 1, true},
		{"another packet for both", []packet{channels(2), channels(2), all}, both, 1, false},
		{"two others for both", []packet{channels(2), channels(2), all}, both, 2, true},
		{"others that can hold neither", []packet{channels(0, 1), channels(2)}, both, 2, false},
	} {
		if got := w.enough(tt.tried, tt.asks, tt.room); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
