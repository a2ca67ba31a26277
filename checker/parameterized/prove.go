package parameterized

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
)

// Proof is what is known about all sizes.
type Proof struct {
	Sizes     []map[string]int // that were checked one by one
	Sites     int              // of their networks, which agree with the formulas
	Script    *smt.Script      // the conditions for every size; nil if none could be written
	Solvers   []string         // those that prove Script
	Unproved  error            // why a solver does not; nil if none was asked or all prove it
	Rank      []Function       // of each kind of channels
	Invariant []Function
	Unranked  []string        // kinds of dependencies that no function lowers
	Refuted   map[string]int  // the smallest size that deadlocks, or at which packets do not arrive; nil: none found
	Result    *checker.Result // of it
	Network   *spec.Network   // of it
	file      string
}

// Function is what was fitted for one kind of channels: formulas in SMT-LIB 2 over the coordinates x1, x2 ... of where the
// channel begins, d1, d2 ... of a destination, and the sizes.
type Function struct {
	Channels string // port and VC
	Formulas []string
}

// Proved reports whether both solvers prove the conditions.
func (p *Proof) Proved() bool { return len(p.Solvers) == len(smt.Solvers()) && p.Unproved == nil }

// sampled lists the sizes that are checked one by one: the least ones.
func (f *Family) sampled(more int) []map[string]int {
	all := []map[string]int{{}}
	for _, s := range f.Sizes {
		var grown []map[string]int
		for _, size := range all {
			for n := s.Least; n < s.Least+more; n++ {
				one := maps.Clone(size)
				one[s.Name] = n
				grown = append(grown, one)
			}
		}
		all = grown
	}
	slices.SortStableFunc(all, func(a, b map[string]int) int { return sum(a) - sum(b) })
	return all
}

func sum(size map[string]int) (total int) {
	for _, n := range size {
		total += n
	}
	return total
}

// Prove checks small sizes, and then proves deadlock freedom, livelock freedom and delivery for every size, or says what
// is missing. Errors are those of input and cancellation.
func (f *Family) Prove(ctx context.Context) (*Proof, error) {
	const mostSites = 60_000 // to which functions are fitted
	p := &Proof{file: f.file}
	var samples []*small
	var networks []*spec.Network
	for _, size := range f.sampled(4) {
		s, err := f.small(ctx, size)
		if err != nil {
			return nil, err
		}
		n, err := s.load(ctx)
		if err != nil {
			return nil, err
		}
		if err := s.agrees(n); err != nil {
			return nil, fmt.Errorf("%s: %w at %s", f.file, err, Text(f.Sizes, size))
		}
		result, err := checker.Check(ctx, n, checker.Question{
			Properties: []string{
				spec.DeadlockFreedom.String(), spec.LivelockFreedom.String(), spec.Delivery.String(),
			},
		})
		if err != nil {
			return nil, err
		}
		p.Sizes, p.Sites = append(p.Sizes, size), p.Sites+len(s.sites)
		if result.Verdict() == spec.Violated {
			p.Refuted, p.Result, p.Network = size, result, n
			return p, nil
		}
		samples, networks = append(samples, s), append(networks, n)
		if p.Sites > mostSites {
			break
		}
	}
	return p, f.prove(ctx, p, samples, networks)
}

// prove fits invariant and rank, and has the solvers decide the conditions.
func (f *Family) prove(ctx context.Context, p *Proof, samples []*small, networks []*spec.Network) error {
	solvers := smt.Solvers()
	invariant, err := f.fitInvariant(ctx, solvers[0], samples)
	if errors.Is(err, smt.ErrNotInstalled) {
		p.Unproved = err
		return nil
	}
	if err != nil {
		return err
	}
	rank, left, err := f.fitRank(ctx, solvers[0], dependencies(samples), invariant)
	if err != nil {
		return err
	}
	for _, u := range left {
		p.Unranked = append(p.Unranked, f.nameOf(u.from)+" to "+f.nameOf(u.to))
	}
	if len(left) > 0 {
		return nil
	}
	for i, s := range samples {
		if len(s.sites) == 0 {
			continue // of one node
		}
		if err := s.verify(ctx, networks[i], rank); err != nil {
			return fmt.Errorf("%s: the rank at %s: %w", f.file, Text(f.Sizes, s.size), err)
		}
	}
	for i, k := range f.kinds() {
		p.Rank = append(p.Rank, Function{f.nameOf(k), texts(rank[i])})
		p.Invariant = append(p.Invariant, Function{f.nameOf(k), texts(invariant[i])})
	}
	c := f.conditions(invariant, rank)
	if p.Script, err = smt.Parse(f.file+".smt2", header(f)+c.preamble()+script(c.all())); err != nil {
		return err
	}
	for _, v := range solvers {
		if err := v.Run(ctx, p.Script); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p.Unproved = err
			return nil
		}
		p.Solvers = append(p.Solvers, v.Name)
	}
	return nil
}

func header(f *Family) string {
	return fmt.Sprintf(`; %s, for every %s.
;
; Proved, if every answer is as its status says: each permitted hop lowers the rank of the channel, and every packet that
; has not arrived is offered a hop. So there is no deadlock and no livelock at any size, and packets arrive.
; Assumed: the formulas are those of the file; unknot compared both at small sizes.
`, f.file, Text(f.Sizes, nil))
}

func texts(ts []*term) (all []string) {
	for _, t := range ts {
		all = append(all, t.String())
	}
	return all
}

// Text writes sizes: k = 3, n = 2; or, without values, k >= 2, n >= 1.
func Text(sizes []Size, at map[string]int) string {
	text := ""
	for i, s := range sizes {
		if i > 0 {
			text += ", "
		}
		if at == nil {
			text += fmt.Sprintf("%s >= %d", s.Name, s.Least)
		} else {
			text += fmt.Sprintf("%s = %d", s.Name, at[s.Name])
		}
	}
	return text
}
