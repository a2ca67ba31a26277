package sweep

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/checker"
)

// Conditions are what the results of a sweep depend on beside what it varies: how its networks are read and routed,
// and how far cases are decided. Results are continued or merged only under the same ones. The zero value of a field is
// what a command does that is told nothing.
type Conditions struct {
	Explore             checker.Exploration // Never: what the tables leave open stays unknown
	MaxStates, MaxSites int64               // of an exploration and of a network; 0: no limit

	Switching, From, Weight, Route, Scope, SL string // as the command was told; "": nothing
	BothWays, Tables                          bool
	VCs                                       int
	Dests, Sources                            []string // names of nodes
	LeaveOut                                  []string // ends of descriptions
}

// List names them, for [Question].Under.
func (c Conditions) List() []string {
	under := []string{fmt.Sprintf("max-states=%d", c.MaxStates), fmt.Sprintf("max-sites=%d", c.MaxSites)}
	if c.Explore == checker.Never {
		under[0] = "explore=never"
	}
	for _, told := range []struct{ name, value string }{
		{"switching", c.Switching}, {"from", c.From}, {"weight", c.Weight}, {"route", c.Route}, {"scope", c.Scope},
		{"sl", c.SL},
	} {
		if told.value != "" {
			under = append(under, told.name+"="+told.value)
		}
	}
	if c.BothWays {
		under = append(under, "both-ways")
	}
	if c.Tables {
		under = append(under, "tables")
	}
	if c.VCs > 0 {
		under = append(under, fmt.Sprintf("vcs=%d", c.VCs))
	}
	for _, name := range c.Dests {
		under = append(under, fmt.Sprintf("dest=%q", name))
	}
	for _, name := range c.Sources {
		under = append(under, fmt.Sprintf("source=%q", name))
	}
	for _, text := range c.LeaveOut {
		under = append(under, fmt.Sprintf("leave-out=%q", text))
	}
	return under
}
