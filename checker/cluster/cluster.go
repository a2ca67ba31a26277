// Package cluster explores the states of a network or a program on many computers. An [Engine] is a field of a
// checker.Question; what runs on the computers is a [Worker] for the first half of each work and [Reduce] for the
// second. What the computers share is a folder of [Files]. Command unknot-beam does so in pipelines of Apache Beam.
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

// Engine explores on many computers, in rounds: one for each level, and one for each step of the path
// back from a violation. What it gives workers to do depends on files alone, so it may repeat any part.
type Engine struct {
	Files  Files  // seen by all computers; empty, or left by a search of the same question
	Where  string // where the files are, for messages
	Shards int    // of the states, at least 1; a search that continues keeps its own number
	// Round calls Map for each work, groups what those calls emit by shard, and calls Reduce
	// for each shard. The question is to be passed to the workers.
	Round func(ctx context.Context, question string, works [][]byte) error
}

// Files are files with flat names: no folders.
type Files interface {
	Names(ctx context.Context) ([]string, error)
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write calls write once and then gives the result its name, all or nothing.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	Remove(ctx context.Context, name string) error
}

// Worker does work on one of the computers of an [Engine].
type Worker struct {
	files Files
	walk  *explore.Walk
}

// NewWorker reads a question and prepares its machine, which takes as long as reading it. A question that is
// damaged, or for another machine or version than this computer makes of it, is an error.
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

// Map does the first half of a work and emits the pieces for each shard.
func (w *Worker) Map(ctx context.Context, work []byte, emit func(shard int, piece []byte)) error {
	return disk.Map(ctx, w.walk.Machine, walk.Options{Inspect: w.walk.Inspect, Judge: w.walk.Judge}, w.files, work,
		emit)
}

// Reduce does the second half of a work on all pieces emitted to one shard, in any order.
func Reduce(ctx context.Context, files Files, next func() (piece []byte, ok bool)) error {
	return disk.Reduce(ctx, files, next)
}
