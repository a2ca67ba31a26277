package peach2_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

func hosts(t rapid.TB, c *peach2.Cluster, o peach2.HostsOptions) *program.Program {
	t.Helper()
	p, err := peach2.Hosts(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// explored visits so many states at most; 0: all.
func explored(t rapid.TB, p *program.Program, o checker.ExploreOptions) *checker.Result {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func ring(t testing.TB, n int, tie string, variant peach2.Variant) *peach2.Cluster {
	t.Helper()
	ties, err := peach2.ParseTies(tie, n)
	if err != nil {
		t.Fatal(err)
	}
	return generate(t, peach2.Options{Boards: n, Ties: ties, Variant: variant})
}

// TestHosts: verdicts that follow from a sentence.
func TestHosts(t *testing.T) {
	type options = peach2.HostsOptions
	for _, tt := range []struct {
		n       int
		tie     string
		variant peach2.Variant
		o       options
		want    spec.Verdict
		because string
	}{
		{4, "east", peach2.Minimal, options{To: peach2.ToOpposite, Requests: 1}, spec.Violated, "a write for the board opposite in each eastward link"},
		{4, "east", peach2.Minimal, options{To: peach2.ToNext}, spec.Holds, "no way of two cables"},
		{4, "EEEW", peach2.Minimal, options{To: peach2.ToOpposite}, spec.Holds, "nothing goes on through 0.E"},
		{4, "east", peach2.Dateline, options{To: peach2.ToOpposite}, spec.Holds, "Dally and Seitz 1987"},
		{3, "east", peach2.OneWay, options{Requests: 1}, spec.Violated, "three writes, two cables each"},
		{3, "east", peach2.Minimal, options{Reads: peach2.Separate, Requests: 1}, spec.Holds, "three kinds of buffers, each acyclic"},
		{3, "east", peach2.Minimal, options{Reads: peach2.Shared, Requests: 1}, spec.Holds, "two reads of one host would be needed"},
		{3, "east", peach2.Minimal, options{Reads: peach2.Shared, Requests: 2, To: peach2.ToNext}, spec.Violated,
			"each host: a read at the next board waits for room out of it, where that one's second read stands"},
		{2, "east", peach2.Minimal, options{Reads: peach2.Shared, Requests: 1}, spec.Holds, "one read each: the links out of the hosts are free for completions"},
		{2, "east", peach2.Minimal, options{Reads: peach2.Shared, Requests: 2}, spec.Violated, "two reads each fill the links out of the hosts and the cables"},
		{2, "east", peach2.Minimal, options{Reads: peach2.Separate, Ordering: peach2.Strict, NoWrites: true}, spec.Holds,
			"the last completion let in left room for the one read in its way"},
		{2, "east", peach2.Minimal, options{Reads: peach2.Separate, Ordering: peach2.Strict, NoWrites: true, Buffer: 2}, spec.Violated,
			"two reads ahead of each completion, one of which finds room"},
		{2, "east", peach2.Minimal, options{Reads: peach2.Separate, Ordering: peach2.Required, NoWrites: true, Buffer: 2}, spec.Holds,
			"completions pass those reads"},
		{2, "east", peach2.Minimal, options{Reads: peach2.InOrder, Ordering: peach2.Relaxed, NoWrites: true, Buffer: 2}, spec.Holds, "completions wait for completions alone"},
	} {
		if tt.o.Buffer == 0 {
			tt.o.Buffer = 1
		}
		x := explored(t, hosts(t, ring(t, tt.n, tt.tie, tt.variant), tt.o), checker.ExploreOptions{})
		if f := x.Findings[0]; f.Verdict != tt.want {
			t.Errorf("n=%d, ties %s, %s, %+v: %s (%s), want %s: %s", tt.n, tt.tie, peach2.VariantNames[tt.variant], tt.o, f.Verdict, f.Because, tt.want, tt.because)
		}
	}
}

// TestHostsAgreeWithWaits: where no buffers wait in a cycle there is no deadlock
// of hosts, whatever the buffers, the bounds and the destinations; and the cycles
// that there are become deadlocks often enough to mean something.
func TestHostsAgreeWithWaits(t *testing.T) {
	deadlocks, free := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "boards")
		var ties []peach2.Port
		for range n {
			ties = append(ties, rapid.SampledFrom([]peach2.Port{peach2.East, peach2.West}).Draw(t, "tie"))
		}
		variant := peach2.Variant(rapid.IntRange(0, len(peach2.VariantNames)-1).Draw(t, "variant"))
		c, err := peach2.Generate(peach2.Options{Boards: n, Ties: ties, Variant: variant, Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		o := peach2.HostsOptions{
			Reads:    peach2.Reads(rapid.IntRange(0, len(peach2.ReadsNames)-1).Draw(t, "reads")),
			Ordering: peach2.Ordering(rapid.IntRange(0, len(peach2.OrderingNames)-1).Draw(t, "ordering")),
			To:       peach2.Destinations(rapid.IntRange(0, len(peach2.DestinationNames)-1).Draw(t, "to")),
			Requests: rapid.IntRange(1, 3).Draw(t, "requests"),
			Buffer:   rapid.IntRange(1, 2).Draw(t, "buffer"),
			Turns:    rapid.Bool().Draw(t, "turns"),
		}
		o.NoWrites = o.Reads != peach2.NoReads && rapid.Bool().Draw(t, "no writes")
		_, cycle := waits(t, c, peach2.NetworkOptions{Reads: o.Reads, Ordering: o.Ordering})
		switch f := explored(t, hosts(t, c, o), checker.ExploreOptions{MaxStates: 20_000}).Findings[0]; {
		case f.Verdict == spec.Violated && cycle == 0:
			t.Errorf("%+v: a deadlock, but no buffers wait for each other in a cycle", o)
		case f.Verdict == spec.Violated:
			deadlocks++
		case cycle == 0:
			free++
		}
	})
	if !testing.Short() && (deadlocks < 3 || free < 3) {
		t.Errorf("%d deadlocks, %d rings without a cycle of waits: too few of one kind to mean anything", deadlocks, free)
	}
}

// TestHostsAnswer: of two boards every read is answered. Of three, reads that come
// in by two cables wait for the same room, so it takes turns.
func TestHostsAnswer(t *testing.T) {
	for _, tt := range []struct {
		n    int
		o    peach2.HostsOptions
		want spec.Verdict
	}{
		{2, peach2.HostsOptions{Requests: 2}, spec.Holds},
		{3, peach2.HostsOptions{Requests: 1, To: peach2.ToNext}, spec.Holds},
		{3, peach2.HostsOptions{Requests: 1}, spec.Violated},
		{3, peach2.HostsOptions{Requests: 1, Turns: true}, spec.Holds},
	} {
		tt.o.Reads, tt.o.Buffer, tt.o.Watch = peach2.Separate, 1, true
		x := explored(t, hosts(t, ring(t, tt.n, "east", peach2.Minimal), tt.o), checker.ExploreOptions{Whole: true, Liveness: true})
		f := x.Findings[len(x.Findings)-1]
		if f.Property != "a read of host 0 is answered" || f.Verdict != tt.want || f.Vacuous {
			t.Errorf("n=%d: %s %s (%s), want %s", tt.n, f.Property, f.Verdict, f.Because, tt.want)
		}
	}
}

// TestEnginesHosts: SPIN and Rumur find in the exported machine what unknot finds.
func TestEnginesHosts(t *testing.T) {
	for _, tt := range []struct {
		n int
		o peach2.HostsOptions
	}{
		{2, peach2.HostsOptions{Reads: peach2.InOrder, Buffer: 1}},
		{3, peach2.HostsOptions{Reads: peach2.Shared, Buffer: 2, Requests: 2, To: peach2.ToNext, NoWrites: true}},
		{4, peach2.HostsOptions{Buffer: 1, Requests: 1, To: peach2.ToOpposite}},
		{3, peach2.HostsOptions{Reads: peach2.Separate, Buffer: 1, Requests: 1, NoWrites: true, Turns: true}},
	} {
		p := hosts(t, ring(t, tt.n, "east", peach2.Minimal), tt.o)
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			x := explored(t, p, checker.ExploreOptions{Whole: true})
			enginetest.Compare(t, p, enginetest.Counts{States: int(x.States), Transitions: int(x.Transitions)})
		})
	}
}

