package coq_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// steps collects networks, states and moves for the extracted step, with what Go's step makes of each.
type steps struct {
	n       *spec.Network
	traffic *spec.Traffic
	text    bytes.Buffer
	want    []string
	states  int
	moved   map[string]int // moves that are possible, by the kind of traffic and of move
	refused int
	behind  int // states in which packets of flits share a channel
}

// header numbers a header: a target, or a source's number in its place, has the tags below most.
func (q *steps) header(h spec.Header) int {
	i, found := q.n.Find(h.Target())
	if !found {
		return 0 // of no packet
	}
	return 1 + i*(1<<16) + int(h.Tag)
}

func (q *steps) place(c spec.ChannelID) string {
	if c.IsInjection() {
		return fmt.Sprint("s", q.n.Topology().Head(c))
	}
	return fmt.Sprint(c)
}

// way writes what a hop does for a packet of a target.
func (q *steps) way(h spec.Hop, target spec.Target) string {
	switch {
	case h.Discards():
		return "d"
	case h.Channel == spec.Eject:
		return "e"
	}
	return fmt.Sprintf("%d:%d", h.Channel, q.header(spec.Header{Dest: target.Dest, Class: target.Class, Tag: h.Tag}))
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// network writes a network and how it is run. Bubbles and rooms are in the need of each hop.
func (q *steps) network(traffic *spec.Traffic) {
	n, sc, topo := traffic.Network(), traffic.Scenario(), traffic.Network().Topology()
	q.n, q.traffic = n, traffic
	later := max(1, sc.Length) - 1
	if sc.Length == spec.AnyLength {
		later = 1
	}
	fmt.Fprintf(&q.text, "n %d %d %d %d %d %d %d %d\n", traffic.Capacity(), later, flag(sc.Length == spec.AnyLength),
		flag(sc.Flits()), flag(sc.Shared), flag(sc.Elastic), sc.Sink, topo.Nodes())
	for c := range spec.ChannelID(topo.Channels()) {
		fmt.Fprintf(&q.text, "l %d %d\n", topo.Tail(c), topo.Head(c))
	}
	for i := range n.Tables() {
		table := n.Table(i)
		row := func(s spec.Site, r spec.RowID) {
			fmt.Fprintf(&q.text, "r %s %d", q.place(s.Channel), q.header(s.Header))
			for _, h := range n.Row(r) {
				fmt.Fprint(&q.text, " ", q.way(h, table.Target))
				if h.Channel != spec.Eject {
					fmt.Fprint(&q.text, ":", traffic.Need(s.Channel, h))
				}
			}
			fmt.Fprintln(&q.text)
		}
		for k, src := range table.Sources {
			row(table.SourceSite(k), src.Row)
		}
		for k := range table.Len() {
			row(table.Site(k), table.Rows[k])
		}
	}
}

// state writes the pieces of a state, as the extracted step does with end "; ".
func (q *steps) state(w *bytes.Buffer, s *spec.Occupancy, end string) {
	for c, pieces := range s.Channels {
		for _, p := range pieces {
			gone := "-"
			if p.Left {
				gone = q.way(p.Out, p.Header.Target())
			}
			fmt.Fprintf(w, "p %d %d %d %d %s%s", c, q.header(p.Header), p.Flits, p.Rest, gone, end)
		}
	}
	for v, held := range s.Sinks {
		if held > 0 {
			fmt.Fprintf(w, "h %d %d%s", v, held, end)
		}
	}
}

// ask adds a move in the state that was written last, and what Go's step says of it.
func (q *steps) ask(s spec.Occupancy, m spec.Move) {
	q.move(m)
	after, err := q.traffic.Step(s, m)
	if err != nil {
		q.want = append(q.want, "no")
		q.refused++
		return
	}
	sc := q.traffic.Scenario()
	q.moved[fmt.Sprintf("flits %v, elastic %v, shared %v, any length %v: %s",
		sc.Flits(), sc.Elastic, sc.Shared, sc.Length == spec.AnyLength, [...]string{"advance", "follow", "finish", "consume"}[m.Kind])]++
	var text bytes.Buffer
	q.state(&text, &after, ";")
	q.want = append(q.want, text.String())
}

// move writes a move.
func (q *steps) move(m spec.Move) {
	topo, target := q.n.Topology(), m.Header.Target()
	entering := q.header(spec.Header{Dest: target.Dest, Class: target.Class, Tag: m.Hop.Tag})
	switch {
	case m.Kind == spec.Advance:
		fmt.Fprintf(&q.text, "a %s %d %s\n", q.place(m.From), q.header(m.Header), q.way(m.Hop, target))
	case m.Kind == spec.Consume:
		fmt.Fprintf(&q.text, "c %d\n", topo.Head(m.From))
	case m.Kind == spec.Finish:
		fmt.Fprintf(&q.text, "t %d %d %d\n", topo.Head(m.From), m.Hop.Channel, entering)
	case m.From.IsInjection():
		fmt.Fprintf(&q.text, "i %d %d %d\n", topo.Head(m.From), m.Hop.Channel, entering)
	default:
		fmt.Fprintf(&q.text, "f %d %d %s\n", m.From, q.header(m.Header), q.way(m.Hop, target))
	}
}

// altered changes one thing of a move, so that it is most likely not possible.
func (q *steps) altered(r *rand.Rand, m spec.Move) spec.Move {
	topo := q.n.Topology()
	channel := spec.ChannelID(r.IntN(topo.Channels()))
	switch r.IntN(4) {
	case 0:
		if m.Hop.Channel >= 0 {
			m.Hop.Channel = channel
		}
	case 1:
		if !m.From.IsInjection() {
			m.From = channel
		} else {
			m.From = spec.Injection(spec.NodeID(r.IntN(topo.Nodes())))
		}
	case 2:
		t := q.n.Table(r.IntN(q.n.Tables())).Target
		if m.Kind != spec.Consume {
			m.Header.Dest, m.Header.Class = t.Dest, t.Class
		}
	default:
		if m.Kind == spec.Advance {
			m.Header.Tag = spec.Tag(r.IntN(3))
		} else if m.Hop.Channel >= 0 {
			m.Hop.Tag = spec.Tag(r.IntN(3))
		}
	}
	return m
}

// walk asks along a random walk that mostly fills the network: in each state about a possible move and an altered one.
func (q *steps) walk(r *rand.Rand, length int) {
	s := q.traffic.Empty()
	for range length {
		q.states++
		fmt.Fprintln(&q.text, "z")
		q.state(&q.text, &s, "\n")
		if q.traffic.Scenario().Flits() && slices.ContainsFunc(s.Channels, func(p []spec.Piece) bool { return len(p) > 1 }) {
			q.behind++
		}
		moves := q.traffic.Moves(nil, &s, func(spec.Flow) bool { return true })
		if len(moves) == 0 {
			return
		}
		m := moves[min(r.IntN(len(moves)), r.IntN(len(moves)))] // injections come first
		q.ask(s, q.altered(r, m))
		q.ask(s, m)
		s, _ = q.traffic.Step(s, m)
	}
}

// compare runs the extracted program.
func (q *steps) compare(t *testing.T, program string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program)
	c.Stdin = bytes.NewReader(q.text.Bytes())
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(got) != len(q.want) {
		t.Fatalf("%d answers to %d questions", len(got), len(q.want))
	}
	for i, differ := 0, 0; i < len(got) && differ < 10; i++ {
		if got[i] != q.want[i] {
			differ++
			t.Errorf("question %d: Coq's program says %q, Go's %q", i, got[i], q.want[i])
		}
	}
}

