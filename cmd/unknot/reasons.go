package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// The reasons of a closed network, see [write.Reasons], are read again from the file
// next to it.

const mostReasons = 1 << 30 // bytes of a file

// withReasons returns a network read from a file with the reasons in the file
// next to it. A warning says why a file of reasons is ignored. A file that is not
// ours is an error with a place.
func withReasons(
	ctx context.Context, network string, n *spec.Network, memory int64,
) (with *spec.Network, warning string, err error) {
	name := filepath.Join(filepath.Dir(network), write.ReasonsFile)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, "", nil
	case err != nil:
		return nil, "", err
	case !info.Mode().IsRegular():
		return n, name + " is ignored: it is not a regular file", nil
	case info.Size() > mostReasons || memory > 0 && info.Size() > memory/4: // its text, a table of it, and the numbers
		return n, fmt.Sprintf("%s is ignored: %d bytes are too many", name, info.Size()), nil
	}
	text, err := limited.ReadFile(name, mostReasons)
	if err != nil {
		return nil, "", err
	}
	switch with, err = write.ReadReasons(name, text, n); {
	case err != nil:
		return nil, "", err
	case with == nil:
		return n, fmt.Sprintf("%s is ignored: it is for another network than %s", name, network), nil
	}
	return with, "", overwritingOf(ctx).reads(name)
}
