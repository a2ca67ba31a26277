package studies_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/studies"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestAskLinearizable: a violation is written out and drawn, with each cluster in
// it; what holds is counted. That a read which is sent ahead can be stale, and
// one that waits first cannot, is argued in package combining.
func TestAskLinearizable(t *testing.T) {
	e := combining.ReadCombiningEntry()
	for level, want := range map[string]spec.Verdict{"1": spec.Violated, "2": spec.Holds} {
		a, err := studies.Ask(t.Context(), e, "linearizable", map[string]string{"writes": "1", "level": level})
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

// TestInvalidateAckSequence: what goes wrong is drawn, and the good variant has
// nothing to draw.
func TestInvalidateAckSequence(t *testing.T) {
	e := combining.InvalidateAckEntry()
	for _, question := range []string{"sequence", "standstill"} {
		a, err := studies.Ask(t.Context(), e, question, nil)
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
		a, err = studies.Ask(t.Context(), e, question, map[string]string{"variant": "defer"})
		if err != nil || a.Verdict != spec.Holds || a.Picture != nil {
			t.Errorf("%s of defer: %+v, %v", question, a, err)
		}
	}
	a, err := studies.Ask(t.Context(), e, "standstill", map[string]string{"variant": "defer", "depth": "3", "homes": "0,4"})
	if err != nil || a.Verdict != spec.Unknown {
		t.Errorf("of a machine that is too large: %+v, %v", a, err)
	}
}
