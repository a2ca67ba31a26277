package models_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestProtocolsOnSeveralCores: a protocol read on several cores is the same as on one.
func TestProtocolsOnSeveralCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	number := 0
	for _, e := range models.Catalogue() {
		if !e.IsMachine() {
			continue
		}
		for _, x := range e.Described().Machines {
			if number++; !seedtest.Sampled(number, 60) {
				continue
			}
			closed := func(cores int) string {
				runtime.GOMAXPROCS(cores)
				m, err := e.Machine(x.Set)
				if err != nil {
					t.Fatalf("%s %v: %v", e.Name, x.Set, err)
				}
				p := m.(*program.Machine).Program()
				var text bytes.Buffer
				if err := program.WriteClosed(&text, p); err != nil {
					t.Fatalf("%s %v: %v", e.Name, x.Set, err)
				}
				for _, r := range p.Rules {
					text.WriteString(r.Where.Text + "\n")
				}
				return text.String()
			}
			if closed(1) != closed(3) {
				t.Errorf("%s %v: another program on three cores", e.Name, x.Set)
			}
		}
	}
}
