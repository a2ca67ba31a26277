package study

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/studies"
)

// carriedOf says which of some requests for the hot cell another one has carried when all are answered.
func carriedOf(t *testing.T, opt Options, made []Made) []bool {
	t.Helper()
	b, ok := runBurst(opt, made)
	if !ok {
		t.Fatalf("%+v: not all of %v are answered", opt, made)
	}
	return b.carried
}

// TestTolerance: two requests of neighbours, some clocks apart, combine at level 2 as long as the first waits, at level 1
// until it is answered, and in a queue if the first is still in it. Section 5 calls level 1 "the most tolerant of
// different arrival times".
func TestTolerance(t *testing.T) {
	const service = 10
	for apart := range 30 {
		made := []Made{{0, 0}, {apart, 1}}
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
		got := carriedOf(t, opt, []Made{{0, 0}, {5, 1}, {10, 2}, {15, 3}})
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
			[]Made{{0, 0}, {0, 1}, {0, 2}, {0, 3}})
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

// outcomes measures a setup, and returns how each statement fares.
func outcomes(t *testing.T, name string) map[string]string {
	t.Helper()
	for _, s := range Setups() {
		if s.Name != name {
			continue
		}
		stated, err := s.Measure(t.Context(), Runs{Seed: 1, Seeds: 3, Clocks: 2000, Service: 4, Buffer: 4})
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, x := range stated {
			all[x.Sentence] = x.Outcome
		}
		if len(all) != len(stated) {
			t.Errorf("%s states a sentence twice", name)
		}
		return all
	}
	t.Fatalf("no setup %s", name)
	return nil
}

// TestAcks: a tree of n clusters has n - 1 switches of two children, and each sends one combined Ack on. One by one, each
// of n Acks passes every level, and the home takes them in turn, four clocks each; so many take longer. Few come
// within the time in which they wait for each other.
func TestAcks(t *testing.T) {
	got := outcomes(t, "acks")
	for sentence, want := range map[string]string{
		"3.3: Acks that combine at level 3 take fewer messages than one by one": "confirmed",
		"3.3: one by one the Acks of 64 clusters take longer than combined":     "confirmed",
		"3.3: at level 3 a single Ack comes home, and at level 2 more":          "confirmed",
	} {
		if got[sentence] != want {
			t.Errorf("%s: %q, want %s", sentence, got[sentence], want)
		}
	}
	b, ok := runBurst(Options{FanOut: 2, Depth: 3, Service: 4, Buffer: 4, Wait: 1 << 20},
		[]Made{{0, 0}, {3, 1}, {1, 2}, {9, 3}, {2, 4}, {5, 5}, {0, 6}, {0, 7}})
	if !ok || b.crossed != 7 || b.served != 1 {
		t.Errorf("8 clusters at level 3: %d messages, %d at home, want 7 and 1", b.crossed, b.served)
	}
	if b, ok = runBurst(Options{FanOut: 2, Depth: 3, Service: 4, Buffer: 4}, []Made{{0, 0}, {0, 7}}); !ok || b.crossed != 6 || b.served != 2 {
		t.Errorf("two clusters at level 0: %d messages, %d at home, want 6 and 2", b.crossed, b.served)
	}
	if _, ok = runBurst(Options{FanOut: 2, Depth: 2, Service: 4, Buffer: 4, Wait: 1 << 20}, []Made{{0, 0}, {0, 1}, {0, 2}}); ok {
		t.Error("three of four clusters at level 3 come home")
	}
}

// TestGeneralisingRaisesTheRate: with any number of partners level 1 carries more than a queue of two, and nowhere fewer.
// With two partners, as in the machine, it does so where the tree takes the load: beyond, its entry is taken most of
// the time. A fixed wait helps if it is long.
func TestGeneralisingRaisesTheRate(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	got := outcomes(t, "rates")
	for sentence, want := range map[string]string{
		"abstract: level 1 with any number of partners carries more than a queue of two":                   "confirmed",
		"5: level 1 with two partners carries more than a queue of two":                                    "refuted",
		"5: level 1 with two partners carries more than a queue of two, where both take the load":          "confirmed",
		"3.3: level 2 that waits 4 clocks, with any number of partners, carries more than a queue of two":  "refuted",
		"3.3: level 2 that waits 64 clocks, with any number of partners, carries more than a queue of two": "confirmed",
		"2: waiting 64 clocks carries more than waiting 16, with any number of partners":                   "confirmed",
	} {
		if got[sentence] != want {
			t.Errorf("%s: %q, want %s", sentence, got[sentence], want)
		}
	}
	few := []rate{{carried: []float64{0.5, 0.6}}, {carried: []float64{0.1, 0.2}, takes: true}}
	more := []rate{{carried: []float64{0.6, 0.7}}, {carried: []float64{0.1, 0.21}, takes: true}}
	for _, tt := range []struct {
		x, y  []rate
		taken bool
		want  studies.Outcome
	}{
		{more, few, false, studies.Confirmed}, {few, more, false, studies.Refuted}, {more, few, true, studies.Within},
		{few, few, false, studies.Within},
	} {
		if got, detail := compareRates(tt.x, tt.y, tt.taken); got != tt.want {
			t.Errorf("%v against %v: %s (%s), want %s", tt.x, tt.y, got, detail, tt.want)
		}
	}
}
