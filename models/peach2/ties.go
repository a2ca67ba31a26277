package peach2

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TieRule returns rule 0, 1, ... of the 2^boards tie rules, each a choice of E or W for
// each board: E before W, board 0 first. A board of one ring meets one tie, for the
// board opposite, so these are all minimal routings by address of one ring.
func TieRule(number, boards int) []Port {
	rule := make([]Port, boards)
	for b := range rule {
		if rule[b] = East; number>>(boards-1-b)&1 == 1 {
			rule[b] = West
		}
	}
	return rule
}

// Untied returns the network of minimal routing, with the other options as given, in which
// boards send only packets that take the same path under every tie rule. It also reports
// whether there is a tie. If the network deadlocks, so does every rule.
func Untied(o Options) (def routing.Definition, tied bool, err error) {
	o.Variant = Minimal
	o.Ties = nil
	c, err := connect(&o)
	if err != nil {
		return routing.Definition{}, false, err
	}
	var toward [ports][][]Port // by East and West: the routes if all ties go that way
	for _, p := range [...]Port{East, West} {
		o.Ties = slices.Repeat([]Port{p}, len(c.Boards))
		if toward[p], err = c.routes(o); err != nil {
			return routing.Definition{}, false, err
		}
	}
	for b, row := range toward[East] {
		tied = tied || !slices.Equal(row, toward[West][b])
	}
	whole, err := Generate(o)
	if err != nil {
		return routing.Definition{}, false, err
	}
	if def, err = New(whole, NetworkOptions{}); err != nil {
		return routing.Definition{}, false, err
	}
	w := c.wiring()
	def.Name += ", what meets no tie"
	def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool {
		for at := int(src); at != int(dst); {
			p := toward[East][at][dst]
			if p != toward[West][at][dst] {
				return false
			}
			at = w[at][p].jack.Board
		}
		return true
	}
	return def, tied, nil
}

// TiesText writes a tie rule as [ParseTies] reads it: one letter for each board.
func TiesText(ties []Port) string {
	text := ""
	for _, p := range ties {
		text += p.String()
	}
	return text
}
