package write

import (
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// Evidence writes evidence of any kind, in the form that evidence.Subject.Read reads.
func Evidence(w io.Writer, e evidence.Evidence) error {
	switch e := e.(type) {
	case evidence.Certificate:
		return Certificate(w, e.Certificate)
	case evidence.Bubbles:
		return Bubbles(w, e.Certificate)
	case evidence.Unsatisfiability:
		return Unsatisfiability(w, e.Proof)
	case evidence.Trace:
		return Trace(w, e.Network, e.Trace)
	case evidence.Sharing:
		return Sharing(w, e)
	case evidence.Cycle:
		return Cycle(w, e.Network, e.Cycle)
	case evidence.Regions:
		return Regions(w, e.RegionSet)
	case evidence.ChangePlan:
		err := e.WriteHead(w)
		if err != nil {
			return err
		}
		for _, c := range e.Certificates {
			if c.Bubbles != nil {
				err = Bubbles(w, c.Bubbles)
			} else {
				err = Certificate(w, c.Certificate)
			}
			if err != nil {
				return err
			}
		}
		return nil
	case evidence.ChangeTrace:
		return e.Write(w, e.Comments(e.Network))
	case evidence.ChangeBound:
		return e.Write(w, e.Network)
	case evidence.Addresses:
		return Addresses(w, e.Table)
	case evidence.ClosedSet:
		return ClosedSet(w, e.ClosedSet)
	case evidence.Ranking:
		return Ranking(w, e.Ranking)
	case evidence.FormulaRanking:
		return FormulaRanking(w, e.FormulaRanking)
	case evidence.Rankings:
		for _, r := range e.Rankings {
			if err := Ranking(w, r); err != nil {
				return err
			}
		}
		return nil
	case evidence.Count:
		return Count(w, e.Count)
	case evidence.Run:
		return Run(w, e.Machine, e.Run)
	}
	return fmt.Errorf("%T is not evidence", e)
}
