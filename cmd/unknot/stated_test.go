package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/simulate"
)

// What the papers state, as the command of the name measured it; .ci/claims measures it again.
var statedBy = []struct{ file, command string }{
	{"testdata/stated-star-channel.json", "simulate star-channel --paper all --json"},
	{"testdata/stated-combining.json", "simulate combining --paper rates --json"},
}

// measuredStatements is what is kept of a command's output.
type measuredStatements struct {
	Figures []struct {
		Name   string            `json:"name"`
		Setup  string            `json:"setup"`
		Stated []simulate.Stated `json:"stated"`
	} `json:"figures,omitempty"`
	Stated []simulate.Stated `json:"stated,omitempty"`
	Across []simulate.Stated `json:"across,omitempty"`
}

// statementsOf reads them.
func statementsOf(t *testing.T, text []byte) (m measuredStatements) {
	t.Helper()
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// table is the part of a page of the guide that a command makes.
func (m measuredStatements) table(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Made from `unknot %s`, and not by hand:\n", strings.TrimSuffix(command, " --json"))
	fmt.Fprint(&b, "\n| the paper states | outcome | measured |\n|---|---|---|\n")
	row := func(where string, s simulate.Stated) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(where+s.Sentence), s.Outcome, cell(s.Detail))
	}
	for _, f := range m.Figures {
		for _, s := range f.Stated {
			row(f.Name+", ", s)
		}
	}
	for _, s := range slices.Concat(m.Stated, m.Across) {
		row("", s)
	}
	return b.String()
}

// TestStated: the tables in the guide are those that the commands made. With -shell the commands run again, which takes
// 20 minutes of CPU.
func TestStated(t *testing.T) {
	const page = "guide/measure.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range statedBy {
		if *inShell {
			code, out, errs := unknot(t, strings.Fields(of.command)...)
			if code != exitExpected {
				t.Fatalf("%s: exit %d: %s", of.command, code, errs)
			}
			made, err := json.MarshalIndent(statementsOf(t, []byte(out)), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, of.file, append(made, '\n'))
		}
		kept, err := os.ReadFile(of.file)
		if err != nil {
			t.Fatal(err)
		}
		m := statementsOf(t, kept)
		table := m.table(of.command)
		head, _, _ := strings.Cut(table, "\n")
		before, rest, found := strings.Cut(string(text), head+"\n")
		if !found {
			t.Errorf("%s has no line %q", page, head)
			continue
		}
		after := rest
		if _, below, ok := strings.Cut(strings.TrimPrefix(rest, "\n"), "\n\n"); ok {
			after = "\n" + below
		}
		if *update {
			text = []byte(before + table + after)
			continue
		}
		if !bytes.Contains(text, []byte(table+"\n")) {
			t.Errorf("%s: the table is not that of %s:\n%s", page, of.file, cmp.Diff(head+"\n"+rest[:min(len(rest), len(table)-len(head)-1)], table))
		}
	}
	if *update {
		if err := os.WriteFile(page, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compareGolden compares with a file, or writes it with -update.
func compareGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-kept +found):\n%s", file, diff)
	}
}
