// Package modeltest, internal to unknot, makes the networks and machines of the catalogue for tests; without the model
// the test fails.
package modeltest

import (
	"context"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Definition returns the definition of a network with the parameters that are set.
func Definition(t testing.TB, model string, set map[string]string) routing.Definition {
	t.Helper()
	def, err := entry(t, model).Define(set)
	if err != nil {
		t.Fatal(err)
	}
	return def
}

// Network compiles a network after some changes.
func Network(t testing.TB, model string, set map[string]string, changes ...func(*routing.Definition)) *spec.Network {
	t.Helper()
	def := Definition(t, model, set)
	for _, change := range changes {
		change(&def)
	}
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Switched is a change: packets are switched so.
func Switched(s spec.Switching) func(*routing.Definition) {
	return func(def *routing.Definition) { def.Switching = s }
}

// SwitchedNetwork compiles a network whose packets are switched so.
func SwitchedNetwork(t testing.TB, model string, set map[string]string, s spec.Switching) *spec.Network {
	t.Helper()
	return Network(t, model, set, Switched(s))
}

// Machine returns a machine with the parameters that are set.
func Machine(t testing.TB, model string, set map[string]string) states.Machine {
	t.Helper()
	m, err := entry(t, model).Machine(set)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func entry(t testing.TB, model string) catalogue.Entry {
	t.Helper()
	e, ok := models.Find(model)
	if !ok {
		t.Fatalf("no model %s", model)
	}
	return e
}
