package models

import (
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
)

// Catalogue lists the models in the order in which they are shown.
func Catalogue() []Entry {
	return []Entry{
		starChannel(),
	}
}

func starChannel() Entry {
	uses := map[string]starchannel.Use{"published": starchannel.AsPublished, "never": starchannel.Never, "always": starchannel.Always}
	return Entry{
		Name:    "star-channel",
		Summary: "adaptive minimal routing on k-ary n-cube tori with VC classes CH, CA, CF",
		Source:  "Sugiyama and Funahashi, system 1",
		Params: []Param{
			{Name: "k", Default: "4", Min: 2, Max: 1024, Doc: "nodes in each dimension"},
			{Name: "n", Default: "2", Min: 1, Max: 10, Doc: "dimensions"},
			{Name: "tie", Default: "positive", Choices: grid.TieNames, Doc: "which way at distance k/2"},
			{Name: "ch", Default: "published", Choices: []string{"published", "never", "always"}, Doc: "class CH: as published, taken away, or without its condition"},
			{Name: "ca", Default: "published", Choices: []string{"published", "never", "always"}, Doc: "class CA, likewise"},
			{Name: "cf", Default: "published", Choices: []string{"published", "never"}, Doc: "class CF: as published or taken away"},
		},
		Expect: []Expectation{
			{Set: map[string]string{"k": "4"}, Switching: spec.Wormhole, Deadlock: spec.Holds, Because: "the paper's claim"},
		},
		build: func(a Args) (spec.Definition, error) {
			tie, err := grid.ParseTie(a.Text("tie"))
			if err != nil {
				return spec.Definition{}, err
			}
			return starchannel.New(starchannel.Options{
				K: a.Int("k"), N: a.Int("n"), Tie: tie,
				CH: uses[a.Text("ch")], CA: uses[a.Text("ca")], CF: uses[a.Text("cf")],
			})
		},
	}
}
