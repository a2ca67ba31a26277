package rwc1_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// wholeOptions returns options of a ring in which only room limits the packets in transit,
// without turns or ranks.
func wholeOptions(t testing.TB, n int, streams string) rwc1.MachineOptions {
	t.Helper()
	o := rwc1.MachineOptions{Fabric: rwc1.Ring, N: n, VCs: 2, Depth: 1, PIB: 1, Arbiter: "any", Hold: "none", Watch: -1}
	return withStreams(t, o, streams)
}

func withStreams(t testing.TB, o rwc1.MachineOptions, streams string) rwc1.MachineOptions {
	t.Helper()
	o.Streams = rwc1.Streams(streams, o.Routers())
	return o
}

func whole(t testing.TB, o rwc1.MachineOptions) *program.Machine {
	t.Helper()
	p, err := rwc1.Machine(o)
	return machine(t, p, err)
}

// static decides the network of the same streams.
func static(t testing.TB, o rwc1.MachineOptions) (*spec.Network, spec.Verdict) {
	t.Helper()
	n := routingtest.Network(t)(o.Static())
	r, err := checker.Check(t.Context(), n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Findings[1:] {
		if x.Verdict != spec.Holds {
			t.Errorf("%s: %s %s: every packet of these networks arrives", n.Name(), x.Property, x.Verdict)
		}
	}
	return n, r.Findings[0].Verdict
}

const (
	stuck    = "something can move"
	answered = "a watched packet ends"
)

// TestMachineStatic: exploring whole routers, and the static decision on the network of
// the same streams, give the same verdict on deadlock if processors send without end
// and nothing has priority. The traffic of that network is a third implementation, with a
// place for every place of the machine, and one more in which a processor holds the request
// that it sends next. That place is full or not independently of the rest, so the number of
// states grows exactly accordingly. (The places determine the packets in transit.)
//
// The verdicts themselves: a ring of two has no cycle of links; a ring of three with
// one VC has one, which packets for the router before, or requests or replies from it,
// fill; two VCs open it. Requests at the level of their replies close a cycle through
// both ends, whatever the VCs.
func TestMachineStatic(t *testing.T) {
	for i, tt := range []struct {
		n, vcs  int
		streams string
		buffers rwc1.Buffers
		want    spec.Verdict
		window  int // 0: none, and the traffic is explored, too
	}{
		{2, 1, "all@0", rwc1.PerLevel, spec.Holds, 0},
		{2, 2, "all@0/0", rwc1.PerLevel, spec.Violated, 0},
		{2, 2, "0-1@0/0", rwc1.PerLevel, spec.Holds, 0}, // replies are not answered
		{2, 2, "all@0/1", rwc1.PerLevel, spec.Holds, 0},
		{2, 2, "all@1/0", rwc1.PerLevel, spec.Holds, 0},
		{2, 2, "all@0/1", rwc1.PerMode, spec.Violated, 0},
		{2, 2, "all@2/3", rwc1.PerMode, spec.Violated, 0},
		{2, 2, "0-1@0/1,1-0@1/0", rwc1.PerLevel, spec.Violated, 0}, // the levels answer each other
		{3, 1, "before@0", rwc1.PerLevel, spec.Violated, 0},
		{3, 2, "before@0", rwc1.PerLevel, spec.Holds, 0},
		{3, 1, "next@0", rwc1.PerLevel, spec.Holds, 0}, // one link each
		{3, 1, "0-2@1/0", rwc1.PerLevel, spec.Holds, 0},
		{3, 1, "0-1@0/1,1-2@0/1,2-0@0/1", rwc1.PerLevel, spec.Violated, 2}, // replies go to the router before
		{3, 2, "0-1@0/1,1-2@0/1", rwc1.PerLevel, spec.Holds, 0},
		{3, 2, "0-1@0/0,1-0@0/0", rwc1.PerLevel, spec.Violated, 0},
		{4, 1, "before@2", rwc1.PerMode, spec.Violated, 0},
		{4, 2, "0-2@0,1-3@0,2-0@0,3-1@0", rwc1.PerLevel, spec.Holds, 0},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		o := wholeOptions(t, tt.n, tt.streams)
		o.VCs, o.Buffers, o.Window = tt.vcs, tt.buffers, tt.window
		n, decided := static(t, o)
		m := whole(t, o)
		got := violated(t, m)
		here, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if tt.want == spec.Violated {
			want = []string{"deadlock-freedom", stuck} // the places between are blocked, those of the senders fill up
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || decided != tt.want {
			t.Errorf("%s with %d VCs: static %s, want %s; of the machine (-want +got):\n%s", tt.streams, tt.vcs, decided, tt.want, diff)
		}
		if tt.window > 0 {
			continue
		}
		traffic, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		there, err := checker.Explore(t.Context(), traffic, checker.Question{Explore: checker.Whole})
		if err != nil {
			t.Fatal(err)
		}
		more := int64(1)
		asking := map[int]bool{}
		for _, s := range o.Streams {
			if s.Answer >= 0 && !asking[s.From] {
				asking[s.From] = true
				more *= 2
			}
		}
		if there.Findings[0].Verdict != tt.want || here.States*more != there.States || more == 1 && here.Transitions != there.Transitions {
			t.Errorf("%s with %d VCs: %s with %d states and %d steps of the traffic, where the machine has %d and %d and %d processors ask",
				tt.streams, tt.vcs, there.Findings[0].Verdict, there.States, there.Transitions, here.States, here.Transitions, len(asking))
		}
	}
}

// TestMachineSpills: memory absorbs requests, so machines that deadlock through the ends do
// not deadlock with an APB, by the static decision and by exploring.
func TestMachineSpills(t *testing.T) {
	for _, streams := range []string{"all@0/0", "0-1@0/1,1-0@1/0"} {
		for spill, want := range map[bool]spec.Verdict{false: spec.Violated, true: spec.Holds} {
			o := wholeOptions(t, 2, streams)
			o.Window, o.Spill = 3, spill
			_, decided := static(t, o)
			got := slices.Contains(violated(t, whole(t, o)), stuck)
			if decided != want || got != (want == spec.Violated) {
				t.Errorf("%s, spill %t: static %s, machine stuck: %t; want %s", streams, spill, decided, got, want)
			}
		}
	}
}

// TestMachineWindow: two routers whose processors ask each other deadlock if and
// only if their open requests can fill the places between them: injection buffer, link and
// PIB. If one of these six queues has room, a packet that waits for it moves; and each
// processor fills its own path before anybody answers.
func TestMachineWindow(t *testing.T) {
	for depth := 1; depth <= 2; depth++ {
		for pib := 1; pib <= 2; pib++ {
			for window := 2*depth + pib - 1; window <= 2*depth+pib; window++ {
				o := wholeOptions(t, 2, "all@0/0")
				o.Depth, o.PIB, o.Window = depth, pib, window
				x, err := checker.Explore(t.Context(), whole(t, o), checker.Question{})
				if err != nil {
					t.Fatal(err)
				}
				if got, want := x.Verdict() == spec.Violated, window == 2*depth+pib; got != want || x.Verdict() == spec.Unknown {
					t.Errorf("depth %d, PIB %d, window %d: %s, want a deadlock: %t", depth, pib, window, x.Verdict(), want)
				}
			}
		}
	}
}

// TestMachinePriority: where the static decision and the machine must differ. A request
// whose reply is of a lower rank deadlocks by priority alone: the reply waits in the
// server's injection buffer for the router's system buffers to be empty, which hold
// requests that wait for the PIB, which waits for the injection buffer. Each level has
// buffers of its own, so the static decision, which knows no priority, finds no cycle.
// If packets are held back only by what can be sent, none waits for one that cannot
// move, and there is no deadlock; nor is there if they are held back by what is in the
// same FIFO, as the injection buffer has no requests.
func TestMachinePriority(t *testing.T) {
	number := 0
	for asks := range 4 {
		for answers := range 4 {
			for _, hold := range []string{"router", "fifo", "port", "none"} {
				for _, byLevel := range []bool{false, true} {
					if byLevel && hold == "none" {
						continue
					}
					if number++; !seedtest.Sampled(number, 5) {
						continue
					}
					o := wholeOptions(t, 2, fmt.Sprintf("0-1@%d/%d", asks, answers))
					o.Hold, o.ByLevel = hold, byLevel
					lower := answers < asks
					if !byLevel {
						lower = answers/2 < asks/2
					}
					want := lower && hold == "router"
					if _, decided := static(t, o); decided != spec.Holds {
						t.Errorf("%d/%d: static %s: replies are consumed", asks, answers, decided)
					}
					if got := slices.Contains(violated(t, whole(t, o)), stuck); got != want {
						t.Errorf("%d/%d, held by %s, by level %t: stuck %t, want %t", asks, answers, hold, byLevel, got, want)
					}
				}
			}
		}
	}
}

// TestMachineStarves: which level starves which. The watched packet is injected at
// router 1, into which packets of another level come without end: over the link, to end
// there (ahead), or on the path of the watched one (same). Under strict priority the
// lower rank starves, and no other: by what is anywhere in the router, in both cases;
// by what is in the same FIFO or goes to the same port, only on the same path. A bound
// on what is sent at the higher rank ends it.
func TestMachineStarves(t *testing.T) {
	number := 0
	for level := range 4 {
		for rival := range 4 {
			for _, hold := range []string{"router", "fifo", "port", "none"} {
				for _, way := range []string{"ahead", "same", "bounded"} {
					others := map[string]string{"ahead": fmt.Sprintf("0-1@%d", rival),
						"same": fmt.Sprintf("1-2@%d", rival), "bounded": fmt.Sprintf("1-2@%dx3", rival)}[way]
					if number++; !seedtest.Sampled(number, 5) {
						continue
					}
					o := wholeOptions(t, 3, fmt.Sprintf("1-2@%d,%s", level, others))
					o.Window, o.Watch, o.Arbiter, o.Hold = 2, 0, "queue", hold
					higher := rival/2 > level/2
					want := higher && hold != "none" && (way == "same" || way == "ahead" && hold == "router")
					if way == "same" && level == rival {
						continue // they take each other's window
					}
					got := violated(t, whole(t, o))
					if slices.Contains(got, answered) != want || slices.Contains(got, stuck) {
						t.Errorf("level %d, rival %d %s, held by %s: %v, want starving: %t", level, rival, way, hold, got, want)
					}
				}
			}
		}
	}
}

// TestMachineVCs: for the paper's fabrics, the least number of VCs that the static
// decision finds. With one fewer, the packets of the cyclic wait that it names, sent
// again and again, deadlock the machine of the whole fabric, too; with that number the
// same streams do not (where the space is small: otherwise that is left to the static
// decision).
func TestMachineVCs(t *testing.T) {
	for i, tt := range []struct {
		fabric   rwc1.Topology
		n        int
		border   rwc1.Border
		topology rwc1.Topology
		least    int
		small    bool
	}{
		{rwc1.Banyan, 2, rwc1.Over, rwc1.Banyan, 3, true},
		{rwc1.Banyan, 2, rwc1.After, rwc1.Banyan, 2, true},
		{rwc1.CCCB, 2, rwc1.Over, rwc1.CCCB, 3, true},
		{rwc1.CCCB, 2, rwc1.After, rwc1.CCCB, 2, true},
		{rwc1.CCC, 3, rwc1.Over, rwc1.CCC, 3, false},
		{rwc1.CCC, 3, rwc1.After, rwc1.CCC, 2, true},
		{rwc1.CCCB, 3, rwc1.Over, rwc1.CCCB, 3, false},
		{rwc1.CCCB, 3, rwc1.After, rwc1.CCCB, 3, false},
		{rwc1.CCCB, 4, rwc1.Over, rwc1.CCCB, 3, false},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		decide := func(vcs int) *checker.Finding {
			r, err := checker.Check(t.Context(), routingtest.Network(t)(rwc1.New(rwc1.Options{N: tt.n,
				Topology: tt.topology, VCs: vcs, Border: tt.border,
				Levels: 1})), checker.Question{Properties: []string{"deadlock-freedom"}})
			if err != nil {
				t.Fatal(err)
			}
			return &r.Findings[0]
		}
		fewer := decide(tt.least - 1)
		if fewer.Verdict != spec.Violated || decide(tt.least).Verdict != spec.Holds {
			t.Fatalf("%s n=%d: %d VCs are not the least", rwc1.TopologyNames[tt.fabric], tt.n, tt.least)
		}
		o := rwc1.MachineOptions{Fabric: tt.fabric, N: tt.n, Border: tt.border, Depth: 1, PIB: 1, Arbiter: "any", Hold: "none", Watch: -1}
		for _, x := range fewer.Trace().Moves {
			if x.From.IsInjection() {
				s := rwc1.Stream{From: int(-2 - x.From), To: int(x.Header.Dest), Answer: -1}
				if !slices.Contains(o.Streams, s) {
					o.Streams = append(o.Streams, s)
				}
			}
		}
		for vcs, want := range map[int]spec.Verdict{tt.least - 1: spec.Violated, tt.least: spec.Holds} {
			if want == spec.Holds && !tt.small {
				continue
			}
			o.VCs = vcs
			x, err := checker.Explore(t.Context(), whole(t, o), checker.Question{})
			if err != nil {
				t.Fatal(err)
			}
			if x.Verdict() != want {
				t.Errorf("%s n=%d, border %s, %d VCs: %s, want %s", rwc1.TopologyNames[tt.fabric], tt.n, rwc1.BorderNames[tt.border], vcs, x.Verdict(), want)
			}
		}
	}
}

// TestMachineAnswers: a request is answered wherever there is no deadlock and an
// arbiter is fair, unless replies have a PIB of their own and share the link with new
// requests, which may then take every place that becomes free; not so if a processor
// answers before it asks. With an arbiter that may grant anybody, packets through a
// router starve what is injected there. Read as a cyclic order, round-robin starves,
// too, as in the machine of one port: at router 1 of four the order is input VC 0,
// input VC 1, injection; when the injection has filled VC 0 of the link, VC 1 wins, and
// the search begins at the injection again. It takes three: without VC 1 in between,
// all find room at the same times.
func TestMachineAnswers(t *testing.T) {
	for _, tt := range []struct {
		n       int
		streams string
		change  func(o *rwc1.MachineOptions)
		want    bool
	}{
		{2, "all@0/0", func(o *rwc1.MachineOptions) { o.Spill = true }, true},
		{2, "all@0/1", func(o *rwc1.MachineOptions) {}, true},
		{2, "all@0/1", func(o *rwc1.MachineOptions) { o.Buffers, o.Spill = rwc1.PerMode, true }, false},
		{2, "all@0/1", func(o *rwc1.MachineOptions) { o.Buffers, o.Spill, o.Answers = rwc1.PerMode, true, true }, true},
		{3, "1-2@0,0-2@0", func(o *rwc1.MachineOptions) { o.Arbiter = "queue" }, true},
		{3, "1-2@0,0-2@0", func(o *rwc1.MachineOptions) { o.Arbiter = "rotate" }, true},
		{4, "0-2@0,3-2@0,1-2@0", func(o *rwc1.MachineOptions) { o.Arbiter, o.Window = "rotate", 1 }, false},
		{4, "3-2@0,0-2@0,1-2@0", func(o *rwc1.MachineOptions) { o.Arbiter, o.Window = "rotate", 1 }, true}, // VC 1 of the link is its own
		{4, "0-2@0,1-2@0", func(o *rwc1.MachineOptions) { o.Arbiter, o.Window = "rotate", 1 }, true},
		{4, "0-2@0,3-2@0,1-2@0", func(o *rwc1.MachineOptions) { o.Arbiter, o.Window = "queue", 1 }, true},
		{3, "1-2@0,0-2@0", func(o *rwc1.MachineOptions) { o.Arbiter = "fixed" }, false}, // links come before injection
		{3, "1-2@0,0-2@0", func(o *rwc1.MachineOptions) { o.Arbiter = "any" }, false},
	} {
		o := wholeOptions(t, tt.n, tt.streams)
		o.Window, o.Watch = 2, 0
		tt.change(&o)
		got := violated(t, whole(t, o))
		if slices.Contains(got, answered) == tt.want || slices.Contains(got, stuck) {
			t.Errorf("%s %+v: violated %v; want answered: %t", tt.streams, o, got, tt.want)
		}
	}
}
