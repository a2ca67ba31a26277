package models

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
)

func p3RebalanceEntry() Entry {
	const deadlock, some, one, late, arrive = "deadlock", "somebody serves", "nobody serves what another does", "none is delivered late", "all arrive"
	return Entry{
		Name:    "p3-rebalance",
		Summary: "machine: a boundary of the plane moves while packets travel; Path Tables are rewritten entry by entry",
		Source:  p3Source,
		Params: []Param{
			integer("columns", 2, 2, 8, "PEs side by side; the boundary between (0,0) and (1,0) moves"),
			integer("rows", 1, 1, 8, "PEs one above the other"),
			integer("dx", 16, -63, 63, "the move to the right; regions are 64 wide"),
			integer("dy", 0, -63, 63, "the move upwards of the boundary's upper end, if it is inside the plane"),
			choice("variant", p3RebalanceRules(), "the rule for zone B"),
			choice("discipline", p3.DisciplineNames, "the order in which the entries for a target are rewritten"),
			choice("notice", []string{"no", "yes"}, "whether the second of giver and taker is told by a packet through the network"),
			choice("again", p3.AgainNames, "whether the boundary moves to and fro for ever; settled: only while no packet is on its way"),
			{Name: "kinds", Default: "0", Form: "numbers, as in 0,2", Doc: "the kinds of targets that take part; those that change owner come first"},
			integer("packets", 2, 1, 8, "packets sent in all"),
		},
		Machines: []MachineExpectation{
			{nil, []string{some, one, late}, 0, "the taker may rewrite first or last"},
			{set{"again": "yes"}, []string{some, one, late, arrive}, 0, "the boundary comes back each time a packet has crossed it"},
			{set{"again": "settled"}, []string{some, one, late}, 0, "no packet sees two moves"},
			{set{"discipline": "giver-first"}, []string{some}, 0, "between the two rewritings nobody serves"},
			{set{"discipline": "giver-first", "notice": "yes"}, []string{deadlock, some, arrive}, 0, "packets to and fro fill the link that the notice needs"},
			{set{"discipline": "taker-first"}, []string{one, late}, 0, "between the two rewritings both serve"},
			{set{"discipline": "taker-first", "notice": "yes", "again": "yes"}, []string{one, late}, 0, "the notice pushes packets through the link, to a PE that still serves"},
			{set{"discipline": "at-once"}, nil, 0, "one PE serves at any time"},
			{set{"discipline": "at-once", "again": "yes"}, []string{arrive}, 0, "the boundary comes back each time a packet has crossed it"},
			{set{"discipline": "at-once", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, []string{deadlock, arrive}, 0, "four packets that old and new entries together have brought into a circle; the trace replays"},
			{set{"discipline": "quiet", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, []string{some, one}, 0, "the question settles-quietly holds"},
			{set{"discipline": "drained", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, []string{some, one}, 0, "no packet meets entries of both kinds"},
		},
		Claims: p3RebalanceClaims(),
		Questions: []Question{
			{"settles", "once all entries are rewritten, in whatever order, packets do not wait in a circle, wherever they have got to", p3Settles(p3.Settles)},
			{"settles-quietly", "packets that travel wholly by the tables before or wholly by those after do not wait in a circle", p3Settles(p3.SettlesQuietly)},
		},
		machine: func(a Args) (spec.Machine, error) {
			before, after, rule, err := p3Moving(a)
			if err != nil {
				return nil, err
			}
			kinds, err := numbers(a.Text("kinds"))
			if err != nil {
				return nil, err
			}
			return compiled(p3.Rebalancing{
				Before: before, After: after, Rule: rule, Discipline: p3.Discipline(index(p3.DisciplineNames, a.Text("discipline"))),
				Kinds: kinds, Packets: a.Int("packets"), Again: p3.Again(index(p3.AgainNames, a.Text("again"))), Notice: a.Bool("notice"),
			}.Program(context.Background()))
		},
	}
}

func p3Settles(question func(ctx context.Context, before, after *p3.Plane, rule p3.Rule) (p3.Finding, error)) func(context.Context, Args) (Answer, error) {
	return func(ctx context.Context, a Args) (Answer, error) {
		before, after, rule, err := p3Moving(a)
		if err != nil {
			return Answer{}, err
		}
		f, err := question(ctx, before, after, rule)
		return p3Answer(f), err
	}
}

func p3Moving(a Args) (before, after *p3.Plane, rule p3.Rule, err error) {
	if rule, err = p3.ParseRule(a.Text("variant")); err != nil {
		return nil, nil, 0, err
	}
	before, after, err = p3.Moving(a.Int("columns"), a.Int("rows"), int64(a.Int("dx")), int64(a.Int("dy")))
	return before, after, rule, err
}

// p3RebalanceRules are the rules under which a packet that is on its way has one
// or several ways to go; the first is the default.
func p3RebalanceRules() []string {
	return []string{"beyond-horizontal", "beyond-vertical", "beyond", "horizontal", "vertical", "west-first", "literal"}
}

// numbers reads a list of numbers.
func numbers(text string) ([]int, error) {
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%.40q is no number: want a list such as 0,2", word)
		}
		list = append(list, n)
	}
	return list, nil
}
