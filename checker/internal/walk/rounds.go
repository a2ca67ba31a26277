package walk

import (
	"context"
	"errors"
	"math/bits"
	"os"
	"time"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

var errNoStart = errors.New("the machine has no initial state")

const (
	chunkWords  = 1 << 17 // fewer successors in a chunk than chunkEntries if they would take more than this
	leastChunk  = 64      // states, unless fewer are left
	leastChunks = 8       // of a level that is not very narrow
	roundWords  = 32 * chunkWords
	mostChunks  = 64 // of a round
)

// mostQueued is the largest packed state, in words of 32 bits, that the queue keeps a copy of
// although its shard holds it. Memory that the system has to zero costs more than the second look at the shard.
const mostQueued = 8

func newQueue(s *Space, sleep *Sleep) queue {
	q := queue{entry: 1 + s.carried, encoded: true}
	if s.indirect || s.wide && !s.compact && s.packed > mostQueued {
		q.entry, q.encoded = 1, false
	}
	if sleep != nil {
		q.sleep = sleep.Words
		q.entry += 2 * q.sleep
	}
	q.bits = bitsFor(q.entry)
	return q
}

func newWalk(m Machine, opt Options) (*walk, error) {
	w := &walk{m: m, opt: opt, space: newSpace(m, opt.Compact, opt.Whole, opt.Memory > 0 && opt.Memory < pages.LeastBudget)}
	w.arena.spare = w.space.arena.spare
	w.opt.Workers = max(1, opt.Workers)
	w.queue = newQueue(w.space, opt.Sleep)
	w.queue.arena = &w.arena
	if opt.Judge != nil {
		w.kinds = m.(Kinds)
	}
	for range w.opt.Workers {
		w.expanders = append(w.expanders, newExpander(w, len(w.expanders)))
	}
	return w, nil
}

// begin starts from the initial states or from a checkpoint.
func (w *walk) begin() error {
	w.began = time.Now()
	w.saved = w.began
	c := &w.opt.Checkpoint
	var from *os.File
	var err error
	if c.Resume != "" {
		if from, err = openResume(c.Resume); err != nil {
			return err
		}
		defer from.Close()
	}
	if c.Save != "" && c.create == nil {
		if w.target, err = openTarget(c.Save); err != nil {
			return err
		}
	}
	if from != nil {
		return w.resume(from)
	}
	w.start()
	if w.result.Widest == 0 {
		return errNoStart
	}
	return nil
}

// start inserts the initial states.
func (w *walk) start() {
	s, words := w.space, w.space.words
	for start := w.m.Start(nil); len(start) >= words; start = start[words:] {
		encoding, i := s.form.encode(start[:words])
		c := &chunk{queue: &w.queue, from: w.queue.end, entries: append(encoding, 0)}
		c.bounds[i+1], c.hashes = int32(len(c.entries)), []uint64{hashOf(s.key(nil, encoding))}
		w.queue.grow(1) // it is its own parent
		w.queue.put(c.from, idOf(i, s.shards[i].count), encoding, nil)
		w.expanders[0].insert(i, []*chunk{c})
		if c.fresh[i] == 0 {
			w.queue.grow(-1)
			continue
		}
	}
	w.judgeFrontier()
	w.nextLevel()
}

// nextLevel makes the states found but not expanded the current level.
func (w *walk) nextLevel() {
	width := w.queue.end - w.level
	w.level = w.queue.end
	if width > 0 {
		w.result.Levels++
	}
	w.result.Widest = max(w.result.Widest, width)
}

func (w *walk) run(ctx context.Context) error {
	defer w.measure()
	defer func() {
		if w.crew != nil {
			w.crew.dismiss()
		}
	}()
	for {
		if w.opt.MaxStates > 0 && w.space.States() >= w.opt.MaxStates && w.frontier() > 0 {
			w.result.Reason = OutOfStates
			w.save()
			return nil
		}
		if w.plan() == 0 {
			w.nextLevel()
			if w.plan() == 0 {
				w.result.Reason = Complete
				return nil
			}
		}
		w.expand(ctx)
		if ctx.Err() != nil {
			w.undo()
			w.result.Reason = Interrupted
			w.save()
			return nil
		}
		if !w.fits() {
			w.undo()
			w.result.Reason = OutOfMemory
			w.save()
			return nil
		}
		w.insert()
		w.count()
		w.reshape()
		if w.result.Refusal != nil {
			w.result.Reason = Refused
			return nil
		}
		if w.opt.Until != nil && w.opt.Until(&w.result.Flagged, w.space.States()) {
			w.result.Reason = Found
			return nil
		}
		if w.opt.Parents != nil && w.space.Parents() && !w.opt.Parents(&w.result.Flagged, w.space.States()) {
			w.space.dropParents()
		}
		w.tell()
		if every := w.opt.Checkpoint.Every; every > 0 && time.Since(w.saved) > every {
			w.save()
		}
	}
}

// plan cuts the next piece of the level into chunks and returns their number. A bound on
// states also bounds the piece, so that it probably finds no more than allowed.
func (w *walk) plan() int {
	size, chunks, end := int64(256), mostChunks, w.level
	if looked, steps := w.looked, max(w.steps, 1); looked > 0 {
		if most := w.opt.MaxStates; most > 0 {
			left := min(most-w.space.States(), roundWords) // no round finds more, and the product stays small
			end = min(end, w.next+max(leastChunk, left*looked/steps))
		}
		entry := int64(w.space.carried + 1)
		aim := min(chunkEntries, chunkWords/entry)
		size = min(max(aim*looked/steps, 1), chunkEntries)
		words := int64(roundWords)
		if most := w.opt.Memory; most > 0 { // buffers take several times as much as the words of a round
			words = min(words, max(chunkWords, most/64))
		}
		chunks = int(min(max(words*looked/(entry*steps*size), 1), mostChunks))
	}
	size = min(size, max(leastChunk, (end-w.next+leastChunks-1)/leastChunks))
	for w.round = 0; w.next < end && w.round < chunks; w.round++ {
		to := min(w.next+size, end)
		if w.round == len(w.chunks) {
			w.chunks = append(w.chunks, &chunk{})
		}
		c := w.chunks[w.round]
		c.queue, c.from, c.to = &w.queue, w.next, to // the worker that expands it fills in the rest
		w.next = to
	}
	return w.round
}

// undo gives back the states of a round that was not finished.
func (w *walk) undo() { w.next = w.queue.first }

// expand is the first half of a round.
func (w *walk) expand(ctx context.Context) {
	w.each(w.round, int(w.next-w.queue.first), func(worker, i int) { w.expanders[worker].expand(ctx, w.chunks[i]) })
}

// fits reports whether the second half of the round stays within the memory budget, even if
// all successors are new. Tables grow in large steps only if it then still does.
func (w *walk) fits() bool {
	most := w.opt.Memory
	w.space.widening = w.queue.end-w.queue.first >= w.result.Widest
	bytes, ok := w.needs()
	if most != 0 && bytes > most && w.space.widening {
		w.space.widening = false
		bytes, ok = w.needs()
	}
	w.result.Peak = max(w.result.Peak, bytes)
	return ok && (most == 0 || bytes <= most)
}

// needs returns the memory that the second half of a round takes if all successors are new; ok
// is false if a shard cannot hold that many states.
func (w *walk) needs() (bytes int64, ok bool) {
	largest, more, blocks := 0, int64(0), 0
	var words, sizes [shards]int
	form := w.space.form
	for _, c := range w.chunks[:w.round] {
		for i := range words {
			words[i] += int(c.bounds[i+1] - c.bounds[i])
		}
	}
	for i := range w.space.shards {
		sh := &w.space.shards[i]
		incoming := words[i] / (w.space.carried + 1)
		more += int64(incoming)
		if int64(sh.count)+int64(incoming) > mostLocal {
			return w.space.bytes() + w.buffers(0), false
		}
		if sizes[i] = form.enlarged(i, sh.count+uint32(incoming), w.space.widening); sizes[i] > form.tabled(i) {
			if largest = max(largest, form.tabled(i)); w.space.tables.contiguous(form.tabled(i)) {
				largest = max(largest, form.tabled(i)+hugeWords)
			}
		}
		if !sh.bare {
			blocks += max(0, (int(sh.count)+incoming+sh.size()-1)/sh.size()-len(sh.blocks)) * sh.size() * sh.entry
		}
	}
	order := int64(largest) * 4 * int64(w.opt.Workers)
	return w.space.bytesWith(&sizes, blocks) + w.buffers(w.queue.words(more)) + order, true
}

// insert is the second half of a round.
func (w *walk) insert() {
	entries := 0
	for _, c := range w.chunks[:w.round] {
		entries += len(c.entries)
	}
	w.each(shards, entries, func(worker, i int) { w.expanders[worker].insert(i, w.chunks[:w.round]) })
	fresh := int64(0)
	for _, c := range w.chunks[:w.round] {
		c.place = w.queue.end + fresh
		for _, n := range c.fresh {
			fresh += int64(n)
		}
	}
	w.queue.grow(fresh)
	if w.opt.Free != nil {
		w.free = w.opt.Free()
	}
	w.each(w.round, entries, func(worker, i int) { w.expanders[worker].gather(w.chunks[i]) })
}

// reshape lets a form learn from the states found.
func (w *walk) reshape() {
	if form, ok := w.space.form.(reshaping); ok {
		states := int(w.space.States())
		form.reshape(func(count int, do func(worker, i int)) { w.each(count, states, do) })
	}
}

// count adds up what the chunks of the round found.
func (w *walk) count() {
	for _, c := range w.chunks[:w.round] {
		w.result.Expanded += c.to - c.from
		w.looked += c.to - c.from
		if w.steps += c.steps; w.opt.MaxStates > 0 {
			w.steps += c.transitions - c.steps
		}
		w.result.Transitions += c.transitions
		w.rests = w.rests || c.rests
		if c.refusal != nil && w.result.Refusal == nil {
			w.result.Refusal, w.result.RefusedAt = c.refusal, ID(w.queue.entryAt(c.refusedAt)[0])
		}
		for flags := c.flags; flags != 0; flags &= flags - 1 {
			f := bits.TrailingZeros64(uint64(flags))
			if w.judged[f] == 0 {
				w.judged[f] = c.judged[f]
			}
			if c.flagged[f] == 0 {
				continue
			}
			if w.result.Flagged[f] == 0 {
				w.result.First[f] = ID(w.queue.entryAt(c.first[f])[0])
			}
			w.result.Flagged[f] += int64(c.flagged[f])
		}
	}
	w.queue.drop(w.next)
}

func (w *walk) measure() {
	w.result.States, w.result.Visited = w.space.States(), w.space.name
	w.result.Leaves = w.opt.Leaves && !w.rests && w.opt.Checkpoint.Resume == ""
	for _, x := range w.expanders {
		if w.opt.Checkpoint.Resume != "" {
			break
		}
		if more := len(x.taken) - len(w.result.Taken); more > 0 {
			w.result.Taken = append(w.result.Taken, make([]bool, more)...)
		}
		for k, taken := range x.taken {
			w.result.Taken[k] = w.result.Taken[k] || taken
		}
	}
	w.result.Peak = max(w.result.Peak, w.space.bytes()+w.buffers(0))
}

func (w *walk) tell() {
	const rest = 200 * time.Millisecond
	if w.opt.Progress == nil || time.Since(w.reported) < rest {
		return
	}
	w.reported = time.Now()
	note := ""
	if w.result.Unsaved != nil {
		note = w.result.Unsaved.Error()
	}
	w.opt.Progress(states.Progress{
		States: w.space.States(), Transitions: w.result.Transitions, Level: w.result.Levels - 1, Frontier: w.frontier(),
		Memory: w.space.bytes() + w.buffers(0), Budget: w.opt.Memory, MaxStates: w.opt.MaxStates,
		Elapsed: time.Since(w.began), Note: note,
	})
}

// each runs f for 0..count-1 on all workers, or on the caller alone if there is too
// little to share.
func (w *walk) each(count, work int, f func(worker, i int)) {
	const little = 128
	if len(w.expanders) == 1 || count == 1 || work < little {
		for i := range count {
			f(0, i)
		}
		return
	}
	if w.crew == nil {
		w.crew = newCrew(len(w.expanders))
	}
	w.crew.each(count, f)
}
