package checker

import (
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/spec"
)

// Theorem names a family proved deadlock-free, and the sizes for which it is.
type Theorem struct {
	Family string // its name in the table of theorems, see unknot prove
	Sizes  string // for which it is deadlock-free
}

// Cover adds a note to the finding that deadlock freedom holds, if there is one: that t covers this network. The caller
// vouches for that; the evidence of the finding does not show it.
func (r *Result) Cover(t Theorem) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Property == spec.DeadlockFreedom.String() && f.Verdict == spec.Holds {
			f.Notes = append(f.Notes, findings.Say(findings.EverySize{Family: t.Family, Sizes: t.Sizes}))
		}
	}
}
