package models_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
)

func TestInvalidateAckRefuses(t *testing.T) {
	e, _ := models.Find("invalidate-ack")
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"homes": ""}, "invalidate-ack: homes=: must be numbers of clusters as in 0,3"},
		{map[string]string{"homes": "0;1"}, "invalidate-ack: homes=0;1: must be numbers of clusters as in 0,3"},
		{map[string]string{"homes": "4"}, "invalidate-ack: invalidate/Ack: a block with home 4: clusters are numbered 0 to 3"},
		{map[string]string{"writers": "3,1"}, "invalidate-ack: invalidate/Ack: the writers are [3 1]: want different clusters from 0 to 3 in ascending order"},
		{map[string]string{"writers": "99999999999999999999"}, "invalidate-ack: writers=99999999999999999999: must be numbers of clusters as in 0,3"},
		{map[string]string{"fanout": "8", "depth": "4"}, "invalidate-ack: a tree of fan-out 8 and depth 4 has 4096 clusters: want at most 64"},
		{map[string]string{"variant": "mended"}, "invalidate-ack: variant=mended: must be one of literal, parts, return, defer, sound"},
	} {
		if _, err := e.Machine(tt.set); err == nil || err.Error() != tt.want {
			t.Errorf("%v: %v, want %q", tt.set, err, tt.want)
		}
	}
	c, _ := models.Find("combining-classes")
	const want = "combining-classes: homes [0 0]: want different clusters from 0 to 3"
	if _, err := c.Define(map[string]string{"homes": "0,0"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestInvalidateAckSequence: what goes wrong is drawn, and the good variant has
// nothing to draw.
func TestInvalidateAckSequence(t *testing.T) {
	e, _ := models.Find("invalidate-ack")
	for _, question := range []string{"sequence", "standstill"} {
		a, err := e.Ask(t.Context(), question, nil)
		if err != nil {
			t.Fatal(err)
		}
		var picture bytes.Buffer
		if a.Verdict != spec.Violated || a.Picture == nil || a.Evidence[0] != "sequenceDiagram" {
			t.Fatalf("%s: %+v", question, a)
		}
		if err := a.Picture(&picture); err != nil || !strings.HasPrefix(picture.String(), "<svg ") {
			t.Errorf("%s: no picture, %v", question, err)
		}
		a, err = e.Ask(t.Context(), question, map[string]string{"variant": "defer"})
		if err != nil || a.Verdict != spec.Holds || a.Picture != nil {
			t.Errorf("%s of defer: %+v, %v", question, a, err)
		}
	}
	a, err := e.Ask(t.Context(), "standstill", map[string]string{"variant": "defer", "depth": "3", "homes": "0,4"})
	if err != nil || a.Verdict != spec.Unknown {
		t.Errorf("of a machine that is too large: %+v, %v", a, err)
	}
}
