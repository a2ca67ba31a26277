package program_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
)

// TestRules walks at random: Rules lists what RuleOf says of each successor, one
// by one, and -1 of the next.
func TestRules(t *testing.T) {
	several := false
	rapid.Check(t, func(t *rapid.T) {
		m, err := netgen.Program(t, true).Machine()
		if err != nil {
			t.Fatal(err)
		}
		words := m.Layout().Words()
		s := m.Start(nil)
		for range 10 {
			next, err := m.Next(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			rules := m.Rules([]int32{7}, s)
			if rules[0] != 7 || len(rules)-1 != len(next)/words {
				t.Fatalf("%v behind 7 for %d successors", rules, len(next)/words)
			}
			for i, k := range rules[1:] {
				if want := m.RuleOf(s, i); int(k) != want {
					t.Fatalf("successor %d is by rule %d, want %d", i, k, want)
				}
			}
			if k := m.RuleOf(s, len(rules)-1); k != -1 {
				t.Fatalf("rule %d is left out", k)
			}
			if several = several || len(rules) > 2; len(next) == 0 {
				return
			}
			i := rapid.IntRange(0, len(next)/words-1).Draw(t, "i")
			s = next[i*words : (i+1)*words]
		}
	})
	if !several {
		t.Error("no state had several successors")
	}
}
