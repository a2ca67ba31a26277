package machines_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// lamp is a machine of four states: off, waiting, on, and broken, which is not
// reachable. In off, a request makes it wait; in waiting, "idle" changes nothing and
// "light" lights it; in on, "out" ends it. Broken stays broken.
//
//	0 -ask-> 1 -light-> 2 -out-> 0     1 -idle-> 1     3 -rust-> 3
type lamp struct {
	layout states.Layout
	state  states.Field
}

type lampStep struct {
	action string
	to     uint64
}

var lampSteps = [4][]lampStep{{{"ask", 1}}, {{"idle", 1}, {"light", 2}}, {{"out", 0}}, {{"rust", 3}}}

func newLamp() *lamp {
	m := &lamp{}
	m.state = m.layout.Field("lamp", 4)
	return m
}

const ask, idle, light = 0, 1, 2 // numbers of actions

func (m *lamp) Name() string                { return "lamp" }
func (m *lamp) Layout() *states.Layout      { return &m.layout }
func (m *lamp) Start(dst []uint64) []uint64 { return append(dst, 0) }
func (m *lamp) Action(s []uint64, i int) states.Action {
	a := lampSteps[s[0]][i].action
	return states.Action{Number: slices.Index([]string{"ask", "idle", "light", "out", "rust"}, a), Name: a}
}
func (m *lamp) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, step := range lampSteps[s[0]] {
		dst = append(dst, step.to)
	}
	return dst, nil
}

func of(values ...uint64) [][]uint64 {
	var all [][]uint64
	for _, v := range values {
		all = append(all, []uint64{v})
	}
	return all
}

// nowhere is a lamp without an initial state: nothing is reached, so that an empty
// set is closed and no state of it is unsafe.
type nowhere struct{ *lamp }

func (nowhere) Start(dst []uint64) []uint64 { return dst }

func TestVerifyClosed(t *testing.T) {
	m := newLamp()
	refusal(t, machines.VerifyClosed(t.Context(), nowhere{m}, func(_, _ []uint64) error { return nil },
		&machines.ClosedSet{Machine: "lamp"}), "has no initial state")
	safe := func(s, _ []uint64) error {
		if s[0] == 3 {
			return errors.New("broken")
		}
		return nil
	}
	for _, tt := range []struct {
		name string
		set  *machines.ClosedSet
		want string // "" accepts
	}{
		{"the reachable states", &machines.ClosedSet{Machine: "lamp", States: of(0, 1, 2)}, ""},
		{"twice is once", &machines.ClosedSet{Machine: "lamp", States: of(2, 1, 0, 1)}, ""},
		{"none at all", nil, "no closed set"},
		{"of another machine", &machines.ClosedSet{Machine: "bulb", States: of(0, 1, 2)}, "another machine"},
		{"empty", &machines.ClosedSet{Machine: "lamp"}, "in which the machine begins"},
		{"without the start", &machines.ClosedSet{Machine: "lamp", States: of(1, 2)}, "in which the machine begins"},
		{"without a successor", &machines.ClosedSet{Machine: "lamp", States: of(0, 1)}, "to which a step leads"},
		{"with an unsafe state", &machines.ClosedSet{Machine: "lamp", States: of(0, 1, 2, 3)}, "broken"},
		{"with a state of another size", &machines.ClosedSet{Machine: "lamp", States: append(of(0, 1, 2), []uint64{0, 0})}, "2 words, not 1"},
		{"with a bit of no field", &machines.ClosedSet{Machine: "lamp", States: of(0, 1, 2, 4)}, "invalid state 3"},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal(t, machines.VerifyClosed(t.Context(), m, safe, tt.set), tt.want) })
	}
	three := &lamp{} // two bits, so that there is room for a fourth value
	three.state = three.layout.Field("lamp", 3)
	refusal(t, machines.VerifyClosed(t.Context(), three, safe, &machines.ClosedSet{Machine: "lamp", States: of(0, 1, 2)}), "")
	refusal(t, machines.VerifyClosed(t.Context(), three, safe, &machines.ClosedSet{Machine: "lamp", States: of(0, 1, 2, 3)}), "lamp is 3: want less than 3")
	// where that leads is unknown
	refusal(t, machines.VerifyClosed(t.Context(), counter(t, 3, -1), safe, &machines.ClosedSet{Machine: "counter", States: of(0, 1, 2)}), "set to 3")
}

