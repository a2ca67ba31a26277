package disk

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// A user who interrupts a walk waits for it to stop. Sorting what the workers hold, writing it in
// that order and syncing it to disk takes seconds; so it is written as it is in memory, and
// sorted when the walk continues.

// Such a file consists of blocks: the number of words and a checksum of both, four bytes
// each, then the words.
const leftWords = 1 << 13 // of a block, at most

const leftHead = 8

// keep saves all that was found, so that the walk can continue, and syncs it to disk.
// Once ctx ends, it saves in the quickest way.
func (w *search) keep(ctx context.Context) error {
	err := w.spill(ctx)
	if err == nil {
		err = w.shelf.settle(ctx, &w.state)
	}
	if ended(ctx, err) {
		return w.leave()
	}
	if err != nil {
		return err
	}
	defer w.saving()()
	w.saved = time.Now()
	if err := w.shelf.commit(w.opt.Checkpoint.Identity, &w.state, true); err != nil {
		return err
	}
	w.whole = w.state.clone() // what the level began with may be gone
	return nil
}

// ended reports whether an error is that ctx has ended, or the cause of that.
func ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// interrupted turns the error of an ended context into an interruption.
func (w *search) interrupted(ctx context.Context, err error) error {
	if !ended(ctx, err) {
		return err
	}
	w.result.Reason = walk.Interrupted
	return w.leave()
}

// leave saves all that was found, in the time it takes to write the memory. Then the
// walk has ended.
func (w *search) leave() error {
	defer w.saving()()
	w.collect()
	errs := make([]error, len(w.workers))
	w.each(func(k int) { errs[k] = w.workers[k].leave() })
	for k, x := range w.workers {
		if errs[k] != nil {
			return errs[k]
		}
		w.Left = append(w.Left, x.left...)
		x.left = nil
	}
	return w.shelf.commit(w.opt.Checkpoint.Identity, &w.state, false)
}

// leave writes what the worker holds.
func (x *worker) leave() error {
	if len(x.states) == 0 {
		return nil
	}
	out, err := x.w.shelf.writer(x.w.Levels)
	if err != nil {
		return err
	}
	most := max(1, leftWords/x.w.words) * x.w.words
	block := make([]byte, 0, leftHead+8*most)
	le := binary.LittleEndian
	for left := x.states; len(left) > 0; {
		n := min(len(left), most)
		block = le.AppendUint32(block[:0], uint32(n))
		block = append(block, 0, 0, 0, 0)
		for _, word := range left[:n] {
			block = le.AppendUint64(block, word)
		}
		le.PutUint32(block[4:], sumOfLeft(block))
		if err := out.put(block); err != nil {
			out.discard()
			return err
		}
		out.States += int64(n / x.w.words)
		out.Bytes += int64(len(block))
		left = left[n:]
	}
	r, err := out.close()
	if err != nil {
		return err
	}
	x.left = append(x.left, r)
	x.states = x.states[:0]
	return nil
}

// sumOfLeft is the checksum of a block without the checksum itself.
func sumOfLeft(block []byte) uint32 {
	return crc32.Update(crc32.Checksum(block[:4], castagnoli()), castagnoli(), block[leftHead:])
}

// takeBack reads into memory what leave wrote.
func (w *search) takeBack(ctx context.Context) error {
	check := walk.NewStateCheck(w.m.Layout())
	for i, r := range w.Left {
		x := w.workers[i%len(w.workers)]
		err := w.shelf.eachLeft(ctx, r, func(states []uint64) error {
			for ; len(states) > 0; states = states[w.words:] {
				s := states[:w.words]
				if !check.Holds(s) {
					return w.shelf.damaged("a state is in an impossible place")
				}
				if err := x.hold(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	w.collect()
	w.shelf.retire(w.Left...)
	w.Left = nil
	return nil
}

// eachLeft calls f with the states of a file that leave wrote, in batches.
func (s *shelf) eachLeft(ctx context.Context, r run, f func(states []uint64) error) error {
	file, err := os.Open(r.path(s.dir))
	if err != nil {
		return s.unreadable(err)
	}
	defer file.Close()
	damaged := func(why string) error {
		return &walk.CheckpointError{File: file.Name(), Msg: "is damaged: " + why}
	}
	info, err := file.Stat()
	if err != nil {
		return s.unreadable(err)
	}
	if info.Size() != r.Bytes {
		return damaged(fmt.Sprintf("%s has %d bytes, not %d", filepath.Base(file.Name()), info.Size(), r.Bytes))
	}
	in := bufio.NewReaderSize(file, 1<<16)
	le := binary.LittleEndian
	var block []byte
	var states []uint64
	for left := r.States; left > 0; left -= int64(len(states) / s.words) {
		if err := ctx.Err(); err != nil {
			return err
		}
		block = append(block[:0], make([]byte, leftHead)...)
		if _, err := io.ReadFull(in, block); err != nil {
			return damaged(err.Error())
		}
		n := int64(le.Uint32(block))
		if n == 0 || n%int64(s.words) != 0 || n/int64(s.words) > left || n > int64(max(leftWords, s.words)) {
			return damaged("a block is impossible")
		}
		block = append(block, make([]byte, 8*n)...)
		if _, err := io.ReadFull(in, block[leftHead:]); err != nil {
			return damaged(err.Error())
		}
		if sumOfLeft(block) != le.Uint32(block[4:]) {
			return damaged("a checksum differs")
		}
		states = states[:0]
		for at := leftHead; at < len(block); at += 8 {
			states = append(states, le.Uint64(block[at:]))
		}
		if err := f(states); err != nil {
			return err
		}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return damaged("something follows its states")
	}
	return nil
}
