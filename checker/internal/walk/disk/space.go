package disk

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// Space holds the states that a walk has found, in its folder.
type Space struct{ w *search }

var _, _ walk.Visited = (*Space)(nil), (*Shards)(nil)

// Release leaves the folder as it was before the walk, or, if the walk had not ended,
// with all that is needed to continue.
func (s *Space) Release() {
	switch s.w.result.Reason {
	case walk.Complete, walk.Found, walk.Refused:
		s.w.shelf.close(false)
	default:
		s.w.shelf.close(len(s.w.shelf.named) > 0)
	}
}

// Each is [walk.Visited.Each].
func (s *Space) Each(part, parts int, f func(state []uint64) bool) error {
	for _, r := range s.w.Visited {
		if more, err := s.eachOf(r, part, parts, f); !more || err != nil {
			return err
		}
	}
	return nil
}

// eachOf visits every n-th block of a run.
func (s *Space) eachOf(r run, part, parts int, f func(state []uint64) bool) (more bool, err error) {
	c, err := s.w.shelf.open(r, false)
	if err != nil {
		return false, err
	}
	defer c.close()
	for block := 0; ; block++ {
		if err := c.nextHead(); err != nil {
			return err == io.EOF, notEnd(err)
		}
		if block%parts != part {
			if err := c.pass(); err != nil {
				return false, err
			}
			continue
		}
		if err := c.load(); err != nil {
			return false, err
		}
		for left := c.states; len(left) > 0; left = left[c.words:] {
			if !f(left[:c.words]) {
				return false, nil
			}
		}
	}
}

func notEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

var errNoPath = errors.New("a state on the path is not found again")

// Trail returns the states on a shortest path to the first state with a flag, or to the one
// from which the machine refused to step. It works backwards: from each state to one of the
// level before that steps to it. It ends with ctx.
func (s *Space) Trail(ctx context.Context, m walk.Machine, id walk.ID) ([][]uint64, error) {
	return s.w.trail(id, func(level int, to []uint64) ([]uint64, error) { return s.predecessor(ctx, m, level, to) })
}

// trail goes back from an ID's state to an initial state.
func (w *search) trail(id walk.ID, before func(level int, to []uint64) ([]uint64, error)) ([][]uint64, error) {
	to := first{w.Levels - 1, w.refused}
	if id != refusedAt {
		to = w.First[id]
	}
	trail := [][]uint64{to.State}
	for level := to.Level - 1; level >= 0; level-- {
		s, err := before(level, trail[len(trail)-1])
		if err != nil {
			return nil, err
		}
		trail = append(trail, s)
	}
	slices.Reverse(trail)
	return trail, nil
}

// predecessor returns a state of a level that steps to the given one.
func (s *Space) predecessor(ctx context.Context, m walk.Machine, level int, to []uint64) ([]uint64, error) {
	words := s.w.words
	var next []uint64
	for _, r := range s.w.Visited {
		if level < r.Least || level > r.Most {
			continue
		}
		c, err := s.w.shelf.open(r, true)
		if err != nil {
			return nil, err
		}
		defer c.close()
		for {
			states, err := c.window()
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			if len(states) == 0 {
				break
			}
			c.take(len(states))
			for ; len(states) > 0; states = states[words+1:] {
				if states[words] != uint64(level) {
					continue
				}
				if next, err = m.AppendSuccessors(next[:0], states[:words]); err != nil {
					return nil, err
				}
				for left := next; len(left) > 0; left = left[words:] {
					if compare(left[:words], to) == 0 {
						return slices.Clone(states[:words]), nil
					}
				}
			}
		}
	}
	return nil, errNoPath
}
