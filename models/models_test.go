package models_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func report(t testing.TB, n *spec.Network) *checker.Result {
	t.Helper()
	r, err := checker.Check(context.Background(), n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type verdicts struct{ Deadlock, Livelock, Delivery spec.Verdict }

func verdictsOf(r *checker.Result) verdicts {
	return verdicts{r.Findings[0].Verdict, r.Findings[1].Verdict, r.Findings[2].Verdict}
}

// TestExpectations: every verdict that the catalogue states, with evidence that Decide
// has checked. Delivery "holds" means that every flow is consumed.
func TestExpectations(t *testing.T) {
	number := 0
	for _, e := range models.Catalogue() {
		if len(e.Described().Expect)+len(e.Described().Machines) == 0 {
			t.Errorf("%s states no expectation", e.Name)
		}
		for _, x := range e.Described().Expect {
			for _, s := range []spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole} {
				if number++; !seedtest.Sampled(number, 4) { // each with another switching, for consecutive sets
					continue
				}
				n := modeltest.SwitchedNetwork(t, e.Name, x.Set, s)
				r := report(t, n)
				want := verdicts{x.Deadlock(s), x.Livelock, x.Delivery}
				if diff := cmp.Diff(want, verdictsOf(r)); diff != "" {
					t.Errorf("%s %v, %s (-want +got):\n%s%s", e.Name, x.Set, s, diff, r.Findings[0].Because)
				}
				if n.FlowCount() == 0 || n.SiteCount() == 0 {
					t.Errorf("%s %v: nobody sends anything", e.Name, x.Set)
				}
			}
		}
	}
}

// TestEveryChoiceBuilds: each value of each parameter with choices, and both ends of
// small integer ranges, give a network that delivers, unless the catalogue expects that
// it does not.
func TestEveryChoiceBuilds(t *testing.T) {
	number := 0
	for _, e := range networks() {
		for _, p := range e.Parameters() {
			for _, value := range append([]string{p.Default}, p.Choices...) {
				if number++; !seedtest.Sampled(number, 3) {
					continue
				}
				set := map[string]string{p.Name: value}
				var order *peach2.OrderError
				if _, err := e.Define(set); errors.As(err, &order) {
					continue // refused as no network, see TestPeach2Refuses
				}
				want := spec.Holds
				for _, x := range e.Described().Expect {
					if maps.Equal(x.Set, set) {
						want = x.Delivery
					}
				}
				n := modeltest.SwitchedNetwork(t, e.Name, set, spec.VirtualCutThrough)
				if got := verdictsOf(report(t, n)).Delivery; got != want {
					t.Errorf("%s %v: delivery %s, want %s", e.Name, set, got, want)
				}
			}
		}
	}
}

// networks are the entries that are not machines themselves.
func networks() []catalogue.Entry {
	return slices.DeleteFunc(models.Catalogue(), catalogue.Entry.IsMachine)
}

// TestMachineExpectations: the verdicts that the catalogue states of machines.
func TestMachineExpectations(t *testing.T) {
	number := 0
	for _, e := range models.Catalogue() {
		for _, x := range e.Described().Machines {
			if number++; !seedtest.Sampled(number, 16) {
				continue
			}
			m, err := e.Machine(x.Set)
			if err != nil {
				t.Fatal(err)
			}
			got, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Liveness: true})
			if err != nil {
				t.Fatal(err)
			}
			var violated []string
			for _, f := range got.Findings {
				switch f.Verdict {
				case spec.Violated:
					violated = append(violated, f.Property)
				case spec.Unknown:
					t.Errorf("%s %v: %s: %s", e.Name, x.Set, f.Property, f.Because)
				}
			}
			if diff := cmp.Diff(x.Violated, violated, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s %v, violated (-want +got):\n%s", e.Name, x.Set, diff)
			}
			if x.States > 0 && got.States != x.States || x.Because == "" {
				t.Errorf("%s %v: %d states, want %d (%s)", e.Name, x.Set, got.States, x.States, x.Because)
			}
		}
	}
}

