package main

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
)

// TestLayable: as many edges as are named in the message are laid out, and not one more; ten times as many
// if all nodes have places.
func TestLayable(t *testing.T) {
	at := &draw.Point{}
	for name, tt := range map[string]struct {
		nodes []draw.Node
		most  int
	}{
		"no places":   {[]draw.Node{{}, {}}, 2000},
		"one place":   {[]draw.Node{{At: at}, {}}, 2000},
		"both places": {[]draw.Node{{At: at}, {At: at}}, 20_000},
	} {
		f := graphFlags{kind: "topology"}
		if err := f.layable(&draw.Graph{Nodes: tt.nodes, Edges: make([]draw.Edge, tt.most)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if f.layable(&draw.Graph{Nodes: tt.nodes, Edges: make([]draw.Edge, tt.most+1)}) == nil {
			t.Errorf("%s: %d edges are laid out, want %d at most", name, tt.most+1, tt.most)
		}
	}
}
