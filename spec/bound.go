package spec

import "fmt"

// BoundError says that a network is larger than its caller allows.
type BoundError struct {
	What  string // "sites"
	Limit int
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("more than %d %s: beyond the bound", e.Limit, e.What)
}
