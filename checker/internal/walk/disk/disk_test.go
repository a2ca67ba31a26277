package disk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// maze is a random machine: fields of random sizes, and a few rules, each of which adds a
// number to a field if another one has some value.
type maze struct {
	layout states.Layout
	fields []states.Field
	rules  []rule
	starts int
}

type rule struct {
	test, field int
	value, add  uint64
}

func (m *maze) Layout() *states.Layout { return &m.layout }

func (m *maze) Start(dst []uint64) []uint64 {
	for i := range m.starts {
		at := len(dst)
		dst = append(dst, make([]uint64, m.layout.Words())...)
		m.fields[0].Put(dst[at:], uint64(i))
	}
	return dst
}

func (m *maze) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, r := range m.rules {
		if m.fields[r.test].Of(s) != r.value {
			continue
		}
		at := len(dst)
		dst = append(dst, s...)
		f := m.fields[r.field]
		f.Put(dst[at:], (f.Of(s)+r.add)%f.Values)
	}
	return dst, nil
}

// mazes draws machines whose states take from a few bits to several words.
func mazes(t *rapid.T) *maze {
	m := &maze{starts: rapid.IntRange(1, 2).Draw(t, "starts")}
	wide := rapid.IntRange(0, 2).Draw(t, "words")
	for i := range rapid.IntRange(2, 9).Draw(t, "fields") {
		m.fields = append(m.fields, m.layout.Field(fmt.Sprint(i), uint64(rapid.IntRange(2, 7).Draw(t, "values"))))
		if i < wide {
			m.layout.Field("gap", 1<<50) // always 0
		}
	}
	for range rapid.IntRange(1, 12).Draw(t, "rules") {
		test := rapid.IntRange(0, len(m.fields)-1).Draw(t, "test")
		m.rules = append(m.rules, rule{test, rapid.IntRange(0, len(m.fields)-1).Draw(t, "field"),
			uint64(rapid.IntRange(0, int(m.fields[test].Values)-1).Draw(t, "value")), uint64(rapid.IntRange(1, 3).Draw(t, "add"))})
	}
	return m
}

// counter is a machine with width^digits states, each digit of which goes up.
func counter(digits int, width uint64) *maze {
	m := &maze{starts: 1}
	for i := range digits {
		m.fields = append(m.fields, m.layout.Field(fmt.Sprint(i), width))
		for v := range width - 1 {
			m.rules = append(m.rules, rule{i, i, v, 1})
		}
	}
	return m
}

const (
	halts walk.Flags = 1 << iota
	odd
)

// flags flags ends, and other states in an arbitrary way.
func flags(s []uint64, successors int) (f walk.Flags) {
	if successors == 0 {
		f = halts
	}
	h := uint64(1)
	for _, x := range s {
		h = (h ^ x) * 0xd1342543de82ef95
	}
	if h>>58 == 3 {
		f |= odd
	}
	return f
}

// outcome is what both searches must agree on.
type outcome struct {
	Result walk.Result
	Digest machines.SetDigest
	Count  int64
	Ways   [2]int // states on the paths to the first states with a flag
}

// outcomeOf visits all of a space, and checks its trails step by step.
func outcomeOf(t testing.TB, m *maze, s walk.Visited, r *walk.Result) outcome {
	t.Helper()
	o := outcome{Result: *r}
	for part := range 3 {
		if err := s.Each(part, 3, func(state []uint64) bool { o.Digest.Add(state); o.Count++; return true }); err != nil {
			t.Fatal(err)
		}
	}
	words := m.layout.Words()
	for f := range o.Ways {
		if r.Flagged[f] == 0 {
			continue
		}
		trail, err := s.Trail(context.Background(), m, r.First[f])
		if err != nil {
			t.Fatal(err)
		}
		o.Ways[f] = len(trail)
		choices := m.Start(nil)
		for i, state := range trail {
			ok := false
			for ; len(choices) > 0; choices = choices[words:] {
				ok = ok || slices.Equal(choices[:words], state)
			}
			if !ok {
				t.Fatalf("state %d of the way cannot follow", i)
			}
			choices, _ = m.AppendSuccessors(nil, state)
		}
		if got := flags(trail[len(trail)-1], len(choices)/words); got>>f&1 == 0 {
			t.Fatalf("the way to flag %d does not lead there", f)
		}
	}
	return o
}

