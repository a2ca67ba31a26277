package walk

import (
	"runtime"
	"sync/atomic"
)

// crew is the workers of a walk. Where levels are narrow, the halves of rounds follow each
// other within microseconds, but waking a thread takes tens of them. So a waiting worker
// spins for a while before it sleeps, and no worker waits for another that has not
// begun.
type crew struct {
	others []*member // the workers other than the caller
	do     func(worker, i int)
	parts  []part // of the work, by worker
	caller waiter
}

// part is a range of the work, alone in its cache line.
type part struct {
	next atomic.Int64 // the first that no worker has taken
	end  int64
	_    [14]int64
}

// member is a worker other than the caller; its state is what the caller told it.
type member struct {
	waiter
	state atomic.Uint32
}

const (
	idle    = iota // may be offered work
	offered        // may take the work, until it is withdrawn
	working
	dismissed
)

// newCrew returns a crew; its caller is one of the workers.
func newCrew(workers int) *crew {
	c := &crew{caller: newWaiter(), parts: make([]part, workers)}
	for worker := 1; worker < workers; worker++ {
		m := &member{waiter: newWaiter()}
		c.others = append(c.others, m)
		go m.work(c, worker)
	}
	return c
}

// dismiss ends the workers. The crew must not be used after that.
func (c *crew) dismiss() {
	for _, m := range c.others {
		m.state.Store(dismissed)
		m.rouse()
	}
}

// each runs do for 0..count-1 on all workers. Neighbouring numbers are near in memory, and the
// worker that had them before profits most. So each worker begins with a part of its own. One that is
// done helps those after it; the last one helps those before it, continuing their parts where they are.
func (c *crew) each(count int, do func(worker, i int)) {
	c.do = do
	for w := range c.parts {
		c.parts[w].next.Store(int64(w * count / len(c.parts)))
		c.parts[w].end = int64((w + 1) * count / len(c.parts))
	}
	for _, m := range c.others {
		m.state.Store(offered)
		m.rouse()
	}
	c.run(0)
	for _, m := range c.others {
		if !m.state.CompareAndSwap(offered, idle) {
			c.caller.wait(func() bool { return m.state.Load() == idle })
		}
	}
}

func (c *crew) run(worker int) {
	for k := range c.parts {
		p := &c.parts[(worker+k)%len(c.parts)]
		for i := p.next.Add(1) - 1; i < p.end; i = p.next.Add(1) - 1 {
			c.do(worker, int(i))
		}
	}
}

func (m *member) work(c *crew, worker int) {
	for {
		m.wait(func() bool { s := m.state.Load(); return s == offered || s == dismissed })
		if m.state.Load() == dismissed {
			return
		}
		if m.state.CompareAndSwap(offered, working) {
			c.run(worker)
			m.state.Store(idle)
			c.caller.rouse()
		}
	}
}

// waiter lets one goroutine wait for what others bring about; they call rouse when they have.
type waiter struct {
	asleep atomic.Bool
	wake   chan struct{} // one for each time that another goroutine cleared asleep
}

func newWaiter() waiter { return waiter{wake: make(chan struct{}, 1)} }

// A waiter sleeps only after some milliseconds, longer than another worker takes for a chunk: Linux
// may put a thread that it wakes on a busy processor, and often takes 10 ms to see that another
// is idle.
const (
	patience = 1 << 12 // turns that a waiter yields to other goroutines and threads before it sleeps
	looks    = 1 << 10
)

// wait returns when so does return true.
func (w *waiter) wait(so func() bool) {
	for {
		for range patience {
			for range looks {
				if so() {
					return
				}
			}
			runtime.Gosched()
			yield()
		}
		w.asleep.Store(true)
		if so() && w.asleep.CompareAndSwap(true, false) {
			return
		}
		<-w.wake
	}
}

func (w *waiter) rouse() {
	if w.asleep.CompareAndSwap(true, false) {
		w.wake <- struct{}{}
	}
}
