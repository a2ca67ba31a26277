package models_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// plain hides what a relation declares about its answers, so every site is evaluated.
type plain struct{ routing.Relation }

// plainCommitting is plain for a relation that commits packets.
type plainCommitting struct{ routing.Committing }

// TestSharedAnswers: the tables of the catalogue's networks are the same if every site is
// evaluated.
func TestSharedAnswers(t *testing.T) {
	number := 0
	for _, e := range models.Catalogue() {
		for _, x := range e.Described().Expect {
			if number++; !seedtest.Sampled(number, 6) {
				continue
			}
			def, err := e.Define(x.Set)
			if err != nil {
				t.Fatal(err)
			}
			var hidden routing.Relation = plain{def.Routing}
			if of, commits := def.Routing.(routing.Committing); commits {
				hidden = plainCommitting{of}
			}
			var digests []spec.Digest
			for _, r := range []routing.Relation{def.Routing, hidden} {
				def.Routing = r
				n := routingtest.Compile(t, def)
				digests = append(digests, n.Digest())
			}
			if digests[0] != digests[1] {
				t.Errorf("%s %v: other tables than those of each site", e.Name, x.Set)
			}
		}
	}
}
