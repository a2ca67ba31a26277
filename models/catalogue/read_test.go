package catalogue

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

const entriesText = `# Two entries.
network: ring
summary: rings: one-way,
  dateline
source: Dally and Seitz 1987
param: n = 4 (2..64): nodes
param: tie = east (west|east): at half the way: which
param: without = (edges, as in 0-1): what has failed

expect: defaults
violated: deadlock-freedom, livelock-freedom
# A comment within.
because: every packet
    two hops   from home

expect: n=2 tie=west
violated: deadlock-freedom of whole packets, delivery
unknown: deadlock-freedom of packets of any length
because: a table


machine: turns
summary: machine: turns
source: ours
fixed: n=3 kind=b

expect: without=
violated: deadlock-freedom, cluster 1 writes
states: 4372
because: counted
`

const claimsText = `model: ring

ours:

claim: Does it hold?
command: check ring --set n=3
  --set tie=west
verdict: one a request violated
finding: no

said: 3.1
sentence: it never
  grows

claim: It never grows
command: ask ring grows
verdict: holds
refuted-if: the plane need not be convex
varied: pitch=8; --seeds 3
  pitch=16
finding: confirmed

model: turns

ours:

claim: Another
command: check turns
verdict: deadlock-freedom unknown
finding: open
`

// TestReads: all keys, and each way of writing a text, mean what the package's comment says.
func TestReads(t *testing.T) {
	files := fstest.MapFS{"a.entries": {Data: []byte(entriesText)}, "a.claims": {Data: []byte(claimsText)}}
	ring, turns := Read(files, "ring"), Read(files, "turns")
	entries := []Description{{
		Summary: "rings: one-way, dateline", Source: "Dally and Seitz 1987",
		Params: []Param{
			{Name: "n", Default: "4", Min: 2, Max: 64, Doc: "nodes"},
			{Name: "tie", Default: "east", Choices: []string{"west", "east"}, Doc: "at half the way: which"},
			{Name: "without", Form: "edges, as in 0-1", Doc: "what has failed"},
		},
		Expect: []Expectation{
			{
				Packets: spec.Violated, Worms: spec.Violated, Livelock: spec.Violated, Delivery: spec.Holds,
				Because: "every packet two hops   from home",
			}, {
				Set: Set{"n": "2", "tie": "west"}, Because: "a table",
				Packets: spec.Violated, Worms: spec.Unknown, Livelock: spec.Holds, Delivery: spec.Violated,
			},
		},
	}, {
		Summary: "machine: turns", Source: "ours", Fixed: Set{"n": "3", "kind": "b"},
		Machines: []MachineExpectation{
			{Set: Set{"without": ""}, Violated: []string{"deadlock-freedom", "cluster 1 writes"}, States: 4372, Because: "counted"},
		},
	}}
	if diff := cmp.Diff(entries, []Description{ring.Described(), turns.Described()}); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	claims := []Claim{{
		Ours: true, Says: "Does it hold?", Command: []string{"check", "ring", "--set", "n=3", "--set", "tie=west"},
		Property: "one a request", Want: spec.Violated, Finding: "no",
	}, {
		Section: "3.1", Sentence: "it never grows", Says: "It never grows", Command: []string{"ask", "ring", "grows"},
		Want: spec.Holds, Finding: "confirmed", Refuted: "the plane need not be convex",
		Varied: [][]string{{"pitch=8"}, {"--seeds", "3", "pitch=16"}},
	}}
	if diff := cmp.Diff(claims, ring.Claims()); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	if got := turns.Claims(); len(got) != 1 || got[0].Want != spec.Unknown || got[0].Says != "Another" {
		t.Errorf("the claims of the second model are %+v", got)
	}
}

