package p3

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func RebalanceEntry() catalogue.Entry {
	const deadlock, some, one, late, arrive, completed = "deadlock", "somebody serves", "nobody serves what another does", "none is delivered late", "all arrive", "the move is completed"
	return catalogue.Entry{
		Name:    "p3-rebalance",
		Summary: "machine: a boundary of the plane moves while packets travel; Path Tables are rewritten entry by entry",
		Source:  paper,
		Params: []catalogue.Param{
			catalogue.Integer("columns", 2, 2, 8, "PEs side by side; the boundary between (0,0) and (1,0) moves"),
			catalogue.Integer("rows", 1, 1, 8, "PEs one above the other"),
			catalogue.Integer("dx", 16, -63, 63, "the move to the right; regions are 64 wide"),
			catalogue.Integer("dy", 0, -63, 63, "the move upwards of the boundary's upper end, if it is inside the plane"),
			catalogue.Choice("variant", []string{"beyond-horizontal", "beyond-vertical", "beyond", "horizontal", "vertical", "west-first", "literal"}, "the rule for zone B"),
			catalogue.Choice("discipline", OrderNames, "the order in which the entries for a target are rewritten"),
			catalogue.Choice("wait", WaitNames, "which links are empty when an entry is rewritten: into the PE, of packets for the target; all, of these; all"),
			catalogue.Choice("hold", HoldNames, "which packets are held back at their sources until entries are rewritten"),
			catalogue.Choice("notice", []string{"no", "yes"}, "whether the second of giver and taker is told by a packet through the network"),
			catalogue.Choice("again", AgainNames, "whether the boundary moves to and fro forever; settled: only while no packet is on its way"),
			{Name: "kinds", Default: "0", Form: "numbers, as in 0,2 or, with the PEs to send from, 0@3,2@1", Doc: "the kinds of targets that take part; those that change owner come first"},
			catalogue.Integer("packets", 2, 0, MostPackets, "packets sent in all, of these kinds; 0: one for each number of kinds"),
		},
		Machines: []catalogue.MachineExpectation{
			{Violated: []string{some, one, late}, Because: "the taker may rewrite first or last"},
			{Set: catalogue.Set{"again": "yes"}, Violated: []string{some, one, late, arrive}, Because: "the boundary comes back each time a packet has crossed it"},
			{Set: catalogue.Set{"again": "settled"}, Violated: []string{some, one, late}, Because: "no packet sees two moves"},
			{Set: catalogue.Set{"discipline": "giver-first"}, Violated: []string{some}, Because: "between the two rewritings nobody serves"},
			{Set: catalogue.Set{"discipline": "giver-first", "notice": "yes"}, Violated: []string{deadlock, some, arrive, completed}, Because: "packets to and fro fill the link that the notice needs"},
			{Set: catalogue.Set{"discipline": "taker-first"}, Violated: []string{one, late}, Because: "between the two rewritings both serve"},
			{Set: catalogue.Set{"discipline": "taker-first", "notice": "yes", "again": "yes"}, Violated: []string{one, late}, Because: "the notice pushes packets through the link, to a PE that still serves"},
			{Set: catalogue.Set{"discipline": "at-once"}, Because: "one PE serves at any time"},
			{Set: catalogue.Set{"discipline": "at-once", "again": "yes"}, Violated: []string{arrive}, Because: "the boundary comes back each time a packet has crossed it"},
			{Set: catalogue.Set{"discipline": "at-once", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, Violated: []string{deadlock, arrive}, Because: "four packets that old and new entries together have brought into a cycle; the trace replays"},
			{Set: catalogue.Set{"discipline": "at-once", "wait": "inputs", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, Because: "no packet for a target waits before an entry that changes, and one PE serves at any time"},
			{Set: catalogue.Set{"discipline": "at-once", "wait": "target", "hold": "target", "rows": "2", "dx": "56", "dy": "8", "kinds": "1@2,0@3,2@1,9@0", "packets": "0"}, Violated: []string{deadlock, arrive, completed}, Because: "packets for some targets by entries as before, for others as after; the trace replays"},
			{Set: catalogue.Set{"wait": "target", "hold": "target", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, Violated: []string{some, one}, Because: "the question settles-quietly holds"},
			{Set: catalogue.Set{"wait": "network", "hold": "all", "rows": "2", "kinds": "0,1,2,7", "packets": "4"}, Violated: []string{some, one}, Because: "no packet meets entries of both kinds"},
		},
		Claims: rebalanceClaims(),
		BuildMachine: func(a catalogue.Args) (states.Machine, error) {
			m, err := MoveOf(a)
			if err != nil {
				return nil, err
			}
			kinds, from, err := kindsOf(a.Text("kinds"))
			if err != nil {
				return nil, err
			}
			return catalogue.Compiled(Rebalancing{
				Before: m.Before, After: m.After, Rule: m.Rule, Discipline: disciplineOf(a), Kinds: kinds, From: from, Packets: a.Int("packets"),
				Again: catalogue.Chosen[Again](a, "again", AgainNames), Notice: a.Bool("notice"),
			}.Program(a.Context()))
		},
	}
}

func disciplineOf(a catalogue.Args) Discipline {
	return Discipline{
		Order: catalogue.Chosen[Order](a, "discipline", OrderNames),
		Wait:  catalogue.Chosen[Wait](a, "wait", WaitNames),
		Hold:  catalogue.Chosen[Hold](a, "hold", HoldNames),
	}
}

// Move is a plane before and after a boundary has moved.
type Move struct {
	Before, After *Plane
	Rule          Rule
}

func MoveOf(a catalogue.Args) (m Move, err error) {
	m.Rule = catalogue.Chosen[Rule](a, "variant", RuleNames)
	m.Before, m.After, err = Moving(a.Int("columns"), a.Int("rows"), int64(a.Int("dx")), int64(a.Int("dy")))
	return m, err
}

// kindsOf reads a list of kinds, each with the PE that sends it or all without.
func kindsOf(text string) (kinds, from []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		number, pe, placed := strings.Cut(word, "@")
		k, err := strconv.Atoi(number)
		if err != nil {
			return nil, nil, fmt.Errorf("kinds=%.40q: invalid number %.40q: want a list such as 0,2 or 0@3,2@1", text, number)
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
