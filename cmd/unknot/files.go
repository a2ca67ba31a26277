package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// writes adds a flag that names a file to write, see [distinctOutputs]; kind is the ending
// of what is written, if it is always the same.
func writes(fs *pflag.FlagSet, name *string, flag, usage string, kind ...string) {
	fs.StringVar(name, flag, "", usage)
	_ = fs.SetAnnotation(flag, written, kind) // the flag exists
	if fs.Lookup(forced) == nil {
		fs.Bool(forced, false,
			"overwrite existing files that unknot did not write; files that the command reads are never overwritten")
	}
}

// writesFolder adds a flag that names a folder to write, which may be missing; also is what else it may be.
func writesFolder(fs *pflag.FlagSet, name *string, flag, usage string, also ...string) {
	writes(fs, name, flag, usage)
	_ = fs.SetAnnotation(flag, madeFolder, also)
}

// reads adds the mark of a flag that may name a file to read, see [distinctOutputs].
func reads(fs *pflag.FlagSet, flags ...string) {
	for _, flag := range flags {
		_ = fs.SetAnnotation(flag, isRead, nil) // the flag exists
	}
}

const (
	written, madeFolder, isRead = "written", "folder", "read" // annotations of flags
	forced                      = "force"
)

// kinds are endings that say what a file holds.
var kinds = []string{"csv", "eps", "gif", "html", "jpeg", "jpg", "json", "pdf", "png", "ps", "svg", "webp", "xml"}

// misnamed reports whether a name ends as that of a file of another kind.
func misnamed(name string, among ...string) bool {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	return len(among) > 0 && slices.Contains(kinds, ending) && !slices.Contains(among, ending)
}

// distinctOutputs refuses an output without a name, two with the same name, one that is the file of
// an argument or of a flag, and, without --force, one that exists and that unknot did not write. It also
// refuses a file that could not be written in the end; a folder is made, and with --out what is in it. What it
// returns decides about the files that turn out to be read or written later.
func distinctOutputs(fs *pflag.FlagSet, args []string) (over *overwriting, err error) {
	over = &overwriting{}
	over.force, _ = fs.GetBool(forced)
	for _, name := range append(slices.Clone(args), namedToRead(fs)...) {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			_ = over.reads(name) // there are no outputs yet
		}
	}
	fs.Visit(func(f *pflag.Flag) {
		name := f.Value.String()
		kind, output := f.Annotations[written]
		also, made := f.Annotations[madeFolder]
		if !output {
			return
		}
		switch {
		case err != nil:
		case name == "": // a variable of a script that is not set
			err = invalid(f.Name, name, "the name of a file or a folder")
		case name == "-": // standard output, to many programs
			err = invalid(f.Name, name, "the name of a file or a folder; ./- is one")
		case made && len(also) == 0 && !isOrCanBeFolder(name):
			err = invalid(f.Name, name, "a folder, or the name of a new one")
		case misnamed(name, kind...):
			err = invalid(f.Name, name, "a name that ends in .%s, as what is written", kind[0])
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return // a pipe or a device takes all
		}
		other := over.output(name, "--"+f.Name)
		switch {
		case err != nil:
		case other != "":
			err = invalid(f.Name, name, "another name than that of %s", other)
		case over.force, len(also) > 0: // results that continue are refused by their first line
		case foreign(name):
			err = invalid(f.Name, name, "another name, or --force: the file exists, and unknot did not write it")
		case made && foreignIn(name) != "":
			err = invalid(f.Name, name, "another folder, or --force: %s exists, and unknot did not write it",
				foreignIn(name))
		}
		if err == nil && !made && !below(fs.Lookup("out"), name) {
			err = writable(f.Name, name)
		}
	})
	return over, err
}

// namedToRead returns the values of the flags that may name files to read, and those of parameters.
func namedToRead(fs *pflag.FlagSet) (names []string) {
	fs.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		saves := fs.Lookup("checkpoint")
		// A checkpoint that a walk resumes from may be saved to again.
		saved := f.Name == "resume" && saves != nil && place(values[0]) == place(saves.Value.String())
		if _, read := f.Annotations[isRead]; read && !saved {
			names = append(names, values...)
		}
		if f.Name == "set" {
			for _, v := range values {
				_, value, _ := strings.Cut(v, "=")
				names = append(names, value)
			}
		}
	})
	return names
}

// isOrCanBeFolder reports whether a name is a folder, or missing and in no file.
func isOrCanBeFolder(name string) bool {
	info, err := os.Stat(name)
	if up := filepath.Dir(name); errors.Is(err, fs.ErrNotExist) && up != name {
		return isOrCanBeFolder(up)
	}
	return err == nil && info.IsDir()
}

// below reports whether a name is that of a file in the folder that a flag names, which the command makes.
func below(folder *pflag.Flag, name string) bool {
	if folder == nil || folder.Value.String() == "" {
		return false
	}
	_, made := folder.Annotations[madeFolder]
	return made && filepath.Dir(name) == filepath.Clean(folder.Value.String())
}

