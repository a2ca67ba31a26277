package study

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func measured(t testing.TB, opt Options) Result {
	t.Helper()
	r, err := Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestZeroLoad: a request that meets no other takes a clock into its first switch, one for each switch
// upwards, the memory's time and one for each switch downwards; each switch keeps it for the time that
// it waits for a partner. Exactly.
func TestZeroLoad(t *testing.T) {
	for _, tt := range []Options{
		{FanOut: 2, Depth: 2, Service: 1}, {FanOut: 2, Depth: 6, Service: 3}, {FanOut: 4, Depth: 3, Service: 2},
		{FanOut: 2, Depth: 2, Service: 1, Wait: 5}, {FanOut: 3, Depth: 2, Service: 4, Wait: 1},
	} {
		tt.Load, tt.Hot, tt.Buffer, tt.Clocks = 1e-5, 1, 4, 100_000
		r := measured(t, tt)
		want := int64(2*tt.Depth + tt.Service + 1 + tt.Depth*tt.Wait)
		if r.Answered == 0 || r.Latency != float64(want) || r.P99 != want || r.Combined != 0 {
			t.Errorf("%+v: latency %v, p99 %d, combined %v; want %d", tt, r.Latency, r.P99, r.Combined, want)
		}
	}
}

// TestMemoryIsTheLimit: without combining the memory answers a request in its service time, however many
// clusters ask (Pfister and Norton 1985: hot spots), and below that rate everything asked.
func TestMemoryIsTheLimit(t *testing.T) {
	for i, service := range []int{3, 1} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		opt := Options{FanOut: 2, Depth: 6, Hot: 1, Service: service, Buffer: 4, Clocks: 50_000, Load: 1}
		r := measured(t, opt)
		if want := 1 / float64(64*service); math.Abs(r.Accepted/want-1) > 0.001 {
			t.Errorf("service %d, overload: %v accepted, want %v", service, r.Accepted, want)
		}
		opt.Load = 0.5 / float64(64*service)
		if r = measured(t, opt); math.Abs(r.Accepted/opt.Load-1) > 0.03 { // some 20,000 draws: 3 % is four standard deviations
			t.Errorf("service %d: %v accepted of %v", service, r.Accepted, opt.Load)
		}
	}
}

// TestPairs: clusters that always ask. If a third request waits, each finds its partner at each switch, so
// the memory serves one of 2^depth requests. If it goes on alone, the memory serves more, but never one
// that is carried.
func TestPairs(t *testing.T) {
	for depth := 1; depth <= 4; depth++ {
		for _, waits := range []bool{true, false} {
			r := measured(t, Options{FanOut: 2, Depth: depth, Load: 1, Hot: 1, Wait: 1000, ThirdWaits: waits, Service: 20, Buffer: 4, Clocks: 100_000})
			clusters := float64(int(1) << depth)
			if all := 1 - 1/clusters; waits != (math.Abs(r.Combined-all) < 0.005) || r.Combined <= 0 {
				t.Errorf("depth %d, third waits %v: %v are carried, want %v if it waits", depth, waits, r.Combined, all)
			}
			if alone := (1 - r.Combined) * clusters * r.Accepted; math.Abs(alone-r.Memory) > 0.01 {
				t.Errorf("depth %d: the memory served %v a clock, and %v a clock are answered without being carried", depth, r.Memory, alone)
			}
		}
	}
}

// TestColdRequestsNeverCombine, and with a wait of 0 nothing does.
func TestColdRequestsNeverCombine(t *testing.T) {
	for _, opt := range []Options{{Hot: 0, Wait: 8}, {Hot: 1, Wait: 0}} {
		opt.FanOut, opt.Depth, opt.Load, opt.Service, opt.Buffer, opt.Clocks = 2, 3, 0.3, 1, 4, 5000
		if r := measured(t, opt); r.Combined != 0 || r.Answered == 0 {
			t.Errorf("%+v: %v are carried", opt, r.Combined)
		}
	}
}

