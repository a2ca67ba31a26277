package ring

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "ring").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		variant := catalogue.Chosen[Variant](a, "variant", VariantNames)
		return New(Options{Nodes: a.Int("n"), Variant: variant, Tie: grid.TieOf(a), Buffer: a.Int("buffer")})
	})
}
