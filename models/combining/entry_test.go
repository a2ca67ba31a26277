package combining_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/combining"
)

func TestInvalidateAckRefuses(t *testing.T) {
	e := combining.InvalidateAckEntry()
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"homes": ""}, "invalid homes \"\": want numbers of clusters as in 0,3"},
		{map[string]string{"homes": "0;1"}, "invalid homes \"0;1\": want numbers of clusters as in 0,3"},
		{map[string]string{"homes": "4"}, "invalid homes \"4\": want clusters from 0 to 3"},
		{map[string]string{"homes": "0,0,0,0,0,0,0,0,0"}, "9 blocks and 2 writers: want at most 8"},
		{map[string]string{"writers": "3,1"}, "invalid writers \"3,1\": want different clusters in ascending order"},
		{map[string]string{"writers": "-1"}, "invalid writers \"-1\": want numbers of clusters as in 0,3"},
		{map[string]string{"writers": "99999999999999999999"}, "invalid writers \"99999999999999999999\": want clusters from 0 to 3"},
		{map[string]string{"readers": "2,2"}, "invalid readers \"2,2\": want different clusters in ascending order"},
		{map[string]string{"fanout": "8", "depth": "4"}, "a tree of fan-out 8 and depth 4 has more than 64 clusters"},
		{map[string]string{"fanout": "8", "depth": "2"}, "64 clusters: want at most 16"},
		{map[string]string{"fanout": "1"}, "invalid fanout \"1\": want an integer from 2 to 8"},
		{map[string]string{"link": "0"}, "invalid link \"0\": want an integer from 1 to 8"},
		{map[string]string{"entries": "0"}, "invalid entries \"0\": want an integer from 1 to 16"},
		{map[string]string{"variant": "mended"}, "invalid variant \"mended\": want one of literal, parts, repeat, return, defer, sound"},
		{map[string]string{"variant": "sound", "reopen": "when-replied"}, "variant sound: want an overflow with marks"},
		{map[string]string{"variant": "sound", "unit": "one-place"}, "variant sound: want an overflow with marks"},
		{map[string]string{"variant": "sound", "homes": "0,2", "overflow": "refuse"}, "variant sound: want an overflow with marks"},
		{map[string]string{"interrupts": "travel", "homes": "0,2", "overflow": "marked"}, "interrupts that travel: want multicasts copy by copy"},
		// 8 blocks, and of each the requests of 2 writers, 2 replies and 2 Acks, at 2 levels.
		{map[string]string{"variant": "sound", "interrupts": "travel", "overflow": "marked", "homes": "0,0,0,0,0,0,0,0"},
			"interrupts that travel: a processor may have to keep 96 of them: want at most 64"},
	} {
		if _, err := e.Machine(tt.set); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.set, err, tt.want)
		}
	}
}

// TestCombiningRefuses: wrong parameters of the machines with memory and barriers, and
// the errors.
func TestCombiningRefuses(t *testing.T) {
	for _, tt := range []struct {
		model, want string
		set         map[string]string
	}{
		{"memory-barrier", "memory-barrier: invalid entries \"0\": want an integer from 1 to 16", map[string]string{"entries": "0"}},
		{"fetch-add", "invalid homes \"0,four\": want a cluster from 0 to 3 or root for each of up to 4 cells", map[string]string{"homes": "0,four"}},
		{"fetch-add", "invalid homes \"0,4\": want a cluster from 0 to 3 or root", map[string]string{"homes": "0,4"}},
		{"fetch-add", "invalid homes \"0,0,0,0,0\": want a cluster from 0 to 3 or root for each of up to 4 cells", map[string]string{"homes": "0,0,0,0,0"}},
		{"fetch-add", "invalid targets \"0/-1/0\": want for each of 3 requesters up to 16 cells from 0 to 0", map[string]string{"targets": "0/-1/0"}},
		{"fetch-add", "invalid targets \"0/0\": want for each of 3 requesters", map[string]string{"targets": "0/0"}},
		{"fetch-add", "invalid targets \"0/0/1\": want for each of 3 requesters up to 16 cells from 0 to 0", map[string]string{"targets": "0/0/1"}},
		{"fetch-add", "fetch-add: invalid partners \"9\": want an integer from 2 to 8", map[string]string{"partners": "9"}},
		{"read-combining",
			`invalid targets "0/0/0": want at least 2 for the last requester, one for each of its writes`,
			map[string]string{"writes": "2", "targets": "0/0/0"}},
		{"reduction", `invalid pairs "0-1,1-2": want two words in each, every word once, of different digits below 4`, map[string]string{"pairs": "0-1,1-2"}},
		{"reduction", `invalid pairs "0-11": want two words`, map[string]string{"pairs": "0-11"}},
		{"reduction", `invalid pairs "0-4": want two words`, map[string]string{"pairs": "0-4"}},
		{"reduction", `invalid pairs "": want two words`, map[string]string{"pairs": ""}},
		{"reduction", `invalid pairs "0-1": want level=3`, map[string]string{"pairs": "0-1", "level": "2"}},
		{"reduction", "reduction: invalid order \"random\": want one of position, arrival", map[string]string{"order": "random"}},
		{"fetch-add", "invalid levels \"0,1,2,-1\": want a level from 0 to 3 for each of 4 clusters", map[string]string{"levels": "0,1,2,-1"}},
		{"fetch-add", "invalid levels \"0,1\": want a level from 0 to 3 for each of 4 clusters", map[string]string{"levels": "0,1"}},
		{"fetch-add", "invalid requesters 16: want at most 4, the number of clusters", map[string]string{"requesters": "16"}},
		{"read-combining", "a tree of fan-out 8 and depth 6", map[string]string{"fan-out": "8", "depth": "6"}},
		{"test-and-set", `test-and-set: invalid parameter "writes"`, map[string]string{"writes": "1"}},
	} {
		e, _ := models.Find(tt.model)
		if _, err := e.Machine(tt.set); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %s", tt.model, tt.set, err, tt.want)
		}
	}
}
