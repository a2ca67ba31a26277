package p3_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestP3File: a subdivision is read from a file, and what is wrong with it has a
// place there.
func TestP3File(t *testing.T) {
	e := p3.Entry()
	name := filepath.Join(t.TempDir(), "plane")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set := map[string]string{"plane": name}
	write("pe left 0,0 40,0 50,64 0,64\npe right 40,0 128,0 128,64 50,64\n")
	def, err := e.Define(set)
	if err != nil {
		t.Fatal(err)
	}
	if n := def.Topology.Nodes(); n != 2 {
		t.Errorf("%d nodes, want 2", n)
	}
	write("pe left 0,0 40,0 50,64 0,64\npe right 40,0 128,0 128,64 50,x\n")
	var pos *spec.PosError
	if _, err := e.Define(set); !errors.As(err, &pos) || pos.File != name || pos.Line != 2 {
		t.Errorf("a wrong corner: %v, want an error in line 2", err)
	}
	if _, err := e.Define(map[string]string{"plane": name + "s"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