// TestConservation: every request is answered once or is in flight, and what is in flight is in one place;
// an entry's requests have gone on or wait, never answered; the same seed gives the same
// measurements.
func TestConservation(t *testing.T) {
	seedtest.Sample(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		opt := Options{
			FanOut: rapid.IntRange(2, 4).Draw(rt, "fan-out"), Depth: rapid.IntRange(1, 3).Draw(rt, "depth"), Load: rapid.Float64Range(0.01, 1).Draw(rt, "load"),
			Hot: rapid.Float64Range(0, 1).Draw(rt, "hot"), Wait: rapid.IntRange(0, 12).Draw(rt, "wait"), Service: rapid.IntRange(1, 4).Draw(rt, "service"),
			Buffer: rapid.IntRange(1, 4).Draw(rt, "buffer"), Clocks: rapid.IntRange(10, 400).Draw(rt, "clocks"), Seed: rapid.Uint64().Draw(rt, "seed"),
			ThirdWaits: rapid.Bool().Draw(rt, "third waits"), How: How(rapid.IntRange(0, 2).Draw(rt, "how")),
			Partners: rapid.SampledFrom([]int{2, 2, 3, -1}).Draw(rt, "partners"),
		}
		if opt.How != Waiting {
			opt.Wait = 0
		}
		x := newTree(opt)
		answered := map[int32]int{}
		before := int64(0)
		for ; x.clock < int64(opt.Clocks); x.clock++ {
			x.step()
			at := x.places()
			for req, n := range at {
				if n != 1 {
					rt.Fatalf("clock %d: request %d is in %d places", x.clock, req, n)
				}
				if answered[req] > 0 {
					rt.Fatalf("clock %d: request %d has been answered", x.clock, req)
				}
			}
			for req := range x.requests {
				if at[int32(req)] == 0 {
					answered[int32(req)]++
				}
			}
			if got := int64(len(x.requests) - len(at)); got != x.Result.Answers || got < before {
				rt.Fatalf("clock %d: %d of %d requests are gone, %d answered", x.clock, got, len(x.requests), x.Result.Answers)
			}
			before = x.Result.Answers
		}
		first := x.result()
		if diff := cmp.Diff(first, measured(t, opt)); diff != "" {
			rt.Fatalf("run again (-first +again):\n%s", diff)
		}
	})
}

// places counts where each unanswered request is: by itself or, if it is carried, in the entry that it left
// with.
func (t *tree) places() map[int32]int {
	at := map[int32]int{}
	add := func(messages []message) {
		for _, m := range messages {
			at[m.request]++
		}
	}
	add(t.memory)
	for c := range t.sources {
		add(t.sources[c])
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		add(n.down)
		for _, lane := range t.lanes[i] {
			add(lane)
		}
		if n.first >= 0 && !n.out {
			at[n.first]++
		}
		carried := slices.Concat(append(slices.Collect(maps.Values(n.queued)), n.carried, n.split)...)
		for _, req := range carried {
			at[req]++
		}
	}
	return at
}

// TestOptionsRefused.
func TestOptionsRefused(t *testing.T) {
	good := Options{FanOut: 2, Depth: 2, Load: 0.1, Hot: 1, Service: 1, Buffer: 1, Clocks: 100}
	for _, tt := range []struct {
		edit func(*Options)
		want string
	}{
		{func(o *Options) { o.FanOut = 1 }, "invalid tree"},
		{func(o *Options) { o.Depth = 0 }, "invalid tree"},
		{func(o *Options) { o.Depth = 1 << 30 }, "invalid tree"},
		{func(o *Options) { o.FanOut, o.Depth = 65, 2 }, "want 2 to 4096 clusters"},
		{func(o *Options) { o.Load = 0 }, "invalid load"},
		{func(o *Options) { o.Load = math.NaN() }, "invalid load"},
		{func(o *Options) { o.Hot = 1.1 }, "hot requests"},
		{func(o *Options) { o.Wait = -1 }, "invalid wait -1: want 0 or more"},
		{func(o *Options) { o.Clocks = 1 << 30 }, "for 4 clusters: want at most 8388608"}, // 2^25 requests of 4 clusters
		{func(o *Options) { o.Partners = 1 }, "invalid number of partners 1"},
		{func(o *Options) { o.How, o.Wait = Recorded, 3 }, "as nobody waits"},
		{func(o *Options) { o.Clocks = 9 }, "want 10 or more"},
	} {
		opt := good
		tt.edit(&opt)
		if _, err := Run(t.Context(), opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", opt, err, tt.want)
		}
	}
	if _, err := Run(t.Context(), good); err != nil {
		t.Error(err)
	}
}

// TestFIFOsAreBounded: in an overload, FIFOs upwards and that of the memory are filled, and hold no more than they can.
func TestFIFOsAreBounded(t *testing.T) {
	for _, buffer := range []int{1, 3} {
		for _, wait := range []int{0, 10} {
			x := newTree(Options{FanOut: 2, Depth: 3, Load: 1, Hot: 0.5, Wait: wait, Service: 5, Buffer: buffer, Clocks: 500})
			most, inMemory := 0, 0
			for ; x.clock < int64(x.Clocks); x.clock++ {
				x.step()
				for _, lanes := range x.lanes {
					for _, l := range lanes {
						most = max(most, len(l))
					}
				}
				inMemory = max(inMemory, len(x.memory))
			}
			if most != buffer || inMemory != buffer {
				t.Errorf("wait %d: FIFOs of %d hold up to %d, that of the memory %d", wait, buffer, most, inMemory)
			}
		}
	}
}
