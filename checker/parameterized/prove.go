package parameterized

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
)

// Proof is what is known about all sizes.
type Proof struct {
	Sizes []map[string]int // that were checked one by one, in ascending order of their sums
	Idle  []map[string]int // those of them at which no node sends anything
	Sites int              // of their networks; in each of them the formulas agree with the file
	// Large are further sizes, whose links the formulas have as the file has them, and of whose packets Points were
	// compared.
	Large  []map[string]int
	Points int
	// Uncompared are values of the sizes near numbers of the file at which nothing was compared: such networks are large.
	// No condition that the reader met changes there, or it is in Uncovered.
	Uncompared []int
	Uncovered  []Uncovered     // situations in which nothing was compared, so that nothing is proved of the file
	Script     *smt.Script     // the conditions for every size; nil if none could be written
	Solvers    []string        // those that prove Script
	Unproved   error           // why a solver does not; nil if none was asked, or all prove it
	Rank       []Function      // by kind of channels
	Escape     bool            // Rank is of escape channels alone, of which a packet is always offered a lower one
	Compared   int             // comparisons of the invariant
	Unlowered  []string        // dependencies, by port and VC, that no function of the rank lowers
	Cyclic     map[string]int  // a size at which dependencies have a cycle, though the network holds; nil: none is known
	Size       map[string]int  // the smallest size found at which a property is violated; nil: none
	Result     *checker.Result // of it

	last *network // the last of Large
}

// Function is the rank of one kind of channels: a tuple of formulas over the coordinates x1, x2 ... of the node where
// the channel begins, and the sizes, compared lexicographically.
type Function struct {
	Channels string // port and VC
	Formulas []string
}

// Verdict returns holds if both solvers prove the conditions and the formulas were compared with the file in every
// situation, violated if a size is known at which a property is, and otherwise unknown.
func (p *Proof) Verdict() spec.Verdict {
	switch {
	case p.Size != nil:
		return spec.Violated
	case p.Unproved == nil && len(p.Solvers) == len(smt.Solvers()) && len(p.Uncovered) == 0:
		return spec.Holds
	}
	return spec.Unknown
}