// TestStep: the step that Coq's theorems are about, extracted, does what the reference step of package spec does: on
// 100,000 states along random walks of drawn networks, with packets, flits, bubbles, rooms, sinks and alternatives.
func TestStep(t *testing.T) {
	seedtest.InFull(t)
	program := stepper(t)
	q := steps{moved: map[string]int{}}
	r := rand.New(rand.NewPCG(3, 4))
	const most = 100_000
	rapid.Check(t, func(rt *rapid.T) {
		for range 10 {
			switching := rapid.SampledFrom([]spec.Switching{spec.Wormhole, spec.Wormhole, spec.Wormhole, spec.VirtualCutThrough}).
				Draw(rt, "switching")
			o := netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Classes: 2, Buffer: 3, Dims: 2, MayFail: true, Discards: true,
				Commits: rapid.Bool().Draw(rt, "commits"), Rooms: switching != spec.Wormhole}
			traffic := netgen.Traffic(rt, o, switching)
			if traffic.Network().FlowCount() == 0 || q.states > most {
				continue
			}
			q.network(traffic.Traffic)
			for range 4 {
				q.walk(r, 40)
			}
		}
	})
	q.compare(t, program)
	t.Logf("%d states, %d with shared channels, %d moves refused; moves made: %v", q.states, q.behind, q.refused, q.moved)
	if seedtest.Usual() && (q.states < most || q.behind < most/20 || q.refused < most/4 || len(q.moved) < 10) {
		t.Errorf("%d states, %d with shared channels, %d moves refused, %d kinds of moves",
			q.states, q.behind, q.refused, len(q.moved))
	}
}

