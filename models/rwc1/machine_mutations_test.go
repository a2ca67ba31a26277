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
)

// TestMachineMutations: what is taken away or added is noticed, by the right
// property.
func TestMachineMutations(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *program.Program)
		want   string
	}{
		{"a packet is dropped", func(p *program.Program) {
			p.Unfair("drop", program.And(), program.Set(variable(t, p, "(0)->(1) vc0 set 0 a"), 0))
		}, "nothing lost or doubled"},
		{"a packet stays", func(p *program.Program) {
			a, b := variable(t, p, "injection of (0) set 0 a"), variable(t, p, "(0)->(1) vc0 set 0 a")
			p.Rule("copy", program.And(program.Ne(a, 0), program.Eq(b, 0)), program.Set(b, a))
		}, "nothing lost or doubled"},
		{"a packet turns round", func(p *program.Program) {
			a, b := variable(t, p, "(0)->(1) vc0 set 0 a"), variable(t, p, "PIB of (0) level 1 a")
			p.Rule("back", program.And(program.Ne(a, 0), program.Eq(b, 0)), program.Set(b, a), program.Set(a, 0))
		}, "delivered to the right node"},
		{"packets change places", func(p *program.Program) {
			a, b := variable(t, p, "injection of (0) set 0 a"), variable(t, p, "injection of (0) set 0 b")
			c := p.Var("c", 8)
			p.Rule("swap", program.And(program.Ne(a, 0), program.Ne(b, 0)), program.Set(c, a), program.Set(a, b), program.Set(b, c), program.Set(c, 0))
		}, "in order"},
		{"a processor does not answer", func(p *program.Program) {
			p.Rules = slices.DeleteFunc(p.Rules, func(r program.Rule) bool { return strings.HasPrefix(r.Name, "1 answers") })
		}, "deadlock"},
		{"a router sends nothing", func(p *program.Program) {
			p.Rules = slices.DeleteFunc(p.Rules, func(r program.Rule) bool { return strings.HasPrefix(r.Name, "injection of (1)") })
		}, answered},
	} {
		o := wholeOptions(t, 2, "0>1@0/1")
		o.Depth, o.Window, o.Watch, o.Watch2 = 2, 2, 0, true
		p, err := rwc1.Machine(o)
		if got := violated(t, machine(t, p, err)); len(got) > 0 {
			t.Errorf("%s: violated without the change: %v", tt.name, got)
		}
		tt.change(p)
		// Behind a doubled packet counts leave their range, which is an error: it is
		// looked for up to the first violation, too.
		caught := false
		var errs []error
		for _, all := range []bool{true, false} {
			x, err := checker.Explore(t.Context(), machine(t, p, nil), checker.ExploreOptions{Whole: all, Liveness: all, MaxStates: 300_000})
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
	turns := withStreams(t, plain, "0>2@0,1>2@2*2,1>2@0")
	turns.Arbiter, turns.Hold, turns.Window, turns.Watch = rwc1.Queue, rwc1.ByRouter, 2, 0
	spills := wholeOptions(t, 2, "all@0/1")
	spills.Spill, spills.Window, spills.Answers, spills.Buffers = true, 2, true, rwc1.PerMode
	spills.Watch, spills.Watch2, spills.Arbiter, spills.Hold = 1, true, rwc1.Rotate, rwc1.ByPort
	for name, o := range map[string]rwc1.MachineOptions{"stuck": plain, "turns": turns, "spills": spills} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := rwc1.Machine(o)
			x, err := checker.Explore(t.Context(), machine(t, p, err), checker.ExploreOptions{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			want := enginetest.Counts{States: int(x.States), Transitions: int(x.Transitions)}
			for _, f := range x.Findings {
				if f.Property != "deadlock" && f.Verdict == spec.Violated {
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

func TestParseStreams(t *testing.T) {
	for text, want := range map[string]string{
		"0>1@0":            "0>1@0",
		"next@2":           "0>1@2 1>2@2 2>0@2",
		"before@0/3*2":     "0>2@0/3*2 1>0@0/3*2 2>1@0/3*2",
		"all@1,2>0@0/0":    "0>1@1 0>2@1 1>2@1 1>0@1 2>0@1 2>1@1 2>0@0/0",
		"":                 `streams=: "" must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all, levels 0 to 3 and a count of 1 to 9`,
		"0>1@4":            `streams=0>1@4: "0>1@4" must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all, levels 0 to 3 and a count of 1 to 9`,
		"0>1@0/":           `streams=0>1@0/: "0>1@0/" must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all, levels 0 to 3 and a count of 1 to 9`,
		"0>1@0*0":          `streams=0>1@0*0: "0>1@0*0" must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all, levels 0 to 3 and a count of 1 to 9`,
		"0>3@0":            `streams=0>3@0: "0>3@0": who sends to whom must be two different routers from 0 to 2 as in 0>1, or next, before or all`,
		"1>1@0":            `streams=1>1@0: "1>1@0": who sends to whom must be two different routers from 0 to 2 as in 0>1, or next, before or all`,
		"any@0":            `streams=any@0: "any@0": who sends to whom must be two different routers from 0 to 2 as in 0>1, or next, before or all`,
		"all@0,next@9/0,x": `streams=all@0,next@9/0,x: "next@9/0" must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all, levels 0 to 3 and a count of 1 to 9`,
	} {
		all, err := rwc1.ParseStreams(text, 3)
		var words []string
		for _, s := range all {
			words = append(words, s.String())
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if _, err := rwc1.ParseStreams("all@0", 1024); err == nil || err.Error() != "streams=all@0: more than 64 streams" {
		t.Errorf("all of 1024 routers: %v", err)
	}
}

func TestMachineRefuses(t *testing.T) {
	good := wholeOptions(t, 2, "all@0/0")
	for want, change := range map[string]func(o *rwc1.MachineOptions){
		"an APB for any number of packets: with spilling want a window of 1 to 9":  func(o *rwc1.MachineOptions) { o.Spill = true },
		"two packets are watched, of no stream":                                    func(o *rwc1.MachineOptions) { o.Watch2 = true },
		"a rank for every level: want a buffer for every level, and a priority":    func(o *rwc1.MachineOptions) { o.ByLevel = true },
		"an APB of 18 packets: want at most 16; a smaller window or fewer streams": func(o *rwc1.MachineOptions) { o.Spill, o.Window = true, 9 },
	} {
		o := good
		change(&o)
		if p, err := rwc1.Machine(o); err == nil || err.Error() != want || p != nil {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
