package walk

import (
	"errors"
	"io"
	"os"
	"slices"
)

// openResume opens the checkpoint to continue from.
func openResume(path string) (*os.File, error) {
	info, err := os.Stat(path) // before opening it, as opening a pipe blocks
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, &CheckpointError{path, "cannot be read: " + cause(err).Error()}
	}
	return f, nil
}

// resume reads a checkpoint into the empty space.
func (w *walk) resume(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		err = inFull(w.decode(f, info.Size()))
	}
	if err != nil {
		return &CheckpointError{f.Name(), err.Error()}
	}
	return nil
}

// decode reads a checkpoint of size bytes. An error completes "the checkpoint ...".
func (w *walk) decode(f io.Reader, size int64) error {
	c, err := OpenCheckpoint(f, size)
	if err != nil {
		return err
	}
	if err := c.Match(InMemory, w.opt.Checkpoint.Identity); err != nil {
		return err
	}
	var n counts
	if err := c.Read(&n); err != nil {
		return err
	}
	if n.Compact != w.space.compact || int(n.Packed) != w.space.packed || n.Shards != shards {
		return errors.New("stores states in another form: resume it with the flags that began it")
	}
	check := NewStateCheck(w.m.Layout())
	for i := range w.space.shards {
		if err := w.decodeShard(c, i, check); err != nil {
			return err
		}
	}
	left, err := w.decodeQueue(c, &n)
	if err != nil {
		return err
	}
	if err := c.End(); err != nil {
		return err
	}
	if err := w.checkCounts(&n); err != nil {
		return err
	}
	w.result = Result{
		Expanded: n.Expanded, Transitions: n.Transitions, Levels: int(n.Levels), Widest: n.Widest,
		Flagged: n.Flagged, First: n.First,
	}
	for i := range w.space.shards {
		if err := w.restore(i, check); err != nil {
			return err
		}
	}
	if err := w.requeue(left, check); err != nil {
		return err
	}
	w.judgeFrontier()
	return nil
}

func (w *walk) decodeShard(c *CheckpointReader, i int, check *StateCheck) error {
	form := w.space.form
	var count uint32
	if err := c.Read(&count); err != nil {
		return err
	}
	if count > mostLocal || int64(count)*int64(form.filed())*4 > c.left {
		return damaged("its counts are impossible")
	}
	return form.read(c, i, count, check)
}

// decodeQueue reads the part of the queue entries that the file holds.
func (w *walk) decodeQueue(c *CheckpointReader, n *counts) ([]uint32, error) {
	left, level := w.space.States()-n.Expanded, int64(0)
	if err := c.Read(&level); err != nil {
		return nil, err
	}
	if n.Expanded < 0 || left < 0 || level < 0 || level > left {
		return nil, damaged("its levels are impossible")
	}
	w.next, w.level = n.Expanded, n.Expanded+level
	w.queue.first, w.queue.end, w.queue.base = n.Expanded, n.Expanded, n.Expanded
	if left*int64(w.filed())*4 > c.left {
		return nil, io.ErrUnexpectedEOF
	}
	ids := make([]uint32, left*int64(w.filed()))
	return ids, c.Read(ids)
}

// requeue rebuilds the queue from its entries in the file. Each must be a state of the
// space, and none may occur twice.
func (w *walk) requeue(left []uint32, check *StateCheck) error {
	s := w.space
	queued := map[ID]bool{}
	var state []uint64
	for ; len(left) > 0; left = left[w.filed():] {
		id := ID(left[0])
		shard, local := id.split()
		if local >= s.shards[shard].count || queued[id] {
			return damaged("its queue is impossible")
		}
		queued[id] = true
		if s.compact {
			state = s.unpack(state[:0], left[1:w.filed()])
		} else {
			state = s.form.state(state[:0], shard, local)
		}
		if !check.Holds(state) {
			return damaged("a state is out of range")
		}
		encoding, _ := s.form.encode(state)
		if key := s.key(nil, encoding); s.compact && !slices.Equal(key, s.shards[shard].entryAt(local)[:len(key)]) {
			return damaged("a state is in the wrong place")
		}
		w.queue.grow(1)
		w.queue.put(w.queue.end-1, id, encoding, nil)
	}
	return nil
}

// checkCounts refuses counts that no walk produces.
func (w *walk) checkCounts(n *counts) error {
	expanded, states := n.Expanded, w.space.States()
	ok := n.Transitions >= 0 && 1 <= n.Levels && n.Levels <= states && 1 <= n.Widest && n.Widest <= states
	for f, flagged := range n.Flagged {
		shard, local := n.First[f].split()
		ok = ok && 0 <= flagged && flagged <= expanded && (flagged == 0 || local < w.space.shards[shard].count)
	}
	if !ok {
		return damaged("its counts are impossible")
	}
	return nil
}

// restore checks the states of a shard and makes its table.
func (w *walk) restore(i int, check *StateCheck) error {
	s := w.space
	sh := &s.shards[i]
	for local := range sh.count {
		parent, number := ID(sh.entryAt(local)[sh.entry-1]).split()
		if number >= s.shards[parent].count {
			return damaged("a state has no parent")
		}
	}
	return s.form.restore(i, check)
}