// stepper builds the program of the step.
func stepper(t *testing.T) (program string) {
	t.Helper()
	return extracted(t, "Packets Step Stuck Reference StuckFlits ExtractStep", "reference.mli reference.ml stepper.ml")
}

// trace asks about a trace to a deadlock, of whatever notion.
func (q *steps) trace(t *testing.T, tr counterexamples.Trace) (accepted bool) {
	t.Helper()
	fmt.Fprintln(&q.text, "k")
	for _, m := range tr.Moves {
		q.move(m)
	}
	fmt.Fprint(&q.text, "w")
	for _, c := range tr.Stuck {
		fmt.Fprint(&q.text, " ", c)
	}
	fmt.Fprintln(&q.text)
	tr.Notion = counterexamples.Local
	accepted = counterexamples.Replay(t.Context(), q.n, &tr) == nil
	q.want = append(q.want, fmt.Sprint(flag(accepted)))
	return accepted
}

// mutated changes one thing of a trace.
func (q *steps) mutated(r *rand.Rand, tr counterexamples.Trace) counterexamples.Trace {
	tr.Moves, tr.Stuck = slices.Clone(tr.Moves), slices.Clone(tr.Stuck)
	i := r.IntN(len(tr.Moves))
	switch r.IntN(5) {
	case 0:
		tr.Moves = slices.Delete(tr.Moves, i, i+1)
	case 1:
		j := r.IntN(len(tr.Moves))
		tr.Moves[i], tr.Moves[j] = tr.Moves[j], tr.Moves[i]
	case 2:
		tr.Moves[i] = q.altered(r, tr.Moves[i])
	case 3:
		j := r.IntN(len(tr.Stuck))
		tr.Stuck = slices.Delete(tr.Stuck, j, j+1)
	default:
		tr.Stuck = append(tr.Stuck, spec.ChannelID(r.IntN(q.n.Topology().Channels())))
		slices.Sort(tr.Stuck)
		tr.Stuck = slices.Compact(tr.Stuck)
	}
	return tr
}

// mutants asks about a trace to a deadlock and changed ones, and counts of these what Replay accepts and refuses.
func (q *steps) mutants(t *testing.T, r *rand.Rand, traffic *spec.Traffic, tr counterexamples.Trace, n int) (accepted, refused int) {
	t.Helper()
	q.network(traffic)
	if !q.trace(t, tr) {
		t.Errorf("%s, %s: Replay refuses the trace", traffic.Network().Name(), tr.Scenario)
	}
	for range n {
		if q.trace(t, q.mutated(r, tr)) {
			accepted++
		} else {
			refused++
		}
	}
	return accepted, refused
}

