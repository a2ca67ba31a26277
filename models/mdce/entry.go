package mdce

import (
	"embed"
	"errors"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func CCCBEntry() catalogue.Entry {
	return catalogue.Read(files, "cccb").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return CCCB(a.Int("n"), a.Int("vcs"), catalogue.Chosen[Precedence](a, "order", PrecedenceNames))
	}).WithFile(catalogue.File(files, "cccb.star"))
}

func Entry() catalogue.Entry {
	return catalogue.Read(files, "mdce").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		o := Options{
			N: a.Int("n"), Banyan: a.Int("banyan"), CCC: a.Int("ccc"), Parallel: a.Int("parallel"), VCs: a.Int("vcs"),
			Switching: spec.VirtualCutThrough,
			Overflow:  catalogue.Chosen[Overflow](a, "overflow", []string{"saturate", "wrap"}),
			Order:     catalogue.Chosen[Order](a, "order", []string{"ascending", "any"}),
		}
		if o.Banyan+o.CCC < 1 {
			return routing.Definition{}, errors.New("0 banyan and 0 CCC dimensions: want at least one in all")
		}
		return New(o)
	})
}
