package mdce_test

import (
	"embed"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

//go:embed cccb.star
var files embed.FS

// TestReadableForm: the file that stands beside the paper is the network that Go builds, for each order, and with too few
// VCs, enough and more than enough. A change of any of its conditions makes another network.
func TestReadableForm(t *testing.T) {
	text, err := files.ReadFile("cccb.star")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 100 {
		t.Errorf("the file has %d lines: want at most 100, to be read beside the paper", lines)
	}
	digests := func(text string, n, vcs int, order mdce.Precedence) (file, model spec.Digest) {
		set := map[string]string{"n": fmt.Sprint(n), "vcs": fmt.Sprint(vcs), "order": mdce.PrecedenceNames[order]}
		f, err := star.Load(t.Context(), "cccb.star", []byte(text), star.Options{Set: set})
		if err != nil {
			t.Fatal(err)
		}
		def, err := mdce.CCCB(n, vcs, order)
		if err != nil {
			t.Fatal(err)
		}
		return routingtest.Compile(t, f.Definition).Digest(), routingtest.Compile(t, def).Digest()
	}
	number := 0
	for n := 2; n <= 3; n++ {
		for order := range mdce.PrecedenceNames {
			for vcs := 1; vcs <= 5; vcs++ {
				if number++; n == 3 && !seedtest.Sampled(number, 12) {
					continue
				}
				if file, model := digests(string(text), n, vcs, mdce.Precedence(order)); file != model {
					t.Errorf("n=%d vcs=%d order=%s: the file is another network", n, vcs, mdce.PrecedenceNames[order])
				}
			}
		}
	}
	if seedtest.Whole() { // the machine's 1024 nodes
		if file, model := digests(string(text), 4, 3, mdce.CCCFirst); file != model {
			t.Error("n=4: the file is another network")
		}
	}
	for _, change := range []struct{ old, new string }{
		{"if x == n - 1 else vc", "if x == 0 else vc"},
		{"(y ^ to.at[1]) >> x & 1", "(y ^ to.at[1]) & 1"},
		{"z != to.at[2]", "y != to.at[1]"},
		{"and not (order == \"banyan-first\" and banyan)", ""},
		{"or not hops", ""},
		{"hop(at.node.port(\"parallel0\"), onward)", "hop(at.node.port(\"parallel0\"), vc)"},
	} {
		changed, same := strings.Replace(string(text), change.old, change.new, 1), true
		for order := range mdce.PrecedenceNames {
			file, model := digests(changed, 2, 3, mdce.Precedence(order))
			same = same && file == model
		}
		if same || changed == string(text) {
			t.Errorf("%q for %q: the same network", change.new, change.old)
		}
	}
}
