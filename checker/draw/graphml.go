package draw

import "io"

// WriteGraphML writes g as GraphML.
func WriteGraphML(w io.Writer, g *Graph) error { panic("draw: to come") }
