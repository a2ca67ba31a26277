package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// overwriting decides for one command which existing files it may replace: never one
// that it reads, however it is named and loaded; one that unknot did not write only with
// --force. A command writes its files at the end, when all that it reads is known; what
// is known before is refused before. A nil one, as of a context without a command, allows all.
type overwriting struct {
	force bool

	mu      sync.Mutex
	inputs  []known
	outputs []known
}

// known is a file by its place, and by its identity if it exists: a name may have a hard
// link, or be spelt in another case.
type known struct {
	place string
	info  os.FileInfo // nil if there is none
	what  string      // for a message: "the file that is read", or the flag
}

func knownAs(name, what string) known {
	info, err := os.Stat(name)
	if err != nil {
		info = nil
	}
	return known{place(name), info, what}
}

func (k known) is(other known) bool {
	return k.place == other.place || k.info != nil && other.info != nil && os.SameFile(k.info, other.info)
}

// overwriteError says why a file is not written.
type overwriteError struct{ text string }

func (e *overwriteError) Error() string { return e.text }

type overwritingKey struct{}

func withOverwriting(ctx context.Context, o *overwriting) context.Context {
	return context.WithValue(ctx, overwritingKey{}, o)
}

func overwritingOf(ctx context.Context) *overwriting {
	o, _ := ctx.Value(overwritingKey{}).(*overwriting)
	return o
}

// reads notes that a file is read, and refuses one that an output of the same command would replace.
func (o *overwriting) reads(name string) error {
	if o == nil {
		return nil
	}
	file := knownAs(name, "the file that is read")
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inputs = append(o.inputs, file)
	if i := slices.IndexFunc(o.outputs, file.is); i >= 0 {
		return &overwriteError{fmt.Sprintf("%s is read, so it is not overwritten: want another name for %s",
			name, o.outputs[i].what)}
	}
	return nil
}

// readsAll is reads for several files.
func (o *overwriting) readsAll(names []string) error {
	for _, name := range names {
		if err := o.reads(name); err != nil {
			return err
		}
	}
	return nil
}

// output notes a file that a flag names.
func (o *overwriting) output(name, flag string) (taken string) {
	file := knownAs(name, flag)
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, other := range slices.Concat(o.inputs, o.outputs) {
		if other.is(file) {
			return other.what
		}
	}
	o.outputs = append(o.outputs, file)
	return ""
}

// isInput reports whether a file has been read.
func (o *overwriting) isInput(name string) bool {
	if o == nil {
		return false
	}
	file := knownAs(name, "")
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.inputs, file.is)
}

// allows refuses to replace a file that is read, unless write writes what it holds, or
// one that unknot did not write.
func (o *overwriting) allows(name string, write func(io.Writer) error) error {
	switch {
	case o == nil:
		return nil
	case o.isInput(name):
		if same, err := holds(name, write); err != nil || same {
			return err
		}
		return &overwriteError{fmt.Sprintf("%s is read, so it is not overwritten: want another output", name)}
	case o.force || !foreign(name):
		return nil
	}
	return &overwriteError{fmt.Sprintf("%s exists, and unknot did not write it: want another output, or --force", name)}
}

// removes removes a file that an earlier run left; what is read or was not written by unknot stays.
func (o *overwriting) removes(name string) error {
	if o.isInput(name) || foreign(name) {
		return nil
	}
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// errDiffers ends a comparison.
var errDiffers = errors.New("the texts differ")

// comparing is a writer that fails as soon as something else is written than from has.
type comparing struct {
	from io.Reader
	buf  []byte
}

func (c *comparing) Write(p []byte) (int, error) {
	c.buf = slices.Grow(c.buf[:0], len(p))[:len(p)]
	if _, err := io.ReadFull(c.from, c.buf); err != nil || !bytes.Equal(c.buf, p) {
		return 0, errDiffers
	}
	return len(p), nil
}

// holds reports whether a file holds exactly what write writes.
func holds(name string, write func(io.Writer) error) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	c := &comparing{from: file}
	if err := write(c); err != nil {
		if errors.Is(err, errDiffers) {
			err = nil
		}
		return false, err
	}
	n, err := file.Read(make([]byte, 1))
	return n == 0 && err == io.EOF, nil
}

// marks recognise the formats that unknot writes, by their beginning. Each says so in the way of its format:
// by the name of the format, as its generator or tool, or in a comment "written by unknot".
var marks = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, mark := range []string{
		// Closed forms and reasons in the layout of unknot. Other programs write closed forms, too.
		`\A\{"format":"unknot-[a-z]+-\d+",\n`,
		`\A\{"directed":true,\n "multigraph":true,\n "graph":\{"id":"unknot"`,            // graphs
		`\A\{\n  "format": "unknot-answer-`,                                              // answers
		`\A\{\s*"version":\s*\d+,\s*"(network|machine)":`,                                // results
		`\A` + regexp.QuoteMeta(eventsMark),                                              // events
		`\A\{"unknot-sweep":\d`,                                                          // sweeps
		`\Aunknot-[a-z-]+ \d`,                                                            // evidence
		`\A<\?xml[^>]*>\s*<testsuites name="unknot"`,                                     // JUnit
		`\A\{\s*"\$schema"[^{}]*\{\s*"tool":\s*\{\s*"driver":\s*\{\s*"name":\s*"unknot"`, // SARIF
		`\A## unknot: `, // Markdown
		`<meta name="generator" content="unknot">`,                                       // pages
		`\A(<\?xml[^>]*>\s*)?(<!DOCTYPE[^>]*>\s*)?(<!--[^>]*-->\s*)*<!-- Title: unknot `, // SVG of Graphviz
		`\Adigraph unknot \{`,                                         // DOT
		`\Acurve,load,offered,offered-half,accepted,`,                 // simulations
		`\Afan_out,depth,hot,(partners,)?third_waits,service,buffer,`, // and those of combining
		`(?m)^(#|;|\\\*|--|/\*|<!--) written by unknot( -->| \*/)?\r?$`,
	} {
		all = append(all, regexp.MustCompile(mark))
	}
	return all
})

// eventsMark is how a file of events begins.
const eventsMark = `{"event":"started","version":`

// beginning returns the first KiB of a regular file; there is none if the file is missing, empty, a pipe or a device,
// and has nothing to lose.
func beginning(name string) (head []byte, is bool) {
	const enough = 1 << 10
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, false
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, true
	}
	defer file.Close()
	head = make([]byte, enough)
	n, _ := io.ReadFull(file, head) // what cannot be read bears no mark
	return head[:n], true
}

// foreign reports whether a file exists, holds anything, and bears no mark of unknot.
func foreign(name string) bool {
	head, is := beginning(name)
	if !is {
		return false
	}
	if picture, is := bytes.CutPrefix(head, []byte("\x89PNG\r\n\x1a\n")); is {
		const header, length = 25, 4 // bytes of the chunk IHDR, and of the length of the next chunk
		return !bytes.HasPrefix(picture[min(header+length, len(picture)):], []byte("tEXtSoftware\x00unknot"))
	}
	return !slices.ContainsFunc(marks(), func(m *regexp.Regexp) bool { return m.Match(head) })
}

// foreignIn returns a file in a folder that unknot did not write, but would, if one is there, before hours are spent on
// what cannot be kept. Other files, and deeper folders, are looked at when they are written to.
func foreignIn(folder string) string {
	for _, name := range []string{networkFile, resultFile, evidence.AnswerFile} {
		if name = filepath.Join(folder, name); foreign(name) {
			return name
		}
	}
	return ""
}
