package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestBearsOut: properties are a list; and that two packets arrive does not bear out that two cannot deadlock, while
// freedom from deadlock of two does.
func TestBearsOut(t *testing.T) {
	topology := spec.NewTopology()
	topology.AddNode("")
	n, err := spec.NewNetwork(t.Context(), spec.Parts{
		Name: "alone", Topology: topology, Classes: []string{""}, Tags: 1, Switching: spec.Wormhole, Buffer: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	const two = `[{"property":"no deadlock of at most 2 packets","verdict":"holds"}]`
	for _, tt := range []struct {
		properties, shown string
		want              string // in the error; "": none
	}{
		{`{"deadlock-freedom":"violated"}`, "delivery", "want a list of properties"},
		{two, "delivery", "no deadlock of at most 2 packets"},
		{two, "deadlock-freedom", ""},
	} {
		dir := t.TempDir()
		text := fmt.Sprintf(`{"version":2,"network":%q,"digest":%q,"switching":"wormhole","properties":%s}`,
			n.Name(), n.Digest(), tt.properties)
		if err := os.WriteFile(filepath.Join(dir, ResultFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		shown := Shown{Property: tt.shown, Verdict: spec.Holds, Under: &spec.Scenario{Packets: 2}, told: &told{fields: map[string]any{"verdict": "holds"}}}
		_, err := bearsOut(t.Context(), dir, OfNetwork(n), []Shown{shown}, Options{})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s from %s: %v, want %q", tt.properties, tt.shown, err, tt.want)
		}
	}
}
