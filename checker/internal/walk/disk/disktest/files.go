// Package disktest is for tests of explorations in shards.
package disktest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
)

// InMap is disk.Files in memory.
type InMap map[string][]byte

func (m InMap) Names(context.Context) ([]string, error) { return slices.Sorted(maps.Keys(m)), nil }

func (m InMap) Open(_ context.Context, name string) (io.ReadCloser, error) {
	text, ok := m[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

func (m InMap) Write(_ context.Context, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	m[name] = b.Bytes()
	return nil
}

func (m InMap) Remove(_ context.Context, name string) error { delete(m, name); return nil }
