package checktest_test

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/checktest"
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
