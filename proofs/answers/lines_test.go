package answers_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestTextAfterTheEnd: whatever comes after the end is refused, even a line longer than
// the reader takes; so is an end without its line break.
func TestTextAfterTheEnd(t *testing.T) {
	var set, ranking, count, regions, table bytes.Buffer
	bits := &addresses.Table{ // one board that keeps both addresses
		Bits: 1, Boards: 1, Ports: 1, Cases: []int8{0, -1, -1},
		Registers: []addresses.Register{{Upper: 1}}, Areas: []addresses.Area{{Last: 1, LocalLast: 1}},
	}
	for _, err := range []error{
		write.ClosedSet(&set, &machines.ClosedSet{States: [][]uint64{{0}}}),
		write.Ranking(&ranking, &machines.Ranking{ClosedSet: machines.ClosedSet{States: [][]uint64{{0}}},
			Levels: [][]machines.Level{{{Rank: 0, Helpful: machines.NoAction}}}}),
		write.Count(&count, &machines.Count{}),
		write.Regions(&regions, &answers.RegionSet{Regions: [][]spec.NodeID{{0}}}),
		write.Addresses(&table, bits),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		text string
		read func(io.Reader) error
	}{
		{set.String(), func(r io.Reader) error { _, err := machines.ReadClosedSet("f", r); return err }},
		{ranking.String(), func(r io.Reader) error { _, err := machines.ReadRanking("f", r); return err }},
		{count.String(), func(r io.Reader) error { _, err := machines.ReadCount("f", r); return err }},
		{regions.String(), func(r io.Reader) error { _, err := answers.ReadRegions("f", r); return err }},
		{"unknot-cycle 1\nnetwork " + spec.Digest{}.String() + "\nend\n", func(r io.Reader) error { _, err := answers.ReadCycle("f", r); return err }},
		{table.String(), func(r io.Reader) error { _, err := addresses.Read("f", r); return err }},
	} {
		if err := tt.read(strings.NewReader(tt.text)); err != nil {
			t.Errorf("%v in\n%s", err, tt.text)
		}
		for name, changed := range map[string]string{
			"a line":             tt.text + "more\n",
			"an empty line":      tt.text + "\n",
			"a very long line":   tt.text + strings.Repeat("x", 1<<24+1),
			"no line break":      strings.TrimSuffix(tt.text, "\n"),
			"a carriage return":  strings.TrimSuffix(tt.text, "\n") + "\r\n",
			"only the first one": tt.text[:strings.Index(tt.text, "\n")+1],
		} {
			var pos *spec.PosError
			if err := tt.read(strings.NewReader(changed)); !errors.As(err, &pos) {
				t.Errorf("%.30q with %s: %v, want an error with a place", tt.text, name, err)
			}
		}
	}
}

// TestStatesAscend: a state listed twice would make the set look larger than it is, so
// states are written, and read, in ascending order.
func TestStatesAscend(t *testing.T) {
	const set = "unknot-closed-set 2\nmachine \"m\"\nproperty \"p\"\nstates 2 1\nROWend\n"
	const ranking = "unknot-ranking 3\nmachine \"m\"\nproperty \"p\"\nstates 2 1\nROWend\n"
	for rows, want := range map[string]string{"1 2": "", "9 a": "", "2 1": "ascending", "1 1": "ascending"} {
		a, b, _ := strings.Cut(rows, " ")
		_, err := machines.ReadClosedSet("f", strings.NewReader(strings.Replace(set, "ROW", a+"\n"+b+"\n", 1)))
		refusal(t, err, want)
		_, err = machines.ReadRanking("f", strings.NewReader(strings.Replace(ranking, "ROW", "0 - "+a+"\n0 - "+b+"\n", 1)))
		refusal(t, err, want)
	}
}

func refusal(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want an error with %q", err, want)
	}
}
