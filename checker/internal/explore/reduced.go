package explore

import (
	"context"
	"errors"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/reduction"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Reduced prepares the walk of a reduced program: of its slice, by stubborn sets of its
// steps, or both. If sampled, stubborn sets are not used where a sample shows that they do not pay ([Walk.Unreduced]).
func Reduced(
	ctx context.Context, m states.Machine, wanted func(states.Claims) states.Claims, asked reduction.Asked,
	slice, stubborn, sampled bool,
) (*Walk, error) {
	p, ok := m.(*program.Machine) // a type that embeds a program's machine may step differently
	if !ok {
		return nil, errors.New("partial-order reduction and slicing take networks of whole packets, and programs: a " +
			"protocol file, or rules in JSON")
	}
	var sliced *reduction.Slice
	if slice {
		var err error
		if sliced, err = reduction.SliceOf(p, asked); err != nil {
			return nil, err
		}
		if p, err = sliced.Program.Machine(); err != nil {
			return nil, err
		}
	}
	w := Machine(p, wanted)
	w.Slice = sliced
	if stubborn {
		r, err := reduction.New(ctx, w.Machine.(*compiled.Machine), asked)
		if err != nil {
			return nil, err
		}
		if sampled {
			sample, err := r.Sample(ctx)
			if err != nil {
				return nil, err
			}
			w.Unreduced = !sample.Pays()
		}
		if !w.Unreduced {
			w.Machine, w.Sleep = r, nil // a sleeping step relies on steps that a stubborn set may lack
		}
	}
	return w, nil
}
