package p3

import "testing"

// TestForced: a packet's way is forced if every region on it leaves one choice and the last is the destination's; a
// choice of two, none, and regions that send it round and round are not.
func TestForced(t *testing.T) {
	// Region i leads to (i+1)%4 by choice 0 and to (i+2)%4 by choice 1.
	p := &Plane{Regions: make([]Region, 4)}
	for i := range 4 {
		p.Across = append(p.Across, []int{(i + 1) % 4, (i + 2) % 4})
	}
	for name, tt := range map[string]struct {
		hops     []uint32 // by region, to region 3
		src, dst int
		want     bool
	}{
		"there":            {[]uint32{1, 1, 1, 0}, 3, 3, true},
		"the longest way":  {[]uint32{1, 1, 1, 0}, 0, 3, true},
		"two at a time":    {[]uint32{1, 2, 1, 0}, 1, 3, true},
		"a choice":         {[]uint32{1, 3, 1, 0}, 0, 3, false},
		"a choice behind":  {[]uint32{3, 1, 1, 0}, 1, 3, true},
		"none":             {[]uint32{1, 0, 1, 0}, 0, 3, false},
		"round and round":  {[]uint32{2, 0, 2, 0}, 0, 3, false},
		"round behind one": {[]uint32{2, 1, 2, 0}, 1, 3, false},
	} {
		f := &Forwarding{Plane: p, hops: [][][]uint32{3: {tt.hops}}}
		if got := f.forced(tt.src, tt.dst, 0); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}
