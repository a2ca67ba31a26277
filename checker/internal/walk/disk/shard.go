package disk

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// A walk of many computers (see rounds.go): what each of them does to a shard.

// Files are the files that all computers of a cluster read and write; names have no folders.
type Files interface {
	Names(ctx context.Context) ([]string, error)
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write calls write once and then gives the result its name, all or nothing.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	Remove(ctx context.Context, name string) error
}

// work is what is to be done to a shard in one round.
type work struct {
	Question             string // its digest
	Shard, Shards, Level int
	Words                int // of a state
	held
	Look int      // level of the states that are looked at
	Back []uint64 // a state that steps to this one is sought; nil: they are expanded
}

// held is what the file of a shard holds.
type held struct{ States, Bytes int64 }

// The file of a shard is a line that identifies it, and a run of its visited states with
// their levels. A file left from another level or question has another line.
func (w *work) header() string {
	return fmt.Sprintf("unknot-shard 2, %d of %d at level %d of question %s\n", w.Shard, w.Shards, w.Level, w.Question)
}

func (w *work) file() string { return fmt.Sprintf("shard-%05d-level-%d", w.Shard, w.Level) }
func (w *work) report() string {
	if w.Back != nil {
		return fmt.Sprintf("before-%05d-level-%d", w.Shard, w.Look)
	}
	return fmt.Sprintf("report-%05d-level-%d", w.Shard, w.Level)
}

// shardOf returns the shard of a state.
func shardOf(s []uint64, shards int) int { return int(hashOf(s) >> 32 * uint64(shards) >> 32) }

// open opens the file of the shard.
func (w *work) open(ctx context.Context, files Files) (*cursor, error) {
	f, err := files.Open(ctx, w.file())
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(f, 1<<16)
	switch line, err := r.ReadSlice('\n'); {
	case err != nil:
		f.Close()
		return nil, &walk.CheckpointError{File: w.file(), Msg: "is damaged: " + err.Error()}
	case string(line) != w.header():
		f.Close()
		return nil, &walk.CheckpointError{
			File: w.file(),
			Msg:  fmt.Sprintf("is another one: it begins with %.120q", line),
		}
	}
	c := newCursor(run{Level: mixed, States: w.States, Bytes: w.Bytes}, w.file(), f, r, w.Words, true)
	c.doubted = true
	return c, nil
}

// each calls f with the states of the shard and their levels.
func (w *work) each(ctx context.Context, files Files, f func(s []uint64, level int) error) error {
	c, err := w.open(ctx, files)
	if err != nil {
		return err
	}
	defer c.close()
	for {
		rows, err := c.window()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || len(rows) == 0 {
			return err
		}
		c.take(len(rows))
		for ; len(rows) > 0; rows = rows[c.words:] {
			if err := f(rows[:w.Words], int(rows[w.Words])); err != nil {
				return err
			}
		}
	}
}

// A piece is what a mapped shard sends to a reduced one: states, as the last of them and a block (columns.go), or,
// once, to its own shard, what the mapping found.
const (
	statesPiece = 's'
	toldPiece   = 't'
	pieceWords  = 1 << 14 // at most, of states
)

// told is what mapping a shard found.
type told struct {
	Work                  work
	Sent                  int64 // states in pieces
	Expanded, Transitions int64
	Flagged               [walk.FlagBits]int64
	Least                 [walk.FlagBits][]uint64
	Refusal               string
	Refused               []uint64 // nil: the machine steps from all states
	Taken                 []bool
	Before                []uint64 // a state that steps to work.Back
}

// worker converts it to what a worker on one computer holds.
func (t *told) worker() *worker {
	x := &worker{
		tally: tally{expanded: t.Expanded, transitions: t.Transitions, flagged: t.Flagged, least: t.Least},
		taken: t.Taken,
	}
	if t.Refused != nil {
		x.refusal, x.refused = errors.New(t.Refusal), t.Refused
	}
	return x
}

