package models_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
)

// TestSentencesAreAnswered: every sentence of the five papers is modelled in a file that exists, or asked about by a
// claim of the catalogue, or left out there with the reason. A row that is renamed or taken away is missed here, and so
// is a sentence that is left out and not listed.
func TestSentencesAreAnswered(t *testing.T) {
	const file = "papers.sentences"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := catalogue.ReadSentences(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	papers, leftOut := map[string]int{}, map[string]bool{} // whether it is listed, by model and sentence
	for _, g := range models.Groups()[:5] {
		papers[g.Title] = 0
		for _, e := range g.Entries {
			for _, l := range e.LeftOut() {
				leftOut[e.Name+": "+l.Sentence] = false
			}
		}
	}
	for _, s := range sentences {
		if _, known := papers[s.Paper]; !known {
			t.Errorf("%s: no group of models has the title %s", s.Says, s.Paper)
		}
		papers[s.Paper]++
		for _, name := range s.Files {
			if found, _ := filepath.Glob("*/" + name); len(found) == 0 {
				t.Errorf("%s: no file %s", s.Says, name)
			}
		}
		for _, row := range s.Rows {
			model, says, _ := strings.Cut(row, ": ")
			e, known := models.Find(model)
			begins := func(c catalogue.Claim) bool { return strings.HasPrefix(c.Says, says) }
			if !known || !slices.ContainsFunc(e.Claims(), begins) {
				t.Errorf("%s: no row %s", s.Says, row)
			}
		}
		for _, sentence := range s.LeftOut {
			found := false
			for l := range leftOut {
				if strings.HasPrefix(l, sentence) {
					leftOut[l], found = true, true
				}
			}
			if !found {
				t.Errorf("%s: no sentence that is left out begins with %s", s.Says, sentence)
			}
		}
	}
	for l, listed := range leftOut {
		if !listed {
			t.Errorf("%s: left out, and not in %s", l, file)
		}
	}
	for paper, number := range papers {
		if number < 15 { // the shortest description has more
			t.Errorf("%s: %d sentences", paper, number)
		}
	}
}
