package counterexamples_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// The corpus holds networks in closed form, NAME.json, each with a trace or run of one of
// its faults, NAME.unknot. Every run of the tests replays all of them, whatever becomes of
// the code that found the faults.

type exhibit struct {
	name string
	n    *spec.Network
	text []byte
}

func corpus(t *testing.T) []exhibit {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("corpus", "*.unknot"))
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files in the corpus, %v", len(files), err)
	}
	var all []exhibit
	for _, file := range files {
		name := strings.TrimSuffix(file, ".unknot")
		network, err := os.ReadFile(name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		n, err := spec.ReadClosed(context.Background(), name+".json", network)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, exhibit{name, n, text})
	}
	return all
}

// replay reads and replays a trace or a run.
func replay(n *spec.Network, text []byte) error {
	if bytes.HasPrefix(text, []byte("unknot-machine-trace ")) {
		r, err := runs.Read("x", bytes.NewReader(text))
		if err != nil {
			return err
		}
		m, err := states.TrafficNamed(n, r.Machine)
		if err != nil {
			return err
		}
		return runs.Replay(context.Background(), m, m.Claims(), r)
	}
	x, err := counterexamples.Read("x", bytes.NewReader(text))
	if err != nil {
		return err
	}
	return counterexamples.Replay(context.Background(), n, x)
}

func TestCorpus(t *testing.T) {
	all := corpus(t)
	for i, e := range all {
		if err := replay(e.n, e.text); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		// A trace of one network is refused for another.
		if other := all[(i+1)%len(all)].n; other.Digest() != e.n.Digest() && replay(other, e.text) == nil {
			t.Errorf("%s replays on another network", e.name)
		}
		// Without its first step it does not replay.
		lines := strings.SplitAfter(string(e.text), "\n")
		for k, line := range lines {
			if strings.HasPrefix(line, "move ") || strings.HasPrefix(line, "step ") {
				if cut := strings.Join(lines[:k], "") + strings.Join(lines[k+1:], ""); replay(e.n, []byte(cut)) == nil {
					t.Errorf("%s still shows its fault without %q", e.name, line)
				}
				break
			}
		}
	}
}

// TestCorpusMinimal: nothing in the corpus can be made smaller.
func TestCorpusMinimal(t *testing.T) {
	for _, e := range corpus(t) {
		x, err := counterexamples.Read("x", bytes.NewReader(e.text))
		if err != nil {
			continue // a run
		}
		small, err := explain.Minimise(context.Background(), evidence.Trace{Network: e.n, Trace: x})
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
		} else if len(small.Moves) < len(x.Moves) || len(small.Stuck) < len(x.Stuck) {
			t.Errorf("%s: %d moves, but %d will do: unknot shrink", e.name, len(x.Moves), len(small.Moves))
		}
	}
}

// TestFlippedCorpus: a file with any bit of any byte flipped is refused, with a
// place if it cannot be read, or replays to a fault.
func TestFlippedCorpus(t *testing.T) {
	for _, e := range corpus(t) {
		for i := range e.text {
			for bit := range 8 {
				if !seedtest.Sampled(i+bit, 3) {
					continue
				}
				flipped := bytes.Clone(e.text)
				flipped[i] ^= 1 << bit
				_, err := counterexamples.Read("x", bytes.NewReader(flipped))
				var at *spec.PosError
				if err != nil && !errors.As(err, &at) {
					t.Fatalf("%s, byte %d: %v has no place", e.name, i, err)
				}
				_ = replay(e.n, flipped) // must not panic; what it accepts it has replayed
			}
		}
	}
}
