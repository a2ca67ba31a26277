package selection

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// smallest are machines of every function and form that can be walked in full: the four
// corners of 2x2 send again and again or, with a clock, commitments or many
// differences, three packets are sent once.
func smallest(t *testing.T, f func(m *Machine)) {
	number := 0
	for function := range Names {
		for form := range machineForms {
			for reading := range ReadingNames {
				o := torus{K: 2, N: 2, Function: Function(function), Form: Form(form), Reading: Reading(reading), History: Exact}
				if o.Reading == FreeHere && o.Function != CCB || o.Reading == Formula && o.Function != Zigzag {
					continue
				}
				if number++; !seedtest.Sampled(number, 6) {
					continue
				}
				traffic := Traffic{Packets: []Packet{{0, 3}, {1, 2}, {2, 1}}, InFlight: 2}
				if o.Form == Again && o.Function != CCB && o.Function != LFU {
					traffic = Traffic{Packets: []Packet{{0, 3}, {1, 2}, {3, 0}, {2, 1}}, Again: true, InFlight: 2}
				}
				f(machine(t, o, traffic))
			}
		}
	}
}

// TestWithinTheRelation: in every step of every reachable state no packet moves, one is
// sent, one arrives, or one continues, by a hop that *-channel permits into a free
// channel; and if a packet that chooses again at every clock has a free permitted
// channel, something has a step, except with CCB read literally.
func TestWithinTheRelation(t *testing.T) {
	sent, moved, arrived := 0, 0, 0
	smallest(t, func(m *Machine) {
		permits := func(v, dest spec.NodeID, c spec.ChannelID) bool {
			all, err := channels(m.relation, v, dest)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Contains(all, c)
		}
		walk(t, m, 200_000, func(s []uint64, next [][]uint64) {
			before := m.held(s)
			for _, to := range next {
				after := m.held(to)
				var left, came []spec.ChannelID
				for c := range m.g.Channels() {
					c := spec.ChannelID(c)
					was, wasHeld := before[c]
					is, isHeld := after[c]
					if wasHeld && isHeld && was != is {
						t.Fatalf("%s: the packet in %s is replaced", m.Name(), m.g.ChannelName(c))
					}
					if wasHeld && !isHeld {
						left = append(left, c)
					}
					if isHeld && !wasHeld {
						came = append(came, c)
					}
				}
				switch {
				case len(left)+len(came) == 0:
				case len(left) == 0 && len(came) == 1 && slices.ContainsFunc(m.t.Packets, func(p Packet) bool {
					return p.To == after[came[0]] && permits(p.From, p.To, came[0])
				}):
					sent++
				case len(left) == 1 && len(came) == 0 && m.g.Head(left[0]) == before[left[0]]:
					arrived++
				case len(left) == 1 && len(came) == 1 && before[left[0]] == after[came[0]] && permits(m.g.Head(left[0]), after[came[0]], came[0]):
					moved++
				default:
					t.Fatalf("%s: from %v to %v", m.Name(), before, after)
				}
			}
			if o := m.o; o.Form != Again || o.Function == CCB && o.Reading == Literal || len(next) > 0 {
				return
			}
			for at, dest := range before {
				for c := range m.g.Channels() {
					if _, taken := before[spec.ChannelID(c)]; !taken && permits(m.g.Head(at), dest, spec.ChannelID(c)) {
						t.Fatalf("%s: a packet waits though a channel is free", m.Name())
					}
				}
			}
		})
	})
	if sent == 0 || moved == 0 || arrived == 0 {
		t.Errorf("%d packets are sent, %d moved, %d arrive: no test", sent, moved, arrived)
	}
}

// outsider permits every VC of a link, as if CH and CA had no conditions.
func outsider(directions []direction) []direction {
	directions = slices.Clone(directions)
	for i := range directions {
		directions[i].usable = [3]bool{true, true, true}
	}
	return directions
}

// TestOutsideIsCaught: a function that chooses outside the relation violates the invariant of
// the machine in every form, and that of a router by itself. Without the mutation it does
// not, see TestRouter.
func TestOutsideIsCaught(t *testing.T) {
	for f := range Names {
		for form := range machineForms {
			o := torus{K: 4, N: 1, Function: Function(f), Form: Form(form), Reading: FreeHere}
			for _, tt := range []struct {
				from  spec.NodeID
				steps [4]int // by form, to the first state outside
			}{
				// From 3 to 0, over the wrap-around link: never in CH. The packet commits to it, or enters it.
				{3, [4]int{1, 1, 1, 1}},
				// From 2 the same happens one hop later, in 3: the packet (commits and) enters,
				// and commits or enters. With Stale a clock has to go by in between.
				{2, [4]int{Again: 2, Early: 3, Commit: 3, Stale: 4}},
			} {
				m := machine(t, o, Traffic{Packets: []Packet{{tt.from, 0}}}, "usable = ", `usable = vcs if v == "(3)" else `)
				x, err := checker.Explore(t.Context(), m, checker.Question{})
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(x.Findings, func(f checker.Finding) bool { return f.Property == Within })
				if got := x.Findings[i]; got.Verdict != spec.Violated || len(got.Run().Steps) != tt.steps[form] {
					t.Errorf("%s with all VCs permitted at 3: %s is %s, want it violated after %d steps: %+v", m.Name(),
						Within, got.Verdict, tt.steps[form], got.Run())
				}
			}
		}
		o := torus{K: 4, N: 1, Function: Function(f), Reading: FreeHere}
		g, err := gridOf(o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := o.options().router(g, func(v, dest spec.NodeID) []direction { return outsider(o.directions(g, v, dest)) })
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(t, p)[Within]; got != spec.Violated {
			t.Errorf("router with %s, all VCs permitted: %s is %s, want it violated", Names[f], Within, got)
		}
	}
}

// verdicts explores a program.
func verdicts(t *testing.T, p *program.Program) map[string]spec.Verdict {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]spec.Verdict{}
	for _, f := range x.Findings {
		all[f.Property] = f.Verdict
	}
	return all
}