// TestVerifyClosedTraffic: a state of a network is looked at only if it can occur.
func TestVerifyClosedTraffic(t *testing.T) {
	topo := spec.NewTopology()
	a, b := topo.AddNode("a"), topo.AddNode("b")
	topo.AddLink(spec.Link{From: a, To: b, VCs: 1})
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "pair", Topology: topo, Buffer: 2,
		Flows: func(from, _ spec.NodeID, _ spec.Class) bool { return from == a }, Classes: []string{"x", "y"},
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, _ spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: 0})
		}))}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		places [2]uint64 // of the link: 0 free, 1 or 2 a packet of a class
		want   string
	}{
		{[2]uint64{1, 2}, "to which a step leads"}, // it can occur, but the set is not closed
		{[2]uint64{0, 1}, "a free slot comes before an occupied one"},
		{[2]uint64{3, 0}, "want less than 3"}, // and nothing decodes it
	} {
		s := m.Start(nil)
		for i, v := range tt.places {
			m.Queue(0).FieldAt(i).Put(s, v)
		}
		set := &machines.ClosedSet{Machine: m.Name(), States: [][]uint64{m.Start(nil), s}}
		refusal(t, machines.VerifyClosed(t.Context(), m, func(_, _ []uint64) error { return nil }, set), tt.want)
	}
}

