package families

import "slices"

// General is a theorem about every network that meets its conditions, and not about one family. It has no formula of a
// rank, and Coq alone proves it.
type General struct {
	Name    string
	Theorem string // a sentence, with the conditions
	Reading string // what its words mean, and where it is false
	Coq     []Statement
}

// Generals lists these theorems.
func Generals() []General {
	return []General{{
		Name: "starvation",
		Theorem: "Where channels have ranks, and the hop that lowers the rank demands one place, no packet waits for ever, " +
			"however long others are injected, in any run that is fair to channels.",
		Reading: "Fair to a channel: if its first packet could leave again and again, some packet leaves at some time. " +
			"An arbiter that serves its inputs in turn, or first come first served, is fair. Packets are whole, sinks drain, " +
			"and there is no bound on the time. The theorem is false of rings with bubbles, where a first hop demands two " +
			"places: in a ring of two channels a run that is fair to all channels never has two free places for a source.",
		Coq: theorems("Starvation.v", "no_packet_waits", "no_source_waits", "ranked_no_packet_waits", "bubbles_starve",
			"bubbles_never_stuck"),
	}}
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
