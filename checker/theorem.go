package checker

import (
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/spec"
)

// Theorem says that networks of every size are free of deadlock.
type Theorem struct {
	Family string // its name in the table of theorems, see unknot prove
	Sizes  string // for which it holds
}

// Cover notes with the verdict about deadlock, if it is that the property holds, that the network is one of those of a
// theorem. Whether it is one is for the caller to know: the note is a claim, beside the evidence of this network.
func (r *Result) Cover(t Theorem) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Property == spec.DeadlockFreedom.String() && f.Verdict == spec.Holds {
			f.Notes = append(f.Notes, findings.Say(findings.EverySize{Family: t.Family, Sizes: t.Sizes}))
		}
	}
}
