package explain

import (
	"fmt"
	"testing"
)

// TestLooped: a loop begins at one of the states, of which there is one more than there are steps;
// -1 stands for none.
func TestLooped(t *testing.T) {
	for steps := range 4 {
		for back := -3; back <= steps+2; back++ {
			is := back == -1
			for state := range steps + 1 {
				is = is || back == state
			}
			err := (&Execution{Steps: make([]Step, steps), Back: back}).looped()
			if is != (err == nil) {
				t.Errorf("%d steps, back to state %d: %v, want that it is accepted: %t", steps, back, err, is)
			}
			if want := fmt.Sprintf("the loop begins after step %d of %d", back, steps); err != nil && err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}
