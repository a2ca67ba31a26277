package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
)

// TestFieldPage runs the commands in the table of reports, each of which prints the verdict beside it, and looks for
// every file of the folder in the table.
func TestFieldPage(t *testing.T) {
	page, err := guide.Page("field")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", "..", "models", "examples", "field"))
	rows := regexp.MustCompile("(?m)^\\|.*\\| `unknot (.*)` \\| (.*) \\|$").FindAllStringSubmatch(page, -1)
	if len(rows) < 40 {
		t.Errorf("%d commands, want 40 or more", len(rows))
	}
	for _, row := range rows {
		code, out, errs := unknot(t, strings.Fields(row[1])...)
		want := map[bool]int{true: exitViolated}[strings.HasSuffix(row[2], " violated") || strings.HasPrefix(row[2], "deadlock in clock ")]
		if strings.HasPrefix(row[2], "hop into") {
			want = exitUsage
		}
		text := strings.ToLower(out + errs)
		if code != want && !strings.HasPrefix(row[2], "delivery") || !strings.Contains(text, strings.ToLower(row[2])) {
			t.Errorf("unknot %s: exit %d, want %d and %s\n%s%s", row[1], code, want, row[2], out, errs)
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".star") && !strings.Contains(page, "`unknot check "+f.Name()) {
			t.Errorf("the table lacks %s", f.Name())
		}
	}
}
