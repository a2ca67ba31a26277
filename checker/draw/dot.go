package draw

import "io"

// WriteDOT writes g as DOT.
func WriteDOT(w io.Writer, g *Graph) error { panic("draw: to come") }
