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
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// tester is a *testing.T or a *rapid.T.
type tester interface {
	rapid.TB
	Context() context.Context
}

func decided(t tester, f *Forwarding) *checker.Result {
	t.Helper()
	n := routingtest.Compile(t, f.Definition())
	r, err := checker.Check(t.Context(), n, checker.Question{})
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
	return Grid(GridOptions{Columns: columns, Rows: rows})
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
			n := routingtest.Compile(t, f.Definition())
			r, err := checker.Check(t.Context(), n, checker.Question{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Census.Edges != tt.deps || r.Findings[0].Verdict != tt.deadlock {
				t.Errorf("%d x %d, %s: %d dependencies, deadlock %s; want %d, %s", k, k, RuleNames[tt.rule],
					r.Census.Edges, r.Findings[0].Verdict, tt.deps, tt.deadlock)
			}
		}
	}
}

// TestExplored: counts for the 2 x 2 mesh, dimension order and fully adaptive, computed
// independently of this project.
func TestExplored(t *testing.T) {
	for _, tt := range []struct {
		rule                      Rule
		states, transitions, weak int64
	}{{Horizontal, 1296, 11232, 0}, {Literal, 6561, 58320, 3}} {
		n := routingtest.Compile(t, forwarding(t, Options{Plane: regular(t, 2, 2), Rule: tt.rule}).Definition())
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
		if err != nil {
			t.Fatal(err)
		}
		if x.States != tt.states || x.Transitions != tt.transitions || x.Weak != tt.weak {
			t.Errorf("%s: %d states, %d transitions, %d weak deadlocks; want %d, %d, %d", RuleNames[tt.rule], x.States,
				x.Transitions, x.Weak, tt.states, tt.transitions, tt.weak)
		}
	}
}

// TestExplorationAgrees: on a plane of the findings, exploring all states agrees with
// the static decision.
func TestExplorationAgrees(t *testing.T) {
	p := Bent()
	f := forwarding(t, Options{Plane: p, Rule: BeyondHorizontal})
	n := routingtest.Compile(t, f.Definition())
	m, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
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
	return r.Findings[spec.LivelockFreedom].Verdict == spec.Holds && r.Findings[spec.Delivery].Verdict == spec.Holds
}

// cycle returns the length of a shortest cycle of links that wait for each other,
// 0 if there is none.
func cycle(t tester, def routing.Definition) int {
	t.Helper()
	n := routingtest.Compile(t, def)
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
		f := forwarding(t, Options{Plane: drawPlane(t), Rule: drawRule(t), Border: drawBorder(t)})
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
		if got, want := cycle(t, f.Definition()), shortest(turnsOf(f)); got != want {
			t.Fatalf("a cycle of %d links, by following hops %d", got, want)
		}
	})
}

// TestFourPEs: around one inner corner the four angles add up to 360°, so one of them
// is not sharp and its turn is never forced: 2 x 2 PEs have no deadlock among packets
// without choice, wherever the boundaries are.
func TestFourPEs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Grid(GridOptions{Columns: 2, Rows: 2, Moves: rapid.IntRange(0, 50).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")})
		if r := decided(t, forwarding(t, Options{Plane: p, Rule: Forced})); r.Findings[0].Verdict != spec.Holds {
			t.Fatalf("deadlock %s on\n%v", r.Findings[0].Verdict, p.Regions)
		}
	})
}

// turnsOf lists the links into which a packet in a link may turn, according to the
// hops.
func turnsOf(f *Forwarding) map[[2]int][][2]int {
	after := map[[2]int][][2]int{}
	for _, rows := range f.hops {
		for _, row := range rows {
			for pe, edges := range row {
				for e, to := range f.Plane.Across[pe] {
					for e2, next := range f.Plane.Across[max(to, 0)] {
						if edges>>e&1 == 1 && row[to]>>e2&1 == 1 {
							after[[2]int{pe, to}] = append(after[[2]int{pe, to}], [2]int{to, next})
						}
					}
				}
			}
		}
	}
	return after
}

