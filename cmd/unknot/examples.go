package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/examples"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// examplesFolder is where pages of the guide have the examples, as the repository does.
const examplesFolder = "models/examples/"

// exampleFiles lists the names of the example files, such as "protocols/14_msi.star", in order.
func exampleFiles() (names []string) {
	_ = fs.WalkDir(examples.Files(), ".", func(name string, d fs.DirEntry, err error) error { // of an embedded folder
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names
}

// exampleNamed finds an example by its name, with or without its folder and its ending; a folder may be that of the
// guide, models/examples. A model of the same name goes first, as it is asked for in more places.
func exampleNamed(name string) (file string, text []byte, found bool) {
	name = strings.TrimPrefix(filepath.ToSlash(name), examplesFolder)
	if _, model := models.Find(name); model {
		return "", nil, false
	}
	for _, file := range exampleFiles() {
		bare := strings.TrimSuffix(file, path.Ext(file))
		if name == file || name == path.Base(file) || name == bare || name == path.Base(bare) {
			text, err := fs.ReadFile(examples.Files(), file)
			return file, text, err == nil
		}
	}
	return "", nil, false
}

// showExample writes the text of an example, or what its first comment says of it.
func showExample(w io.Writer, file string, text []byte, whole bool) error {
	if whole {
		_, err := w.Write(text)
		return err
	}
	var about []string
	for line := range strings.Lines(string(text)) {
		said, comment := strings.CutPrefix(strings.TrimSpace(line), "#")
		if path.Ext(file) == murphiFile {
			said, comment = strings.CutPrefix(strings.TrimSpace(line), "--")
		}
		if !comment {
			break
		}
		about = append(about, strings.TrimSpace(said))
	}
	said := strings.TrimSuffix("example "+file+": "+strings.Join(about, " "), ": ")
	for _, line := range fold(said, width) {
		fmt.Fprintln(w, line)
	}
	_, err := fmt.Fprintf(w, "\nunknot models %s --print prints it; unknot models --examples DIR writes all.\n", file)
	return err
}

// writeExamples writes the example files into a folder. A file that is there already is left as it is if it is the
// same, and refused before any is written if it is not, unless it may be overwritten.
func writeExamples(ctx context.Context, w io.Writer, dir string) error {
	texts := map[string]func(io.Writer) error{}
	names := exampleFiles()
	for _, name := range names {
		text, err := fs.ReadFile(examples.Files(), name)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		write := func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}
		same, err := holds(target, write)
		if err == nil && same {
			continue
		}
		if err := overwritingOf(ctx).allows(target, write); err != nil {
			return err
		}
		texts[name] = write
	}
	for _, name := range names {
		write, wanted := texts[name]
		if !wanted {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(target), 0o755)
		if path := new(fs.PathError); errors.As(err, &path) {
			return fmt.Errorf("making the folder %s: %w", path.Path, path.Err)
		}
		if err != nil {
			return err
		}
		if err := writeFile(ctx, target, write); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s written, %d there already; try unknot check %s\n", dir,
		words.Plural(len(texts), "file"), len(names)-len(texts), filepath.Join(dir, "torus.star"))
	return err
}

// likelyExample says how to come to an example that was named as if it were there; "" if there is none.
func likelyExample(name string) string {
	file, _, found := exampleNamed(name)
	if !found {
		return ""
	}
	return fmt.Sprintf("; %s is an example: unknot models --examples models/examples writes it", file)
}
