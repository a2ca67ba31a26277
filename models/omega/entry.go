// Package omega models the circular omega network with banks of the EM-4
// (Sakai, Yamaguchi, Hiraki, Kodama and Yuba, 1989).
package omega

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

//go:embed *.star
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Network(catalogue.Entry{
		Name: "circular-omega", Summary: "circular omega network with banks (EM-4), any number of rows", Source: "Sakai, Yamaguchi, Hiraki, Kodama and Yuba 1989",
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "a packet passes the last column at most twice"},
			{Set: catalogue.Set{"banks": "1"}, Packets: spec.Violated, Worms: spec.Violated, Because: "one bank leaves the rings closed"},
			{Set: catalogue.Set{"border": "behind"}, Packets: spec.Holds, Worms: spec.Holds, Because: "a packet is behind the border at most twice"},
			{Set: catalogue.Set{"border": "behind", "n": "2", "banks": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "of at most three hops one at most is beyond the border, or the path ends there"},
			{Set: catalogue.Set{"border": "at", "n": "2", "banks": "2"}, Packets: spec.Violated, Worms: spec.Violated, Because: "a path of three hops from the last column meets the border twice"},
			{Set: catalogue.Set{"rows": "6"}, Packets: spec.Holds, Worms: spec.Holds, Because: "paths are no longer than with 8 rows"},
			{Set: catalogue.Set{"n": "2", "rows": "16", "banks": "4"}, Packets: spec.Holds, Worms: spec.Holds, Because: "at most 5 hops, which pass the last column at most three times"},
		},
		Claimed: omegaClaims,
	}, catalogue.File(files, "omega.star"))
}

func omegaClaims() []catalogue.Claim {
	check := func(says string, want spec.Verdict, finding string, set ...string) catalogue.Claim {
		return catalogue.Row(says, catalogue.Command("check circular-omega", set...), "deadlock", want, finding)
	}
	return catalogue.Ours(
		check("3 columns of 8 rows, 3 banks, the bank changes on the border link", spec.Holds, "free"),
		check("... 2 banks", spec.Violated, "not free", "banks=2"),
		check("... the bank changes after the border link, 3 banks", spec.Holds, "free", "border=behind"),
		check("... 2 banks", spec.Violated, "not free: the two readings need the same number", "border=behind", "banks=2"),
		check("2 columns of 4 rows, 2 banks, the bank changes on the border link", spec.Violated, "not free", "n=2", "banks=2"),
		check("... the bank changes after the border link", spec.Holds, "free: with two columns this reading needs one bank less", "n=2", "banks=2", "border=behind"),
		check("5 rows, not a power of two, 3 banks", spec.Holds, "free", "rows=5"),
		check("2 columns of 16 rows, 3 banks", spec.Violated, "not free: with more than 2^n rows, routes cross the border more than twice", "n=2", "rows=16"),
		check("... 4 banks", spec.Holds, "free", "n=2", "rows=16", "banks=4"),
	)
}
