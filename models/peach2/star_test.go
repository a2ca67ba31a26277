package peach2_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestReadableForm: the file that stands beside the paper is the network that Go builds, for rings of 2 to 9 boards, with
// -every to 16, for each tie rule, and for the variants that they share. A change of any of its conditions makes another network.
func TestReadableForm(t *testing.T) {
	text, err := os.ReadFile("peach2.star")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 100 {
		t.Errorf("the file has %d lines: want at most 100, to be read beside the paper", lines)
	}
	digests := func(text string, n int, tie string, v peach2.Variant) (file, model spec.Digest) {
		set := map[string]string{"n": fmt.Sprint(n), "tie": tie, "variant": peach2.VariantNames[v]}
		f, err := star.Load(t.Context(), "peach2.star", []byte(text), star.Options{Set: set})
		if err != nil {
			t.Fatal(err)
		}
		ties, err := peach2.ParseTies(tie, n)
		if err != nil {
			t.Fatal(err)
		}
		c, err := peach2.Generate(peach2.Options{Boards: n, Ties: ties, Variant: v})
		if err != nil {
			t.Fatal(err)
		}
		def, err := peach2.New(c, peach2.NetworkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return routingtest.Compile(t, f.Definition).Digest(), routingtest.Compile(t, def).Digest()
	}
	shared := []peach2.Variant{peach2.Minimal, peach2.OneWay, peach2.Cut}
	most := 9
	if seedtest.Whole() {
		most = 16
	}
	for n := 2; n <= most; n++ {
		for _, v := range shared {
			ties := []string{"east", "west", "alternate", strings.Repeat("EEW", n)[:n]}
			if n == 4 { // the paper's ring: all 16 rules
				for rule := range 1 << n {
					word := strings.ReplaceAll(strings.ReplaceAll(fmt.Sprintf("%04b", rule), "0", "E"), "1", "W")
					ties = append(ties, word)
				}
			}
			for _, tie := range ties {
				if file, model := digests(string(text), n, tie, v); file != model {
					t.Errorf("n=%d tie=%s variant=%s: the file is another network", n, tie, peach2.VariantNames[v])
				}
			}
		}
	}
	for _, change := range []struct{ old, new string }{
		{"lower <= address & mask and ", ""},
		{" and address & mask <= upper", ""},
		{"base(j)) for", "base(i)) for"},
		{"\"E\" if b < d else \"W\"", "\"W\" if b < d else \"E\""},
		{"east < west", "east <= west"},
		{"if west < east else", "if west <= east else"},
		{"MASK = WINDOW - PART", "MASK = WINDOW // 2"},
	} {
		changed, same := strings.Replace(string(text), change.old, change.new, 1), true
		for _, v := range shared {
			file, model := digests(changed, 4, "EEWW", v)
			same = same && file == model
		}
		if same || changed == string(text) {
			t.Errorf("%q for %q: the same network", change.new, change.old)
		}
	}
}
