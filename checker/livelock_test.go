package checker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestLongestPath: the bound on hops that a measure gives is the longest path of a packet. Minimal
// routing makes as many hops as the nodes are apart, so it is the diameter, whether or not the
// dependency graph has a cycle.
func TestLongestPath(t *testing.T) {
	for _, c := range []struct {
		model, routing string
		diameter       func(k, n int) int
	}{
		{"mesh", "xy", func(k, n int) int { return n * (k - 1) }},
		{"mesh", "adaptive", func(k, n int) int { return n * (k - 1) }},
		{"torus", "dateline", func(k, n int) int { return n * (k / 2) }},
	} {
		for k := 3; k <= 6; k++ {
			for n := 1; n <= 2; n++ {
				e, _ := models.Find(c.model)
				net := routingtest.Network(t)(e.Define(map[string]string{"routing": c.routing, "k": fmt.Sprint(k), "n": fmt.Sprint(n)}))
				report, err := checker.Check(context.Background(), net, checker.Question{Properties: []string{"livelock-freedom"}})
				if err != nil {
					t.Fatal(err)
				}
				want := fmt.Sprintf("no packet makes more than %d hop", c.diameter(k, n))
				if got := report.Findings[0].Because; !strings.Contains(got.String(), want) {
					t.Errorf("%s %s, k=%d n=%d: %s, want %s", c.model, c.routing, k, n, got, want)
				}
			}
		}
	}
}
