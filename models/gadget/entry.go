package gadget

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "gadget").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		if a.Text("name") == "pigeonholes" {
			return Pigeonholes(a.Int("pigeons"), a.Int("holes")), nil
		}
		return Wormhole(a.Text("name"))
	})
}
