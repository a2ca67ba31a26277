package starchannel_test

import (
	"embed"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

//go:embed star-channel.star
var files embed.FS

// digests returns those of the two forms of *-channel: of their nodes, links, VCs, ports, traffic and hops, in order.
func digests(t *testing.T, text string, k, n int, tie grid.Tie) (file, model spec.Digest) {
	t.Helper()
	set := map[string]string{"k": fmt.Sprint(k), "n": fmt.Sprint(n), "tie": grid.TieNames[tie]}
	f, err := star.Load(t.Context(), "star-channel.star", []byte(text), star.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	def, err := starchannel.New(starchannel.Options{K: k, N: n, Tie: tie})
	if err != nil {
		t.Fatal(err)
	}
	return routingtest.Compile(t, f.Definition).Digest(), routingtest.Compile(t, def).Digest()
}

// TestReadableForm: the file that stands beside the paper is the network that Go builds, for even and odd rings, rings
// of two nodes, one to four dimensions, and each rule for ties; with -every up to six, and the 16x16 of the paper. A change of any of its conditions makes another network.
func TestReadableForm(t *testing.T) {
	text, err := files.ReadFile("star-channel.star")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 60 {
		t.Errorf("the file has %d lines: want at most 60, to be read beside the paper", lines)
	}
	type sizes struct{ k, n int }
	all := []sizes{{4, 1}, {5, 1}, {2, 2}, {3, 2}, {4, 2}, {5, 2}, {3, 3}, {2, 4}}
	if seedtest.Whole() {
		all = append(all, []sizes{{64, 1}, {63, 1}, {6, 2}, {7, 2}, {8, 2}, {9, 2}, {16, 2}, {4, 3}, {5, 3}, {3, 4}, {2, 5}, {2, 6}}...)
	}
	for _, size := range all {
		for tie := range grid.TieNames {
			if file, model := digests(t, string(text), size.k, size.n, grid.Tie(tie)); file != model {
				t.Errorf("k=%d n=%d tie=%s: the file is another network", size.k, size.n, grid.TieNames[tie])
			}
		}
	}
	for i, change := range []struct{ old, new string }{
		{"if escape and not wraps:", "if escape:"},
		{"if escape and not wraps:", "if not wraps:"},
		{"if escape:", "if True:"},
		{"there < here if way", "there <= here + 1 if way"},
		{"            hops.append(hop(out, \"CF\"))\n", ""},
		{"escape = escape and here == there", "escape = here == there"},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		changed := strings.Replace(string(text), change.old, change.new, 1)
		if file, model := digests(t, changed, 4, 3, grid.TieAdaptive); file == model {
			t.Errorf("%q for %q: the same network", change.new, change.old)
		}
	}
}
