package models_test

import (
	"os"
	"path/filepath"
	"regexp"
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

// TestSectionsAreAnswered: of each section of a paper that describes or claims something there is a claim, a quotation
// beside a rule of a file, or a sentence that is left out with its reason. Introductions, summaries, and what lies inside
// a cluster or a board are listed here only if something of them is.
func TestSectionsAreAnswered(t *testing.T) {
	quoted := regexp.MustCompile(`paper, (\d[\d.]*)`)
	for i, paper := range []struct {
		folders  string
		sections string
	}{
		{"peach2", "1.1 2.1.2 2.1.3 2.2 2.3 2.4 2.5 2.6 2.7 3.1 3.1.1 3.1.2 3.2 4"},
		{"p3", "2 3 4"},
		{"mdce omega rwc1", "1 2.1 2.2 3.1 3.2 3.3 3.4 3.5 4.1 4.2 4.3 4.4"},
		{"selection starchannel torus", "abstract 2.1 2.2 3.1.1 3.1.2 3.1.3 3.1.4 3.2 4 4.1 4.2 4.3 4.4 4.5 5"},
		{"combining", "abstract 2 3.1 3.2 3.3 4.1 4.3 4.4 5 6"},
	} {
		answered := map[string]bool{}
		group := models.Groups()[i]
		for _, e := range group.Entries {
			for _, c := range e.Claims() {
				answered[c.Section] = true
			}
			for _, l := range e.LeftOut() {
				answered[l.Section] = true
			}
		}
		for folder := range strings.FieldsSeq(paper.folders) {
			files, err := filepath.Glob(filepath.Join(folder, "*.star"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
					answered[strings.TrimSuffix(m[1], ".")] = true
				}
			}
		}
		for section := range strings.FieldsSeq(paper.sections) {
			if !answered[section] {
				t.Errorf("%s: no claim, quotation or reason for section %s", group.Title, section)
			}
		}
	}
}
