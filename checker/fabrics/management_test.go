package fabrics_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker/fabrics"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// TestManagement: a loop needs the LIDs of switches if there is a deadlock with them and, with the
// same VLs, none without them; an unknown verdict shows neither.
func TestManagement(t *testing.T) {
	all := []spec.Verdict{spec.Holds, spec.Violated, spec.Unknown}
	for _, vls := range []bool{false, true} {
		hosts, switches := fabric.Scope{VLs: vls}, fabric.Scope{VLs: vls, Switches: true}
		for _, without := range all {
			for _, with := range all {
				want := with == spec.Violated && without == spec.Holds
				if got := fabrics.Management(map[fabric.Scope]spec.Verdict{hosts: without, switches: with}); got != want {
					t.Errorf("VLs %t: %s without LIDs of switches, %s with them: %t, want %t", vls, without, with, got, want)
				}
			}
		}
	}
	other := map[fabric.Scope]spec.Verdict{{VLs: true, Switches: true}: spec.Violated, {}: spec.Holds} // other VLs
	if fabrics.Management(other) || fabrics.Management(nil) {
		t.Error("a loop that needs LIDs of switches, from verdicts that are not there")
	}
}
