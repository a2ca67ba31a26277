// Package atomicfile, internal to unknot, replaces files whole: who reads one sees all of the old text or all of the
// new.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Beside returns the pattern, as of [os.CreateTemp], of the names under which a file is written: hidden, in its own
// folder, as a file can be renamed within a file system only.
func Beside(name, suffix string) (dir, pattern string) {
	return filepath.Dir(name), "." + filepath.Base(name) + ".*" + suffix
}

// Write replaces a regular file, or makes it, by what write writes. The half-written file has a name of [Beside] with
// the suffix, and is removed if anything fails; it stays if the process is killed. lasting: the new text survives a
// loss of power.
func Write(name, suffix string, lasting bool, write func(io.Writer) error) error {
	f, err := os.CreateTemp(Beside(name, suffix))
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil && lasting {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// MakeFolder makes a folder, unless it exists, and returns what removes it again, with all that is in it, if it was
// made.
func MakeFolder(name string) (unmake func(), err error) {
	if _, err := os.Stat(name); err == nil {
		return func() {}, os.MkdirAll(name, 0o755) // an error if it is a file
	}
	return func() { _ = os.RemoveAll(name) }, os.MkdirAll(name, 0o755)
}