// sampled lists the sizes that are checked one by one: the least ones.
func (f *Family) sampled(more int) []map[string]int {
	all := []map[string]int{{}}
	for _, s := range f.Sizes {
		var grown []map[string]int
		for _, size := range all {
			for n := s.Least; n < s.Least+more && (s.Most == 0 || n <= s.Most); n++ {
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

// Prove checks small sizes, and then proves deadlock freedom, livelock freedom and delivery for every size, or says
// what is missing. If there is no proof, it checks more sizes. Errors are those of input and cancellation.
func (f *Family) Prove(ctx context.Context) (*Proof, error) {
	const fewSites, mostSites = 20_000, 400_000 // to which functions are fitted; of sizes without a proof
	const mostNodes = 1000                      // of the smallest network, of which every node sends to every other
	p := &Proof{}
	var samples []*small
	var networks []*spec.Network
	sizes := f.sampled(4)
	if len(sizes) > 0 && f.nodes(sizes[0], mostNodes) > mostNodes {
		p.Unproved = fmt.Errorf("the smallest network has more than %d nodes, so it is not checked: want a smaller min", mostNodes)
		return p, nil
	}
	for _, size := range sizes {
		s, n, err := f.check(ctx, p, size)
		if err != nil || p.Size != nil {
			return p, err
		}
		samples, networks = append(samples, s), append(networks, n)
		if p.Sites > fewSites {
			break
		}
	}
	c, err := f.prove(ctx, p, samples, networks)
	if err != nil {
		return p, err
	}
	if p.Verdict() == spec.Holds {
		if err := f.compare(ctx, p, c.invariant); err != nil || p.Size != nil {
			return p, err
		}
		return p, f.cover(ctx, p, samples, c)
	}
	for _, size := range f.sampled(24) {
		if slices.ContainsFunc(p.Sizes, func(s map[string]int) bool { return maps.Equal(s, size) }) {
			continue
		}
		if _, _, err := f.check(ctx, p, size); err != nil || p.Size != nil || p.Sites > mostSites {
			return p, err
		}
	}
	return p, nil
}

// compare compares the formulas with the file at further sizes: the next ones, and those around the numbers that the
// file writes, where its meaning may change: with all sizes alike, and with each alone while the others are least. Of large
// networks, it compares the links and drawn packets.
func (f *Family) compare(ctx context.Context, p *Proof, invariant [][]*symbolic.Term) error {
	const mostPairs = 60_000 // of a node and a channel kind at another, of all sizes that grow together
	const mostNodes = 50_000 // of the networks of which a part is compared
	values := map[int]bool{}
	for i := range 6 {
		values[f.Sizes[0].Least+4+i] = true
	}
	for _, n := range f.thresholds {
		for d := -1; d <= 2; d++ {
			values[n+d] = true
		}
	}
	accepted := func(n int) bool {
		return slices.ContainsFunc(f.Sizes, func(s Size) bool { return s.Most == 0 || n <= s.Most })
	}
	sizes := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(n int) bool { return !accepted(n) })
	defer func() {
		slices.SortStableFunc(p.Sizes, func(a, b map[string]int) int { return sum(a) - sum(b) })
	}()
	left := map[int]bool{}
	for _, large := range f.growths() {
		pairs, drawn := 0, 0
		for _, n := range sizes {
			size := f.grown(n, large)
			is := func(s map[string]int) bool { return maps.Equal(s, size) }
			if slices.ContainsFunc(p.Sizes, is) || slices.ContainsFunc(p.Large, is) {
				continue
			}
			nodes := f.nodes(size, mostLarge)
			if pairs += nodes * nodes * len(f.kinds()); pairs > mostPairs {
				if drawn += nodes; drawn > mostNodes {
					left[n] = true
					continue
				}
				network, why, err := f.large(ctx, p, size)
				if err == nil && why == "" {
					err = network.draw(p, invariant)
				}
				if left[n] = left[n] || why != ""; err != nil {
					return err
				}
				continue
			}
			if _, _, err := f.check(ctx, p, size); err != nil || p.Size != nil {
				return err
			}
		}
	}
	maps.DeleteFunc(left, func(_ int, is bool) bool { return !is })
	p.Uncompared = slices.Sorted(maps.Keys(left))
	return nil
}

// growths lists the sets of sizes that grow together: all, and each alone.
func (f *Family) growths() (all [][]Size) {
	all = [][]Size{f.Sizes}
	for i := range f.Sizes {
		if len(f.Sizes) > 1 {
			all = append(all, f.Sizes[i:i+1])
		}
	}
	return all
}

// grown has n for some sizes, as far as the file accepts it, and the least value for the others.
func (f *Family) grown(n int, large []Size) map[string]int {
	size := map[string]int{}
	for _, s := range f.Sizes {
		size[s.Name] = s.Least
	}
	for _, s := range large {
		if size[s.Name] = max(n, s.Least); s.Most > 0 {
			size[s.Name] = min(size[s.Name], s.Most)
		}
	}
	return size
}

// check compares the formulas of a size with the file, and checks the network.
func (f *Family) check(ctx context.Context, p *Proof, size map[string]int) (*small, *spec.Network, error) {
	n, err := f.load(ctx, size)
	if err != nil {
		return nil, nil, fmt.Errorf("at %s: %w", Text(f.Sizes, size), err)
	}
	s, err := f.small(ctx, size)
	if err == nil {
		err = s.agrees(n)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s at %s: %w", f.file, Text(f.Sizes, size), err)
	}
	p.Sizes, p.Sites = append(p.Sizes, size), p.Sites+len(s.sites)
	if n.FlowCount() == 0 {
		p.Idle = append(p.Idle, size)
	}
	result, err := checker.Check(ctx, n, checker.Question{Properties: []string{
		spec.DeadlockFreedom.String(), spec.LivelockFreedom.String(), spec.Delivery.String(),
	}})
	if err == nil && result.Verdict() == spec.Violated {
		p.Size, p.Result = size, result
	}
	return s, n, err
}

// prove fits invariant and rank, and has the solvers decide the conditions, which are nil if none could be written.
func (f *Family) prove(
	ctx context.Context, p *Proof, samples []*small, networks []*spec.Network,
) (*conditions, error) {
	solvers := smt.Solvers()
	invariant, err := f.fitInvariant(ctx, solvers[0], samples)
	if errors.Is(err, smt.ErrNotInstalled) {
		p.Unproved = err
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rank [][]*symbolic.Term
	var left []unranked
	var escape []bool
	if i := slices.IndexFunc(samples, (*small).isCyclic); i >= 0 {
		p.Cyclic = samples[i].size
		if escape, rank, err = f.fitEscape(ctx, solvers[0], samples, invariant); err != nil || escape == nil {
			return nil, err
		}
	} else if rank, left, err = f.fitRank(ctx, solvers[0], dependencies(samples), invariant, nil); err != nil {
		return nil, err
	}
	for _, u := range left {
		p.Unlowered = append(p.Unlowered, f.nameOf(u.from)+" to "+f.nameOf(u.to))
	}
	if len(left) > 0 {
		return nil, nil
	}
	for i, s := range samples {
		if len(s.sites) == 0 {
			continue // of one node
		}
		if escape == nil {
			err = s.verify(ctx, networks[i], rank)
		} else if err = s.verifyEscape(ctx, networks[i], escape, rank); err != nil && ctx.Err() == nil {
			p.Unproved = fmt.Errorf("the escape at %s: %w", Text(f.Sizes, s.size), err) // a hop away from the destination, say
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the rank at %s: %w", f.file, Text(f.Sizes, s.size), err)
		}
	}
	for i, k := range f.kinds() {
		if p.Compared += len(invariant[i]); escape != nil && !escape[i] {
			continue
		}
		formulas := Function{Channels: f.nameOf(k)}
		for _, t := range rank[i] {
			formulas.Formulas = append(formulas.Formulas, t.Infix())
		}
		p.Rank = append(p.Rank, formulas)
	}
	c := f.conditions(invariant, rank)
	c.escape, p.Escape = escape, escape != nil
	c.goesOn = make([]bool, len(c.kinds))
	for _, s := range samples {
		for d := range s.deps {
			c.goesOn[d[0].kind] = c.goesOn[d[0].kind] || d[0].kind == d[1].kind
		}
	}
	if p.Script, err = smt.Parse(f.file+".smt2", header(f, p.Escape)+c.preamble()+script(c.all())); err != nil {
		return nil, err
	}
	for _, v := range solvers {
		if err := v.Run(ctx, p.Script); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			p.Unproved = err
			return nil, nil
		}
		p.Solvers = append(p.Solvers, v.Name)
	}
	return c, nil
}

func header(f *Family, escape bool) string {
	proved := `each permitted hop lowers the rank of the channel, and every packet that
; has not arrived is offered a hop. So there is no deadlock and no livelock at any size, and packets arrive.`
	if escape {
		proved = `every packet that has not arrived is offered an escape; a packet in an
; escape is offered escapes of lower rank alone; and no hop raises what is offered. So the escapes that are offered rank
; below all that the packet holds, and there is no deadlock at any size (Duato 1993). Each hop brings a packet nearer, so
; there is no livelock, and packets arrive.`
	}
	return fmt.Sprintf(`; written by unknot
; %s, for every %s.
;
; Proved, if every answer is as its status says: %s
; Assumed: the formulas are those of the file; unknot compared both at small sizes.
`, spec.Printable(f.file), Text(f.Sizes, nil), proved)
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
			if s.Most > 0 {
				text += fmt.Sprintf(" (the file accepts at most %d)", s.Most)
			}
		} else {
			text += fmt.Sprintf("%s = %d", s.Name, at[s.Name])
		}
	}
	return text
}
