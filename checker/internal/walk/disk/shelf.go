package disk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/lock"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

const mostManifest = 256 << 20 // bytes

// shelf is the folder with the files of a walk.
type shelf struct {
	dir   string
	words int    // of a state
	most  uint32 // states of a block
	hold  *lock.Lock
	made  bool // the folder did not exist before this walk, or before the one that it continues

	asked func(name string, bytes int) error // see tuning.write

	mu      sync.Mutex
	next    int   // number of the next run
	bytes   int64 // of all runs
	peak    int64
	retired []run // runs that the next manifest will not name
	lasting int   // runs below this number have been synced to disk
	named   map[int]bool
}

// diskError is the error of a file that cannot be written: usually the disk is full.
type diskError struct{ err error }

func (e *diskError) Error() string {
	var path *fs.PathError
	if errors.As(e.err, &path) {
		return path.Err.Error()
	}
	return e.err.Error()
}

func (e *diskError) Unwrap() error { return e.err }

func (s *shelf) unreadable(err error) error {
	return &walk.CheckpointError{File: s.dir, Msg: "cannot be read: " + err.Error()}
}

// openShelf takes possession of the folder.
func openShelf(dir string, words int) (*shelf, error) {
	s := &shelf{dir: dir, words: words, most: blockWords}
	unusable := func(why string) error {
		return &walk.CheckpointError{File: dir, Msg: "cannot be used: " + why}
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, unusable((&diskError{err}).Error())
		}
		s.made = true
	case err != nil:
		return nil, unusable((&diskError{err}).Error())
	case !info.IsDir():
		return nil, unusable("want a folder")
	}
	var err error
	if s.hold, err = lock.Acquire(s.manifest()); err != nil {
		return nil, unusable((&diskError{err}).Error())
	}
	return s, nil
}

func (s *shelf) damaged(why string) error {
	return &walk.CheckpointError{File: s.dir, Msg: "is damaged: " + why}
}

func (s *shelf) manifest() string { return filepath.Join(s.dir, "manifest") }

// unfinished names a manifest that is being written, or one whose runs are being removed.
func (s *shelf) unfinished() string { return s.manifest() + ".part" }

// put writes to a file.
func (s *shelf) put(f *os.File, b []byte) error {
	if s.asked != nil {
		if err := s.asked(f.Name(), len(b)); err != nil {
			return &diskError{err}
		}
	}
	n, err := f.Write(b)
	s.mu.Lock()
	s.bytes += int64(n)
	s.peak = max(s.peak, s.bytes)
	s.mu.Unlock()
	if err != nil {
		return &diskError{err}
	}
	return nil
}

func (s *shelf) remove(r run) {
	path := r.path(s.dir)
	if info, err := os.Stat(path); err == nil && os.Remove(path) == nil {
		s.mu.Lock()
		s.bytes -= info.Size()
		s.mu.Unlock()
	}
}

// retire removes runs, once there is a manifest that does not name them.
func (s *shelf) retire(runs ...run) { s.retired = append(s.retired, runs...) }

// garbage returns how many bytes were retired.
func (s *shelf) garbage() (sum int64) {
	for _, r := range s.retired {
		sum += r.Bytes
	}
	return sum
}

// close gives up the folder, leaving what the manifest names, or nothing if that is no longer
// wanted.
func (s *shelf) close(wanted bool) {
	// the renamed manifest still says whose the runs are, in case the process is killed while it removes them
	if !wanted {
		os.Rename(s.manifest(), s.unfinished())
		s.named = map[int]bool{}
	}
	if s.named != nil { // nil if the folder was refused
		s.sweep()
	}
	if !wanted {
		os.Remove(s.unfinished())
	}
	s.hold.Release()
	if !wanted && s.made {
		os.Remove(s.dir) // fails, as it should, if someone else has put a file there
	}
}

// sweep removes the runs that the manifest does not name.
func (s *shelf) sweep() {
	files, _ := os.ReadDir(s.dir) // what cannot be listed stays
	for _, f := range files {
		if n, ok := numberOf(f.Name()); ok && !s.named[n] {
			s.remove(run{Number: n})
		}
	}
}

// name records what the manifest will name, in addition to what it names.
func (s *shelf) name(now *state) {
	for _, r := range now.runs() {
		s.named[r.Number] = true
	}
}

// manifest is the checkpoint of a walk on disk, without its identity.
type manifest struct {
	Words int
	Next  int
	Made  bool `json:",omitempty"` // the walk made the folder
	State state
}

