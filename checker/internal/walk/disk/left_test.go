package disk

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// TestLeft: a walk interrupted again and again, each time with states in memory, in any order,
// gives the same result. It writes them as they are, one file a worker and nothing else, and
// takes them back into less memory than they took.
func TestLeft(t *testing.T) {
	m := counter(5, 5)
	want := inMemory(t, m)
	dir := folder(t)
	left, buffer := 0, 1<<10
	for most := 100; ; most += 150 {
		ctx, cancel := context.WithCancel(t.Context())
		seen, late := 0, map[string]bool{}
		opt := walk.Options{Workers: 1, Inspect: func(s []uint64, successors int) walk.Flags {
			if seen++; seen == most {
				cancel()
			}
			return flags(s, successors)
		}}
		tune := tuning{buffer: buffer, runs: 4, write: func(name string, _ int) error {
			if ctx.Err() != nil {
				late[name] = true
			}
			return nil
		}}
		s, r, err := explore(ctx, m, dir, opt, tune)
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason == walk.Complete {
			if diff := cmp.Diff(want, outcomeOf(t, m, s, r), alike); diff != "" {
				t.Fatalf("in memory (-), on disk (+):\n%s", diff)
			}
			s.Release()
			cancel()
			break
		}
		if files := len(s.w.Left); len(late) > 1+files || files > 1 {
			t.Errorf("interrupted, it wrote %v, and left %d", late, files)
		}
		left += len(s.w.Left)
		s.Release()
		buffer = 1<<10 + 64 - buffer // the next one spills while it takes them back, or has room
		cancel()
	}
	if left < 5 {
		t.Errorf("states were left in memory %d times", left)
	}
	empty(t, dir)
}

// TestSortUntil: a sort that is stopped loses no state; one that is not, sorts.
func TestSortUntil(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 3).Draw(t, "words")
		x := rapid.Uint64().Draw(t, "seed") | 1
		shift := rapid.SampledFrom([]int{20, 48}).Draw(t, "shift")
		a := make([]uint64, rapid.SampledFrom([]int{0, 5, 1 << 10, 1 << 16}).Draw(t, "states")*words)
		for i := range a {
			x = x*6364136223846793005 + 1442695040888963407
			a[i] = x >> shift
		}
		want := sumOf(a, words)
		asks := rapid.IntRange(1, 8).Draw(t, "asks")
		done := sortStatesUntil(func() bool { asks--; return asks == 0 }, a, words)
		if sumOf(a, words) != want {
			t.Fatal("other states are there")
		}
		for i := words; done && i < len(a); i += words {
			if compare(a[i-words:i], a[i:i+words]) > 0 {
				t.Fatalf("state %d is less than the one before", i/words)
			}
		}
	})
}

// sumOf is the sum of the hashes of some states, whatever their order.
func sumOf(a []uint64, words int) (sum uint64) {
	for ; len(a) > 0; a = a[words:] {
		h := hashOf(a[:words])
		sum += h ^ h>>29
	}
	return sum
}

// TestStrikeUntil: once ctx has ended, a state that may follow many blocks is not looked for, and
// expanded blocks are not skipped.
func TestStrikeUntil(t *testing.T) {
	s, err := openShelf(folder(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(false)
	out, err := s.writer(0)
	if err != nil {
		t.Fatal(err)
	}
	var states []uint64
	for x := range uint64(3 * blockWords) {
		states = append(states, x)
	}
	if err := out.write(states); err != nil {
		t.Fatal(err)
	}
	r, err := out.close()
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.open(r, false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := strikeAll(ctx, []*cursor{c}, states[len(states)-1:], make([]bool, 1), 1); !errors.Is(err, context.Canceled) || c.read != 0 {
		t.Errorf("%v, and %d states were passed over", err, c.read)
	}
	w := &search{shelf: s, state: state{Visited: []run{r}, Blocks: 2, Levels: 1}}
	if _, err := w.expand(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("expanding: %v", err)
	}
}

// looks is a context that ends after a number of checks.
type looks struct {
	context.Context
	end  context.CancelCauseFunc
	left int
}

func (c *looks) Err() error {
	if c.left--; c.left == 0 {
		c.end(errors.New("the time is up")) // as the command does: an error may be this or that of the context
	}
	return c.Context.Err()
}

// TestInterruptedAtAnyLook: whichever check tells a walk that it is interrupted, each state is
// counted once when it continues. A group is counted completely or not at all.
func TestInterruptedAtAnyLook(t *testing.T) {
	m := counter(3, 3)
	want := inMemory(t, m)
	dir := folder(t)
	for left := 1; ; left++ {
		ctx, cancel := context.WithCancelCause(t.Context())
		opt := walk.Options{Workers: 1, Inspect: flags}
		s, r, err := explore(&looks{ctx, cancel, left}, m, dir, opt, tuning{buffer: 50, runs: 4})
		cancel(nil)
		if err != nil {
			t.Fatal(err)
		}
		whole := r.Reason == walk.Complete
		if !whole {
			s.Release()
			if s, r, err = explore(t.Context(), m, dir, opt, tuning{}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, outcomeOf(t, m, s, r), alike); diff != "" {
			t.Fatalf("interrupted at look %d: in memory (-), on disk (+):\n%s", left, diff)
		}
		s.Release()
		if whole {
			break
		}
	}
	empty(t, dir)
}
