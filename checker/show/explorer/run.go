package explorer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostSteps bounds a run in an address, mostFlows what may happen in a state.
const (
	mostSteps = 20_000
	mostFlows = 200_000
)

// Run is an address: an initial state, and the move taken at each step.
type Run struct {
	Start   int
	Choices []int
	End     string // what the last state shows, as text; may be ""
}

// String writes the address: "0.3.1".
func (r Run) String() string {
	b := []byte(strconv.Itoa(r.Start))
	for _, c := range r.Choices {
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(c), 10)
	}
	return string(b)
}

// ParseRun reads what [Run.String] writes.
func ParseRun(text string) (Run, error) {
	if strings.Count(text, ".") > mostSteps {
		return Run{}, fmt.Errorf("a run of more than %d steps", mostSteps)
	}
	var r Run
	for i, word := range strings.Split(text, ".") {
		x, err := strconv.ParseUint(word, 10, 31)
		if err != nil || strconv.FormatUint(x, 10) != word {
			return Run{}, fmt.Errorf("invalid run %.40q: want numbers and dots, as in 0.3.1", text)
		}
		if i == 0 {
			r.Start = int(x)
		} else {
			r.Choices = append(r.Choices, int(x))
		}
	}
	return r, nil
}

// prefix returns the prefix of the run with the given number of steps.
func (r Run) prefix(steps int) Run { return Run{Start: r.Start, Choices: r.Choices[:steps]} }

// extend returns the run with one more step.
func (r Run) extend(choice int) Run {
	return Run{Start: r.Start, Choices: append(slices.Clone(r.Choices), choice)}
}

// begins reports whether r is the beginning of other.
func (r Run) begins(other Run) bool {
	return r.Start == other.Start && len(r.Choices) <= len(other.Choices) &&
		slices.Equal(r.Choices, other.Choices[:len(r.Choices)])
}
