package sweep

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestRest: a channel of the whole network is that of the rest under its number there; what is no channel, as a
// wrong routing function may answer, or none, stays as it is, to be refused there.
func TestRest(t *testing.T) {
	r := &remnant{now: []spec.ChannelID{4, 0, 2}}
	for c := spec.Injection(2); c < 6; c++ {
		want := c
		if c >= 0 && int(c) < len(r.now) {
			want = r.now[c]
		}
		if got := r.remaining(c); got != want {
			t.Errorf("channel %d: %d, want %d", c, got, want)
		}
	}
}
