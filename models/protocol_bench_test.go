package models_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// BenchmarkProtocols reads protocols: every rule is evaluated for all combinations of values that it distinguishes.
func BenchmarkProtocols(b *testing.B) {
	for _, c := range []struct {
		name string
		set  set
	}{
		{"fetch-add", set{"requesters": "5", "fan-out": "3"}},
		{"invalidate-ack", nil},
		{"rwc1-machine", nil},
		{"two-phase-commit", set{"managers": "8"}},
		{"peterson", set{"n": "2"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e, found := models.Find(c.name)
			if !found {
				b.Fatalf("no model %q", c.name)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := programtest.Of(e.Machine(c.set)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
