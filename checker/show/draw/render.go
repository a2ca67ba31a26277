package draw

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Render draws g as "svg" or "png" with Graphviz's dot, which must be installed; if it is
// not, the error is a [*MissingError]. Nothing is written unless the drawing succeeds.
// When ctx ends, dot is killed.
func Render(ctx context.Context, w io.Writer, g *Graph, format string) error {
	if format != "svg" && format != "png" {
		return fmt.Errorf("invalid picture format %q: want svg or png", format)
	}
	const program = "dot"
	path, err := exec.LookPath(program)
	if err != nil {
		return &MissingError{Program: program, Format: format, Err: err}
	}
	var file, picture, complaints bytes.Buffer
	if err := WriteDOT(&file, g); err != nil {
		return err
	}
	args := []string{"-T" + format}
	if g.Placed() {
		args = append(args, "-Kneato", "-n")
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &file, &picture, &complaints
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("drawing %q: %w", g.Name, context.Cause(ctx))
		}
		first, _, _ := strings.Cut(strings.TrimSpace(complaints.String()), "\n")
		return fmt.Errorf("drawing %q: %s: %w: %s", g.Name, program, err, first)
	}
	if picture.Len() == 0 {
		return fmt.Errorf("drawing %q: %w",
			g.Name, errors.New(program+" wrote nothing; is its support for "+format+" installed?"))
	}
	text := picture.Bytes()
	if format == "png" {
		text = signed(text)
	}
	_, err = w.Write(text)
	return err
}

// signed adds to a PNG, behind its header, the text chunk that says which software made it (PNG, 11.3.3); Graphviz puts
// the name of the graph into its SVG. By this unknot knows its own files before it replaces one.
func signed(png []byte) []byte {
	const header = 8 + 25 // the signature, and the chunk IHDR
	if len(png) < header {
		return png
	}
	body := []byte("tEXtSoftware\x00unknot")
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = append(chunk, body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
	return slices.Insert(png, header, chunk...)
}

// MissingError says that Graphviz is not installed.
type MissingError struct {
	Program string // what was looked for
	Format  string // what was to be drawn
	Err     error  // from [exec.LookPath]
}

// Error says how to get Graphviz, and how to do without it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("drawing %s needs Graphviz, but program %q is not on the PATH: install it "+
		"(Debian, Ubuntu: apt install graphviz; macOS: brew install graphviz; others: https://graphviz.org/download), "+
		"or write DOT, GraphML or JSON instead", e.Format, e.Program)
}

// Unwrap returns the cause.
func (e *MissingError) Unwrap() error { return e.Err }
