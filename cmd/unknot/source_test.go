package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestModelSource: what models --print prints is a file that describes the same
// machine, with the same digest.
func TestModelSource(t *testing.T) {
	dir := t.TempDir()
	files := 0
	for _, g := range models.Groups() {
		for _, e := range g.Entries {
			code, text, _ := unknot(t, "models", e.Name, "--print")
			if (code == exitExpected) != (e.Text() != "") {
				t.Errorf("%s: exit %d, file of %d bytes", e.Name, code, len(e.Text()))
			}
			if e.Text() == "" || e.IsBeside() { // TestReadableForm of its package compares the two
				continue
			}
			if files++; !seedtest.Sampled(files, 2) {
				continue
			}
			file := filepath.Join(dir, e.Name+".star")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, want, _ := unknot(t, "show", e.Name, "--closed")
			show := []string{"show", file, "--closed"}
			for name, value := range e.Described().Fixed {
				show = append(show, "--set", name+"="+value)
			}
			if _, got, stderr := unknot(t, show...); got != want || got == "" {
				t.Errorf("%s and its file describe two machines: %s", e.Name, stderr)
			}
		}
	}
	if files < 2 {
		t.Errorf("%d models have a file", files)
	}
}
