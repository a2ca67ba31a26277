package walk

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// A checkpoint is a file with everything that a walk has found between two rounds. It
// holds a line that names the format, what the checkpoint depends on, the counts, the
// shards and the queue, and ends with the SHA-256 of all of that. The tables are not in
// it: they are rebuilt.
//
// The invariant: a walk goes on from a checkpoint only if it would have written the same
// one itself. Whatever changes states, flags or their order is therefore part of the
// identity. The reader checks all that it reads, so a damaged or forged file can at worst
// hold unreachable states, never words that are not a state of the machine.

// Checkpoint says where to save a walk, and where to begin.
type Checkpoint struct {
	Save     string        // file; "" saves nothing
	Every    time.Duration // between saves; 0 saves only if the walk ends before it is complete
	Resume   string        // file to continue from; "" begins at the initial states
	Identity []Part        // what the walk depends on; a checkpoint of another identity is refused
	Saving   sync.Locker   // held during each save; may be nil

	// create opens the file to write; nil creates a temporary file that is renamed.
	create func(path string) (io.WriteCloser, error)
}

// Part is something that a checkpoint depends on, such as the machine. The name
// completes "the checkpoint is for another ...".
type Part struct{ Name, Value string }

// identity writes the parts, a line each.
func identity(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%q %q\n", p.Name, p.Value)
	}
	return b.String()
}

// other names a part in which a checkpoint with the given identity differs.
func other(parts []Part, saved string) string {
	lines := strings.SplitAfter(saved, "\n")
	for i, p := range parts {
		if i >= len(lines) || lines[i] != identity([]Part{p}) {
			return p.Name
		}
	}
	return "kind"
}

// The number goes up whenever the format, or the meaning of a state or a flag, changes.
const (
	formatName     = "unknot-checkpoint "
	checkpointLine = formatName + "7\n"
)

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct {
	File string
	Msg  string
}

func (e *CheckpointError) Error() string { return "checkpoint " + e.File + " " + e.Msg }

// Other names a part in which a saved identity differs from that of a walk; "" if none.
func Other(parts, saved []Part) string {
	if slices.Equal(parts, saved) {
		return ""
	}
	return other(parts, identity(saved))
}
