package windows

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Search looks for a deadlock within the windows, breadth first, with the reference step. Windows keep the packets
// few, so small networks are searched whole. It returns the moves of a shortest run to a deadlock, or nil if there is
// none among so many states; and the number of states found, which are all if it is less.
func Search(
	ctx context.Context, n *spec.Network, sc spec.Scenario, most int,
) (moves []spec.Move, found int, err error) {
	t, err := states.NewTraffic(n, sc)
	if err == nil {
		err = t.Packed()
	}
	if err != nil {
		return nil, 0, err
	}
	type visit struct {
		s    spec.Occupancy
		o    *spec.Outstanding
		by   spec.Move
		from int
	}
	all := []visit{{s: t.Empty(), o: n.Outstanding(), from: -1}}
	var words []uint64
	var key []byte
	seen := map[string]bool{}
	fresh := func(v *visit) bool {
		words, key = t.Encode(words[:0], v.s), key[:0]
		for _, w := range words {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		key = v.o.Append(key)
		if seen[string(key)] || len(seen) == most {
			return false
		}
		seen[string(key)] = true
		return true
	}
	fresh(&all[0])
	for i := 0; i < len(all) && ctx.Err() == nil; i++ {
		at := &all[i]
		if len(t.Stuck(at.s)) > 0 {
			for k := i; all[k].from >= 0; k = all[k].from {
				moves = append(moves, all[k].by)
			}
			slices.Reverse(moves)
			return moves, len(all), nil
		}
		for _, m := range t.Moves(at.s) {
			next := visit{o: all[i].o.Copy(), by: m, from: i}
			next.s.Copy(all[i].s)
			if err := t.Apply(&next.s, m); err != nil {
				return nil, len(all), err
			}
			if next.o.Step(&next.s, m) != nil {
				continue
			}
			if fresh(&next) {
				all = append(all, next)
			}
		}
		all[i].s, all[i].o = spec.Occupancy{}, nil
	}
	return nil, len(all), context.Cause(ctx)
}
