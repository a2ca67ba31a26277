package hyperx

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "hyperx").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return New(grid.Square(a.Int("k"), a.Int("n")), catalogue.Chosen[Variant](a, "routing", VariantNames))
	})
}
