package rwc1

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

const paper = "Yokota et al.: A Prototype Router VLSI for Massively Parallel Computer RWC-1"

func optionsOf(a catalogue.Args) Options {
	return Options{
		N: a.Int("n"), Topology: catalogue.Chosen[Topology](a, "topology", TopologyNames), VCs: a.Int("vcs"),
		Border: catalogue.Chosen[Border](a, "border", BorderNames),
		Levels: a.Int("levels"), Buffers: catalogue.Chosen[Buffers](a, "buffers", bufferNames),
		Traffic: catalogue.Chosen[Traffic](a, "traffic", trafficNames), Reply: catalogue.Chosen[Reply](a, "reply", replyNames),
		Finite: a.Text("pib") == "finite", Spill: a.Bool("spill"),
	}
}

var (
	bufferNames  = []string{"level", "mode"}
	trafficNames = []string{"one-way", "request-reply"}
	replyNames   = []string{"same", "above"}
)

// buffersParam selects the router buffers. The paper's routers have two sets, for user and
// system; only the processor's input buffer has one for each level (section 3.3).
func buffersParam() catalogue.Param {
	p := catalogue.Choice("buffers", bufferNames, "separate router buffers for user and system, as in the paper, or for each level")
	p.Default = "mode"
	return p
}

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "rwc1",
		Summary: "the RWC-1 router on CCCB: spiral buffers, execution levels, finite input buffers",
		Source:  paper,
		Params: []catalogue.Param{
			catalogue.Integer("n", 2, 2, 4, "length of the rings; the machine has 4"),
			catalogue.Choice("topology", TopologyNames[:Ring], "network of the routers"),
			catalogue.Integer("vcs", 3, 1, 8, "VCs of each set of buffers; the paper states that CCCB needs 3"),
			catalogue.Choice("border", BorderNames, "the index goes up on the link from x=n-1 to 0, or on the next link"),
			catalogue.Integer("levels", 1, 1, 4, "execution levels in use: two of the user, then two of the system"),
			buffersParam(),
			catalogue.Choice("traffic", trafficNames, "packets that end where they arrive, or requests that wait for room for their reply"),
			catalogue.Choice("reply", replyNames, "a request is answered at its own level, or at the next"),
			catalogue.Choice("pib", []string{"infinite", "finite"}, "processor input buffer"),
			catalogue.Choice("spill", []string{"no", "yes"}, "a full PIB is emptied into memory (APB)"),
			catalogue.Choice("blocks", BlockNames, "of the question partitions: blocks of y and z that are aligned, chosen by any bits, or unaligned; or that divide x, too"),
		},
		Claimed: claims,
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "a packet passes x=n-1 at most twice, so the index never saturates"},
			{Set: catalogue.Set{"vcs": "2"}, Packets: spec.Violated, Worms: spec.Violated, Because: "a ring of the last VC is closed; short packets make it a wormhole deadlock, too"},
			{Set: catalogue.Set{"vcs": "2", "border": "after"}, Packets: spec.Holds, Worms: spec.Holds, Because: "of 3 ring links at most two pass the border, the second one last, so that index 2 is not used"},
			{Set: catalogue.Set{"vcs": "2", "border": "after", "n": "3"}, Packets: spec.Violated, Worms: spec.Violated, Because: "after n+1 ring links from x=n-1 two of them have passed the border, and up to n-2 follow"},
			{Set: catalogue.Set{"topology": "ccc", "vcs": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "every bit is right after n-1 ring links and n-1 more lead home: 2 at n=2, so a packet passes the border once"},
			{Set: catalogue.Set{"pib": "finite"}, Packets: spec.Holds, Worms: spec.Holds, Because: "what is in the PIB is consumed"},
			{Set: catalogue.Set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite"}, Packets: spec.Violated, Worms: spec.Violated, Because: "two nodes whose PIBs, injection FIFOs and paths to each other are full of requests"},
			{Set: catalogue.Set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite", "spill": "yes"}, Packets: spec.Holds, Worms: spec.Holds, Because: "memory absorbs requests"},
			{Set: catalogue.Set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite", "levels": "2", "reply": "above", "buffers": "level"}, Packets: spec.Holds, Worms: spec.Holds, Because: "replies wait for nothing but replies, requests for requests and replies: two layers"},
			{Set: catalogue.Set{"topology": "c-banyan", "traffic": "request-reply", "pib": "finite", "levels": "2", "reply": "above"}, Packets: spec.Violated, Worms: spec.Violated, Because: "in shared router buffers replies wait behind requests"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) { return New(optionsOf(a)) },
	}
}
