package explorer

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// counter counts to 5; 3 is not allowed, and at 5 nothing is possible.
func counter(t *testing.T) states.Machine {
	t.Helper()
	p := program.New("counter")
	x, y := p.Var("x", 6), p.Var("y", 2, "off", "on")
	p.Rule("on", program.And(program.Lt(x, 5), program.Eq(y, 0)), program.Set(x, program.Add(x, 1)))
	p.Rule("never", program.And(program.Lt(x, 5), program.Eq(y, 1)))
	p.Invariant("small", program.And(program.Eq(y, 0), program.Ne(x, 3)))
	p.Invariants = append(p.Invariants, program.Invariant{Name: "not 2", Holds: program.Ne(x, 2), Cover: "two"})
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNextViolation: from the start the next violation is the invariant's, three steps on; from
// there the deadlock, two steps further; and then there is none. A state that a cover property
// looks for is not a violation.
func TestNextViolation(t *testing.T) {
	h := handler(t, Options{Machine: counter(t)})
	at := "walk/0"
	for _, want := range []string{"walk/0.0.0.0", "walk/0.0.0.0.0.0"} {
		to := links(t, get(h, at).Body, "id")["violation"]
		w := get(h, to)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "../"+want {
			t.Fatalf("from %s: %d, to %q, want %q", at, w.Code, got, want)
		}
		at = want
	}
	if w := get(h, "violation/0.0.0.0.0.0"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "nothing is violated") {
		t.Errorf("at the end: %d %s", w.Code, w.Body)
	}
	ring := handler(t, Options{Machine: traffic(t, modeltest.Network(t, "ring", nil), spec.Scenario{})})
	w := get(ring, "violation/0")
	if text := get(ring, strings.TrimPrefix(w.Header().Get("Location"), "../")).Body.String(); !strings.Contains(text, "✗</span> deadlock") {
		t.Errorf("a ring: %d, to %q, without a deadlock", w.Code, w.Header().Get("Location"))
	}
}

// TestGoal: the nearest state in which a condition holds, in the words of the page, other than the
// one where the search starts.
func TestGoal(t *testing.T) {
	ring := traffic(t, modeltest.Network(t, "ring", map[string]string{"n": "3"}), spec.Scenario{})
	for _, tt := range []struct {
		m                    states.Machine
		from, where, to, say string
	}{
		{counter(t), "0", "x = 3", "walk/0.0.0.0", ""},
		{counter(t), "0.0", "x=3 and y = off", "walk/0.0.0.0", ""},
		{counter(t), "0.0.0.0", "x = 3", "", "no such state among all states that can be reached from here"},
		{counter(t), "0", "x = 9", "", `invalid value "9" of x: want 0, 1, `},
		{counter(t), "0", "y = on", "", "no such state among"},
		{counter(t), "0", "z = 1", "", "invalid condition"},
		{counter(t), "0", "x", "", "invalid condition"},
		{counter(t), "0", "", "", "invalid condition"},
		{counter(t), "7", "x = 1", "", "initial state 7 does not exist"},
		{counter(t), "0", strings.Repeat("x = 1 and ", 200), "", "too long"},
		{ring, "0", ring.Layout().Fields()[0].Name + " = no such packet", "", `invalid value "no such packet" of `},
	} {
		w := get(handler(t, Options{Machine: tt.m}), "goal/"+tt.from+"?where="+url.QueryEscape(tt.where))
		to := strings.TrimPrefix(w.Header().Get("Location"), "../")
		if to != tt.to || tt.say == "" && w.Code != http.StatusSeeOther ||
			tt.say != "" && (w.Code < 400 || w.Code >= 500) || !strings.Contains(w.Body.String(), tt.say) {
			t.Errorf("%s, %q: %d to %q, %s; want %q %s", tt.from, tt.where, w.Code, to, w.Body, tt.to, tt.say)
		}
	}
	page := get(handler(t, Options{Machine: counter(t)}), "walk/0.0").Body.String()
	if !strings.Contains(page, `<form action="../goal/0.0" id="goal">`) {
		t.Error("the page does not ask for a condition")
	}
}

// TestGoalNames: names and values that have an equals sign, or the word that joins conditions, are found as the page shows them.
func TestGoalNames(t *testing.T) {
	p := program.New("names")
	p.Var("a", 2)
	p.Var("a = b", 2)
	bread := p.Var("bread", 3, "plain", "ham and eggs", "ham and b = 1")
	b := p.Var("b", 2)
	p.Rule("ham", program.Eq(bread, 0), program.Set(bread, 1))
	p.Rule("more", program.Eq(bread, 1), program.Set(bread, 2), program.Set(b, 1))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{
		"bread = ham and eggs":               "walk/0.0",
		"bread = ham and b = 1":              "walk/0.0.0",
		"bread=ham and b = 1 and b = 1":      "walk/0.0.0",
		"a = b = 0 and bread = ham and eggs": "walk/0.0",
		"bread = ham and eggs and a = 0":     "walk/0.0",
		"bread = ham and eggs and b = 1":     "no such state",
		"bread = ham":                        `invalid value "ham" of bread: want plain, ham and eggs, ham and b = 1`,
		"a = b = 2":                          `invalid value "b = 2" of a: want 0, 1`,
		"bread = plain and c = 1":            `invalid condition "c = 1"`,
	} {
		w := get(handler(t, Options{Machine: m}), "goal/0?where="+url.QueryEscape(where))
		if got := strings.TrimPrefix(w.Header().Get("Location"), "../") + w.Body.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %d %s, want %s", where, w.Code, got, want)
		}
	}
}

// TestSearchEnds: where each state has a thousand steps, a search ends after as many states as take
// two million.
func TestSearchEnds(t *testing.T) {
	p := program.New("many ways")
	x := p.Var("x", 10_000)
	for range 1000 {
		p.Rule("on", program.Lt(x, 9999), program.Set(x, program.Add(x, 1)))
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	w := get(handler(t, Options{Machine: m}), "goal/0?where=x+%3D+9999")
	if want := "no such state among the next 2000 states"; w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), want) {
		t.Errorf("%d %s, want %s", w.Code, w.Body, want)
	}
}

// TestWhy: the page of a state says which part of an invariant fails there, with the
// values, and which part of a guard.
func TestWhy(t *testing.T) {
	h := handler(t, Options{Machine: counter(t)})
	for path, all := range map[string][]string{
		"walk/0.0.0.0": {"small: is violated here: condition 2 of 2: x != 3, where x=3", "two: is not reached here",
			`never</th><td class="mono">condition 2 of 2: y = on, where y=off`},
		"walk/0.0.0": {"small: holds here", "two: is reached here"},
	} {
		text := get(h, path).Body.String()
		for _, want := range all {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
}