// TestRouter: for every status of a router's outputs, the conditions agree with
// choices, the plain reading: always within the relation and, for some functions, in CF
// of the lowest dimension while another dimension has a free VC.
func TestRouter(t *testing.T) {
	for f := range Names {
		for _, oneWay := range []bool{false, true} {
			o := torus{K: 3, N: 2, OneWay: oneWay, Function: Function(f), Reading: FreeHere}
			g, err := gridOf(o)
			if err != nil {
				t.Fatal(err)
			}
			spares := spec.Holds
			for v := range spec.NodeID(g.Nodes()) {
				for dest := range spec.NodeID(g.Nodes()) {
					all := o.directions(g, v, dest)
					if len(all) < 2 {
						continue
					}
					for set := range 1 << 6 {
						see := view{free: freeIn(all, set)}
						_, open := all[1].strictest(see)
						if open && slices.Contains(o.Function.choices(nil, all, o.Reading, see), all[0].first+starchannel.CF) {
							spares = spec.Violated
						}
					}
				}
			}
			p, err := NewRouter(o.options())
			if err != nil {
				t.Fatal(err)
			}
			// CA is always permitted in the lowest dimension, and before CF; CH is not before a wrap-around link.
			want := map[string]spec.Verdict{
				"deadlock-freedom": spec.Holds, Within: spec.Holds, Spares: spares, Beside: spec.Holds, Alone: spec.Violated,
			}
			if diff := cmp.Diff(want, verdicts(t, p)); diff != "" {
				t.Errorf("%s, one way %t:\n%s", Names[f], oneWay, diff)
			}
		}
	}
}

// TestSpares: the machine of traffic claims of its steps what they really do.
func TestSpares(t *testing.T) {
	seen := map[bool]int{}
	for f := range Names {
		o := torus{K: 2, N: 2, Function: Function(f), Reading: FreeHere, Status: Present}
		m := machine(t, o, Traffic{Packets: []Packet{{0, 3}, {1, 2}}, Again: true, InFlight: 2, Spares: true})
		spares := true
		walk(t, m, 10_000, func(s []uint64, next [][]uint64) {
			before := m.held(s)
			for _, to := range next {
				for c, dest := range m.held(to) {
					all := o.directions(m.g, m.g.Link(m.g.LinkOf(c)).From, dest)
					if _, was := before[c]; was || len(all) < 2 || c != all[0].first+starchannel.CF {
						continue
					}
					_, taken := before[all[1].first+starchannel.CF] // the one VC that is permitted there
					spares = spares && taken
				}
			}
		})
		seen[spares]++
		x := verdicts(t, m.Program())
		if got := x[Spares]; (got == spec.Holds) != spares {
			t.Errorf("%s: %s is %s, steps say %t", m.Name(), Spares, got, spares)
		}
	}
	if len(seen) != 2 {
		t.Errorf("functions that spare it, or do not: %v, want both", seen)
	}
}

// TestRelationGoesByNode: the hops that *-channel permits depend on the node of a packet and
// not on the channel by which it came, as the invariant assumes.
func TestRelationGoesByNode(t *testing.T) {
	for _, oneWay := range []bool{false, true} {
		o := torus{K: 4, N: 2, OneWay: oneWay, Tie: grid.TieParity}
		g, err := gridOf(o)
		if err != nil {
			t.Fatal(err)
		}
		def, err := o.options().starChannel(g)
		if err != nil {
			t.Fatal(err)
		}
		for c := range spec.ChannelID(g.Channels()) {
			for dest := range spec.NodeID(g.Nodes()) {
				h := spec.Header{Dest: dest}
				in, err := def.Routing.AppendHops(nil, c, h)
				if err != nil {
					t.Fatal(err)
				}
				from, err := def.Routing.AppendHops(nil, spec.Injection(g.Head(c)), h)
				if err != nil {
					t.Fatal(err)
				}
				if g.Head(c) != dest && !slices.Equal(in, from) {
					t.Fatalf("one way %t: for %d in %s %v, at its source there %v", oneWay, dest, g.ChannelName(c), in, from)
				}
			}
		}
	}
}

// TestOneWay: the relation of one-way tori, by hand: on a ring of 4, CH is for packets
// that do not pass from 3 to 0, and in y of 3x3 packets with hops left in x have only
// CF.
func TestOneWay(t *testing.T) {
	for _, tt := range []struct {
		k, n    int
		v, dest spec.NodeID
		want    string
	}{
		{4, 1, 0, 3, "(0)->(1) CH (0)->(1) CA (0)->(1) CF"},
		{4, 1, 1, 0, "(1)->(2) CA (1)->(2) CF"},
		{3, 2, 0, 4, "(0,0)->(1,0) CH (0,0)->(1,0) CA (0,0)->(1,0) CF (0,0)->(0,1) CF"},
		{3, 2, 4, 1, "(1,1)->(1,2) CA (1,1)->(1,2) CF"},
	} {
		o := torus{K: tt.k, N: tt.n, OneWay: true}
		g, err := gridOf(o)
		if err != nil {
			t.Fatal(err)
		}
		all, err := channels(oneWay{g}, tt.v, tt.dest)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range all {
			names = append(names, g.ChannelName(c))
		}
		if diff := cmp.Diff(tt.want, strings.Join(names, " ")); diff != "" {
			t.Errorf("k=%d n=%d, %d to %d: %s", tt.k, tt.n, tt.v, tt.dest, diff)
		}
	}
}
