package combining

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// contended is three sources and one link of one message, which somebody takes
// away sooner or later. A source offers a message when it likes, and then waits;
// the last one is unfair if asked for: it sends when it likes, if it may.
func contended(kind Arbiter, unfair bool) *program.Program {
	const sources = 3
	p := program.New("contended " + ArbiterNames[kind])
	link := newFIFO(p, "link", 1, []string{"from 0", "from 1", "from 2"})
	a := &arbiter{kind: kind}
	var offers []program.Var
	var all []*source
	for i := range sources {
		last := unfair && i == sources-1
		s := a.source(subject{name: fmt.Sprint("source ", i)}, last)
		want := program.And()
		offers = append(offers, p.Enum(fmt.Sprint("source ", i), "-", "waits"))
		if !last {
			want = program.Eq(offers[i], 1)
			p.Unfair(fmt.Sprint("offer ", i), program.Eq(offers[i], 0), program.Set(offers[i], 1))
			p.Response(fmt.Sprint("source ", i, " sends"), want)
		}
		s.wants = append(s.wants, want)
		all = append(all, s)
	}
	a.remember(func(s *source) program.Var {
		x := p.Enum("turn of "+s.key.name, "-", "next")
		// The design's invariant: who has a turn waits.
		p.Invariant("turn of "+s.key.name, program.Implies(program.Eq(x, 1), s.want()))
		return x
	}, func(values int) program.Var { return p.Var("last", values) })
	for i, s := range all {
		guard := program.And(s.want(), link.Room(), a.turn(s))
		effect := append(a.wins(s), program.Set(offers[i], 0), link.Push(i+1))
		if s.unfair {
			p.Unfair(fmt.Sprint("send ", i), guard, effect...)
		} else {
			p.Rule(fmt.Sprint("send ", i), guard, effect...)
		}
	}
	p.Rule("take", program.Not(link.Empty()), link.Pop())
	return p
}

// TestArbitersAreFair: who waits for a link that gets room again and again sends,
// with a fair arbiter, and may starve without; the unfair source never holds
// others up, since it has no turn to leave out.
func TestArbitersAreFair(t *testing.T) {
	for kind := Any; kind <= RoundRobin; kind++ {
		for _, unfair := range []bool{false, true} {
			m, err := contended(kind, unfair).Machine()
			if err != nil {
				t.Fatal(err)
			}
			x, err := checker.Explore(context.Background(), m, checker.ExploreOptions{Whole: true, Liveness: true})
			if err != nil {
				t.Fatal(err)
			}
			var starve []string
			for _, f := range x.Findings {
				switch {
				case f.Verdict == spec.Holds:
				case f.Verdict == spec.Violated && slices.Contains([]string{"source 0 sends", "source 1 sends", "source 2 sends"}, f.Property):
					starve = append(starve, f.Property)
				default:
					t.Errorf("%s: %s %s: %s", ArbiterNames[kind], f.Property, f.Verdict, f.Because)
				}
			}
			want := 0
			if kind == Any { // each may be passed over by the others forever
				if want = 3; unfair {
					want = 2
				}
			}
			if len(starve) != want {
				t.Errorf("%s, unfair %v: %v starve, want %d", ArbiterNames[kind], unfair, starve, want)
			}
		}
	}
}

// passed returns the most sends of others, up to a bound, that a source sees
// while it waits, by a plain search over states and counts.
func passed(t *testing.T, kind Arbiter, watched, bound int) int {
	m, err := contended(kind, false).Machine()
	if err != nil {
		t.Fatal(err)
	}
	words := m.Layout().Words()
	field := slices.IndexFunc(m.Layout().Fields(), func(f states.Field) bool { return f.Name == fmt.Sprint("source ", watched) })
	waits := func(s []uint64) bool { return m.Layout().Fields()[field].Of(s) == 1 }
	type node struct {
		state string
		count int
	}
	seen := map[node]bool{}
	most := 0
	var visit func(s []uint64, count int)
	visit = func(s []uint64, count int) {
		n := node{fmt.Sprint(s), count}
		if seen[n] || count > bound {
			return
		}
		seen[n] = true
		most = max(most, count)
		next, err := m.Next(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for to := range slices.Chunk(next, words) {
			more := 0
			if waits(s) && waits(to) {
				more = count
				if name := m.Action(s, i).Name; name[:4] == "send" {
					more++
				}
			}
			visit(to, more)
			i++
		}
	}
	visit(m.Start(nil), 0)
	return most
}

// TestPassedOver: how often a source of n = 3 is passed over while it waits. With
// round-robin the two others go before it once each. With batches: it was served out
// of turn itself while the n-1 others waited, so these are a batch and go first;
// then one of them that waits again is served out of turn; that makes a batch of
// it and the n-2 left, who may go first: 2n-2 in all. Without an arbiter there is
// no bound.
func TestPassedOver(t *testing.T) {
	const bound = 10
	for kind, want := range map[Arbiter]int{Any: bound, Batch: 4, RoundRobin: 2} {
		for watched := range 3 {
			if got := passed(t, kind, watched, bound); got != want {
				t.Errorf("%s: source %d is passed over %d times, want %d", ArbiterNames[kind], watched, got, want)
			}
		}
	}
}
