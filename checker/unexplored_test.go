package checker_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
)

// endsAtLook is a context that ends when it is checked for the nth time.
type endsAtLook struct {
	context.Context
	left atomic.Int64
	once sync.Once
	done chan struct{}
}

func (c *endsAtLook) Done() <-chan struct{} { return c.done }

func (c *endsAtLook) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.once.Do(func() { close(c.done) })
	return context.DeadlineExceeded
}

// TestTimeEndsAnywhere: at whatever moment the time is up, even between the static decision and the
// exploration, a verdict that was to be explored either was or says that it was not.
func TestTimeEndsAnywhere(t *testing.T) {
	const a, b = spec.NodeID(0), spec.NodeID(1)
	n := lineOf(t, [][2]spec.NodeID{{a, b}}, spec.StoreAndForward, func(list []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		if at.IsInjection() {
			return append(list, spec.Hop{Channel: 0})
		}
		return append(list, spec.Hop{Channel: spec.Eject})
	})
	explored := 0
	for looks := range int64(300) {
		ctx := &endsAtLook{Context: t.Context(), done: make(chan struct{})}
		ctx.left.Store(looks)
		r, err := checker.Check(ctx, n, checker.CheckOptions{Always: true, Explore: checker.ExploreOptions{Workers: 1}})
		if err != nil {
			continue // it ended before anything was known
		}
		f := r.Of("deadlock")
		if r.Space != nil {
			explored++
		}
		told := slices.ContainsFunc(f.Notes, func(note string) bool { return strings.HasPrefix(note, "exploring did not end") })
		if f.Verdict == spec.Holds && r.Space == nil && !told {
			t.Errorf("after %d looks: %s, without a word on the exploration", looks, f.Because)
		}
	}
	if explored == 0 {
		t.Error("no run had time to explore")
	}
}
