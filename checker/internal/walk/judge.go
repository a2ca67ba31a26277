package walk

// Judging states when they are found.
//
// When a state is expanded, Inspect sees all of it. Judge sees it earlier, with the kind of
// the step that found it, and so need only look at what such a step can change: if the
// parent was expanded and does not have a flag, nothing else in the state can cause it. Invariant:
// as long as no expanded state has a flag, a state with the flag was judged to have it when
// it was found. So the first state with it in the order of the walk is known, and it is
// flagged when it is expanded, as if Inspect had seen it. The walk keeps the first place for
// each flag; once some state was flagged, nothing more is judged.

// judgeFrontier judges all states not yet expanded, as if any step could have led there.
func (w *walk) judgeFrontier() {
	if w.kinds == nil {
		return
	}
	var state []uint64
	c := &chunk{}
	for place := w.queue.first; place < w.queue.end; place++ {
		state = w.queue.stateOf(w.space, state[:0], w.queue.entryAt(place))
		c.hasFlags(place+1, w.opt.Judge(state, 0))
	}
	w.judged = c.judged
}

// flagJudged flags the states of a chunk that were judged, unless some state got the same
// flag in an earlier round.
func (x *expander) flagJudged(c *chunk) {
	for f, n := range x.w.judged {
		if n > c.from && n <= c.to && x.w.result.Flagged[f] == 0 {
			c.flag(1<<f, n-1)
		}
	}
}
