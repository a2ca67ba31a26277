package peach2_test

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func table(t interface{ Fatal(...any) }, c *peach2.Cluster, most int, cases peach2.Cases, fault peach2.Fault) *addresses.Table {
	var text bytes.Buffer
	if err := peach2.WriteTable(&text, c, most, cases, fault); err != nil {
		t.Fatal(err)
	}
	first := text.String()
	read, err := addresses.Read("table", &text)
	if err != nil {
		t.Fatal(err, "\n", first)
	}
	var again bytes.Buffer
	if err := write.Addresses(&again, read); err != nil || again.String() != first {
		t.Fatal("the table is written in two ways", err, "\n", first, "\n", again.String())
	}
	return read
}

// TestCasesAgainstInspect: on clusters with up to three registers changed, the cases
// are accepted if and only if Inspect finds no fault, and each fault that it finds is
// accepted as one.
func TestCasesAgainstInspect(t *testing.T) {
	faulty := 0
	rapid.Check(t, func(t *rapid.T) {
		c, err := peach2.Generate(peach2.Options{Boards: rapid.IntRange(2, 5).Draw(t, "boards"), Bits: 10})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			b := &c.Boards[rapid.IntRange(0, len(c.Boards)-1).Draw(t, "board")]
			r := &b.Registers[rapid.IntRange(0, len(b.Registers)-1).Draw(t, "register")]
			number := rapid.Uint64Range(0, 1023).Draw(t, "number")
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				r.Port = peach2.Port(number % 5)
			case 1:
				r.Upper = number
			case 2:
				r.Lower = number
			case 3:
				r.Mask = number
			default:
				b.Offset = number
			}
		}
		in, err := peach2.Inspect(c)
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Faults) > 0 {
			faulty++
		}
		switch err := addresses.Verify(table(t, c, len(c.Boards)-1, in.Cases, peach2.Fault{})); {
		case err == nil && len(in.Faults) > 0:
			t.Fatalf("accepted, but %s", in.Faults[0])
		case err != nil && len(in.Faults) == 0:
			t.Fatal(err)
		}
		for _, f := range in.Faults {
			if err := addresses.Verify(table(t, c, len(c.Boards)-1, nil, f)); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
		}
	})
	if seedtest.Usual() && faulty == 0 {
		t.Error("no change made a fault: the changes test nothing")
	}
}

// TestCasesOfTheMachine: the whole window of the largest clusters takes few cases, and the
// length of a path is its number of cables.
func TestCasesOfTheMachine(t *testing.T) {
	c, err := peach2.Generate(peach2.Options{Boards: 16})
	if err != nil {
		t.Fatal(err)
	}
	in, err := peach2.Inspect(c)
	if err != nil {
		t.Fatal(err)
	}
	right := table(t, c, 8, in.Cases, peach2.Fault{}) // 16 boards: half-way round is 8
	if err := addresses.Verify(right); err != nil || right.Leaves() > 1000 {
		t.Errorf("%d cases: %v", right.Leaves(), err)
	}
	if err := addresses.Verify(table(t, c, 7, in.Cases, peach2.Fault{})); err == nil || !strings.Contains(err.Error(), "more than 7 cables") {
		t.Errorf("with 7 cables: %v", err)
	}
}

// TestTooManyCases: parity needs a case for every address.
func TestTooManyCases(t *testing.T) {
	seedtest.InFull(t)
	c, err := peach2.Generate(peach2.Options{Boards: 2, Bits: 30})
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 30 {
		c.Boards[0].Registers = append(c.Boards[0].Registers, peach2.Register{Port: peach2.East, Mask: 1 << bit, Lower: 1, Upper: 1})
	}
	var bound *spec.BoundError
	if _, err := peach2.Inspect(c); !errors.As(err, &bound) {
		t.Errorf("got %v, want a bound", err)
	}
}

// TestInsideKeepsAddresses: packets that a board keeps do not go through the port to its
// host, where the offset is subtracted; all others do.
func TestInsideKeepsAddresses(t *testing.T) {
	c, err := peach2.Generate(peach2.Options{Boards: 2, Bits: 10})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := peach2.WriteTable(&text, c, 1, nil, peach2.Fault{}); err != nil {
		t.Fatal(err)
	}
	_, areas, _ := strings.Cut(text.String(), "\nareas ")
	areas, _, _ = strings.Cut(areas, "\ncases ")
	inside := 0
	for _, line := range strings.Split(areas, "\n")[1:] {
		// board, port, first, last, subtracted, first and last behind the port
		f := strings.Fields(line)
		subtracted := strconv.FormatUint(c.Boards[f[0][0]-'0'].Offset, 16)
		if f[1] == strconv.Itoa(int(peach2.Internal)) {
			inside++
			subtracted = "0"
		}
		if f[4] != subtracted || subtracted == "0" && (f[5] != f[2] || f[6] != f[3]) {
			t.Errorf("%q: want %s subtracted", line, subtracted)
		}
	}
	if inside != len(c.Boards) {
		t.Errorf("%d areas inside %d boards: want one each", inside, len(c.Boards))
	}
}
