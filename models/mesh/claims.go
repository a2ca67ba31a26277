package mesh

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

func turnClaims() []catalogue.Claim {
	sweep := func(n string, cycles ...string) []string {
		command := catalogue.Command("sweep turn-model --property deadlock --up-to-symmetry", "model=one-of-each", "k=3", "n="+n)
		for _, c := range cycles {
			command = append(command, "--range", c)
		}
		return command
	}
	xy := []string{"xy-left", "xy-right"}
	space := append(xy, "xz-left", "xz-right", "yz-left", "yz-right")
	return catalogue.Ours(
		catalogue.Row("Which ways to forbid one turn of each cycle of the plane are free?", sweep("2", xy...), "deadlock", spec.Violated,
			"12 of 16, 3 up to symmetry: west-first, north-last, negative-first"),
		catalogue.Row("... of each of the six cycles in three dimensions?", sweep("3", space...), "deadlock", spec.Violated,
			"176 of 4,096, 9 up to symmetry"),
		catalogue.Row("West-first with two VCs, the same turns forbidden from one VC to the other", catalogue.Command("check turn-model", "vcs=2"), "deadlock", spec.Holds,
			"free: no packet turns west on either VC"),
		catalogue.Row("West-first on one VC, any minimal hop on the other", catalogue.Command("check turn-model", "vcs=2", "others=any"), "deadlock", spec.Holds,
			"free, and adaptive for all packets: west-first is an escape"),
		catalogue.Row("West-first in three dimensions", catalogue.Command("check turn-model", "n=3", "k=3"), "deadlock", spec.Violated,
			"not free: all turns between y and z remain"),
		catalogue.Row("One turn forbidden, two VCs", catalogue.Command("check turn-model", "model=chosen", "forbid=EN", "vcs=2", "others=any"), "deadlock", spec.Violated,
			"not free: four packets turn round a square on each VC"),
	)
}
