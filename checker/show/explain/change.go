package explain

import (
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// StepText writes what the step to a successor, given by its number, changes: of a protocol file, which messages it puts
// into FIFOs and takes out of them; of a Murphi file, what it adds to multisets and removes.
func StepText(m states.Machine, before, after []uint64, choice int) string {
	pm, ok := m.(interface {
		programMachine
		RuleOf(s []uint64, i int) int
	})
	if !ok {
		return states.ChangesText(states.Changes(m.Layout(), before, after))
	}
	if s := murphi.SourceOf(pm.Program()); s != nil {
		return s.StepText(pm.Values(before), pm.Values(after))
	}
	if star.SourceOf(pm.Program()) == nil {
		return states.ChangesText(states.Changes(m.Layout(), before, after))
	}
	return star.SourceOf(pm.Program()).StepText(pm.RuleOf(before, choice), pm.Values(before), pm.Values(after))
}

// StateText writes a whole state: of a protocol file, FIFOs by their messages, records by their fields and sets by their
// members.
func StateText(m states.Machine, s []uint64) string {
	pm, ok := m.(programMachine)
	if !ok {
		return m.Layout().Text(s)
	}
	if source := murphi.SourceOf(pm.Program()); source != nil {
		return source.StateText(pm.Values(s))
	}
	if star.SourceOf(pm.Program()) == nil {
		return m.Layout().Text(s)
	}
	return star.SourceOf(pm.Program()).StateText(pm.Values(s))
}
