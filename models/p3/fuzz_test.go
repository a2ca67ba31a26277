package p3

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/measured"
)

// FuzzParse: no plane file panics or hangs; what is wrong with it is said at a place
// in it, and a plane that is read says the same when it is read again.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"pe left 0,0 40,0 50,64 0,64\npe right 40,0 128,0 128,64 50,64\n",
		"pe a 0,0 1,0 1,1 0,1; pe b 1,0 2,0 2,1 1,1 # two squares",
		"pe a 0,0 2,0 2,2 0,2; pe b 2,0 4,0 4,1 2,1; pe c 2,1 4,1 4,2 2,2",
		"pe a", "pe a 0,0 0,0 0,0", "pe a 1,0 0,0 0,1", "pe a 9223372036854775807,0 0,0 0,1", "\x00;#",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var p *Plane
		var err error
		measured.Within(t, len(text), func() { p, err = Parse("f", text) })
		if err != nil {
			var at *spec.PosError
			if !errors.As(err, &at) || at.Line < 1 || at.Line > 1+strings.Count(text, "\n") || at.Col < 1 {
				t.Fatalf("%q: %v, want f:LINE:COL: ... within the file", text, err)
			}
			return
		}
		again, err := Parse("f", text)
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("%q: read again it is another plane: %v", text, err)
		}
	})
}
