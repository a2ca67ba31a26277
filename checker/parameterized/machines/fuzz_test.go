package machines_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// FuzzRead: a protocol file whose size stays symbolic is read, or refused in one line with a place.
func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("../../../models/examples/protocols/*.star")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "n")
	}
	f.Add("machine(name = 'm')\n", "n") // without a parameter
	f.Fuzz(func(t *testing.T, text, size string) {
		var err error
		costtest.Within(t, len(text), func() { _, err = machines.Read("m.star", []byte(text), size, nil) })
		var at *spec.PosError
		if err != nil && (strings.ContainsAny(err.Error(), "\r\n") || !errors.As(err, &at) && !strings.HasPrefix(err.Error(), "m.star: ")) {
			t.Errorf("%q: error %q", text, err)
		}
	})
}
