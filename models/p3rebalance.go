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
	const deadlock, some, one, late, arrive, completed = "deadlock", "somebody serves", "nobody serves what another does", "none is delivered late", "all arrive", "the move is completed"
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
			choice("discipline", p3.OrderNames, "the order in which the entries for a target are rewritten"),
			choice("wait", p3.WaitNames, "which links are empty when an entry is rewritten: into the PE, of packets for the target; all, of these; all"),
			choice("hold", p3.HoldNames, "which packets are held back at their sources until entries are rewritten"),
			choice("notice", []string{"no", "yes"}, "whether the second of giver and taker is told by a packet through the network"),
			choice("again", p3.AgainNames, "whether the boundary moves to and fro for ever; settled: only while no packet is on its way"),
			{Name: "kinds", Default: "0", Form: "numbers, as in 0,2 or, with the PEs to send from, 0@3,2@1", Doc: "the kinds of targets that take part; those that change owner come first"},
			integer("packets", 2, 0, p3.MostPackets, "packets sent in all, of these kinds; 0: one for each number of kinds"),
		},
		Machines: []MachineExpectation{
			{nil, []string{some, one, late}, 0, "the taker may rewrite first or last"},
			{set{"again": "yes"}, []string{some, one, late, arrive}, 0, "the boundary comes back each time a packet has crossed it"},
			{set{"again": "settled"}, []string{some, one, late}, 0, "no packet sees two moves"},
			{set{"discipline": "giver-first"}, []string{some}, 0, "between the two rewritings nobody serves"},
			{set{"discipline": "giver-first", "notice": "yes"}, []string{deadlock, some, arrive, completed}, 0, "packets to and fro fill the link that the notice needs"},
			{set{"discipline": "taker-first"}, []string{one, late}, 0, "between the two rewritings both serve"},
			{set{"discipline": "taker-first", "notice": "yes", "again": "yes"}, []string{one, late}, 0, "the notice pushes packets through the link, to a PE that still serves"},
			{set{"discipline": "at-once"}, nil, 0, "one PE serves at any time"},
			{set{"discipline": "at-once", "again": "yes"}, []string{arrive}, 0, "the boundary comes back each time a packet has crossed it"},
			{set{"discipline": "at-once", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, []string{deadlock, arrive}, 0, "four packets that old and new entries together have brought into a circle; the trace replays"},
			{set{"discipline": "at-once", "wait": "inputs", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, nil, 0, "the question frontier holds, and one PE serves at any time"},
			{set{"discipline": "at-once", "wait": "target", "hold": "target", "rows": "2", "dx": "56", "dy": "8", "kinds": "1@2,0@3,2@1,9@0", "packets": "0"}, []string{deadlock, arrive, completed}, 0, "packets for some targets by entries as before, for others as after; the trace replays"},
			{set{"wait": "target", "hold": "target", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, []string{some, one}, 0, "the question settles-quietly holds"},
			{set{"wait": "network", "hold": "all", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, []string{some, one}, 0, "no packet meets entries of both kinds"},
		},
		Claims: p3RebalanceClaims(),
		Questions: []Question{
			{"settles", "once all entries are rewritten, in whatever order, packets do not wait in a circle, wherever they have got to", p3Settles(p3.Settles, p3SettlesParts(false))},
			{"frontier", "some discipline of rewriting keeps packets, however many, from waiting in a circle for ever", p3Settles(p3.Frontier, nil)},
			{"settles-quietly", "packets that travel wholly by the tables before or wholly by those after do not wait in a circle", p3Settles(p3.SettlesQuietly, p3SettlesParts(true))},
		},
		machine: func(a Args) (spec.Machine, error) {
			m, err := p3Moving(a)
			if err != nil {
				return nil, err
			}
			kinds, from, err := p3Kinds(a.Text("kinds"))
			if err != nil {
				return nil, err
			}
			return compiled(p3.Rebalancing{
				Before: m.before, After: m.after, Rule: m.rule, Discipline: p3Discipline(a), Kinds: kinds, From: from, Packets: a.Int("packets"),
				Again: p3.Again(index(p3.AgainNames, a.Text("again"))), Notice: a.Bool("notice"),
			}.Program(context.Background()))
		},
	}
}

func p3Discipline(a Args) p3.Discipline {
	return p3.Discipline{
		Order: p3.Order(index(p3.OrderNames, a.Text("discipline"))),
		Wait:  p3.Wait(index(p3.WaitNames, a.Text("wait"))),
		Hold:  p3.Hold(index(p3.HoldNames, a.Text("hold"))),
	}
}

func p3Settles(question func(ctx context.Context, before, after *p3.Plane, rule p3.Rule) (p3.Finding, error), parts p3MoveParts) func(Args) (study, error) {
	return of(p3Moving, func(ctx context.Context, m p3Move) (Answer, error) {
		f, err := question(ctx, m.before, m.after, m.rule)
		answer := p3Answer(f)
		if parts != nil && err == nil {
			parts(&answer, m.before, m.after, m.rule)
		}
		return answer, err
	})
}

// p3Move is a plane before and after a boundary has moved.
type p3Move struct {
	before, after *p3.Plane
	rule          p3.Rule
}

func p3Moving(a Args) (m p3Move, err error) {
	if m.rule, err = p3.ParseRule(a.Text("variant")); err != nil {
		return m, err
	}
	m.before, m.after, err = p3.Moving(a.Int("columns"), a.Int("rows"), int64(a.Int("dx")), int64(a.Int("dy")))
	return m, err
}

// p3RebalanceRules are the rules under which a packet that is on its way has one
// or several ways to go; the first is the default.
func p3RebalanceRules() []string {
	return []string{"beyond-horizontal", "beyond-vertical", "beyond", "horizontal", "vertical", "west-first", "literal"}
}

// p3Kinds reads a list of kinds, each with the PE that sends it or all without.
func p3Kinds(text string) (kinds, from []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		number, pe, placed := strings.Cut(word, "@")
		k, err := strconv.Atoi(number)
		if err != nil {
			return nil, nil, fmt.Errorf("kinds=%.40q: %.40q is no number: want a list such as 0,2 or 0@3,2@1", text, number)
		}
		kinds = append(kinds, k)
		if !placed {
			continue
		}
		if k, err = strconv.Atoi(pe); err != nil {
			return nil, nil, fmt.Errorf("kinds=%.40q: %.40q is no PE: want a list such as 0,2 or 0@3,2@1", text, pe)
		}
		from = append(from, k)
	}
	if from != nil && len(from) != len(kinds) {
		return nil, nil, fmt.Errorf("kinds=%.40q: want a PE after each kind, or after none", text)
	}
	return kinds, from, nil
}
