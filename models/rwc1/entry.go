package rwc1

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "rwc1").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return New(optionsOf(a))
	})
}

func MachineEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "rwc1-machine"), catalogue.File(files, "rwc1-machine.star"))
}

func DrainEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "rwc1-drain"), catalogue.File(files, "rwc1-drain.star"))
}

func PortEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Read(files, "rwc1-port"), catalogue.File(files, "rwc1-port.star"))
}

func PartitionEntry() catalogue.Entry {
	return catalogue.Network(catalogue.Read(files, "rwc1-partition"), catalogue.File(files, "rwc1-partition.star"))
}

func optionsOf(a catalogue.Args) Options {
	return Options{
		N: a.Int("n"), VCs: a.Int("vcs"), Levels: a.Int("levels"), Finite: a.Text("pib") == "finite",
		Spill:    a.Bool("spill"),
		Topology: catalogue.Chosen[Topology](a, "topology", TopologyNames),
		Border:   catalogue.Chosen[Border](a, "border", BorderNames),
		Order:    catalogue.Chosen[mdce.Precedence](a, "order", mdce.PrecedenceNames),
		Buffers:  catalogue.Chosen[Buffers](a, "buffers", []string{"level", "mode"}),
		Traffic:  catalogue.Chosen[Traffic](a, "traffic", []string{"one-way", "request-reply"}),
		Reply:    catalogue.Chosen[Reply](a, "reply", []string{"same", "above"}),
	}
}