// sealed is the text of a checkpoint whose body is JSON.
func sealed(kind walk.Kind, id []walk.Part, body []byte) ([]byte, error) {
	var text bytes.Buffer
	err := walk.WriteCheckpoint(&text, kind, id, func(b *bufio.Writer) { b.Write(body) })
	return text.Bytes(), err
}

// unseal decodes into v the body of what sealed wrote, or says why it cannot.
func unseal(text []byte, kind walk.Kind, id []walk.Part, v any) error {
	c, err := walk.OpenCheckpoint(bytes.NewReader(text), int64(len(text)))
	if err == nil {
		err = c.Match(kind, id)
	}
	if err != nil {
		return err
	}
	return c.JSON(v)
}

// madeFolder reports whether a manifest, of any walk, says that the walk made the folder.
func madeFolder(text []byte) bool {
	var m manifest
	c, err := walk.OpenCheckpoint(bytes.NewReader(text), int64(len(text)))
	return err == nil && c.JSON(&m) == nil && m.Made
}

// settle syncs to disk all runs that a manifest would name, unless ctx ends.
func (s *shelf) settle(ctx context.Context, now *state) error {
	for _, r := range now.runs() {
		if r.Number < s.lasting {
			continue
		}
		done := make(chan error, 1)
		go func() { done <- s.sync(r) }()
		select {
		case err := <-done:
			if err != nil {
				return &diskError{err}
			}
		case <-ctx.Done(): // a caller that waits for the end need not wait for the disk
			return ctx.Err()
		}
	}
	s.lasting = s.next
	return nil
}

// commit replaces the manifest. lasting syncs it to disk, like what it names (see settle), so
// that it survives a loss of power as well as the end of the process; without that, a loss
// of power may damage the walk.
func (s *shelf) commit(id []walk.Part, now *state, lasting bool) error {
	body, err := json.Marshal(manifest{s.words, s.next, s.made, *now})
	if err != nil {
		return err
	}
	text, err := sealed(walk.OnDisk, id, body)
	if err != nil {
		return err
	}
	part := s.unfinished()
	f, err := os.Create(part)
	if err != nil {
		return &diskError{err}
	}
	err = s.put(f, text)
	s.bytes -= int64(len(text)) // it replaces the old one
	if err == nil && lasting {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, s.manifest())
	}
	if err != nil {
		os.Remove(part)
		return &diskError{err}
	}
	s.named = map[int]bool{}
	s.name(now)
	for _, r := range s.retired {
		s.remove(r)
	}
	s.retired = nil
	return nil
}

// sync syncs a run to disk.
func (s *shelf) sync(r run) error {
	f, err := os.OpenFile(r.path(s.dir), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// restore reads the manifest, or returns nil if there is none, and removes the runs that it does not name.
func (s *shelf) restore(id []walk.Part) (*state, error) {
	refuse := func(why string) (*state, error) {
		return nil, &walk.CheckpointError{File: s.dir, Msg: why}
	}
	text, err := limited.ReadFile(s.manifest(), mostManifest)
	if errors.Is(err, fs.ErrNotExist) {
		files, err := os.ReadDir(s.dir)
		if err != nil {
			return nil, s.unreadable(err)
		}
		text, err := limited.ReadFile(s.unfinished(), mostManifest)
		killed := err == nil // while it began or ended
		for _, f := range files {
			first, isRun := numberOf(f.Name()) // of a walk killed at its very beginning
			if f.Name() != ".manifest.lock" && f.Name() != "manifest.part" && (!isRun || first > 0 && !killed) {
				return refuse("cannot be used: want an empty folder, or one with an unfinished exploration")
			}
		}
		s.made = s.made || madeFolder(text)
		s.sweep()
		return nil, nil
	}
	if err != nil {
		return nil, s.unreadable(err)
	}
	var m manifest
	if err := unseal(text, walk.OnDisk, id, &m); err != nil {
		return refuse(err.Error())
	}
	if m.Words != s.words || !m.State.possible(m.Next) {
		return refuse("is damaged: its manifest is impossible")
	}
	s.next, s.lasting, s.made = m.Next, m.Next, s.made || m.Made
	s.named = map[int]bool{}
	s.name(&m.State)
	s.sweep()
	s.bytes = 0
	for _, r := range m.State.runs() {
		s.bytes += r.Bytes
	}
	s.peak = s.bytes
	return &m.State, nil
}
