package parameterized_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/parameterized"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// FuzzRead: a network file whose sizes stay symbolic is read, or refused in one line with a place.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"torus", "ring", "mesh", "hypercube"} {
		text, err := os.ReadFile("../../models/examples/" + name + ".star")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "k")
	}
	f.Add("n = param('n', 4)\nnetwork()\nv = [node() for i in range(n)]\nfor i in range(n):\n    link(v[i], v[(i + 1) % n])\n"+
		"def route(at, to):\n    return [hop(at.node.out[0])]\n", "n")
	f.Fuzz(func(t *testing.T, text, size string) {
		var err error
		costtest.Within(t, len(text), func() { _, err = parameterized.Read("n.star", []byte(text), []string{size}, nil) })
		var at *spec.PosError
		if err != nil && (strings.ContainsAny(err.Error(), "\r\n") || !errors.As(err, &at) && !strings.HasPrefix(err.Error(), "n.star: ")) {
			t.Errorf("%q: error %q", text, err)
		}
	})
}
