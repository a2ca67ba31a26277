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
