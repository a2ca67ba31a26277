package change

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// explore looks for a deadlock of a round breadth first, with the reference step: at first among the runs in which all
// routers are rewritten at one moment, as those show it for every order, then among all. Each of the two searches
// visits some states. It returns nil if it finds none; then there may still be one.
func (u *search) explore(ctx context.Context, r changes.Round) (*changes.Trace, error) {
	for _, atOnce := range []bool{true, false} {
		if t, err := u.exploreOnce(ctx, r, atOnce); t != nil || err != nil {
			return t, err
		}
	}
	return nil, nil
}

func (u *search) exploreOnce(ctx context.Context, r changes.Round, atOnce bool) (*changes.Trace, error) {
	type visit struct {
		run  *changes.Run
		by   []changes.Step
		from int
	}
	first, err := u.p.Begin(u.traffic, r, u.opt.Manner)
	if err != nil {
		return nil, err
	}
	all, seen := []visit{{run: first, from: -1}}, map[string]bool{}
	var key []byte
	var moves []spec.Move
	take := func(from int, steps []changes.Step) error {
		next := all[from].run.Copy()
		for _, s := range steps {
			if err := next.Step(s); err != nil {
				return err
			}
		}
		key = keyOf(key[:0], next)
		if len(seen) < u.opt.States && !seen[string(key)] {
			seen[string(key)] = true
			all = append(all, visit{next, steps, from})
		}
		return nil
	}
	for i := 0; i < len(all); i++ {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		run := all[i].run
		if run.Left == 0 || u.opt.Stalls {
			if stuck := states.Stuck(u.traffic, run.Occupancy); len(stuck) > 0 {
				t := &changes.Trace{Fault: changes.Deadlock, Stuck: stuck}
				for k := i; k >= 0; k = all[k].from {
					t.Steps = slices.Concat(all[k].by, t.Steps)
				}
				if t = u.replayed(r, t); t != nil {
					return t, nil
				}
			}
		}
		left := slices.DeleteFunc(rewriting(r), func(s changes.Step) bool { return run.Renewed[s.Router] })
		if atOnce && len(left) > 0 {
			if err := take(i, left); err != nil {
				return nil, err
			}
		}
		for k := 0; !atOnce && k < len(left); k++ {
			if err := take(i, left[k:k+1]); err != nil {
				return nil, err
			}
		}
		moves = u.traffic.Moves(moves[:0], &run.Occupancy, func(f spec.Flow) bool {
			return (f.Target.Class >= u.half) == run.Renewed[f.Source]
		})
		for _, m := range moves {
			if err := take(i, []changes.Step{{Move: m}}); err != nil {
				return nil, err
			}
		}
		all[i].run = nil
	}
	return nil, nil
}

// keyOf appends what tells two states of a round apart.
func keyOf(key []byte, r *changes.Run) []byte {
	for _, pieces := range r.Occupancy.Channels {
		key = append(key, byte(len(pieces)), byte(len(pieces)>>8))
		for _, p := range pieces {
			key = binary.LittleEndian.AppendUint32(key, uint32(p.Header.Dest))
			key = binary.LittleEndian.AppendUint16(key, uint16(p.Header.Class))
			key = binary.LittleEndian.AppendUint16(key, uint16(p.Header.Tag))
		}
	}
	for _, is := range r.Renewed {
		b := byte(0)
		if is {
			b = 1
		}
		key = append(key, b)
	}
	return key
}
