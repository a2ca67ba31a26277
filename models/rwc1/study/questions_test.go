package study_test

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestLeastVCs: a packet of CCCB or of the c-Banyan makes at most 2n-1 ring hops, n to correct all bits and n-1 to get
// home, so it passes x=n-1 at most twice and three indices are enough; packets that have passed the border once can
// close the ring 0..0 in VC 1. A packet of the CCC corrects while it stays, 2n-2 ring hops in all, which for n=2 pass
// the border only once.
func TestLeastVCs(t *testing.T) {
	for _, topology := range rwc1.TopologyNames[:rwc1.Ring] { // the ring is for the machine alone
		for n := 2; n <= 3; n++ {
			least := 3
			if topology == rwc1.TopologyNames[rwc1.CCC] && n == 2 {
				least = 2
			}
			for vcs := 1; vcs <= 4; vcs++ {
				want := spec.Violated
				if vcs == least {
					want = spec.Holds
				}
				a, err := all.Ask(t.Context(), rwc1.Entry(), "least-vcs", map[string]string{"topology": topology, "n": fmt.Sprint(n), "vcs": fmt.Sprint(vcs)})
				if err != nil {
					t.Fatal(err)
				}
				if a.Verdict != want {
					t.Errorf("%s, n=%d, %d VCs: %s, want %d to be the least: %s", topology, n, vcs, a.Verdict, least, a.Because)
				}
			}
		}
	}
}

// TestPartitions: the paper divides only y and z, by bit patterns, so that no packet leaves; unaligned blocks and parts
// of a ring leak, as a packet goes around in one
// direction.
func TestPartitions(t *testing.T) {
	for _, topology := range rwc1.TopologyNames[:rwc1.Ring] { // the ring is for the machine alone
		for b, blocks := range rwc1.BlockNames {
			want := spec.Violated
			if k := rwc1.Blocks(b); k == rwc1.Aligned || k == rwc1.AnyBits {
				want = spec.Holds
			}
			a, err := all.Ask(t.Context(), rwc1.Entry(), "partitions", map[string]string{"topology": topology, "n": "3", "blocks": blocks})
			if err != nil || a.Verdict != want {
				t.Errorf("%s, %s: %s, %v, want %s: %s", topology, blocks, a.Verdict, err, want, a.Because)
			}
		}
	}
}
