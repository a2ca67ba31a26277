package clos

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.claims
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "clos").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return New(Options{
			Pods: a.Int("pods"), Leaves: a.Int("leaves"), Spines: a.Int("spines"), Cores: a.Int("cores"),
			Cables: a.Int("cables"), Hosts: a.Int("hosts"), Priorities: a.Int("priorities"),
			Adaptive: a.Text("choice") == "any", Without: a.Text("without"), Bounces: a.Int("bounces"),
			Converged: a.Text("knows") == "all", Drop: a.Text("last") == "drop",
		})
	})
}
