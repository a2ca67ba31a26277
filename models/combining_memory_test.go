package models_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestCombiningRefuses: wrong parameters of the machines on memory and barriers,
// and what is said of them.
func TestCombiningRefuses(t *testing.T) {
	for _, tt := range []struct {
		model, want string
		set         map[string]string
	}{
		{"barrier", `barrier: groups: "" in group 1: want clusters with commas`, map[string]string{"groups": "0,1/"}},
		{"barrier", `barrier: groups: "two" in group 0`, map[string]string{"groups": "0,two"}},
		{"barrier", "barrier: group 0 is [1 0]: want clusters 0 to 3 in ascending order", map[string]string{"groups": "1,0"}},
		{"barrier", "barrier: group 0 is [0 4]: want clusters 0 to 3", map[string]string{"groups": "0,4"}},
		{"memory-barrier", "memory-barrier: 5 groups: want 1 to 4", map[string]string{"groups": "0,1/0,1/0,1/0,1/0,1"}},
		{"memory-barrier", "memory-barrier: a barrier at level 1 that releases by a flag: the reply clears the entry (section 5 of the paper)", map[string]string{"level": "1", "release": "sense"}},
		{"memory-barrier", "memory-barrier: entries=0 is out of range: must be 1 to 16", map[string]string{"entries": "0"}},
		{"fetch-add", `fetch-add: homes: "four": want a cluster or root for each cell`, map[string]string{"homes": "0,four"}},
		{"fetch-add", "fetch-add: home 4 of cell 1: must be a cluster from 0 to 3, or the root", map[string]string{"homes": "0,4"}},
		{"fetch-add", "fetch-add: 5 homes: must be 1 to 4, one for each cell", map[string]string{"homes": "0,0,0,0,0"}},
		{"fetch-add", `fetch-add: targets: "-1" of requester 1: want cells with commas`, map[string]string{"targets": "0/-1/0"}},
		{"fetch-add", "fetch-add: targets of 2 requesters: there are 3", map[string]string{"targets": "0/0"}},
		{"fetch-add", "fetch-add: target 1 of requester 2: must be a cell from 0 to 0", map[string]string{"targets": "0/0/1"}},
		{"fetch-add", "fetch-add: partners=9 is out of range: must be 2 to 8", map[string]string{"partners": "9"}},
		{"read-combining", "read-combining: 2 writes of a requester with 1 targets", map[string]string{"writes": "2", "targets": "0/0/0"}},
		{"reduction", "reduction: order=random: must be one of position, arrival", map[string]string{"order": "random"}},
		{"fetch-add", `fetch-add: levels: "-1": want a level from 0 to 3 for each cluster`, map[string]string{"levels": "0,1,2,-1"}},
		{"fetch-add", "fetch-add: levels of 2 clusters: there are 4", map[string]string{"levels": "0,1"}},
		{"fetch-add", "fetch-add: 16 requesters among 4 clusters", map[string]string{"requesters": "16"}},
		{"read-combining", "read-combining: a tree of fan-out 8 and depth 6", map[string]string{"fan-out": "8", "depth": "6"}},
		{"test-and-set", `test-and-set has no parameter "writes"`, map[string]string{"writes": "1"}},
	} {
		e, _ := models.Find(tt.model)
		if _, err := e.Machine(tt.set); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %s", tt.model, tt.set, err, tt.want)
		}
	}
}

// TestAskLinearizable: a violation is written out and drawn, with each cluster in
// it; what holds is counted. That a read which is sent ahead can be stale, and
// one that waits first cannot, is argued in package combining.
func TestAskLinearizable(t *testing.T) {
	e, _ := models.Find("read-combining")
	for level, want := range map[string]spec.Verdict{"1": spec.Violated, "2": spec.Holds} {
		a, err := e.Ask(t.Context(), "linearizable", map[string]string{"writes": "1", "level": level})
		if err != nil {
			t.Fatal(err)
		}
		if a.Verdict != want || a.Because == "" || (a.Picture != nil) != (want == spec.Violated) {
			t.Errorf("level %s: %s, want %s; a picture: %v", level, a.Verdict, want, a.Picture != nil)
		}
		if a.Picture == nil {
			continue
		}
		var svg strings.Builder
		if err := a.Picture(&svg); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"cluster 1", "cluster 2", "cluster 3"} {
			if !strings.Contains(svg.String(), name) {
				t.Errorf("the picture does not show %s", name)
			}
		}
	}
}
