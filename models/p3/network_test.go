package p3

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// tester is a *testing.T or a *rapid.T.
type tester interface {
	rapid.TB
	Context() context.Context
}

func decided(t tester, f *Forwarding) *checker.Result {
	t.Helper()
	n, err := routing.Compile(t.Context(), f.Definition(), routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Decide(t.Context(), n, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func forwarding(t tester, o Options) *Forwarding {
	t.Helper()
	f, err := NewForwarding(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func regular(t tester, columns, rows int) *Plane {
	t.Helper()
	p, err := Grid(GridOptions{Columns: columns, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRegularGridsAreMeshes: on a regular grid the literal rule is fully
// adaptive minimal routing on a mesh and horizontal first is dimension order,
// with the dependencies that a mesh of k x k has: 12k²-24k+8 and 8k²-16k+4.
func TestRegularGridsAreMeshes(t *testing.T) {
	for k := 2; k <= 8; k++ {
		for _, tt := range []struct {
			rule     Rule
			deps     int
			deadlock spec.Verdict
		}{
			{Literal, 12*k*k - 24*k + 8, spec.Violated}, {Beyond, 12*k*k - 24*k + 8, spec.Violated},
			{Horizontal, 8*k*k - 16*k + 4, spec.Holds}, {Vertical, 8*k*k - 16*k + 4, spec.Holds},
			{BeyondHorizontal, 8*k*k - 16*k + 4, spec.Holds}, {WestFirst, 10*k*k - 20*k + 6, spec.Holds},
		} {
			f := forwarding(t, Options{Plane: regular(t, k, k), Rule: tt.rule})
			n, err := routing.Compile(t.Context(), f.Definition(), routing.CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := checker.Decide(t.Context(), n, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Census.Edges != tt.deps || r.Findings[0].Verdict != tt.deadlock {
				t.Errorf("%d x %d, %s: %d dependencies, deadlock %s; want %d, %s", k, k, RuleNames[tt.rule], r.Census.Edges, r.Findings[0].Verdict, tt.deps, tt.deadlock)
			}
		}
	}
}

// TestExplored: counts of the 2 x 2 mesh, dimension order and fully adaptive,
// that were computed independently of this project.
func TestExplored(t *testing.T) {
	for _, tt := range []struct {
		rule                      Rule
		states, transitions, weak int64
	}{{Horizontal, 1296, 11232, 0}, {Literal, 6561, 58320, 3}} {
		n, err := routing.Compile(t.Context(), forwarding(t, Options{Plane: regular(t, 2, 2), Rule: tt.rule}).Definition(), routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if x.States != tt.states || x.Transitions != tt.transitions || x.Weak != tt.weak {
			t.Errorf("%s: %d states, %d transitions, %d weak deadlocks; want %d, %d, %d", RuleNames[tt.rule], x.States, x.Transitions, x.Weak, tt.states, tt.transitions, tt.weak)
		}
	}
}

// TestExplorationAgrees: on a plane of the findings exploration of all states
// says what the static decision says.
func TestExplorationAgrees(t *testing.T) {
	p, err := Bent()
	if err != nil {
		t.Fatal(err)
	}
	f := forwarding(t, Options{Plane: p, Rule: BeyondHorizontal})
	n, err := routing.Compile(t.Context(), f.Definition(), routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	if static := decided(t, f).Findings[0].Verdict; !x.Complete || x.Findings[0].Verdict != static || static != spec.Holds {
		t.Errorf("explored: %s, decided: %s", x.Findings[0].Verdict, static)
	}
}

// arrives reports whether every packet arrives, by the static decision.
func arrives(t tester, f *Forwarding) bool {
	t.Helper()
	r := decided(t, f)
	return r.Findings[spec.Livelock].Verdict == spec.Holds && r.Findings[spec.Delivery].Verdict == spec.Holds
}

// cycle returns the length of a shortest cycle of links that wait for each other,
// 0 if there is none.
func cycle(t tester, def routing.Definition) int {
	t.Helper()
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := dependency.Of(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := g.ShortestCycle()
	return len(c)
}

// TestNetworkFollowsHops: the hops that the rule permits, followed target by
// target, arrive if and only if the network's packets do; and the turns that they
// make close the cycles of its dependency graph.
func TestNetworkFollowsHops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := forwarding(t, Options{Plane: drawPlane(t), Rule: Rule(rapid.IntRange(0, int(Forced)-1).Draw(t, "rule")),
			Border: Border(rapid.IntRange(0, 2).Draw(t, "border"))})
		if len(f.Plane.Regions) == 1 {
			return // no flow
		}
		ends := true
		for region, rows := range f.hops {
			for _, row := range rows {
				depth := make([]int, len(row)) // 1: on the way, 2: arrives
				depth[region] = 2
				var follow func(pe int)
				follow = func(pe int) {
					if depth[pe] != 0 {
						ends = ends && depth[pe] == 2
						return
					}
					depth[pe] = 1
					ends = ends && row[pe] != 0
					for e, to := range f.Plane.Across[pe] {
						if row[pe]>>e&1 == 1 {
							follow(to)
						}
					}
					depth[pe] = 2
				}
				for pe := range row {
					follow(pe)
				}
			}
		}
		if got := arrives(t, f); got != ends {
			t.Fatalf("arrives: %t, by following hops %t", got, ends)
		}
		turns, err := (&fitting{f: f}).possible(t.Context(), func(hop) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if got, want := cycle(t, f.Definition()), len(turns.shortest()); got != want {
			t.Fatalf("a cycle of %d links, by following hops %d", got, want)
		}
	})
}

// TestFourPEs: around one inner corner the four angles make 360°, so one of them
// is not sharp and its turn is never forced: 2 x 2 PEs have no deadlock among
// packets without choice, wherever the boundaries are.
func TestFourPEs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Grid(GridOptions{Columns: 2, Rows: 2, Moves: rapid.IntRange(0, 50).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil {
			t.Fatal(err)
		}
		if r := decided(t, forwarding(t, Options{Plane: p, Rule: Forced})); r.Findings[0].Verdict != spec.Holds {
			t.Fatalf("deadlock %s on\n%s", r.Findings[0].Verdict, p)
		}
	})
}

func TestForwardingRefuses(t *testing.T) {
	p := regular(t, 2, 1)
	for _, o := range []Options{{}, {Plane: p, Rule: rules}, {Plane: p, Border: 3}, {Plane: p, VCs: 17}, {Plane: p, VCs: -1},
		{Plane: p, Targets: 2}, {Plane: p, Targets: Integers, Border: Strips}, {Plane: p, Rule: Nearer}, {Plane: p, Rule: BeyondNearer},
		{Plane: regular(t, 9, 8), Targets: Integers}} {
		if _, err := New(t.Context(), o); err == nil {
			t.Errorf("%+v: accepted", o)
		}
	}
	if _, err := ParseRule("nearest"); err == nil {
		t.Error("a rule that does not exist was read")
	}
	if _, err := Cut(t.Context(), p, Both, Literal, 3); err == nil {
		t.Error("more cells than allowed were cut")
	}
}

// TestFitted: a fitted rule passes every question and the static decision; where
// there is none, no rule of the others is free either.
func TestFitted(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		p, err := Grid(GridOptions{Columns: rapid.IntRange(2, 3).Draw(t, "columns"), Rows: rapid.IntRange(1, 2).Draw(t, "rows"),
			Moves: rapid.IntRange(0, 8).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil {
			t.Fatal(err)
		}
		f, err := NewForwarding(t.Context(), Options{Plane: p, Rule: Fitted})
		switch {
		case err == nil:
			found++
			for _, r := range decided(t, f).Findings {
				if r.Verdict != spec.Holds {
					t.Fatalf("fitted: %s %s", r.Property, r.Verdict)
				}
			}
			if got, err := f.Distances(t.Context(), false); err != nil || got.Verdict != spec.Holds || cycle(t, f.Definition()) != 0 {
				t.Fatalf("fitted: %+v, %v", got, err)
			}
		case !errors.Is(err, ErrNoRule):
			t.Fatal(err)
		default:
			for rule := range Forced {
				if cycle(t, forwarding(t, Options{Plane: p, Rule: rule}).Definition()) == 0 {
					t.Fatalf("no rule, but with %s there is no cycle", RuleNames[rule])
				}
			}
		}
	})
	if found == 0 {
		t.Error("no rule was ever found")
	}
}

// TestNeverBackArrives: with either PE of zone B but the one that the packet came
// from, it arrives on every plane drawn, which the arbitrary choice does not; and
// four packets still turn left around four PEs, on a regular grid and on bent ones.
func TestNeverBackArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Grid(GridOptions{Columns: rapid.IntRange(2, 4).Draw(t, "columns"), Rows: rapid.IntRange(1, 4).Draw(t, "rows"),
			Moves: rapid.IntRange(0, 60).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range decided(t, forwarding(t, Options{Plane: p, Rule: NeverBack})).Findings[1:] {
			if r.Verdict != spec.Holds {
				t.Fatalf("%s %s on\n%s", r.Property, r.Verdict, p)
			}
		}
	})
	for name, plane := range map[string]func() (*Plane, error){
		"grid": func() (*Plane, error) { return Grid(GridOptions{Columns: 2, Rows: 2}) }, "bent": Bent, "bow": Bow, "fan": Fan,
	} {
		p, err := plane()
		if err != nil {
			t.Fatal(err)
		}
		never, either := decided(t, forwarding(t, Options{Plane: p, Rule: NeverBack})).Findings, decided(t, forwarding(t, Options{Plane: p})).Findings
		if never[0].Verdict != spec.Violated || never[1].Verdict != spec.Holds || never[2].Verdict != spec.Holds {
			t.Errorf("%s: deadlock %s, livelock %s, delivery %s; want violated, holds, holds", name, never[0].Verdict, never[1].Verdict, never[2].Verdict)
		}
		if straying := name != "grid"; (either[1].Verdict == spec.Violated) != straying {
			t.Errorf("%s, either: livelock %s, want it violated: %t", name, either[1].Verdict, straying)
		}
	}
}

// TestOnward: nothing else than the edge to the PE that the packet came from is
// left out, and that not if there is no other.
func TestOnward(t *testing.T) {
	f := forwarding(t, Options{Plane: regular(t, 2, 2), Rule: NeverBack})
	// Of (0,0), PE 0, edge 1 is shared with (1,0), PE 1, and edge 2 with (0,1), PE 2.
	for _, tt := range []struct {
		edges uint32
		from  int
		want  uint32
	}{{0b110, 1, 0b100}, {0b110, 2, 0b010}, {0b110, 3, 0b110}, {0b010, 1, 0b010}, {0, 1, 0}} {
		if got := f.onward(0, tt.edges, tt.from); got != tt.want {
			t.Errorf("edges %03b from %d: %03b, want %03b", tt.edges, tt.from, got, tt.want)
		}
	}
}
