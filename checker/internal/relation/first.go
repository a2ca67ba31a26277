package relation

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Refuse says what is wrong with the hops for which is reports true: at the place in a file of the first of them, in the
// order of the tables, or, if no file made it, of the network.
func Refuse(n *spec.Network, is func(spec.Site, spec.Hop) bool, problem string) error {
	first := func(at spec.Site, r spec.RowID) *spec.PosError {
		for _, hop := range n.Row(r) {
			if is(at, hop) {
				if by := n.Reason(at, hop); by.File != "" {
					return &spec.PosError{File: by.File, Line: by.Line, Col: by.Col, Msg: problem}
				}
			}
		}
		return nil
	}
	for i := range n.Tables() {
		t := n.Table(i)
		for k, src := range t.Sources {
			if err := first(t.SourceSite(k), src.Row); err != nil {
				return err
			}
		}
		for k, r := range t.Rows {
			if err := first(t.Site(k), r); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("%s: %s", n.Name(), problem)
}

// RefuseAlternatives is Refuse at the first site of several alternatives.
func RefuseAlternatives(n *spec.Network, problem string) error {
	return Refuse(n, func(at spec.Site, _ spec.Hop) bool { _, of := n.Committed(at); return of > 0 }, problem)
}

// RefuseDiscards is Refuse at the first discard.
func RefuseDiscards(n *spec.Network, problem string) error {
	return Refuse(n, func(_ spec.Site, hop spec.Hop) bool { return hop.Discards() }, problem)
}
