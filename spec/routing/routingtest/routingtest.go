// Package routingtest, internal to unknot, compiles networks for tests, which fail if that is impossible.
package routingtest

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TB is what *testing.T, *testing.B and *rapid.T have in common here.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Compile returns the network of a definition.
func Compile(t TB, def routing.Definition) *spec.Network {
	t.Helper()
	return Network(t)(def, nil)
}

// Network compiles what a model's New returns.
func Network(t TB) func(routing.Definition, error) *spec.Network {
	return func(def routing.Definition, err error) *spec.Network {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}
