package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/goldentest"
)

// kept compares what write writes with a file of testdata, and returns it.
func kept(t *testing.T, name string, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	goldentest.Compare(t, name, b.Bytes())
	return b.Bytes()
}

// loaded compiles a network file.
func loaded(t *testing.T, file, text string) *spec.Network {
	t.Helper()
	f, err := star.Load(t.Context(), file, []byte(text), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return routingtest.Compile(t, f.Definition)
}

// swapped is the gadget swap with whole packets: only exploring tells which of them can be where at
// the same time.
func swapped(t *testing.T) *spec.Network {
	t.Helper()
	def, err := gadget.Wormhole("swap")
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.StoreAndForward
	return routingtest.Compile(t, def)
}

func fromFile(t *testing.T, name string) *spec.Network {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return loaded(t, filepath.ToSlash(filepath.Join("testdata", name)), string(text))
}

func decided(t *testing.T, n *spec.Network, opt checker.Question, from Origin) (Result, *checker.Result) {
	t.Helper()
	opt.Workers = 1
	report, err := checker.Check(t.Context(), n, opt)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Of(report, from)
	if err != nil {
		t.Fatal(err)
	}
	return r, report
}

func explored(t *testing.T, n *spec.Network, opt checker.Question) (Result, *states.Traffic, *checker.Result) {
	t.Helper()
	m, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Workers = 1
	x, err := checker.Explore(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Of(x, Origin{})
	if err != nil {
		t.Fatal(err)
	}
	return r, m, x
}

// machine explores a machine of the catalogue.
func machine(t *testing.T, name string) (Result, states.Machine, *checker.Result) {
	t.Helper()
	e, ok := models.Find(name)
	if !ok || !e.IsMachine() {
		t.Fatalf("no machine %s", name)
	}
	m, err := e.Machine(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, checker.Question{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Of(x, Origin{})
	if err != nil {
		t.Fatal(err)
	}
	return r, m, x
}

// cases are results of every kind: the golden files are about them. Their contents are known: the
// ring of four fills up with four packets (Dally and Seitz, 1987), the gadget W1 stops two worms of
// two flits, swap stays open without exploring, deflection loops, dateline rings are
// free.
func cases(t *testing.T) []Result {
	t.Helper()
	ring, _ := decided(t, fromFile(t, "ring.star"), checker.Question{}, Origin{File: "testdata/ring.star", Command: "unknot check testdata/ring.star"})
	deadEnd, _ := decided(t, fromFile(t, "deadend.star"), checker.Question{}, Origin{File: "testdata/deadend.star"})
	w1, _ := decided(t, modeltest.Network(t, "gadget", map[string]string{"name": "W1"}), checker.Question{},
		Origin{Expected: map[string]spec.Verdict{"deadlock-freedom": spec.Violated}})
	swap, _ := decided(t, swapped(t),
		checker.Question{Properties: []string{"deadlock-freedom", "delivery"}, Explore: checker.Never},
		Origin{Command: "unknot check gadget --set name=swap --switching store-and-forward --property deadlock-freedom --property delivery --explore=never"})
	loop, _ := decided(t, modeltest.Network(t, "mesh", map[string]string{"routing": "deflection", "k": "2"}),
		checker.Question{Properties: []string{"livelock-freedom"}}, Origin{})
	starved, _, _ := explored(t, modeltest.Network(t, "ring", map[string]string{"variant": "dateline", "n": "4"}), checker.Question{Liveness: true})
	broken := Result{Name: "broken.star", File: "broken.star", Err: &spec.PosError{File: "broken.star", Line: 3, Col: 7, Msg: "want ), not :"}}
	return []Result{ring, deadEnd, w1, swap, loop, starved, broken}
}

// deadlockTrace returns the trace of the ring.
func deadlockTrace(t *testing.T, n *spec.Network) *counterexamples.Trace {
	t.Helper()
	_, report := decided(t, n, checker.Question{Properties: []string{"deadlock-freedom"}}, Origin{})
	if report.Findings[0].Trace() == nil {
		t.Fatal("no trace")
	}
	return report.Findings[0].Trace()
}

// failing is a writer that accepts a number of bytes.
type failing int

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		n := int(*f)
		*f = 0
		return n, errFull
	}
	*f -= failing(len(p))
	return len(p), nil
}

func tryModel(t *testing.T, name string, set map[string]string) (*spec.Network, error) {
	t.Helper()
	e, ok := models.Find(name)
	if !ok {
		t.Fatalf("no model %s", name)
	}
	def, err := e.Define(set)
	if err != nil {
		return nil, err
	}
	return routing.Compile(t.Context(), def, routing.CompileOptions{})
}
