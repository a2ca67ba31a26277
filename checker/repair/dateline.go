package repair

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
)

// dateline looks for the set of turns that takes the fewest copies.
func (u *untying) dateline(ctx context.Context) (Proposal, error) {
	j, out, err := u.kept(ctx)
	if j == nil {
		return out, err
	}
	d := newDatelines(ctx, j)
	d.orders(ctx)
	if d.plan != nil {
		if out, err = u.propose(ctx, j, d.plan, out, d.patch()); err != nil {
			return out, err
		}
	}
	atLeast, effort := 2, u.opt.Effort
	if d.rarely(ctx, effort/2); d.plan != nil {
		out, err = u.propose(ctx, j, d.plan, out, d.patch())
	}
	if err == nil && d.cost > 2 {
		few := 1
		few, err = d.crowded(ctx, min(d.cost-1, mostCopies))
		atLeast = max(2, few+1)
	}
	var parts []*datelines
	if err == nil && d.cost > atLeast {
		parts, err = u.parts(ctx, d)
	}
	for v := atLeast; err == nil && v < d.cost && v <= mostCopies; v++ {
		got := sat.Undecided
		for ; len(parts) > 0; parts = parts[1:] {
			if got, err = parts[0].exactly(ctx, v, effort/4); got == sat.Refuted || err != nil {
				d.least = parts[0].least
				break
			}
			got = sat.Undecided
		}
		if len(parts) == 0 && err == nil {
			got, err = d.exactly(ctx, v, effort)
			effort /= 4
		}
		if got != sat.Refuted {
			break
		}
		atLeast = v + 1
	}
	if d.plan == nil {
		return Proposal{Because: fmt.Sprintf("no set of turns was found that packets cross rarely enough: it takes at least %d copies", atLeast)}, err
	}
	if err == nil {
		out, err = u.propose(ctx, j, d.plan, out, d.patch())
	}
	out.Least = d.least
	why := itself
	if atLeast > 2 {
		why = fmt.Sprintf("some packet crosses every set of turns that cuts all cycles %s", plural(atLeast-1, "time", "times"))
		if d.least == nil {
			why += unchecked
		}
	}
	return out.bounded(atLeast, why), err
}

// patch says where packets move to another copy.
func (d *datelines) patch() []string {
	var lines []string
	for k, turn := range d.g.turns {
		if d.best[k] {
			lines = append(lines, "move to the next copy of the VC at the turn "+d.turn(turn[0], turn[1]))
		}
	}
	return append(lines, "at a turn between channels that lie on no cycle of the dependency graph together, return to the first copy")
}
