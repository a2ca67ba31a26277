package peach2

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TieCount says for one size how many rules for ties are free of cycles of
// waits with one buffer class.
type TieCount struct {
	Boards, Rings int
	Tied          bool     // whether there are ties at all: two ways of the same length
	Rules, Free   int      // 2^boards rules, a choice E or W at each board; 1 without ties
	Forced        bool     // packets that meet no tie already wait in a cycle, so no rule is free
	FirstFree     []Port   // the first rule that is free, E before W, board 0 first; nil if none
	FirstBound    []Port   // the first rule that is not free; nil if none
	FreeRules     [][]Port // the free ones, in order
}

// CountTies tries all rules for ties, east or west at each board, on minimal
// routing with the other options as given (Ties is ignored). A board of one ring
// meets one tie, that of the board opposite, so these are all minimal routings by
// address of one ring.
//
// The argument is a walk over all pairs of boards for each rule, about
// 2^boards * boards^2 steps, unless no rule can help; more than 16 boards in all
// are then refused.
func CountTies(ctx context.Context, o Options) (TieCount, error) {
	o.Variant = Minimal
	o.Ties = nil
	c, err := connect(&o)
	if err != nil {
		return TieCount{}, err
	}
	total := len(c.Boards)
	t := tieRules{w: c.wiring()}
	// Routes differ only where there is a tie: those are found once.
	for _, p := range [...]Port{East, West} {
		o.Ties = slices.Repeat([]Port{p}, total)
		if t.toward[p], err = c.routes(o); err != nil {
			return TieCount{}, err
		}
	}
	count := TieCount{Boards: o.Boards, Rings: o.Rings, Tied: t.tied(), Rules: 1}
	if count.Tied {
		count.Rules <<= total
	}
	if count.Forced = !t.free(nil); count.Forced {
		count.FirstBound = slices.Repeat([]Port{East}, total)
		return count, nil
	}
	if total > 16 && count.Tied {
		return TieCount{}, fmt.Errorf("rules for ties of %d boards are too many to try: want at most 16 boards", total)
	}
	for number := range count.Rules {
		if number%256 == 0 && ctx.Err() != nil {
			return TieCount{}, context.Cause(ctx)
		}
		rule := TieRule(number, total)
		switch free := t.free(rule); {
		case free:
			count.FreeRules = append(count.FreeRules, rule)
			if count.Free++; count.FirstFree == nil {
				count.FirstFree = rule
			}
		case count.FirstBound == nil:
			count.FirstBound = rule
		}
	}
	return count, nil
}

// TieRule returns rule 0, 1, ... for ties of so many boards in the order of
// CountTies: E before W, board 0 first.
func TieRule(number, boards int) []Port {
	rule := make([]Port, boards)
	for b := range rule {
		if rule[b] = East; number>>(boards-1-b)&1 == 1 {
			rule[b] = West
		}
	}
	return rule
}

// Untied returns the network of minimal routing, with the other options as
// given, in which boards send only what takes the same way under every rule for
// ties. If it deadlocks, so does every rule.
func Untied(o Options) (routing.Definition, error) {
	o.Variant = Minimal
	o.Ties = nil
	c, err := connect(&o)
	if err != nil {
		return routing.Definition{}, err
	}
	t := tieRules{w: c.wiring()}
	for _, p := range [...]Port{East, West} {
		o.Ties = slices.Repeat([]Port{p}, len(c.Boards))
		if t.toward[p], err = c.routes(o); err != nil {
			return routing.Definition{}, err
		}
	}
	whole, err := Generate(o)
	if err != nil {
		return routing.Definition{}, err
	}
	def, err := New(whole, NetworkOptions{})
	if err != nil {
		return routing.Definition{}, err
	}
	def.Name += ", what meets no tie"
	def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool {
		for at := int(src); at != int(dst); {
			p, sure := t.route(nil, at, int(dst))
			if !sure {
				return false
			}
			at = t.w[at][p].jack.Board
		}
		return true
	}
	return def, nil
}

// tieRules decides about rules for ties.
type tieRules struct {
	w      wiring
	toward [ports][][]Port // by East and West: the routes if all ties go that way
}

// route returns the port at board b for node d under a rule; not ok if there is
// no rule and it depends on one.
func (t *tieRules) route(rule []Port, b, d int) (p Port, ok bool) {
	if rule != nil {
		return t.toward[rule[b]][b][d], true
	}
	p = t.toward[East][b][d]
	return p, p == t.toward[West][b][d]
}

func (t *tieRules) tied() bool {
	for b := range t.w {
		for d := range t.w {
			if _, same := t.route(nil, b, d); !same {
				return true
			}
		}
	}
	return false
}

// free reports whether links, one buffer each, do not wait for each other in a
// cycle, as every board may send to every other. Without a rule it asks about
// those waits that there are under every rule.
func (t *tieRules) free(rule []Port) bool {
	link := func(b int, p Port) int { return b*int(ports) + int(p) }
	seen := make([]uint8, len(t.w)*int(ports)) // by link: the ports of its far end that are waited for
	next := make([][]int, len(seen))
	for d := range t.w {
		for b := range t.w {
			if b == d {
				continue
			}
			p, sure := t.route(rule, b, d)
			far := t.w[b][p].jack.Board
			if !sure || far == d {
				continue
			}
			q, sure := t.route(rule, far, d)
			if l := link(b, p); sure && seen[l]>>q&1 == 0 {
				seen[l] |= 1 << q
				next[l] = append(next[l], link(far, q))
			}
		}
	}
	_, ok := ranks(next)
	return ok
}

// TiesText writes a tie rule as [ParseTies] reads it: a letter a board.
func TiesText(ties []Port) string {
	text := ""
	for _, p := range ties {
		text += p.String()
	}
	return text
}
