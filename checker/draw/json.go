package draw

import "io"

// WriteJSON writes g as JSON.
func WriteJSON(w io.Writer, g *Graph) error { panic("draw: to come") }
