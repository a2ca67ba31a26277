package walk

import "time"

// walk is the state of one call of Explore.
type walk struct {
	m     Machine
	kinds Kinds // the machine, if states are judged
	opt   Options
	space *Space
	queue queue
	arena arena // of the queue and of the recent states
	next  int64 // the place of the first state that no round has taken
	level int64 // the place of the first state of the next level
	// steps taken; if states are bounded also those that sleep, which must not change where the walk is cut
	steps  int64
	looked int64
	judged [FlagBits]int64 // by flag: the place of the first state that was judged to have it, counted from 1
	free   []bool          // Options.Free in this round
	result Result
	rests  bool // Options.Leaves: some state has successors, of which none is another state

	expanders []*expander // by worker
	crew      *crew       // made once there is enough work to share
	chunks    []*chunk    // of the round, and spare ones for later rounds
	round     int         // chunks in use
	began     time.Time
	reported  time.Time
	saved     time.Time
	target    *target // of checkpoints; nil: none are saved
}

// expander is the scratch memory of a worker.
type expander struct {
	w      *walk
	worker int
	state  []uint64
	whole  []uint64 // all successors of the state, if some sleep
	ahead  []uint64 // the next few states; state is one of them
	next   []uint64
	tells  bool     // the machine reports kinds
	kinds  []uint32 // by successor; zeros, perhaps more than needed, if it does not
	ends   []int    // by state being expanded: the number of successors up to and including its own
	asleep []uint64 // what sleeps in the state
	after  []uint64 // what sleeps in a state that was found
	taken  []bool   // by kind: whether a step of it was taken
	key    []uint32
	out    []uint32 // entries in the order of the steps
	shards []uint8  // by entry of out; goes to the chunk
	hashes []uint64 // by entry of out, if the form is hash tables
	at     int64    // the end of the previous chunk, in the walk
	moving moving
	fold   *fold    // the state folded last, if the form is trees
	recent []uint64 // by some bits of the hash, or of what identifies a state: the last such state emitted
}

func (x *expander) bytes() int64 {
	of64 := cap(x.state) + cap(x.ahead) + cap(x.next) + cap(x.asleep) + cap(x.after) + cap(x.hashes) + cap(x.ends)
	of32 := cap(x.kinds) + cap(x.out) + cap(x.key)
	return x.moving.bytes() + int64(of64)*8 + int64(of32)*4 + int64(cap(x.shards)+cap(x.taken))
}

// buffers returns the memory of what is not the space's, with more words for the queue than now.
func (w *walk) buffers(more int) int64 {
	sum := w.arena.bytes(more)
	for _, c := range w.chunks {
		sum += int64(cap(c.entries)+cap(c.parents))*4 + int64(cap(c.hashes)+cap(c.notes))*8 + int64(cap(c.owners))
	}
	for _, x := range w.expanders {
		sum += x.bytes()
	}
	return sum
}

// frontier returns the number of states found but not expanded.
func (w *walk) frontier() int64 { return w.queue.end - w.next }
