// Package omega models the circular omega network with banks of the EM-4
// (Sakai, Yamaguchi, Hiraki, Kodama and Yuba, 1989).
package omega

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// New returns a circular omega network of n columns of 2^n nodes. Node (x, y)
// has links to (x+1 mod n, 2y mod 2^n) and (x+1 mod n, 2y+1 mod 2^n): after n
// hops a packet has shifted in a whole new y. A packet takes as few hops as
// bring it to its column with the right y, at most 2n-1. It enters the next
// bank (VC) when it passes from the last column to the first, and stays in the
// last one if there are no more.
func New(n, banks int) (routing.Definition, error) {
	if n < 2 || n > 12 {
		return routing.Definition{}, fmt.Errorf("%d columns: want 2 to 12", n)
	}
	if banks < 1 || banks > 64 {
		return routing.Definition{}, fmt.Errorf("%d banks: want 1 to 64", banks)
	}
	t := spec.NewTopology()
	rows := 1 << n
	node := func(x, y int) spec.NodeID { return spec.NodeID(y*n + x) }
	for y := range rows {
		for x := range n {
			t.AddNode(routing.CoordinateName(x, y), x, y)
		}
	}
	for y := range rows {
		for x := range n {
			for b := range 2 {
				t.AddLink(spec.Link{From: node(x, y), To: node((x+1)%n, (2*y+b)%rows), VCs: banks, Dim: b + 1, Out: fmt.Sprint(b)})
			}
		}
	}
	shift := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := t.Head(at)
		x, y := int(v)%n, int(v)/n
		toX, toY := int(h.Dest)%n, int(h.Dest)/n
		left := (toX - x + n) % n
		if left == 0 || toY>>left != y&(rows>>left-1) {
			left += n // what is left of y would be wrong: go round once more
		}
		bank := 0
		if !at.IsInjection() {
			bank = t.VC(at)
		}
		if x == n-1 {
			bank = min(bank+1, banks-1)
		}
		return append(dst, spec.Hop{Channel: t.Channel(t.Out(v)[toY>>(left-1)&1], bank)})
	})
	return routing.Definition{Name: "circular omega", Topology: t, Switching: spec.VirtualCutThrough,
		Routing: routing.Deliver(t, routing.Named("shift in the next bit of the row", shift))}, nil
}
