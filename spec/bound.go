package spec

import "fmt"

// MostSites bounds the sites and flows of a network. Certificates number sites in 32 bits; and where
// tables share fragments, a short text can stand for any number.
const MostSites = 1<<31 - 1

// BoundError says that a network or state space is larger than its caller allows. A larger bound can help.
type BoundError struct {
	What  string // counted, in the plural: "sites"
	Limit int    // the most that the caller allows
}

// Error names the bound: "more than 4 sites: beyond the bound".
func (e *BoundError) Error() string {
	return fmt.Sprintf("more than %d %s: beyond the bound", e.Limit, e.What)
}
