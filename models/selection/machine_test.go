package selection

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

func machine(t testing.TB, o Options, traffic Traffic) *Machine {
	t.Helper()
	m, err := NewMachine(o, traffic)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// walk visits all reachable states with a queue and a map.
func walk(t testing.TB, m *Machine, most int, visit func(s []uint64, next [][]uint64)) {
	t.Helper()
	err := m.walk(t.Context(), most, func(s []uint64, _ int) {
		flat, err := m.Next(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		visit(s, slices.Collect(slices.Chunk(flat, m.Layout().Words())))
	})
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
}

// held is what is in the channels: destinations.
func (m *Machine) held(s []uint64) map[spec.ChannelID]spec.NodeID {
	in := map[spec.ChannelID]spec.NodeID{}
	for c, x := range m.b.channels {
		if !x.used {
			continue
		}
		if v := m.Layout().Fields()[x.content].Of(s); v > 0 {
			in[spec.ChannelID(c)] = m.b.dests[v-1]
		}
	}
	return in
}

// TestConditions: what choices does with a view, the conditions say of the
// variables that hold the view.
func TestConditions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{K: rapid.IntRange(2, 5).Draw(rt, "k"), N: rapid.IntRange(1, 3).Draw(rt, "n"), OneWay: rapid.Bool().Draw(rt, "one way"),
			Tie: grid.TieParity, Reading: Reading(rapid.IntRange(0, 1).Draw(rt, "reading"))}
		g, err := newGrid(o)
		if err != nil {
			rt.Fatal(err)
		}
		node := rapid.Map(rapid.IntRange(0, g.Nodes()-1), func(v int) spec.NodeID { return spec.NodeID(v) })
		all := o.ways(g, node.Draw(rt, "node"), node.Draw(rt, "dest"))
		if len(all) == 0 {
			return
		}
		p := program.New("view")
		values := map[program.Var]int{}
		drawn := func(most int, what string) program.Var {
			x := p.Var(fmt.Sprint(len(p.Variables)), most+1)
			values[x] = rapid.IntRange(0, most).Draw(rt, what)
			return x
		}
		free, rank, ahead := map[spec.ChannelID]program.Var{}, map[spec.ChannelID]program.Var{}, map[int]program.Var{}
		for _, w := range all {
			ahead[w.dim] = drawn(2, "ahead")
			for class := range spec.ChannelID(3) {
				free[w.first+class] = p.Var(fmt.Sprint(len(p.Variables)), 2)
				rank[w.first+class] = drawn(2, "rank")
			}
		}
		see := view{}
		s := status{free: func(c spec.ChannelID) program.Expr { return program.Eq(free[c], 1) }}
		if rapid.Bool().Draw(rt, "looks ahead") {
			see.ahead = func(w way) int { return values[ahead[w.dim]] }
			s.ahead = func(w way) program.Expr { return program.Value(ahead[w.dim]) }
		}
		if rapid.Bool().Draw(rt, "history") {
			see.past = func(a, b spec.ChannelID) int { return values[rank[a]] - values[rank[b]] }
			s.later = func(a, b spec.ChannelID) program.Expr { return program.Lt(rank[b], rank[a]) }
		}
		state := make([]int, len(p.Variables))
		for x, v := range values {
			state[x] = v
		}
		for set := range 1 << (3 * len(all)) {
			see.free = freeIn(all, set)
			for c, x := range free {
				state[x] = 0
				if see.free(c) {
					state[x] = 1
				}
			}
			for f := range Names {
				want := Function(f).choices(nil, all, o.Reading, see)
				var got []spec.ChannelID
				for _, w := range all {
					w.each(func(c spec.ChannelID) {
						if p.Holds(Function(f).condition(all, w, g.VC(c), o.Reading, s), state) {
							got = append(got, c)
						}
					})
				}
				slices.Sort(want)
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					rt.Fatalf("%s, status %b (-choices +conditions):\n%s", Names[f], set, diff)
				}
			}
		}
	})
}

