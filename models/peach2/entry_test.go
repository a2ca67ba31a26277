package peach2_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/peach2"
)

func TestPeach2Refuses(t *testing.T) {
	e := peach2.Entry()
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"tie": "EEW"}, "peach2: invalid tie \"EEW\": want east, west, alternate, or a letter E or W for each of the 4 boards, such as EWEW"},
		{map[string]string{"rings": "2", "coupled": "0;1"}, "peach2: invalid coupled \"0;1\": want all, or numbers of boards such as 0,2"},
		{map[string]string{"reads": "in-order"},
			"peach2: reads in-order with ordering pcie: packets wait for older ones in another buffer of their link, but those of a network wait for room in their next buffer alone; \"unknot check peach2-reads\" explores rings of 2 to 4 boards"},
		{map[string]string{"rings": "2", "coupled": "7"}, "peach2: coupled board 7: boards of a ring are numbered 0 to 3"},
		{map[string]string{"rings": "2", "south": "rc-rc"},
			"peach2: cable 0.S-4.S joins rc and rc: a PCI Express link needs a root complex (rc) and an endpoint (ep)"},
	} {
		_, err := e.Define(tt.set)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v: %v, want %s", tt.set, err, tt.want)
		}
	}
}
