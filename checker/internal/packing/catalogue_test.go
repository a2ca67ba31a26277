package packing_test

import (
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/packing"
	"github.com/seed-105a2da2/unknot/models"
)

func TestScratch(t *testing.T) {
	type set = map[string]string
	for _, tt := range []struct {
		model string
		set   set
	}{
		{"mesh", set{"k": "3", "routing": "deflection"}},
		{"mesh", set{"k": "4", "routing": "deflection"}},
		{"mesh", set{"k": "5", "routing": "deflection"}},
		{"mesh", set{"k": "6", "routing": "deflection"}},
		{"mesh", set{"k": "8", "routing": "deflection"}},
	} {
		e, ok := models.Find(tt.model)
		if !ok {
			t.Fatal(tt.model)
		}
		def, err := e.Define(tt.set)
		if err != nil {
			t.Error(err)
			continue
		}
		n := compile(t, def)
		u, c := rest(t, n)
		for _, length := range []int{0, 2, 3, 4, 5, 6, 8} {
			start := time.Now()
			var steps int64
			worms, decided, err := packing.Search(t.Context(), n, u, c, packing.Options{MaxLength: length, Steps: 200000, Progress: func(s int64) { steps = s }})
			if err != nil {
				t.Error(err)
			}
			held := 0
			for _, w := range worms {
				held += len(w.Sites)
			}
			t.Logf("%s %v length %d: %d candidates of %d, decided %t, %d worms %d channels, %d steps, %v", tt.model, tt.set, length, len(c), n.Topology().Channels(), decided, len(worms), held, steps, time.Since(start))
		}
	}
}
