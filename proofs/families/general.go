package families

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// General is a theorem that has no formula of a rank of channels, and that Coq alone proves. It is about every network that
// meets its conditions, among them, if it names any, models of the catalogue.
type General struct {
	Name    string
	Theorem string // a sentence, with the conditions
	Reading string // what its words mean, and where it is false
	Coq     []Statement

	Sizes      string          // for which it holds, in short; "" without members
	Properties []spec.Property // that it shows of its members
	Members    []Network
	Refuted    []Network // without a condition: they violate one of the properties
}

// Generals lists these theorems.
func Generals() []General {
	return []General{starvation(), plane()}
}

func starvation() General {
	return General{
		Name: "starvation",
		Theorem: "Where channels have ranks, and the hop that lowers the rank demands one place, no packet waits for ever, " +
			"however long others are injected, in any run that is strongly fair to channels.",
		Reading: "Strongly fair to a channel: if its first packet could leave again and again, some packet leaves at some time. " +
			"An arbiter that serves its inputs in turn, or first come first served, is fair so. Under weak fairness, " +
			"about which check --liveness asks, the theorem is false. Packets are whole, sinks drain, " +
			"and there is no bound on the time. Of families, Coq concludes it of datelines (DatelineStates.v). The " +
			"theorem is false of rings with bubbles, where a first hop demands two places: in a ring of two channels a run that " +
			"is strongly fair to all channels never has two free places for a source.",
		Coq: theorems("Starvation.v", "no_packet_waits", "no_source_waits", "ranked_no_packet_waits", "bubbles_starve",
			"bubbles_never_stuck"),
	}
}

func plane() General {
	var members []Network
	for _, variant := range []string{"beyond", "beyond-horizontal", "beyond-vertical"} {
		set := []string{"variant=" + variant, "border=lean"}
		members = append(members, Network{
			Model: "p3", Set: set,
			Sizes: map[string][]int{
				"columns": {1, 2, 3}, "rows": {1, 2}, "moves": {0, 40}, "seed": {0}, "pitch": {16}, "vcs": {1},
			},
			Vary: map[string][]string{"masks": {"none", "blocks", "any"}},
		}, Network{
			Model: "p3", Set: set, Sizes: map[string][]int{"vcs": {1, 3}},
			Vary: map[string][]string{"shape": {"bent", "bow", "brick"}},
		})
	}
	return General{
		Name: "p3",
		Theorem: "On every convex plane of convex regions, a packet that crosses, of the edges that zones A and B name, one " +
			"beyond whose line its target lies, and that leaves at the first region that holds the target, borders " +
			"included, does not move for ever, and every packet arrives, whichever of these edges a Path Table names.",
		Reading: "Every hop lowers a pair of numbers, compared lexicographically: the squared distance between target and " +
			"edge, and the squared cotangent of the angle between the edge and the way from its nearest point to the target. " +
			"Of the edges that the PE may cross, the one with the greatest pair counts. The distance never grows, " +
			"and while it stays the same the packet goes round one corner, towards its target. A network whose targets " +
			"on a border count as moved a little (border=lean) is the plane with the nearby targets. Without the condition the " +
			"theorem is false (either_goes_back). It says nothing about deadlock, which four packets reach on a regular grid.",
		Sizes: "convex plane of convex regions",
		Coq: theorems("Plane.v", "plane_no_livelock", "plane_arrives", "plane_leaves_right", "plane_never_farther",
			"every_target_in_a_zone", "either_goes_back"),
		Properties: []spec.Property{spec.LivelockFreedom, spec.Delivery},
		Members:    members,
		Refuted: []Network{
			{Model: "p3", Set: []string{"shape=bent"}, Why: "edges beyond whose line the target does not lie"},
			{Model: "p3", Set: []string{"variant=horizontal", "shape=bent"}, Why: "horizontal first, among all edges"},
			{Model: "p3", Set: []string{"variant=beyond", "shape=notch"}, Why: "a plane that is not convex"},
			{
				Model: "p3", Set: []string{"variant=beyond", "shape=bent", "border=both"},
				Why: "a packet whose target lies on a border goes on",
			},
		},
	}
}

// CoveringGenerals lists the theorems of [Generals] that are about a model of the catalogue, as [Covering] does families.
func CoveringGenerals(model string, values, defaults map[string]string) (all []General) {
	for _, g := range Generals() {
		if coveredBy(g.Members, model, values, defaults) {
			all = append(all, g)
		}
	}
	return all
}

// FindGeneral returns the theorem with a name.
func FindGeneral(name string) (General, bool) {
	all := Generals()
	i := slices.IndexFunc(all, func(g General) bool { return g.Name == name })
	if i < 0 {
		return General{}, false
	}
	return all[i], true
}

// Files lists the files that prove it.
func (g General) Files() []string { return (Family{Coq: g.Coq}).Files()[1:] }

// Proves says what a file of [General.Files] proves.
func (g General) Proves(file string) string { return Family{Coq: g.Coq}.Proves(file) }
