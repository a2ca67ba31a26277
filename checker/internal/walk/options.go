package walk

import "github.com/seed-105a2da2/unknot/spec/states"

// Machine is the part of states.Machine that a walk needs.
type Machine interface {
	Layout() *states.Layout
	Start(dst []uint64) []uint64
	AppendSuccessors(dst, s []uint64) ([]uint64, error)
}

// Kinds is a machine that reports the kind of each step, for Options.Judge. Kinds are
// numbered from 1 to MostKinds; kind 0 stands for any.
type Kinds interface {
	Machine
	// Steps does what AppendSuccessors does, and appends the kinds of the successors.
	Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error)
}

// ID numbers the states of a space: shard, then order of discovery in it.
type ID uint32

const (
	shardBits = 6
	shards    = 1 << shardBits
	localBits = 32 - shardBits
	mostLocal = 1<<localBits - 2
)

func (id ID) split() (shard int, local uint32) {
	return int(id & (shards - 1)), uint32(id >> shardBits)
}

func idOf(shard int, local uint32) ID { return ID(local<<shardBits | uint32(shard)) }

// Flags is what Inspect finds in a state, one bit each.
type Flags uint64

// FlagBits is the number of different flags.
const FlagBits = 64

// Reason says why a walk ended.
type Reason uint8

const (
	Complete    Reason = iota // every reachable state was expanded
	Found                     // Options.Until was met
	Refused                   // the machine refused to step from a state
	OutOfMemory               // the next round would exceed Options.Memory
	OutOfStates               // Options.MaxStates were found
	Interrupted               // the context ended
	OutOfDisk                 // a file could not be written; only in package disk
)

// Options says how to walk.
type Options struct {
	Workers   int   // entryAt least 1
	Memory    int64 // bytes for states, tables and buffers; 0: no bound
	MaxStates int64 // 0: no bound
	// Inspect looks at an expanded state and its number of successors. It is called
	// concurrently and may be nil. If the machine refuses to step, successors
	// is 1.
	Inspect func(s []uint64, successors int) Flags
	// Met is given the states that a worker expands, concatenated: each state once, except those of
	// an unfinished round when the walk is cut short. It may be nil.
	Met func(worker int, states []uint64)
	// Judge looks at a state when it is found, and at the kind of the step that found
	// it, 0 for an initial state. It may rely on a parent that has none of its flags for
	// what the step cannot change; see judge.go. The machine must be Kinds. If nil, nothing is judged.
	Judge func(s []uint64, kind uint32) Flags
	// Free reports, by kind of step, that Judge finds nothing in any state found by such a
	// step and need not be called. Its result may be shorter than the number of kinds, and grow
	// later: it is called again in each round. It may be nil.
	Free func() []bool
	// Sleep leaves out steps to states that are found without them; nil leaves out none. It cannot
	// be combined with Compact, where different states may be taken for the same one.
	Sleep *Sleep
	// Leaves asks for Result.Leaves.
	Leaves bool
	// Until ends the walk after the first round for which it returns true, given how many
	// states have each flag and how many were found. If nil, the walk goes on.
	Until func(flagged *[FlagBits]int64, states int64) bool
	// Parents reports after each round whether parents are still wanted, given how many
	// states have each flag and how many were found. If nil, they are. Once it returns false,
	// none are kept if the form of the visited set does without the order of discovery, and
	// nothing is saved: see Space.Parents.
	Parents func(flagged *[FlagBits]int64, states int64) bool
	// Compact stores 64 bits of hash in place of states: different states may be
	// taken for the same one, and parts of the space omitted.
	Compact bool
	// Whole stores states of many bits whole, not as trees that share what is equal.
	Whole bool
	// Progress is called at intervals, between rounds.
	Progress func(states.Progress)
	// Checkpoint saves the walk at intervals, and when it is interrupted.
	Checkpoint Checkpoint
}

// Result counts what a walk found. None of it depends on the number of workers.
type Result struct {
	Reason      Reason
	States      int64           // found
	Expanded    int64           // looked at, with all their successors; States if Complete
	Transitions int64           // steps of the expanded states
	Levels      int             // of expanded states: the depth of the deepest, plus 1
	Widest      int64           // states of the widest level
	Flagged     [FlagBits]int64 // states with the flag; for Judge's flags, not 0 if there are some
	First       [FlagBits]ID    // of the states with the flag, the first one in the order of the walk
	Taken       []bool          // by kind of step, if states were judged from the start: whether there was one
	Leaves      bool            // every expanded state with successors has another state among them; false: unknown
	// some successors were not compared with the states found: those that are new are not among States; only in
	// package disk
	Uncompared bool
	Visited    string           // the form of the visited set: bit map, quotients, table, trees or hashes
	Peak       int64            // largest memory of states, tables and buffers, in bytes
	Disk       int64            // largest size of files, in bytes; only in package disk
	Full       error            // OutOfDisk: why a file could not be written
	Unsaved    *CheckpointError // why the last checkpoint could not be saved; nil if it was, or none was due
	Refusal    error            // Refused: the error of AppendSuccessors
	RefusedAt  ID               // Refused: the state, the first one in the order of the walk
}
