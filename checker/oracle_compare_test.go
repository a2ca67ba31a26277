package checker_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestAgainstOracle: on random networks, run in random ways, what is decided and explored is what
// the oracle (oracle_test.go) finds independently.
func TestAgainstOracle(t *testing.T) {
	rapidChecks(t, 300)
	seen := map[string]int{}
	seedtest.Sample(t, 20)
	rapid.Check(t, func(t *rapid.T) { againstOracle(t, seen) })
	for _, what := range []string{"deadlock", "no deadlock", "livelock", "dead end", "delivered", "worms", "packets", "ranks"} {
		if seedtest.Usual() && seen[what] == 0 {
			t.Errorf("the random networks test nothing: %v", seen)
		}
	}
	t.Log(seen)
}

func againstOracle(t *rapid.T, seen map[string]int) {
	def := netgen.Definition(t, netgen.Options{Nodes: 4, Channels: 5, Tags: 2, Classes: 2, Buffer: 2, Dims: 2,
		Ring: true, Sparse: true, MayFail: rapid.Bool().Draw(t, "may fail")})
	def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole, spec.Wormhole}).Draw(t, "switching")
	n := networkOf(t, def)
	report, err := checker.Check(context.Background(), n, checker.Question{Workers: 1,
		Explore:   rapid.SampledFrom([]checker.Exploration{checker.Never, checker.Auto}).Draw(t, "explored"),
		MaxStates: 2000})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]checker.Finding{}
	for _, r := range report.Findings {
		verdicts[r.Property] = r
	}
	if len(newModel(def, spec.Scenario{}).flows()) != n.FlowCount() {
		t.Fatalf("%d flows", n.FlowCount())
	}
	if n.FlowCount() == 0 {
		return
	}
	lone := loneOf(def)
	agrees(t, verdicts[spec.Delivery.String()], !lone.delivered, true)
	agrees(t, verdicts[spec.LivelockFreedom.String()], lone.loops, report.Census.Sites > 0)
	count(seen, lone.delivered, "delivered")
	count(seen, lone.loops, "livelock")

	free := spec.Scenario{} // as the static decision has it
	if def.Switching == spec.Wormhole {
		free.Length = spec.AnyLength
	}
	decided := verdicts[spec.DeadlockFreedom.String()]
	if run := newModel(def, free).explore(mostWorlds); run != nil && report.Census.Sites > 0 {
		agrees(t, decided, run.deadlock(), false)
		count(seen, run.deadlock(), "deadlock")
		count(seen, !run.deadlock(), "no deadlock")
		exploredAgrees(t, n, free, run, false)
	}
	sc := netgen.Scenario(t, n)
	run := newModel(def, sc).explore(mostWorlds)
	if run == nil {
		return
	}
	if checker.Covers(&decided, sc) && run.deadlock() {
		t.Fatalf("decided free (%s), but %s deadlocks under %s", decided.Because, n.Name(), sc)
	}
	count(seen, checker.Covers(&decided, sc) && (sc.Shared || sc.Bubble > 1), "ranks")
	count(seen, sc.Flits(), "worms")
	count(seen, !sc.Flits(), "packets")
	count(seen, run.deadEnds > 0, "dead end")
	exploredAgrees(t, n, sc, run, sc.Bubble > 1 && lone.loops)
}

// mostWorlds bounds what the oracle explores of a network.
const mostWorlds = 1200

func count(seen map[string]int, is bool, what string) {
	if is {
		seen[what]++
	}
}

// agrees compares a verdict, which may be unknown unless it must be exact.
func agrees(t *rapid.T, r checker.Finding, violated, exact bool) {
	t.Helper()
	if exact && r.Verdict == spec.Unknown || r.Verdict == spec.Violated && !violated || r.Verdict == spec.Holds && violated {
		t.Fatalf("%s %s (%s), but the oracle says violated: %t", r.Property, r.Verdict, r.Because, violated)
	}
}

