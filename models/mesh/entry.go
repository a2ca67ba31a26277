package mesh

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "mesh").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		relations := map[string]func(Options) (routing.Definition, error){
			"xy": DimensionOrder, "adaptive": Adaptive, "duato": Duato, "double-y": DoubleY, "deflection": Deflection,
			"o1turn":     func(o Options) (routing.Definition, error) { return O1TURN(o, 2) },
			"o1turn-1vc": func(o Options) (routing.Definition, error) { return O1TURN(o, 1) },
		}
		return relations[a.Text("routing")](Options{K: a.Int("k"), N: a.Int("n")})
	})
}

func TurnsEntry() catalogue.Entry {
	return catalogue.Network(catalogue.Read(files, "turn-model"), catalogue.File(files, "turns.star"))
}
