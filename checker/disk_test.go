package checker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// reported is what an exploration reports that must not depend on where its states are.
type reported struct {
	Space    checker.Space
	Verdicts []string // with the lengths of traces, if those are determined
}

func reportedOf(x *checker.Result) reported {
	r := reported{Space: *x.Space}
	for _, f := range x.Findings {
		text := fmt.Sprint(f.Property, f.Verdict, f.Vacuous, f.Evidence == nil)
		switch run, trace := f.Run(), f.Trace(); {
		case run != nil:
			text += fmt.Sprintf(", %d steps", len(run.Steps))
		case trace != nil && f.Property == "deadlock-freedom":
			text += fmt.Sprintf(", %d moves", len(trace.Moves))
		}
		r.Verdicts = append(r.Verdicts, text)
	}
	return r
}

// TestOnDisk: drawn networks and programs are explored on disk, and by a cluster, exactly as in
// memory: packets, flits and rules; on disk also modulo symmetries and with partial-order
// reduction. Traces, which Explore has replayed, are equally short.
func TestOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "states")
	seen := map[spec.Verdict]int{}
	drawn := func(rt *rapid.T) {
		opt := checker.Question{Explore: checker.Whole, Workers: rapid.IntRange(1, 2).Draw(rt, "workers"), MaxStates: 10_000}
		var m states.Machine
		if rapid.Bool().Draw(rt, "program") {
			p := netgen.Program(rt, rapid.Bool().Draw(rt, "careful"))
			x := rapid.IntRange(0, len(p.Variables)-1).Draw(rt, "one")
			p.Invariant("never", program.Not(program.Eq(program.Var(x), rapid.IntRange(0, p.Variables[x].Values-1).Draw(rt, "value"))))
			machine, err := p.Machine()
			if err != nil {
				rt.Skip(err) // numbers that grow too large
			}
			m = machine
			opt.PartialOrder, opt.Slice = rapid.IntRange(0, 3).Draw(rt, "partial order") == 0, rapid.IntRange(0, 3).Draw(rt, "slice") == 0
		} else {
			n := networkOf(rt, drawnDefinition(rt))
			if n.Tables() == 0 {
				rt.Skip("no traffic")
			}
			sc := netgen.Scenario(rt, n)
			m = trafficOf(rt, n, sc)
			if !sc.Flits() && len(sc.Once) == 0 {
				opt.Symmetry = rapid.IntRange(0, 3).Draw(rt, "symmetry") == 0
				opt.PartialOrder = !opt.Symmetry && rapid.IntRange(0, 3).Draw(rt, "partial order") == 0
			}
		}
		inMemory := explore(rt, m, opt)
		if !inMemory.Complete {
			rt.Skip("too many states, or a value leaves its range")
		}
		want := reportedOf(inMemory)
		same := func(where string, opt checker.Question) {
			got := reportedOf(explore(rt, m, opt))
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(checker.Space{}, "Visited", "Peak", "Whens")); diff != "" {
				rt.Fatalf("in memory (-), %s (+):\n%s", where, diff)
			}
		}
		disk := opt
		disk.Disk = dir
		same("on disk", disk)
		if _, err := os.Stat(dir); err == nil {
			rt.Fatal("the folder is left")
		}
		if !opt.Symmetry && !opt.PartialOrder && !opt.Slice && inMemory.States < 1_000 {
			files := inMap{}
			opt.Cluster = clusterOf(files, rapid.IntRange(1, 3).Draw(rt, "shards"))
			same("on a cluster", opt)
			if len(files) > 0 {
				rt.Fatal("files are left")
			}
		}
		seen[inMemory.Verdict()]++
	}
	seedtest.Few(25, func() { rapid.Check(t, drawn) })
	if seedtest.Usual() && min(seen[spec.Holds], seen[spec.Violated]) < 5 {
		t.Errorf("too tame: %v", seen)
	}
}

