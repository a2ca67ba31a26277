package peach2_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func generate(t testing.TB, o peach2.Options) *peach2.Cluster {
	t.Helper()
	c, err := peach2.Generate(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// expressible returns an ordering whose waits a network can express.
func expressible(reads peach2.Reads) peach2.Ordering {
	if reads == peach2.InOrder {
		return peach2.Relaxed
	}
	return peach2.Permitted
}

func compile(t testing.TB, c *peach2.Cluster, reads peach2.Reads) *spec.Network {
	t.Helper()
	return routingtest.Network(t)(peach2.New(c, peach2.NetworkOptions{Reads: reads, Ordering: expressible(reads)}))
}

func decide(t testing.TB, n *spec.Network) *checker.Result {
	t.Helper()
	r, err := checker.Check(t.Context(), n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func verdict(r *checker.Result, p spec.Property) spec.Verdict { return r.Findings[p].Verdict }

// tied sets the tie rule with a number: bit b says that board b goes west.
func tied(o peach2.Options, rule int) peach2.Options {
	o.Ties = nil
	for b := range o.Boards * max(o.Rings, 1) {
		o.Ties = append(o.Ties, [...]peach2.Port{peach2.East, peach2.West}[rule>>b&1])
	}
	return o
}

// TestMends: known theory frees a ring: datelines (Dally and Seitz), also if S joins a ring
// to another one only in some places; and a line, which has no cycle, and to which S to or
// from another line adds none if it comes first or last.
func TestMends(t *testing.T) {
	try := func(o peach2.Options) {
		t.Helper()
		o.South = [2]peach2.Role{0, 1}
		o = tied(o, 0b0110)
		for _, reads := range []peach2.Reads{peach2.NoReads, peach2.Separate} {
			if got := verdict(decide(t, compile(t, generate(t, o), reads)), spec.DeadlockFreedom); got != spec.Holds {
				t.Errorf("%+v, reads %s: %s", o, reads, got)
			}
		}
	}
	for _, n := range []int{5, 6, 16} {
		for _, variant := range []peach2.Variant{peach2.Dateline, peach2.Cut, peach2.CutBoard} {
			try(peach2.Options{Boards: n, Variant: variant})
		}
	}
	for _, variant := range []peach2.Variant{peach2.Dateline, peach2.Cut, peach2.CutBoard} {
		for order := range peach2.OrderNames {
			try(peach2.Options{Boards: 6, Rings: 2, Variant: variant, Order: peach2.Order(order)})
		}
	}
	for _, coupled := range [][]int{{0}, {0, 3}, {0, 5}, {1, 2, 4}} {
		try(peach2.Options{Boards: 6, Rings: 2, Variant: peach2.Dateline, Coupled: coupled})
	}
}

// TestOrderAddsNoCycle: if a network can express all the waits that matter, the waits of the
// ordering rules add no cycle, and no network has another fault.
func TestOrderAddsNoCycle(t *testing.T) {
	number := 0
	verdicts := map[spec.Verdict]int{}
	for n := 2; n <= 4; n++ {
		for variant := range peach2.VariantNames {
			for _, o := range []peach2.Options{
				{}, {Rings: 2}, {Rings: 2, Order: peach2.SouthFirst}, {Rings: 2, Coupled: []int{0}}, {Rings: 2, Coupled: []int{0, n - 1}},
			} {
				if o.Coupled != nil && peach2.Variant(variant) == peach2.CutBoard {
					continue // refused
				}
				o.Boards, o.Variant, o.South = n, peach2.Variant(variant), [2]peach2.Role{0, 1}
				for _, reads := range []peach2.Reads{peach2.NoReads, peach2.Separate, peach2.Shared, peach2.FIFO, peach2.InOrder} {
					if n == 4 && (reads == peach2.InOrder || reads != peach2.NoReads && o.Rings == 2) {
						continue // takes seconds and shows nothing that 2 and 3 boards, or one ring, do not
					}
					if number++; !seedtest.Sampled(number, 4) {
						continue
					}
					c := generate(t, tied(o, 0b0111))
					r := decide(t, compile(t, c, reads))
					got := verdict(r, spec.DeadlockFreedom)
					verdicts[got]++
					_, cycle := waits(t, c, peach2.NetworkOptions{Reads: reads, Ordering: expressible(reads)})
					if (got == spec.Holds) != (cycle == 0) {
						t.Errorf("%+v, reads %s: deadlock %s, and a cycle of %d waits", o, reads, got, cycle)
					}
					if verdict(r, spec.Delivery) != spec.Holds || verdict(r, spec.LivelockFreedom) != spec.Holds {
						t.Errorf("%+v, reads %s: livelock %s, delivery %s", o, reads, verdict(r, spec.LivelockFreedom), verdict(r, spec.Delivery))
					}
				}
			}
		}
	}
	if least := map[bool]int{true: 20, false: 5}[seedtest.Whole()]; min(verdicts[spec.Holds], verdicts[spec.Violated]) < least {
		t.Errorf("verdicts %v: too few of one kind to mean anything", verdicts)
	}
}

// TestSmallNetworksByExploration: all states of the network's traffic agree with
// the static decision.
func TestSmallNetworksByExploration(t *testing.T) {
	for _, tt := range []struct {
		o     peach2.Options
		reads peach2.Reads
		want  spec.Verdict
	}{
		{peach2.Options{Boards: 3}, peach2.NoReads, spec.Holds},
		{peach2.Options{Boards: 3, Variant: peach2.OneWay}, peach2.NoReads, spec.Violated},
		{peach2.Options{Boards: 4}, peach2.NoReads, spec.Violated},
		{tied(peach2.Options{Boards: 4}, 1), peach2.NoReads, spec.Holds},
		{peach2.Options{Boards: 2}, peach2.Separate, spec.Holds},
		{peach2.Options{Boards: 2}, peach2.Shared, spec.Violated},
		{peach2.Options{Boards: 2}, peach2.FIFO, spec.Violated},
	} {
		n := compile(t, generate(t, tt.o), tt.reads)
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Findings[0]; got.Verdict != tt.want || verdict(decide(t, n), spec.DeadlockFreedom) != tt.want {
			t.Errorf("%+v, reads %s: %s (%s), want %s", tt.o, tt.reads, got.Verdict, got.Because, tt.want)
		}
	}
}

// TestFaultsAreDeliveryFaults: a packet from any board arrives if and only if Inspect finds
// no fault in its addresses, so a faulty register file violates delivery in the network,
// too. Strays concern addresses of no device, and the network does not model subtraction.
func TestFaultsAreDeliveryFaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := peach2.Generate(peach2.Options{Boards: rapid.IntRange(2, 4).Draw(t, "boards"), Bits: 10})
		if err != nil {
			t.Fatal(err)
		}
		b := &c.Boards[rapid.IntRange(0, len(c.Boards)-1).Draw(t, "board")]
		r := &b.Registers[rapid.IntRange(0, len(b.Registers)-1).Draw(t, "register")]
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			r.Port = peach2.Port(rapid.IntRange(0, 4).Draw(t, "port"))
		case 1:
			r.Upper = rapid.Uint64Range(0, 1023).Draw(t, "upper")
		case 2:
			r.Mask = rapid.Uint64Range(0, 1023).Draw(t, "mask")
		}
		in, err := peach2.Inspect(c)
		if err != nil {
			t.Fatal(err)
		}
		lost := false
		for _, f := range in.Faults {
			switch f.Kind {
			case peach2.Gap, peach2.WrongNode, peach2.Cycle, peach2.Unconnected:
				lost = true
			case peach2.Overlap:
				return // the router's choice: may or may not arrive
			}
		}
		n := routingtest.Network(t)(peach2.New(c, peach2.NetworkOptions{}))
		report, err := checker.Check(t.Context(), n, checker.Question{Explore: checker.Never})
		if err != nil {
			t.Fatal(err)
		}
		// A gap at a node for its own addresses is met only by its senders.
		if got := verdict(report, spec.Delivery); (got == spec.Violated) != lost {
			t.Errorf("delivery %s, faults %v", got, in.Faults)
		}
	})
}

