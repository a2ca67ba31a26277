package evidence_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// threeHops is two nodes that ask each other over two switches, and a third that both of them forward to. Its three classes need
// three sets of VCs: two that share, of which one causes the other, deadlock.
func threeHops(t *testing.T) (*spec.Network, []byte) {
	const text = `
network(name = "hops", classes = ["request", "forward", "response"])
replies("request", "forward", to = lambda origin, at: [v for v in m if v not in (origin, at)])
replies("forward", "response")
m = [node() for _ in range(3)]
s = node()
for v in m:
    both(v, s, out = "in", back = v.name)
flows(lambda a, b, c: c == 0 and a != s and b != s)
def route(at, to):
    return [hop(at.node.port("in" if at.node != s else to.name))]
`
	f, err := star.Load(t.Context(), "hops.star", []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := routingtest.Compile(t, f.Definition)
	r, err := repair.Propose(t.Context(), n, repair.Options{Workers: 1, Schemes: []repair.Scheme{repair.Classes}})
	if err != nil || r.Proposals[0].Sharing == nil || r.Proposals[0].Cost != 3 {
		t.Fatal(err, r.Proposals)
	}
	var b bytes.Buffer
	if err := write.Evidence(&b, *r.Proposals[0].Sharing); err != nil {
		t.Fatal(err)
	}
	return n, b.Bytes()
}

// TestForgedSharing: what claims more than its traces show, or shows it of other classes or another network, is refused.
func TestForgedSharing(t *testing.T) {
	n, text := threeHops(t)
	of := evidence.OfNetwork(n)
	check := func(text string) error {
		_, err := of.Check(t.Context(), "f", []byte(text), evidence.Options{})
		return err
	}
	whole := string(text)
	head, traces, _ := strings.Cut(whole, "end\n")
	cases := strings.SplitAfter(traces, "end\n")
	if err := check(whole); err != nil || len(cases) != 4 {
		t.Fatalf("%d traces: %v", len(cases)-1, err)
	}
	without := regexp.MustCompile(`case 0 0 1\n`).ReplaceAllString(head, "") + "end\n" + cases[1] + cases[2]
	if !strings.Contains(head, "case 0 0 1\ncase 0 1 0\ncase 0 1 1\n") {
		t.Fatal(head)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"three sets are none too few", strings.Replace(whole, "sets 2", "sets 3", 1),
			"no trace leads to a deadlock where the message classes have sets [0 1 2]"},
		{"as many sets as there are not", strings.Replace(whole, "sets 2", "sets 4", 1), "want 1 to 3"},
		{"no set", strings.Replace(whole, "sets 2", "sets 0", 1), "want 1 to 3"},
		{"a way left out", without, "no trace leads to a deadlock where the message classes have sets [0 0 0]"},
		{"no way", strings.Replace(whole, "case 0 0 1\ncase 0 1 0\ncase 0 1 1\n", "", 1), `want "case SET ..." here`},
		{"traces of other ways", head + "end\n" + cases[1] + cases[0] + cases[2], "case 1: "},
		{"one trace for all", head + "end\n" + cases[0] + cases[0] + cases[0], "case 2: "},
		{"a trace too few", head + "end\n" + cases[0] + cases[1], "unexpected end of file"},
		{"a trace too many", whole + cases[0], "text after the end"},
		{"text after the end", whole + "x\n", "text after the end"},
		{"sets in another order", strings.Replace(whole, "case 0 0 1", "case 1 1 0", 1), "numbered in the order"},
		{"sets of fewer classes", strings.Replace(whole, "case 0 0 1", "case 0 0", 1), "want 3"},
		{"a comment", strings.Replace(whole, "sets 2\n", "sets 2 # or three\n", 1), "want none here"},
		{"another network", strings.Replace(whole, "network "+n.Digest().String(), "network "+spec.Digest{}.String(), 1), "another network"},
		{"another property", strings.Replace(whole, "property "+spec.DeadlockFreedom.String(), "property "+spec.LivelockFreedom.String(), 1), "want deadlock"},
		{"a bubble", regexp.MustCompile(`(?m)^(stuck .*(\nnotion .*)?)$`).ReplaceAllString(whole, "$1\nscenario bubble 1"), "it is shown with"},
		{"tags twice", strings.Replace(whole, "sets 2\n", "sets 2\ntags 0 0 0 0\n", 1), "listed twice"},
		{"no such fault", whole[:strings.LastIndex(whole, "deadlock")] + "wait" + whole[strings.LastIndex(whole, "deadlock")+len("deadlock"):],
			fmt.Sprintf("f:%d:", 1+strings.Count(whole[:strings.LastIndex(whole, "deadlock")], "\n"))},
		{"all of one class", regexp.MustCompile(`(?m)^(tags .*) [0-9]+$`).ReplaceAllString(whole, "$1 0"), "want 1 to 1"},
		{"a class left out", regexp.MustCompile(`(?m)^tags .* 2\n`).ReplaceAllString(whole, ""), ""},
	} {
		if tt.text == whole {
			t.Errorf("%s: nothing is changed", tt.name)
		}
		if err := check(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestChangedSharing: without any of its lines, or with any of its numbers larger by one, the evidence is refused, or says the same.
func TestChangedSharing(t *testing.T) {
	n, text := threeHops(t)
	of := evidence.OfNetwork(n)
	accepted := 0
	try := func(what string, changed []byte, harmless bool) {
		shown, err := of.Check(t.Context(), "f", changed, evidence.Options{})
		var pos *spec.PosError
		switch {
		case err == nil && !harmless:
			t.Errorf("%s: accepted as %v", what, shown)
		case err == nil:
			accepted++
		case errors.As(err, &pos) && (pos.Line < 1 || pos.Line > 1+bytes.Count(changed, []byte("\n"))):
			t.Errorf("%s: an error at line %d", what, pos.Line)
		}
	}
	all := strings.SplitAfter(string(text), "\n")
	for i, line := range all[:len(all)-1] {
		try(fmt.Sprintf("without line %d", i+1),
			[]byte(strings.Join(append(append([]string{}, all[:i]...), all[i+1:]...), "")),
			strings.HasPrefix(line, "notion"))
	}
	for _, at := range regexp.MustCompile(`[0-9]+`).FindAllIndex(text, -1) {
		x, err := strconv.Atoi(string(text[at[0]:at[1]]))
		if err != nil || at[1]-at[0] > 6 {
			continue // of a digest
		}
		line := string(text[bytes.LastIndexByte(text[:at[0]], '\n')+1 : at[0]])
		changed := append([]byte(string(text[:at[0]])+strconv.Itoa(x+1)), text[at[1]:]...)
		try(fmt.Sprintf("%d for %d after %q", x+1, x, line), changed, strings.HasPrefix(line, "sets ") || strings.HasPrefix(line, "move "))
	}
	t.Log(accepted, "changes are harmless")
}
