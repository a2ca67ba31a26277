package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/cmd/unknot-page/exercises"
	"github.com/seed-105a2da2/unknot/models/modeltest"
)

const ring = `network(name = "ring", switching = "wormhole")
nodes = [node() for i in range(4)]
for i in range(4):
    link(nodes[i], nodes[(i + 1) % 4])

def route(at, to):
    return [hop(at.node.out[0])]
`

// TestRespond: verdicts with what the verifier says, the text of the terminal, a report; or an error with its place.
func TestRespond(t *testing.T) {
	a := Respond(t.Context(), Request{Name: "ring.star", Text: ring})
	if want := []Property{
		{"deadlock-freedom", "deadlock freedom", "violated", true, "deadlock freedom violated (deadlock)"},
		{"livelock-freedom", "livelock freedom", "holds", true, "livelock freedom holds (measure)"},
		{"delivery", "delivery", "holds", true, "delivery holds (arrival)"},
	}; a.Error != nil || !cmp.Equal(a.Properties, want) {
		t.Fatalf("%v\n%s", a.Error, cmp.Diff(want, a.Properties))
	}
	if !strings.Contains(a.Text, "ring: deadlock freedom VIOLATED") || !strings.Contains(a.Report, "<code>unknot check ring.star</code>") {
		t.Errorf("text %.80q, report %.80q", a.Text, a.Report)
	}
	for _, c := range []struct {
		q    Request
		want Fault
	}{
		{Request{Text: strings.Replace(ring, "out[0]", "out[1]", 1)},
			Fault{"ring.star:7:28: tuple index 1 out of range [-1:0] (in route at inject 1 for 0)", 7, 28}}, // at the bracket
		{Request{Text: ring, Set: map[string]string{"k": "4"}}, Fault{`ring.star:1:1: invalid parameter "k": the file declares none; k = param("k", ...) declares one`, 1, 1}},
		{Request{Text: `load("lib.star", "f")` + "\n" + ring}, Fault{"ring.star:1:1: cannot load lib.star: open lib.star: file does not exist", 1, 1}},
	} {
		c.q.Name = "ring.star"
		a := Respond(t.Context(), c.q)
		if a.Error == nil || a.Report != "" || a.Properties != nil {
			t.Errorf("%q: got %+v", c.q.Text, a)
		} else if *a.Error != c.want {
			t.Errorf("%q: got %+v, want %+v", c.q.Text, *a.Error, c.want)
		}
	}
}

// TestBudgets: what is cut short is unknown, with what is known so far.
func TestBudgets(t *testing.T) {
	text, err := os.ReadFile("../../models/examples/protocols/09_peterson.star")
	if err != nil {
		t.Fatal(err)
	}
	a := Respond(t.Context(), Request{Name: "protocols/09_peterson.star", Text: string(text), Set: map[string]string{"n": "5"}, States: 1000})
	if a.Error != nil || a.Properties[0].Verdict != "unknown" || a.Properties[0].Verified || !strings.Contains(a.Text, "1000 states") {
		t.Errorf("got %v %+v\n%s", a.Error, a.Properties, a.Text)
	}
}

// TestVerifierReadsBytes: evidence about another network is rejected, whatever the result says of it.
func TestVerifierReadsBytes(t *testing.T) {
	r, err := checker.Check(t.Context(), modeltest.Network(t, "ring", map[string]string{"variant": "dateline"}), checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	r.Network = modeltest.Network(t, "torus", nil)
	found, err := verified(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		if p.Verified || !strings.HasPrefix(p.Check, "rejected: ") {
			t.Errorf("%s: %s", p.Name, p.Check)
		}
	}
}

// TestExercises: each is unsolved as it begins, and solved by its solution, but not by a file that changes what is given.
func TestExercises(t *testing.T) {
	all := exercises.All()
	if len(all) != 10 {
		t.Errorf("%d exercises, want ten", len(all))
	}
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("exercises/testdata/" + e.Name + ".star")
			if err != nil {
				t.Fatal(err)
			}
			solution := string(text)
			marked := func(text string) *Marked {
				t.Helper()
				a := Respond(t.Context(), Request{Name: e.Name + ".star", Text: text, Exercise: e.Name})
				if a.Error != nil {
					t.Fatal(a.Error.Message)
				}
				return a.Exercise
			}
			begins, err := e.Text()
			if err != nil {
				t.Fatal(err)
			}
			if m := marked(begins); m.Solved || len(m.Lacks) == 0 {
				t.Errorf("it begins solved")
			}
			if m := marked(solution); !m.Solved {
				t.Errorf("the solution lacks %q", m.Lacks)
			}
			if m := marked(strings.ReplaceAll(solution, "\n", "\r\n")); !m.Solved {
				t.Errorf("with line ends of Windows it lacks %q", m.Lacks)
			}
			if m := marked("# A line more.\n" + solution); m.Solved {
				t.Error("a change of what is given is accepted")
			}
			if !strings.Contains(solution, "machine(") {
				a, b := "0", "2"
				if strings.Contains(solution, "node(at = (x, y))") {
					a, b = "(0,0)", "(1,1)"
				}
				if m := marked(solution + fmt.Sprintf("\nlink(%q, %q)\n", a, b)); m.Solved {
					t.Error("a network with another link is accepted")
				}
			}
		})
	}
}

// TestChoicesAreWanted: a deterministic answer to the exercises on adaptive routing is not enough.
func TestChoicesAreWanted(t *testing.T) {
	for _, name := range []string{"turn-model", "escape"} {
		e, _ := exercises.Find(name)
		given, err := e.Given()
		if err != nil {
			t.Fatal(err)
		}
		text := given + "\ndef route(at, to):\n    return [hop(at.node.port(towards(at, to)[0]))]\n"
		a := Respond(t.Context(), Request{Name: name + ".star", Text: text, Exercise: name})
		if a.Error != nil || a.Exercise.Solved || len(a.Exercise.Lacks) != 1 || !strings.HasPrefix(a.Exercise.Lacks[0], "a choice of links") {
			t.Errorf("%s: got %v %+v", name, a.Error, a.Exercise)
		}
	}
}

// TestServe: requests and answers follow each other; what is no request ends the program with an error.
func TestServe(t *testing.T) {
	q, err := json.Marshal(Request{Name: "ring.star", Text: ring})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := serve(t.Context(), strings.NewReader(string(q)+"\n"+string(q)+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || lines[0] != lines[1] {
		t.Errorf("%d answers, or they differ", len(lines))
	}
	if err := serve(t.Context(), strings.NewReader("{"), &out); err == nil {
		t.Error("half a request is accepted")
	}
}
