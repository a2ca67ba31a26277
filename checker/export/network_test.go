package export_test

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// counted is a count of packets in a state's text, of which a program has only the number.
var counted = regexp.MustCompile(`(=\d+) for \S+(?: class \d+)?(?: tag \d+)?`)

// TestNetwork walks at random through random networks under random scenarios: the program's states,
// successors, actions and fairness are those of the reference machine, and the invariant fails
// exactly where nothing in flight can move: in the weak deadlocks, if it has that
// name.
func TestNetwork(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 12, Tags: 2, MayFail: true, Buffer: 3, Dims: 3, Discards: true}, spec.StoreAndForward)
		if n.Tables() == 0 {
			rt.Skip("no traffic")
		}
		reference, err := states.NewTraffic(n, netgen.Packets(rt, n))
		if err != nil {
			rt.Fatal(err)
		}
		p, err := export.Network(n, reference.Scenario())
		if err != nil {
			rt.Fatal(err)
		}
		m, err := p.Machine()
		if err != nil {
			rt.Fatal(err)
		}
		if m.Name() != reference.Name() {
			rt.Fatalf("it is called %q: want %q", m.Name(), reference.Name())
		}
		weak, fair, referenceFair := m.Claims().Invariants[0].Holds, m.Claims().Fair, reference.Claims().Fair
		words := reference.Layout().Words()
		s := reference.Start(nil)
		if diff := cmp.Diff(s, m.Start(nil)); diff != "" {
			rt.Fatalf("initial state (-want +got):\n%s", diff)
		}
		for range 40 {
			if want, got := counted.ReplaceAllString(reference.Layout().Text(s), "$1"), m.Layout().Text(s); want != got {
				rt.Fatalf("the state reads %q: want %q", got, want)
			}
			want, err := reference.AppendSuccessors(nil, s)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := m.AppendSuccessors(nil, s)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("in %s, successors (-want +got):\n%s", reference.Layout().Text(s), diff)
			}
			for i := range len(want) / words {
				if want, got := reference.Action(s, i), m.Action(s, i); want.Name != got.Name || fair != nil && fair(got.Number) != referenceFair(want.Number) {
					rt.Fatalf("step %d by %v: want %v, equally fair", i, got, want)
				}
			}
			state := reference.Decode(s)
			occupied := slices.ContainsFunc(state.Channels, func(p []spec.Piece) bool { return len(p) > 0 })
			stuck := occupied && !slices.ContainsFunc(reference.Moves(state), func(m spec.Move) bool {
				return m.Kind != spec.Advance || !m.From.IsInjection()
			})
			if weak(s) == stuck {
				rt.Fatalf("in %s, weak is %v: something in flight can move: %v", reference.Layout().Text(s), weak(s), !stuck)
			}
			if stuck && len(reference.Stuck(state)) == 0 && m.Claims().Invariants[0].Name == "weak" {
				rt.Fatalf("in %s all wait for a dead end: no deadlock, but \"weak\" fails", reference.Layout().Text(s))
			}
			if len(want) == 0 {
				return
			}
			// Prefer what fills the network: injections come first.
			i := min(rapid.IntRange(0, len(want)/words-1).Draw(rt, "i"), rapid.IntRange(0, len(want)/words-1).Draw(rt, "j"))
			s = want[i*words : (i+1)*words]
		}
	})
}

// TestRings: the one-way ring has n^n states and n^(n+1)+(n-2)n^(n-1)
// transitions: each of n channels is empty or holds one of n-1 destinations. The
// (n-2)^n states in which every packet wants to continue are deadlocks. With two
// packets a channel, 343 states and 8 deadlocks for n=3; with a bubble of two,
// 117 and none: computed independently of this project.
func TestRings(t *testing.T) {
	for _, tt := range []struct {
		n, buffer int
		sc        spec.Scenario
		want      counts
	}{
		{2, 1, spec.Scenario{}, counts{4, 8, 0}},
		{3, 1, spec.Scenario{}, counts{27, 90, 1}},
		{4, 1, spec.Scenario{}, counts{256, 1152, 16}},
		{5, 1, spec.Scenario{}, counts{3125, 17500, 243}},
		{3, 2, spec.Scenario{}, counts{343, -1, 8}},
		{3, 2, spec.Scenario{Bubble: 2}, counts{117, -1, 0}},
	} {
		def, err := ring.New(ring.Options{Nodes: tt.n, Buffer: tt.buffer})
		got := explored(t, machine(t, unrolled(t, def, err, tt.sc)))
		if tt.want.Transitions < 0 {
			got.Transitions = -1
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("n=%d, buffer %d, %s (-want +got):\n%s", tt.n, tt.buffer, tt.sc, diff)
		}
	}
}

// unrolled compiles a definition and unrolls it.
func unrolled(t *testing.T, def routing.Definition, err error, sc spec.Scenario) *program.Program {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.StoreAndForward
	n := routingtest.Compile(t, def)
	p, err := export.Network(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNetworkRefuses(t *testing.T) {
	def, err := ring.New(ring.Options{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.Wormhole
	n := routingtest.Compile(t, def)
	for _, sc := range []spec.Scenario{{Length: 2}, {Bubble: 2}} {
		if _, err := export.Network(n, sc); err == nil {
			t.Errorf("%s is accepted", sc)
		}
	}
	// 64 channels, 63 headers in each, and 1000 places: 4 million names.
	if def, err = ring.New(ring.Options{Nodes: 64}); err != nil {
		t.Fatal(err)
	}
	def.Buffer = 1000
	if n, err = routing.Compile(t.Context(), def, routing.CompileOptions{}); err != nil {
		t.Fatal(err)
	}
	var bound *spec.BoundError
	if _, err := export.Network(n, spec.Scenario{}); !errors.As(err, &bound) || bound.Limit != export.MostParts {
		t.Errorf("four million names: %v", err)
	}
	if _, err := export.Network(n, spec.Scenario{Once: []spec.Flow{{Source: 0, Target: spec.Target{Dest: 2}}}}); err != nil {
		t.Errorf("a packet, which takes a place of each buffer: %v", err)
	}
}
