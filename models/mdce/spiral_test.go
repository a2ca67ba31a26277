package mdce_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestSpiral: the VC goes up over the border from x = n-1 to x = 0 and nowhere
// else; in the last VC it stays or, with Wrap, is 0 again. Packets begin in VC 0,
// or in the next one if their first link is over the border.
func TestSpiral(t *testing.T) {
	for _, overflow := range []mdce.Overflow{mdce.Saturate, mdce.Wrap} {
		for vcs := 1; vcs <= 3; vcs++ {
			n := compile(t, mdce.Options{N: 3, Banyan: 1, CCC: 1, Parallel: 2, VCs: vcs, Overflow: overflow})
			top := n.Topology()
			beyond := func(vc int) int {
				switch {
				case vc < vcs-1:
					return vc + 1
				case overflow == mdce.Wrap:
					return 0
				}
				return vcs - 1
			}
			crossings := 0
			err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
				before := 0
				if !s.Channel.IsInjection() {
					before = top.VC(s.Channel)
				}
				for _, hop := range hops {
					if hop.Channel == spec.Eject {
						continue
					}
					want := before
					from, to := top.Node(top.Tail(hop.Channel)).At[0], top.Node(top.Head(hop.Channel)).At[0]
					if from == 2 && to == 0 {
						want = beyond(before)
						crossings++
					}
					if got := top.VC(hop.Channel); got != want {
						t.Fatalf("overflow %d, %d VCs: from %s to %s: VC %d, want %d", overflow, vcs,
							top.ChannelName(s.Channel), top.ChannelName(hop.Channel), got, want)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if crossings == 0 {
				t.Errorf("overflow %d, %d VCs: nobody passes the border", overflow, vcs)
			}
		}
	}
}
