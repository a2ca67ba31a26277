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
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// hosts is the machine with parameters such as "n=3 reads=fifo".
func hosts(t rapid.TB, params string) *program.Program {
	t.Helper()
	set := map[string]string{}
	for _, p := range strings.Fields(params) {
		name, value, _ := strings.Cut(p, "=")
		set[name] = value
	}
	p, err := programtest.Of(peach2.ReadsEntry().Machine(set))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// explored visits at most a given number of states; 0: all.
func explored(t rapid.TB, p *program.Program, o checker.Question) *checker.Result {
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

// TestHosts: verdicts with a short argument each.
func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		params  string
		want    spec.Verdict
		because string
	}{
		{"n=4 reads=no to=opposite requests=1", spec.Violated, "a write for the board opposite in each eastward link"},
		{"n=4 reads=no to=next", spec.Holds, "no way of two cables"},
		{"n=4 reads=no to=opposite tie=EEEW", spec.Holds, "nothing goes on through 0.E"},
		{"n=4 reads=no to=opposite variant=dateline", spec.Holds, "Dally and Seitz 1987"},
		{"n=3 reads=no requests=1 variant=one-way", spec.Violated, "three writes, two cables each"},
		{"n=3 requests=1", spec.Holds, "three kinds of buffers, each acyclic"},
		{"n=3 reads=shared requests=1", spec.Holds, "two reads of one host would be needed"},
		{"n=3 reads=shared requests=2 to=next", spec.Violated,
			"each host: a read at the next board waits for room out of it, where that one's second read stands"},
		{"reads=shared requests=1", spec.Holds, "one read each: the links out of the hosts are free for completions"},
		{"reads=shared requests=2", spec.Violated, "two reads each fill the links out of the hosts and the cables"},
		{"ordering=strict writes=no", spec.Holds, "the last completion let in left room for the one read in its way"},
		{"ordering=strict writes=no buffer=2", spec.Violated, "two reads ahead of each completion, one of which finds room"},
		{"ordering=required writes=no buffer=2", spec.Holds, "completions pass those reads"},
		{"reads=in-order ordering=relaxed writes=no buffer=2", spec.Holds, "completions wait for completions alone"},
	} {
		x := explored(t, hosts(t, tt.params), checker.Question{})
		if f := x.Findings[0]; f.Verdict != tt.want {
			t.Errorf("%s: %s (%s), want %s: %s", tt.params, f.Verdict, f.Because, tt.want, tt.because)
		}
	}
}

// TestHostsAgreeWithWaits: if no buffers wait in a cycle, hosts do not deadlock, whatever
// the buffers, the bounds and the destinations; and cycles become deadlocks often enough
// for the test to mean something.
func TestHostsAgreeWithWaits(t *testing.T) {
	deadlocks, free := 0, 0
	seedtest.Sample(t, 15)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(t, "boards") // of 4 the machine takes seconds to make
		tie := rapid.StringOfN(rapid.SampledFrom([]rune("EW")), n, n, n).Draw(t, "ties")
		ties, err := peach2.ParseTies(tie, n)
		if err != nil {
			t.Fatal(err)
		}
		variant := rapid.IntRange(0, len(peach2.VariantNames)-1).Draw(t, "variant")
		c, err := peach2.Generate(peach2.Options{Boards: n, Ties: ties, Variant: peach2.Variant(variant), Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		o := peach2.NetworkOptions{
			Reads:    peach2.Reads(rapid.IntRange(0, len(peach2.ReadsNames)-1).Draw(t, "reads")),
			Ordering: peach2.Ordering(rapid.IntRange(0, len(peach2.OrderingNames)-1).Draw(t, "ordering")),
		}
		params := fmt.Sprintf("n=%d tie=%s variant=%s reads=%s ordering=%s to=%s requests=%d buffer=%d arbiter=%s", n,
			tie, peach2.VariantNames[variant], o.Reads, o.Ordering,
			rapid.SampledFrom([]string{"all", "next", "opposite"}).Draw(t, "to"), rapid.IntRange(1, 3).Draw(t, "requests"),
			rapid.IntRange(1, 2).Draw(t, "buffer"), rapid.SampledFrom([]string{"any", "turns"}).Draw(t, "arbiter"))
		if o.Reads != peach2.NoReads && rapid.Bool().Draw(t, "no writes") {
			params += " writes=no"
		}
		_, cycle := waits(t, c, o)
		switch f := explored(t, hosts(t, params), checker.Question{MaxStates: 20_000}).Findings[0]; {
		case f.Verdict == spec.Violated && cycle == 0:
			t.Errorf("%s: a deadlock, but no buffers wait for each other in a cycle", params)
		case f.Verdict == spec.Violated:
			deadlocks++
		case cycle == 0:
			free++
		}
	})
	if seedtest.Usual() && (deadlocks < 3 || free < 3) {
		t.Errorf("%d deadlocks, %d rings without a cycle of waits: too few of one kind to mean anything", deadlocks, free)
	}
}