// exploredAgrees compares an exploration, exact and in other ways, with the oracle's. If a bubble
// is kept and packets can circulate, there may never be two free places at a time, so that a packet
// waits outside without a deadlock: starved says that this is
// possible.
func exploredAgrees(t *rapid.T, n *spec.Network, sc spec.Scenario, run *run, starved bool) {
	t.Helper()
	m := trafficOf(t, n, sc)
	opt := checker.Question{Workers: 1, Explore: checker.Whole,
		Notion: rapid.SampledFrom([]checker.Notion{checker.Local, checker.Weak, checker.Global}).Draw(t, "notion")}
	x := explore(t, m, opt)
	if x.States != int64(len(run.worlds)) || x.Transitions != run.transitions {
		t.Fatalf("%s: explored %d states and %d transitions, the oracle %d and %d", sc, x.States, x.Transitions, len(run.worlds), run.transitions)
	}
	// What is stuck later need not be stuck yet, and a packet that has to wait until one at a dead end
	// is discarded, only to be stuck then, is not stuck at rest.
	exact := run.deadEnds > 0 || x.Weak == run.weak && x.Global == run.global
	if !exact || x.Weak > run.weak || x.Global > run.global || x.Local > run.local || !starved && x.Local == 0 && run.local > 0 {
		t.Fatalf("%s: explored %d local, %d weak, %d global deadlocks, the oracle %d, %d, %d", sc, x.Local, x.Weak, x.Global, run.local, run.weak, run.global)
	}
	found := map[checker.Notion]bool{checker.Local: x.Local > 0, checker.Weak: x.Weak > 0, checker.Global: x.Global > 0}
	says := func(how string, x *checker.Result, property string, violated bool) {
		if v := finding(t, x, property).Verdict; (v == spec.Violated) != violated || v == spec.Unknown {
			t.Fatalf("%s, %s: %s %s, but the oracle says violated: %t", sc, how, property, v, violated)
		}
	}
	says("exactly", x, "deadlock-freedom", found[opt.Notion])
	says("exactly", x, "delivery", run.lost)
	if sc.Flits() {
		return
	}
	opt.Notion = checker.Local
	if len(sc.Once) == 0 {
		opt.Symmetry = true
		orbits := explore(t, m, opt)
		says("modulo symmetry", orbits, "deadlock-freedom", found[checker.Local])
		says("modulo symmetry", orbits, "delivery", run.lost)
		opt.Symmetry = false
	}
	opt.PartialOrder = true
	says("deliveries first", explore(t, m, opt), "deadlock-freedom", found[checker.Local])
}

// run is what the oracle finds out by visiting every world.
type run struct {
	worlds              []world
	steps               [][]edge // by world
	transitions         int64
	local, weak, global int64 // worlds with a message that never moves again; in which nothing in flight can move; in which nothing at all can
	rest                []rest
	deadEnds            int  // worlds with a head at a dead end
	lost                bool // in some world a message can no longer arrive, or may leave wrongly, or a flow is not routed
}

// rest is what cannot happen next in a world.
type rest struct{ inFlight, atAll bool }

// edge is an event between worlds that have numbers.
type edge struct {
	to    int
	moved int
	was   []int // by message after
}

// explore visits all worlds, or returns nil if there are too many.
func (m *model) explore(most int) *run {
	r := &run{lost: slices.ContainsFunc(m.flows(), func(f spec.Flow) bool {
		return m.sends(f) > 0 && m.fails(asked{spec.Injection(f.Source), spec.Header{Dest: f.Target.Dest, Class: f.Target.Class}})
	})}
	if !m.visit(r, []world{m.start()}, most, r.judge) {
		return nil
	}
	all := r
	if r.deadEnds > 0 { // may a message move again once those at dead ends are gone?
		beyond := *m
		beyond.discard = true
		all = &run{}
		if !beyond.visit(all, r.worlds, 4*most, nil) {
			return nil
		}
	}
	again := all.movesAgain()
	for i := range r.worlds { // the same numbers in both
		if slices.Contains(again[i], false) {
			r.local++
			if r.rest[i].inFlight {
				r.weak++
			}
			if r.rest[i].atAll {
				r.global++
			}
		}
	}
	return r
}

