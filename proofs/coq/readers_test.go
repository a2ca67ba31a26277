package coq_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestReaders: the readers of the extracted programs refuse input that is cut off, has wrong counts or numbers, or names
// what is not there, with status 2 and one line; they print no answer to it.
func TestReaders(t *testing.T) {
	seedtest.InFull(t)
	const (
		table   = "n 2 2 1\ns 0 0 1\ns 1 1 e\nq 0\n"
		ring    = "n 2 4 2\ns 0 0 1\ns 1 1 e\ns 1 0 0\ns 0 1 e\nq 0:2\nq 2:2\n" // hops into it demand two places
		network = "n 1 0 0 0 0 0 0 2\nl 0 1\nr s0 1 0:1:1\nr 0 1 e\n"
		worms   = "n 1 1 0 1 0 0 0 2\nl 0 1\nl 1 0\nr s0 1 0:1:1\nr s1 1 1:1:1\nr 0 1 1:1:1\nr 1 1 0:1:1\nk\na s0 1 0:1\na s1 1 1:1\n"
	)
	for _, p := range []struct {
		name, program string
		good          map[string]string // input and answers
		wrong         []string
	}{
		{"checker", verifier(t), map[string]string{
			"": "", table + "c rank 1 0\nc rank 0 1\nc extended 1 0 / 1 0\nc measure 1 0\nc arrival 1 0\n": "1 0 1 1 1",
			"n 0 0 0\nc rank\n": "1", // no site, no packet
			ring + "c pools 2 0 0 / 1 0 1\nc pools 2 0 0\nc pools 2 0 0 / 2 0 1\nc pools 1 0 0 / 1 0 1\nc rank 1 0\n": "1 0 0 1 0", // nothing enters where there is one place
		}, []string{
			"c rank 1 0\n", "s 0 0 1\n", "q 0\n", "n\n", "n 2 2\n", "n 2 2 1 1\n", // no table, or not its counts
			table + "c rank 1 0", table + "c rank 1", table + "c rank 1\n", table + "c rank 1 0 0\n", table + "c rank\n",
			table + "c measure 1\n", table + "c measure 1 0 0\n", table + "c extended 1 0 / 1\n", table + "c extended 1 0\n",
			table + "c extended 1 0 / 1 0 / 1 0\n", table + "c rank 1 0 / 1 0\n", table + "c other 1 0\n", table + "c\n",
			table + "c rank 1 -1\n", table + "c rank 1  0\n", table + "c rank 1 0 \n", table + "c rank 1 0x1\n",
			table + "c rank 99999999999999999999 0\n", table + "c rank 4611686018427387904 0\n",
			"n 2 2 1\ns 0 0 1\ns 1 1 e\nc rank 1 0\n", "n 2 3 1\ns 0 0 1\ns 1 1 e\nq 0\nc rank 1 0\n", // fewer than counted
			"n 2 1 1\ns 0 0 1\ns 1 1 e\nq 0\nc rank 1 0\n",
			"n 2 2 1\ns 0 0 2\n", "n 2 2 1\ns 2 0 1\n", "n 2 2 1\nq 2\n", "n 2 2 1\ns 0 2 1\n", "n 2 2 1\ns 0\n",
			ring + "c pools\n", ring + "c pools 2\n", ring + "c pools 2 0\n", ring + "c pools 2 0 0 0\n", ring + "c pools 2 0 0 /\n",
			ring + "c pools 2 0 0 / 1 2\n", ring + "c pools 2 0 0 / 1 0 1 /\n", ring + "c pools 2 0 0 / 99999999 0\n",
			"n 2 2 1\ns 0 0 1:\n", "n 2 2 1\ns 0 0 1:2:3\n", "n 2 2 1\ns 0 0 e:2\n", "n 2 2 1\ns 0 0 1:99999999\n",
			table + "c rank 1 0\ns 1 1 e\n", table + "\n", "n 2 2 1\r\n", "x\n", "\x00\n",
		}},
		{"step", stepper(t), map[string]string{
			"": "", network + "z\na s0 1 0:1\nz\np 0 1 1 0 -\na s0 1 0:1\nk\na s0 1 0:1\nw 0\n": "p 0 1 1 0 -; no 0",
			worms + "w 0 1\n": "1", worms + "w 0\n": "0", worms + "f 0 1 1:1\nw 0 1\n": "0", // each head waits for the other's channel
		}, []string{
			"z\n", "l 0 1\n", "a s0 1 0:1\n", "k\n", "w 0\n", "n 1 0 0 0 0 0 0\n", "n 1 0 2 0 0 0 0 2\n", "n -1 0 0 0 0 0 0 2\n",
			"n 0x1 0 0 0 0 0 0 2\n", "n 1_0 0 0 0 0 0 0 2\n", "n 1 0 0 0 0 0 0 999999999999\n", "n 99999999999999999999 0 0 0 0 0 0 2\n",
			"n 1 0 0 0 0 0 0 2\nl 0 2\n", "n 1 0 0 0 0 0 0 2\nr s0 1 0:1:1\n", "n 1 0 0 0 0 0 0 2\nr s2 1 e\n", "n 1 0 0 0 0 0 0 2\nr  1 e\n",
			network + "r 0 1 e\n", network + "r 0 2 1:1:1\n", network + "r 0 2 0:1\n", network + "r 0 2 0:1:-1\n",
			network + "r 0 2 0:1:1:1\n", network + "r 0 2 e:1\n", network + "l 0 1\n",
			network + "a s0 1 0:1\n", network + "p 0 1 1 0 -\n", network + "h 0 1\n", // in no state
			network + "z\nl 0 1\n", network + "z\na s0 1 0:1", network + "z\na s0 1\n", network + "z\na s0 1 1:1\n",
			network + "z\na s0 1 0:1:1\n", network + "z\na s0 1 0:99999999999999999999\n", network + "z\np 1 1 1 0 -\n",
			network + "z\np 0 1 1 0\n", network + "z\nh 2 1\n", network + "z\nc 2\n", network + "z\nf 1 1 e\n", network + "z\ni 2 0 1\n",
			network + "z\nt 0 1 1\n", network + "z\nw 0\n", network + "k\nw 1\n", network + "k\na s0 1 0:1\n",
			network + "k\na s0 1 0:1\nw", strings.Replace(worms, "1 0 0 0 2", "1 1 0 0 2", 1) + "w 0 1\n", network + "k\nk\n", network + "k\nz\n", network + "k\n" + network, network + "\n",
		}},
	} {
		run := func(input string) (answers, problem string, err error) {
			c := exec.CommandContext(t.Context(), p.program)
			c.Stdin = strings.NewReader(input)
			var out, problems strings.Builder
			c.Stdout, c.Stderr = &out, &problems
			err = c.Run()
			return strings.ReplaceAll(strings.TrimSpace(out.String()), "\n", " "), problems.String(), err
		}
		for input, want := range p.good {
			if got, problem, err := run(input); err != nil || got != want {
				t.Errorf("%s: %q: %q, %v %s, want %q", p.name, input, got, err, problem, want)
			}
		}
		for _, input := range p.wrong {
			got, problem, err := run(input)
			var status *exec.ExitError
			if !errors.As(err, &status) || status.ExitCode() != 2 || strings.Count(problem, "\n") != 1 ||
				strings.Contains(problem, "exception") {
				t.Errorf("%s: %q is not refused: %v %q", p.name, input, err, problem)
			}
			if before := strings.Count(input, "c rank 1 0\ns"); strings.Count(got, "1") != before { // in the line before
				t.Errorf("%s: %q is answered: %q", p.name, input, got)
			}
		}
	}
}
