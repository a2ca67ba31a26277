// Package cluster explores the states of a network or a program on many computers.
//
// The computer that asks sets checker.Question.Cluster to an [Engine]. The states are divided into shards by their
// hash, and the search proceeds in rounds, one per level of the breadth-first search. In each round the engine
// hands out one task per shard. A [Worker] maps a task: it expands the states of its shard and emits the
// successors, as pieces, to the shards that own them. [Reduce] then merges the pieces of one shard into its
// states. Tasks and pieces are opaque bytes that only this package reads.
//
// The computers share a folder of [Files], and nothing else. Command unknot-beam runs the rounds in pipelines of
// Apache Beam.
package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/internal/walk/disk"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// Engine explores on many computers, in rounds: one per level, and one per step of the path back from a violation.
//
// Mapping and reducing depend on the files of earlier rounds alone, and repeating one writes the same bytes. So
// Round may run a task several times, on several computers, after a crash or as a precaution.
type Engine struct {
	Files  Files  // seen by all computers; empty, or left by a search of the same question
	Where  string // the folder as a user knows it, for messages
	Shards int    // of the states, at least 1; a search that continues keeps the number that it began with
	// Round runs one round, and returns when all of it is done. It maps each task in works by a Worker for the
	// question, collects the emitted pieces by shard, and calls Reduce once per shard. An error ends
	// the search; it can be continued later from the same files.
	Round func(ctx context.Context, question string, works [][]byte) error
}

// Files is a folder that all computers of an [Engine] see: a file that one computer has written, all can open.
// Names contain no slash. The methods may be called by several goroutines.
type Files interface {
	// Names lists the files, in any order.
	Names(ctx context.Context) ([]string, error)
	// Open opens a file for reading; the caller closes it. The error for a missing file is an fs.ErrNotExist.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write calls write once and then gives the result its name, replacing a file of that name. After an error
	// there is no part of the new file.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	// Remove removes a file. It is no error if there is none.
	Remove(ctx context.Context, name string) error
}

// Worker maps the tasks of one question, on any computer that sees the files. It is immutable, and safe for
// concurrent use.
type Worker struct {
	files Files
	walk  *explore.Walk
}

// NewWorker returns a worker for the question that [Engine.Round] was given. It reads the closed form from the
// files and prepares its machine, in time linear in the text, so keep one worker per process and question. A
// question that is missing or damaged, or of which this program makes another machine than the one that asked, is
// an error.
func NewWorker(ctx context.Context, files Files, question string) (*Worker, error) {
	name := disk.QuestionFile(question)
	text, err := readQuestion(ctx, files, name, question)
	if err != nil {
		return nil, &walk.CheckpointError{File: name, Msg: "cannot be read: " + err.Error()}
	}
	w, err := explore.ReadShipped(ctx, name, text)
	return &Worker{files, w}, err
}

// readQuestion reads the file of a question, whose name is that of its content.
func readQuestion(ctx context.Context, files Files, name, question string) ([]byte, error) {
	const most = 4 << 30 // bytes: a closed form has half as many
	f, err := files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := limited.ReadAll(name, f, most)
	if err == nil && fmt.Sprintf("%x", sha256.Sum256(text)) != question {
		err = errors.New("it is for another question")
	}
	return text, err
}

// Map runs one task of [Engine.Round]: it reads the states that the task's shard has gained, expands them, and
// calls emit with the successors as pieces for the shards that own them. It calls emit from one goroutine; emit
// may keep the pieces. Map writes no file. To repeat it, discard all pieces of the call that failed.
func (w *Worker) Map(ctx context.Context, work []byte, emit func(shard int, piece []byte)) error {
	return disk.Map(ctx, w.walk.Machine, walk.Options{Inspect: w.walk.Inspect, Judge: w.walk.Judge}, w.files, work,
		emit)
}

// Reduce ends a round for one shard. Pieces are those that all calls of Map emitted to it in this round, in any
// order; next returns them one by one, and false after the last. States that the shard does not have yet become
// its part of the next level, and its file is rewritten. The pieces of a shard are held in memory together. Pieces
// of which some are missing are an error, here or when the engine adds up the round. Repeating Reduce with the
// same pieces writes the same bytes.
func Reduce(ctx context.Context, files Files, next func() (piece []byte, ok bool)) error {
	return disk.Reduce(ctx, files, next)
}
