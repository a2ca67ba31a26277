package symmetry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// A machine modulo symmetries: one state of every orbit.
//
// Every symmetry is verified before use. Those of a network are found and checked on its
// relation. Those of a program are renamings of its variables and values; generators of
// them are confirmed once, on the program as it is written (Confirm). For what is not confirmed
// so, and for other machines (symmetric), every symmetry is checked in each expanded state: it must
// map the successors to those of the image, and preserve the invariants and the intended
// end. By induction along the walk that makes it an automorphism of the reachable space, at
// the cost of expanding every image once. Of a program, only the rules that are not confirmed take
// part, and only once for all states that agree in the variables that count for them (rest.go).
//
// Deadlock, the intended end and invariants are decided on the orbits; the trace of a
// violation is one of the machine itself, found again along the trail of orbits. For
// responses, a run that closes a cycle of orbits need not return to the same state, and
// fairness to an action is not fairness to its images (Emerson & Sistla 1997): a program's
// Group tracks those, and package liveness follows them.

// symmetryFunc appends to dst the image of a state: the same machine with its like
// parts, such as processes, renamed.
type symmetryFunc = func(dst, s []uint64) []uint64

// symmetric is implemented by machines with like parts. Symmetries lists renamings
// that map steps to steps; the identity need not be among them.
type symmetric interface{ Symmetries() []symmetryFunc }

// Orbits is a machine modulo symmetries.
type Orbits interface {
	walk.Machine
	Replace(s []uint64) // by the representative of its orbit
	How() string        // under which symmetries, and how they were verified
}

// Options says which orbits are wanted.
type Options struct {
	// Sampled returns no orbits if the first levels show that they do not pay: see [Sample]. Symmetries of a program are
	// not verified then.
	Sampled bool
	// Listed uses symmetries only as far as a program lists them, as [GroupOf] needs.
	Listed bool
}

// OfTraffic returns the whole packets of a network modulo its automorphisms, which
// commute with its relation. Bubbles depend on dimensions, so with them automorphisms
// preserve dimensions.
func OfTraffic(ctx context.Context, t *states.Traffic, m *packets.Machine, opt Options) (Orbits, Sample, error) {
	group, err := automorphism.Find(ctx, t.Network(), automorphism.Options{Dims: t.Scenario().Bubble > 0})
	if err != nil {
		return nil, Sample{}, err
	}
	renamings, err := m.Renamings(group[1:]) // the first is the identity
	if err != nil {
		return nil, Sample{}, err
	}
	least, err := orbit.New(m.Layout(), renamings)
	if err != nil {
		return nil, Sample{}, fmt.Errorf("symmetries of %s: %w", t.Name(), err)
	}
	s, err := opt.sampleOf(ctx, m, least)
	if err != nil || !s.Pays() {
		return nil, s, err
	}
	return &renamedOrbits{m, least, count(len(group))}, s, nil
}

// sampleOf is what the first levels show, if they are asked.
func (o Options) sampleOf(ctx context.Context, m walk.Machine, least *orbit.Least) (Sample, error) {
	if !o.Sampled {
		return Sample{Complete: true}, nil
	}
	if least.Order() == 1 { // the identity, which saves nothing
		return Sample{States: 1, Orbits: 1, Symmetries: 1}, nil
	}
	return sampleOf(ctx, m, least)
}

// count counts symmetries, including the identity.
func count(n int) string {
	if n == 1 {
		return "1 symmetry"
	}
	return fmt.Sprintf("%d symmetries", n)
}

