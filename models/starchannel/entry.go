package starchannel

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func Entry() catalogue.Entry {
	uses := []string{"published", "never", "always"}
	return catalogue.Read(files, "star-channel").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		use := func(name string) Use { return catalogue.Chosen[Use](a, name, uses) }
		return New(Options{
			K: a.Int("k"), N: a.Int("n"), Tie: grid.TieOf(a), CH: use("ch"), CA: use("ca"), CF: use("cf"),
		})
	}).WithFile(catalogue.File(files, "star-channel.star"))
}
