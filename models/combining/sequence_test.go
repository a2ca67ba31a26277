package combining_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/combining"
)

func shortest(t *testing.T, o combining.InvalidateOptions, what combining.Failure) (*combining.Invalidation, *combining.Run) {
	t.Helper()
	m, err := combining.NewInvalidation(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Shortest(t.Context(), what, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// TestShortestDiscard: cluster 3 is as near to the root as 1, so six steps are
// the least in which two requests meet: each is sent, 1's passes switch 4, 3's
// passes switch 5 and the root, and comes to switch 4. There it is discarded.
func TestShortestDiscard(t *testing.T) {
	_, r := shortest(t, paper(combining.Literal), combining.Broken)
	if r == nil || len(r.Actions) != 6 || r.Why != `"nothing lost" does not hold` {
		t.Fatalf("%+v", r)
	}
	var messages []string
	for _, line := range r.Mermaid() {
		if strings.Contains(line, "request") && !strings.Contains(line, "Note") {
			messages = append(messages, strings.TrimSpace(line))
		}
	}
	slices.Sort(messages)
	want := []string{
		"n1->>n4: request 0 for 1",
		"n3->>n5: request 0 for 3",
		"n4--)n0: request 0 for 1, under way",
		"n5->>n6: request 0 for 3",
		"n6-xn4: request 0 for 3",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// TestRunIsOne: every step of a run is one of the machine, the run ends where
// none is possible, and its picture is well-formed and the same every time.
func TestRunIsOne(t *testing.T) {
	m, r := shortest(t, paper(combining.Literal), combining.Standstill)
	machine, err := m.Program().Machine()
	if err != nil {
		t.Fatal(err)
	}
	words := machine.Layout().Words()
	for i, s := range r.States {
		next, err := machine.Next(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if i+1 == len(r.States) {
			if len(next) > 0 {
				t.Error("the last state has steps")
			}
			break
		}
		if !slices.ContainsFunc(slices.Collect(slices.Chunk(next, words)), func(s []uint64) bool { return slices.Equal(s, r.States[i+1]) }) {
			t.Errorf("step %d, %s, is none", i+1, r.Actions[i])
		}
	}
	draw := func() []byte {
		var b bytes.Buffer
		if err := r.SVG(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	picture := draw()
	if !bytes.Equal(picture, draw()) {
		t.Error("drawn twice, it differs")
	}
	lanes := 0
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok && slices.Contains(e.Attr, xml.Attr{Name: xml.Name{Local: "rx"}, Value: "4"}) {
			lanes++
		}
	}
	if lanes != m.Tree().Nodes() {
		t.Errorf("%d lanes of %d nodes", lanes, m.Tree().Nodes())
	}
	if err := r.SVG(failing{}); err == nil {
		t.Error("an error of the writer is lost")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestNoRun(t *testing.T) {
	m, r := shortest(t, paper(combining.Deferred), combining.Broken)
	if r != nil {
		t.Errorf("the good variant fails: %v", r.Actions)
	}
	var bound *combining.BoundError
	if _, err := m.Shortest(t.Context(), combining.Broken, 100); !errors.As(err, &bound) || bound.States != 100 {
		t.Errorf("100 states are enough to say that nothing fails: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := m.Shortest(ended, combining.Broken, 100_000); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
