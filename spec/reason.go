package spec

import "fmt"

// Reason says why a relation permits a hop: a rule in words or, if a file made the hop, the place there. The zero
// value is no reason.
type Reason struct {
	Text string // for reports: "arrived", or "ring.star:3:13, called from ring.star:14:9"

	File      string // that made the hop; "" if none did
	Line, Col int    // in it, 1-based; columns count bytes
}

// PlaceReason is a place in a file as a reason.
func PlaceReason(file string, line, col int) Reason {
	return Reason{fmt.Sprintf("%s:%d:%d", file, line, col), file, line, col}
}

// And returns the reason with more to say.
func (r Reason) And(more string) Reason {
	if r.Text != "" {
		more = r.Text + ", " + more
	}
	r.Text = more
	return r
}

// Clause ends a sentence with the reason: ", by arrived"; "" without one.
func (r Reason) Clause() string {
	if r.Text == "" {
		return ""
	}
	return ", by " + r.Text
}
