package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// The folder of evidence: the closed form of the network, with the reasons of its
// hops, or of the machine, a file for each property whose evidence a second program can check,
// and the result. Files that an earlier run left under the same names are replaced or
// removed.

// machineFile is the closed form of a machine in an evidence folder.
const machineFile = "machine.json"

// programOf returns the program of a machine, nil if it has none.
func programOf(m states.Machine) *program.Program {
	if p, ok := m.(*program.Machine); ok {
		return p.Program()
	}
	return nil
}

// Names of the other files.
const (
	networkFile = "network.json"
	resultFile  = "result.json"
)

// writeEvidence writes the closed form, a file for each verdict with evidence, and
// the result. Files of an earlier run that have no place in this one are removed. When
// ctx ends meanwhile, or the disk is full, it leaves no evidence, nor a folder that it has made.
func writeEvidence(ctx context.Context, dir string, r *checker.Result) (err error) {
	unmake, err := makeFolder(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			unmake()
		}
	}()
	type file struct {
		name   string
		wanted func() bool
		write  func(io.Writer) error
	}
	is := func(x bool) func() bool { return func() bool { return x } }
	n, p := r.Network, programOf(r.Machine)
	files := []file{
		{networkFile, is(n != nil), func(w io.Writer) error { return routing.WriteClosed(w, n) }},
		{write.ReasonsFile, func() bool { return n != nil && write.HasReasons(n) }, func(w io.Writer) error { return write.Reasons(w, n) }},
		{machineFile, is(n == nil && p != nil), func(w io.Writer) error { return program.WriteClosed(w, p) }},
	}
	subject := len(files)
	properties := make([]string, len(r.Findings))
	for i := range r.Findings {
		properties[i] = r.Findings[i].Property
	}
	for i, name := range findingFiles(properties) {
		e := r.Findings[i].Evidence
		files = append(files, file{name, is(e != nil), func(w io.Writer) error { return write.Evidence(w, e) }})
	}
	for _, f := range files {
		if f.wanted() {
			if err := overwritingOf(ctx).allows(filepath.Join(dir, f.name), f.write); err != nil {
				return err
			}
		}
	}
	if err := removeEvidence(ctx, dir); err != nil {
		return err
	}
	var result bytes.Buffer // written last, but to tell a trace in a large network takes as long as to write that
	err = each.Do(ctx, runtime.GOMAXPROCS(0), 1+len(files), func(_, i int) error {
		if i == 0 {
			return writeResult(&result, r)
		}
		f := files[i-1]
		return writeOrRemove(ctx, filepath.Join(dir, f.name), f.wanted(),
			func(w io.Writer) error { return f.write(stoppingWriter{ctx, w}) })
	})
	if err == nil {
		err = writeFile(ctx, filepath.Join(dir, resultFile),
			func(w io.Writer) error { _, err := stoppingWriter{ctx, w}.Write(result.Bytes()); return err })
	}
	if err == nil {
		return nil
	}
	for _, f := range files[subject:] { // the closed form may be what is being checked
		_ = overwritingOf(ctx).removes(filepath.Join(dir, f.name))
	}
	_ = overwritingOf(ctx).removes(filepath.Join(dir, resultFile))
	return err
}

// stoppingWriter is a writer that fails once its context has ended.
type stoppingWriter struct {
	ctx context.Context
	io.Writer
}

func (w stoppingWriter) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.Writer.Write(p)
}

func writeOrRemove(ctx context.Context, name string, wanted bool, write func(io.Writer) error) error {
	if wanted {
		return writeFile(ctx, name, write)
	}
	return overwritingOf(ctx).removes(name)
}

// findingFiles returns the names of the files with the evidence of properties.
func findingFiles(properties []string) []string {
	files, names := make([]string, len(properties)), write.Names{}
	for i, property := range properties {
		files[i] = names.Name(property) + ".unknot"
	}
	return files
}

// removeEvidence removes the evidence that an earlier run left in a folder, by
// the result that it wrote last, so that a folder never holds evidence about two
// networks that one command is told to check. Other files stay, and so does the
// closed form, which may be what is being checked, until it is replaced.
func removeEvidence(ctx context.Context, dir string) error {
	name := filepath.Join(dir, resultFile)
	text, err := limited.ReadFile(name, mostResult)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var result struct {
		Version    int
		Properties []struct{ Property string }
	}
	if json.Unmarshal(text, &result) != nil || result.Version == 0 {
		return nil // nothing of ours
	}
	properties := make([]string, len(result.Properties))
	for i, p := range result.Properties {
		properties[i] = p.Property
	}
	for _, file := range append([]string{resultFile}, findingFiles(properties)...) {
		if err := overwritingOf(ctx).removes(filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	return nil
}
