package topology

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPacked: a file packed with gzip is read as its content; one that is cut or contains too
// much is reported as such.
func TestPacked(t *testing.T) {
	const text = "from,to\na,b\nb,a\n"
	packed := zipped(t, text)
	if got := Detect(packed); got != "csv" {
		t.Errorf("detected %q, want csv", got)
	}
	want, err := Read(t.Context(), "f", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(t.Context(), "f", packed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Nodes, got.Nodes); diff != "" || got.Format != "csv" || got.Topology.Links() != 2 {
		t.Errorf("read as %s, %d links (-plain +packed)\n%s", got.Format, got.Topology.Links(), diff)
	}
	type wrong struct {
		text []byte
		says string
	}
	cases := map[string]wrong{
		"cut":    {packed[:len(packed)-9], "f:1:1: gzip: unexpected EOF"},
		"no end": {packed[:3], "f:1:1: gzip: unexpected EOF"},
	}
	if seedtest.Whole() {
		cases["bomb"] = wrong{zipped(t, strings.Repeat("\n", MostBytes+1)), "f:1:1: too long: want at most 268435456 bytes"}
	}
	for name, c := range cases {
		if _, err := Read(t.Context(), "f", c.text, Options{}); err == nil || err.Error() != c.says {
			t.Errorf("%s: %v, want %s", name, err, c.says)
		}
	}
}
