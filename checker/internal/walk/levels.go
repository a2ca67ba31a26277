package walk

import "encoding/binary"

// FirstLevels returns how many states there are up to each level, of at most so many levels and, but for the first
// level, so many states; and whether there are no more, or a step is not defined.
func FirstLevels(
	level []uint64, words, mostStates, mostLevels int, successors func(dst, s []uint64) ([]uint64, error),
) (upTo []int, ended bool) {
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
	for len(level) > 0 && len(upTo) < mostLevels {
		if len(met) > mostStates && len(upTo) > 0 {
			return upTo, false
		}
		upTo = append(upTo, len(met))
		var next []uint64
		for i := 0; i < len(level); i += words {
			var err error
			if next, err = successors(next, level[i:i+words]); err != nil {
				return upTo, true
			}
		}
		level = fresh(next)
	}
	return upTo, len(level) == 0
}
