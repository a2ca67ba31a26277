package rwc1_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/rwc1"
)

func TestRWC1MachineRefuses(t *testing.T) {
	e := rwc1.MachineEntry()
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"streams": "0>1"}, `rwc1-machine: streams=0>1: "0>1" must be WHO@LEVEL, WHO@LEVEL/REPLY or those with *COUNT, with WHO as in 0>1, next, before or all, levels 0 to 3 and a count of 1 to 9`},
		{map[string]string{"streams": "0>2@0"}, `rwc1-machine: streams=0>2@0: "0>2@0": who sends to whom must be two different routers from 0 to 1 as in 0>1, or next, before or all`},
		{map[string]string{"fabric": "cccb", "n": "8", "streams": "0>1@0"}, "rwc1-machine: rings of 8 routers: want 2 to 4, or one of 2 to 8"},
		{map[string]string{"fabric": "cccb", "n": "4"}, "rwc1-machine: streams=all@0/0: more than 64 streams"},
		{map[string]string{"watch": "3"}, "rwc1-machine: watch=3: must be 0, or 1 to 2, the number of streams"},
		{map[string]string{"watched": "2"}, "rwc1-machine: two packets are watched, of no stream"},
		{map[string]string{"spill": "yes", "window": "9"}, "rwc1-machine: an APB of 18 packets: want at most 16; a smaller window or fewer streams"},
	} {
		if _, err := e.Machine(tt.set); err == nil || err.Error() != tt.want {
			t.Errorf("%v: %v, want %q", tt.set, err, tt.want)
		}
	}
}
