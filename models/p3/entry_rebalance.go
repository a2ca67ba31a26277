package p3

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

//go:embed *.star
var files embed.FS

func RebalanceEntry() catalogue.Entry {
	const deadlock, some, one, late, arrive, completed = "deadlock", "somebody serves", "nobody serves what another does", "none is delivered late", "all arrive", "the move is completed"
	return catalogue.Protocol(catalogue.Entry{
		Name:    "p3-rebalance",
		Summary: "machine: a boundary of the plane moves while packets travel; Path Tables are rewritten entry by entry",
		Source:  paper,
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
		Claimed: rebalanceClaims,
	}, catalogue.File(files, "p3-rebalance.star"))
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
