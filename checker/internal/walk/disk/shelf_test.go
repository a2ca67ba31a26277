package disk

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRemove: a run that is removed gives its bytes back; one that cannot be removed, here as there is a folder with a file in its
// place, or that was removed before, does not.
func TestRemove(t *testing.T) {
	s := &shelf{dir: t.TempDir(), bytes: 100}
	here, stays := run{Number: 1}, run{Number: 2}
	if err := os.WriteFile(here.path(s.dir), make([]byte, 30), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(stays.path(s.dir), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what string
		run  run
		left int64
	}{{"that is there", here, 70}, {"that is gone", here, 70}, {"that stays", stays, 70}} {
		if s.remove(tt.run); s.bytes != tt.left {
			t.Errorf("the run %s: %d bytes are left, want %d", tt.what, s.bytes, tt.left)
		}
	}
}
