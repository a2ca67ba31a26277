package walk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/lock"
	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
)

// target is the file that checkpoints are saved to. It belongs to this process alone
// until it is closed.
type target struct {
	path string // of the file itself, not of a link to it
	lock *lock.Lock
}

const partSuffix = ".part"

// openTarget locks the file for checkpoints and checks that it can be written.
func openTarget(name string) (*target, error) {
	path := name
	if linked, err := filepath.EvalSymlinks(name); err == nil {
		path = linked
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &CheckpointError{name, "cannot be written: it is not a regular file"}
	}
	l, err := lock.Acquire(path)
	if err != nil {
		return nil, &CheckpointError{name, "cannot be written: " + cause(err).Error()}
	}
	t := &target{path, l}
	t.sweep()
	if err := t.try(); err != nil {
		t.close()
		return nil, &CheckpointError{name, "cannot be written: " + cause(err).Error()}
	}
	return t, nil
}

// try finds out whether a file can be made beside the target.
func (t *target) try() error {
	f, err := os.CreateTemp(atomicfile.Beside(t.path, partSuffix))
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// close releases the file. A nil target has none.
func (t *target) close() {
	if t != nil {
		t.lock.Release()
	}
}

// sweep removes half-written files of killed processes.
func (t *target) sweep() {
	dir, pattern := atomicfile.Beside(t.path, partSuffix)
	star := strings.LastIndexByte(pattern, '*') // in place of which os.CreateTemp puts its digits
	files, _ := os.ReadDir(dir)                 // what cannot be listed stays
	for _, f := range files {
		if strings.HasPrefix(f.Name(), pattern[:star]) && strings.HasSuffix(f.Name(), pattern[star+1:]) {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// write replaces the target by what encode writes.
func (t *target) write(encode func(io.Writer) error) error {
	return atomicfile.Write(t.path, partSuffix, true, encode)
}

// cause strips the path, which may be of a temporary file, from an error.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
