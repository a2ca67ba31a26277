package proofs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// asking is a link from 0 to 1, written by hand: node 0 asks node 1 in two ways, the second of which is not routed.
const asking = `{"format":"unknot-network-2","name":"asking","switching":"store-and-forward","buffer":1,"tags":1,"selection":"",
"classes":[""],"vcs":[],"nodes":[{"name":"0","at":[]},{"name":"1","at":[]}],
"links":[{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0}],
"rows":[[[]],[[-1,0]],[[0,0]]],
"tables":[{"dest":1,"class":0,"sources":[0,2,0,0],"sites":[0,0,1]}]}`

// TestAlternatives: delivery needs a first hop for every alternative of the data; its lack is shown for that one alone.
func TestAlternatives(t *testing.T) {
	for _, tt := range []struct {
		name, second string
		routed       bool
	}{{"one not routed", "0,0", false}, {"both routed", "0,2", true}} {
		text := strings.Replace(asking, `"sources":[0,2,0,0]`, `"sources":[0,2,`+tt.second+`]`, 1)
		n, err := spec.ReadClosed(context.Background(), "asking.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c := &proofs.Certificate{Network: n.Digest(), Property: spec.Delivery, Switching: n.Switching(), Kind: proofs.Arrival, Measure: []int32{0}}
		if err := proofs.Verify(t.Context(), n, c); (err == nil) != tt.routed ||
			err != nil && !strings.Contains(err.Error(), "at inject 0 for 1, class 0, tag 1: no first hop") {
			t.Errorf("%s: certificate: %v", tt.name, err)
		}
		for tag, shows := range []bool{false, !tt.routed, false} {
			trace := &counterexamples.Trace{Network: n.Digest(), Property: spec.Delivery, Fault: counterexamples.Unrouted,
				Site: spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: spec.Tag(tag)}}}
			if err := counterexamples.Replay(t.Context(), n, trace); (err == nil) != shows {
				t.Errorf("%s: trace of alternative %d: %v", tt.name, tag, err)
			}
		}
	}
}
