// Package external walks the reachable states of a machine breadth first, level by level
// and exactly, with the states on disk: a space may be larger than memory.
//
// Duplicates are found late (Stern and Dill, Using magnetic disk instead of main memory in
// the Murphi verifier, 1998; Korf, Delayed duplicate detection, 2003). States are kept in
// runs: files in which they ascend, each written as its difference from the one before.
// A level is expanded from its run; the successors are collected in memory, sorted, and
// written as a run of their own whenever there is no more room. At the end of the level
// these runs are merged with each other and compared with all runs of visited states, side
// by side; the states in none of those are the next level, whose run joins them. Once
// there are many runs, the smallest become one, in which each state tells its level.
//
// Files are read and written from the first byte to the last; nothing is looked up.
//
// Invariants. The runs of visited states have no state in common and hold each state at
// its depth. Each state that was sent into runs of successors is met at the merge,
// as a duplicate or as new; both are counted, so that a lost run is an error. The
// manifest names all files that count, and is replaced as a whole: files that it does not
// name do not belong to the walk. So the process may be killed at any time.
//
// Parents are not kept. The way to a state is found backwards: some state of the level
// before steps to it, and so on, at the price of one more walk at most.
package external

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
)

// Explore walks the machine from its initial states, with its files in a folder, which is
// created if missing. It must be empty, or hold a walk of the same opt.Checkpoint.Identity
// that did not finish, which then continues.
//
// Of the options it heeds Workers, Memory, MaxStates, Inspect, Judge, Until, Progress and
// of the checkpoint Every, Identity and Saving. MaxStates may be exceeded by a twentieth and by
// the successors of a block of states. All states
// are judged in full. In the result, an ID is good for [Space.Trail] alone, and the First
// state with a flag is the least of the first level that has some. As everywhere, the
// result depends on the machine alone. An error is one of files that cannot be used; a full
// disk is none but a reason, statespace.OutOfDisk.
func Explore(ctx context.Context, m statespace.Machine, dir string, opt statespace.Options) (*Space, *statespace.Result, error) {
	return explore(ctx, m, dir, opt, tuning{})
}

// tuning is what tests change.
type tuning struct {
	buffer int                                // words of successors that a worker collects; 0: by Options.Memory
	runs   int                                // of visited states, at most; 0: mostRuns
	write  func(name string, bytes int) error // asked before each write; nil: no
	meddle func(*state)                       // with what a merge begins with; nil: no
}
