package draw

import (
	"context"
	"io"
)

// Render draws g with Graphviz, which must be installed, as "svg" or "png". If
// it is not, the error is a [*MissingError].
func Render(ctx context.Context, w io.Writer, g *Graph, format string) error {
	panic("draw: to come")
}

// MissingError says that a program needed for drawing is not installed.
type MissingError struct {
	Program string
	Err     error
}

func (e *MissingError) Error() string { return e.Program + " is missing" }

func (e *MissingError) Unwrap() error { return e.Err }
