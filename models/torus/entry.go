package torus

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "torus").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		relations := map[string]func(Options) (routing.Definition, error){
			"dateline": Dateline, "crossing": Crossing, "dor": DimensionOrder, "duato": Duato, "adaptive": Adaptive,
			"bubble": func(o Options) (routing.Definition, error) { return Bubbles(o, a.Int("adaptive")) },
		}
		return relations[a.Text("routing")](Options{K: a.Int("k"), N: a.Int("n"), Tie: grid.TieOf(a)})
	})
}
