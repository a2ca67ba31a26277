package checktest_test

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/checktest"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// printer stands in for a *testing.T.
type printer struct{}

func (printer) Helper()                        {}
func (printer) Name() string                   { return "TestMyRing" }
func (printer) Errorf(format string, a ...any) { fmt.Printf(format+"\n", a...) }
func (printer) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

// In a test of your own this is one line. A ring without a dateline deadlocks, which this test
// expects; livelock and delivery must hold.
func ExampleFile() {
	t := printer{}
	r := checktest.File(t, "../../models/examples/ring.star", checktest.Options{Violated: []string{"deadlock-freedom"}})
	for _, f := range r.Findings {
		fmt.Println(f.Property, f.Verdict)
	}
	// Output:
	// deadlock-freedom violated
	// livelock-freedom holds
	// delivery holds
}

// A lock of two processes, of which a false claim is expected to be violated.
func ExampleMachine() {
	t := printer{}
	p := program.New("lock")
	holder := p.Var("holder", 3, "nobody", "A", "B")
	for i, name := range []string{"A", "B"} {
		p.Rule(name+" takes", program.Eq(holder, 0), program.Set(holder, i+1))
		p.Rule(name+" returns", program.Eq(holder, i+1), program.Set(holder, 0))
	}
	p.Invariant("A waits", program.Ne(holder, 1))
	m, err := p.Machine()
	if err != nil {
		t.Fatalf("%v", err)
	}
	r := checktest.Machine(t, m, checktest.Options{Violated: []string{"A waits"}})
	for _, f := range r.Findings {
		fmt.Println(f.Property, f.Verdict)
	}
	// Output:
	// deadlock-freedom holds
	// A waits violated
}
