package examples_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/models/examples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// lesson returns the file of a protocol, which is named without its number in the course.
func lesson(t *testing.T, name string) (file string, text []byte) {
	t.Helper()
	files := glob(t, "protocols/[0-9][0-9]_"+name+".star")
	if len(files) != 1 {
		t.Fatalf("%d examples %s", len(files), name)
	}
	return files[0], read(t, files[0])
}

// protocol loads an example after an edit: old, new, old, new, ... in its text.
func protocol(t *testing.T, name string, set map[string]string, edit ...string) *program.Program {
	t.Helper()
	file, text := lesson(t, name)
	for i := 0; i < len(edit); i += 2 {
		if bytes.Count(text, []byte(edit[i])) != 1 {
			t.Fatalf("%s has not one %q", name, edit[i])
		}
		text = bytes.Replace(text, []byte(edit[i]), []byte(edit[i+1]), 1)
	}
	f, err := star.Load(context.Background(), file, text, star.Options{Set: set,
		Open: func(name string) ([]byte, error) { return fs.ReadFile(examples.Files(), "protocols/"+name) }})
	if err != nil {
		t.Fatal(err)
	}
	return f.Program
}

func explored(t *testing.T, p *program.Program) *checker.Result {
	t.Helper()
	return exploredWith(t, p, checker.Question{Explore: checker.Whole, Liveness: len(p.Responses)+len(p.Formulas) > 0})
}

func exploredWith(t *testing.T, p *program.Program, opt checker.Question) *checker.Result {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Explore(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// violated lists the properties that do not hold.
func violated(r *checker.Result) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Verdict == spec.Violated {
			out = append(out, f.Property)
		}
	}
	return out
}

type counts struct{ States, Transitions int64 }