// TestSafe: in the counter, 0 -up-> 1 -up-> 2, nothing is possible at 2.
func TestSafe(t *testing.T) {
	for _, tt := range []struct {
		name, property string
		last           int // the counter's last step is from below it
		state          uint64
		final          int    // the intended end, -1: none
		want           string // "" accepts
	}{
		{"a step is possible", "deadlock-freedom", 2, 1, -1, ""},
		{"none is", "deadlock-freedom", 2, 2, -1, "no step is possible"},
		{"none is, and the end is elsewhere", "deadlock-freedom", 2, 2, 1, "no step is possible"},
		{"an intended end", "deadlock-freedom", 2, 2, 2, ""},
		{"the invariant holds", "two", 2, 2, -1, ""},
		{"the invariant is violated", "zero", 2, 1, -1, `"zero" is violated`},
		{"there is none of that name", "one", 2, 1, -1, `no invariant "one"`},
		{"what only networks have", "delivery", 2, 1, -1, `no invariant "delivery"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, state := counter(t, tt.last, tt.final), []uint64{tt.state}
			safe, err := machines.Safe(m, tt.property)
			if err == nil {
				next, _ := m.AppendSuccessors(nil, state)
				err = safe(state, next)
			}
			refusal(t, err, tt.want)
		})
	}
}

// counter counts from 0 to 2, as long as it is below last: with last = 3 it counts
// beyond.
func counter(t *testing.T, last, final int) *program.Machine {
	t.Helper()
	p := program.New("counter")
	x := p.Var("x", 3)
	p.Rule("up", program.Lt(x, last), program.Set(x, program.Add(x, 1)))
	p.Invariant("two", program.Eq(x, 2))
	p.Invariant("zero", program.Eq(x, 0))
	if final >= 0 {
		p.Final = program.Eq(x, final)
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func refusal(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

// TestVerifyRanking: "who asks gets light" holds if lighting is fair: it is the helpful
// action while the lamp waits, and answers.
func TestVerifyRanking(t *testing.T) {
	m := newLamp()
	lit := states.Response{Name: "lit",
		Pending:  func(s []uint64) bool { return s[0] == 1 },
		Answered: func(_ []uint64, _ int, after []uint64) bool { return after[0] == 2 },
	}
	fair := states.Claims{Responses: []states.Response{lit}}
	good := func() *machines.Ranking {
		return &machines.Ranking{
			ClosedSet: machines.ClosedSet{Machine: "lamp", Property: "lit", States: of(0, 1, 2)},
			Levels:    [][]machines.Level{{{Rank: 0, Helpful: machines.NoAction}}, {{Rank: 1, Helpful: light}}, {{Rank: 0, Helpful: machines.NoAction}}},
		}
	}
	for _, tt := range []struct {
		name   string
		claims states.Claims
		change func(*machines.Ranking)
		want   string
	}{
		{"right", fair, func(*machines.Ranking) {}, ""},
		{"for another response", fair, func(r *machines.Ranking) { r.Property = "out" }, "is for"},
		{"a rank too few", fair, func(r *machines.Ranking) { r.Levels = r.Levels[:2] }, "not every state"},
		{"no level", fair, func(r *machines.Ranking) { r.Levels[1] = nil }, "not every state"},
		{"of a set that is not closed", fair, func(r *machines.Ranking) {
			r.States, r.Levels = r.States[:2], r.Levels[:2]
		}, "lacks the state"},
		{"no helpful action where one may idle", fair, func(r *machines.Ranking) { r.Levels[1][0].Helpful = machines.NoAction }, "keeps rank"},
		{"idling is said to help", fair, func(r *machines.Ranking) { r.Levels[1][0].Helpful = idle }, `"idle" keeps rank`},
		{"what helps is never possible", fair, func(r *machines.Ranking) { r.Levels[1][0].Helpful = ask }, "disabled"},
		{"lighting is not fair", states.Claims{Fair: func(a int) bool { return a != light }}, func(*machines.Ranking) {}, "not fair"},
		{"lighting alone is fair", states.Claims{Fair: func(a int) bool { return a == light }}, func(*machines.Ranking) {}, ""},
		{"what is answered may rank higher", fair, func(r *machines.Ranking) { r.Levels[2][0].Rank = 9 }, ""},
		{"nothing is fair", states.Claims{Fair: func(int) bool { return false }}, func(*machines.Ranking) {}, "no step has to happen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			tt.change(r)
			refusal(t, machines.VerifyRanking(t.Context(), m, tt.claims, lit, r), tt.want)
		})
	}
	t.Run("none", func(t *testing.T) { refusal(t, machines.VerifyRanking(t.Context(), m, fair, lit, nil), "no ranking") })
	t.Run("rank raised", func(t *testing.T) {
		// Pending until off again, answered only there: "light" must not raise.
		out := states.Response{Name: "lit", Pending: func(s []uint64) bool { return s[0] != 0 }}
		r := good()
		r.Levels[2][0].Rank = 2
		refusal(t, machines.VerifyRanking(t.Context(), m, fair, out, r), "raises the rank")
		r.Levels[1][0].Rank = 3
		refusal(t, machines.VerifyRanking(t.Context(), m, fair, out, r), "")
		// Either way to answer ends what ranks are about: an answering step, or a state
		// in which nothing is pending.
		r.Levels[1][0].Rank = 1
		out.Answered = lit.Answered
		refusal(t, machines.VerifyRanking(t.Context(), m, fair, out, r), "")
		waits := states.Response{Name: "lit", Pending: lit.Pending}
		refusal(t, machines.VerifyRanking(t.Context(), m, fair, waits, r), "")
	})
	t.Run("helpful action changed", func(t *testing.T) {
		// 0 -there-> 1 -back-> 0, and out of each by an action of its own, which is
		// never possible for long: going to and fro is fair, and nothing is answered.
		p := program.New("to and fro")
		x := p.Var("x", 3)
		for i := range 2 {
			p.Rule([]string{"there", "back"}[i], program.Eq(x, i), program.Set(x, 1-i))
			p.Rule([]string{"out of 0", "out of 1"}[i], program.Eq(x, i), program.Set(x, 2))
		}
		p.Response("out", program.Lt(x, 2))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		r := &machines.Ranking{
			ClosedSet: machines.ClosedSet{Machine: "to and fro", Property: "out", States: of(0, 1, 2)},
			Levels:    [][]machines.Level{{{Rank: 1, Helpful: 1}}, {{Rank: 1, Helpful: 3}}, {{Rank: 0, Helpful: machines.NoAction}}},
		}
		refusal(t, machines.VerifyRanking(t.Context(), m, m.Claims(), m.Claims().Responses[0], r), "the helpful actions are number 1 and 3")
	})
	t.Run("strongly fair", func(t *testing.T) {
		// 0, 1 and 2 lead to each other by "on", and out, to 3, each by an action of its own.
		// Those of 0 and 1 are strongly fair: a run comes to rest in 2, or leaves.
		p := program.New("rooms")
		x := p.Var("x", 4)
		for i := range 3 {
			p.Rule(fmt.Sprintf("out of %d", i), program.Eq(x, i), program.Set(x, 3)).Strong = i < 2
		}
		for i := range 3 {
			p.Rule("on", program.Lt(x, 3), program.Set(x, i))
		}
		p.Response("out", program.Lt(x, 3))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		const on = 3
		for _, tt := range []struct {
			name   string
			levels [][]machines.Level // of 0, 1, 2
			want   string
		}{
			{"right", [][]machines.Level{{{Rank: 1, Helpful: 0}}, {{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}, {Rank: 1, Helpful: 2}}}, ""},
			{"another order", [][]machines.Level{{{Rank: 0, Helpful: 1}, {Rank: 7, Helpful: 0}},
				{{Rank: 0, Helpful: 1}}, {{Rank: 0, Helpful: 1}, {Rank: 7, Helpful: 0}, {Rank: 3, Helpful: 2}}}, ""},
			{"no level", [][]machines.Level{{}, {{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}, {Rank: 1, Helpful: 2}}}, "not every state has a rank"},
			{"a level too few",
				[][]machines.Level{{{Rank: 1, Helpful: 0}}, {{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}}, {{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}}},
				"the helpful action of level 2, number 1, is disabled"},
			{"the first level alone",
				[][]machines.Level{{{Rank: 1, Helpful: 0}}, {{Rank: 1, Helpful: 0}}, {{Rank: 1, Helpful: 0}}},
				"the helpful action of level 1, number 0, is disabled"},
			{"of each its own",
				[][]machines.Level{{{Rank: 1, Helpful: 0}}, {{Rank: 1, Helpful: 1}}, {{Rank: 1, Helpful: 2}}},
				"but the helpful actions are number 0 and 1"},
			{"the second of each its own", [][]machines.Level{{{Rank: 1, Helpful: 0}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 2}}}, "but the helpful actions are number 1 and 2"},
			{"what is weakly fair alone, outside", [][]machines.Level{{{Rank: 1, Helpful: 2}, {Rank: 1, Helpful: 0}},
				{{Rank: 1, Helpful: 2}, {Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 2}}}, "the helpful action of level 1, number 2, is disabled, or not fair enough"},
			{"the second rank is raised", [][]machines.Level{{{Rank: 1, Helpful: 0}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 0}, {Rank: 2, Helpful: 1}, {Rank: 1, Helpful: 2}}}, "raises the rank from 1 to 2"},
			{"a rank that every step lowers, and one does not", [][]machines.Level{{{Rank: 1, Helpful: 0}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}, {Rank: 1, Helpful: machines.NoAction}}}, "but the helpful actions are number -1 and -1"},
			{"what is taken within", [][]machines.Level{{{Rank: 1, Helpful: 0}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}, {Rank: 1, Helpful: on}}}, `the helpful action "on" keeps rank 1`},
			{"not an action", [][]machines.Level{{{Rank: 1, Helpful: 99}, {Rank: 1, Helpful: 0}},
				{{Rank: 1, Helpful: 99}, {Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}},
				{{Rank: 1, Helpful: 99}, {Rank: 1, Helpful: 0}, {Rank: 1, Helpful: 1}, {Rank: 1, Helpful: 2}}}, "level 1, number 99, is disabled"},
		} {
			r := &machines.Ranking{
				ClosedSet: machines.ClosedSet{Machine: "rooms", Property: "out", States: of(0, 1, 2, 3)},
				Levels:    append(tt.levels, []machines.Level{{Rank: 0, Helpful: machines.NoAction}}),
			}
			t.Run(tt.name, func(t *testing.T) {
				refusal(t, machines.VerifyRanking(t.Context(), m, m.Claims(), m.Claims().Responses[0], r), tt.want)
			})
		}
	})
	t.Run("what helps is not the last step", func(t *testing.T) {
		p := program.New("door")
		x := p.Var("x", 2)
		p.Rule("out", program.Eq(x, 0), program.Set(x, 1))
		p.Rule("wait", program.Eq(x, 0))
		p.Response("out", program.Eq(x, 0))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		r := &machines.Ranking{
			ClosedSet: machines.ClosedSet{Machine: "door", Property: "out", States: of(0, 1)},
			Levels:    [][]machines.Level{{{Rank: 1, Helpful: 0}}, {{Rank: 0, Helpful: machines.NoAction}}},
		}
		refusal(t, machines.VerifyRanking(t.Context(), m, m.Claims(), m.Claims().Responses[0], r), "")
	})
	t.Run("context ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		late := lit
		late.Pending = func(s []uint64) bool { cancel(); return lit.Pending(s) } // after the set was found closed
		refusal(t, machines.VerifyRanking(ctx, m, fair, late, good()), "context canceled")
	})
}

// TestClosedSetForm: what is written is read again; a text with a line cut or a byte
// changed is refused or reads as another set.
func TestClosedSetForm(t *testing.T) {
	set := &machines.ClosedSet{Machine: `a "machine"`, Property: "deadlock-freedom", States: [][]uint64{{2, 255}, {1, 0}}}
	var b bytes.Buffer
	if err := write.ClosedSet(&b, set); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	want := "unknot-closed-set 2\nmachine \"a \\\"machine\\\"\"\nproperty \"deadlock-freedom\"\nstates 2 2\n1 0\n2 ff\nend\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Fatal(diff)
	}
	got, err := machines.ReadClosedSet("set", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(got.States)
	if diff := cmp.Diff(set, got); diff != "" {
		t.Error(diff)
	}
	lines := strings.SplitAfter(text, "\n")
	for i := range lines[:len(lines)-1] {
		cut := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
		var pos *spec.PosError
		if _, err := machines.ReadClosedSet("set", strings.NewReader(cut)); !errors.As(err, &pos) {
			t.Errorf("without line %d: %v, want an error with a place", i+1, err)
		}
	}
	for _, bad := range []string{"states 2 -1", "states -1 2", "states 999999999999 2", "states 2 2 ", "states 3 2", "states 2 1", "states 2 3"} {
		if _, err := machines.ReadClosedSet("set", strings.NewReader(strings.Replace(text, "states 2 2", bad, 1))); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	_, err = machines.ReadClosedSet("set", strings.NewReader("unknot-closed-set 2\nmachine \"m\"\nproperty \"p\"\nstates 999999999999 1\n1\nend\n"))
	refusal(t, err, "set:6:") // and not after as many states
	for _, bad := range []string{"2 ff\n1 0\n", "1 0\n1 0\n"} {
		_, err := machines.ReadClosedSet("set", strings.NewReader(strings.Replace(text, "1 0\n2 ff\n", bad, 1)))
		refusal(t, err, "ascending, each once")
	}
}

// TestSetDigestOfOne computes the digest of a state from its definition, in large
// numbers.
func TestSetDigestOfOne(t *testing.T) {
	word := new(big.Int).Lsh(big.NewInt(1), 64)
	for _, s := range [][]uint64{{0}, {1}, {1<<64 - 1}, {5, 1 << 63}, {0, 0, 7}, {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		a, b := big.NewInt(int64(len(s))), new(big.Int).SetUint64(0xff51afd7ed558ccd)
		factor := new(big.Int).SetUint64(0x9e3779b97f4a7c15)
		var sums [4]*big.Int
		for i := range sums {
			sums[i] = new(big.Int)
		}
		for i := range len(s) + 8 {
			if i < len(s) {
				a.Xor(a, new(big.Int).SetUint64(s[i]))
			}
			high, low := new(big.Int).DivMod(new(big.Int).Mul(a, factor), word, new(big.Int))
			a, b = high.Xor(high, b), low
			sums[i%4].Mod(sums[i%4].Add(sums[i%4], a), word)
		}
		var d machines.SetDigest
		d.Add(s)
		if want := fmt.Sprintf("%016x%016x%016x%016x", sums[0], sums[1], sums[2], sums[3]); d.String() != want {
			t.Errorf("%d: digest %s, want %s", s, d, want)
		}
	}
}

// TestSetDigestTellsStructure: sets that differ regularly, such as the states of a cube with an
// even number of some bits and those with an odd one, have digests that differ in each bit half of
// the time. (After one round of mixing, some bit would differ in four fifths of them.)
func TestSetDigestTellsStructure(t *testing.T) {
	const trials = 4000
	r := rand.New(rand.NewPCG(1, 2))
	for words := 1; words <= 3; words++ {
		for dimension := 1; dimension <= 4; dimension++ {
			var differ [256]int
			for trial := range trials {
				base := make([]uint64, words)
				for i := range base {
					base[i] = r.Uint64() >> (trial % 2 * 56) // every other one has small numbers
				}
				at := r.Perm(64 * words)[:dimension]
				var digests [2]machines.SetDigest
				for vertex := range uint(1) << dimension {
					s := slices.Clone(base)
					for i, bit := range at {
						s[bit/64] ^= uint64(vertex) >> i & 1 << (bit % 64)
					}
					digests[bits.OnesCount(vertex)%2].Add(s)
				}
				for i := range differ {
					differ[i] += int((digests[0][i/8] ^ digests[1][i/8]) >> (i % 8) & 1)
				}
			}
			for i, n := range differ {
				// the sum of fair bits: 6 standard deviations, of some 32
				if n < trials/2-200 || n > trials/2+200 {
					t.Errorf("%d words, %d bits vary: bit %d differs in %d of %d", words, dimension, i, n, trials)
				}
			}
		}
	}
}

// TestSetDigest: the order does not matter, the elements do.
func TestSetDigest(t *testing.T) {
	digest := func(values ...uint64) (d machines.SetDigest) {
		for _, v := range values {
			d.Add([]uint64{v})
		}
		return d
	}
	if digest(1, 2, 3) != digest(3, 1, 2) {
		t.Error("the order matters")
	}
	parts, rest := digest(1), digest(2, 3)
	parts.Join(rest)
	if parts != digest(1, 2, 3) {
		t.Error("a set is not the union of its parts")
	}
	if digest(1, 2) == digest(1, 3) || digest(1) == digest(1, 2) {
		t.Error("different sets have the same digest")
	}
}

// TestStuckIsAskedOnce: three packets go round a ring, each two hops from home, and wait for
// each other. As long as a fourth can be injected beside them, a greater state follows in
// which they still wait, and it is asked instead of this one. From that one only a smaller
// one follows, where the fourth has left: so it is refused, and so is the first.
func TestStuckIsAskedOnce(t *testing.T) {
	topo := spec.NewTopology()
	for range 5 {
		topo.AddNode("")
	}
	var once []spec.Flow
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
		once = append(once, spec.Flow{Source: v, Target: spec.Target{Dest: (v + 2) % 3}})
	}
	topo.AddLink(spec.Link{From: 3, To: 4, VCs: 1})
	once = append(once, spec.Flow{Source: 3, Target: spec.Target{Dest: 4}})
	n, err := routing.Compile(t.Context(), routing.Definition{Topology: topo, Buffer: 1,
		Flows: func(from, to spec.NodeID, _ spec.Class) bool { return from < 3 && to < 3 || from == 3 && to == 4 },
		Routing: routing.Named("round", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if topo.Head(at) == h.Dest {
				return append(dst, spec.Hop{Channel: spec.Eject})
			}
			return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))})
		}))}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := states.NewTraffic(n, spec.Scenario{Once: once})
	if err != nil {
		t.Fatal(err)
	}
	safe, err := machines.Safe(m, "deadlock-freedom")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Start(nil)
	for i, stuck := range []int{0, 0, 0, 3, 3, 3} { // injections come first
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(m.StuckIn(s)); got != stuck {
			t.Errorf("%d channels are stuck in %s, want %d", got, m.Layout().Text(s), stuck)
		}
		want := ""
		if i > 3 {
			want = "is stuck"
		}
		refusal(t, safe(s, next), want)
		if i < 5 {
			s = next[:len(s)]
		}
	}
}

// TestSilentNetwork: no property of states is shown for a network in which nobody
// sends, whatever the traffic.
func TestSilentNetwork(t *testing.T) {
	topo := spec.NewTopology()
	topo.AddNode("a")
	topo.AddNode("b")
	n, err := routing.Compile(context.Background(), routing.Definition{Name: "silent", Topology: topo,
		Flows: func(_, _ spec.NodeID, _ spec.Class) bool { return false },
		Routing: routing.Named("nowhere", routing.Func(func(dst []spec.Hop, _ spec.ChannelID,
			_ spec.Header) []spec.Hop {
			return dst
		}))}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	for _, property := range []string{"deadlock-freedom", "delivery"} {
		_, err := machines.Safe(traffic, property)
		refusal(t, err, "no flows")
	}
}

// TestDelivery: 0 -> 1 -> 2 -> 3, where 0 and 1 send to 3. Packets also leave at one node.
func TestDelivery(t *testing.T) {
	only := func(from spec.NodeID) spec.Scenario {
		return spec.Scenario{Once: []spec.Flow{{Source: from, Target: spec.Target{Dest: 3}}}}
	}
	for _, tt := range []struct {
		leave     spec.NodeID
		sc        spec.Scenario
		lost      [][]bool // by link
		misrouted bool
	}{
		{3, spec.Scenario{}, [][]bool{{false}, {false}, {false}}, false},
		{2, spec.Scenario{}, [][]bool{{true}, {true}, nil}, false}, // even on the first link there is no path to 3
		{0, spec.Scenario{}, [][]bool{nil, {false}, {false}}, true},
		{0, only(0), [][]bool{nil, {false}, {false}}, true},
		{0, only(1), [][]bool{nil, {false}, {false}}, false}, // 0 sends nothing
	} {
		topo := spec.NewTopology()
		for range 4 {
			topo.AddNode("")
		}
		for i := range spec.NodeID(3) {
			topo.AddLink(spec.Link{From: i, To: i + 1, VCs: 1})
		}
		n, err := routing.Compile(t.Context(), routing.Definition{Name: "line", Topology: topo,
			Flows: func(from, to spec.NodeID, _ spec.Class) bool { return from < 2 && to == 3 },
			Routing: routing.Named("line", routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
				if node := topo.Head(at); node != tt.leave && node != 3 {
					return append(dst, spec.Hop{Channel: spec.ChannelID(node)})
				}
				return append(dst, spec.Hop{Channel: spec.Eject})
			}))}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := states.NewTraffic(n, tt.sc)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.lost, machines.Lost(m)); diff != "" {
			t.Errorf("leaving at %d: lost (-want +got):\n%s", tt.leave, diff)
		}
		if s, is := machines.Misrouted(m); is != tt.misrouted || is && s.Channel != spec.Injection(0) {
			t.Errorf("leaving at %d: misrouted %v, %v", tt.leave, s, is)
		}
	}
}
