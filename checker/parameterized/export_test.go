package parameterized

import (
	"context"

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
