package walk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestTargetLeavesNothing: a target holds what was written last as a whole; what fails leaves it as it was, and
// no file beside it but the lock's.
func TestTargetLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	target := &target{path: path}
	full := errors.New("no space left on device")
	for _, tt := range []struct {
		text string
		err  error
		want string
	}{{"first", nil, "first"}, {"half of the", full, "first"}, {"second", nil, "second"}} {
		err := target.write(func(w io.Writer) error {
			_, _ = io.WriteString(w, tt.text)
			return tt.err
		})
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.text, err, tt.err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != tt.want {
			t.Errorf("after %s: %q (%v), want %q", tt.text, got, err, tt.want)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Errorf("after %s: %v are there (%v), want one file", tt.text, files, err)
		}
	}
}
