package automorphism

import "github.com/seed-105a2da2/unknot/spec"

// Check checks a symmetry.
func Check(n *spec.Network, s Symmetry, dims bool) error { return newChecker(n, n, dims).check(s) }

// CheckIsomorphism checks a mapping of a to b.
func CheckIsomorphism(a, b *spec.Network, s Symmetry) error { return newChecker(a, b, false).check(s) }
