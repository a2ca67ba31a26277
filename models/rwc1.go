package models

import (
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

const rwc1Source = "Yokota et al.: A Prototype Router VLSI for Massively Parallel Computer RWC-1"

func rwc1Options(a Args) rwc1.Options {
	return rwc1.Options{
		N: a.Int("n"), Topology: rwc1.Topology(index(rwc1.TopologyNames, a.Text("topology"))), VCs: a.Int("vcs"),
		Border: rwc1.Border(index(rwc1.BorderNames, a.Text("border"))),
		Levels: a.Int("levels"), Buffers: rwc1.Buffers(index(rwc1BufferNames, a.Text("buffers"))),
		Traffic: rwc1.Traffic(index(rwc1TrafficNames, a.Text("traffic"))), Reply: rwc1.Reply(index(rwc1ReplyNames, a.Text("reply"))),
		Finite: a.Text("pib") == "finite", Spill: a.Bool("spill"),
	}
}

var (
	rwc1BufferNames  = []string{"level", "mode"}
	rwc1TrafficNames = []string{"one-way", "request-reply"}
	rwc1ReplyNames   = []string{"same", "above"}
)

// rwc1BuffersParam: the paper's routers have two sets of buffers, for user and
// system; only the processor's input buffer has one for each level (section 3.3).
func rwc1BuffersParam() Param {
	p := choice("buffers", rwc1BufferNames, "router buffers apart for user and system, as in the paper, or for each level")
	p.Default = "mode"
	return p
}

func rwc1Entry() Entry {
	return Entry{
		Name:    "rwc1",
		Summary: "the RWC-1 router on CCCB: spiral buffers, execution levels, finite input buffers",
		Source:  rwc1Source,
		Params: []Param{
			integer("n", 2, 2, 4, "length of the rings; the machine has 4"),
			choice("topology", rwc1.TopologyNames, "network of the routers"),
			integer("vcs", 3, 1, 8, "VCs of each set of buffers; the paper states that CCCB needs 3"),
			choice("border", rwc1.BorderNames, "the index goes up on the link from x=n-1 to 0, or on the next link"),
			integer("levels", 1, 1, 4, "execution levels in use: two of the user, then two of the system"),
			rwc1BuffersParam(),
			choice("traffic", rwc1TrafficNames, "packets that end where they arrive, or requests that wait for room for their reply"),
			choice("reply", rwc1ReplyNames, "a request is answered at its own level, or at the next"),
			choice("pib", []string{"infinite", "finite"}, "processor input buffer"),
			choice("spill", []string{"no", "yes"}, "a full PIB is emptied into memory (APB)"),
			choice("blocks", rwc1.BlockNames, "of the question partitions: blocks of y and z that are aligned, chosen by any bits, or unaligned; or that divide x, too"),
		},
		Questions: rwc1Questions(),
		Claims:    rwc1Claims(),
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "a packet passes x=n-1 at most twice, so the index never saturates"},
			{set{"vcs": "2"}, spec.Violated, spec.Violated, 0, 0, "a ring of the last VC is closed; short packets make it a wormhole deadlock, too"},
			{set{"vcs": "2", "border": "after"}, spec.Holds, spec.Holds, 0, 0, "of 3 ring links at most two pass the border, the second one last, so that index 2 is not used"},
			{set{"vcs": "2", "border": "after", "n": "3"}, spec.Violated, spec.Violated, 0, 0, "after n+1 ring links from x=n-1 two of them have passed the border, and up to n-2 follow"},
			{set{"topology": "ccc", "vcs": "2"}, spec.Holds, spec.Holds, 0, 0, "every bit is right after n-1 ring links and n-1 more lead home: 2 at n=2, so a packet passes the border once"},
			{set{"pib": "finite"}, spec.Holds, spec.Holds, 0, 0, "what is in the PIB is consumed"},
			{set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite"}, spec.Violated, spec.Violated, 0, 0, "two nodes whose PIBs, injection FIFOs and ways to each other are full of requests"},
			{set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite", "spill": "yes"}, spec.Holds, spec.Holds, 0, 0, "memory takes requests in"},
			{set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite", "levels": "2", "reply": "above", "buffers": "level"}, spec.Holds, spec.Holds, 0, 0, "replies wait for nothing but replies, requests for requests and replies: two layers"},
			{set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite", "levels": "2", "reply": "above"}, spec.Violated, spec.Violated, 0, 0, "in shared router buffers replies wait behind requests"},
		},
		build: func(a Args) (spec.Definition, error) { return rwc1.New(rwc1Options(a)) },
	}
}
