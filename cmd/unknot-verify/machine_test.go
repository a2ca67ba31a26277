package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// queue is a machine that counts up to 3 by "put" and down by "get"; get is fair.
// It never holds 4, and what is in it gets out unless everything may be put off.
func queue(most int) *program.Program {
	p := program.New("queue")
	x := p.Var("held", 5)
	p.Rule("put", program.Lt(x, most), program.Set(x, program.Add(x, 1))).Unfair = true
	p.Rule("get", program.Lt(0, x), program.Set(x, program.Sub(x, 1)))
	p.Invariant("never 4", program.Ne(x, 4))
	p.Invariant("never 3", program.Ne(x, 3))
	p.Response("3 is left", program.Eq(x, 3))
	return p
}

// machineFolder writes a program and the evidence that exploring it gives; kept
// is the number of states up to which sets are written, less than 0: none.
func machineFolder(t *testing.T, p *program.Program, kept int) (dir string) {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(context.Background(), m, checker.Question{Explore: checker.Whole, Liveness: true, Closed: kept})
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	put := func(name string, f func(io.Writer) error) {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("machine.json", func(w io.Writer) error { return program.WriteClosed(w, p) })
	digest, _ := spec.ParseDigest(x.Digest)
	for _, f := range x.Findings {
		put(strings.ReplaceAll(f.Property, " ", "-"), func(w io.Writer) error {
			if f.Evidence != nil {
				return write.Evidence(w, f.Evidence)
			}
			return write.Count(w, &machines.Count{Machine: m.Name(), Property: f.Property, States: x.States,
				Transitions: x.Transitions, Digest: machines.SetDigest(digest)})
		})
	}
	return dir
}

// TestMachines: evidence about a program is accepted for the program, and
// rejected for one that differs in a single number, whatever its name.
func TestMachines(t *testing.T) {
	right, counted := machineFolder(t, queue(3), 0), machineFolder(t, queue(3), -1)
	more := machineFolder(t, queue(4), 0)
	less := machineFolder(t, queue(2), -1)
	in := func(dir string, names ...string) []string {
		for i, name := range names {
			names[i] = filepath.Join(dir, name)
		}
		return names
	}
	damaged := func(from, old, new string) string {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %q:\n%s", from, old, text)
		}
		name := filepath.Join(t.TempDir(), "damaged")
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	machine := filepath.Join(right, "machine.json")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"closed sets", in(right, "machine.json", "deadlock-freedom", "never-4"), exitVerified, "VERIFIED: never 4 holds (closed set of 4 states) of queue\n"},
		{"a ranking", in(right, "machine.json", "3-is-left"), exitVerified, "VERIFIED: 3 is left holds (ranking of 4 states)"},
		{"a run", in(right, "machine.json", "never-3"), exitVerified, "VERIFIED: never 3 violated (broken, trace of 3 steps)"},
		{"counts, not asked for", in(counted, "machine.json", "deadlock-freedom"), exitUnchecked, "UNCHECKED: "},
		{"counts", append([]string{"--recount"}, in(counted, "machine.json", "deadlock-freedom", "never-4")...),
			exitVerified, "VERIFIED: never 4 holds (4 states visited again)"},

		{"a closed set of another machine",
			[]string{filepath.Join(more, "machine.json"), filepath.Join(right, "never-4")}, exitRejected,
			"lacks the state held=4"},
		{"a ranking of another machine", []string{filepath.Join(more, "machine.json"), filepath.Join(right, "3-is-left")}, exitRejected, "lacks the state"},
		{"a run of another machine", []string{machine, filepath.Join(more, "never-4")}, exitRejected, `"put" is not possible`},
		{"a count of another machine", []string{"--recount", machine, filepath.Join(less, "deadlock-freedom")},
			exitRejected, "more states are reachable than the 3"},
		{"a machine of another name",
			[]string{damaged(machine, `"name":"queue"`, `"name":"heap"`), filepath.Join(right, "never-4")},
			exitRejected, "another machine"},
		{"a closed set for another property",
			[]string{machine, damaged(filepath.Join(right, "never-4"), "never 4", "never 3")}, exitRejected,
			`"never 3" is violated`},
		{"a count for another property",
			[]string{"--recount", machine, damaged(filepath.Join(counted, "never-4"), "never 4", "never 3")},
			exitRejected, `in held=3: the invariant "never 3" is violated`},
		{"a closed set for a response",
			[]string{machine, damaged(filepath.Join(right, "never-4"), "never 4", "3 is left")}, exitRejected,
			`no invariant "3 is left"`},
		{"a count for a response",
			[]string{"--recount", machine, damaged(filepath.Join(counted, "never-4"), "never 4", "3 is left")},
			exitRejected, `no invariant "3 is left"`},
		{"a ranking for an invariant",
			[]string{machine, damaged(filepath.Join(right, "3-is-left"), "3 is left", "never 4")}, exitRejected,
			`no response "never 4"`},
		{"a run for another property",
			[]string{machine, damaged(filepath.Join(right, "never-3"), "never 3", "never 4")}, exitRejected,
			`"never 4" holds at the end`},
		{"a digest with a bit changed",
			[]string{"--recount", machine, damaged(filepath.Join(counted, "deadlock-freedom"), "digest ", "digest 0")},
			exitRejected, "want 64 lower-case hexadecimal digits"},
		{"one state less",
			[]string{machine, damaged(filepath.Join(right, "never-4"), "states 4 1\n0\n", "states 3 1\n")},
			exitRejected, "in which the machine begins"},
		{"nothing that helps", []string{machine, damaged(filepath.Join(right, "3-is-left"), `"3 is left"`+"\n", `"3 is left"`+"\n\n")}, exitRejected, ":4:1: "},
		{"a certificate of a network",
			[]string{machine, damaged(filepath.Join(right, "never-4"), "unknot-closed-set 2", "unknot-certificate 2")},
			exitRejected, ":2:1: "},
		{"not a machine", []string{damaged(machine, `"do"`, `"did"`), filepath.Join(right, "never-4")}, exitUsage, `unknown key "did"`},
		{"a machine without evidence", []string{machine}, exitUsage, "usage:"},
		{"a folder without evidence", []string{right}, exitUsage, "machine.json: no evidence (*.unknot)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := run(tt.args, &out, &out); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if !strings.Contains(out.String(), tt.want) {
				t.Errorf("%q does not contain %q", out.String(), tt.want)
			}
			samePlain(t, tt.args, tt.code, out.String())
		})
	}
}