// TestProtocols: each file has the verdicts that it expects, no rule that is never possible,
// at most the lines that it may have, and the counts of an independent source: of the models
// in testdata, written by hand in Promela, or for Peterson and two-phase commit of CMurphi and
// TLC (see package textbook).
func TestProtocols(t *testing.T) {
	want := map[string]struct {
		counts
		lines int // at most; 0: any number
	}{
		"variable": {counts{4, 4}, 0},
		// While the lock is free, each of three is idle or wants it; else one is critical, and
		// two are idle or want it. Then all have one step, except those that want the lock
		// while it is taken: they have none.
		"rule": {counts{8 + 3*4, 8*3 + 3*4 + 3*4}, 0},
		// Of four jobs 4-w are begun, up to three of them not done: of w=4 1, 3 1+3, 2 1+3+3, 1 and 0 8 each.
		// Steps are free servers of 1 <= w, and busy ones.
		"choice": {counts{1 + 4 + 7 + 8 + 8, 3 + 9 + 12 + 12 + 3 + 9 + 12 + 12}, 0},
		// What is expected, and 0 to 3 messages: one more, unless there are 3, and one less, unless there is none.
		"fifo":     {counts{3 * 4, 3*3 + 3*3}, 0},
		"fairness": {counts{2 * 4, 8 + 2*4}, 0}, // the client whose turn it is is served or skipped; one that does not ask may ask
		// Any of four read, or one of them writes.
		"symmetry":               {counts{16 + 4, 32 + 4 + 32 + 4}, 0},
		"philosophers":           {counts{34, 88}, 0},
		"dekker":                 {counts{32, 54}, 0},
		"peterson":               {counts{882, 3 * 882}, 20},
		"token_ring":             {counts{96, 272}, 0},
		"alternating_bit":        {counts{192, 558}, 0},
		"two_phase_commit":       {counts{288, 1145}, 30},
		"two_phase_commit_crash": {counts{459, 1502}, 0},
		"msi":                    {counts{2770, 6939}, 50},
		"mesi":                   {counts{2685, 7086}, 0},
		"requests":               {counts{22495, 104430}, 0},
		"strong_fairness":        {counts{8 + 3*4, 8*3 + 3*4 + 3*4}, 0}, // as "rule"
		"go_back_n":              {counts{2673, 10611}, 0},
		// 302 states are those that TLC finds in ewd840 of tlaplus/Examples; Rumur finds both figures in spec/murphi/testdata,
		// see TestRumurAgrees of package murphi.
		"initial_states": {counts{302, 1625}, 0},
		"ltl":            {counts{38, 70}, 0}, // SPIN's, of testdata/lift_ltl.pml with NOCLAIM
	}
	files := glob(t, "protocols/[0-9]*.star")
	if len(files) != len(want) {
		t.Errorf("%d protocols, want %d", len(files), len(want))
	}
	for _, file := range files {
		name := strings.TrimSuffix(file[strings.Index(file, "_")+1:], ".star")
		t.Run(name, func(t *testing.T) {
			p := protocol(t, name, nil)
			r := explored(t, p)
			if diff := cmp.Diff(want[name].counts, counts{r.States, r.Transitions}); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			var expected []string
			for _, f := range r.Findings { // in their order
				for _, x := range p.Expect {
					if x.Property == f.Property && x.Verdict == spec.Violated {
						expected = append(expected, x.Property)
					}
				}
			}
			if diff := cmp.Diff(expected, violated(r)); diff != "" {
				t.Errorf("violated (-want +got):\n%s", diff)
			}
			if !r.Complete {
				t.Errorf("not all states were explored: %s", r.Ended)
			}
			if len(r.Idle) > 0 {
				t.Errorf("never possible: %q", r.Idle)
			}
			_, text := lesson(t, name)
			lines := len(regexp.MustCompile(`(?m)^[^#\n]+$`).FindAll(text, -1))
			if most := want[name].lines; most > 0 && lines > most {
				t.Errorf("%d lines, want at most %d", lines, most)
			}
			spin(t, name, counts{r.States, r.Transitions})
			if len(p.Renamings) == 0 {
				return
			}
			// Values declared symmetric are symmetric: no orbit has more states than there are
			// permutations.
			m, err := p.Machine()
			if err != nil {
				t.Fatal(err)
			}
			o, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Symmetry: true})
			if err != nil {
				t.Fatal(err)
			}
			if o.States >= r.States || o.States*int64(1+len(p.Renamings)) < r.States {
				t.Errorf("%d orbits of %d states", o.States, r.States)
			}
		})
	}
}

