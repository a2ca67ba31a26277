package export_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/models/textbook"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEngines has SPIN and Rumur count what they find in the written programs: the same states, the
// same steps and the same verdict as a breadth-first search over the machine, compared with counts
// known beforehand. The suite takes one in
// three.
func TestEngines(t *testing.T) {
	for i, e := range engineModels(t) {
		if !seedtest.Sampled(i, 5) {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			got := explored(t, machine(t, e.p))
			if e.states > 0 && got.States != e.states {
				t.Errorf("%d states: %d are known", got.States, e.states)
			}
			if (got.Broken > 0) != e.violated {
				t.Errorf("%d times an invariant does not hold in a state, violated %v is known", got.Broken, e.violated)
			}
			enginetest.Compare(t, e.p, enginetest.Counts(got))
		})
	}
}

// engineModel is a program and what is known of it beforehand.
type engineModel struct {
	name     string
	p        *program.Program
	states   int // 0: not known
	violated bool
}

// engineModels lists networks and protocols. The counts are those of TestOracleStates and
// TestThreeNotions of package models and of TestStates of package textbook, which give their
// sources.
func engineModels(t *testing.T) []engineModel {
	t.Helper()
	var all []engineModel
	network := func(name string, sc spec.Scenario, states int, violated bool) func(routing.Definition, error) {
		return func(def routing.Definition, err error) {
			all = append(all, engineModel{name, unrolled(t, def, err, sc), states, violated})
		}
	}
	whole := spec.Scenario{}
	network("ring of 3", whole, 27, true)(ring.New(ring.Options{Nodes: 3}))
	network("ring of 4", whole, 256, true)(ring.New(ring.Options{Nodes: 4}))
	network("ring of 5", whole, 3125, true)(ring.New(ring.Options{Nodes: 5}))
	network("ring of 3, two packets a channel", whole, 343, true)(ring.New(ring.Options{Nodes: 3, Buffer: 2}))
	network("ring of 4, bubble", spec.Scenario{Bubble: 2}, 8704, false)(ring.New(ring.Options{Nodes: 4, Buffer: 2}))
	network("crossing of 4", whole, 1536, false)(ring.New(ring.Options{Nodes: 4, Variant: ring.Crossing}))
	network("position ring of 4", whole, 6144, false)(ring.New(ring.Options{Nodes: 4, Variant: ring.Position}))
	network("2x2 mesh, XY", whole, 1296, false)(mesh.DimensionOrder(mesh.Options{K: 2, N: 2}))
	network("2x2 mesh, adaptive", whole, 6561, true)(mesh.Adaptive(mesh.Options{K: 2, N: 2}))
	network("K3 with detours", whole, 729, true)(graph.Detour(3, 1))
	terminals := func(of, ring string) (routing.Definition, error) {
		return graph.PacketSwitchingEntry().Define(map[string]string{"terminals": of, "ring": ring})
	}
	network("ring with terminals", whole, 81, true)(terminals("1-2-3", "4"))
	network("packet switching 2 4 6", whole, 3888, true)(terminals("2-4-6", "0"))
	network("packet switching 1 3 5", whole, 31104, false)(terminals("1-3-5", "0"))
	network("packet switching 11 12 13", whole, 729, true)(terminals("11-12-13", "0"))
	network("packet switching 11 12 13 15", whole, 12288, true)(terminals("11-12-13-15", "0"))
	network("W1 by packets", whole, 560, false)(gadget.Wormhole("W1"))
	// Two packets cannot block three channels, and three can.
	network("ring of 3, two packets", spec.Scenario{Packets: 2}, 0, false)(ring.New(ring.Options{Nodes: 3}))
	network("ring of 3, sinks that fill", spec.Scenario{Sink: 1, Packets: 3}, 0, true)(ring.New(ring.Options{Nodes: 3}))

	protocol := func(p *program.Program, err error, states int, violated bool) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, engineModel{p.Name, p, states, violated})
	}
	p, err := programtest.Of(textbook.TwoPhaseEntry().Machine(nil))
	protocol(p, err, 288, false)
	p, err = programtest.Of(textbook.PetersonEntry().Machine(nil))
	protocol(p, err, 882, false)
	p, err = programtest.Of(textbook.PetersonEntry().Machine(nil))
	p.Name += ", pushing in"
	p.Rule("push in", program.Eq(program.Var(0), 3), program.Set(0, 4))
	protocol(p, err, 0, true)
	all = append(all, engineModel{"token ring", programtest.TokenRing(4), 4, false})
	all = append(all, engineModel{"counting", counting(), 1000, true}, engineModel{"wide", wide(), 258, false}, engineModel{"marked", marked(), 4, false})
	return append(all, drawn(t)...)
}

// TestMacros: variables named like macros, or fields of the state, of SPIN's verifiers, and names so long
// that SPIN crashes, alike in all but the last letter, each set once.
func TestMacros(t *testing.T) {
	p := program.New("macros")
	names := []string{"sv", "Air0", "G_int", "minseq0", "StackSize", "wasnew", "rand", "si.value", "sa.handler",
		"st.ctime", strings.Repeat("x", 9_999) + "y", strings.Repeat("x", 9_999) + "z"}
	for _, name := range names {
		x := p.Var(name, 2)
		p.Rule("set "+name, program.Eq(x, 0), program.Set(x, 1))
	}
	enginetest.Compare(t, p, enginetest.Counts{States: 1 << len(names), Transitions: len(names) << (len(names) - 1)})
}

