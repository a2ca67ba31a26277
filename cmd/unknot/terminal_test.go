package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
)

// TestFitted: text is folded, code is not, and a table that is too wide becomes a list.
func TestFitted(t *testing.T) {
	const page = "# A heading that is longer than the terminal has columns, and stays\n\n" +
		"One paragraph of several words\nthat goes on in a second line.\n\n" +
		"* an item whose text is long enough\n  to go on below\n* another\n\n" +
		"```console\n$ unknot check a file whose name is very long indeed\n```\n\n" +
		"| a | b |\n|---|---|\n| 1 | 2 |\n\n" +
		"| flag | meaning of the flag |\n|---|---|\n| `--a\\|b` | what it is good for, in many words |\n"
	const want = "# A heading that is longer than the terminal has columns, and stays\n\n" +
		"One paragraph of several words that goes\non in a second line.\n\n" +
		"* an item whose text is long enough to\n  go on below\n* another\n\n" +
		"```console\n$ unknot check a file whose name is very long indeed\n```\n\n" +
		"| a | b |\n|---|---|\n| 1 | 2 |\n\n" +
		"* `--a|b`\n    meaning of the flag: what it is good\n    for, in many words\n"
	if diff := cmp.Diff(want, fitted(page, 40)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestFittedPages: every page keeps its code, and no line of prose is wider than the terminal unless it
// is one word.
func TestFittedPages(t *testing.T) {
	const columns = 80
	for _, topic := range guide.Topics() {
		text, err := guide.Page(topic)
		if err != nil {
			t.Fatal(err)
		}
		text = helpPage(text)
		got := fitted(text, columns)
		code := false
		for _, line := range strings.Split(got, "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			long := utf8.RuneCountInString(line) > columns
			if !code && long && !strings.HasPrefix(line, "#") && strings.Contains(strings.TrimLeft(line, " *"), " ") {
				t.Errorf("%s: %d columns: %s", topic, utf8.RuneCountInString(line), line)
			}
		}
		if codeOf(text) != codeOf(got) {
			t.Errorf("%s: its code has changed", topic)
		}
	}
	if columnsOf(&bytes.Buffer{}) != 0 {
		t.Error("a buffer is no terminal")
	}
}

// codeOf returns the code blocks of a page.
func codeOf(page string) (code string) {
	within := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			within = !within
		} else if within {
			code += line
		}
	}
	return code
}
