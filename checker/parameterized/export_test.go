package parameterized

import (
	"context"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec"
)

// ErrDisagree is a fault of this package, and so of a test that meets it.
var ErrDisagree = errDisagree

// VerdictAt checks one size.
func (f *Family) VerdictAt(ctx context.Context, size map[string]int) (spec.Verdict, error) {
	p := &Proof{}
	_, _, err := f.check(ctx, p, size)
	if p.Size != nil {
		return spec.Violated, err
	}
	return spec.Holds, err
}

// ProveSmall proves from the two least sizes alone, so that larger ones are left to find what is proved and false.
func (f *Family) ProveSmall(ctx context.Context) (p *Proof, holds bool, err error) {
	p = &Proof{}
	var samples []*small
	var networks []*spec.Network
	for _, size := range f.sampled(2) {
		s, n, err := f.check(ctx, p, size)
		if err != nil || p.Size != nil {
			return p, false, err
		}
		samples, networks = append(samples, s), append(networks, n)
	}
	_, err = f.prove(ctx, p, samples, networks)
	return p, err == nil && p.Verdict() == spec.Holds, err
}

// Stray looks for a stray name in a sum of names, in the formula of a link.
func Stray(sum, size string, coordinates int) string {
	t := symbolic.Number(0)
	for _, name := range strings.Split(sum, " + ") {
		t = symbolic.Plus(t, 1, symbolic.Named(name))
	}
	return stray(t, map[string]bool{size: true}, coordinates, here)
}

// CompareAlone compares formulas and file at the further sizes of a proof.
func (f *Family) CompareAlone(ctx context.Context) (*Proof, error) {
	p := &Proof{}
	return p, f.compare(ctx, p, make([][]*symbolic.Term, len(f.kinds())))
}

// Replaced has the formulas of f, which are compared with another text: a wrong reading of that.
func Replaced(f *Family, text string) *Family {
	wrong := *f
	wrong.text = []byte(text)
	return &wrong
}
