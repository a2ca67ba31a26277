package models_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
)

// TestClaimsHaveASource: every claim is either a sentence of the source with its
// section or marked as ours; ours are never "confirmed"; and a refutation refutes a
// sentence and names the reading under which it does. Findings do not contain the word
// "refuted", so this test finds every refutation.
func TestClaimsHaveASource(t *testing.T) {
	section := regexp.MustCompile(`^(abstract|figure \d+|\d+(\.\d+)*)$`)
	for _, e := range models.Catalogue() {
		if e.LeftOut != nil {
			for _, l := range e.LeftOut() {
				if !section.MatchString(l.Section) || len(l.Sentence) < 20 || len(l.Because) < 20 {
					t.Errorf("%s: left out: %+v: want a sentence with its section, and the reason", e.Name, l)
				}
			}
		}
		for _, c := range e.Claims() {
			where := e.Name + ": " + c.Says
			switch {
			case c.Says == "" || c.Finding == "" || len(c.Command) == 0:
				t.Errorf("%s: no words, finding or command", where)
			case c.Ours && (c.Section != "" || c.Sentence != ""):
				t.Errorf("%s: is ours, and said in section %q", where, c.Section)
			case !c.Ours && (!section.MatchString(c.Section) || len(c.Sentence) < 20):
				t.Errorf("%s: neither ours nor a sentence with its section: %q, %q", where, c.Section, c.Sentence)
			case c.Ours && c.Refuted != "":
				t.Errorf("%s: refutes what nobody says", where)
			case c.Ours && strings.Contains(c.Finding, "confirmed"):
				t.Errorf("%s: confirms what the source does not say: %s", where, c.Finding)
			case strings.Contains(c.Says+c.Finding, "refute"):
				t.Errorf("%s: a refutation without a reading: %s", where, c.Finding)
			case strings.Contains(c.Finding, "always"):
				t.Errorf("%s: a run says nothing of all sizes: %s", where, c.Finding)
			}
		}
	}
}

// TestFilesNameModels: every model that a file of entries or claims describes is in the catalogue: a wrong name would
// leave its claims out in silence.
func TestFilesNameModels(t *testing.T) {
	head := regexp.MustCompile(`(?m)^(network|machine|model): (.*)$`)
	described := map[string]int{}
	for _, pattern := range []string{"*/*.entries", "*/*.claims"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range head.FindAllStringSubmatch(string(text), -1) {
				e, found := models.Find(m[2])
				if !found || m[1] == "model" && len(e.Claims()) == 0 {
					t.Errorf("%s: %s: found %t, %d claims", file, m[0], found, len(e.Claims()))
				}
				if m[1] != "model" {
					described[m[2]]++
				}
			}
		}
	}
	for _, e := range models.Catalogue() {
		if described[e.Name] != 1 {
			t.Errorf("%s is described %d times", e.Name, described[e.Name])
		}
	}
}