// TestPathsToDevices: the two GPUs of node 2 are reached round either side of a ring of
// four, which makes two classes; each device arrives, and if all boards route so, both
// directions are closed.
func TestPathsToDevices(t *testing.T) {
	c := generate(t, peach2.Options{Boards: 4})
	west := generate(t, tied(peach2.Options{Boards: 4}, 0b1111))
	for b := range c.Boards {
		opposite := (b + 2) % 4
		var rs []peach2.Register
		for port, from := range map[peach2.Port]*peach2.Cluster{peach2.East: c, peach2.West: west} {
			for _, r := range from.Boards[b].Registers {
				if r.Port == port && r.Lower <= c.Map.Base(opposite) && c.Map.Base(opposite) <= r.Upper {
					base := c.Map.Base(opposite)
					half := c.Map.Part / 2
					mask := c.Map.Window - half
					if port == peach2.West {
						base += half
					}
					rs = append(rs, peach2.Register{Port: port, Mask: mask, Lower: base, Upper: base})
				}
			}
		}
		for _, near := range []struct {
			port peach2.Port
			node int
		}{{peach2.East, (b + 1) % 4}, {peach2.West, (b + 3) % 4}} {
			rs = append(rs, peach2.Register{Port: near.port, Mask: c.Map.Window - c.Map.Part, Lower: c.Map.Base(near.node), Upper: c.Map.Base(near.node)})
		}
		for _, r := range c.Boards[b].Registers {
			if r.Port == peach2.North || r.Port == peach2.Internal {
				rs = append(rs, r)
			}
		}
		c.Boards[b].Registers = rs
	}
	in, err := peach2.Inspect(c)
	if err != nil || len(in.Faults) > 0 {
		t.Fatalf("faults %v, %v", in.Faults, err)
	}
	n := compile(t, c, peach2.NoReads)
	if got := len(n.Classes()); got != 2 {
		t.Errorf("%d classes, want 2", got)
	}
	r := decide(t, n)
	want := []spec.Verdict{spec.Violated, spec.Holds, spec.Holds}
	got := []spec.Verdict{verdict(r, spec.DeadlockFreedom), verdict(r, spec.LivelockFreedom), verdict(r, spec.Delivery)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := peach2.New(c, peach2.NetworkOptions{Reads: peach2.Separate}); err == nil || !strings.Contains(err.Error(), "take 2 different routes") {
		t.Errorf("with reads: %v", err)
	}
	if _, cycle := waits(t, c, peach2.NetworkOptions{}); cycle != 4 {
		t.Errorf("waits: a cycle of %d, want four", cycle)
	}
}

func TestNewRefuses(t *testing.T) {
	c := generate(t, peach2.Options{Boards: 2})
	for _, o := range []peach2.NetworkOptions{
		{Reads: peach2.InOrder}, {Reads: peach2.InOrder, Ordering: peach2.Strict},
		{Reads: peach2.Separate, Ordering: peach2.Strict}, {Reads: peach2.Shared, Ordering: peach2.Required},
	} {
		var order *peach2.OrderError
		if _, err := peach2.New(c, o); !errors.As(err, &order) || order.Reads != o.Reads || order.Ordering != o.Ordering {
			t.Errorf("%+v: %v, want an *OrderError", o, err)
		}
	}
	if _, err := peach2.New(&peach2.Cluster{}, peach2.NetworkOptions{}); err == nil {
		t.Error("an empty cluster is accepted")
	}
	c.Cables = append(c.Cables, c.Cables[0])
	for _, f := range []func() error{
		func() error { _, err := peach2.Inspect(c); return err },
		func() error { _, err := peach2.New(c, peach2.NetworkOptions{}); return err },
		func() error { _, err := peach2.CountHops(c); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "already has the cable") {
			t.Errorf("a cable twice: %v", err)
		}
	}
}
