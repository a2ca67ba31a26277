package costtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

type failures []string

func (*failures) Helper() {}
func (f *failures) Errorf(format string, args ...any) {
	*f = append(*f, fmt.Sprintf(format, args...))
}

var kept []byte // so that it is allocated

// TestWithin: what is freed in between counts, and what the size allows does not.
func TestWithin(t *testing.T) {
	allocate := func(mebibytes int) func() {
		return func() {
			for range mebibytes {
				kept = make([]byte, 1<<20)
			}
		}
	}
	for _, tt := range []struct{ size, mebibytes, want int }{
		{0, 0, 0}, {0, 60, 0}, {0, 70, 1}, {1 << 12, 70, 0}, {1 << 12, 90, 1},
	} {
		var got failures
		costtest.Within(&got, tt.size, allocate(tt.mebibytes))
		if len(got) != tt.want || tt.want > 0 && !strings.Contains(got[0], fmt.Sprintf("an input of %d bytes took ", tt.size)) {
			t.Errorf("%d MiB for %d bytes: %q", tt.mebibytes, tt.size, got)
		}
	}
}
