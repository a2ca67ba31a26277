package p3

import (
	"cmp"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// pair is the measure of proofs/coq/Plane.v: of an edge as seen from a target, its squared distance, and the squared
// cotangent of the angle between it and the way from its nearest point to the target. The zero pair has no numbers: it is that
// of a PE that may cross no edge.
type pair struct{ distance, slant *big.Rat }

func (p pair) compare(q pair) int {
	switch {
	case p.distance == nil || q.distance == nil:
		return cmp.Compare(len(p.numbers()), len(q.numbers()))
	case p.distance.Cmp(q.distance) != 0:
		return p.distance.Cmp(q.distance)
	}
	return p.slant.Cmp(q.slant)
}

func (p pair) numbers() []*big.Rat {
	if p.distance == nil {
		return nil
	}
	return []*big.Rat{p.distance, p.slant}
}

// greatest returns the greatest pair of an edge that a PE may cross, by the definitions of Plane.v.
func greatest(r Region, t vector) (most pair) {
	along := func(e int) *big.Rat { a, b := r.edge(e); return rat(b).minus(rat(a)).dot(t.minus(rat(a))) }
	square := func(e int) *big.Rat { a, b := r.edge(e); return rat(b).minus(rat(a)).dot(rat(b).minus(rat(a))) }
	wedge := func(e, f int) bool { return square(e).Cmp(along(e)) <= 0 && along(f).Sign() <= 0 }
	for e := range r.Corners {
		a, b := r.edge(e)
		d := rat(b).minus(rat(a))
		left := d.cross(t.minus(rat(a)))
		strip := along(e).Sign() >= 0 && along(e).Cmp(square(e)) <= 0
		if left.Sign() >= 0 || !strip && !wedge(r.edgeInto(e), e) && !wedge(e, (e+1)%len(r.Corners)) {
			continue
		}
		at, _ := foot(t, rat(a), rat(b))
		turn := new(big.Rat).Quo(d.dot(t.minus(at)), left)
		if p := (pair{t.minus(at).dot(t.minus(at)), turn.Mul(turn, turn)}); p.compare(most) > 0 {
			most = p
		}
	}
	return most
}

// measured returns a certificate of the kind, whose numbers are the places of the pairs that keep leaves of each site's.
func measured(f *Forwarding, n *spec.Network, kind proofs.Kind, keep func(pair) pair) *proofs.Certificate {
	var pairs []pair
	for i := range n.Tables() {
		table := n.Table(i)
		cell := &f.Cells[table.Dest][f.first[table.Dest][table.Class]]
		x, y := cell.inner()
		if len(cell.corners) == 1 && f.asked.Border == Lean { // an integer target of masked tables
			x, y = x.Add(x, big.NewRat(1, 1<<30)), y.Add(y, big.NewRat(1, 1<<60))
		}
		for _, c := range table.Channels {
			pe := n.Topology().Head(c)
			if pe == table.Dest {
				pairs = append(pairs, pair{})
			} else {
				pairs = append(pairs, keep(greatest(f.Plane.Regions[pe], vector{x, y})))
			}
		}
	}
	sorted := slices.Clone(pairs)
	slices.SortFunc(sorted, pair.compare)
	sorted = slices.CompactFunc(sorted, func(p, q pair) bool { return p.compare(q) == 0 })
	c := &proofs.Certificate{Network: n.Digest(), Property: spec.LivelockFreedom, Switching: n.Switching(), Kind: kind}
	if kind == proofs.Arrival {
		c.Property = spec.Delivery
	}
	for _, p := range pairs {
		place, _ := slices.BinarySearchFunc(sorted, p, pair.compare)
		c.Measure = append(c.Measure, int32(place))
	}
	return c
}

// TestMeasureOfTheorem: Verify accepts the measure of proofs/coq/Plane.v on every member of its theorem that is sampled,
// for livelock freedom and for delivery; so the theorem is about the network that unknot checks. It refuses the distance
// alone on some member, and the measure on every network that lacks a condition.
func TestMeasureOfTheorem(t *testing.T) {
	g, _ := families.FindGeneral("p3")
	verified := func(set map[string]string, keep func(pair) pair) bool {
		def, err := Entry().Define(set)
		if err != nil {
			t.Fatal(err)
		}
		n, f := routingtest.Compile(t, def), def.Routing.(*network).Forwarding
		if n.FlowCount() == 0 { // one PE
			return true
		}
		for _, kind := range []proofs.Kind{proofs.Measure, proofs.Arrival} {
			if proofs.Verify(t.Context(), n, measured(f, n, kind, keep)) != nil {
				return false
			}
		}
		return true
	}
	members, wrong := 0, 0
	for _, m := range g.Members {
		for _, set := range m.Settings() {
			if !verified(set, whole) {
				t.Errorf("%v: the measure was refused", set)
			}
			if !verified(set, distance) {
				wrong++
			}
			members++
		}
	}
	if members < 50 || wrong < 3 {
		t.Errorf("%d members, the distance alone is refused on %d", members, wrong)
	}
	if len(g.Refuted) < 3 {
		t.Errorf("%d networks without a condition", len(g.Refuted))
	}
	for _, m := range g.Refuted {
		for _, set := range m.Settings() {
			if verified(set, whole) {
				t.Errorf("%s (%s): the measure was accepted", m.Command(), m.Why)
			}
		}
	}
}

// TestMeasureOfDrawnPlanes: likewise on drawn planes, with flat corners too.
func TestMeasureOfDrawnPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Plane: drawPlane(t), Rule: rapid.SampledFrom([]Rule{Beyond, BeyondHorizontal, BeyondVertical}).Draw(t, "rule")}
		f := forwarding(t, o)
		n := routingtest.Compile(t, f.Definition())
		if n.FlowCount() == 0 {
			t.Skip("one PE")
		}
		for _, kind := range []proofs.Kind{proofs.Measure, proofs.Arrival} {
			if err := proofs.Verify(t.Context(), n, measured(f, n, kind, whole)); err != nil {
				t.Error(err)
			}
		}
	})
}

func whole(p pair) pair { return p }

// distance keeps of a pair the distance alone: the wrong measure.
func distance(p pair) pair {
	if p.distance != nil {
		p.slant = new(big.Rat)
	}
	return p
}
