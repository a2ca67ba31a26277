package proofs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestNoDiscard: a certificate that nothing is discarded is refused where one row of many discards, at a source or in a
// channel, and where it says another property or has numbers; in both forms of the check.
func TestNoDiscard(t *testing.T) {
	dropping := asking
	for _, tt := range []struct {
		name, rows, want string
		change           func(*proofs.Certificate)
	}{
		{name: "none"},
		{name: "at the source", rows: `[[[]],[[-1,0]],[[-1,1,0,0]]]`, want: "permits a discard"},
		{name: "in the channel", rows: `[[[]],[[-1,0,-1,1]],[[0,0]]]`, want: "permits a discard"},
		{name: "an alternative", rows: `[[[]],[[-1,0]],[[-1,1],[0,0]]]`, want: "permits a discard"},
		{"delivery", "", "shows no-discard, not delivery", func(c *proofs.Certificate) { c.Property = spec.Delivery }},
		{"another kind", "", "shows delivery, not no-discard", func(c *proofs.Certificate) { c.Kind = proofs.Arrival }},
		{"numbers", "", "1 numbers measure: want 0", func(c *proofs.Certificate) { c.Measure = []int32{0} }},
		{"of another network", "", "another network", func(c *proofs.Certificate) { c.Network = spec.Digest{} }},
	} {
		text := dropping
		if tt.rows != "" {
			text = strings.Replace(text, `[[[]],[[-1,0]],[[0,0]]]`, tt.rows, 1)
			text = strings.Replace(text, `"sources":[0,2,0,0]`, `"sources":[0,2]`, 1)
		}
		n, err := spec.ReadClosed(context.Background(), "n.json", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		c := &proofs.Certificate{Network: n.Digest(), Property: spec.NoDiscard, Switching: n.Switching(), Kind: proofs.NoDiscard}
		if tt.change != nil {
			tt.change(c)
		}
		for form, verify := range map[string]func(context.Context, *spec.Network, *proofs.Certificate) error{
			"fast": proofs.Verify, "plain": proofs.VerifyPlain,
		} {
			if err := verify(t.Context(), n, c); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: %v, want %q", tt.name, form, err, tt.want)
			}
		}
	}
}

// TestNoDiscardOnce: of flows that are listed, a certificate is refused as soon as one of them may meet a discard, at its
// source, further on or by one of its alternatives, or is no flow of the network; what other flows meet does not matter.
func TestNoDiscardOnce(t *testing.T) {
	// Node 1 sends to 0, and 0 to 1 by one of both links, at random; nothing else is sent.
	text := func(back, far string) string {
		return `{"format":"unknot-network-2","name":"n","switching":"wormhole","buffer":1,"tags":1,"selection":"",` +
			`"classes":[""],"vcs":[],"nodes":[{"name":"0","at":[]},{"name":"1","at":[]}],"links":[` +
			`{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},` +
			`{"from":1,"to":0,"vcs":1,"out":"","in":"","dim":0}],"rows":[[[-1,0]],` + far + `,[[0,0],[1,0]],` + back + `],` +
			`"tables":[{"dest":0,"class":0,"sources":[1,3],"sites":[2,0,0]},{"dest":1,"class":0,"sources":[0,2],"sites":[0,0,0,1,0,1]}]}`
	}
	const kept, lossy = `[[-1,0]]`, `[[-1,0,-1,1]]`
	to := func(src, dst spec.NodeID) spec.Flow { return spec.Flow{Source: src, Target: spec.Target{Dest: dst}} }
	for _, tt := range []struct {
		name, back, far string
		once            []spec.Flow
		want            string
	}{
		{"another flow", `[[2,0,-1,1]]`, kept, []spec.Flow{to(0, 1)}, ""},
		{"another flow, the other way", `[[2,0]]`, lossy, []spec.Flow{to(1, 0)}, ""},
		{"at the source", `[[2,0,-1,1]]`, kept, []spec.Flow{to(1, 0)}, "permits a discard"},
		{"on the way", `[[2,0]]`, lossy, []spec.Flow{to(0, 1)}, "permits a discard"},
		{"the second flow", `[[2,0]]`, lossy, []spec.Flow{to(1, 0), to(0, 1)}, "permits a discard"},
		{"all flows", `[[2,0]]`, lossy, nil, "permits a discard"},
		{"no flow", `[[2,0]]`, lossy, []spec.Flow{to(1, 0), to(0, 0)}, "flow 1: want one of the network"},
		{"no class", `[[2,0]]`, kept, []spec.Flow{{Source: 1, Target: spec.Target{Class: 1}}}, "flow 0: want one of the network"},
	} {
		n, err := spec.ReadClosed(context.Background(), "n.json", []byte(text(tt.back, tt.far)))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		c := &proofs.Certificate{
			Network: n.Digest(), Property: spec.NoDiscard, Switching: n.Switching(), Kind: proofs.NoDiscard, Once: tt.once,
		}
		for form, verify := range map[string]func(context.Context, *spec.Network, *proofs.Certificate) error{
			"fast": proofs.Verify, "plain": proofs.VerifyPlain,
		} {
			if err := verify(t.Context(), n, c); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: %v, want %q", tt.name, form, err, tt.want)
			}
		}
		if c.Kind, c.Property, c.Rank = proofs.Rank, spec.DeadlockFreedom, make([]int32, 3); len(tt.once) > 0 && proofs.Verify(t.Context(), n, c) == nil {
			t.Errorf("%s: ranks of some flows: accepted", tt.name)
		}
	}
}
