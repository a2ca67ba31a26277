package rwc1_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// TestMachineMutations: removals and additions violate the right property.
func TestMachineMutations(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *program.Program)
		want   string
	}{
		{"a packet is dropped", func(p *program.Program) {
			p.Rule("drop", program.And(), program.Set(variable(t, p, "buffer[(0)->(1) vc0 set 0].0"), 0)).Unfair = true
		}, "nothing lost or doubled"},
		{"a packet stays", func(p *program.Program) {
			a, b := variable(t, p, "buffer[injection of (0) set 0].0"), variable(t, p, "buffer[(0)->(1) vc0 set 0].0")
			p.Rule("copy", program.And(program.Ne(a, 0), program.Eq(b, 0)), program.Set(b, a))
		}, "nothing lost or doubled"},
		{"a packet turns round", func(p *program.Program) {
			a, b := variable(t, p, "buffer[(0)->(1) vc0 set 0].0"), variable(t, p, "pib[PIB of (0) level 1].0")
			p.Rule("back", program.And(program.Ne(a, 0), program.Eq(b, 0)), program.Set(b, a), program.Set(a, 0))
		}, "delivered to the right node"},
		{"packets change places", func(p *program.Program) {
			a, b := variable(t, p, "buffer[injection of (0) set 0].0"), variable(t, p, "buffer[injection of (0) set 0].1")
			c := p.Var("c", 8)
			p.Rule("swap", program.And(program.Ne(a, 0), program.Ne(b, 0)), program.Set(c, a), program.Set(a, b), program.Set(b, c), program.Set(c, 0))
		}, "in order"},
		{"a processor does not answer", func(p *program.Program) {
			p.Rules = slices.DeleteFunc(p.Rules, func(r program.Rule) bool { return strings.HasPrefix(r.Name, "1 answers") })
		}, "deadlock-freedom"},
		{"a router sends nothing", func(p *program.Program) {
			p.Rules = slices.DeleteFunc(p.Rules, func(r program.Rule) bool { return strings.HasPrefix(r.Name, "injection of (1)") })
		}, answered},
	} {
		o := wholeOptions(t, 2, "0-1@0/1")
		o.Depth, o.Window, o.Watch, o.Watch2 = 2, 2, 0, true
		p, err := rwc1.Machine(o)
		if got := violated(t, machine(t, p, err)); len(got) > 0 {
			t.Errorf("%s: violated without the change: %v", tt.name, got)
		}
		tt.change(p)
		// After a doubled packet, counts leave their range, which is an error: that
		// violation is searched for, too.
		caught := false
		var errs []error
		for _, all := range []bool{true, false} {
			x, err := checker.Explore(t.Context(), machine(t, p, nil),
				checker.Question{Explore: map[bool]checker.Exploration{true: checker.Whole}[all], Liveness: all, MaxStates: 300_000})
			errs = append(errs, err)
			caught = caught || err == nil && slices.ContainsFunc(x.Findings, func(f checker.Finding) bool {
				return f.Property == tt.want && f.Verdict == spec.Violated
			})
		}
		if !caught {
			t.Errorf("%s: want %q violated; errors %v", tt.name, tt.want, errs)
		}
	}
}

// TestEnginesMachine: SPIN and Rumur count the same states and steps of exported
// machines: with turns, ranks, spilling, bounds, watched packets.
func TestEnginesMachine(t *testing.T) {
	plain := wholeOptions(t, 3, "before@0")
	plain.VCs = 1
	turns := withStreams(t, plain, "0-2@0,1-2@2x2,1-2@0")
	turns.Arbiter, turns.Hold, turns.Window, turns.Watch = "queue", "router", 2, 0
	spills := wholeOptions(t, 2, "all@0/1")
	spills.Spill, spills.Window, spills.Answers, spills.Buffers = true, 2, true, rwc1.PerMode
	spills.Watch, spills.Watch2, spills.Arbiter, spills.Hold = 1, true, "rotate", "port"
	for name, o := range map[string]rwc1.MachineOptions{"stuck": plain, "turns": turns, "spills": spills} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := rwc1.Machine(o)
			x, err := checker.Explore(t.Context(), machine(t, p, err), checker.Question{Explore: checker.Whole})
			if err != nil {
				t.Fatal(err)
			}
			want := enginetest.Counts{States: int(x.States), Transitions: int(x.Transitions)}
			for _, f := range x.Findings {
				if f.Property != "deadlock-freedom" && f.Verdict == spec.Violated {
					want.Broken = enginetest.Some
				}
			}
			if (want.Broken != 0) != (name == "stuck") { // the ring of one VC, and it alone
				t.Errorf("%s: %+v", name, x.Findings)
			}
			enginetest.Compare(t, p, want)
		})
	}
}

// TestStreams: who sends to whom.
func TestStreams(t *testing.T) {
	for text, want := range map[string]string{
		"0-1@0":         "0-1@0",
		"0>1@0/1*3":     "0-1@0/1x3", // the form of old, which a shell takes for a file
		"next@2":        "0-1@2 1-2@2 2-0@2",
		"before@0/3x2":  "0-2@0/3x2 1-0@0/3x2 2-1@0/3x2",
		"all@1,2-0@0/0": "0-1@1 0-2@1 1-2@1 1-0@1 2-0@1 2-1@1 2-0@0/0",
	} {
		p, err := programtest.Of(rwc1.MachineEntry().Machine(map[string]string{"n": "3", "streams": text}))
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, packet := range p.Variables[0].Names[1:] { // what a buffer can hold
			if !strings.HasSuffix(packet, "reply") {
				words = append(words, packet)
			}
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