var alike = cmpopts.IgnoreFields(walk.Result{}, "First", "RefusedAt", "Visited", "Peak", "Disk", "Taken", "Leaves")

func inMemory(t testing.TB, m *maze) outcome {
	t.Helper()
	s, r, err := walk.Explore(context.Background(), m, walk.Options{Workers: 1, Inspect: flags, Leaves: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	return outcomeOf(t, m, s, r)
}

func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "external")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func empty(t testing.TB, dir string) {
	t.Helper()
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		t.Errorf("%s is left", f.Name())
	}
	os.RemoveAll(dir)
}

// TestAgainstMemory: a walk on disk finds what one in memory finds, with paths equally short,
// however little memory and however few runs there are; the folder is empty afterwards.
func TestAgainstMemory(t *testing.T) {
	seedtest.Sample(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		m := mazes(rt)
		want := inMemory(t, m)
		if want.Count > 30_000 {
			return
		}
		dir := folder(t)
		opt := walk.Options{Workers: rapid.IntRange(1, 3).Draw(rt, "workers"), Inspect: flags, Leaves: true}
		tune := tuning{buffer: rapid.SampledFrom([]int{1, 10, 100, 1 << 16}).Draw(rt, "buffer"), runs: rapid.IntRange(2, 5).Draw(rt, "runs")}
		if want.Result.Transitions > 2_000 {
			tune.buffer = 1 << 12
		}
		s, r, err := explore(context.Background(), m, dir, opt, tune)
		if err != nil {
			rt.Fatal(err)
		}
		got := outcomeOf(t, m, s, r)
		s.Release()
		if diff := cmp.Diff(want, got, alike); diff != "" || got.Result.Leaves != want.Result.Leaves {
			rt.Errorf("leaves: %v, in memory %v; in memory (-), on disk (+):\n%s", got.Result.Leaves, want.Result.Leaves, diff)
		}
		empty(t, dir)
	})
}

// TestLeavesInterrupted: that a state had no other one among its successors is known after the walk went on from its
// folder. In each state with a first field of 1 every step leads back.
func TestLeavesInterrupted(t *testing.T) {
	for _, rests := range []bool{true, false} {
		m := counter(4, 5)
		if rests {
			for i := range m.rules {
				m.rules[i].test, m.rules[i].value = 4, 0
			}
			m.fields = append(m.fields, m.layout.Field("rests", 2))
			m.rules = append(m.rules, rule{4, 4, 0, 1}, rule{4, 4, 1, 2})
		}
		dir := folder(t)
		var last *walk.Result
		for _, most := range []int64{100, 0} {
			s, r, err := Explore(t.Context(), m, dir, walk.Options{Workers: 1, MaxStates: most, Leaves: true})
			if err != nil || (r.Reason == walk.OutOfStates) != (most > 0) {
				t.Fatalf("%+v, error %v", r, err)
			}
			last = r
			s.Release()
		}
		if last.Leaves == rests {
			t.Errorf("states that rest: %v, but leaves %v", rests, last.Leaves)
		}
		empty(t, dir)
	}
}