// smallest are machines of every function and form that can be walked whole: the
// four corners of 2x2 send again and again, or, where there is a clock, commitments
// or many differences, three packets are sent once.
func smallest(t *testing.T, f func(m *Machine)) {
	for function := range Names {
		for form := range FormNames {
			for reading := range ReadingNames {
				o := Options{K: 2, N: 2, Function: Function(function), Form: Form(form), Reading: Reading(reading), History: Exact}
				if o.Reading == FreeHere && o.Function != CCB {
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

// TestWithinTheRelation: in every step of every reachable state no packet moves, one
// is sent, one arrives, or one goes on, by a hop that *-channel permits into a channel
// that is free; and if a packet that chooses again at every clock has a free
// permitted channel, something has a step, save with CCB read literally.
func TestWithinTheRelation(t *testing.T) {
	sent, moved, arrived := 0, 0, 0
	smallest(t, func(m *Machine) {
		permits := func(v, dest spec.NodeID, c spec.ChannelID) bool {
			all, err := channels(m.b.relation, v, dest)
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
				for c := range m.b.channels {
					c := spec.ChannelID(c)
					was, wasHeld := before[c]
					is, isHeld := after[c]
					if wasHeld && isHeld && was != is {
						t.Fatalf("%s: the packet in %s is replaced", m.Name(), m.b.g.ChannelName(c))
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
				case len(left) == 0 && len(came) == 1 && slices.ContainsFunc(m.b.t.Packets, func(p Packet) bool {
					return p.To == after[came[0]] && permits(p.From, p.To, came[0])
				}):
					sent++
				case len(left) == 1 && len(came) == 0 && m.b.g.Head(left[0]) == before[left[0]]:
					arrived++
				case len(left) == 1 && len(came) == 1 && before[left[0]] == after[came[0]] && permits(m.b.g.Head(left[0]), after[came[0]], came[0]):
					moved++
				default:
					t.Fatalf("%s: from %v to %v", m.Name(), before, after)
				}
			}
			if o := m.b.o; o.Form != Again || o.Function == CCB && o.Reading == Literal || len(next) > 0 {
				return
			}
			for at, dest := range before {
				for c := range m.b.channels {
					if _, taken := before[spec.ChannelID(c)]; !taken && permits(m.b.g.Head(at), dest, spec.ChannelID(c)) {
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

// outsider makes every VC of a link permitted, as if CH and CA had no conditions.
func outsider(ways []way) []way {
	ways = slices.Clone(ways)
	for i := range ways {
		ways[i].usable = [3]bool{true, true, true}
	}
	return ways
}

// TestOutsideIsCaught: a function that steps outside the relation is caught, by the
// invariant of the machine in every form, and by the static check, whichever
// function it is. The same without the mutation is not, see TestNeverOutside.
func TestOutsideIsCaught(t *testing.T) {
	for f := range Names {
		for form := range FormNames {
			o := Options{K: 4, N: 1, Function: Function(f), Form: Form(form), Reading: FreeHere}
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
				b, err := newBuilder(o, Traffic{Packets: []Packet{{tt.from, 0}}})
				if err != nil {
					t.Fatal(err)
				}
				b.ways = func(v, dest spec.NodeID) []way {
					if v != 3 {
						return o.ways(b.g, v, dest)
					}
					return outsider(o.ways(b.g, v, dest))
				}
				m, err := b.machine()
				if err != nil {
					t.Fatal(err)
				}
				x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{})
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(x.Findings, func(f checker.Finding) bool { return f.Property == Within })
				if got := x.Findings[i]; got.Verdict != spec.Violated || len(got.Run.Steps) != tt.steps[form] {
					t.Errorf("%s with all VCs permitted at 3: %s is %s, want it violated after %d steps: %+v", m.Name(), Within, got.Verdict, tt.steps[form], got.Run)
				}
			}
			_, lines, err := o.outside(t.Context(), func(g *grid.Grid, v, dest spec.NodeID) []way { return outsider(o.ways(g, v, dest)) })
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(lines, "; "); !strings.Contains(text, "which *-channel does not permit") {
				t.Errorf("%s %s: %q", Names[f], FormNames[form], text)
			}
		}
	}
}

// TestTakenIsCaught: the static check catches a choice that is permitted and taken,
// unless packets commit on arrival. Only CH of x is free.
func TestTakenIsCaught(t *testing.T) {
	g, err := newGrid(Options{K: 4, N: 2})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{K: 4, N: 2}
	all := o.ways(g, 0, 5)
	permitted, err := channels(oneWay{g}, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	const chOfX = 1
	if why := wrong(all, permitted, all[0].first, chOfX, o.Form); why != "" {
		t.Errorf("CH of x, which is free and permitted: %q", why)
	}
	if why := wrong(all, permitted, all[0].first+1, chOfX, o.Form); !strings.Contains(why, "taken") {
		t.Errorf("CA of x, which is not free: %q", why)
	}
	if why := wrong(all, permitted, all[0].first+1, chOfX, Early); why != "" {
		t.Errorf("CA of x, to which a packet commits on arrival: %q", why)
	}
}

// TestRelationGoesByNode: what *-channel permits depends on where a packet is and
// not on the channel by which it came, which the invariant takes for granted.
func TestRelationGoesByNode(t *testing.T) {
	for _, oneWay := range []bool{false, true} {
		o := Options{K: 4, N: 2, OneWay: oneWay, Tie: grid.TieParity}
		g, err := newGrid(o)
		if err != nil {
			t.Fatal(err)
		}
		def, err := o.starChannel(g)
		if err != nil {
			t.Fatal(err)
		}
		for c := range spec.ChannelID(g.Channels()) {
			for dest := range spec.NodeID(g.Nodes()) {
				h := spec.Header{Dest: dest}
				in, err := def.Routing.Next(nil, c, h)
				if err != nil {
					t.Fatal(err)
				}
				from, err := def.Routing.Next(nil, spec.Injection(g.Head(c)), h)
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

// TestNeverOutside: the static check looks at all statuses and finds nothing. On 4x4 a
// packet has two dimensions left to 9 destinations and one to 6: 16 nodes with 9*64+6*8 statuses.
func TestNeverOutside(t *testing.T) {
	for f := range Names {
		for form := range FormNames {
			for _, oneWay := range []bool{false, true} {
				o := Options{K: 4, N: 2, OneWay: oneWay, Function: Function(f), Form: Form(form), Reading: FreeHere}
				want := 16 * (9*64 + 6*8)
				if o.Form == Early {
					want = 16 * 15 // the one in which all are free
				}
				views, lines, err := Outside(t.Context(), o)
				if err != nil || lines != nil || views != want {
					t.Errorf("%s %s, one way %t: %d statuses, %q, %v; want %d and none", Names[f], FormNames[form], oneWay, views, lines, err, want)
				}
			}
		}
	}
}

// TestOneWay: the relation of one-way tori, by hand: on a ring of 4 CH is for those
// that do not pass from 3 to 0, and in y of 3x3 those with hops left in x have CF only.
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
		o := Options{K: tt.k, N: tt.n, OneWay: true}
		g, err := newGrid(o)
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

// projected keeps what is in sources and channels of a state: the variables of
// names that the other machine has.
func projected(m *Machine, s []uint64, fields map[string]bool) string {
	var b strings.Builder
	for _, f := range m.Layout().Fields() {
		if fields[f.Name] {
			fmt.Fprint(&b, f.Of(s), ",")
		}
	}
	return b.String()
}

// shared are the names of variables that both machines have.
func shared(a, b *Machine) map[string]bool {
	has := map[string]bool{}
	for _, f := range a.Layout().Fields() {
		has[f.Name] = true
	}
	both := map[string]bool{}
	for _, f := range b.Layout().Fields() {
		if has[f.Name] {
			both[f.Name] = true
		}
	}
	return both
}

// edges are the steps of all reachable states, as far as the given variables show
// them; those that do not show are left out.
func edges(t *testing.T, m *Machine, fields map[string]bool) map[string]bool {
	all := map[string]bool{}
	walk(t, m, 300_000, func(s []uint64, next [][]uint64) {
		from := projected(m, s, fields)
		for _, after := range next {
			if to := projected(m, after, fields); to != from {
				all[from+">"+to] = true
			}
		}
	})
	return all
}

// TestOpenHistoryContainsExact: each step by an exact history is one by an open
// history. The converse must fail where a function prefers one of two, or the test
// would say nothing. A machine with a larger bound of differences need not be part
// of one with a smaller; both are parts of the open one.
func TestOpenHistoryContainsExact(t *testing.T) {
	for _, f := range []Function{LRU, LFU, LD} {
		for _, form := range []Form{Again, Commit} {
			for _, traffic := range []Traffic{
				{Packets: []Packet{{0, 3}, {1, 2}}, Again: true, Ready: true, InFlight: 2},
				{Packets: []Packet{{0, 3}, {0, 3}, {0, 3}}},
			} {
				open := machine(t, Options{K: 2, N: 2, Function: f, Form: form}, traffic)
				both := shared(open, open)
				contains := edges(t, open, both)
				for _, bound := range []int{1, 2} {
					exact := machine(t, Options{K: 2, N: 2, Function: f, Form: form, History: Exact, Bound: bound}, traffic)
					part := edges(t, exact, both)
					for e := range part {
						if !contains[e] {
							t.Fatalf("%s: step %s is none with an open history", exact.Name(), e)
						}
					}
					// Once: at first LRU sends into x, since y counts as used last; by any history y might be first.
					if f == LRU && !traffic.Again && len(part) >= len(contains) {
						t.Errorf("%s: %d steps, and %d with an open history", exact.Name(), len(part), len(contains))
					}
				}
			}
		}
	}
}

// TestClockIsForThoseWhoLook: for functions that do not look back, a clock, in which
// each packet moves at most once, changes nothing: packets take the same steps in
// the same states.
func TestClockIsForThoseWhoLook(t *testing.T) {
	for _, f := range []Function{DimensionOrder, Zigzag, SCCB} {
		for _, form := range []Form{Again, Commit} {
			o := Options{K: 2, N: 2, Function: f, Form: form}
			traffic := Traffic{Packets: []Packet{{0, 3}, {1, 2}, {3, 0}, {2, 1}}, Again: true, Ready: true, InFlight: 2}
			without := machine(t, o, traffic)
			b, err := newBuilder(o, traffic)
			if err != nil {
				t.Fatal(err)
			}
			b.old.on = true
			with, err := b.machine()
			if err != nil {
				t.Fatal(err)
			}
			both := shared(without, with)
			if diff := cmp.Diff(edges(t, without, both), edges(t, with, both)); diff != "" {
				t.Errorf("%s (-without +with a clock):\n%s", without.Name(), diff)
			}
		}
	}
}

// TestRingsAreAlike: where packets have one dimension left, all functions are one:
// the programs are the same to the byte, names apart.
func TestRingsAreAlike(t *testing.T) {
	for form := range FormNames {
		var first string
		for f := range Names {
			o := Options{K: 4, N: 1, Function: Function(f), Form: Form(form), History: Exact}
			packets, err := Far(o)
			if err != nil {
				t.Fatal(err)
			}
			p := *machine(t, o, Traffic{Packets: packets, Again: true}).Program()
			p.Name = "ring"
			var text strings.Builder
			if err := program.WriteClosed(&text, &p); err != nil {
				t.Fatal(err)
			}
			if f == 0 {
				first = text.String()
			}
			if diff := cmp.Diff(first, text.String()); diff != "" {
				t.Errorf("%s is not %s on a ring: %s", Names[f], Names[0], diff)
			}
		}
	}
}

// TestForms: the table of verdicts. On a ring of three, one way, all functions are
// alike, see TestRingsAreAlike; and three packets of a column of 3x3, one way, can fill
// the ring of the column, each with one hop left in x. Where the static decision has
// a verdict, on all traffic, it is the same.
func TestForms(t *testing.T) {
	ring := Traffic{Packets: []Packet{{0, 2}, {1, 0}, {2, 1}}, Again: true, Ready: true}
	for form := range FormNames {
		free := Form(form) == Again || Form(form) == Early
		formed(t, Options{K: 3, N: 1, OneWay: true, Form: Form(form)}, ring, free)
	}
	formed(t, Options{K: 2, N: 2, Function: CCB, Reading: FreeHere}, Traffic{Packets: []Packet{{0, 3}, {1, 2}, {3, 0}}, Again: true, InFlight: 2}, true) // with a clock
	column := Traffic{Packets: []Packet{{0, 7}, {3, 1}, {6, 4}}}
	for f := range Names {
		for _, form := range []Form{Again, Early} { // rings have decided the others
			// On arrival, as if all were free: these take the lowest dimension, and there the escape.
			lowest := Function(f) == DimensionOrder || Function(f) == SCCB
			formed(t, Options{K: 3, N: 2, OneWay: true, Function: Function(f), Form: form, Reading: FreeHere}, column, form == Again || lowest)
		}
	}
}

// TestStuckThoughSourcesSend: what is in flight can be stuck while sources can
// still send, and it is found then, on the ring of three.
func TestStuckThoughSourcesSend(t *testing.T) {
	m := machine(t, Options{K: 3, N: 1, OneWay: true, Form: Commit}, Traffic{Packets: []Packet{{0, 2}, {1, 0}, {2, 1}}, Again: true, Ready: true})
	x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(x.Findings, func(f checker.Finding) bool { return f.Property == Moves })
	run := x.Findings[i].Run
	if run == nil {
		t.Fatalf("%s: %s", Moves, x.Findings[i].Verdict)
	}
	states, err := run.States(m)
	if err != nil {
		t.Fatal(err)
	}
	end := states[len(states)-1]
	next, err := m.Next(nil, end)
	if err != nil {
		t.Fatal(err)
	}
	if len(next) == 0 || len(m.held(end)) == 0 {
		t.Errorf("after %d steps %d packets are held, and there are %d steps more", len(run.Steps), len(m.held(end)), len(next))
	}
	for i := range next {
		if action := m.Action(end, i); !strings.Contains(action, "at its source") {
			t.Errorf("it is stuck, but %s", action)
		}
	}
}

// formed compares verdicts on deadlock with what is wanted.
func formed(t *testing.T, o Options, traffic Traffic, free bool) {
	t.Helper()
	want := map[bool]spec.Verdict{true: spec.Holds, false: spec.Violated}[free]
	if o.Form != Commit {
		if got := decide(t, o); got != want {
			t.Errorf("%s %s k=%d n=%d: static %s, want %s", Names[o.Function], FormNames[o.Form], o.K, o.N, got, want)
		}
	}
	m := machine(t, o, traffic)
	x, err := checker.Explore(t.Context(), m, checker.ExploreOptions{MaxStates: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range x.Findings {
		asked := p.Property == Moves || p.Property == "deadlock" && !traffic.Again
		if asked && p.Verdict != want {
			t.Errorf("%s: %s %s, want %s (%s)", m.Name(), p.Property, p.Verdict, want, x.Ended)
		}
	}
}

// TestUse: what is counted of one router that sends to the corner opposite, by hand:
// dimension-order takes each VC of x while one is free, and CF of y only when none is.
func TestUse(t *testing.T) {
	m := machine(t, Options{K: 2, N: 2, Function: DimensionOrder}, Traffic{Packets: []Packet{{0, 3}}, Again: true})
	u, err := m.Use(t.Context(), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	if u.Chosen[Lowest][0] == 0 || u.Chosen[Lowest][1] == 0 || u.Chosen[Lowest][2] == 0 || u.Chosen[Higher][2] == 0 {
		t.Errorf("chosen %v: each VC of x, and CF of y", u.Chosen)
	}
	if u.Unspared == 0 {
		t.Error("dimension-order does not spare CF of x while CF of y is free")
	}
	if u.Chosen[Higher][0] != 0 || u.Chosen[Higher][1] != 0 || u.Chosen[Only][0] == 0 {
		t.Errorf("chosen %v: no other VC of y, and behind x CH of y", u.Chosen)
	}
	// At the source all of x and CF of y can be taken, and CH and CA of y never are:
	// 16 of 64. At 1 only y is left: 8 statuses; at 2 only x, where packets come one by
	// one, by CF, and can still take CH, CA and CF: 8.
	want := []Views{{Sites: 2, All: 16, Reached: 16}, {Sites: 1, All: 64, Reached: 16, Missing: []string{"a packet at (0,0) for (1,1)", "free: none"}}}
	if diff := cmp.Diff(want, u.Views); diff != "" {
		t.Error(diff)
	}
	one := machine(t, Options{K: 2, N: 2, Function: DimensionOrder}, Traffic{Packets: []Packet{{0, 3}}})
	if u, err = one.Use(t.Context(), 100_000); err != nil {
		t.Fatal(err)
	}
	// One packet finds everything free: CH of x, then CH of y, then it is there.
	if u.States != 4 || u.Chosen != [3][3]int64{Only: {1}, Lowest: {1}} || !u.Possible[Higher][2] {
		t.Errorf("%+v", u)
	}
}

// TestUseWithinViews: no class is chosen in a reachable state that no enumerated
// status makes the function choose, and no VC that is not seen to be free.
func TestUseWithinViews(t *testing.T) {
	smallest(t, func(m *Machine) {
		u, err := m.Use(t.Context(), 200_000)
		if err != nil {
			t.Fatal(err)
		}
		for role, classes := range u.Chosen {
			for class, n := range classes {
				if n > 0 && !u.Possible[role][class] {
					t.Errorf("%s: %s chosen as %s", m.Name(), ClassNames[class], RoleNames[role])
				}
			}
		}
		if m.b.o.Form == Early {
			return
		}
		// What is chosen is free in the status that the router is said to see.
		walk(t, m, 200_000, func(s []uint64, next [][]uint64) {
			for i := range next {
				st := m.b.steps[m.RuleOf(s, i)]
				if st.chosen && !freeIn(m.b.ways(st.node, st.dest), m.seenAt(s, st.site))(st.to) {
					t.Fatalf("%s: %s is chosen, which is not free in what is seen", m.Name(), m.b.g.ChannelName(st.to))
				}
			}
		})
	})
}

// TestSaturation: a difference stays where it would pass the bound, and counts down
// from there: node 0 sends to 1 over x alone, and to 3 over either.
func TestSaturation(t *testing.T) {
	const bound = 1
	m := machine(t, Options{K: 2, N: 2, Function: LD, History: Exact, Bound: bound}, Traffic{Packets: []Packet{{0, 1}, {0, 2}, {0, 3}}, Again: true, InFlight: 2})
	if len(m.b.past.pairs) != 1 { // 1 and 2 have one dimension left
		t.Fatalf("%d pairs of links, want that of node 0", len(m.b.past.pairs))
	}
	p := m.b.past.pairs[0]
	since := m.Layout().Fields()[p.since]
	stayed := map[uint64]int{}
	walk(t, m, 10_000, func(s []uint64, next [][]uint64) {
		before := m.held(s)
		for _, after := range next {
			want := int(since.Of(s))
			for c := range m.held(after) {
				if _, was := before[c]; was {
					continue
				}
				switch m.b.g.Channel(m.b.g.LinkOf(c), 0) {
				case p.a:
					want++
				case p.b:
					want--
				}
			}
			if want < 0 || want > 2*bound {
				stayed[since.Of(s)]++
			}
			if got := int(since.Of(after)); got != min(max(want, 0), 2*bound) {
				t.Fatalf("from %d to %d, want %d kept to 0 to %d", since.Of(s), got, want, 2*bound)
			}
		}
	})
	if stayed[0] == 0 || stayed[2*bound] == 0 {
		t.Errorf("no difference would have passed the bound: %v", stayed)
	}
}

// TestWhoSends: the sets of packets with a name, by hand.
func TestWhoSends(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   func(Options) ([]Packet, error)
		o    Options
		n    int
		has  Packet
	}{
		{"all of a ring of 4", All, Options{K: 4, N: 1}, 12, Packet{3, 0}},
		{"two hops on, on a ring of 4", Far, Options{K: 4, N: 1}, 4, Packet{2, 0}},
		{"two or three hops back, on a ring of 5: two", Far, Options{K: 5, N: 1}, 10, Packet{0, 3}},
		{"the node before, on a one-way ring of 5", Far, Options{K: 5, N: 1, OneWay: true}, 5, Packet{0, 4}},
		{"opposite corners of 2x2", Far, Options{K: 2, N: 2}, 4, Packet{1, 2}},
		{"a column of 4", Column, Options{K: 4, N: 2}, 4, Packet{12, 5}},
	} {
		got, err := tt.of(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != tt.n || !slices.Contains(got, tt.has) {
			t.Errorf("%s: %v, want %d, %v among them", tt.name, got, tt.n, tt.has)
		}
	}
}