// visit goes breadth first; false if there are too many worlds.
func (m *model) visit(r *run, from []world, most int, judge func(*model, world, []event)) bool {
	number := map[string]int{}
	add := func(w world) int {
		k := w.key()
		i, known := number[k]
		if !known {
			i = len(r.worlds)
			number[k] = i
			r.worlds = append(r.worlds, w)
		}
		return i
	}
	for _, w := range from {
		add(w)
	}
	for i := 0; i < len(r.worlds); i++ {
		if len(r.worlds) > most {
			return false
		}
		events := m.events(r.worlds[i])
		if judge != nil {
			judge(m, r.worlds[i], events)
		}
		var edges []edge
		for _, e := range events {
			var was []int
			for _, x := range e.after.messages {
				was = append(was, x.was)
			}
			edges = append(edges, edge{add(e.after), e.moved, was})
		}
		r.steps = append(r.steps, edges)
	}
	return true
}

// judge says what is wrong with one world by itself.
func (r *run) judge(m *model, w world, events []event) {
	r.transitions += int64(len(events))
	moves := slices.ContainsFunc(events, func(e event) bool { return !e.injected })
	r.rest = append(r.rest, rest{!moves, len(events) == 0})
	deadEnd := false
	for _, x := range w.messages {
		head := x.way[len(x.way)-1]
		if x.out {
			continue
		}
		at := asked{head.channel, spec.Header{Dest: x.to.Dest, Class: x.to.Class, Tag: head.tag}}
		deadEnd = deadEnd || head.place == 0 && len(m.hops(at.at, at.h)) == 0
		_, home, _ := m.reach(at)
		r.lost = r.lost || !home || m.fails(at)
	}
	if deadEnd {
		r.deadEnds++
	}
}

func (r *run) deadlock() bool { return r.local > 0 }

func ejects(hops []spec.Hop) bool {
	return slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == spec.Eject })
}

// movesAgain returns, by world and message, whether some continuation moves the
// message's head, or it has left: backwards from the steps that do.
func (r *run) movesAgain() [][]bool {
	again := make([][]bool, len(r.worlds))
	for i, w := range r.worlds {
		again[i] = make([]bool, len(w.messages))
		for k := range w.messages {
			again[i][k] = w.messages[k].out
		}
		for _, e := range r.steps[i] {
			if e.moved >= 0 {
				again[i][e.moved] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(r.worlds) - 1; i >= 0; i-- {
			for _, e := range r.steps[i] {
				for after, before := range e.was {
					if before >= 0 && again[e.to][after] && !again[i][before] {
						again[i][before], changed = true, true
					}
				}
			}
		}
	}
	return again
}

// lone is what single packets can do.
type lone struct {
	delivered bool // every flow is routed, and wherever its packet gets it can arrive, and leave nowhere else
	loops     bool // some packet can come back to where it was
}

func loneOf(def routing.Definition) lone {
	m := newModel(def, spec.Scenario{})
	l := lone{delivered: true}
	for _, f := range m.flows() {
		everywhere, _, _ := m.reach(asked{spec.Injection(f.Source), spec.Header{Dest: f.Target.Dest, Class: f.Target.Class}})
		for _, a := range everywhere {
			_, home, back := m.reach(a)
			l.delivered = l.delivered && home && !m.fails(a)
			l.loops = l.loops || back
		}
	}
	return l
}

// fails reports whether a packet can go no further, or can leave the network where it should
// not.
func (m *model) fails(at asked) bool {
	hops := m.hops(at.at, at.h)
	return len(hops) == 0 || ejects(hops) && m.def.Topology.Head(at.at) != at.h.Dest
}

// reach returns where a packet can get, whether it can arrive, and whether it can
// come back.
func (m *model) reach(from asked) (all []asked, home, back bool) {
	all = []asked{from}
	for i := 0; i < len(all); i++ {
		for _, hop := range m.hops(all[i].at, all[i].h) {
			if hop.Channel == spec.Eject {
				home = home || m.def.Topology.Head(all[i].at) == from.h.Dest
				continue
			}
			to := asked{hop.Channel, spec.Header{Dest: from.h.Dest, Class: from.h.Class, Tag: hop.Tag}}
			back = back || to == from
			if !slices.Contains(all, to) {
				all = append(all, to)
			}
		}
	}
	return all, home, back
}
