// Package coq, internal to unknot, holds the proofs in Coq, and has coqc check them again. The files are to be read:
// each begins with what is proved, what is assumed, and what is not proved.
package coq

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.v
var files embed.FS

// ErrNotInstalled says that coqc is not on this computer.
var ErrNotInstalled = errors.New("not installed")

// Check has coqc check a file of this folder, after those that it rests on, in a temporary folder. It ends coqc with ctx.
func Check(ctx context.Context, file string) error {
	coqc, err := exec.LookPath("coqc")
	if err != nil {
		return fmt.Errorf("coqc: %w", ErrNotInstalled)
	}
	names, err := Order(file)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "unknot-coq-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
		c := exec.CommandContext(ctx, coqc, "-q", name)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %.300s", name, err, out)
		}
	}
	return nil
}

// Order lists the files that a file rests on, and then the file, each after those that it rests on.
func Order(file string) (names []string, err error) {
	var visit func(name string) error
	visit = func(name string) error {
		if slices.Contains(names, name) {
			return nil
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			required, found := strings.CutPrefix(strings.TrimSpace(line), "Require Import ")
			for _, module := range strings.Fields(strings.TrimSuffix(required, ".")) {
				if _, err := fs.Stat(files, module+".v"); found && err == nil {
					if err := visit(module + ".v"); err != nil {
						return err
					}
				}
			}
		}
		names = append(names, name)
		return nil
	}
	return names, visit(file)
}
