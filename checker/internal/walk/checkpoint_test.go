package walk

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// of is the identity of a test's machine and question.
func of(machine, question string) []Part { return []Part{{"machine", machine}, {"question", question}} }

// checkpointOf explores some states of a machine and returns the checkpoint.
func checkpointOf(t testing.TB, m Machine, opt Options) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "walk")
	opt.Checkpoint.Save = file
	space, _, err := Explore(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	space.Release()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sealed is a text with a correct checksum.
func sealed(text []byte) []byte {
	text = slices.Clone(text)
	if n := len(text) - sha256.Size; n >= 0 {
		sum := sha256.Sum256(text[:n])
		copy(text[n:], sum[:])
	}
	return text
}

// TestCheckpointRefused: a damaged or foreign checkpoint is refused, in one line
// that says what is wrong with it.
func TestCheckpointRefused(t *testing.T) {
	m := counter(4, 6)
	text := checkpointOf(t, m, Options{MaxStates: 500, Checkpoint: Checkpoint{Identity: of("a", "b")}})
	file := filepath.Join(t.TempDir(), "walk")
	try := func(name, want string, text []byte, id []Part) {
		t.Helper()
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, r, err := Explore(context.Background(), m, Options{Checkpoint: Checkpoint{Resume: file, Identity: id}})
		var refused *CheckpointError
		if !errors.As(err, &refused) {
			t.Errorf("%s: accepted: %+v, %v", name, r, err)
			return
		}
		if msg := err.Error(); !strings.Contains(msg, want) || strings.Contains(msg, "\n") {
			t.Errorf("%s: refused with %q, want a line with %q", name, msg, want)
		}
	}
	ours := of("a", "b")
	try("another machine", "checkpoint "+file+" is for another machine", text, of("x", "b"))
	try("another question", "is for another question", text, of("a", "x"))
	try("both", "is for another machine", text, of("x", "y"))
	try("more parts", "is for another more", text, append(of("a", "b"), Part{"more", ""}))
	try("fewer parts", "is for another kind", text, ours[:1])
	try("a value that forges a part", "is for another machine", text, []Part{{"machine", "a\"\n\"question\" \"b"}})
	try("a walk on disk", "is for another kind of exploration", saved(t, OnDisk, ours), ours)
	try("something else", "is not a checkpoint", []byte("#!/bin/sh\n"), ours)
	try("empty", "is not a checkpoint", nil, ours)
	try("longer", "is damaged", append(slices.Clone(text), 0), ours)
	for cut := 1; cut < len(text); cut += 997 {
		try("cut", "", text[:len(text)-cut], ours)
	}
	for i := 0; i < len(text); i += 101 {
		flipped := slices.Clone(text)
		flipped[i] ^= 4
		try(fmt.Sprintf("byte %d flipped", i), "", flipped, ours)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Explore(context.Background(), m, Options{Checkpoint: Checkpoint{Resume: file, Identity: ours}}); err == nil {
		t.Error("a folder was resumed")
	}
}

// saved is a checkpoint of another walk, without a body.
func saved(t *testing.T, kind Kind, id []Part) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := WriteCheckpoint(&text, kind, id, func(*bufio.Writer) {}); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestOtherFormats: whatever another unknot has saved is refused by the name of its format, which says how old it is.
// Up to number 7 walks on disk and in shards had formats of their own.
func TestOtherFormats(t *testing.T) {
	for line, want := range map[string]string{
		"unknot-checkpoint 1":  "was written by an older unknot in format \"unknot-checkpoint 1\"; this one reads \"unknot-checkpoint 9\"",
		"unknot-checkpoint 7":  "was written by an older unknot in format \"unknot-checkpoint 7\"; this one reads \"unknot-checkpoint 9\"",
		"unknot-checkpoint 10": "was written by a newer unknot in format \"unknot-checkpoint 10\"; this one reads \"unknot-checkpoint 9\"",
		"unknot-disk 2":        "was written by an older unknot in format \"unknot-disk 2\"; this one reads \"unknot-checkpoint 9\"",
		"unknot-shards 1":      "was written by an older unknot in format \"unknot-shards 1\"; this one reads \"unknot-checkpoint 9\"",
		"unknot-checkpoint":    "is not a checkpoint",
		"unknot-checkpoint 9a": "is not a checkpoint",
		"unknot-results 3":     "is not a checkpoint",
		"{}":                   "is not a checkpoint",
		"":                     "is not a checkpoint",
	} {
		text := bytes.Replace(saved(t, InMemory, nil), []byte(strings.TrimSuffix(formatLine, "\n")), []byte(line), 1)
		if _, err := OpenCheckpoint(bytes.NewReader(text), int64(len(text))); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

// fullDisk takes some bytes and then no more.
type fullDisk struct{ left int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, errors.New("no space left on device")
	}
	f.left -= len(p)
	return len(p), nil
}

func (f *fullDisk) Close() error { return nil }

// TestDiskFull: a checkpoint that cannot be written, during the walk or at its end, costs the
// walk nothing but a warning.
func TestDiskFull(t *testing.T) {
	m := counter(6, 8)
	const want = "checkpoint somewhere could not be saved: no space left on device"
	full := Checkpoint{Save: "somewhere", Every: time.Nanosecond, create: func(string) (io.WriteCloser, error) { return &fullDisk{1000}, nil }}
	noted := ""
	_, r, err := Explore(context.Background(), m, Options{Checkpoint: full, Progress: func(p states.Progress) { noted = p.Note }})
	if err != nil || r.Reason != Complete || r.States != 262144 || r.Unsaved == nil || r.Unsaved.Error() != want {
		t.Errorf("%+v, %v", r, err)
	}
	if noted != "" && noted != want {
		t.Errorf("noted %q, want %q", noted, want)
	}
	full.Every = 0
	_, r, err = Explore(context.Background(), m, Options{MaxStates: 1000, Inspect: flagHalts, Checkpoint: full})
	if err != nil || r.Reason != OutOfStates || r.States < 1000 || r.Unsaved == nil || r.Unsaved.Error() != want {
		t.Errorf("the last one fails: %+v, %v", r, err)
	}
	// The disk fills up, and then there is room again: nothing is lost.
	tries := 0
	again := Checkpoint{Save: "somewhere", Every: time.Nanosecond, create: func(string) (io.WriteCloser, error) {
		if tries++; tries == 1 {
			return nil, errors.New("no space left on device")
		}
		return &fullDisk{1 << 30}, nil
	}}
	if _, r, err = Explore(context.Background(), m, Options{Checkpoint: again}); err != nil || r.Unsaved != nil || tries < 2 {
		t.Errorf("after %d tries: %+v, %v", tries, r, err)
	}
}

// TestSaving: the lock is held while a checkpoint is written, and at no other time.
func TestSaving(t *testing.T) {
	var saving sync.Mutex
	free := func() bool {
		ok := saving.TryLock()
		if ok {
			saving.Unlock()
		}
		return ok
	}
	saves := 0
	c := Checkpoint{Save: "somewhere", Every: time.Nanosecond, Saving: &saving, create: func(string) (io.WriteCloser, error) {
		if saves++; free() {
			t.Error("a save without the lock")
		}
		return &fullDisk{1 << 30}, nil
	}}
	inspect := func([]uint64, int) Flags {
		if !free() {
			t.Error("the lock is held while states are visited")
		}
		return 0
	}
	if _, _, err := Explore(context.Background(), counter(4, 8),
		Options{MaxStates: 3000, Inspect: inspect, Workers: 1, Checkpoint: c}); err != nil || saves == 0 || !free() {
		t.Errorf("%d saves, free afterwards: %v; %v", saves, free(), err)
	}
}

// counted counts expanded states.
type counted struct {
	Machine
	expanded int
}

func (c *counted) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	c.expanded++
	return c.Machine.AppendSuccessors(dst, s)
}

// TestCheckpointPath: a path that cannot be written is refused before anything is explored, and
// nothing is left behind; of two walks that save to one path the second is refused, until the
// first has ended.
func TestCheckpointPath(t *testing.T) {
	dir := t.TempDir()
	m := &counted{Machine: counter(3, 6)}
	explore := func(path string) error {
		_, _, err := Explore(context.Background(), m, Options{MaxStates: 20, Checkpoint: Checkpoint{Save: path}})
		return err
	}
	bad := map[string]string{
		"a folder that is not there":      filepath.Join(dir, "missing", "walk"),
		"a folder":                        dir,
		"a device":                        os.DevNull,
		"a file in the place of a folder": filepath.Join(os.Args[0], "walk"),
	}
	if locked := filepath.Join(dir, "locked"); os.Getuid() != 0 && os.Mkdir(locked, 0o500) == nil {
		bad["a folder that cannot be written"] = filepath.Join(locked, "walk")
	}
	for name, path := range bad {
		var refused *CheckpointError
		if err := explore(path); !errors.As(err, &refused) || refused.File != path || m.expanded > 0 {
			t.Errorf("%s: %v after %d states", name, err, m.expanded)
		}
	}
	os.Remove(filepath.Join(dir, "locked"))
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("%v was left", files)
	}
	file := filepath.Join(dir, "walk")
	if err := os.WriteFile(filepath.Join(dir, ".walk.123.part"), nil, 0o600); err != nil { // of a killed run
		t.Fatal(err)
	}
	var within error
	inspect := func([]uint64, int) Flags {
		if within == nil {
			within = explore(file)
		}
		return 0
	}
	if _, _, err := Explore(context.Background(), counter(3, 6), Options{MaxStates: 20, Inspect: inspect, Checkpoint: Checkpoint{Save: file}}); err != nil {
		t.Fatal(err)
	}
	if within == nil || !strings.Contains(within.Error(), "another process is writing it") {
		t.Errorf("a second walk saves to the same file: %v", within)
	}
	if err := explore(file); err != nil {
		t.Errorf("after the first walk has ended: %v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 || files[0].Name() != "walk" {
		t.Errorf("the folder holds %v, want the checkpoint", files)
	}
}

// forms are machines of each form in which a space keeps its states.
func forms() []*maze {
	var all []*maze
	for _, gap := range []uint64{1, 1 << 20, 1 << 33, 1 << 57, 1 << 63} { // marks, quotients of 32, 45 and 69 bits, numbers
		m := counter(4, 7)
		m.layout.Field("gap", gap)
		all = append(all, m)
	}
	return all
}

// FuzzCheckpoint: a text whose checksum is right, whatever it holds, is refused, or a walk
// continues from it, within the layout and without a panic, and reconstructs its
// trails.
func FuzzCheckpoint(f *testing.F) {
	machines := forms()
	for which := range machines {
		for _, compact := range []bool{false, true} {
			f.Add(checkpointOf(f, machines[which], Options{MaxStates: 60, Compact: compact, Inspect: flagHalts}), uint8(which), compact)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8, compact bool) {
		m := within{machines[int(which)%len(machines)], t}
		file := filepath.Join(t.TempDir(), "walk")
		if err := os.WriteFile(file, sealed(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var space *Space
		var r *Result
		var err error
		costtest.Within(t, len(text), func() {
			space, r, err = Explore(context.Background(), m,
				Options{Compact: compact, Inspect: flagHalts, MaxStates: 5000, Checkpoint: Checkpoint{Resume: file}})
		})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("refused in several lines: %v", err)
			}
			return
		}
		defer space.Release()
		if r.Expanded > r.States || r.Flagged[0] > r.Expanded {
			t.Errorf("counts that cannot be: %+v", r)
		}
		if r.Flagged[0] > 0 {
			_, _ = space.Trail(t.Context(), m, r.First[0]) // it may fail, but then with an error
		}
	})
}

// within fails when it is given words that are not a state.
type within struct {
	*maze
	t testing.TB
}

func (m within) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, f := range m.layout.Fields() {
		if f.Of(s) >= f.Values {
			m.t.Errorf("asked about %v, where %s is %d", s, f.Name, f.Of(s))
		}
	}
	return m.maze.AppendSuccessors(dst, s)
}

// TestForged: the contents of a checkpoint are checked even if its checksum is right,
// one lie at a time.
func TestForged(t *testing.T) {
	lies := map[string]func(w *walk, sh *shard){
		"":                            func(*walk, *shard) {},
		"a state is out of range":     func(w *walk, sh *shard) { w.space.outOfRange(w.m.Layout(), sh) },
		"a state has no parent":       func(w *walk, sh *shard) { sh.entryAt(0)[sh.entry-1] = 1 << 31 },
		"a state is in the wrong":     func(w *walk, sh *shard) { copy(sh.entryAt(0), elsewhere(w, sh)) },
		"its checksum differs":        func(w *walk, sh *shard) { w.result.Expanded++ }, // so less of the queue follows
		"its counts are impossible ":  func(w *walk, sh *shard) { w.result.Flagged[0] = -1 },
		"its counts are impossible  ": func(w *walk, sh *shard) { w.result.Flagged[0], w.result.First[0] = 1, 1<<32-1 },
		"its levels are impossible":   func(w *walk, _ *shard) { w.level = w.queue.end + 1 },
		"its levels are impossible ":  func(w *walk, _ *shard) { w.result.Expanded = w.queue.end + 1 },
		"its queue is impossible":     func(w *walk, _ *shard) { w.queue.entryAt(w.queue.first)[0] = 1<<32 - 1 },
		"its queue is impossible ":    func(w *walk, _ *shard) { w.queue.entryAt(w.queue.first)[0] = w.queue.entryAt(w.queue.first + 1)[0] },
		"stores states in another ":   func(w *walk, sh *shard) { w.space.compact = true },
	}
	for _, m := range forms() {
		for lie, tell := range lies {
			w, err := newWalk(m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.begin(); err != nil {
				t.Fatal(err)
			}
			w.opt.MaxStates = 60
			if err := w.run(context.Background()); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(w.space.shards[:], func(sh shard) bool { return sh.count > 1 })
			tell(w, &w.space.shards[i])
			var text bytes.Buffer
			if err := w.encode(&text); err != nil {
				t.Fatal(err)
			}
			reader, err := newWalk(m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			err = reader.decode(&text, int64(text.Len()))
			if lie == "" && err != nil || lie != "" && (err == nil || !strings.Contains(err.Error(), strings.TrimSpace(lie))) {
				t.Errorf("%d bits: %v, want %q", m.layout.Bits(), err, lie)
			}
		}
	}
}

// outOfRange makes the first state of a shard invalid in the layout.
func (s *Space) outOfRange(l *states.Layout, sh *shard) {
	tables, ok := s.form.(*quotientTables)
	if !ok {
		sh.entryAt(0)[0] |= 7 // the first digit is below 7
		return
	}
	check := NewStateCheck(l)
	shard := slices.IndexFunc(s.shards[:], func(other shard) bool { return other.count > 0 && &other.blocks[0][0] == &sh.blocks[0][0] })
	for y := uint64(0); check.Holds(s.State(nil, idOf(shard, 0))); y++ {
		slot, _ := tables.tables[shard].insert(y)
		sh.entryAt(0)[0] = uint32(slot)
	}
}

// elsewhere is a state of another shard.
func elsewhere(w *walk, sh *shard) []uint32 {
	if _, ok := w.space.form.(*quotientTables); ok { // a shard's table has no states of others; here one occurs twice
		return sh.entryAt(1)
	}
	for i := range w.space.shards {
		if other := &w.space.shards[i]; other != sh && other.count > 0 {
			return other.entryAt(0)
		}
	}
	return nil
}