func TestDefineRefuses(t *testing.T) {
	for _, tt := range []struct {
		model string
		set   map[string]string
		want  string
	}{
		{"star-channel", map[string]string{"k": "100000"}, "star-channel: invalid k \"100000\": want an integer from 2 to 1024"},
		{"star-channel", map[string]string{"k": "four"}, "star-channel: invalid k \"four\": want an integer from 2 to 1024"},
		{"star-channel", map[string]string{"q": "1"}, `star-channel: invalid parameter "q": want k, n, tie, ch, ca, cf`},
		{"star-channel", map[string]string{"tie": "both"}, "star-channel: invalid tie \"both\": want one of positive, negative, adaptive, parity"},
		{"star-channel", map[string]string{"k": "1024", "n": "3"}, "star-channel: sizes [1024 1024 1024] make more than 1048576 nodes"},
		{"mesh", map[string]string{"routing": "o1turn", "n": "3"}, "mesh: O1TURN in 3 dimensions: want 2"},
		{"mdce", map[string]string{"banyan": "0"}, "mdce: 0 banyan and 0 CCC dimensions: want at least one in all"},
		{"dragonfly", map[string]string{"g": "9"}, "dragonfly: 9 groups: 2 routers with 1 global links each reach 3"},
		{"spidergon", map[string]string{"n": "7"}, "spidergon: a Spidergon of 7 nodes: want an even number from 4 to 16384"},
		{"graph", map[string]string{"graph": "edges", "edges": "0-1,1-1"}, `graph: invalid edge "1-1": want two different nodes from 0 to 4095, as in 0-1`},
		{"turn-model", map[string]string{"model": "chosen", "forbid": "NN"},
			`turn-model.star:49:9: fail: invalid turn "NN": want two letters such as "ES", of different dimensions, of E, W, N, S (called from turn-model.star:52:24)`},
		{"graph", map[string]string{"graph": "de-bruijn", "n": "6"}, "graph: invalid n 6: want a power of two for a de Bruijn graph"},
	} {
		e, _ := models.Find(tt.model)
		_, err := e.Define(tt.set)
		if err == nil {
			t.Errorf("%s %v: accepted", tt.model, tt.set)
			continue
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("%s %v:\n%s", tt.model, tt.set, diff)
		}
	}
}

func TestCatalogueIsWellFormed(t *testing.T) {
	names := map[string]bool{}
	for _, e := range models.Catalogue() {
		if names[e.Name] || e.Described().Summary == "" || e.Described().Source == "" || strings.ToLower(e.Name) != e.Name {
			t.Errorf("%q: names must be unique and lower case, with a summary and a source", e.Name)
		}
		names[e.Name] = true
		if found, ok := models.Find(e.Name); !ok || found.Name != e.Name {
			t.Errorf("%q is not found by its name", e.Name)
		}
		for _, x := range e.Described().Machines {
			if _, err := e.Args(x.Set); err != nil || !e.IsMachine() {
				t.Errorf("%s, expectation %v: a machine: %t, %v", e.Name, x.Set, e.IsMachine(), err)
			}
		}
		for _, x := range e.Described().Expect {
			if _, err := e.Args(x.Set); err != nil || e.IsMachine() {
				t.Errorf("%s, expectation %v: a machine: %t, %v", e.Name, x.Set, e.IsMachine(), err)
			}
		}
		if e.IsMachine() {
			if m, err := e.Machine(nil); err != nil || m.Name() == "" {
				t.Errorf("%s: with its defaults: %v", e.Name, err)
			}
			continue
		}
		def, err := e.Define(nil)
		if err != nil || def.Origin == "" {
			t.Errorf("%s: with its defaults: source %q, %v", e.Name, def.Origin, err)
		}
		for _, x := range e.Described().Expect {
			if x.Because == "" {
				t.Errorf("%s %v: no reason for the expectation", e.Name, maps.All(x.Set))
			}
		}
	}
}

// TestFilesAreReadOnce: naming a model, or making the catalogue, reads no protocol's file;
// the first use reads it, once.
func TestFilesAreReadOnce(t *testing.T) {
	read := 0
	e := catalogue.Protocol(catalogue.Entry{Name: "counter"}, catalogue.Source{Text: func() string {
		read++
		return "n = param(\"n\", 2)\nmachine(name = \"counter\")\nvar(\"x\", range(n))\ndef count(s):\n    s.x += 1\nrule(\"count\", count)\n"
	}})
	if e.IsMachine(); read != 0 {
		t.Errorf("the file is read %d times before it is needed", read)
	}
	if _, err := programtest.Of(e.Machine(catalogue.Set{"n": "3"})); err != nil || len(e.Parameters()) != 1 ||
		!strings.Contains(e.Text(), "count") || read != 1 {
		t.Errorf("%v, %d parameters, read %d times: want one of each", err, len(e.Parameters()), read)
	}
}
