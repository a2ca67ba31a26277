package combining

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

func ClassesEntry() catalogue.Entry {
	return catalogue.Network(catalogue.Entry{
		Name:    "combining-classes",
		Summary: "the combining tree's links as channels, with requests, invalidates, Acks and replies in shared or separate VCs",
		Source:  paper,
		Expect: []catalogue.Expectation{
			{Packets: spec.Violated, Worms: spec.Violated, Because: "requests in front of each home wait for invalidates on their way to the other"},
			{Set: catalogue.Set{"homes": "0"}, Packets: spec.Violated, Worms: spec.Violated, Because: "in front of home a request, which waits for an invalidate, which waits for an Ack, which waits behind the request"},
			{Set: catalogue.Set{"vcs": "each"}, Packets: spec.Holds, Worms: spec.Holds, Because: "classes in their order, each up, then down: an order of the channels"},
			{Set: catalogue.Set{"vcs": "each", "homes": "0,1,2,3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "likewise"},
			{Set: catalogue.Set{"vcs": "request-apart", "homes": "0"}, Packets: spec.Violated, Worms: spec.Violated, Because: "an Ack in front of home waits for its reply, behind an invalidate that waits for an Ack behind this one"},
			{Set: catalogue.Set{"vcs": "there-and-back", "homes": "0"}, Packets: spec.Holds, Worms: spec.Holds, Because: "in each VC messages leave home or come to it, with one turn on the path"},
			{Set: catalogue.Set{"vcs": "there-and-back"}, Packets: spec.Violated, Worms: spec.Violated, Because: "as with one VC and two homes"},
			{Set: catalogue.Set{"clusters": "ample"}, Packets: spec.Holds, Worms: spec.Holds, Because: "paths lead up, then down"},
			{Set: catalogue.Set{"fanout": "2", "depth": "1", "homes": "0,1"}, Packets: spec.Violated, Worms: spec.Violated, Because: "the two homes, without any other cluster"},
			{Set: catalogue.Set{"fanout": "3", "depth": "1", "homes": "0", "vcs": "there-and-back"}, Packets: spec.Holds, Worms: spec.Holds, Because: "as with depth 2"},
		},
		Claimed: classesClaims,
	}, catalogue.File(files, "classes.star"))
}