// TestReadRefuses: each fault of a file is reported at its place, with what is wanted there.
func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ old, changed, want string }{
		{"network: ring", "networks: ring", "f:2:1: no stanza begins with \"networks\": want expect, machine, network; did you mean network?"},
		{"network: ring", "network", "f:2:1: want \"KEY: TEXT\""},
		{"# Two entries.", "  indented", "f:1:1: an indented line continues the text above: there is none"},
		{"summary: rings: one-way,\n  dateline\n", "", "f:2:10: a stanza that begins with network lacks summary"},
		{"source: Dally", "sauce: Dally", "f:5:1: a stanza that begins with network has no key \"sauce\": want summary, source, param"},
		{"source: Dally", "summary: Dally", "f:5:1: a stanza has one summary"},
		{"network: ring", "expect: defaults\nbecause: x\n\nnetwork: ring", "f:2:9: an expectation without a network or a machine above"},
		{"n = 4 (2..64): nodes", "n = 65 (2..64): nodes", "f:6:8: the default is none of its values: invalid n \"65\": want an integer from 2 to 64"},
		{"n = 4 (2..64): nodes", "n = 4 (2..): nodes", "f:6:8: invalid range \"2..\": want two integers"},
		{"n = 4 (2..64): nodes", "n = 4: nodes", "f:6:8: want a parameter as NAME = DEFAULT (RANGE): WORDS"},
		{"n = 4 (2..64): nodes", "n 4 (2..64): nodes", "f:6:8: want a parameter as NAME = DEFAULT (RANGE): WORDS"},
		{"param: n =", "param: tie =", "f:7:8: a parameter with the name of another: tie"},
		{"violated: deadlock-freedom, livelock-freedom", "violated: deadlock-freedom,livelock-freedom",
			"f:11:11: invalid property \"deadlock-freedom,livelock-freedom\": want deadlock-freedom,"},
		{"violated: deadlock-freedom, livelock-freedom",
			"violated: deadlock-freedom, deadlock-freedom of packets of any length",
			"f:11:11: the verdict on deadlock-freedom of packets of any length is given twice"},
		{"unknown: deadlock-freedom of packets of any length", "unknown: delivery", "f:18:10: the verdict on delivery is given twice"},
		{"n=2 tie=west", "n=2 n=3", "f:16:9: invalid setting \"n=3\": want NAME=VALUE, each name once"},
		{"n=2 tie=west", "n=2 west", "f:16:9: invalid setting \"west\""},
		{"n=2 tie=west", "", "f:16:8: want the parameters that differ from their defaults, or defaults"},
		{"n=2 tie=west", "n=65", "f:16:9: invalid n \"65\": want an integer from 2 to 64"},
		{"n=2 tie=west", "m=65", "f:16:9: no parameter \"m\""},
		{"because: a table", "states: 3\nbecause: a table", "f:19:9: a network has no number of states"},
		{"states: 4372", "states: many", "f:29:9: invalid number of states \"many\": want a positive integer"},
		{"states: 4372", "states: 0", "f:29:9: invalid number of states \"0\""},
		{"states: 4372", "unknown: deadlock-freedom", "f:29:10: no property of a machine is expected to be unknown"},
		{"summary: machine: turns\n", "summary: machine: turns\nfixed: n=4\n", "f:26:1: a stanza has one fixed"},
	} {
		_, err := readEntries("f", strings.Replace(entriesText, tt.old, tt.changed, 1))
		refused(t, tt.changed, err, tt.want)
	}
	for _, tt := range []struct{ old, changed, want string }{
		{"model: ring", "network: ring", "f:1:1: no stanza begins with \"network\": want claim, left-out, model, ours, said"},
		{"ours:\n\nclaim: Does", "left-out: 2\nsentence: it is red\n\nclaim: Does", "f:3:11: a stanza that begins with left-out lacks because"},
		{"model: ring\n\n", "", "f:1:6: a claim without a model above"},
		{"model: turns\n\nours:", "model: turns", "f:25:8: a claim that is neither said nor ours: want one of these above"},
		{"sentence: it never\n  grows\n", "", "f:11:7: a stanza that begins with said lacks sentence"},
		{"command: ask ring grows\n", "", "f:15:8: a stanza that begins with claim lacks command"},
		{"finding: no\n", "", "f:5:8: a stanza that begins with claim lacks finding"},
		{"verdict: holds", "verdict: hold", "f:17:10: want a property and holds, violated or unknown, not \"hold\""},
		{"verdict: holds", "verdict: deadlock", "f:17:10: want a property and holds, violated or unknown, not \"deadlock\""},
		{"ours:\n\nclaim: Does", "ours:\nclaim: Does", "f:4:1: a stanza that begins with ours has no key \"claim\""},
	} {
		_, err := readClaims("f", strings.Replace(claimsText, tt.old, tt.changed, 1))
		refused(t, tt.changed, err, tt.want)
	}
}

func refused(t *testing.T, changed string, err error, want string) {
	t.Helper()
	var pos *spec.PosError
	if !errors.As(err, &pos) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%q: %v\nwant %s", changed, err, want)
	}
}

// TestReadSentences: a sentence that is neither answered nor left out is refused at its line.
func TestReadSentences(t *testing.T) {
	for text, want := range map[string]string{
		"paper: p\n\nsentence: a b\nin: f.star\n":           "",
		"paper: p\n\nsentence: a b\nrow: m: c\nrow: m: d\n": "",
		"paper: p\n\nsentence: a b\nleft-out: m: c d\n":     "",
		"paper: p\n\nsentence: a b\n":                       "f:3:11: want in:, row: or left-out:",
		"paper: p\n\nsentence: a b\nleft-out: why\n":        "f:4:11: want MODEL: SENTENCE",
		"sentence: a b\nin: f.star\n":                       "f:1:11: a sentence without a paper above",
		"paper: p\n\nsentence: a b\nrow: claim\n":           "f:4:6: want MODEL: CLAIM",
	} {
		all, err := ReadSentences("f", text)
		if (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if err == nil && len(all) != 1 {
			t.Errorf("%q: %d sentences", text, len(all))
		}
	}
}
