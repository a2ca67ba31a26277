package evidence

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadQuestions: the table is read whole, and a fault in it is reported at its line: a form of parts that this
// program does not know, or whose parameters the question does not have; a line that is missing or left over.
func TestReadQuestions(t *testing.T) {
	const least = "parts least vcs\n"
	names := []string{}
	for _, q := range Questions() {
		names = append(names, q.Name)
	}
	want := []string{
		"peach2 addresses", "peach2 hops", "peach2 ties", "p3-rebalance settles", "p3-rebalance settles-quietly",
		"rwc1 least-vcs", "rwc1 partitions",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"unknot-questions 1", "unknot-questions 2", `questions.txt:1:1: want "unknot-questions 1" here`},
		{"asks every", "ask every", `questions.txt:3:1: want "asks ..." here`},
		{least, "parts most vcs\n", `questions.txt:31:7: no such form of parts, or not with these parameters: ["most" "vcs"]`},
		{least, "parts least vc\n", `questions.txt:31:7: no such form of parts`},
		{least, "parts least\n", `questions.txt:31:7: no such form of parts`},
		{least, "parts least n vcs\n", `questions.txt:31:7: no such form of parts`},
		{"parts regions", "parts region", `questions.txt:36:7: no such form of parts`},
		{least, "", `questions.txt:31:1: want "parts ..." here`},
		{least, least + least, `questions.txt:32:1: want "end" here`},
		{"\nend\n", "\nend\nend\n", "questions.txt:38:1: "},
	} {
		if !strings.Contains(questionsText, tt.old) {
			t.Fatalf("no %q", tt.old)
		}
		_, err := readQuestions(strings.Replace(questionsText, tt.old, tt.new, 1))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q for %q: %v, want %s", tt.new, tt.old, err, tt.want)
		}
	}
}
