package statespace

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
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
	checkpointLine = formatName + "6\n"
)

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct {
	File string
	Msg  string
}

func (e *CheckpointError) Error() string { return "checkpoint " + e.File + " " + e.Msg }

// counts is what a checkpoint holds besides the shards.
type counts struct {
	Compact               bool
	Packed, Shards        uint32
	Expanded, Transitions int64
	Levels, Widest        int64
	Flagged               [FlagBits]int64
	First                 [FlagBits]ID
}

func (w *walk) encode(f io.Writer) error {
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<18)
	put := func(x any) {
		_ = binary.Write(b, binary.LittleEndian, x) // a bufio.Writer keeps its first error for Flush
	}
	b.WriteString(checkpointLine)
	id := identity(w.opt.Checkpoint.Identity)
	put(uint32(len(id)))
	b.WriteString(id)
	put(counts{w.space.compact, uint32(w.space.packed), shards, w.result.Expanded, w.result.Transitions,
		int64(w.result.Levels), w.result.Widest, w.result.Flagged, w.result.First})
	for i := range w.space.shards {
		sh := &w.space.shards[i]
		put(sh.count)
		if sh.form == byQuotients {
			w.encodeQuotients(b, i)
			continue
		}
		for k, block := range sh.blocks {
			put(block[:min(sh.size(), int(sh.count)-k*sh.size())*sh.entry])
		}
	}
	put(w.level - w.queue.first)
	for place := w.queue.first; place < w.queue.end; place++ {
		put(w.queue.at(place)[:w.filed()])
	}
	if err := b.Flush(); err != nil {
		return err
	}
	_, err := f.Write(sum.Sum(nil))
	return err
}

// filed returns how many words of a queue entry go into a checkpoint: those that cannot
// be derived from the states themselves.
func (w *walk) filed() int {
	if w.space.compact {
		return w.queue.entry
	}
	return 1
}

// encodeQuotients writes the states of a shard packed, as the other forms do.
func (w *walk) encodeQuotients(b *bufio.Writer, shard int) {
	sh := &w.space.shards[shard]
	var state []uint64
	var packed []uint32
	for local := range sh.count {
		state = w.space.stateAt(state[:0], shard, local)
		packed = append(w.space.pack(packed[:0], state), sh.at(local)[1])
		for _, x := range packed {
			b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), x))
		}
	}
}

// Other names a part in which a saved identity differs from that of a walk; "" if none.
func Other(parts, saved []Part) string {
	if slices.Equal(parts, saved) {
		return ""
	}
	return other(parts, identity(saved))
}
