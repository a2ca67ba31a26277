package walk

import "context"

// Visited is the set of states that a walk leaves behind: in memory ([Space]), on disk, or in shards on other computers
// (package disk). An analysis that needs the numbers of states, such as liveness, takes a [Space].
type Visited interface {
	// Each calls f with every state of one of several parts of the set, 0 <= part < parts, until f returns false.
	// Parts may be visited concurrently. The slice is reused, and the order depends on the machine alone. The error
	// says why states could not be read.
	Each(part, parts int, f func(state []uint64) bool) error
	// Trail returns the states on a shortest path from an initial state to the one that a [Result] names. It ends
	// with ctx.
	Trail(ctx context.Context, m Machine, id ID) ([][]uint64, error)
	// Release gives back what the set takes, except for what a walk that has not ended needs in order to continue.
	// The set must not be used after that.
	Release()
}
