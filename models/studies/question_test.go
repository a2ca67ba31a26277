package studies_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
)

// anotherValue is a value of a parameter other than its default.
func anotherValue(p catalogue.Param) string {
	switch {
	case len(p.Choices) > 0:
		return p.Choices[(slices.Index(p.Choices, p.Default)+1)%len(p.Choices)]
	case p.Form == "":
		if x, _ := strconv.Atoi(p.Default); x < p.Max {
			return strconv.Itoa(x + 1)
		}
		return strconv.Itoa(p.Min)
	}
	return "1" // of some form, or not
}

// TestQuestionsUseTheirParameters: whatever parameter of a model is given to a question, either the subject of the question
// has its value, or it is refused; one that is out of range always is.
func TestQuestionsUseTheirParameters(t *testing.T) {
	refused := 0
	for _, e := range models.Catalogue() {
		for _, q := range all.Questions(e.Name) {
			usual, err := studies.Subject(e, all.Questions(e.Name), q.Name, nil)
			if err != nil {
				t.Errorf("%s %s: %v", e.Name, q.Name, err)
			}
			for _, p := range e.Parameters() {
				value := anotherValue(p)
				subject, err := studies.Subject(e, all.Questions(e.Name), q.Name, map[string]string{p.Name: value})
				switch {
				case err != nil:
					refused++
					if !strings.HasPrefix(err.Error(), e.Name) || strings.Contains(err.Error(), "\n") {
						t.Errorf("%s %s: refuses %s=%s by %q", e.Name, q.Name, p.Name, value, err)
					}
				case !slices.Contains(subject, p.Name+"="+value) || slices.Equal(subject, usual):
					t.Errorf("%s %s: takes %s=%s, and is about %v", e.Name, q.Name, p.Name, value, subject)
				}
				if p.Form == "" {
					if _, err := studies.Subject(e, all.Questions(e.Name), q.Name, map[string]string{p.Name: "-1000000"}); err == nil {
						t.Errorf("%s %s: takes %s=-1000000", e.Name, q.Name, p.Name)
					}
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no parameter was refused")
	}
}

// TestQuestionsRefuse: parameters that do not matter to a question, alone or with the
// others, are named.
func TestQuestionsRefuse(t *testing.T) {
	type set = map[string]string
	for _, tt := range []struct {
		model, question string
		set             set
		want            string
	}{
		{"peach2", "links", set{"tie": "EEWW"}, `peach2 links does not depend on parameter "tie": here it depends on n, rings, registers`},
		{"peach2", "addresses", set{"hops": "4"}, `peach2 addresses does not depend on parameter "hops"`},
		{"peach2", "addresses", set{"n": "17"}, "peach2: invalid n \"17\": want an integer from 2 to 16"},
		{"p3", "masks", set{"vcs": "2"}, `p3 masks does not depend on parameter "vcs"`},
		{"p3", "masks", set{"seed": "2"}, `p3 masks does not depend on parameter "seed"`}, // of no moves
		{"p3", "masks", set{"shape": "bent", "columns": "2"}, `p3 masks does not depend on parameter "columns"`},
		{"rwc1", "least-vcs", set{"levels": "2"}, `rwc1 least-vcs does not depend on parameter "levels"`},
		{"rwc1", "partitions", set{"vcs": "2"}, `rwc1 partitions does not depend on parameter "vcs"`},
	} {
		e, _ := models.Find(tt.model)
		_, err := all.Ask(context.Background(), e, tt.question, tt.set)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s %s %v: %v\nwant %s", tt.model, tt.question, tt.set, err, tt.want)
		}
	}
}
