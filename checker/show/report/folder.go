package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// WriteFolder writes a result into a folder, which it makes if it is missing, as unknot check --out does: the closed
// form of the network, with the reasons of its hops, or of the machine; a file for each finding with evidence; and the
// result in its JSON form. [evidence.VerifyFolder] and unknot-verify check what it has written.
//
// Files of an earlier result are replaced or removed, and others stay, so a folder never holds evidence about two
// networks. On an error, or if ctx ends meanwhile, no evidence is left, nor a folder that was made here.
func WriteFolder(ctx context.Context, dir string, r *checker.Result) error {
	return WriteFiles(ctx, dir, r, disk{})
}

// Files writes the files of a folder. Its methods are called concurrently.
type Files interface {
	// Allow refuses a file that must not be replaced by what write writes. All files are allowed before one is
	// written.
	Allow(name string, write func(io.Writer) error) error
	// Write replaces a file whole, or leaves it as it is.
	Write(name string, write func(io.Writer) error) error
	// Remove removes a file. It is no error if there is none.
	Remove(name string) error
}

// disk is the file system, in which every file may be replaced.
type disk struct{}

func (disk) Allow(string, func(io.Writer) error) error { return nil }

func (disk) Write(name string, write func(io.Writer) error) error {
	return atomicfile.Write(name, "", false, write)
}

func (disk) Remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WriteFiles is [WriteFolder] by way of files, which may refuse some.
func WriteFiles(ctx context.Context, dir string, r *checker.Result, files Files) (err error) {
	unmake, err := atomicfile.MakeFolder(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			unmake()
		}
	}()
	all, subject := filesOf(r)
	for _, f := range all {
		if f.wanted() {
			if err := files.Allow(filepath.Join(dir, f.name), f.write); err != nil {
				return err
			}
		}
	}
	if err := RemoveEvidence(dir, files); err != nil {
		return err
	}
	stopping := func(write func(io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(deadline.Writer(ctx, w)) }
	}
	var result bytes.Buffer // written last, but to tell a trace in a large network takes as long as to write that
	err = each.Do(ctx, runtime.GOMAXPROCS(0), 1+len(all), func(_, i int) error {
		if i == 0 {
			of, err := Of(r, Origin{})
			if err != nil {
				return err
			}
			return WriteJSON(&result, &of)
		}
		f := all[i-1]
		if !f.wanted() {
			return files.Remove(filepath.Join(dir, f.name))
		}
		return files.Write(filepath.Join(dir, f.name), stopping(f.write))
	})
	if err == nil {
		err = files.Write(filepath.Join(dir, evidence.ResultFile), stopping(func(w io.Writer) error {
			_, err := w.Write(result.Bytes())
			return err
		}))
	}
	if err == nil {
		return nil
	}
	for _, f := range all[subject:] { // the closed form may be what is being checked
		_ = files.Remove(filepath.Join(dir, f.name))
	}
	_ = files.Remove(filepath.Join(dir, evidence.ResultFile))
	return err
}

// fileOf is a file of a folder. One that is not wanted is removed if an earlier run left it.
type fileOf struct {
	name   string
	wanted func() bool
	write  func(io.Writer) error
}

// filesOf returns the files of a result but the result's own; the first so many of them are about the subject.
func filesOf(r *checker.Result) (all []fileOf, subject int) {
	is := func(x bool) func() bool { return func() bool { return x } }
	n := r.Network
	m, isProgram := r.Machine.(*program.Machine)
	all = []fileOf{
		{evidence.NetworkFile, is(n != nil), func(w io.Writer) error { return routing.WriteClosed(w, n) }},
		{
			write.ReasonsFile, func() bool { return n != nil && write.HasReasons(n) },
			func(w io.Writer) error { return write.Reasons(w, n) },
		},
		{
			evidence.MachineFile, is(n == nil && isProgram),
			func(w io.Writer) error { return program.WriteClosed(w, m.Program()) },
		},
	}
	subject = len(all)
	for i, name := range EvidenceFiles(r) {
		e := r.Findings[i].Evidence
		all = append(all, fileOf{name, is(e != nil), func(w io.Writer) error { return write.Evidence(w, e) }})
	}
	return all, subject
}

// EvidenceFiles returns the names of the files with evidence in a folder, by finding.
func EvidenceFiles(r *checker.Result) []string {
	properties := make([]string, len(r.Findings))
	for i := range r.Findings {
		properties[i] = r.Findings[i].Property
	}
	return evidenceFiles(properties)
}

func evidenceFiles(properties []string) []string {
	files, names := make([]string, len(properties)), write.Names{}
	for i, property := range properties {
		files[i] = names.Name(property) + ".unknot"
	}
	return files
}

// mostResult is the size of the largest result that is read to find what belongs to it.
const mostResult = 64 << 20

// RemoveEvidence removes the evidence that an earlier run left in a folder, by the result that it wrote last. Other
// files stay, and so does the closed form, which may be what is being checked, until it is replaced.
func RemoveEvidence(dir string, files Files) error {
	text, err := limited.ReadFile(filepath.Join(dir, evidence.ResultFile), mostResult)
	if errors.Is(err, fs.ErrNotExist) {
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
		return nil // another program's
	}
	properties := make([]string, len(result.Properties))
	for i, p := range result.Properties {
		properties[i] = p.Property
	}
	for _, file := range append([]string{evidence.ResultFile}, evidenceFiles(properties)...) {
		if err := files.Remove(filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	return nil
}
