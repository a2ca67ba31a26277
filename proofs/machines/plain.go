package machines

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// RecountPlain accepts the counts that Recount accepts: a breadth-first search with a map, for readers. It takes
// several times as long, and 200 bytes and more for each state; memory bounds that estimate.
func RecountPlain(
	ctx context.Context, m states.Machine, safe func(s, next []uint64) error, c *Count, memory int64,
) error {
	if err := checkHead(m, c); err != nil {
		return err
	}
	words, start := m.Layout().Words(), m.Start(nil)
	if len(start) < words {
		return errNoStart
	}
	met, queue := map[string]bool{}, [][]uint64{}
	meet := func(states []uint64) {
		for s := range slices.Chunk(states, words) {
			if key := stateKey(s); !met[key] {
				met[key] = true
				queue = append(queue, slices.Clone(s))
			}
		}
	}
	var transitions int64
	var digest SetDigest
	meet(start)
	for i := 0; i < len(queue); i++ {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case int64(len(queue)) > c.States:
			return fmt.Errorf("more states are reachable than the %d of the count", c.States)
		case int64(len(queue))*int64(200+16*words) > bound(memory):
			return &spec.BoundError{What: "bytes of states", Limit: int(bound(memory))}
		}
		s := queue[i]
		next, err := m.AppendSuccessors(nil, s)
		if err == nil {
			err = safe(s, next)
		}
		if err != nil {
			return fmt.Errorf("in %s: %w", m.Layout().Text(s), err)
		}
		transitions += int64(len(next) / words)
		digest.Add(s)
		meet(next)
	}
	if count := int64(len(queue)); count != c.States {
		return fmt.Errorf("%d states are reachable, not %d", count, c.States)
	}
	return checkSums(c, transitions, digest)
}

// bound returns how many bytes states may take.
func bound(memory int64) int64 {
	if memory == 0 {
		return 8 << 30
	}
	return memory
}

// checkHead checks that a count is about the machine.
func checkHead(m states.Machine, c *Count) error {
	switch {
	case c == nil:
		return errors.New("no count")
	case c.Machine != m.Name():
		return fmt.Errorf("the count is for another machine: %s, not %s", c.Machine, m.Name())
	}
	return nil
}

// checkSums compares what a search over all states has summed up with a count.
func checkSums(c *Count, transitions int64, digest SetDigest) error {
	switch {
	case transitions != c.Transitions:
		return fmt.Errorf("there are %d steps, not %d", transitions, c.Transitions)
	case digest != c.Digest:
		return fmt.Errorf("the digest of the states is %s, not %s", digest, c.Digest)
	}
	return nil
}