// TestNetworkCounts: counts of a network's traffic are visited again with the
// reference step; what is not so is rejected.
func TestNetworkCounts(t *testing.T) {
	network, _ := evidenceFolder(t, "ring", map[string]string{"n": "4", "variant": "dateline"})
	text, err := os.ReadFile(network)
	if err != nil {
		t.Fatal(err)
	}
	n, err := spec.ReadClosed(context.Background(), network, text)
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(context.Background(), traffic, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	digest, _ := spec.ParseDigest(x.Digest)
	for _, tt := range []struct {
		property string
		states   int64
		code     int
	}{
		{"deadlock-freedom", x.States, exitVerified}, {"delivery", x.States, exitVerified},
		{"deadlock-freedom", x.States + 1, exitRejected}, {"delivery", x.States - 1, exitRejected}, {"livelock-freedom", x.States, exitRejected},
	} {
		file := filepath.Join(t.TempDir(), "count")
		var b bytes.Buffer
		if err := write.Count(&b, &machines.Count{Machine: traffic.Name(), Property: tt.property, States: tt.states,
			Transitions: x.Transitions, Digest: machines.SetDigest(digest)}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run([]string{"--recount", network, file}, &out, &out); code != tt.code {
			t.Errorf("%s, %d states: exit code %d, want %d\n%s", tt.property, tt.states, code, tt.code, &out)
		}
	}
}
