package evidence_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestShown: nothing is shown that the evidence does not say. A bound, a scenario and a
// fault change what it says.
func TestShown(t *testing.T) {
	bounded := func(of unsat.Unit, most int) evidence.Evidence {
		return evidence.Unsatisfiability{Proof: &unsat.Proof{Bound: unsat.Bound{Of: of, Most: most}}}
	}
	trace := func(sc spec.Scenario) evidence.Evidence {
		return evidence.Trace{Trace: &counterexamples.Trace{Scenario: sc, Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock}}
	}
	table := &addresses.Table{Boards: 1, Ports: 1, Bits: 2}
	cases := *table
	cases.Cases = []int8{-1}
	for _, tt := range []struct {
		e    evidence.Evidence
		want string
	}{
		{bounded(unsat.Unbounded, 0), "deadlock freedom holds (unsatisfiability proof of 0 clauses)"},
		{bounded(unsat.Packets, 2), "no deadlock of at most 2 packets holds (unsatisfiability proof of 0 clauses)"},
		{bounded(unsat.Channels, 1), "no deadlock of at most 1 channel holds (unsatisfiability proof of 0 clauses)"},
		{trace(spec.Scenario{}), "deadlock freedom violated (deadlock)"},
		{trace(spec.Scenario{Sink: 1}), "deadlock freedom violated (deadlock, sink 1)"},
		{evidence.Trace{Trace: &counterexamples.Trace{Fault: counterexamples.Deadlock, Notion: counterexamples.Weak}},
			"deadlock freedom violated (deadlock, weak)"},
		{evidence.Regions{RegionSet: &answers.RegionSet{}}, "regions holds (0 regions)"},
		{evidence.Regions{RegionSet: &answers.RegionSet{Way: []spec.NodeID{0, 1}}}, "regions violated (way of 1 hops)"},
		{evidence.Addresses{Table: table}, "violated (address 0x0 at board 0"},
		{evidence.Addresses{Table: &cases}, "addresses holds (1 cases"},
	} {
		if got := tt.e.Shown().String(); !strings.Contains(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	// For a network's traffic, something unanswered means that a packet starves; for another machine it is what it
	// says.
	network, machine := subjects(t)
	traffic, err := states.NewTraffic(network.Network, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		m     states.Machine
		fault runs.Fault
		want  string
	}{
		{traffic, runs.Unanswered, `starvation freedom violated ("p" unanswered, trace of 0 steps, whole packets)`},
		{traffic, runs.Broken, "p violated (broken, trace of 0 steps, whole packets)"},
		{machine.Machine, runs.Unanswered, "p violated (unanswered, trace of 0 steps)"},
	} {
		if got := (evidence.Run{Machine: tt.m, Run: &runs.Run{Property: "p", Fault: tt.fault}}).Shown().String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	// A bounded one does not pass for an unbounded one.
	under := trace(spec.Scenario{Sink: 1}).Shown()
	if err := under.AsDefined(spec.StoreAndForward); err == nil {
		t.Errorf("%s is taken for a deadlock of the network as defined", under)
	}
	for _, tt := range []struct {
		shown evidence.Shown
		want  string
	}{
		{evidence.Shown{Property: "starvation-freedom", Verdict: spec.Holds, By: "x"}, "starvation freedom holds (x)"},
		{evidence.Shown{Property: "x", Verdict: spec.Holds, By: "y", Under: &spec.Scenario{Sink: 1}}, "x holds (y, sink 1)"},
		{evidence.Shown{Property: "x", Verdict: spec.Holds, By: "y", Under: &spec.Scenario{Packets: 2}},
			"x holds of at most 2 packets, not shown of more (y, packets 2)"},
		{evidence.Shown{Property: "x", Verdict: spec.Violated, By: "y", Under: &spec.Scenario{Packets: 2}}, "x violated (y, packets 2)"},
	} {
		if got := tt.shown.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestReached: what is shown is never an invariant that stands for the negation of a
// property. One that stands for itself shows what it says.
func TestReached(t *testing.T) {
	p := program.New("m")
	x := p.Var("x", 2)
	p.Rule("go", program.Eq(x, 0), program.Set(x, 1))
	p.Invariant("one: never reached", program.Ne(x, 1))
	p.Invariants[0].Cover = "one"
	p.Invariant("never one", program.Ne(x, 1))
	s, err := evidence.OfProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"one: never reached": "one", "never one": "never one"} {
		of := map[bool][]string{true: {"violated (never reached, ", "holds (reached, trace of 0 steps)"},
			false: {"holds (", "violated (broken, trace of 0 steps)"}}[want == "one"]
		for i, e := range []evidence.Evidence{
			evidence.ClosedSet{Machine: s.Machine, ClosedSet: &machines.ClosedSet{Property: name}},
			evidence.Count{Machine: s.Machine, Count: &machines.Count{Property: name}},
			evidence.Run{Machine: s.Machine, Run: &runs.Run{Property: name, Fault: runs.Broken}},
		} {
			if got, want := e.Shown().String(), want+" "+of[i/2]; !strings.HasPrefix(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}

// endless is a machine with more states than can be counted.
type endless struct{ states.Machine }

func (endless) AppendSuccessors([]uint64, []uint64) ([]uint64, error) {
	return nil, &spec.BoundError{What: "states", Limit: 7}
}

// TestCountOfNobody: a count for which no subject was read is checked, too; beyond a
// bound it is neither right nor wrong; evidence of another machine is not read.
func TestCountOfNobody(t *testing.T) {
	_, machine := subjects(t)
	c := &machines.Count{Machine: "toggle", Property: "deadlock-freedom", States: 2, Transitions: 2}
	for _, s := range []uint64{0, 1} {
		c.Digest.Add([]uint64{s})
	}
	opt := evidence.Options{Recount: true}
	if err := (evidence.Count{Machine: machine.Machine, Count: c}).Verify(t.Context(), opt); err != nil {
		t.Error(err)
	}
	err := evidence.Count{Machine: endless{machine.Machine}, Count: c}.Verify(t.Context(), opt)
	if unchecked := new(evidence.UncheckedError); !errors.As(err, &unchecked) {
		t.Errorf("beyond a bound: %v", err)
	}
	text := strings.Replace(texts(t)[1], `"toggle"`, `"lamp"`, 1)
	if e, err := machine.Read("c", []byte(text)); err == nil || !strings.Contains(err.Error(), "it is for another machine") {
		t.Errorf("a closed set of a lamp is read as %v of a toggle: %v", e, err)
	}
}

// TestFiles: which files of a folder are the subject and its evidence.
func TestFiles(t *testing.T) {
	for _, tt := range []struct {
		files, want string // a name that ends with / is a folder
		wrong       bool
	}{
		{"machine.json deadlock-freedom.unknot README", "machine.json: deadlock-freedom.unknot; ", false},
		{"network.json a.unknot b.unknot below/ picture.svg", "network.json: a.unknot b.unknot; below", false},
		{"a.unknot", ": a.unknot; ", true},
		{"network.json", "network.json: ; ", true},
	} {
		dir := t.TempDir()
		for _, name := range strings.Fields(tt.files) {
			err := os.Mkdir(filepath.Join(dir, name), 0o700)
			if !strings.HasSuffix(name, "/") {
				err = errors.Join(os.Remove(filepath.Join(dir, name)), os.WriteFile(filepath.Join(dir, name), nil, 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		subject, files, below, err := evidence.Files(dir)
		got := strings.ReplaceAll(subject+": "+strings.Join(files, " ")+"; "+strings.Join(below, " "), dir+string(filepath.Separator), "")
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.wrong {
			t.Errorf("%s: %v\n%s", tt.files, err, diff)
		}
	}
}

// TestPartsOfAFolder: what one part lacks is reported for it, not for the
// next.
func TestPartsOfAFolder(t *testing.T) {
	network, _ := subjects(t)
	var closed, measure bytes.Buffer
	if err := spec.WriteClosed(&closed, network.Network); err != nil {
		t.Fatal(err)
	}
	certificate := &proofs.Certificate{Network: network.Digest, Property: spec.LivelockFreedom, Kind: proofs.Measure, Measure: []int32{1, 0, 0, 1, 1, 0}}
	if err := write.Certificate(&measure, certificate); err != nil {
		t.Fatal(err)
	}
	part := func(subject, file string) evidence.Part {
		return evidence.Part{Subject: subject, Digest: network.Digest.String(), Property: "livelock-freedom", Verdict: "holds", Evidence: file}
	}
	f := folder(t, map[string]string{"network": closed.String(), "garbage": "{", "measure": measure.String(),
		"none": texts(t)[6], "cut": "unknot-trace 2\n"}, part("network", "measure"))
	for _, tt := range []struct{ subject, file, want string }{
		{"network", "measure", ""},
		{"garbage", "measure", "garbage:1:"},
		{"network", "measure", ""}, // a subject read before is read again
		{"missing", "measure", "no such file"},
		{"network", "missing", "no such file"},
		{"network", "none", "may still take"},
		{"network", "cut", "cut:2:"},
	} {
		f.Answer.Parts[0] = part(tt.subject, tt.file)
		_, _, err := f.Check(t.Context(), 0, evidence.Options{})
		if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || errors.As(err, new(*evidence.PanicError))) {
			t.Errorf("%s of %s: %v, want %q", tt.file, tt.subject, err, tt.want)
		}
	}
}