// TestTurns: with turns there are no steps that there are not without, and in no
// state are all held back that may go without: turns change who goes, not whether
// somebody does.
func TestTurns(t *testing.T) {
	o := peach2.HostsOptions{Reads: peach2.Separate, Buffer: 1, Requests: 1, NoWrites: true}
	c := ring(t, 3, "east", peach2.Minimal)
	free, err := hosts(t, c, o).Machine()
	if err != nil {
		t.Fatal(err)
	}
	o.Turns = true
	turns, err := hosts(t, c, o).Machine()
	if err != nil {
		t.Fatal(err)
	}
	// The turns are the last variables; without them the states are the same.
	fields, plain := turns.Layout().Fields(), free.Layout().Fields()
	without := func(s []uint64) []uint64 {
		out := make([]uint64, free.Layout().Words())
		for i, f := range plain {
			f.Put(out, fields[i].Of(s))
		}
		return out
	}
	steps := func(m *program.Machine, s []uint64) (next [][]uint64, moves map[string]bool) {
		all, err := m.Next(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		moves = map[string]bool{}
		for i, words := 0, m.Layout().Words(); i*words < len(all); i++ {
			next = append(next, slices.Clone(all[i*words:(i+1)*words]))
			if a := m.Action(s, i).Name; !strings.HasPrefix(a, "host") {
				moves[a] = true
			}
		}
		return next, moves
	}
	queue := [][]uint64{turns.Start(nil)}
	seen := map[string]bool{fmt.Sprint(queue[0]): true}
	held := 0
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		next, moves := steps(turns, s)
		_, all := steps(free, without(s))
		for a := range moves {
			if !all[a] {
				t.Fatalf("%s is possible with turns alone in %s", a, turns.Layout().Text(s))
			}
		}
		if len(moves) < len(all) {
			held++
		}
		if len(moves) == 0 && len(all) > 0 {
			t.Fatalf("all are held back in %s", turns.Layout().Text(s))
		}
		for _, n := range next {
			if key := fmt.Sprint(n); !seen[key] {
				seen[key] = true
				queue = append(queue, n)
			}
		}
	}
	if held == 0 {
		t.Error("nobody is ever held back")
	}
}

func TestHostsRefuses(t *testing.T) {
	c := ring(t, 2, "east", peach2.Minimal)
	for _, tt := range []struct {
		o    peach2.HostsOptions
		want string
	}{
		{peach2.HostsOptions{NoWrites: true, Buffer: 1}, "neither writes nor reads"},
		{peach2.HostsOptions{Watch: true, Buffer: 1}, "no read can be watched"},
	} {
		if _, err := peach2.Hosts(c, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.o, err, tt.want)
		}
	}
	c.Boards[0].Registers = c.Boards[0].Registers[1:]
	if _, err := peach2.Hosts(c, peach2.HostsOptions{Buffer: 1}); err == nil || !strings.Contains(err.Error(), "the registers are faulty") {
		t.Errorf("a lost register: %v", err)
	}
}