// TestHostsAnswer: with two boards every read is answered. With three, reads from two cables
// wait for the same room, so turns are needed.
func TestHostsAnswer(t *testing.T) {
	for _, tt := range []struct {
		params string
		want   spec.Verdict
	}{
		{"requests=2", spec.Holds},
		{"n=3 requests=1 to=next", spec.Holds},
		{"n=3 requests=1", spec.Violated},
		{"n=3 requests=1 arbiter=turns", spec.Holds},
	} {
		x := explored(t, hosts(t, tt.params+" watch=yes"), checker.Question{Explore: checker.Whole, Liveness: true})
		f := x.Findings[len(x.Findings)-1]
		if f.Property != "a read of host 0 is answered" || f.Verdict != tt.want || f.Vacuous {
			t.Errorf("%s: %s %s (%s), want %s", tt.params, f.Property, f.Verdict, f.Because, tt.want)
		}
	}
}

// TestEnginesHosts: SPIN and Rumur agree with unknot on the exported machine.
func TestEnginesHosts(t *testing.T) {
	for _, params := range []string{
		"reads=in-order", "n=3 reads=shared buffer=2 requests=2 to=next writes=no",
		"n=4 reads=no requests=1 to=opposite", "n=3 requests=1 writes=no arbiter=turns",
	} {
		p := hosts(t, params)
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			x := explored(t, p, checker.Question{Explore: checker.Whole})
			enginetest.Compare(t, p, enginetest.Counts{States: int(x.States), Transitions: int(x.Transitions)})
		})
	}
}

// TestTurns: turns add no steps, and in no state do they block every step that is possible
// without them: they decide which packet moves, not whether one does.
func TestTurns(t *testing.T) {
	const params = "n=3 requests=1 writes=no"
	free, err := hosts(t, params).Machine()
	if err != nil {
		t.Fatal(err)
	}
	turns, err := hosts(t, params+" arbiter=turns").Machine()
	if err != nil {
		t.Fatal(err)
	}
	// Without the turns the states are the same.
	fields := map[string]states.Field{}
	for _, f := range turns.Layout().Fields() {
		fields[f.Name] = f
	}
	without := func(s []uint64) []uint64 {
		out := make([]uint64, free.Layout().Words())
		for _, f := range free.Layout().Fields() {
			f.Put(out, fields[f.Name].Of(s))
		}
		return out
	}
	steps := func(m *program.Machine, s []uint64) (next [][]uint64, moves map[string]bool) {
		all, err := m.AppendSuccessors(nil, s)
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

func TestReadsRefuses(t *testing.T) {
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"writes": "no", "reads": "no"}, "neither writes nor reads: want one of them"},
		{map[string]string{"watch": "yes", "reads": "no"}, "no read can be watched without reads"},
		{map[string]string{"interrupt": "after-read", "reads": "no"}, "invalid interrupt \"after-read\": want reads beside it"},
		{map[string]string{"tie": "EEW"}, "invalid tie \"EEW\": want east, west, alternate, or a letter E or W for each of the 2 boards, such as EW"},
	} {
		if _, err := programtest.Of(peach2.ReadsEntry().Machine(tt.set)); err == nil || !strings.Contains(err.Error(), "fail: "+tt.want) {
			t.Errorf("%v: %v, want %s", tt.set, err, tt.want)
		}
	}
}
