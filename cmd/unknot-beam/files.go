package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // gs:// is registered by Beam itself
)

// folder implements cluster.Files in any file system that Beam knows.
type folder struct {
	root string
	fs   filesystem.Interface
}

func openFolder(ctx context.Context, root string) (*folder, error) {
	fs, err := filesystem.New(ctx, root)
	return &folder{strings.TrimRight(root, "/"), fs}, err
}

func (f *folder) path(name string) string { return f.root + "/" + name }

func (f *folder) Names(ctx context.Context) ([]string, error) {
	names, err := f.fs.List(ctx, f.path("*"))
	for i := range names {
		names[i] = path.Base(strings.ReplaceAll(names[i], `\`, "/"))
	}
	slices.Sort(names)
	return names, err
}

func (f *folder) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return f.fs.OpenRead(ctx, f.path(name))
}

// Write writes each attempt under its own name, then renames it.
func (f *folder) Write(ctx context.Context, name string, write func(io.Writer) error) (err error) {
	part := f.path(name) + ".part-" + rand.Text()
	w, err := f.fs.OpenWrite(ctx, part)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err = write(b); err == nil {
		err = b.Flush()
	}
	if fault := w.Close(); err == nil {
		err = fault
	}
	if err == nil {
		err = filesystem.Rename(ctx, f.fs, part, f.path(name))
	}
	if err != nil {
		_ = f.Remove(context.WithoutCancel(ctx), name+strings.TrimPrefix(part, f.path(name)))
	}
	return err
}

func (f *folder) Remove(ctx context.Context, name string) error {
	r, ok := f.fs.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("cannot remove files from %s", f.root)
	}
	return r.Remove(ctx, f.path(name))
}
