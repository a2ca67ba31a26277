// Package walk stores and walks the reachable states of a machine:
// breadth first, level by level, on all cores, exactly.
//
// The invariant that everything here keeps: what has been found after a round, and in
// which order, depends on the machine alone, never on the number of workers or on time. A
// round takes the next piece of the current level, in order. First the workers expand
// chunks of it and sort the successors of each chunk by shard. Then each shard, owned by
// one worker at a time, inserts its successors in the order of the chunks. Last, the new
// states go into the queue (queue.go), in the order of a sequential search. So the inner
// loops need no lock and no atomic, and the table of a shard stays in the cache while it
// is in use. The first parent of a state is the same on every run and in every form.
//
// A state is stored packed in 32-bit words, followed by the number of its parent, in the
// order of discovery. The table of a shard holds 32-bit entries: the local number of a
// state and six bits of its hash. Together that is about 4 bytes for each 32 bits of
// state, 4 for the parent and 5 to 10 for the table.
//
// That is one form of the visited set (form.go). Others are faster where they apply. States of up to 70 bits are
// stored in the tables themselves, in fewer bits than they have (quotient.go); the order of discovery then lists
// their slots, of 4 bytes, and parents. States of up to 26 bits need no table: a bit map has one bit for each
// possible state. Each of its cache lines belongs to one shard, so the insertions of a shard touch few lines and
// probes rarely miss the cache. States of many bits are trees that share what is equal (trees.go).
package walk

import "context"

// Explore walks the machine from its initial states. It fails if a checkpoint cannot be
// read or, when first tried, written. Running out of a budget is not an error, nor is an
// error of AppendSuccessors, which ends the walk after that round. The space holds what was found, and
// can be released when it is no longer needed.
func Explore(ctx context.Context, m Machine, opt Options) (*Space, *Result, error) {
	w, err := newWalk(m, opt)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		w.target.close()
		w.arena.release()
	}()
	if err := w.begin(); err != nil {
		w.space.Release()
		return nil, nil, err
	}
	if err := w.run(ctx); err != nil {
		w.space.Release()
		return nil, nil, err
	}
	return w.space, &w.result, nil
}
