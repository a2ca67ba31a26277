package rwc1_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

const (
	astray   = "each packet comes to its node"
	outside  = "no user packet leaves its partition"
	restored = "all that was saved is restored"
	ends     = "the drain ends"
)

// TestPort: all readings. A port that is lost is port 0, which is wrong for packets to node 1, and never leads there; one
// that is kept is wrong if the exits change, and leads out of the partition if that changes and only a new choice of
// the port meets the registers.
func TestPort(t *testing.T) {
	for _, ps := range []string{"kept", "again", "lost"} {
		for _, change := range []string{"nothing", "exits", "partition"} {
			for _, check := range []string{"leaving", "ahead"} {
				var want []string
				if ps == "lost" || ps == "kept" && change == "exits" {
					want = append(want, astray)
				}
				if ps == "kept" && change == "partition" && check == "ahead" {
					want = append(want, outside)
				}
				set := catalogue.Set{"ps": ps, "change": change, "check": check}
				p, err := programtest.Of(rwc1.PortEntry().Machine(set))
				if diff := cmp.Diff(want, violated(t, machine(t, p, err))); diff != "" {
					t.Errorf("%v: violated are (-want +got):\n%s", set, diff)
				}
			}
		}
	}
}

// TestPortMutations: changes of the machine violate the property that is to find them, and no other.
func TestPortMutations(t *testing.T) {
	rule := func(p *program.Program, name string) *program.Rule {
		i := slices.IndexFunc(p.Rules, func(r program.Rule) bool { return r.Name == name })
		if i < 0 {
			t.Fatalf("no rule %q", name)
		}
		return &p.Rules[i]
	}
	const saved = 2 // value of the phase in which packets are restored
	for _, tt := range []struct {
		name   string
		set    catalogue.Set
		change func(p *program.Program)
		want   []string
	}{
		{"memory loses the port of a packet", nil, func(p *program.Program) {
			p.Rule("lose", program.And(program.Ne(variable(t, p, "memory.0.to"), 0)), program.Set(variable(t, p, "memory.0.port"), 0)).Unfair = true
		}, []string{astray}},
		{"memory names another node", nil, func(p *program.Program) {
			to := variable(t, p, "memory.0.to")
			p.Rule("rename", program.And(program.Eq(to, 1)), program.Set(to, 2)).Unfair = true
		}, []string{astray}},
		{"a packet is stored under the port of the one before", nil, func(p *program.Program) {
			a, b := variable(t, p, "fifo.0.port"), variable(t, p, "fifo.1.port")
			p.Rule("mix", program.And(program.Ne(variable(t, p, "fifo.1.to"), 0)), program.Set(b, a)).Unfair = true
		}, []string{astray}},
		{"the exits change unseen", catalogue.Set{"change": "partition"}, func(p *program.Program) {
			phase := variable(t, p, "phase")
			p.Rule("exchange", program.And(program.Eq(phase, saved)), program.Set(variable(t, p, "exchanged"), 1)).Unfair = true
		}, []string{astray}},
		{"the partition changes unseen", catalogue.Set{"check": "ahead"}, func(p *program.Program) {
			phase := variable(t, p, "phase")
			p.Rule("close", program.And(program.Eq(phase, saved)), program.Set(variable(t, p, "closed"), 1)).Unfair = true
		}, []string{outside}},
		{"the routers run before all is restored", nil, func(p *program.Program) {
			phase := variable(t, p, "phase")
			p.Rule("early", program.And(program.Eq(phase, saved)), program.Set(phase, 0))
		}, []string{restored, "values stay in range"}}, // what is left there and the next drain's packets are too many
		{"the routers stay frozen", nil, func(p *program.Program) {
			r := rule(p, "the routers run again")
			r.Guard = program.And(r.Guard, program.Ne(variable(t, p, "phase"), 3))
		}, []string{ends}},
	} {
		p, err := programtest.Of(rwc1.PortEntry().Machine(tt.set))
		if before := violated(t, machine(t, p, err)); len(before) > 0 {
			t.Errorf("%s: violated without the change: %v", tt.name, before)
		}
		tt.change(p)
		x, err := checker.Explore(t.Context(), machine(t, p, nil), checker.Question{Explore: checker.Whole, Liveness: true})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for _, f := range x.Findings {
			if f.Verdict == spec.Violated && f.Property != "deadlock-freedom" {
				got = append(got, f.Property)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: violated are (-want +got):\n%s", tt.name, diff)
		}
	}
}
