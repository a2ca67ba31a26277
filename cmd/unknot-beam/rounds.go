package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/seed-105a2da2/unknot/checker/cluster"
)

// A round is a pipeline:
//
//	Impulse, ParDo   the work items, one for each shard
//	Reshuffle        so that they run in parallel
//	ParDo            mapping: reads the shard's file, sends pieces to shards
//	GroupByKey       the pieces by shard
//	ParDo            reducing: reads the shard's file, writes the next one
//
// in the global window, without side inputs, state, timers or sinks, so it uses nothing that a
// runner might lack. The output is files; a repeated bundle writes the same ones.

// mapping does the first half of a work item.
type mapping struct {
	Root, Question string

	worker *cluster.Worker
}

// Setup reads the question.
func (f *mapping) Setup(ctx context.Context) error {
	files, err := openFolder(ctx, f.Root)
	if err == nil {
		f.worker, err = cluster.NewWorker(ctx, files, f.Question)
	}
	return err
}

func (f *mapping) ProcessElement(ctx context.Context, work []byte, emit func(int, []byte)) error {
	return f.worker.Map(ctx, work, emit)
}

// reducing does the second half.
type reducing struct{ Root string }

func (f *reducing) ProcessElement(ctx context.Context, _ int, pieces func(*[]byte) bool) error {
	files, err := openFolder(ctx, f.Root)
	if err != nil {
		return err
	}
	return cluster.Reduce(ctx, files, func() (piece []byte, ok bool) {
		ok = pieces(&piece)
		return piece, ok
	})
}

// registerRounds registers the functions and types of the pipelines with Beam, here and on the workers.
func registerRounds() {
	register.DoFn3x1[context.Context, []byte, func(int, []byte), error](&mapping{})
	register.Emitter2[int, []byte]()
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&reducing{})
	register.Iter1[[]byte]()
}

// round runs a round.
func round(ctx context.Context, runner, root, question string, works [][]byte) error {
	p, s := beam.NewPipelineWithRoot()
	listed := beam.Reshuffle(s, beam.CreateList(s, works))
	pieces := beam.ParDo(s, &mapping{Root: root, Question: question}, listed)
	beam.ParDo0(s, &reducing{Root: root}, beam.GroupByKey(s, pieces))
	if _, err := beam.Run(ctx, runner, p); err != nil {
		return fmt.Errorf("a job of the runner %s failed: %s", runner, cause(err))
	}
	return nil
}

// cause returns a worker's message without the plan of the pipeline that runners put before it.
func cause(err error) string {
	const told = "] failed:\n"
	text := err.Error()
	if at := strings.LastIndex(text, told); at >= 0 {
		return text[at+len(told):]
	}
	return text
}
