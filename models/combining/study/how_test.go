package study

import "testing"

// carriedOf makes requests for the hot cell, by the clock and cluster of each, and returns which of them another one has
// carried when all are answered.
func carriedOf(t *testing.T, opt Options, made [][2]int) (carried []bool) {
	t.Helper()
	opt.Load, opt.Hot, opt.Clocks = 0, 1, 10_000 // nobody else asks
	x := newTree(opt)
	for ; x.Result.Answers < int64(len(made)); x.clock++ {
		if x.clock == int64(opt.Clocks) {
			t.Fatalf("%+v: %d of %d requests are answered", opt, x.Result.Answers, len(made))
		}
		for _, m := range made {
			if int64(m[0]) == x.clock {
				x.requests = append(x.requests, request{cluster: int32(m[1]), made: x.clock})
				x.sources[m[1]] = append(x.sources[m[1]], message{request: int32(len(x.requests) - 1), hot: true})
			}
		}
		x.step()
	}
	for _, r := range x.requests {
		carried = append(carried, r.carried)
	}
	return carried
}

// TestTolerance: two requests of neighbours, some clocks apart, combine at level 2 as long as the first waits, at level 1
// until it is answered, and in a queue if the first is still in it. Section 5 calls level 1 "the most tolerant of
// different arrival times".
func TestTolerance(t *testing.T) {
	const service = 10
	for apart := range 30 {
		made := [][2]int{{0, 0}, {apart, 1}}
		for _, tt := range []struct {
			name string
			how  Options
			want bool
		}{
			{"level 0", Options{}, false},
			// The first reaches the unit in clock 1 and leaves it in clock 1 + 6, before another may enter there.
			{"level 2", Options{Wait: 6}, apart < 6},
			// It leaves in clock 2, is served for ten clocks from then on, and its answer passes the switch in clock 13; a
			// request that is made in clock 11 is in the unit in clock 12.
			{"level 1", Options{How: Recorded}, apart < 12},
			// The memory takes it in the clock after it has left the switch: there is no other in the queue.
			{"queue", Options{How: InQueue}, false},
		} {
			tt.how.FanOut, tt.how.Depth, tt.how.Service, tt.how.Buffer = 2, 1, service, 4
			if got := carriedOf(t, tt.how, made); got[0] || got[1] != tt.want {
				t.Errorf("%s, %d clocks apart: carried %v, want the second %v", tt.name, apart, got, tt.want)
			}
		}
	}
}

// TestInQueue: while the memory serves a request, the next one waits in its FIFO, and a third joins that. A fourth joins
// it only if more than two may combine.
func TestInQueue(t *testing.T) {
	for _, tt := range []struct {
		partners int
		want     []bool
	}{
		{2, []bool{false, false, true, false}}, {3, []bool{false, false, true, true}}, {-1, []bool{false, false, true, true}},
	} {
		opt := Options{FanOut: 4, Depth: 1, How: InQueue, Partners: tt.partners, Service: 100, Buffer: 4}
		got := carriedOf(t, opt, [][2]int{{0, 0}, {5, 1}, {10, 2}, {15, 3}})
		for i := range got {
			if got[i] != tt.want[i] {
				t.Fatalf("at most %d partners: carried %v, want %v", tt.partners, got, tt.want)
			}
		}
	}
}

// TestPartners: of four neighbours that ask at once, level 1 carries one, or all but the first.
func TestPartners(t *testing.T) {
	for partners, want := range map[int]int{2: 1, 3: 2, -1: 3} {
		got := carriedOf(t, Options{FanOut: 4, Depth: 1, How: Recorded, Partners: partners, Service: 100, Buffer: 4},
			[][2]int{{0, 0}, {0, 1}, {0, 2}, {0, 3}})
		n := 0
		for _, c := range got {
			if c {
				n++
			}
		}
		if n != want || got[0] {
			t.Errorf("at most %d partners: carried %v, want %d", partners, got, want)
		}
	}
}

// TestGeneralisingRaisesTheRate: with any number of partners level 1 carries more than a queue of two, at each load. With
// two partners, as in the machine, it does so at a low load alone: from some load on its entry is taken most of the time.
func TestGeneralisingRaisesTheRate(t *testing.T) {
	rate := func(how How, partners int, load float64) float64 {
		return measured(t, Options{
			FanOut: 2, Depth: 6, Hot: 1, Load: load, How: how, Partners: partners, Service: 4, Buffer: 4, Clocks: 3000, Seed: 1,
		}).Combined
	}
	for _, load := range []float64{0.004, 0.1} {
		queue, any, two := rate(InQueue, 2, load), rate(Recorded, -1, load), rate(Recorded, 2, load)
		if any < queue+0.01 || (two > queue) != (load < 0.01) {
			t.Errorf("load %v: a queue of two carries %v, level 1 %v, and %v with two partners", load, queue, any, two)
		}
	}
}
