package p3

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// CoarsestMasks decides: masking low bits for far targets saves entries of the
// Path Tables of integer targets and keeps what holds of the rule without: that
// packets arrive, come no farther from the target, and that links with one
// buffer class do not wait in a cycle. The evidence counts entries, with the lower
// bound, and says what holds. Time and memory are linear in the pairs of PE and target, but for
// the rounds in which tables are improved, which are few.
func (f *Forwarding) CoarsestMasks(ctx context.Context) (Finding, error) {
	o := f.asked
	o.Targets, o.Masks = Integers, Blocks
	if err := o.check(); err != nil {
		return Finding{}, err
	}
	plain := f
	if f.lattice == nil || f.asked.Masks != Unmasked {
		o.Masks = Unmasked
		var err error
		if plain, err = NewForwarding(ctx, o); err != nil {
			return Finding{}, err
		}
	}
	kept, says, err := plain.holds(ctx)
	if err != nil {
		return Finding{}, err
	}
	single := 0
	for _, cells := range plain.Cells {
		single += len(cells) * len(plain.Cells)
	}
	fi := Finding{Verdict: spec.Violated, Because: "no masks save entries", Picture: f.example()}
	fi.Evidence = append(fi.Evidence, fmt.Sprintf("without masks: %d entries, one for each PE and target: %s", single, says))
	t, err := plain.newTables(ctx)
	if err != nil {
		return Finding{}, err
	}
	entries, err := t.coarsen(ctx)
	if err != nil {
		return Finding{}, err
	}
	least, err := t.least(ctx)
	if err != nil {
		return Finding{}, err
	}
	g, err := t.forwarding(ctx)
	if err != nil {
		return Finding{}, err
	}
	now, says, err := g.holds(ctx)
	if err != nil {
		return Finding{}, err
	}
	n, bound, proved := 0, 0, 0
	for pe := range entries {
		n, bound = n+entries[pe], bound+least[pe]
		if entries[pe] == least[pe] {
			proved++
		}
	}
	fi.Evidence = append(fi.Evidence, fmt.Sprintf("%s: %d entries, at least %d; %d of %d tables are proved coarsest: %s", MasksNames[Blocks], n, bound, proved, len(entries), says))
	for k := range kept {
		if kept[k] && !now[k] {
			return Finding{Verdict: spec.Unknown, Because: fmt.Sprintf("masks %s lose what holds without", MasksNames[Blocks]), Evidence: fi.Evidence}, nil
		}
	}
	if n < single {
		fi.Verdict = spec.Holds
		fi.Because = fmt.Sprintf("%s: %d entries in place of %d keep what holds; at least %d are needed", MasksNames[Blocks], n, single, bound)
	}
	return fi, nil
}

// holds answers the three questions whose answers masks keep.
func (f *Forwarding) holds(ctx context.Context) (verdicts [3]bool, says string, err error) {
	var words []string
	for i, q := range [...]struct {
		name string
		ask  func(context.Context) (Finding, error)
	}{{"arrives", f.Arrives}, {"distance-grows", f.NeverFarther}, {"waits", f.Unwound}} {
		got, err := q.ask(ctx)
		if err != nil {
			return verdicts, "", err
		}
		verdicts[i] = got.Verdict == spec.Holds
		words = append(words, fmt.Sprintf("%s %s", q.name, got.Verdict))
	}
	return verdicts, strings.Join(words, ", "), nil
}