// TestTraces: what Coq proves to be a deadlock is what Replay accepts: the traces of the catalogue, of packets and of flits,
// and mutants of each. Replay also compares notions of deadlock, and replays loops and faults of delivery.
func TestTraces(t *testing.T) {
	seedtest.InFull(t)
	program := stepper(t)
	q := steps{moved: map[string]int{}}
	r := rand.New(rand.NewPCG(5, 6))
	type count struct{ traces, accepted, refused int }
	counts := map[bool]*count{false: {}, true: {}} // by whether packets are of flits
	for _, e := range models.Catalogue() {
		if e.IsMachine() {
			continue
		}
		sets := []map[string]string{nil}
		for _, x := range e.Described().Expect {
			sets = append(sets, x.Set)
		}
		for _, set := range sets {
			n := modeltest.Network(t, e.Name, set)
			if n.SiteCount() > 20_000 || n.FlowCount() == 0 || len(n.Windows()) > 0 {
				continue
			}
			scenarios := []spec.Scenario{{}}
			if n.Switching() == spec.Wormhole && n.SiteCount() <= 2_000 {
				scenarios = append(scenarios, spec.Scenario{Length: spec.AnyLength, Elastic: true}, spec.Scenario{Length: 2},
					spec.Scenario{Length: 3, Elastic: true}, spec.Scenario{Length: 5, Sink: 1})
			}
			for _, sc := range scenarios {
				result, err := checker.Check(t.Context(), n, checker.Question{Explore: checker.Never, Scenario: sc,
					Properties: []string{spec.DeadlockFreedom.String()}})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range result.Findings {
					tr := f.Trace()
					if tr == nil || tr.Fault != counterexamples.Deadlock || tr.Scenario.Shared {
						continue
					}
					k := counts[tr.Scenario.Flits()]
					k.traces++
					traffic, err := n.Traffic(tr.Scenario)
					if err != nil {
						t.Fatal(err)
					}
					accepted, refused := q.mutants(t, r, traffic, *tr, 100)
					k.accepted, k.refused = k.accepted+accepted, k.refused+refused
				}
			}
		}
	}
	q.compare(t, program)
	for flits, k := range counts {
		t.Logf("flits %v: %+v", flits, *k)
		if k.traces < 80 || k.accepted < k.traces || k.refused < k.traces {
			t.Errorf("flits %v: too few: %+v", flits, *k)
		}
	}
}

// stuck is the largest stuck set of a state: what can still move, or waits for what can, is taken away until nothing is.
func stuck(traffic *spec.Traffic, s spec.Occupancy) (set []spec.ChannelID) {
	for c := range s.Channels {
		set = append(set, spec.ChannelID(c))
	}
	for waiting := traffic.Waiting(s); ; {
		has := func(c spec.ChannelID) bool { return slices.Contains(set, c) }
		rest := slices.DeleteFunc(slices.Clone(set), func(c spec.ChannelID) bool { return !waiting.Waits(c, has) })
		if len(rest) == len(set) {
			return set
		}
		set = rest
	}
}

// TestDrawnTraces is TestTraces for random walks of packets of flits in drawn networks, to where some are stuck: packets
// that stretch over many channels or have not entered whole, of a length or of any, in deep and in full buffers.
func TestDrawnTraces(t *testing.T) {
	seedtest.InFull(t)
	program := stepper(t)
	q := steps{moved: map[string]int{}}
	r := rand.New(rand.NewPCG(7, 8))
	traces, accepted, refused, kinds := 0, 0, 0, map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		for range 60 {
			drawn := netgen.Traffic(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Classes: 2, Buffer: 3, Dims: 2, MayFail: true,
				Discards: true, Commits: rapid.Bool().Draw(rt, "commits")}, spec.Wormhole)
			n, sc := drawn.Network(), drawn.Scenario().Steps()
			if n.FlowCount() == 0 || sc.Shared {
				continue
			}
			traffic, err := n.Traffic(sc)
			if err != nil {
				t.Fatal(err)
			}
			tr := counterexamples.Trace{Network: n.Digest(), Scenario: sc, Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock}
			s := traffic.Empty()
			for range 60 {
				moves := traffic.Moves(nil, &s, func(spec.Flow) bool { return true })
				if len(moves) == 0 {
					break
				}
				m := moves[r.IntN(len(moves))]
				tr.Moves = append(tr.Moves, m)
				s, _ = traffic.Step(s, m)
			}
			if tr.Stuck = stuck(traffic, s); len(tr.Stuck) > 0 {
				traces++
				kinds[fmt.Sprintf("flits %v, elastic %v, any length %v", sc.Flits(), sc.Elastic, sc.Length == spec.AnyLength)]++
				a, b := q.mutants(t, r, traffic, tr, 20)
				accepted, refused = accepted+a, refused+b
			}
		}
	})
	q.compare(t, program)
	t.Logf("%d traces, %v; of mutants %d accepted, %d refused", traces, kinds, accepted, refused)
	if seedtest.Usual() && (traces < 300 || accepted < traces || refused < traces || len(kinds) < 4) {
		t.Errorf("%d traces, %v; of mutants %d accepted, %d refused", traces, kinds, accepted, refused)
	}
}
