package main

import (
	"os"
	"strings"
	"testing"
)

// lossy is a line where node 1 may discard packets from 0 to 2: those of one flow of three.
const lossy = `network(name = "lossy", switching = "virtual-cut-through")
n = [node() for _ in range(3)]
l = [link(n[0], n[1]), link(n[1], n[2])]
flows(lambda s, d, c: s.id < d.id)
def route(at, to):
    return [hop(l[at.node.id])] + ([discard()] if at.node.id == 1 and not at.injecting else [])
`

// TestNoDiscard: that no packet is discarded is a property like others: by flag or by expectation, in a scenario, in a
// sweep, and with evidence that a second program checks, as it does the number of sites in the result.
func TestNoDiscard(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("all", 0o777); err != nil {
		t.Fatal(err)
	}
	write("lossy.star", lossy)
	write("all/kept.star", strings.Replace(lossy, "at.node.id == 1 and", "False and", 1)+"expect(no_discard = \"holds\")\n")
	write("all/known.star", lossy+"expect(no_discard = \"violated\")\n")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"check", "lossy.star", "--property", "no-discard", "--out", "ev"}, exitViolated,
			"a packet from 0 for 2 is discarded at 1\n  packets of 1 flow of 3 may"},
		{[]string{"check", "lossy.star"}, 0, "packets of 1 flow of 3 may be discarded on purpose, which is no fault"},
		{[]string{"check", "all/kept.star", "--out", "kept"}, 0, "no-discard holds: no router may discard a packet"},
		{[]string{"check", "all"}, 0, "delivery holds, no-discard violated"},
		{[]string{"check", "lossy.star", "--property", "no-discard", "--once", "0->2"}, exitViolated, "discarded at 1"},
		{[]string{"check", "lossy.star", "--property", "no-discard", "--once", "0->1", "--out", "once"}, 0,
			"no-discard holds: no packet that is sent here can be discarded"},
		{[]string{"check", "lossy.star", "--property", "no-discard", "--once", "0->1", "--once", "0->2"}, exitViolated,
			"a packet from 0 for 2 is discarded at 1"},
		// Without the other flows no site discards, and the certificate shows it.
		{[]string{"check", "lossy.star", "--property", "no-discard", "--dest", "1"}, 0, "no-discard holds: no router may discard a packet"},
		{[]string{"check", "lossy.star", "--property", "no-discard", "--switching", "wormhole", "--length", "2"}, exitViolated, "discarded at 1"},
		{[]string{"sweep", "lossy.star", "--property", "no-discard"}, exitViolated, "intact  no-discard violated"},
		{[]string{"verify", "ev"}, 0, "VERIFIED ev/no-discard.unknot: no-discard violated (discarded)"},
		{[]string{"verify", "once"}, 0,
			"VERIFIED once/no-discard.unknot: no-discard holds of 1 single packet, not shown of others (no-discard, once 1)"},
		{[]string{"verify", "kept"}, 0, "VERIFIED kept/no-discard.unknot: no-discard holds (no-discard)"},
		{[]string{"replay", "ev/network.json", "ev/no-discard.unknot"}, 0, "discard"},
	} {
		if code, out, errs := unknot(t, tt.args...); code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%q: exit %d, want %d and %q\n%s%s", tt.args, code, tt.code, tt.want, out, errs)
		}
	}
	result, err := os.ReadFile("ev/result.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ was, is, want string }{
		{`"sites": 1,`, `"sites": 2,`, "census.discards.sites is 2: the evidence here shows 1"},
		{`"fault": "discarded"`, `"fault": "trap"`, "fault"},
		{`"discards": {`, `"discards": {"more": 1,`, "census.discards.more"},
	} {
		forged := strings.Replace(string(result), tt.was, tt.is, 1)
		if forged == string(result) {
			t.Fatalf("the result lacks %s\n%s", tt.was, result)
		}
		write("ev/result.json", forged)
		if code, out, errs := unknot(t, "verify", "ev"); code != exitInternal || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", tt.is, code, exitInternal, tt.want, out, errs)
		}
	}
}
