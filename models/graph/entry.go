package graph

import (
	"embed"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

//go:embed *.entries *.star
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Read(files, "graph").BuiltBy(build)
}

func DetourEntry() catalogue.Entry {
	return catalogue.Read(files, "detour").BuiltBy(func(a catalogue.Args) (routing.Definition, error) {
		return Detour(a.Int("n"), a.Int("vcs"))
	})
}

func PacketSwitchingEntry() catalogue.Entry {
	return catalogue.Network(catalogue.Read(files, "packet-switching"), catalogue.File(files, "packet-switching.star"))
}

func build(a catalogue.Args) (routing.Definition, error) {
	g, err := graphOf(a)
	if err == nil {
		g, err = g.Remove(a.Text("without"))
	}
	if err != nil {
		return routing.Definition{}, err
	}
	switch a.Text("routing") {
	case "hop-indexed":
		return HopIndexed(g)
	case "deterministic":
		return Deterministic(g)
	case "up-down":
		return UpDown(g, a.Int("root"))
	case "up-down-any":
		return UpDownAny(g, a.Int("root"))
	}
	return Minimal(g)
}

func graphOf(a catalogue.Args) (Graph, error) {
	n := a.Int("n")
	switch a.Text("graph") {
	case "random":
		return Random(n, a.Int("more"), uint64(a.Int("seed"))), nil
	case "complete":
		return Complete(n), nil
	case "torus":
		k := 2
		for (k+1)*(k+1) <= n {
			k++
		}
		return Torus(k), nil
	case "edges":
		return Parse(a.Text("edges"))
	case "de-bruijn":
		d := 1
		for ; 1<<d < n; d++ {
		}
		if 1<<d != n {
			return Graph{}, fmt.Errorf("invalid n %d: want a power of two for a de Bruijn graph", n)
		}
		return DeBruijn(d), nil
	}
	return Petersen(), nil
}
