package studies_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// TestQuestionsOfTheVerifier: the questions that the verifier knows are questions here, with the parameters that it expects:
// those that an answer always depends on, and those that it may.
func TestQuestionsOfTheVerifier(t *testing.T) {
	names := func(subject []string) (names []string) {
		for _, s := range subject {
			name, _, _ := strings.Cut(s, "=")
			names = append(names, name)
		}
		return names
	}
	for _, q := range evidence.Questions() {
		model, name, _ := strings.Cut(q.Name, " ")
		e, found := models.Find(model)
		if !found || !slices.ContainsFunc(all.Questions(e.Name), func(of studies.Question) bool { return of.Name == name && of.Asks == q.Asks }) {
			t.Errorf("there is no question %s", q.Name)
			continue
		}
		known := strings.Fields(strings.ReplaceAll(q.Parameters, "?", ""))
		usual, err := studies.Subject(e, all.Questions(e.Name), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := names(usual)
		each := []map[string]string{nil, {"rings": "2"}}
		for _, p := range e.Parameters() {
			each = append(each, map[string]string{p.Name: anotherValue(p)})
		}
		for _, set := range each {
			subject, err := studies.Subject(e, all.Questions(e.Name), name, set)
			if err != nil {
				continue // not one of its parameters
			}
			for _, s := range names(subject) {
				seen = append(seen, s)
				if !slices.Contains(known, s) {
					t.Errorf("%s depends on %s, which the verifier does not know", q.Name, s)
				}
			}
			for _, p := range strings.Fields(q.Parameters) {
				if !strings.HasSuffix(p, "?") && !slices.Contains(names(subject), p) {
					t.Errorf("%s with %v does not depend on %s, which the verifier wants", q.Name, set, p)
				}
			}
		}
		for _, p := range known {
			if p != "registers" && !slices.Contains(seen, p) { // needs a file
				t.Errorf("%s never depends on %s", q.Name, p)
			}
		}
	}
}

// TestIsFitted: a setup was fitted to some sentences of a paper, and others of the same figure it may confirm.
func TestIsFitted(t *testing.T) {
	for sentence, want := range map[string]bool{
		"3.2: a store takes 782 ns": true, "abstract: CCB performs better than the existing functions run": false, "in no paper": false,
	} {
		if all.IsFitted(sentence) != want {
			t.Errorf("%s: %t, want %t", sentence, !want, want)
		}
	}
}