// TestBoundOnStates: a bound on states is met within a level that leads far beyond it, at the same
// state for any number of workers and with little memory; then the walk continues to a higher
// bound, and to the end, and finds what it would have found anyway.
func TestBoundOnStates(t *testing.T) {
	m := &maze{starts: 1} // any digit becomes any other: half of all states are in the last but one of 6 levels
	for i := range 5 {
		m.fields = append(m.fields, m.layout.Field(fmt.Sprint(i), 10))
		m.layout.Field("gap", 1<<60)
		for by := range uint64(9) {
			m.rules = append(m.rules, rule{i, i, 0, by + 1})
		}
	}
	want := inMemory(t, m)
	var stops [2][]int64
	for k, tune := range []tuning{{}, {buffer: 1 << 12, runs: 2}} {
		dir := folder(t)
		opt := walk.Options{Workers: 1 + k, Inspect: flags}
		for _, most := range []int64{20_000, 20_000, 60_000, 80_000} {
			if most > 20_000 && !seedtest.Whole() {
				continue
			}
			opt.MaxStates = most
			s, r, err := explore(context.Background(), m, dir, opt, tune)
			if err != nil {
				t.Fatal(err)
			}
			s.Release()
			if r.Reason != walk.OutOfStates || r.States < most || r.States > most+most/10 {
				t.Errorf("%d workers, a bound of %d: %d states, reason %v", opt.Workers, most, r.States, r.Reason)
			}
			stops[k] = append(stops[k], r.States, r.Expanded, r.Transitions)
		}
		opt.MaxStates = 0
		s, r, err := explore(context.Background(), m, dir, opt, tune)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, outcomeOf(t, m, s, r), alike); diff != "" {
			t.Errorf("in memory (-), on disk (+):\n%s", diff)
		}
		s.Release()
		empty(t, dir)
	}
	if diff := cmp.Diff(stops[0], stops[1]); diff != "" {
		t.Errorf("stops with one worker (-), with two and little memory (+):\n%s", diff)
	}
}

