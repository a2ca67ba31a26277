package walk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"time"
)

// Where checkpoints are saved. A checkpoint is written under a name of its own
// and renamed when it is complete, so the last good one survives whatever
// happens. The path is tried before the walk begins: hours later is too late
// to learn of a mistake. After that, a save that fails does not stop the walk.

// save writes a checkpoint. If that fails the walk goes on and reports it.
func (w *walk) save() {
	c := &w.opt.Checkpoint
	if c.Save == "" || !w.space.Parents() {
		return
	}
	if c.Saving != nil {
		c.Saving.Lock()
		defer c.Saving.Unlock()
	}
	w.saved = time.Now()
	var err error
	switch {
	case c.create != nil:
		var f io.WriteCloser
		if f, err = c.create(c.Save); err == nil {
			err = errors.Join(w.encode(f), f.Close())
		}
	default:
		err = w.target.write(w.encode)
	}
	w.result.Unsaved = nil
	if err != nil {
		w.result.Unsaved = &CheckpointError{c.Save, "could not be saved: " + cause(err).Error()}
	}
}

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
	return WriteCheckpoint(f, InMemory, w.opt.Checkpoint.Identity, func(b *bufio.Writer) {
		put := func(x any) { _ = binary.Write(b, binary.LittleEndian, x) }
		put(counts{w.space.compact, uint32(w.space.packed), shards, w.result.Expanded, w.result.Transitions,
			int64(w.result.Levels), w.result.Widest, w.result.Flagged, w.result.First})
		for i := range w.space.shards {
			put(w.space.shards[i].count)
			w.space.form.write(b, i)
		}
		put(w.level - w.queue.first)
		for place := w.queue.first; place < w.queue.end; place++ {
			put(w.queue.entryAt(place)[:w.filed()])
		}
	})
}

// filed returns how many words of a queue entry go into a checkpoint: those that cannot
// be derived from the states themselves.
func (w *walk) filed() int {
	if w.space.compact {
		return w.queue.entry
	}
	return 1
}
