package bruteforcetest

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// Worms of networks that commit packets, from the definition: some whole worms, no two in one channel, each on a way that a
// packet can take whatever it is committed to, wait for each other: all hops of the alternative at each head lead into
// channels of the worms. Room does not matter: a channel belongs to one worm.

// waitingWorm is a worm that waits: the channels that it holds, and those that it may enter, as sets.
type waitingWorm struct{ holds, wants int }

// worms lists the worms that can wait, on ways of different channels through the sites where packets get.
func (n *commits) worms(sites map[[4]int]bool) (all []waitingWorm) {
	met := map[waitingWorm]bool{}
	var grow func(s [4]int, holds int)
	grow = func(s [4]int, holds int) {
		hops, wants, leaves := n.alternatives(s[0], s[1], s[2])[s[3]], 0, false
		for _, h := range hops {
			if h.Channel == spec.Eject {
				leaves = true
				continue
			}
			wants |= 1 << h.Channel
			if holds>>h.Channel&1 == 0 {
				for k := range n.alternatives(int(h.Channel), s[1], int(h.Tag)) {
					grow([4]int{int(h.Channel), s[1], int(h.Tag), k}, holds|1<<h.Channel)
				}
			}
		}
		if w := (waitingWorm{holds, wants}); !leaves && len(hops) > 0 && !met[w] {
			met[w], all = true, append(all, w)
		}
	}
	for s := range sites {
		if s[0] < n.topo.Channels() {
			grow(s, 1<<s[0])
		}
	}
	return all
}

// block reports whether some of the worms, with those chosen, wait for each other.
func block(all []waitingWorm, holds, wants int) bool {
	if holds != 0 && wants&^holds == 0 {
		return true
	}
	for i, w := range all {
		if holds&w.holds == 0 && block(all[i+1:], holds|w.holds, wants|w.wants) {
			return true
		}
	}
	return false
}

// TestCommittedWorms: with wormhole switching, too, what is decided of networks that commit packets is what the definition
// says: a deadlock needs worms that wait for each other, and tables of which it is shown that there is none have none.
func TestCommittedWorms(t *testing.T) {
	seen := map[string]int{}
	seedtest.Few(40, func() {
		rapid.Check(t, func(t *rapid.T) {
			d := drawCommits(t)
			d.buffer, d.guarded = 1, false
			for _, all := range d.rows {
				for _, hops := range all {
					for i := range hops {
						hops[i].Room = 0
					}
				}
			}
			def, text := d.definition()
			def.Switching = spec.Wormhole
			n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			r, err := checker.Check(context.Background(), n, checker.Question{Workers: 1, MaxStates: 2000, Properties: []string{"deadlock-freedom"}})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			f, can := finding(r, spec.DeadlockFreedom), block(d.worms(d.roads().sites), 0, 0)
			if f.Verdict == spec.Violated && !can || f.Verdict == spec.Holds && f.Method == checker.Static && can {
				t.Fatalf("deadlock %s (%s), but worms can wait for each other: %t\n%s", f.Verdict, f.Because, can, text)
			}
			seen[fmt.Sprint("deadlock ", f.Verdict)]++
			count(seen, n.Alternatives() > 1, "several alternatives")
			count(seen, n.Alternatives() > 1 && can, "worms wait where there are alternatives")
		})
	})
	demand(t, seen, "deadlock violated", "deadlock holds", "several alternatives", "worms wait where there are alternatives")
}
