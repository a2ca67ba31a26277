package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/checktest"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// goAPI holds the Go code of the page go-api in functions, so that it compiles. None is called.
var goAPI = []any{
	func(t *testing.T) {
		// snippet
		checktest.File(t, "networks/ring.star", checktest.Options{})
		// end
	},
	func() routing.Definition {
		// snippet
		t := spec.NewTopology("vc") // the names of the VCs
		for range 3 {
			t.AddNode("")
		}
		for v := range spec.NodeID(3) {
			t.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
		}
		onward := func(p routing.Packet) routing.Choice {
			return routing.Adaptive(t.Hop(t.OutLinks(p.Node)[0], 0))
		}
		definition := routing.Definition{
			Name: "ring", Topology: t, Switching: spec.Wormhole,
			Routing: routing.Router{Topology: t, Route: onward},
		}
		// end
		return definition
	},
	func(t *testing.T, myRouting func(*spec.Topology) routing.Definition) {
		// snippet
		rapid.Check(t, func(rt *rapid.T) {
			topology := netgen.Topology(rt, netgen.TopologyOptions{Shapes: []netgen.Shape{netgen.Torus}, Failures: 2})
			checktest.Network(rt, myRouting(topology), checktest.Options{})
		})
		// end
	},
}

// TestGoAPIPageCompiles compares the Go code of the page with the functions above, which the compiler has checked.
func TestGoAPIPageCompiles(t *testing.T) {
	source, err := os.ReadFile("goapi_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("guide/go-api.md")
	if err != nil {
		t.Fatal(err)
	}
	compiled := regexp.MustCompile(`(?s)\t// snippet\n(.*?)\t\t// end\n`).FindAllStringSubmatch(string(source), -1)
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(compiled) != len(goAPI) || len(shown) != len(compiled) {
		t.Fatalf("%d pieces of code compiled, %d on the page", len(compiled), len(shown))
	}
	for i, piece := range compiled {
		want := strings.ReplaceAll("\n"+piece[1], "\n\t\t", "\n")[1:]
		if got := shown[i][1]; got != want {
			t.Errorf("the page has\n%s\nand the compiler was given\n%s", got, want)
		}
	}
}
