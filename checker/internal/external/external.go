// Package external walks the reachable states of a machine breadth first, level by level
// and exactly, with the states on disk: a space may be larger than memory.
//
// Duplicates are found late (Stern and Dill, Using magnetic disk instead of main memory in
// the Murphi verifier, 1998; Korf, Delayed duplicate detection, 2003). States are kept in
// runs: ascending files in which each state is written as its difference from the one before.
// A level is expanded from its run; the successors are collected in memory, and sorted and
// written as a run of their own whenever memory is full. At the end of the level these runs
// are merged and compared with all runs of visited states in one pass; the states in none of
// those are the next level, whose run joins them. Once there are many runs, the smallest
// become one, in which each state carries its level.
//
// Files are read and written from the first byte to the last; nothing is looked up.
//
// Invariants. The runs of visited states have no state in common and hold each state at
// its depth. Each state sent into runs of successors is met at the merge, as a duplicate
// or as new; both are counted, so a lost run is an error. The manifest names all files that
// count, and is replaced as a whole: files that it does not name do not belong to the
// walk. So the process may be killed at any time.
//
// Parents are not kept. The path to a state is found backwards: some state of the level
// before steps to it, and so on, at the cost of at most one more walk.
package external

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
)

// Explore walks the machine from its initial states, with its files in a folder, which is
// created if missing. It must be empty, or hold a walk of the same opt.Checkpoint.Identity
// that did not finish, which then continues.
//
// It uses the options Workers, Memory, MaxStates, Inspect, Judge, Until and Progress and,
// of the checkpoint, Every, Identity and Saving. MaxStates may be exceeded by a twentieth plus
// the successors of a block of states. All states are judged in full. In the result, an ID is
// valid for [Space.Trail] only, and the First state with a flag is the least of the first level
// that has some. As everywhere, the result depends on the machine alone. Files that cannot
// be used are an error; a full disk is not, but a reason, statespace.OutOfDisk.
func Explore(ctx context.Context, m statespace.Machine, dir string, opt statespace.Options) (*Space, *statespace.Result, error) {
	return explore(ctx, m, dir, opt, tuning{})
}

// tuning is what tests change.
type tuning struct {
	buffer int                                // words of successors that a worker collects; 0: derived from Options.Memory
	runs   int                                // of visited states, at most; 0: mostRuns
	write  func(name string, bytes int) error // called before each write; may be nil
	meddle func(*state)                       // called with the state at the start of each merge; may be nil
}
