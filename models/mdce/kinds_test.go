package mdce_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestKindsOfDestinations: tables are the same if every site is evaluated by itself.
func TestKindsOfDestinations(t *testing.T) {
	for i, o := range []mdce.Options{
		cccb(3, 3),
		{N: 4, Banyan: 1, Parallel: 2, VCs: 3},
		{N: 3, Banyan: 1, CCC: 2, Parallel: 1, VCs: 2, Order: mdce.AnyOrder, Overflow: mdce.Wrap},
	} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		def, err := mdce.New(o)
		if err != nil {
			t.Fatal(err)
		}
		def.Routing = struct{ routing.Relation }{def.Routing}
		plain := routingtest.Compile(t, def)
		if got := compile(t, o).Digest(); got != plain.Digest() {
			t.Errorf("%+v: digest %s, asked one by one %s", o, got, plain.Digest())
		}
	}
}
