package wormhole

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestBehind: a message stands behind another if its head is in the channel that holds the tail of that one; each
// stands behind one, no two behind the same, and none, in the end, behind itself.
func TestBehind(t *testing.T) {
	worm := func(behind bool, channels ...spec.ChannelID) (w Worm) {
		w.Behind = behind
		for _, c := range channels {
			w.Sites = append(w.Sites, spec.Site{Channel: c})
		}
		return w
	}
	for name, tt := range map[string]struct {
		worms []Worm
		want  bool
	}{
		"none":                      {[]Worm{worm(false, 0, 1), worm(false, 2)}, true},
		"one":                       {[]Worm{worm(false, 1, 2), worm(true, 0, 1)}, true},
		"the other is named later":  {[]Worm{worm(true, 0, 1), worm(false, 1, 2)}, true},
		"three in a row":            {[]Worm{worm(true, 0, 1), worm(true, 1, 2), worm(false, 2, 3)}, true},
		"no other there":            {[]Worm{worm(false, 1, 2), worm(true, 0, 3)}, false},
		"in the middle of another":  {[]Worm{worm(false, 1, 2, 3), worm(true, 0, 2)}, false},
		"in one channel":            {[]Worm{worm(false, 1, 2), worm(true, 1)}, false},
		"two behind one":            {[]Worm{worm(false, 1, 2), worm(true, 0, 1), worm(true, 3, 1)}, false},
		"behind each other":         {[]Worm{worm(true, 0, 1), worm(true, 1, 0)}, false},
		"three behind each other":   {[]Worm{worm(true, 0, 1), worm(true, 1, 2), worm(true, 2, 0)}, false},
		"behind one of two in turn": {[]Worm{worm(true, 3, 0), worm(true, 0, 1), worm(true, 1, 0)}, false},
	} {
		holder := map[spec.ChannelID]int{}
		for i, w := range tt.worms {
			sites := w.Sites
			if w.Behind {
				sites = sites[:len(sites)-1] // its head is in a channel that another holds
			}
			for _, s := range sites {
				holder[s.Channel] = i
			}
		}
		if err := checkBehind(tt.worms, holder); (err == nil) != tt.want {
			t.Errorf("%s: %v, want that it is accepted: %t", name, err, tt.want)
		}
	}
}
