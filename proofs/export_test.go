package proofs

import "github.com/seed-105a2da2/unknot/spec"

// AdmitKind has the head of a certificate of a kind accepted, as if somebody had added the kind there alone.
func AdmitKind(k Kind, shown spec.Property) (restore func()) {
	shows[k] = shown
	return func() { delete(shows, k) }
}