// TestDiskOfAnother: a folder with the states of another machine, or with anything else, is
// refused; an exploration cut short by a bound continues to the same result.
func TestDiskOfAnother(t *testing.T) {
	ring, dir := trafficOf(t, ringOf(t, nil), spec.Scenario{}), t.TempDir()
	cut := explore(t, ring, checker.Question{Explore: checker.Whole, Disk: dir, MaxStates: 50})
	if cut.Complete || cut.Verdict() == spec.Holds || cut.Ended.String() != "the limit of 50 states is reached" {
		t.Fatalf("complete %t, %s: %s", cut.Complete, cut.Verdict(), cut.Ended)
	}
	other := trafficOf(t, ringOf(t, map[string]string{"n": "3"}), spec.Scenario{})
	refused := func(m states.Machine, opt checker.Question, want string) {
		t.Helper()
		if _, err := checker.Explore(t.Context(), m, opt); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
	refused(other, checker.Question{Explore: checker.Whole, Disk: dir}, "checkpoint "+dir+" is for another machine: resume it with the command that began it")
	refused(ring, checker.Question{Disk: dir}, "checkpoint "+dir+" is for another question (whole space): resume it with the command that began it")
	refused(ring, checker.Question{Explore: checker.Whole, Disk: dir, Liveness: true}, "liveness and compact storage need the states in memory, not on disk")
	whole := explore(t, ring, checker.Question{Explore: checker.Whole})
	if got := explore(t, ring, checker.Question{Explore: checker.Whole, Disk: dir}); got.States != whole.States ||
		got.Digest != whole.Digest || got.Transitions != whole.Transitions {
		t.Errorf("gone on with: %+v, want %+v", got.Space, whole.Space)
	}
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(ring, checker.Question{Disk: dir}, "checkpoint "+dir+" cannot be used: want an empty folder, or one with an unfinished exploration")
	refused(ring, checker.Question{Disk: mine}, "checkpoint "+mine+" cannot be used: want a folder")
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// TestStoppedOnDisk: an exploration that stops at a violation, in memory, on disk or on a cluster, says that all states were
// explored only if they were, and finds what one of all states finds, with an equally short trace.
func TestStoppedOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "states")
	seen := map[string]int{}
	stopped := func(t rapid.TB, m states.Machine) {
		whole := explore(t, m, checker.Question{Explore: checker.Whole, MaxStates: 10_000, Properties: []string{"never"}})
		if !whole.Complete || whole.Verdict() != spec.Violated {
			return
		}
		for _, c := range []struct {
			where string
			opt   checker.Question
		}{{"in memory", checker.Question{}}, {"on disk", checker.Question{Disk: dir}}, {"on a cluster", checker.Question{Cluster: clusterOf(inMap{}, 2)}}} {
			c.opt.Properties = []string{"never"}
			x := explore(t, m, c.opt)
			if all := strings.Contains(x.Ended.String(), "all states had been explored"); all && x.Expanded != whole.States {
				t.Errorf("%s: %s, but %d of %d were", c.where, x.Ended, x.Expanded, whole.States)
			} else if all || strings.Contains(x.Ended.String(), "not counted") {
				seen[fmt.Sprint(c.where, ", all: ", all)]++
			}
			if x.States > whole.States || x.Expanded > x.States {
				t.Errorf("%s: %d states, %d expanded, but there are %d", c.where, x.States, x.Expanded, whole.States)
			}
			all := reportedOf(whole).Verdicts
			for i, was := range reportedOf(x).Verdicts {
				if x.Findings[i].Verdict != spec.Unknown && was != all[i] {
					t.Errorf("%s: %s, but %s of all states", c.where, was, all[i])
				}
			}
		}
	}
	count := program.New("count to 5") // 2 is the third of six states
	g := count.Var("g", 6)
	count.Rule("up", program.Lt(g, 5), program.Set(g, program.Add(g, 1)))
	count.Invariant("never", program.Ne(g, 2))
	count.Final = program.Eq(g, 5)
	machine, err := count.Machine()
	if err != nil {
		t.Fatal(err)
	}
	stopped(t, machine)
	seedtest.Few(25, func() {
		rapid.Check(t, func(rt *rapid.T) {
			p := netgen.Program(rt, true)
			x := rapid.IntRange(0, len(p.Variables)-1).Draw(rt, "one")
			p.Invariant("never", program.Not(program.Eq(program.Var(x), rapid.IntRange(0, p.Variables[x].Values-1).Draw(rt, "value"))))
			m, err := p.Machine()
			if err != nil {
				rt.Skip(err) // numbers that grow too large
			}
			stopped(rt, m)
		})
	})
	for _, what := range []string{"in memory, all: true", "on disk, all: false"} {
		if seedtest.Usual() && seen[what] == 0 {
			t.Errorf("the drawn programs test nothing: %v", seen)
		}
	}
	t.Log(seen)
}
