package rwc1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/rwc1"
)

func TestRWC1MachineRefuses(t *testing.T) {
	e := rwc1.MachineEntry()
	const form = "want WHO@LEVEL, WHO@LEVEL/REPLY or those with xCOUNT, with WHO as in 0-1, next, before or all, levels 0 to 3 and a count of 1 to 9"
	const pairs = "want two different routers from 0 to 2 as in 0-1, or next, before or all"
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"streams": "0-1"}, `invalid streams "0-1": "0-1": ` + form},
		{map[string]string{"streams": ""}, `invalid streams "": "": ` + form},
		{map[string]string{"streams": "0-1@4"}, `invalid streams "0-1@4": "0-1@4": ` + form},
		{map[string]string{"streams": "0-1@0/"}, `invalid streams "0-1@0/": "0-1@0/": ` + form},
		{map[string]string{"streams": "0-1@0x0"}, `invalid streams "0-1@0x0": "0-1@0x0": ` + form},
		{map[string]string{"streams": "0-1@0x2/1"}, `invalid streams "0-1@0x2/1": "0-1@0x2/1": ` + form},
		{map[string]string{"streams": "all@0,next@9/0,x"}, `invalid streams "all@0,next@9/0,x": "next@9/0": ` + form},
		{map[string]string{"n": "3", "streams": "0-3@0"}, `invalid streams "0-3@0": "0-3@0": ` + pairs},
		{map[string]string{"n": "3", "streams": "1-1@0"}, `invalid streams "1-1@0": "1-1@0": ` + pairs},
		{map[string]string{"n": "3", "streams": "any@0"}, `invalid streams "any@0": "any@0": ` + pairs},
		{map[string]string{"n": "3", "streams": "0>-1@0"}, `invalid streams "0>-1@0": "0>-1@0": ` + pairs},
		{map[string]string{"fabric": "cccb", "n": "8", "streams": "0-1@0"}, "rings of 8 routers: want 2 to 4, or one of 2 to 8"},
		{map[string]string{"fabric": "cccb", "n": "4"}, "invalid streams \"all@0/0\": want at most 64"},
		{map[string]string{"watch": "3"}, "invalid watch 3: want 0, or 1 to 2, the number of streams"},
		{map[string]string{"watched": "2"}, "watched = 2 with watch = 0"},
		{map[string]string{"spill": "yes", "window": "0"}, "an APB for any number of packets: with spilling want a window of 1 to 9"},
		{map[string]string{"spill": "yes", "window": "9"}, "an APB of 18 packets: want at most 16; a smaller window or fewer streams"},
		{map[string]string{"ranks": "levels"}, "a rank for every level: want a buffer for every level, and a priority"},
	} {
		if _, err := e.Machine(tt.set); !strings.Contains(fmt.Sprint(err), "fail: "+tt.want) {
			t.Errorf("%v: %v, want %q", tt.set, err, tt.want)
		}
	}
}
