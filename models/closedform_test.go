package models_test

import (
	"bytes"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestMachinesAreData: every machine of the catalogue, for all parameters for which
// something is known, is a program whose closed form is read as the same program, so
// that evidence about it can be checked without this package.
func TestMachinesAreData(t *testing.T) {
	number := 0
	for _, e := range models.Catalogue() {
		if !e.IsMachine() {
			continue
		}
		largest := 0
		for _, x := range e.Described().Machines {
			if number++; !seedtest.Sampled(number, 20) {
				continue
			}
			m, err := e.Machine(x.Set)
			if err != nil {
				t.Fatalf("%s %v: %v", e.Name, x.Set, err)
			}
			p, ok := m.(*program.Machine) // and no wrapper, which could step differently
			if !ok {
				t.Errorf("%s is not written as guarded commands", e.Name)
				break
			}
			var text, again bytes.Buffer
			if err := program.WriteClosed(&text, p.Program()); err != nil {
				t.Fatalf("%s %v: %v", e.Name, x.Set, err)
			}
			largest = max(largest, text.Len())
			read, err := program.ReadClosed("m.json", text.Bytes())
			if err != nil {
				t.Errorf("%s %v: %v", e.Name, x.Set, err)
				continue
			}
			if err := program.WriteClosed(&again, read); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) {
				t.Errorf("%s %v is read as another program (%v)", e.Name, x.Set, err)
			}
			if read.Name != m.Name() {
				t.Errorf("%s %v is called %q in the closed form", e.Name, m.Name(), read.Name)
			}
		}
		t.Logf("%s: %d kB at most", e.Name, largest>>10)
	}
}