// TestLittleMemory: without the memory for one step, a walk that was saved stays as it was, and a
// folder of somebody else's is refused, not cleared.
func TestLittleMemory(t *testing.T) {
	m, dir, foreign := counter(5, 5), folder(t), t.TempDir()
	run := func(dir string, opt walk.Options) (*Space, *walk.Result, error) {
		opt.Workers, opt.Inspect = 1, flags
		return Explore(t.Context(), m, dir, opt)
	}
	s, cut, err := run(dir, walk.Options{MaxStates: 500})
	if err != nil || cut.Reason != walk.OutOfStates {
		t.Fatal(cut, err)
	}
	s.Release()
	s, poor, err := run(dir, walk.Options{Memory: leastMemory - 1})
	if err != nil || poor.Reason != walk.OutOfMemory || poor.States != cut.States || poor.Expanded != cut.Expanded {
		t.Fatalf("%+v, %v; saved were %d states", poor, err, cut.States)
	}
	s.Release()
	s, r, err := run(dir, walk.Options{MaxStates: 600})
	if err != nil || r.Expanded <= cut.Expanded {
		t.Fatalf("%+v, %v; saved were %d expanded", r, err, cut.Expanded)
	}
	s.Release()
	s, r, err = run(dir, walk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inMemory(t, m), outcomeOf(t, m, s, r), alike); diff != "" {
		t.Errorf("in memory (-), on disk (+):\n%s", diff)
	}
	s.Release()
	empty(t, dir)

	theirs := []string{"manifest", "00000001.run"} // by chance
	for _, name := range theirs {
		if err := os.WriteFile(filepath.Join(foreign, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if s, _, err := run(foreign, walk.Options{Memory: leastMemory - 1}); err == nil {
		s.Release()
		t.Error("a folder of somebody else's is taken")
	}
	for _, name := range theirs {
		if _, err := os.Stat(filepath.Join(foreign, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestFullDisk: wherever the disk is full, the walk ends for that reason without exceeding the
// space; with more space it continues, and finds what it would have found anyway.
func TestFullDisk(t *testing.T) {
	m := counter(5, 5)
	want := inMemory(t, m)
	for i, often := range []time.Duration{0, time.Nanosecond} {
		if !seedtest.Sampled(i, 2) {
			continue // each of these saves waits for the disk
		}
		for room, done := int64(100), false; !done; room += room/2 + 64 {
			dir := folder(t)
			left, full := room, 0
			tune := tuning{buffer: 400, runs: 4, write: func(_ string, bytes int) error {
				if left -= int64(bytes); left < 0 {
					return syscall.ENOSPC
				}
				return nil
			}}
			opt := walk.Options{Workers: 1, Inspect: flags, Checkpoint: walk.Checkpoint{Every: often}}
			for {
				s, r, err := explore(context.Background(), m, dir, opt, tune)
				if err != nil {
					t.Fatal(err)
				}
				if r.Reason == walk.OutOfDisk {
					if r.Full.Error() != "no space left on device" || r.States > want.Result.States {
						t.Fatalf("%v with %d states", r.Full, r.States)
					}
					s.Release()
					left = room << (full + 1)
					full++
					continue
				}
				got := outcomeOf(t, m, s, r)
				s.Release()
				if diff := cmp.Diff(want, got, alike); diff != "" {
					t.Fatalf("room for %d bytes, in memory (-), on disk (+):\n%s", room, diff)
				}
				break
			}
			empty(t, dir)
			done = full == 0
		}
	}
}

// TestFullDiskKeepsLevels: if the disk is full, only the successors of one level are lost, so
// that with room for the rest the walk completes.
func TestFullDiskKeepsLevels(t *testing.T) {
	m := counter(5, 5)
	want := inMemory(t, m)
	dir := folder(t)
	for _, reason := range []walk.Reason{walk.OutOfDisk, walk.Complete} {
		left := 20_000 // bytes, of some 30,000 written in all
		write := func(name string, bytes int) error {
			if filepath.Base(name) == "manifest.part" {
				return nil // there is room where successors were
			}
			if left -= bytes; left < 0 {
				return syscall.ENOSPC
			}
			return nil
		}
		s, r, err := explore(context.Background(), m, dir, walk.Options{Workers: 1, Inspect: flags}, tuning{buffer: 400, runs: 4, write: write})
		if err != nil || r.Reason != reason {
			t.Fatalf("%v, %+v: want reason %v", err, r, reason)
		}
		if reason == walk.Complete {
			if diff := cmp.Diff(want, outcomeOf(t, m, s, r), alike); diff != "" {
				t.Errorf("in memory (-), on disk (+):\n%s", diff)
			}
		}
		s.Release()
	}
	empty(t, dir)
}

// TestInterrupted: a walk interrupted anywhere, and continued, gives the same result.
func TestInterrupted(t *testing.T) {
	m := counter(5, 5)
	want := inMemory(t, m)
	dir := folder(t)
	for every := 50; ; every += every / 4 {
		ctx, cancel := context.WithCancel(context.Background())
		seen := 0
		opt := walk.Options{Workers: 2, Checkpoint: walk.Checkpoint{Every: time.Nanosecond}, Inspect: func(s []uint64, successors int) walk.Flags {
			return flags(s, successors)
		}}
		tune := tuning{buffer: 400, runs: 4, write: func(string, int) error {
			if seen++; seen == every {
				cancel()
			}
			return nil
		}}
		opt.Workers = 1
		s, r, err := explore(ctx, m, dir, opt, tune)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason == walk.Interrupted {
			s.Release()
			continue
		}
		if diff := cmp.Diff(want, outcomeOf(t, m, s, r), alike); diff != "" {
			t.Fatalf("in memory (-), on disk (+):\n%s", diff)
		}
		s.Release()
		break
	}
	empty(t, dir)
}

// killed is what TestKilled explores: 6^7 states.
func killed() *maze { return counter(7, 6) }

func exploreAlone(dir string) {
	opt := walk.Options{Workers: 2, Inspect: flags, Checkpoint: walk.Checkpoint{Every: 20 * time.Millisecond}}
	s, r, err := explore(context.Background(), killed(), dir, opt, tuning{buffer: 1 << 15, runs: 4})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var d machines.SetDigest
	s.Each(0, 1, func(state []uint64) bool { d.Add(state); return true })
	fmt.Println(r.Reason, r.States, r.Expanded, r.Transitions, r.Levels, r.Widest, r.Flagged[:2], d)
	s.Release()
}

// TestKilled: a walk killed again and again gives the same result.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes seconds")
	}
	kills := 3
	if seedtest.Whole() {
		kills = 100
	}
	want := inMemory(t, killed())
	r := &want.Result
	line := fmt.Sprintln(r.Reason, r.States, r.Expanded, r.Transitions, r.Levels, r.Widest, r.Flagged[:2], want.Digest)
	random := rand.New(rand.NewPCG(1, 2))
	for met := 0; met < kills; {
		dir := folder(t)
		for wait := 50; ; wait += 10 { // ever longer, so that each walk completes
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(wait+random.IntN(200))*time.Millisecond)
			c := exec.CommandContext(ctx, os.Args[0]) // which kills it, and not before it is started
			c.Env = append(os.Environ(), "UNKNOT_EXPLORE_IN="+dir)
			out, err := c.Output()
			cancel()
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.Exited() {
				t.Fatalf("%s", out)
			}
			if err != nil {
				met++
				continue
			}
			if string(out) != line {
				t.Fatalf("after %d kills %swant %s", met, out, line)
			}
			break
		}
		empty(t, dir)
	}
}

// interrupted leaves an unfinished walk of counter(5, 5) in the folder.
func interrupted(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	writes := 0
	tune := tuning{buffer: 100, runs: 4, write: func(string, int) error {
		if writes++; writes == 60 {
			cancel()
		}
		return nil
	}}
	s, r, err := explore(ctx, counter(5, 5), dir, walk.Options{}, tune)
	if err != nil || r.Reason != walk.Interrupted {
		t.Fatal(err, r)
	}
	s.Release()
}

// TestKilledAtTheEnd: a walk killed while it removes its files leaves some, in any order. The next
// one starts anew. Files of others, which have no unfinished manifest, stay.
func TestKilledAtTheEnd(t *testing.T) {
	m := counter(5, 5)
	want := inMemory(t, m)
	dir := folder(t)
	interrupted(t, dir)
	runs, err := filepath.Glob(filepath.Join(dir, "*"+runSuffix))
	if err != nil || len(runs) < 2 {
		t.Fatal("want two runs at least", runs, err)
	}
	manifest := filepath.Join(dir, "manifest")
	if err := errors.Join(os.Remove(runs[0]), os.Rename(manifest, manifest+".part")); err != nil {
		t.Fatal(err)
	}
	s, r, err := explore(context.Background(), m, dir, walk.Options{Inspect: flags}, tuning{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, outcomeOf(t, m, s, r), alike); diff != "" {
		t.Errorf("in memory (-), on disk (+):\n%s", diff)
	}
	s.Release()
	empty(t, dir)

	dir = folder(t)
	interrupted(t, dir)
	if err := os.Remove(filepath.Join(dir, "manifest")); err != nil {
		t.Fatal(err)
	}
	var refused *walk.CheckpointError
	if _, _, err := explore(context.Background(), m, dir, walk.Options{}, tuning{}); !errors.As(err, &refused) {
		t.Errorf("runs of unknown origin: want a refusal, got %v", err)
	}
	os.RemoveAll(dir)
}

// TestOlderFolder: a folder that an older unknot saved a walk in is refused by the name of its format, and stays as it is.
func TestOlderFolder(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"manifest": "unknot-disk 2\n0123\n{}", "00000000.run": "states"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := "checkpoint " + dir + ` was written by an older unknot in format "unknot-disk 2"; this one reads "unknot-checkpoint 9"`
	if _, _, err := Explore(t.Context(), counter(3, 4), dir, walk.Options{}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for name, want := range files {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestMadeFolder: a folder that a walk made is removed by the walk that completes, even if another
// process started it, or was killed while removing its files. A folder that existed before
// stays.
func TestMadeFolder(t *testing.T) {
	for _, tt := range []struct{ there, killed bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		dir := filepath.Join(t.TempDir(), "walk")
		if tt.there {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		interrupted(t, dir)
		ctx, cancel := context.WithCancel(context.Background())
		tune := tuning{buffer: 100, runs: 4, write: func(string, int) error { cancel(); return nil }}
		s, r, err := explore(ctx, counter(5, 5), dir, walk.Options{}, tune) // continues, and is interrupted, too
		if err != nil || r.Reason != walk.Interrupted {
			t.Fatal(err, r)
		}
		s.Release()
		if manifest := filepath.Join(dir, "manifest"); tt.killed {
			if err := os.Rename(manifest, manifest+".part"); err != nil {
				t.Fatal(err)
			}
		}
		s, r, err = explore(context.Background(), counter(5, 5), dir, walk.Options{}, tuning{})
		if err != nil || r.Reason != walk.Complete {
			t.Fatal(err, r)
		}
		s.Release()
		if _, err := os.Stat(dir); tt.there != (err == nil) {
			t.Errorf("%+v: at the end: %v", tt, err)
		}
	}
}

// TestMeddling: a run that is lost, or occurs twice, is detected before there is a
// result.
func TestMeddling(t *testing.T) {
	for name, meddle := range map[string]func(*state){
		"successors lost":         func(s *state) { s.Found = s.Found[1:] },
		"successors twice":        func(s *state) { s.Found = append(s.Found, s.Found[0]) },
		"visited states lost":     func(s *state) { s.Visited = s.Visited[1:] },
		"visited states twice":    func(s *state) { s.Visited = append([]run{s.Visited[0]}, s.Visited...) },
		"fewer states than there": func(s *state) { s.Visited[1].States-- },
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			defer os.RemoveAll(dir)
			done := false
			_, _, err := explore(context.Background(), counter(5, 5), dir, walk.Options{}, tuning{buffer: 100, runs: 4, meddle: func(s *state) {
				if len(s.Found) > 1 && !done {
					done = true
					meddle(s)
				}
			}})
			var refused *walk.CheckpointError
			if !done || !errors.Is(err, errLost) && !errors.As(err, &refused) {
				t.Errorf("meddled %t: %v", done, err)
			}
		})
	}
}

// TestDamaged: if any file of a walk to be continued was changed anywhere, cut, or removed,
// that is reported.
func TestDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		if !seedtest.Sampled(i, 11) {
			continue
		}
		dir := folder(t)
		interrupted(t, dir)
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		file := files[random.IntN(len(files))]
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		what := ""
		switch i % 3 {
		case 0:
			text[random.IntN(len(text))] ^= 1 << random.IntN(8)
			what = "changed"
		case 1:
			text = text[:random.IntN(len(text))]
			what = "cut"
		case 2:
			text = append(text, text...)
			what = "doubled"
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err = explore(context.Background(), counter(5, 5), dir, walk.Options{}, tuning{})
		var refused *walk.CheckpointError
		if !errors.As(err, &refused) {
			t.Errorf("%s %s: %v", filepath.Base(file), what, err)
		}
		os.RemoveAll(dir)
	}
}

// TestStrikeTogether: states that two workers look up at once are struck by whichever has
// them. Every state is in one of two runs.
func TestStrikeTogether(t *testing.T) {
	dir := folder(t)
	s, err := openShelf(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(false)
	const states = 1 << 16
	var all []uint64
	var parts [2][]uint64
	for x := range uint64(states) {
		all, parts[x%2] = append(all, x), append(parts[x%2], x)
	}
	var runs []run
	for level, part := range parts {
		out, err := s.writer(level)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.write(part); err != nil {
			t.Fatal(err)
		}
		r, err := out.close()
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	for range 20 {
		visited, err := (&search{shelf: s}).openAll(runs, false)
		if err != nil {
			t.Fatal(err)
		}
		struck := make([]bool, states)
		if err := strikeAll(t.Context(), visited, all, struck, 2); err != nil {
			t.Fatal(err)
		}
		closeAll(visited)
		if i := slices.Index(struck, false); i >= 0 {
			t.Fatalf("state %d was not struck", i)
		}
	}
}
