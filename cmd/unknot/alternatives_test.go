package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAlternativesAreNamed: where packets are committed, an edge of the dependency graph, a packet of the decisive cycle, a
// move and each packet of a state in an ITF trace name the alternative; the steps in JSON, of the result and of the page,
// have the numbers that their text has.
func TestAlternativesAreNamed(t *testing.T) {
	type step struct {
		Text        string
		Alternative struct{ Number, Of int }
	}
	named := regexp.MustCompile(`\(alternative \d+ of \d+\)`)
	hashed, err := filepath.Abs(filepath.Join("..", "..", "models", "examples", "field", "hashed_choice.star"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if code, out, errs := unknot(t, "check", hashed, "--property", "deadlock-freedom", "--out", "ev", "--report", "page.html"); code != exitViolated {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	result, err := os.ReadFile("ev/result.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"packet": "packet for r0 (alternative 1 of 2)"`, `"text": "packet for r0 (alternative 1 of 2) enters`} {
		if !strings.Contains(string(result), want) {
			t.Errorf("the result lacks %s\n%s", want, result)
		}
	}
	var parsed struct {
		Properties []struct{ Trace []step }
	}
	if err := json.Unmarshal(result, &parsed); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	var player struct{ Steps []step }
	data := regexp.MustCompile(`\{"fields":.*`).Find(page)
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&player); err != nil {
		t.Fatalf("the data of the player: %v", err)
	}
	trace := parsed.Properties[0].Trace
	if len(trace) == 0 || len(player.Steps) != len(trace) {
		t.Fatalf("%d steps in the page and %d in the result", len(player.Steps), len(trace))
	}
	for i, s := range trace {
		number, of := 0, 0
		if m := named.FindString(s.Text); m != "" {
			if _, err := fmt.Sscanf(m, "(alternative %d of %d)", &number, &of); err != nil {
				t.Fatal(err)
			}
		}
		for name, x := range map[string]step{"result": s, "page": player.Steps[i]} {
			if x.Alternative.Number != number || x.Alternative.Of != of {
				t.Errorf("%s, step %d: %+v, want that of %s", name, i+1, x.Alternative, s.Text)
			}
		}
	}
	if trace[0].Alternative.Of != 2 { // each of the four sends to the opposite one, either way round
		t.Errorf("the first packet is committed to one of two: %+v", trace[0])
	}
	for _, tt := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"replay", "ev/network.json", "ev/deadlock-freedom.unknot", "--to", "itf"}, []string{`"alternative": {`, `"tag": {`}},
		{[]string{"graph", hashed, "--kind", "cycle"}, []string{"(alternative "}},
	} {
		code, out, errs := unknot(t, tt.args...)
		for _, want := range tt.wants {
			if code != exitExpected || !strings.Contains(out, want) {
				t.Errorf("%q: exit %d, want 0 and %s\n%s%s", tt.args, code, want, out, errs)
			}
		}
	}
}