// OfMachine returns a machine modulo the symmetries that it names. Only a program is sampled.
func OfMachine(ctx context.Context, m states.Machine, opt Options) (Orbits, Sample, error) {
	p, ok := m.(*compiled.Machine)
	if !ok {
		named, ok := m.(symmetric)
		if !ok {
			return nil, Sample{}, errors.New("the machine declares no symmetries")
		}
		all := named.Symmetries()
		o, err := newCheckedOrbits(ctx, m, all, graph.Identity[int](len(all)))
		return o, Sample{Complete: true}, err
	}
	if !opt.Listed {
		o, err := sortedOf(ctx, p)
		if err != nil {
			return nil, Sample{}, err
		}
		if o != nil {
			s, err := opt.sampleOf(ctx, p, o.least)
			if err != nil || !s.Pays() {
				return nil, s, err
			}
			return o, s, nil
		}
	}
	renamings, least, err := renamingsOf(p)
	if err != nil {
		return nil, Sample{}, err
	}
	s, err := opt.sampleOf(ctx, p, least)
	if err != nil || !s.Pays() {
		return nil, s, err
	}
	o, err := ofProgram(ctx, p, renamings, least)
	return o, s, err
}

// sortedOf returns a program modulo all permutations of its like parts, if these are too many to be listed, parts can be
// sorted, and its rules and initial states show the symmetries; nil if not. Generators show it for all that they generate.
// The error is that of the context.
func sortedOf(ctx context.Context, p *compiled.Machine) (*renamedOrbits, error) {
	all := p.Program().Generators
	generators, err := fieldwise(p.Program(), all)
	if err != nil || len(all) == 0 {
		return nil, nil
	}
	least, err := orbit.NewSorted(p.Layout(), generators)
	if err != nil || least == nil {
		return nil, nil
	}
	var functions []symmetryFunc
	for _, r := range generators {
		functions = append(functions, r.Of(p.Layout()))
	}
	if _, err := newCheckedOrbits(ctx, p, functions, graph.Identity[int](len(functions))); err != nil {
		return nil, ctx.Err()
	}
	if confirmed(p.Program(), all).why != nil {
		return nil, nil
	}
	return &renamedOrbits{p, least, count(least.Order()) + ", verified on its rules"}, nil
}

// renamingsOf returns the renamings of a program, and what finds representatives.
func renamingsOf(p *compiled.Machine) ([]orbit.Renaming, *orbit.Least, error) {
	renamings, err := Fieldwise(p.Program())
	var least *orbit.Least
	if err == nil {
		least, err = orbit.New(p.Layout(), renamings)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("symmetries of %s: %w", p.Name(), err)
	}
	return renamings, least, nil
}

// ofProgram verifies renamings on the rules or, failing that, prepares to verify them in every state.
func ofProgram(
	ctx context.Context, p *compiled.Machine, renamings []orbit.Renaming, least *orbit.Least,
) (Orbits, error) {
	var generators []program.Renaming
	numbers := orbit.Generators(renamings)
	for _, k := range numbers {
		generators = append(generators, p.Program().Renamings[k])
	}
	var functions []symmetryFunc
	for _, r := range renamings {
		functions = append(functions, r.Of(p.Layout()))
	}
	o, err := newCheckedOrbits(ctx, p, functions, numbers) // the starts are alike
	if err != nil {
		return nil, err
	}
	left := confirmed(p.Program(), generators)
	if left.why == nil {
		return &renamedOrbits{p, least, count(least.Order()) + ", verified on its rules"}, nil
	}
	o.least = least
	o.unconfirmed = fmt.Errorf("%w, under %s", left.why, describe(p.Program(), numbers[left.by]))
	return o, o.checkOnly(p, left)
}

// renamedOrbits is a machine modulo renamings of its fields that are known to be
// symmetries.
type renamedOrbits struct {
	walk.Machine
	least *orbit.Least
	how   string
}

func (o *renamedOrbits) How() string { return o.how }

func (o *renamedOrbits) Replace(s []uint64) { o.least.Replace(s) }

// Start appends the representatives of the initial states.
func (o *renamedOrbits) Start(dst []uint64) []uint64 {
	return replaceAll(o, o.Machine.Start(dst), len(dst))
}

