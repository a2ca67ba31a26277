package walk

import (
	"context"
	"encoding/binary"
)

// Most bounds the first levels of a state graph.
type Most struct {
	States, Levels int // the first level may have more states
	Steps          int // but for those of one state
}

// Spread returns some of the states, at most so many, evenly spaced; all, if there are no more.
func Spread(states []uint64, words, most int) (some []uint64) {
	n := len(states) / words
	if n <= most {
		return states
	}
	for k := range most {
		some = append(some, states[k*n/most*words:][:words]...)
	}
	return some
}

// FirstLevels returns how many states there are up to each level, within bounds; and whether there are no more, or this
// is not known, as a step is undefined or there are more steps. The context is heeded before each state; the error is
// that of the context.
func FirstLevels(
	ctx context.Context, level []uint64, words int, most Most, successors func(dst, s []uint64) ([]uint64, error),
) (upTo []int, ended bool, err error) {
	met := map[string]bool{}
	var key []byte
	fresh := func(all []uint64) (kept []uint64) {
		for i := 0; i < len(all); i += words {
			key = key[:0]
			for _, w := range all[i : i+words] {
				key = binary.LittleEndian.AppendUint64(key, w)
			}
			if !met[string(key)] {
				met[string(key)] = true
				kept = append(kept, all[i:i+words]...)
			}
		}
		return kept
	}
	level = fresh(level)
	steps := 0
	for len(level) > 0 && len(upTo) < most.Levels {
		if len(met) > most.States && len(upTo) > 0 {
			return upTo, false, nil
		}
		upTo = append(upTo, len(met))
		var next []uint64
		for i := 0; i < len(level); i += words {
			if ctx.Err() != nil {
				return upTo, false, ctx.Err()
			}
			var undefined error
			if next, undefined = successors(next, level[i:i+words]); undefined != nil {
				return upTo, true, nil
			}
			if steps+len(next)/words > most.Steps {
				return upTo, true, nil
			}
		}
		steps += len(next) / words
		level = fresh(next)
	}
	return upTo, len(level) == 0, nil
}