// shortest returns the length of a shortest cycle, or 0: breadth first
// from each link.
func shortest(after map[[2]int][][2]int) int {
	best := 0
	for start := range after {
		far := map[[2]int]int{}
		for queue := [][2]int{start}; len(queue) > 0; queue = queue[1:] {
			for _, b := range after[queue[0]] {
				if _, seen := far[b]; !seen {
					far[b] = far[queue[0]] + 1
					queue = append(queue, b)
				}
			}
			if n := far[start]; n > 0 {
				if best == 0 || n < best {
					best = n
				}
				break
			}
		}
	}
	return best
}

// TestNeverBackArrives: with either PE of zone B except the one that the packet came
// from, it arrives on every plane drawn; with an arbitrary choice it does not. Four packets
// still turn left around four PEs, on a regular grid and on bent ones.
func TestNeverBackArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Grid(GridOptions{Columns: rapid.IntRange(2, 4).Draw(t, "columns"), Rows: rapid.IntRange(1, 4).Draw(t, "rows"),
			Moves: rapid.IntRange(0, 60).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")})
		for _, r := range decided(t, forwarding(t, Options{Plane: p, Rule: NeverBack})).Findings[1:] {
			if r.Verdict != spec.Holds {
				t.Fatalf("%s %s on\n%v", r.Property, r.Verdict, p.Regions)
			}
		}
	})
	for name, p := range map[string]*Plane{"grid": regular(t, 2, 2), "bent": Bent(), "bow": Bow()} {
		never, either := decided(t, forwarding(t, Options{Plane: p, Rule: NeverBack})).Findings, decided(t, forwarding(t, Options{Plane: p})).Findings
		if never[0].Verdict != spec.Violated || never[1].Verdict != spec.Holds || never[2].Verdict != spec.Holds {
			t.Errorf("%s: deadlock %s, livelock %s, delivery %s; want violated, holds, holds", name, never[0].Verdict, never[1].Verdict, never[2].Verdict)
		}
		if straying := name != "grid"; (either[1].Verdict == spec.Violated) != straying {
			t.Errorf("%s, either: livelock %s, want it violated: %t", name, either[1].Verdict, straying)
		}
	}
}

// TestOnward: only the edge to the PE that the packet came from is left out, unless it is
// the only one.
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

// TestQuestionsCatchWrongHops: a single hop that the zones do not name is found.
func TestQuestionsCatchWrongHops(t *testing.T) {
	f := forwarding(t, Options{Plane: regular(t, 3, 3), Rule: Horizontal})
	// From the middle PE, for the targets of the upper right one, go left.
	f.hops[8][0][4] = 1 << 3
	if holds, because, err := f.NeverFarther(t.Context(), false); holds || err != nil ||
		because != "from (1,1) to (0,1), for the target (160,160): a packet crosses an edge that the zone does not name" {
		t.Errorf("%t, %s, %v", holds, because, err)
	}
	if arrives(t, f) {
		t.Error("packets arrive")
	}
	f.hops[8][0][4] = 0
	if arrives(t, f) {
		t.Error("packets arrive through a dead end")
	}
}

// TestBent: the counterexample to "the packet always arrives", by hand. The
// corner is (64,80). The strip of the upper edge of (0,0), which rises by 16 to
// 64, ends at the line from there to (52,128); targets to the right of it and to
// the left of x = 76, its mirror image, lie in zone B of both lower PEs: of (0,0) at
// its corner 2, of (1,0) at its corner 3. One is (60,112).
func TestBent(t *testing.T) {
	f := forwarding(t, Options{Plane: Bent()})
	target := &Cell{corners: []place{{60, 112, 1}}}
	for pe, want := range []Zone{{0b0110, 2}, {0b1100, 3}} {
		if got := f.Zone(pe, target); got != want {
			t.Errorf("PE %d: %v, want %v", pe, got, want)
		}
	}
	if holds, _, err := f.NeverFarther(t.Context(), true); holds || err != nil {
		t.Errorf("every hop leads nearer: %v", err)
	}
}

// TestCancelled: long computations stop when their context is done.
func TestCancelled(t *testing.T) {
	f := forwarding(t, Options{Plane: regular(t, 2, 2)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := f.NeverFarther(ctx, false); !errors.Is(err, context.Canceled) {
		t.Errorf("distances: %v", err)
	}
	for _, o := range []Options{f.asked, {Plane: f.Plane, Masks: Blocks}} {
		if _, err := NewForwarding(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("cells: %v", err)
		}
	}
}