// AppendSuccessors appends the representatives of the successors of s.
func (o *renamedOrbits) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	at := len(dst)
	dst, err := o.Machine.AppendSuccessors(dst, s)
	o.least.ReplaceSteps(s, dst[at:])
	return dst, err
}

// replaceAll replaces the states from a word on.
func replaceAll(o Orbits, states []uint64, from int) []uint64 {
	words := o.Layout().Words()
	for ; from < len(states); from += words {
		o.Replace(states[from : from+words])
	}
	return states
}

// checkedOrbits is a machine modulo symmetries that are checked in every expanded
// state.
type checkedOrbits struct {
	states.Machine
	symmetries []symmetryFunc
	words      int
	initial    []uint64     // state, or several
	least      *orbit.Least // of a program's machine
	// rest is the machine with only those rules, invariants and intended end for which the symmetries are checked.
	rest   states.Machine
	claims states.Claims // of rest
	pairs  *pairs        // its rules, if they may be checked one by one
	shown  *shown        // states in which the others, and the claims, were checked; may be nil
	how    string
	// unconfirmed says which rule, for one, is not known to be mapped to another; nil if rules were not looked at.
	unconfirmed error
}

// newCheckedOrbits checks that symmetries map the initial states to themselves. It looks at generators alone, by their
// indices: what they map to itself, their products do. With n initial states, each takes time of the order of n·log n,
// and the context is heeded in between.
func newCheckedOrbits(
	ctx context.Context, m states.Machine, symmetries []symmetryFunc, generators []int,
) (*checkedOrbits, error) {
	o := &checkedOrbits{
		Machine: m, symmetries: symmetries, rest: m, claims: states.ClaimsOf(m), words: m.Layout().Words(),
		how: count(1+len(symmetries)) + ", verified in every state",
	}
	start := m.Start(nil)
	o.initial = start
	sorted := o.sorted(start)
	for _, k := range generators {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		image := o.image(o.symmetries[k], start)
		if !equal(sorted, o.sorted(image)) {
			return nil, o.wrong(k, "symmetry %d of %s maps an initial state to a state that is not initial: %s",
				k, m.Name(), states.ChangesText(states.Changes(m.Layout(), start, image)))
		}
	}
	return o, nil
}

// wrong is an error about a symmetry, with the place in the file that states it, if there is one.
func (o *checkedOrbits) wrong(k int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	m, ok := o.Machine.(*compiled.Machine)
	if !ok || star.SourceOf(m.Program()) == nil {
		return err
	}
	file, line, col, others := star.SourceOf(m.Program()).Symmetry(k)
	if others != "" {
		others = " (together with that at" + others[len(" and"):] + ")"
	}
	return &spec.PosError{File: file, Line: line, Col: col, Msg: err.Error() + others}
}

// Start appends the least images of the initial states.
func (o *checkedOrbits) Start(dst []uint64) []uint64 {
	return replaceAll(o, o.Machine.Start(dst), len(dst))
}

// AppendSuccessors appends the least images of the successors of s, and checks the symmetries there.
func (o *checkedOrbits) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	at := len(dst)
	dst, err := o.Machine.AppendSuccessors(dst, s)
	if err != nil {
		return dst, err
	}
	if err := o.check(s, dst[at:]); err != nil {
		return dst, err
	}
	return replaceAll(o, dst, at), nil
}

