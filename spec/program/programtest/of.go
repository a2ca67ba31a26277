package programtest

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Of returns the program of a machine, as that of a model is built: Of(entry.Machine(parameters)).
func Of(m states.Machine, err error) (*program.Program, error) {
	if err != nil {
		return nil, err
	}
	p, is := m.(*program.Machine)
	if !is {
		return nil, fmt.Errorf("%T has no program", m)
	}
	return p.Program(), nil
}