// TestCovers: what some state is to reach is a cover in Murphi. Rumur finds it where it is reached, and goes on; where
// it is not, that is an error. unknot reads the same property back.
func TestCovers(t *testing.T) {
	for reached, digits := range map[bool]program.Expr{true: program.Eq(program.Var(0), 9), false: program.Eq(program.Var(0), 10)} {
		p := counting()
		p.Invariants = []program.Invariant{{Name: "hundreds: never reached", Holds: program.Not(digits), Cover: "hundreds"}}
		var text bytes.Buffer
		if err := export.Murphi(&text, p); err != nil {
			t.Fatal(err)
		}
		again, err := murphi.Load(t.Context(), "p.m", text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if x := again.Invariants; len(x) != 1 || x[0].Name != "hundreds: never reached" || x[0].Cover != "hundreds" {
			t.Errorf("read back as %+v", x)
		}
		if strings.Contains(text.String(), "holds if the invariant") {
			t.Errorf("a cover is written, and explained as an invariant:\n%s", text.String())
		}
		if enginetest.Installed(t, "rumur", "cc") && enginetest.RumurHolds(t, p) != reached {
			t.Errorf("reached %v, and Rumur says otherwise", reached)
		}
	}
}

// counting counts to 1000 with digits, using every operator. The state with three nines breaks the
// invariant: it is the one whose product is 729. Only the counting rules read tens, units and
// hundreds, and nothing reads seen.
func counting() *program.Program {
	p := program.New("counting")
	hundreds, tens, units := p.Var("hundreds", 10), p.Var("tens", 10), p.Var("units", 10)
	seen := p.Var("seen", 1000)
	full := program.Not(program.Ne(units, 9))
	p.Rule("count", program.Or(program.Lt(hundreds, 9), program.Lt(tens, 9), program.Le(units, 8)),
		program.If(full,
			program.Set(units, program.Sub(units, 9)),
			program.If(program.Eq(tens, 9), program.Set(tens, 0), program.Set(hundreds, program.Add(hundreds, 1))).
				Otherwise(program.Set(tens, program.Add(1, tens)))).
			Otherwise(program.Set(units, program.IfElse(program.And(full), program.Const(-1), program.Add(units, 1)))),
		program.Set(seen, program.Add(program.Add(program.Mul(hundreds, 100), program.Mul(10, tens)), units)))
	p.Invariant("not 999", program.Lt(program.Mul(program.Mul(hundreds, tens), units), 729))
	return p
}

// wide has variables that just exceed a byte and 16 bits with a sign. From (0,0) it goes to
// (256,32768) in 256 steps, then to (0,32768), and from there to (1,128) again: 258
// states.
func wide() *program.Program {
	p := program.New("wide")
	x, y := p.Var("x", 257), p.Var("y", 32769)
	p.Rule("go", program.Lt(x, 256), program.Set(x, program.Add(x, 1)), program.Set(y, program.Mul(x, 128)))
	p.Rule("back", program.And(program.Eq(x, 256), program.Eq(y, 32768)), program.Set(x, 0))
	return p
}

// marked has a variable that nothing reads, but which makes two states of one.
func marked() *program.Program {
	p := program.New("marked")
	x, mark := p.Var("x", 2), p.Var("mark", 2)
	p.Rule("flip", program.And(), program.Set(x, program.Sub(1, x)))
	p.Rule("mark", program.And(), program.Set(mark, 1))
	return p
}

// drawn returns some random programs: what the writers make of odd expressions.
func drawn(t *testing.T) []engineModel {
	t.Helper()
	const most = 4
	var all []engineModel
	for seed := 0; len(all) < most; seed++ {
		p := rapid.Custom(func(rt *rapid.T) *program.Program { return netgen.Program(rt, true) }).Example(seed)
		m, err := p.Machine()
		if err != nil {
			continue
		}
		c := explored(t, m)
		if c.States < 20 {
			continue // little to see
		}
		all = append(all, engineModel{fmt.Sprintf("drawn with %d", seed), p, 0, c.Broken > 0})
	}
	return all
}

func machine(t *testing.T, p *program.Program) *program.Machine {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// counts is what a plain breadth-first search finds.
type counts struct {
	States, Transitions int
	Broken              int // pairs of a reachable state and an invariant that does not hold in it
}

// explored walks all states of a machine.
func explored(t *testing.T, m states.Machine) counts {
	t.Helper()
	var c counts
	var invariants []states.Invariant
	if claimer, ok := m.(states.Claimer); ok {
		invariants = claimer.Claims().Invariants
	}
	words := m.Layout().Words()
	queue := m.Start(nil)
	seen := map[string]bool{}
	for i := 0; i < len(queue); i += words { // all initial states differ
		seen[fmt.Sprint(queue[i:i+words])] = true
	}
	var next []uint64
	for i := 0; i < len(queue); i += words {
		s := queue[i : i+words]
		for _, v := range invariants {
			if !v.Holds(s) {
				c.Broken++
			}
		}
		var err error
		if next, err = m.AppendSuccessors(next[:0], s); err != nil {
			t.Fatal(err)
		}
		for k := 0; k < len(next); k += words {
			c.Transitions++
			if key := fmt.Sprint(next[k : k+words]); !seen[key] {
				seen[key] = true
				queue = append(queue, next[k:k+words]...)
			}
		}
	}
	c.States = len(queue) / words
	return c
}

// TestExplored: the token is in one of n places, and each place passes it on.
func TestExplored(t *testing.T) {
	if diff := cmp.Diff(counts{7, 7, 0}, explored(t, machine(t, programtest.TokenRing(7)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