// check checks the symmetries in a state, given its successors.
func (o *checkedOrbits) check(s, after []uint64) (err error) {
	paired := o.pairs != nil && o.pairs.alike(s)
	if paired && len(o.claims.Invariants) == 0 && o.claims.Final == nil {
		return nil
	}
	kept := paired || o.pairs == nil
	if kept && o.shown.has(s) {
		return nil
	}
	moved := after
	if o.rest != o.Machine {
		if moved, err = o.rest.AppendSuccessors(nil, s); err != nil {
			return err
		}
	}
	said := o.said(s)
	for k, sym := range o.symmetries {
		image := sym(nil, s)
		next, err := o.rest.AppendSuccessors(nil, image)
		if err != nil {
			return err
		}
		if !paired && !o.same(next, o.image(sym, moved)) {
			if next, err = o.Machine.AppendSuccessors(nil, image); err != nil {
				return err
			}
			return o.wrong(k, "invalid symmetry %d: %s", k, o.unlike(s, after, image, next, sym))
		}
		if what := o.tells(said, image); what != "" {
			return o.wrong(k, "symmetry %d changes %s in %s", k, what, o.Layout().Text(s))
		}
	}
	if kept {
		o.shown.add(s)
	}
	return nil
}

// unlike names a step of a state, or of its image, that has no counterpart.
func (o *checkedOrbits) unlike(s, after, image, next []uint64, sym symmetryFunc) string {
	text := func(s []uint64) string {
		if slices.Equal(s, o.initial) {
			return "the initial state"
		}
		return o.Layout().Text(s)
	}
	images := slices.Collect(slices.Chunk(o.image(sym, after), o.words))
	steps := slices.Collect(slices.Chunk(next, o.words))
	for i, to := range images {
		if !slices.ContainsFunc(steps, func(t []uint64) bool { return slices.Equal(t, to) }) {
			return fmt.Sprintf("from %s a step leads to %s, but none from its image, %s, to %s",
				text(s), text(after[i*o.words:][:o.words]), text(image), text(to))
		}
	}
	for _, to := range steps {
		if !slices.ContainsFunc(images, func(t []uint64) bool { return slices.Equal(t, to) }) {
			return fmt.Sprintf("from %s, the image of %s, a step leads to %s, which is not the image of a step from "+
				"there", text(image), text(s), text(to))
		}
	}
	return fmt.Sprintf("%s and its image, %s, have different numbers of steps", text(s), text(image))
}

func (o *checkedOrbits) How() string { return o.how }

// said lists what the claims say of a state: for every invariant whether it is
// broken, and last whether the state is an intended end.
func (o *checkedOrbits) said(s []uint64) []bool {
	var all []bool
	for _, v := range o.claims.Invariants {
		all = append(all, v.Broken(s))
	}
	return append(all, o.claims.Final != nil && o.claims.Final(s))
}

// tells names a claim that says something else of an image.
func (o *checkedOrbits) tells(said []bool, image []uint64) string {
	for i, is := range o.said(image) {
		switch {
		case is == said[i]:
		case i == len(o.claims.Invariants):
			return "the intended end"
		default:
			return fmt.Sprintf("the invariant %q", o.claims.Invariants[i].Name)
		}
	}
	return ""
}

// image maps states one by one.
func (o *checkedOrbits) image(sym symmetryFunc, states []uint64) []uint64 {
	var out []uint64
	for ; len(states) > 0; states = states[o.words:] {
		out = sym(out, states[:o.words])
	}
	return out
}

// same compares states as multisets.
func (o *checkedOrbits) same(a, b []uint64) bool {
	return equal(o.sorted(a), o.sorted(b))
}

func (o *checkedOrbits) sorted(all []uint64) [][]uint64 {
	return slices.SortedFunc(slices.Chunk(all, o.words), slices.Compare[[]uint64])
}

func equal(a, b [][]uint64) bool { return slices.EqualFunc(a, b, slices.Equal[[]uint64]) }

// Replace replaces a state by the least of its images: block by block if possible,
// otherwise word by word.
func (o *checkedOrbits) Replace(s []uint64) {
	if o.least != nil {
		o.least.Replace(s)
		return
	}
	least, other := slices.Clone(s), []uint64(nil)
	for _, sym := range o.symmetries {
		if other = sym(other[:0], s); slices.Compare(other, least) < 0 {
			least, other = other, least
		}
	}
	copy(s, least)
}
