package checker

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/spec"
)

// Theorem names what is proved of every network of a kind.
type Theorem struct {
	Family     string          // its name in the table of theorems, see unknot prove
	Sizes      string          // for which it holds
	Properties []spec.Property // that it shows
}

// Cover adds a note to each finding that one of the properties of t holds: that t covers this network. The caller vouches
// for that; the evidence of the finding does not show it.
func (r *Result) Cover(t Theorem) {
	for i := range r.Findings {
		f := &r.Findings[i]
		shown := slices.ContainsFunc(t.Properties, func(p spec.Property) bool { return p.String() == f.Property })
		if shown && f.Verdict == spec.Holds {
			f.Notes = append(f.Notes, findings.Say(findings.EverySize{Family: t.Family, Sizes: t.Sizes}))
		}
	}
}
