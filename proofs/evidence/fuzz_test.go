package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// traffics are a ring under scenarios of every kind, whole packets and worms.
func traffics(t testing.TB) []*states.Traffic {
	t.Helper()
	network, _ := subjects(t)
	def := routing.FromNetwork(network.Network)
	def.Switching = spec.Wormhole
	worms, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching, def.Buffer = spec.VirtualCutThrough, 2
	deep, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	flow := spec.Flow{Source: 0, Target: spec.Target{Dest: 2}}
	var all []*states.Traffic
	for _, of := range []struct {
		n  *spec.Network
		sc spec.Scenario
	}{
		{network.Network, spec.Scenario{}}, {network.Network, spec.Scenario{Packets: 2}}, {network.Network, spec.Scenario{Sink: 1}},
		{network.Network, spec.Scenario{Once: []spec.Flow{flow, flow}}},
		{deep, spec.Scenario{Bubble: 2}},
		{worms, spec.Scenario{Length: 1}}, {worms, spec.Scenario{Length: 2}}, {worms, spec.Scenario{Length: spec.AnyLength}},
		{worms, spec.Scenario{Length: 2, Elastic: true}}, {worms, spec.Scenario{Length: 2, Elastic: true, Shared: true}},
		{worms, spec.Scenario{Length: 2, Sink: 1, Packets: 2}},
	} {
		tr, err := states.NewTraffic(of.n, of.sc)
		if err == nil {
			err = tr.Packed()
		}
		if err != nil {
			t.Fatalf("%s: %v", of.sc, err)
		}
		all = append(all, tr)
	}
	return all
}

// FuzzScenarios: under no scenario does a text make a check panic, and a closed set
// that is accepted is closed, by a plain loop over the steps. MACHINE stands for the
// name in a text.
func FuzzScenarios(f *testing.F) {
	const machine = "MACHINE"
	all := traffics(f)
	for i, tr := range all {
		states := reachable(f, tr)
		for _, property := range []string{"deadlock", "delivery"} {
			var b bytes.Buffer
			if err := machines.WriteClosedSet(&b, &machines.ClosedSet{Machine: machine, Property: property, States: states}); err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), b.String())
		}
	}
	for _, text := range texts(f) {
		f.Add(uint8(0), text)
	}
	f.Fuzz(func(t *testing.T, number uint8, text string) {
		tr := all[int(number)%len(all)]
		text = strings.ReplaceAll(text, machine, tr.Name())
		_, err := evidence.OfNetwork(tr.Network()).Check(context.Background(), "f", []byte(text), evidence.Options{Recount: true})
		if fault := new(evidence.PanicError); errors.As(err, &fault) {
			t.Fatalf("%v\n%s", fault, fault.Stack)
		}
		if err != nil || !strings.HasPrefix(text, "unknot-closed-set ") {
			return
		}
		set, err := machines.ReadClosedSet("f", strings.NewReader(text))
		if err != nil || set.Machine != tr.Name() {
			return // of another scenario that the text names
		}
		closed(t, tr, set.States)
	})
}

// closed fails unless all initial states and all successors are among the states.
func closed(t *testing.T, m states.Machine, states [][]uint64) {
	t.Helper()
	in := map[string]bool{}
	for _, s := range states {
		in[fmt.Sprint(s)] = true
	}
	all := func(next []uint64) {
		for w := m.Layout().Words(); len(next) >= w; next = next[w:] {
			if !in[fmt.Sprint(next[:w])] {
				t.Fatalf("accepted without the state %s", m.Layout().Text(next[:w]))
			}
		}
	}
	all(m.Start(nil))
	for _, s := range states {
		next, err := m.Next(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		all(next)
	}
}

// FuzzFolder: no index with whatever evidence makes the check of a folder panic.
func FuzzFolder(f *testing.F) {
	network, _ := subjects(f)
	var b bytes.Buffer
	if err := spec.WriteClosed(&b, network.Network); err != nil {
		f.Fatal(err)
	}
	for _, text := range texts(f) {
		f.Add(index, text, b.String())
		f.Add(strings.ReplaceAll(index, "0f", network.Digest.String()), text, b.String())
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, index, text, subject string) {
		for name, text := range map[string]string{evidence.AnswerFile: index, "0001.unknot": text, "0002.unknot": text, "0002.json": subject} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		folder, err := evidence.OpenFolder(dir)
		if err != nil {
			return
		}
		for i := range folder.Answer.Parts {
			_, _, err := folder.Check(context.Background(), i, evidence.Options{Recount: true})
			if fault := new(evidence.PanicError); errors.As(err, &fault) {
				t.Fatalf("%v\n%s", fault, fault.Stack)
			}
		}
	})
}
