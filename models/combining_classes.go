package models

import (
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
)

func combiningClassesEntry() Entry {
	return Entry{
		Name:    "combining-classes",
		Summary: "the combining tree's links as channels, with requests, invalidates, Acks and replies in VCs together or apart",
		Source:  combiningSource,
		Params: []Param{
			choice("vcs", combining.SharingNames, "one VC for all; one each; request | invalidate, Ack, reply; request, invalidate | Ack, reply"),
			integer("fanout", 2, 2, 8, "children of a switch"),
			integer("depth", 2, 1, 4, "levels of switches"),
			clusterList("homes", "0,3", "clusters that are homes"),
			choice("clusters", []string{"wait", "ample"}, "a cluster takes a message when it can send the next; or it has room for all that comes"),
		},
		Expect: []Expectation{
			{nil, spec.Violated, spec.Violated, 0, 0, "requests in front of each home wait for invalidates on their way to the other"},
			{set{"homes": "0"}, spec.Violated, spec.Violated, 0, 0, "in front of home a request, which waits for an invalidate, which waits for an Ack, which waits behind the request"},
			{set{"vcs": "each"}, spec.Holds, spec.Holds, 0, 0, "classes in their order, each up, then down: an order of the channels"},
			{set{"vcs": "each", "homes": "0,1,2,3"}, spec.Holds, spec.Holds, 0, 0, "likewise"},
			{set{"vcs": "request-apart", "homes": "0"}, spec.Violated, spec.Violated, 0, 0, "an Ack in front of home waits for its reply, behind an invalidate that waits for an Ack behind this one"},
			{set{"vcs": "there-and-back", "homes": "0"}, spec.Holds, spec.Holds, 0, 0, "in each VC messages leave home or come to it, at one turn of the way"},
			{set{"vcs": "there-and-back"}, spec.Violated, spec.Violated, 0, 0, "as with one VC and two homes"},
			{set{"clusters": "ample"}, spec.Holds, spec.Holds, 0, 0, "ways lead up, then down"},
			{set{"fanout": "2", "depth": "1", "homes": "0,1"}, spec.Violated, spec.Violated, 0, 0, "the two homes, without any other cluster"},
			{set{"fanout": "3", "depth": "1", "homes": "0", "vcs": "there-and-back"}, spec.Holds, spec.Holds, 0, 0, "as with depth 2"},
		},
		Claims: combiningClassesClaims(),
		build: func(a Args) (spec.Definition, error) {
			homes, err := clusters(a, "homes")
			if err != nil {
				return spec.Definition{}, err
			}
			return combining.Classes(combining.ClassOptions{
				FanOut: a.Int("fanout"), Depth: a.Int("depth"), Homes: homes,
				Sharing: combining.Sharing(index(combining.SharingNames, a.Text("vcs"))), Ample: a.Text("clusters") == "ample",
			})
		},
	}
}
