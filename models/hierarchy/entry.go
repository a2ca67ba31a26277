package hierarchy

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries
var files embed.FS

func DragonflyEntry() catalogue.Entry {
	return catalogue.Read(files, "dragonfly").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		o := DragonflyOptions{
			Routers: a.Int("a"), Globals: a.Int("h"), Groups: a.Int("g"), LocalVCs: a.Bool("local-vcs"),
		}
		return Dragonfly(o)
	})
}

func LeafSpineEntry() catalogue.Entry {
	return catalogue.Read(files, "leaf-spine").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return LeafSpine(a.Int("leaves"), a.Int("spines"), a.Int("hosts"))
	})
}

func TreeEntry() catalogue.Entry {
	return catalogue.Read(files, "k-ary-n-tree").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return KaryTree(a.Int("k"), a.Int("n"))
	})
}
