package limited_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// growing is a file that has more in it than its size says.
type growing struct {
	strings.Reader
	info fs.FileInfo
}

func (g *growing) Stat() (fs.FileInfo, error) { return g.info, nil }
func (g *growing) Close() error               { return nil }

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, whole := range map[int64]bool{0: false, 4: false, 5: true, 6: true, 1 << 62: true} {
		text, err := limited.ReadFile(name, most)
		var long *limited.TooLongError
		var at *spec.PosError
		if whole && (err != nil || string(text) != "12345") ||
			!whole && (!errors.As(err, &long) || long.Size != 5 || !errors.As(err, &at) || err.Error() != at.Error()) {
			t.Errorf("at most %d: %q, %v", most, text, err)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	g := &growing{*strings.NewReader("1234567890"), info}
	if text, err := limited.Read("g", g, 7); err == nil || text != nil || g.Len() != 2 {
		t.Errorf("a file that grows: %q, %v, %d bytes left: want 8 bytes read, which are too many", text, err, g.Len())
	}
	if _, err := limited.ReadFile(t.TempDir(), 10); err == nil {
		t.Error("a folder is read")
	}
	if _, err := limited.ReadFile(name+"x", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.Truncate(name, 3<<30); err != nil {
		t.Skip("no sparse files: ", err)
	}
	costtest.Within(t, 0, func() {
		if _, err := limited.ReadFile(name, 1<<30); err == nil {
			t.Error("3 GiB are read, at most 1 GiB")
		}
	})
}
