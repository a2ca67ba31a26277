package combining_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestNineSteps: the nine steps have the states, steps and verdicts of the literal variant of invalidate-ack in which
// the transaction ends with the reply and nobody reads again: all that section 6 says, and what it does not say.
func TestNineSteps(t *testing.T) {
	nine := combining.NineStepsEntry()
	compare := func(o InvalidateOptions) {
		steps, err := programtest.Of(nine.Machine(catalogue.Set{
			"depth": fmt.Sprint(o.Depth), "home": list(o.Homes), "writers": list(o.Writers), "link": fmt.Sprint(o.Link),
		}))
		if err != nil {
			t.Fatal(err)
		}
		x := searchedProgram(t, steps, checker.Question{Explore: checker.Whole, Liveness: true})
		y := searched(t, o, checker.Question{Explore: checker.Whole, Liveness: true})
		if x == nil || y == nil {
			return
		}
		if [2]int64{x.States, x.Transitions} != [2]int64{y.States, y.Transitions} {
			t.Errorf("%+v: %d states and %d steps, the literal variant has %d and %d", o, x.States, x.Transitions, y.States, y.Transitions)
		}
		asked := map[string]bool{}
		for _, f := range x.Findings {
			asked[strings.ReplaceAll(f.Property, "cluster ", "")] = true
		}
		of := func(x *checker.Result) (all []string) {
			for _, v := range allViolated(x) {
				if v = strings.ReplaceAll(v, "cluster ", ""); asked[v] {
					all = append(all, v)
				}
			}
			return all
		}
		if diff := cmp.Diff(of(y), of(x)); diff != "" || len(asked) != 3+len(o.Writers) {
			t.Errorf("%+v: of %v violated are (-literal variant +nine steps):\n%s", o, asked, diff)
		}
	}
	number := 0
	for i, most := range []int{2, 3, 1} { // writers at each depth: more take a while
		depth := i + 1
		clusters := 1 << depth
		for which := 1; which < 1<<clusters; which++ {
			var writers []int
			for c := range clusters {
				if which>>c&1 == 1 {
					writers = append(writers, c)
				}
			}
			for home := range clusters {
				for link := 1; link <= 2; link++ {
					few := len(writers) <= most
					if few {
						number++
					}
					if few && (depth == 1 || seedtest.Sampled(number, 60)) {
						compare(InvalidateOptions{
							FanOut: 2, Depth: depth, Homes: []int{home}, Writers: slices.Clone(writers), Link: link, Variant: "literal", Reopened: true,
						})
					}
				}
			}
		}
	}
}

// TestNineStepsStandInOrder: the file has at most 100 lines, of at most 120 columns, and quotes the steps in the order
// of the paper.
func TestNineStepsStandInOrder(t *testing.T) {
	text, err := os.ReadFile("nine-steps.star")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	next := 1
	for _, l := range lines {
		if strings.Contains(l, fmt.Sprintf("# \"%d. ", next)) {
			next++
		}
		if len(l) > 120 {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
	if next != 10 || len(lines) > 100 {
		t.Errorf("%d steps in their order, in %d lines", next-1, len(lines))
	}
}
