package findings_test

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestWords: what users read of each kind, and that every fault of a survey has its words.
func TestWords(t *testing.T) {
	packets := words.Count{N: 2, Of: "packet"}
	channels := words.Count{N: 3, Of: "channel"}
	lost := func(f counterexamples.Fault) findings.Undelivered {
		return findings.Undelivered{Fault: f, At: "a", In: "c->a", For: "b", Heading: "for b"}
	}
	for _, tt := range []struct {
		found fmt.Stringer
		want  string
	}{
		{findings.Blocked{What: words.Count{Of: "packet"}}, "packets wait for each other and can never move"},
		{findings.Blocked{What: words.Count{N: 1, Of: "packet"}}, "a packet waits for itself and can never move"},
		{findings.Blocked{What: packets, In: channels, After: words.Count{N: 4, Of: "move"}, Explored: true, Under: &spec.Scenario{Sink: 1}},
			"after 4 moves, 2 packets in 3 channels wait for each other and can never move, found by exploring (" + spec.Scenario{Sink: 1}.String() + ")"},
		{findings.Unreached{What: packets}, "2 packets would wait for each other, but no trace to that state was found"},
		{lost(counterexamples.Unrouted), "at a the routing function returns no first hop for b"},
		{lost(counterexamples.DeadEnd), "at a the routing function returns no hop for b for a packet in c->a"},
		{lost(counterexamples.Trap), "a packet for b in c->a can move but can never arrive"},
		{lost(counterexamples.Misdelivery), "a packet for b is ejected at a"},
		{findings.Faults{Fault: counterexamples.Unrouted, N: 3}, "flows without a first hop: 3"},
		{findings.Faults{Fault: counterexamples.DeadEnd, N: 3}, "sites without a hop: 3"},
		{findings.Faults{Fault: counterexamples.Trap, N: 3}, "sites from which the destination is unreachable: 3"},
		{findings.Faults{Fault: counterexamples.Misdelivery, N: 3}, "sites where a packet is ejected at a wrong node: 3"},
		{findings.Circling{For: "b", Through: channels}, "a packet for b cycles through 3 channels forever under every selection function"},
		{findings.Circling{For: "b", Through: channels, Leaves: true}, "a packet for b cycles through 3 channels forever under a selection function " +
			"that always prefers those hops; a fair one leaves the cycle"},
		{findings.Destinations{Cyclic: 1, All: 4}, "destinations for which a packet can livelock: 1 of 4"},
		{findings.Discarded{From: "a", For: "b", At: "c"}, "a packet from a for b is discarded at c"},
		{findings.NoFlows, "no node sends anything: nothing to decide"},
		{findings.NoSites, "no packet ever enters a channel: nothing to decide"},
	} {
		if got := tt.found.String(); got != tt.want {
			t.Errorf("%#v: %q, want %q", tt.found, got, tt.want)
		}
	}
}
