// Package limited, internal to unknot, reads whole files of bounded size. A size is looked at before
// anything is read, since a sparse file of terabytes takes no space, and no more is read than was
// allowed, since a file may grow meanwhile.
package limited

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/seed-105a2da2/unknot/spec"
)

// TooLongError says that a file is too long, at its first byte.
type TooLongError struct {
	File string
	Size int64 // bytes; more than Most, and possibly more than this
	Most int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s:1:1: a file of %d bytes: at most %d are read", e.File, e.Size, e.Most)
}

// Unwrap returns the error with its place.
func (e *TooLongError) Unwrap() error {
	return &spec.PosError{
		File: e.File, Line: 1, Col: 1, Msg: fmt.Sprintf("a file of %d bytes: at most %d are read", e.Size, e.Most),
	}
}

// Read returns the text of an open file of at most most bytes; the name is for errors.
func Read(name string, file fs.File, most int64) ([]byte, error) {
	most = min(most, math.MaxInt-bytes.MinRead)
	var text bytes.Buffer
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		if info.Size() > most {
			return nil, &TooLongError{name, info.Size(), most}
		}
		text.Grow(int(info.Size()) + bytes.MinRead) // doubling touches several times as much memory
	}
	return read(&text, name, file, most)
}

// ReadAll is Read of what has no size that could be looked at.
func ReadAll(name string, r io.Reader, most int64) ([]byte, error) {
	return read(new(bytes.Buffer), name, r, min(most, math.MaxInt-bytes.MinRead))
}

func read(text *bytes.Buffer, name string, r io.Reader, most int64) ([]byte, error) {
	if _, err := text.ReadFrom(io.LimitReader(r, most+1)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if int64(text.Len()) > most {
		return nil, &TooLongError{name, int64(text.Len()), most}
	}
	return text.Bytes(), nil
}

// ReadFile returns the text of a regular file, or of one that a link leads to. A device or a pipe may never end.
func ReadFile(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name) // before opening it, as opening a pipe blocks
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(name, file, most)
}