// open opens a regular file. A device, such as /dev/zero, may have no end; a pipe can be
// read once, where networks are read several times, and may have no writer to wait for.
func open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s: want a regular file, not a pipe or a device", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, unread(name, err)
	}
	return file, nil
}

// Most bytes of files.
const (
	mostClosed   = 2 << 30 // closed forms
	mostTraffic  = 2 << 30
	mostPrinted  = 64 << 20 // what another program printed
	mostEvidence = 4 << 30
	mostResult   = 64 << 20 // what check, or ask, wrote about a folder
)

// readAll reads a file of at most most bytes, and of no more than the command may take of memory, and closes it.
func readAll(ctx context.Context, name string, file fs.File, most int64) ([]byte, error) {
	defer file.Close()
	memory := memoryOf(ctx)
	within := most
	if memory > 0 {
		within = min(most, memory)
	}
	text, err := limited.Read(name, file, within)
	var long *limited.TooLongError
	if errors.As(err, &long) {
		if long.Most = most; long.Size <= most { // not wrong, but more than can be handled here
			err = beyondMemory(name, memory)
		}
	}
	return text, err
}

func beyondMemory(name string, memory int64) error {
	return &spec.BoundError{What: "bytes in " + name + ", the limit on memory", Limit: int(memory)}
}

// readFile is readAll of a regular file, by its name.
func readFile(ctx context.Context, name string, most int64) ([]byte, error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	return readAll(ctx, name, file, most)
}

// readEvidence reads a file of evidence; of one that does not begin as such no more than its beginning.
func readEvidence(ctx context.Context, name string) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return evidence.ReadFile(name) // which says what is wrong
	}
	if head, err := headOf(name); err != nil || !bytes.HasPrefix(head, []byte("unknot-")) {
		return head, err
	}
	return readFile(ctx, name, mostEvidence)
}

// affordable refuses a folder with evidence that is too long to be read.
func affordable(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if memory := memoryOf(ctx); memory > 0 && info.Size() > memory {
			return beyondMemory(name, memory)
		}
	}
	return nil
}

// mostOf returns how long a network file can be, by its name.
func mostOf(name string) int64 {
	switch filepath.Ext(name) {
	case ".star":
		return star.MostBytes
	case murphiFile:
		return murphi.MostBytes
	case ".json":
		return mostClosed
	}
	return topology.MostBytes
}

// headOf returns the first bytes of a file, in which closed forms name their format.
func headOf(path string) ([]byte, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

// unread says why a file cannot be read.
func unread(name string, err error) error {
	if path := new(os.PathError); errors.As(err, &path) {
		return fmt.Errorf("%s: %v", name, path.Err)
	}
	return err
}

// readNetworkFile reads a network file of bounded size.
func readNetworkFile(ctx context.Context, name string) ([]byte, error) {
	info, err := os.Stat(name)
	named := slices.Contains([]string{".star", ".json", murphiFile}, filepath.Ext(name))
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: want a file, or the dumps of a fabric (see \"unknot help fabrics\")",
			name)
	}
	if !named && err != nil {
		return nil, fmt.Errorf(
			"invalid network %.60q: want a model (see \"unknot models\"), a file (see \"unknot help topologies\"), "+
				"or a folder for check%s", name, likelyNetwork(name))
	}
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(filepath.ToSlash(name), examplesFolder) {
		return nil, fmt.Errorf("%s: no such file%s", name, likelyExample(name))
	}
	if err := overwritingOf(ctx).reads(name); err != nil {
		return nil, err
	}
	return readFile(ctx, name, mostOf(name))
}

// place returns a file's name with its whole path, without links as far as it exists.
func place(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		return filepath.Join(dir, filepath.Base(name))
	}
	return name
}

// writeFile writes a file through a temporary name next to it, so that the name
// never shows half a file: on an error nothing is left. A link stays a link to
// what is written. Pipes and devices, such as /dev/null, are written to as they are.
// See [overwriting] for what is replaced.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	over := overwritingOf(ctx)
	if err := over.allows(name, write); err != nil || over.isInput(name) { // which holds the same
		return err
	}
	target := name
	if linked, err := filepath.EvalSymlinks(name); err == nil {
		target = linked
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		err = syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		err = writeThrough(target, write)
	default:
		err = atomicfile.Write(target, "", false, func(w io.Writer) error { return buffered(w, write) })
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the path is the temporary one
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// writeThrough writes into something that is not a regular file.
func writeThrough(name string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return buffered(f, write)
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// writable refuses the name of a file, given after its flag, that could not be written after a long run.
func writable(flag, name string) error {
	info, err := os.Stat(filepath.Dir(name))
	if at, fault := os.Stat(name); err != nil || !info.IsDir() || fault == nil && at.IsDir() {
		return invalid(flag, name, "a file in a folder that exists")
	}
	return nil
}
