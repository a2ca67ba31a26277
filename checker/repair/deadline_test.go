package repair

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// asking is a context that ends after a number of calls that ask whether it has ended, and records
// which functions asked.
type asking struct {
	context.Context
	mu   sync.Mutex
	left int
	by   map[string]int
	late []string
}

func endsAfter(t *testing.T, questions int) *asking {
	return &asking{Context: t.Context(), left: questions, by: map[string]int{}}
}

func (a *asking) Err() error {
	pc, _, _, _ := runtime.Caller(1)
	name := runtime.FuncForPC(pc).Name()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.by[name[strings.LastIndex(name, "/")+1:]]++
	if a.left--; a.left < 0 {
		a.late = append(a.late, name)
		return context.Canceled
	}
	return nil
}

func every(relation.Place) bool { return true }

func (a *asking) total() (n int) {
	for k := range maps.Values(a.by) {
		n += k
	}
	return n
}

// afterEnd is how often a phase may ask after its context has ended: in a loop, in its caller, and in what is called
// after that.
const afterEnd = 3

// TestEnded: a proposal that is unknown says what ended the search.
func TestEnded(t *testing.T) {
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	short, cancel := context.WithCancelCause(t.Context())
	cancel(&routing.BudgetError{Memory: 1 << 30})
	for _, tt := range []struct {
		ctx  context.Context
		want string
	}{
		{late, "the search did not end in time"},
		{short, "the search did not end: the memory budget of 1024 MiB is used up"},
		{endsAfter(t, 0), "the search was interrupted"},
	} {
		if got := ended(tt.ctx); got.String() != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestFound: proposals are handed on as soon as they are known, those that only compute first. Who ends the search then
// has them, and the others say that they were not tried; an error ends the search.
func TestFound(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "5"})
	asked := []Scheme{Turns, Dateline, HopIndex, Order, Escape}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var order []Scheme
	r, err := Propose(ctx, n, Options{Schemes: asked, Found: func(before *checker.Result, number int, p Proposal) error {
		if before.Verdict() != spec.Violated || asked[number] != p.Scheme {
			t.Errorf("number %d is %s; before: %s", number, p.Scheme, before.Verdict())
		}
		if order = append(order, p.Scheme); p.Scheme == Escape {
			cancel()
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Scheme{HopIndex, Escape, Turns, Dateline, Order}; !slices.Equal(order, want) {
		t.Errorf("found %s, want %s", order, want)
	}
	for i, p := range r.Proposals {
		want, computed := spec.Unknown, asked[i] == HopIndex || asked[i] == Escape
		if computed {
			want = spec.Holds
		}
		if p.Scheme != asked[i] || p.Verdict != want || !computed && !strings.HasPrefix(p.Because.String(), "not tried") {
			t.Errorf("%s: %s: %v", p.Scheme, p.Verdict, p.Because)
		}
	}
	full := errors.New("the disk is full")
	_, err = Propose(t.Context(), n, Options{Found: func(*checker.Result, int, Proposal) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("%v, want that %v", err, full)
	}
}

// TestFractionsAreNotNegative: a program that is left before its optimum has variables below 0. As the weight of a turn
// such a one makes rounds of negative weight, which the search for a lightest cycle never leaves.
func TestFractionsAreNotNegative(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const units = 40
	var clauses [][]sat.Literal
	for range 60 {
		var clause []sat.Literal
		for _, u := range random.Perm(units)[:6] {
			clause = append(clause, sat.Yes(int32(u)))
		}
		clauses = append(clauses, clause)
	}
	_, whole := relax(t.Context(), units, clauses, 1<<40)
	left := 0
	for part := range int64(32) {
		w, cells := relax(t.Context(), units, clauses, whole*part/32)
		if cells < whole {
			left++
		}
		if least := slices.Min(w.fraction); least < 0 {
			t.Errorf("left after %d of %d cells, a fraction is %v", cells, whole, least)
		}
	}
	if left < 16 {
		t.Errorf("%d of 32 programs were left before their optimum", left)
	}
}

// TestEndedPhases: each phase of a search returns at once when its context has ended, with less than it would have
// found. It asks for each table, if it looks at all of them, and at most a few times more, whichever question ends the context.
func TestEndedPhases(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	torus := modeltest.Network(t, "torus", map[string]string{"k": "4", "routing": "adaptive"})
	j := newConditions(t.Context(), torus, Turns)
	none, all := make([]bool, len(j.units)), slices.Repeat([]bool{true}, len(j.units))
	d := newDatelines(t.Context(), j)
	l := newLayering(t.Context(), j)
	keeps := &plan{start: func(*table, int32) int { return 0 }, step: func(_ spec.ChannelID, copy int, _ spec.ChannelID) int { return copy }}
	turn := func(at, to spec.ChannelID) unit {
		return unit{spec.Site{Channel: at}, spec.Hop{Channel: to}}
	}
	round := &layering{conditions: &conditions{paths: &paths{units: []unit{turn(0, 1), turn(0, 2), turn(1, 0)}}}, turns: [][]int32{{0, 1, 2}}}
	star := newConditions(t.Context(), modeltest.Network(t, "star-channel", map[string]string{"ch": "never"}), Turns) // no packet has a single hop for long
	some := newHittingSet(t.Context(), problem{namer: j.namer, units: j.units, violations: j.violations}, DefaultEffort)
	for _, c := range j.violations(t.Context(), none, 99) {
		some.require(c)
	}
	ofTables := []string{"newPaths", "newJudge", "leftover", "forced", "visits", "follows", "newDatelines", "rings", "follow", "newLayering"}
	reroute := &rerouting{n: torus, turnGraph: newTurnGraph(t.Context(), len(j.sites), j.units)}
	mesh := newDatelines(t.Context(), newConditions(t.Context(), modeltest.Network(t, "mesh", map[string]string{"k": "6", "routing": "adaptive"}), Turns))
	mesh.tryOrders(t.Context())
	back := newOrdering(d.g, slices.Repeat([]bool{true}, len(d.g.turns)))
	for name, phase := range map[string]func(ctx context.Context) (made int){
		"newPaths": func(ctx context.Context) int {
			if w := newPaths(ctx, torus, Hops); w != nil {
				return len(w.units)
			}
			return 0
		},
		"newJudge": func(ctx context.Context) int {
			if j := newConditions(ctx, torus, Hops); j != nil {
				return len(j.units)
			}
			return 0
		},
		"refuse": func(ctx context.Context) int { return len(j.violations(ctx, all, 9)) }, // most packets have no path
		"around": func(ctx context.Context) int {
			j.paths.forbid(t.Context(), none)
			return len(j.closureClause(ctx, torus.Topology().Channel(0, 0), j.fixpoint(t.Context()), none))
		},
		"leftover": func(ctx context.Context) int { return len(j.fixpoint(ctx)) },
		"rings":    func(ctx context.Context) int { return len(j.ringClauses(ctx, none, make([]bool, len(j.units)), 99)) },
		"stuck": func(ctx context.Context) int {
			return len(star.stuckClauses(ctx, make([]bool, len(star.units)), make([]bool, len(star.units)), 99))
		},
		"forced": func(ctx context.Context) int { return len(j.unavoidable(ctx)) },
		"visits": func(ctx context.Context) int { return j.visits(ctx)(0) },
		"follows": func(ctx context.Context) int {
			dead := make([]bool, len(j.units)) // a path on, for all that do not arrive behind channel 0
			for u, x := range j.units {
				dead[u] = x.at.Channel == 0
			}
			j.paths.forbid(t.Context(), dead)
			return len(j.deadHops(ctx, dead))
		},
		"newDatelines": func(ctx context.Context) int { return len(newDatelines(ctx, j).g.turns) },
		"newLayering": func(ctx context.Context) int {
			if l := newLayering(ctx, j); l != nil {
				return len(l.flows)
			}
			return 0
		},
		"follow": func(ctx context.Context) int {
			copies, _ := keeps.countCopies(ctx, j.paths, 1)
			return len(copies)
		},
		"newTurnGraph": func(ctx context.Context) int { return len(newTurnGraph(ctx, len(j.sites), j.units).turns) },
		"thin": func(ctx context.Context) int {
			set := slices.Repeat([]bool{true}, len(d.g.turns))
			d.g.thinTurns(ctx, set)
			return len(set) - count(set)
		},
		"rarely": func(ctx context.Context) int {
			d := *mesh
			d.breakout(ctx, 1_000_000)
			return mesh.cost - d.cost
		},
		"separate": func(ctx context.Context) int { return len(reroute.separate(ctx, make([]float64, len(reroute.turns)))) },
		"settle": func(ctx context.Context) int {
			a := *back
			a.setOrder(back.order)
			a.descend(ctx)
			return back.cost - a.cost
		},
		"uncut": func(ctx context.Context) int {
			return len(d.g.cycleClauses(ctx, make([]bool, len(d.g.turns)), clausesPerTrial))
		},
		"maximal": func(ctx context.Context) int {
			flows, _ := l.maximalFlows(ctx, every)
			return len(flows)
		},
		"apart": func(ctx context.Context) int {
			_, count := l.incompatibleFirst(ctx, []int{0, 1, 2})
			return count
		},
		"tangled": func(ctx context.Context) int { return 1 + round.cyclicFlow(ctx, []int{0}) },
		"newLeast, units": func(ctx context.Context) int {
			return int(newHittingSet(ctx, problem{units: j.units}, 1).Add())
		},
	} {
		whole, make := endsAfter(t, 1<<30), phase
		phase = func(ctx context.Context) int {
			j.paths.forbid(t.Context(), none)
			return make(ctx)
		}
		steps := 20
		if seedtest.Whole() {
			steps = 100
		}
		if phase(whole) == 0 {
			t.Errorf("%s makes nothing in time", name)
		}
		total := whole.total()
		if slices.Contains(ofTables, name) && total < len(j.tables) {
			t.Errorf("%s asks %d times, want %d, for each table", name, total, len(j.tables))
		}
		for n := 0; n < total; n += 1 + total/steps {
			ctx := endsAfter(t, n)
			if phase(ctx); ctx.total() > n+afterEnd {
				t.Errorf("%s, ended after %d questions of %d, asks %d times more", name, n, total, ctx.total()-n)
				break
			}
		}
		if made := phase(ended); made != 0 {
			t.Errorf("%s makes %d of something after its context has ended", name, made)
		}
	}
}

// TestEndedBetween: a phase that its context interrupts ends there.
func TestEndedBetween(t *testing.T) {
	j := newConditions(t.Context(), modeltest.Network(t, "torus", map[string]string{"k": "4", "routing": "adaptive"}), Turns)

	// Conditions on units, after the units.
	l := newHittingSet(endsAfter(t, 6+len(j.units)+1), problem{units: j.units, forced: []int32{1, 2, 3}}, 1)
	if len(l.clauses) != 1 {
		t.Errorf("newLeast: %d conditions, want 1", len(l.clauses))
	}

	// Weights that take long.
	random := rand.New(rand.NewPCG(1, 2))
	var clauses [][]sat.Literal
	const parts, units = 3, 300
	for i := range int32(parts * units) {
		from := i / units * units
		clauses = append(clauses, []sat.Literal{sat.Yes(from + random.Int32N(units)),
			sat.Yes(from + random.Int32N(units)), sat.Yes(from + random.Int32N(units))})
	}
	_, unended := relax(t.Context(), parts*units, clauses, 1<<40)
	if w, cells := relax(endsAfter(t, 0), parts*units, clauses, 1<<40); cells > cellsPastEnd+mostCells || unended < 2*cells || w.bound == 0 {
		t.Errorf("weigh: %d cells, a bound of %d; in time %d cells", cells, w.bound, unended)
	}

	// What counts is what they are about, not how many units there are, except for the
	// share of each.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if w, _ := relax(t.Context(), 1<<20, [][]sat.Literal{{sat.No(5)}, {sat.Yes(1 << 19), sat.Yes(7)}}, 1<<40); w.bound != 1 || len(w.fraction) != 1<<20 {
		t.Errorf("weigh: a bound of %d, want 1", w.bound)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 9<<20 {
		t.Errorf("weigh takes %d bytes, want some more than 8 for each of %d units", after.TotalAlloc-before.TotalAlloc, 1<<20)
	}

	// A search that has ended does not weigh clauses.
	ctx := endsAfter(t, 0)
	l = newHittingSet(t.Context(), problem{namer: j.namer, units: j.units, violations: j.violations}, DefaultEffort)
	if err := l.improve(ctx, func() error { return nil }); !errors.Is(err, context.Canceled) || l.relaxation != nil {
		t.Errorf("search: %v, and clauses were weighed", err)
	}

	// Whichever question ends it: no conditions, and no table is looked at after that.
	judging := endsAfter(t, 1<<30)
	if j := newConditions(judging, j.n, Turns); j == nil || judging.by["repair.(*paths).forbid"] != len(j.tables) {
		t.Errorf("newJudge asks %v, want %d for its tables", judging.by, len(j.tables))
	}
	for n := range judging.total() {
		ctx := endsAfter(t, n)
		if newConditions(ctx, j.n, Turns) != nil || ctx.total() > n+2 {
			t.Errorf("newJudge, ended after %d questions of %d, asks %d times", n, judging.total(), ctx.total())
		}
	}

	// Channels are cleared one by one.
	free := newConditions(t.Context(), modeltest.Network(t, "mesh", map[string]string{"k": "3"}), Turns)
	if left := free.fixpoint(endsAfter(t, len(free.tables)+1)); !slices.Contains(left, true) || slices.Contains(free.fixpoint(t.Context()), true) {
		t.Errorf("leftover: %v", left)
	}

	// As many rings as time permits.
	used := make([]bool, len(j.units))
	rings := len(j.ringClauses(t.Context(), used, slices.Clone(used), 9))
	for some := range rings {
		if c := j.ringClauses(endsAfter(t, len(j.tables)+some), used, slices.Clone(used), 9); len(c) != some {
			t.Errorf("rings: %d clauses, want %d of %d", len(c), some, rings)
		}
	}

	// After the fixpoint nothing is looked for, where otherwise rings are.
	if on := endsAfter(t, 1<<30); len(j.stuckClauses(on, make([]bool, len(j.units)), make([]bool, len(j.units)),
		9)) == 0 || on.by["repair.(*conditions).ringClauses"] == 0 {
		t.Errorf("stuck, in time, asked by %v", on.by)
	}
	ctx = endsAfter(t, 1)
	j.paths.forbid(t.Context(), make([]bool, len(j.units)))
	if c := j.stuckClauses(ctx, make([]bool, len(j.units)), make([]bool, len(j.units)), 9); c != nil || ctx.by["repair.(*conditions).ringClauses"] != 0 {
		t.Errorf("stuck: %d clauses, asked by %v", len(c), ctx.by)
	}

	// Whichever question ends the solver's search: the assignment is the one before.
	y := newLayering(t.Context(), newConditions(t.Context(), modeltest.Network(t, "ring", map[string]string{"n": "7"}), Turns))
	flows, leader := y.maximalFlows(t.Context(), every)
	if !y.assignGreedily(t.Context(), flows, leader, 0) {
		t.Fatal("no assignment")
	}
	was, count := slices.Clone(y.of), y.count
	whole := endsAfter(t, 1<<30)
	if got, err := y.solve(whole, count-1, flows, leader, DefaultEffort); got != sat.Refuted || err != nil {
		t.Fatalf("exactly: %v, %v", got, err)
	}
	least := len(flows) * (count - 1) // a question for each variable
	if n := whole.by["repair.(*layering).solve"]; n < least {
		t.Errorf("exactly asks %d times, want %d or more", n, least)
	}
	for n := range whole.total() {
		got, err := y.solve(endsAfter(t, n), count-1, flows, leader, DefaultEffort)
		if got == sat.Satisfied || (got == sat.Undecided) == (err == nil) || y.count != count || !slices.Equal(y.of, was) {
			t.Errorf("exactly, ended after %d questions of %d: %v, %v, %d copies", n, whole.total(), got, err, y.count)
		}
	}
}

// TestShares: each search gets an equal share of the time that those before it have
// left.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		for _, x := range []struct {
			searches    int
			takes, want time.Duration
		}{{3, time.Second, 4 * time.Second}, {2, 3 * time.Second, 5500 * time.Millisecond}, {1, 0, 8 * time.Second}} {
			part, end := share(ctx, x.searches)
			if until, _ := part.Deadline(); time.Until(until) != x.want {
				t.Errorf("%v for the first of %d searches, want %v", time.Until(until), x.searches, x.want)
			}
			time.Sleep(x.takes)
			end()
		}
		if part, end := share(t.Context(), 2); part != t.Context() {
			end()
			t.Error("without a deadline there is nothing to share")
		}
	})
}

// TestLate: a bound is checked unless there is too little time for the graph: of some hops to each of five nodes, or of
// five turns for each.
func TestLate(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "5"})
	for _, tt := range []struct {
		of   unsat.Unit
		left time.Duration
		want bool
	}{{unsat.Turns, 0, false}, {unsat.Turns, time.Second, false}, {unsat.Turns, time.Microsecond, true},
		{unsat.Order, time.Second, false}, {unsat.Order, time.Microsecond, true}} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			if tt.left > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.left)
				defer cancel()
			}
			if got := tooLate(ctx, n, tt.of); got != tt.want {
				t.Errorf("%s, %v left: %t, want %t", tt.of, tt.left, got, tt.want)
			}
		})
	}
}