// spin counts what SPIN finds in the model of a protocol in testdata, if there is one.
func spin(t *testing.T, name string, want counts) {
	text, err := os.ReadFile(filepath.Join("testdata", name+".pml"))
	if os.IsNotExist(err) || !enginetest.Installed(t, "spin", "cc") {
		return
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.pml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, command := range [][]string{
		{"spin", "-a", "p.pml"},
		{"cc", "-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"},
		{"./pan", "-E", "-c0", "-m200000", "-w18"},
	} {
		c := exec.Command(command[0], command[1:]...)
		c.Dir = dir
		if out, err = c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	figure := func(pattern string) int64 {
		x, err := strconv.ParseInt(string(regexp.MustCompile(pattern).FindSubmatch(out)[1]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	// SPIN counts the initial state among the transitions.
	if got := (counts{figure(`(\d+) states, stored`), figure(`(\d+) transitions`) - 1}); got != want {
		t.Errorf("SPIN finds %+v in testdata, want %+v", got, want)
	}
}

// TestVariantsOfProtocols: sizes that other checkers have published (package textbook),
// and a polite philosopher.
func TestVariantsOfProtocols(t *testing.T) {
	for _, c := range []struct {
		name     string
		set      map[string]string
		states   int64
		violated []string
	}{
		{"two_phase_commit", map[string]string{"managers": "5"}, 8832, nil},
		{"philosophers", map[string]string{"polite": "true"}, 0, nil},
		{"alternating_bit", map[string]string{"size": "1"}, 0, nil},
		// As many numbers as places in the window are one too few; one more is enough.
		{"go_back_n", map[string]string{"window": "3", "numbers": "3", "size": "2"}, 0, []string{states.InRange}},
		{"go_back_n", map[string]string{"window": "3", "numbers": "4", "size": "2"}, 0, nil},
		{"requests", map[string]string{"shared": "true", "most": "1"}, 0, nil}, // three packets do not fill a cycle
		{"requests", map[string]string{"shared": "true"}, 0, []string{"deadlock-freedom"}},
	} {
		r := explored(t, protocol(t, c.name, c.set))
		if c.states > 0 && r.States != c.states {
			t.Errorf("%s %v: %d states, want %d", c.name, c.set, r.States, c.states)
		}
		if diff := cmp.Diff(c.violated, violated(r)); diff != "" {
			t.Errorf("%s %v: violated (-want +got):\n%s", c.name, c.set, diff)
		}
	}
}

// TestProtocolOverNetwork: requests over the ring deadlock as soon as two may be outstanding
// if, and only if, the network with its replies, where requests are unbounded, does.
func TestProtocolOverNetwork(t *testing.T) {
	for _, n := range []string{"2", "3"} {
		for _, shared := range []string{"false", "true"} {
			set := map[string]string{"n": n, "shared": shared}
			r, err := checker.Check(context.Background(), load(t, "protocols/requests_ring", set), checker.Question{Properties: []string{"deadlock-freedom"}})
			if err != nil {
				t.Fatal(err)
			}
			set["most"] = map[string]string{"2": "3", "3": "2"}[n] // which fill both links and both request buffers of two nodes
			m, err := protocol(t, "requests", set).Machine()
			if err != nil {
				t.Fatal(err)
			}
			over, err := checker.Explore(context.Background(), m, checker.Question{})
			if err != nil {
				t.Fatal(err)
			}
			if network, machine := r.Findings[0].Verdict, over.Findings[0].Verdict; network != machine || (network == spec.Violated) != (shared == "true") {
				t.Errorf("%s nodes, shared %s: the network %s, the protocol %s", n, shared, network, machine)
			}
		}
	}
}

// TestMutants: one edit of each protocol violates the property that it should, and a search of
// part of the states shows it.
func TestMutants(t *testing.T) {
	for i, c := range []struct {
		name string
		edit []string
		want []string
	}{
		// The other road gets green too early.
		{"variable", []string{"s.north, s.east = \"red\", \"green\"", "s.east = \"green\""}, []string{"one is red"}},
		// Nobody looks at the lock.
		{"rule", []string{"when(not s.taken, \"the lock is taken\")", "pass"}, []string{"never: two are critical"}},
		// A working server gets a second job.
		{"choice", []string{"for i in servers if not s.busy[i]])\n", "for i in servers])\n"}, []string{"no job is lost"}},
		// A message more than there is room for; messages that overtake each other.
		{"fifo", []string{"when(not s.line.full)", "pass"}, []string{states.InRange}},
		{"fifo", []string{"size = size)", "size = size, unordered = True)"}, []string{states.InRange}},
		// The one served keeps the turn, and may ask again and again.
		{"fairness", []string{"s.asks[i], s.turn = False, 1 - i", "s.asks[i] = False"}, []string{"0 gets an answer", "1 gets an answer"}},
		// One that waits is served if that stays possible, which it does not while others come
		// and go.
		{"strong_fairness", []string{", fair = \"strong\"", ""}, []string{"0 gets in", "1 gets in", "2 gets in"}},
		// A writer checks only for other writers.
		{"symmetry", []string{"all([s.at[k] == \"away\" for k in people]))\n    s.at[i] = \"writes\"",
			"s.at[i] == \"away\" and all([s.at[k] != \"writes\" for k in people]))\n    s.at[i] = \"writes\""}, []string{"one writes, another is there"}},
		// The decision is not on the log.
		{"two_phase_commit_crash", []string{"s.tm = \"down\"\n", "s.tm, s.decision = \"down\", \"none\"\n"}, []string{"one commits, one aborts"}},
		// The transaction manager never comes back: one that is prepared waits forever, the weakness of the
		// protocol.
		{"two_phase_commit_crash", []string{"when(s.tm == \"down\")", "when(False)"},
			[]string{"deadlock-freedom", "manager 0 does not wait", "all commit after a crash"}},
		// The new writer does not wait for the Acks of readers.
		{"mesi", []string{"m.kind == \"M\" and m.acks > 0", "m.kind == \"M\" and m.acks > n"}, []string{"one writer, or readers"}},
		// The owner also keeps the block.
		{"mesi", []string{"\"S\" if m.kind == \"forward S\" else \"I\"", "\"S\""}, []string{"one writer, or readers"}},
		// The owner does not send the block.
		{"mesi", []string{"s.to[m.who].push(kind = m.kind[-1])", "pass"}, []string{"deadlock-freedom"}},
		// The receiver takes a repeated message for a new one.
		{"alternating_bit", []string{"if m.bit == s.expected:", "if True:"}, []string{states.InRange}},
		// The receiver takes every message as new, whatever its number.
		{"go_back_n", []string{"if s.there.pop() == s.expected:", "if s.there.pop() in range(numbers):"}, []string{states.InRange}},
		// The colour of the first node is not looked at.
		{"initial_states", []string{"not s.black[0] and not s.active[0]", "not s.active[0]"}, []string{"what is detected is true"}},
		// The lift turns although somebody waits ahead.
		{"ltl", []string{"and not ahead(s) and any", "and any"}, []string{"0 is served", "1 is served", "2 is served", "at last somewhere"}},
		// The turn is not given away: both wait for it, and one enters again and again.
		{"dekker", []string{"s.turn, s.at[i] = other,", "s.turn, s.at[i] = i,"}, []string{"0 enters", "1 enters"}},
		// The one that should look does not.
		{"dekker", []string{"if not s.wants[other]:", "if True:"}, []string{"never: both are critical"}},
		// The owner continues writing.
		{"msi", []string{"m == \"invalidate\" else \"S\"", "m == \"invalidate\" else \"M\""}, []string{"one writer, or readers"}},
		// The directory does not wait for the Acks of readers: the next request finds a FIFO full.
		{"msi", []string{"s.right == \"S\" or not any", "s.right in (\"S\", \"M\") or not any"}, []string{states.InRange}},
		// A FIFO that is too small: a grant and an invalidation are in transit at once.
		{"msi", []string{"\"M\"], size = 2", "\"M\"], size = 1"}, []string{states.InRange}},
		// Two that yield at once let each other pass.
		{"peterson", []string{"s.claimed[k] < s.stage[i]", "s.claimed[k] <= s.stage[i]"}, []string{"mutual exclusion"}},
		// Forks are taken out of thin air.
		{"philosophers", []string{"when(s.free[fork])", "pass"}, []string{"never: neighbours eat"}},
		// A node answers before it takes the next request, not when it can.
		{"requests", []string{"\"reply\", i)\n    s.held[i] = None", "\"reply\", i)\n    s.held[i] = i"}, []string{states.InRange}},
		// The one that enters sends the token on, not the one that leaves.
		{"token_ring", []string{"s.at[i] = \"critical\"", "s.at[i] = \"critical\"\n        s.to[(i + 1) % n].push(\"token\")",
			"s.at[i] = \"idle\"\n    s.to[(i + 1) % n].push(\"token\")", "s.at[i] = \"idle\""}, []string{"mutual exclusion"}},
		// A manager gives up after it has prepared.
		{"two_phase_commit", []string{"when(s.state[i] == \"working\")\n    s.state[i] = \"aborted\"",
			"when(s.state[i] in (\"working\", \"prepared\"))\n    s.state[i] = \"aborted\""}, []string{"one commits, one aborts"}},
	} {
		if !seedtest.Sampled(i, 8) {
			continue
		}
		p := protocol(t, c.name, nil, c.edit...)
		got := violated(explored(t, p))
		for _, property := range c.want {
			if !strings.Contains(strings.Join(got, "\n"), property) {
				t.Errorf("%s, %q: violated are %q, want %q", c.name, c.edit[1], got, property)
			}
			if slices.ContainsFunc(p.Responses, func(r program.Response) bool { return strings.Contains(r.Name, property) }) ||
				slices.ContainsFunc(p.Formulas, func(f program.Formula) bool { return f.Name == property }) {
				continue // no reduction preserves it
			}
			for _, opt := range []checker.Question{{PartialOrder: true}, {Slice: true}} {
				if got := violated(exploredWith(t, p, opt)); !strings.Contains(strings.Join(got, "\n"), property) {
					t.Errorf("%s, %q, in part, %+v: violated are %q, want %q", c.name, c.edit[1], opt, got, property)
				}
			}
		}
	}
}

// TestLessonOnStrongFairness: the verdict names the fairness that it assumes, and SPIN finds the
// same for a model written by hand, with a formula that states the fairness: a waiting process
// gets in if entering is strongly fair, and need not if it is weakly fair.
func TestLessonOnStrongFairness(t *testing.T) {
	r := explored(t, protocol(t, "strong_fairness", nil))
	f := r.Of("0 gets in")
	if want := "strongly fair, so taken if possible again and again: 0 enters, 1 enters, 2 enters"; !slices.Equal(words.Written(f.Assumptions),
		[]string{want}) {
		t.Errorf("assuming %q, want %q", f.Assumptions, want)
	}
	if f := r.Of("deadlock-freedom"); f.Assumptions != nil {
		t.Errorf("deadlock assuming %q", f.Assumptions)
	}
	if !enginetest.Installed(t, "spin", "cc") {
		return
	}
	spinDecides(t, "strong_fairness_ltl.pml", map[string]bool{"strong": true, "weak": false})
}

// TestLessonOnFormulas: SPIN decides the same formulas of a model written by hand. It asks for no fairness, and none is
// needed: only finitely many calls come before the lift has to move.
func TestLessonOnFormulas(t *testing.T) {
	r := explored(t, protocol(t, "ltl", nil))
	formulas := map[string]bool{}
	for ours, theirs := range map[string]string{"0 is served": "served_0", "1 is served": "served_1", "2 is served": "served_2",
		"not past 1": "passes", "parked until called": "parked", "at last somewhere": "somewhere"} {
		formulas[theirs] = r.Of(ours).Verdict == spec.Holds
	}
	if formulas["somewhere"] || !formulas["served_0"] {
		t.Errorf("%v", formulas)
	}
	if enginetest.Installed(t, "spin", "cc") {
		spinDecides(t, "lift_ltl.pml", formulas)
	}
}

// spinDecides has SPIN decide formulas of a file, by name: whether each holds.
func spinDecides(t *testing.T, file string, formulas map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.pml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(command ...string) []byte {
		c := exec.Command(command[0], command[1:]...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return out
	}
	run("spin", "-a", "p.pml")
	run("cc", "-O0", "-w", "-DNOREDUCE", "-o", "pan", "pan.c")
	for _, name := range slices.Sorted(maps.Keys(formulas)) {
		out := run("./pan", "-a", "-c1", "-N", name)
		if got := bytes.Contains(out, []byte("errors: 0")); got != formulas[name] {
			t.Errorf("SPIN, %s: holds %v, want %v\n%s", name, got, formulas[name], out)
		}
	}
}

// TestLessonOnSymmetry: of the states of four readers, those with equal numbers of
// readers, 0 to 4, are one each, and so are those with a writer.
func TestLessonOnSymmetry(t *testing.T) {
	m, err := protocol(t, "symmetry", nil).Machine()
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Explore(context.Background(), m, checker.Question{Explore: checker.Whole, Symmetry: true})
	if err != nil || r.States != 5+1 {
		t.Errorf("%d orbits (%v), want 6", r.States, err)
	}
}

// TestAlike: exploring one state of each orbit finds as many states of MSI as there are
// classes under permutation of the caches in the texts of states, in names and values. No
// step leads back to the initial state, since entries of the directory's list only grow stale.
func TestAlike(t *testing.T) {
	p := protocol(t, "msi", nil)
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Explore(context.Background(), m, checker.Question{Explore: checker.Whole, Symmetry: true})
	if err != nil {
		t.Fatal(err)
	}
	cache := regexp.MustCompile(`\[[012]\]|=[012]$`)
	least := func(values []int) string {
		best := ""
		for _, perm := range []string{"012", "021", "102", "120", "201", "210"} {
			var fields []string
			for x, v := range p.Variables {
				if v.Values == 1 {
					continue // the variable of an error, which names no cache
				}
				text := v.Name + "=" + strconv.Itoa(values[x])
				if v.Names != nil {
					text = v.Name + "=" + v.Names[values[x]]
				}
				fields = append(fields, cache.ReplaceAllStringFunc(text, func(s string) string {
					i := strings.IndexAny(s, "012")
					return s[:i] + string(perm[s[i]-'0']) + s[i+1:]
				}))
			}
			slices.Sort(fields)
			if text := strings.Join(fields, "\n"); best == "" || text < best {
				best = text
			}
		}
		return best
	}
	classes := map[string]bool{}
	seen := map[string]bool{}
	for queue := [][]int{p.Start()}; len(queue) > 0; queue = queue[1:] {
		classes[least(queue[0])] = true
		steps, err := programtest.Steps(p, queue[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			if key := string(intsToRunes(s.After)); !seen[key] {
				seen[key] = true
				queue = append(queue, s.After)
			}
		}
	}
	if r.States != int64(len(classes)) || len(seen) != 2770-1 {
		t.Errorf("%d orbits, want %d of %d states", r.States, len(classes), len(seen))
	}
}

func intsToRunes(values []int) []rune {
	out := make([]rune, len(values))
	for i, v := range values {
		out[i] = rune(v)
	}
	return out
}

// TestProtocolsAreShort: the protocols by which brevity is measured take no more lines of
// code, comments and empty lines not counted, than they were meant to (Murphi's
// directory, without transient states, takes 35).
// TestTwoPhaseCommitOfMany: as many managers as the parameter allows are read and
// compiled; a condition that looks at all of them at once used to exceed a bound at
// nine.
func TestTwoPhaseCommitOfMany(t *testing.T) {
	for _, name := range []string{"two_phase_commit", "two_phase_commit_crash"} {
		most := map[string]string{"two_phase_commit": "16", "two_phase_commit_crash": "8"}[name]
		m, err := protocol(t, name, map[string]string{"managers": most}).Machine()
		if err != nil {
			t.Fatalf("%s of %s: %v", name, most, err)
		}
		r, err := checker.Explore(t.Context(), m, checker.Question{MaxStates: 1000, Closed: -1})
		if err != nil {
			t.Fatalf("%s of %s: %v", name, most, err)
		}
		if f := r.Of("never: one commits, one aborts"); f.Verdict != spec.Unknown {
			t.Errorf("%s of %s: %s after 1,000 states of more than 10^8", name, most, f.Verdict)
		}
	}
}

func TestProtocolsAreShort(t *testing.T) {
	for name, most := range map[string]int{"09_peterson": 20, "12_two_phase_commit": 30, "14_msi": 50} {
		text := read(t, "protocols/"+name+".star")
		lines := 0
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				lines++
			}
		}
		if lines > most {
			t.Errorf("%s: %d lines, want at most %d", name, lines, most)
		}
	}
}