// Map does the first half of a work: it expands the shard's part of the level, and emits the
// successors to their shards. It uses only the options Inspect and Judge.
func Map(
	ctx context.Context, m walk.Machine, opt walk.Options, files Files, text []byte,
	emit func(shard int, piece []byte),
) error {
	var w work
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	x := &worker{w: &search{m: m, opt: opt, words: w.Words}}
	if opt.Judge != nil {
		x.w.kinds = m.(walk.Kinds)
	}
	t := told{Work: w}
	if w.Back != nil {
		if err := w.lookBack(ctx, x, files, &t); err != nil {
			return err
		}
		return t.emit(emit)
	}
	out := make([][]uint64, w.Shards)
	send := func(to int) {
		sortStates(out[to], w.Words)
		states, _ := distinct(out[to], w.Words)
		t.Sent += int64(len(states) / w.Words)
		emit(to, pieceOf(states, w.Words))
		out[to] = out[to][:0]
	}
	err := w.each(ctx, files, func(s []uint64, level int) error {
		if level != w.Look {
			return nil
		}
		x.visit(s)
		for next := x.next; len(next) > 0; next = next[w.Words:] {
			to := shardOf(next[:w.Words], w.Shards)
			if out[to] = append(out[to], next[:w.Words]...); len(out[to]) >= pieceWords {
				send(to)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for to := range out {
		if len(out[to]) > 0 {
			send(to)
		}
	}
	t.Expanded, t.Transitions, t.Flagged, t.Least, t.Taken = x.expanded, x.transitions, x.flagged, x.least, x.taken
	if t.Refused = x.refused; x.refusal != nil {
		t.Refusal = x.refusal.Error()
	}
	return t.emit(emit)
}

func (t *told) emit(emit func(shard int, piece []byte)) error {
	text, err := json.Marshal(t)
	if err == nil {
		emit(t.Work.Shard, append([]byte{toldPiece}, text...))
	}
	return err
}

// lookBack finds the least state of the shard's part of a level that steps to work.Back.
func (w *work) lookBack(ctx context.Context, x *worker, files Files, t *told) error {
	return w.each(ctx, files, func(s []uint64, level int) error {
		if level != w.Look || t.Before != nil {
			return nil
		}
		if err := x.step(s); err != nil {
			return err
		}
		for next := x.next; len(next) > 0; next = next[w.Words:] {
			if compare(next[:w.Words], w.Back) == 0 {
				t.Before = slices.Clone(s)
				break
			}
		}
		return nil
	})
}

func pieceOf(states []uint64, words int) []byte {
	piece := binary.LittleEndian.AppendUint32([]byte{statesPiece}, uint32(len(states)/words))
	for _, x := range states[len(states)-words:] {
		piece = binary.LittleEndian.AppendUint64(piece, x)
	}
	return appendBlock(piece, states, words)
}

// appendPiece appends the states of a piece.
func appendPiece(dst []uint64, piece []byte, words int) ([]uint64, error) {
	const head = 5
	if len(piece) < head+8*words {
		return nil, errState
	}
	count, last := binary.LittleEndian.Uint32(piece[1:]), make([]uint64, words)
	for i := range last {
		last[i] = binary.LittleEndian.Uint64(piece[head+8*i:])
	}
	if count < 1 || count > pieceWords {
		return nil, errState
	}
	return decodeBlock(dst, piece[head+8*words:], int(count), last, words, words)
}

// report is what reducing a shard found.
type report struct {
	Told             told
	New, Known, Same int64 // of the states received: new, visited before, received more than once
	held                   // what its file holds now
}

// Reduce does the second half of a work: of the states sent to a shard, those not yet visited
// become its part of the next level. It rewrites the shard's file, and writes a report.
// Repeating the same work writes the same files.
func Reduce(ctx context.Context, files Files, next func() (piece []byte, ok bool)) error {
	var all []told
	var pieces [][]byte
	for piece, ok := next(); ok; piece, ok = next() {
		switch {
		case len(piece) == 0:
			return errState
		case piece[0] == statesPiece:
			pieces = append(pieces, slices.Clone(piece))
		default:
			var t told
			if err := json.Unmarshal(piece[1:], &t); err != nil {
				return err
			}
			all = append(all, t)
		}
	}
	if len(all) != 1 {
		return fmt.Errorf("%w: %d shards hold a header", errLost, len(all))
	}
	w := all[0].Work
	if w.Back != nil {
		return writeJSON(ctx, files, w.report(), report{Told: all[0]})
	}
	var sent []uint64
	var err error
	for _, piece := range pieces {
		if sent, err = appendPiece(sent, piece, w.Words); err != nil {
			return err
		}
	}
	r, err := w.merge(ctx, files, sent)
	if err != nil {
		return err
	}
	r.Told = all[0]
	return writeJSON(ctx, files, w.report(), r)
}

func writeJSON(ctx context.Context, files Files, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return files.Write(ctx, name, func(out io.Writer) error {
		_, err := out.Write(text)
		return err
	})
}

// merge writes the shard's file for the next level: what it holds, and those sent states that
// it does not.
func (w *work) merge(ctx context.Context, files Files, sent []uint64) (r report, err error) {
	sortStates(sent, w.Words)
	sent, r.Same = distinct(sent, w.Words)
	after := *w
	after.Level++
	err = files.Write(ctx, after.file(), func(out io.Writer) error {
		if _, err := io.WriteString(out, after.header()); err != nil {
			return err
		}
		e := newEncoder(run{Level: mixed}, w.Words, func(block []byte) error {
			_, err := out.Write(block)
			return err
		})
		row := make([]uint64, w.Words+1)
		write := func(s []uint64, level int) error {
			copy(row, s)
			row[w.Words] = uint64(level)
			return e.write(row)
		}
		// come writes the states sent that come before s, or all.
		come := func(s []uint64) error {
			for ; len(sent) > 0; sent = sent[w.Words:] {
				order := 1
				if s != nil {
					order = compare(s, sent[:w.Words])
				}
				switch {
				case order < 0:
					return nil
				case order == 0:
					r.Known++
					continue
				}
				r.New++
				if err := write(sent[:w.Words], after.Level); err != nil {
					return err
				}
			}
			return nil
		}
		if w.Level >= 0 {
			err := w.each(ctx, files, func(s []uint64, level int) error {
				if err := come(s); err != nil {
					return err
				}
				return write(s, level)
			})
			if err != nil {
				return err
			}
		}
		if err := come(nil); err != nil {
			return err
		}
		err := e.flush()
		r.held = held{e.run.States, e.run.Bytes}
		return err
	})
	return r, err
}
