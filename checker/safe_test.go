package checker_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSafeAsksEnough: Safe, given a network's states and their successors, checks only few of them for
// something stuck. Over all states of small spaces some state is refused if and only if something is
// stuck in some state, and something is stuck in each refused state.
func TestSafeAsksEnough(t *testing.T) {
	stuck, left := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		m := anyTraffic(rt, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Dims: 2})
		safe, err := machines.Safe(m, "deadlock-freedom")
		if err != nil {
			rt.Fatal(err)
		}
		all, next := wholeSpace(rt, m, 300)
		some, refused := 0, 0
		for i, s := range all {
			is := len(m.StuckIn(s)) > 0
			if is {
				some++
			}
			if safe(s, next[i]) == nil {
				continue
			}
			if refused++; !is {
				rt.Fatalf("under %s nothing is stuck in %s", m.Scenario(), m.Layout().Text(s))
			}
		}
		if (some > 0) != (refused > 0) {
			rt.Fatalf("under %s something is stuck in %d states, and %d are refused", m.Scenario(), some, refused)
		}
		stuck, left = stuck+some, left+some-refused
	})
	if seedtest.Usual() && (stuck == 0 || left == 0) {
		t.Errorf("something was stuck in %d states, of which %d were not asked", stuck, left)
	}
}

// wholeSpace returns all reachable states, and the successors of each; none if there are more
// than most.
func wholeSpace(t *rapid.T, m states.Machine, most int) (all, next [][]uint64) {
	words, seen := m.Layout().Words(), map[string]bool{}
	meet := func(found []uint64) {
		for ; len(found) > 0; found = found[words:] {
			if key := m.Layout().Text(found[:words]); !seen[key] {
				seen[key] = true
				all = append(all, found[:words])
			}
		}
	}
	for meet(m.Start(nil)); len(next) < len(all); meet(next[len(next)-1]) {
		if len(all) > most {
			return nil, nil
		}
		found, err := m.AppendSuccessors(nil, all[len(next)])
		if err != nil {
			t.Fatal(err)
		}
		next = append(next, found)
	}
	return all, next
}