// afterEnds is how often the phases of a scheme may ask, one after the other.
const afterEnds = 25

// TestEndedSchemes: after however many questions a scheme is ended, it asks at most a few times more, says no more than a whole run
// does, calls nothing a proof that it did not find, and keeps what it had found when it was ended earlier.
func TestEndedSchemes(t *testing.T) {
	for _, of := range []struct {
		model  string
		set    map[string]string
		effort int64
	}{
		{"ring", map[string]string{"n": "5"}, 1_000_000},
		{"mesh", map[string]string{"k": "3", "routing": "adaptive"}, 1_000_000},
		{"torus", map[string]string{"k": "4", "routing": "adaptive"}, 1_000_000},
		{"star-channel", map[string]string{"k": "3", "ca": "always"}, 100_000},
	} {
		n := modeltest.Network(t, of.model, of.set)
		before, err := checker.Check(t.Context(), n, checker.Question{Workers: 1, Explore: checker.Never})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range Schemes() {
			u := &search{n, s, Options{Workers: 1, Effort: of.effort}, before}
			every := endsAfter(t, 1<<30)
			whole, err := u.run(every)
			if err != nil {
				t.Fatal(err)
			}
			if s == Escape && every.by["repair.(*search).escape"] == 0 {
				t.Errorf("%s: no root of an escape is a question", of.model)
			}
			found, steps, earlier, most := 0, 4, Proposal{}, 0
			if seedtest.Whole() {
				steps = 400
			}
			for k := range steps {
				ctx := endsAfter(t, every.total()*k/steps)
				p, err := u.run(ctx)
				most = max(most, ctx.total()-every.total()*k/steps)
				switch {
				case ctx.total() > every.total()*k/steps+afterEnds:
					t.Errorf("%s by %s, ended after %d questions of %d, asks %d times more: %v", of.model, s,
						every.total()*k/steps, every.total(), ctx.total()-every.total()*k/steps, ctx.late)
				case earlier.Verdict != spec.Unknown && (p.Verdict != earlier.Verdict || p.Cost > earlier.Cost) ||
					p.Verdict != spec.Violated && p.AtLeast < earlier.AtLeast:
					t.Errorf("%s by %s, ended after %d questions of %d: %s, %d to %d; when it was ended earlier: %s, %d to %d",
						of.model, s, every.total()*k/steps, every.total(), p.Verdict, p.AtLeast, p.Cost, earlier.Verdict, earlier.AtLeast, earlier.Cost)
				case p.Verdict == spec.Holds && p.Network.Digest() == whole.Network.Digest() &&
					!slices.EqualFunc(p.Patch, whole.Patch, words.Sentence.Equal):
					t.Errorf("%s by %s, ended after %d questions of %d: the patch is %q, want %q", of.model, s,
						every.total()*k/steps, every.total(), p.Patch, whole.Patch)
				case err != nil:
					t.Fatalf("%s by %s, ended after %d questions of %d: %v", of.model, s, every.total()*k/steps, every.total(), err)
				case p.Verdict == spec.Violated && whole.Verdict != spec.Violated, whole.Verdict != spec.Violated &&
					p.AtLeast > whole.AtLeast, p.Verdict == spec.Holds && p.Cost < whole.Cost,
					(p.Network != nil) != (p.Verdict == spec.Holds), p.Verdict == spec.Unknown &&
						!strings.HasPrefix(p.Because.String(), "the search was interrupted"):
					t.Errorf("%s by %s, ended after %d questions of %d: %s, %d to %d (%s); of the whole run: %s, %d to %d",
						of.model, s, every.total()*k/steps, every.total(), p.Verdict, p.AtLeast, p.Cost, p.Because, whole.Verdict, whole.AtLeast, whole.Cost)
				case p.Verdict == spec.Holds:
					found++
				}
				earlier = p
			}
			t.Logf("%s by %s: %d questions; %d of %d found something; %d questions after the end", of.model, s, every.total(), found, steps, most)
		}
	}
}

// TestEndedRounds: the search for cycles of packets ends with the context. All tables are for packets that may go back
// and forth.
func TestEndedRounds(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
		topo.AddLink(spec.Link{From: (i + 1) % 3, To: i, VCs: 1})
	}
	def := routing.Definition{Name: "to and fro", Topology: topo, Switching: spec.Wormhole,
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			for _, l := range topo.OutLinks(topo.Head(at)) {
				dst = append(dst, spec.Hop{Channel: topo.Channel(l, 0)})
			}
			return dst
		}))}
	n := routingtest.Compile(t, def)
	j := newConditions(t.Context(), n, Hops)
	none := make([]bool, len(j.units))
	all := j.violations(t.Context(), none, 99)
	for some := range all { // a clause of each table, and a question more that none is left
		if c := j.violations(endsAfter(t, len(j.tables)+max(0, 2*some-1)), none, 99); len(c) != some {
			t.Errorf("%d clauses, want %d of %d", len(c), some, len(all))
		}
	}
	if len(all) < 3 {
		t.Errorf("%d cycles", len(all))
	}
}
