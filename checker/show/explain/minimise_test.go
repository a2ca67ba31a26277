package explain

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestOnePacket: a packet enters once, and then each move begins where the one before led. A second packet may move as the first could,
// except for that.
func TestOnePacket(t *testing.T) {
	move := func(from, to spec.ChannelID) spec.Move { return spec.Move{From: from, Hop: spec.Hop{Channel: to}} }
	follows := move(0, 1)
	follows.Kind = spec.Follow
	enters := spec.Injection(0)
	for name, tt := range map[string]struct {
		moves []spec.Move
		want  bool
	}{
		"whole way":              {[]spec.Move{move(enters, 0), move(0, 1), move(1, spec.Eject)}, true},
		"enters":                 {[]spec.Move{move(enters, 0)}, true},
		"second enters":          {[]spec.Move{move(enters, 0), move(spec.Injection(1), 1)}, false},
		"from another's channel": {[]spec.Move{move(enters, 0), move(1, 2)}, false},
		"comes from nowhere":     {[]spec.Move{move(0, 1)}, false},
		"piece by piece":         {[]spec.Move{move(enters, 0), move(0, 1), follows}, false},
	} {
		if got := onePacket(tt.moves); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}
