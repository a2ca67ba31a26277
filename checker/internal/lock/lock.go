// Package lock keeps two processes from writing one file.
//
// The lock of a file is a hidden file next to it, locked through the operating
// system: when a process ends, however it ends, its locks are gone, and a file
// left behind locks nothing. Without such locks, as on some systems and
// network folders, Acquire succeeds and excludes no other process.
package lock

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process is writing it")

// Lock is a lock that is held.
type Lock struct{ file *os.File }

// Acquire takes the lock of the file at path, without waiting for it.
func Acquire(path string) (*Lock, error) {
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := flock(f); err != nil {
			f.Close()
			return nil, err
		}
		// The previous holder may have removed the file between the two calls.
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if now, err := os.Stat(name); err == nil && os.SameFile(mine, now) {
			return &Lock{f}, nil
		}
		f.Close()
	}
}

// Release releases the lock; nil is allowed.
func (l *Lock) Release() {
	if l != nil {
		os.Remove(l.file.Name())
		l.file.Close()
	}
}
