package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// subject is what both programs are run on.
type subject struct {
	name string
	args []string // of unknot check
}

func (s subject) String() string { return "unknot check " + strings.Join(s.args, " ") }

// subjects lists the models, with each choice of each parameter, the examples, what is shared, and drawn files.
func (o *options) subjects() ([]subject, error) {
	var all []subject
	add := func(name string, args ...string) { all = append(all, subject{name, append([]string{name}, args...)}) }
	for _, e := range models.Catalogue() {
		add(e.Name)
		for _, p := range e.Described().Params {
			for _, value := range others(p) {
				add(e.Name, "--set", p.Name+"="+value)
			}
		}
	}
	if err := files("models/examples", func(path string) { add(path); add(path, "--explore=always", "--liveness") }); err != nil {
		return nil, err
	}
	for _, folder := range []string{"networks", "protocols", "formats"} {
		if err := files(filepath.Join(o.shared, "cases", folder), func(path string) { add(path) }); err != nil {
			return nil, err
		}
	}
	folders, err := fabrics(filepath.Join(o.shared, "fabrics"))
	if err != nil {
		return nil, err
	}
	for _, path := range folders {
		add(path)
	}
	drawn, err := o.draw()
	return append(all, drawn...), err
}

// others returns further values of a parameter: each choice, or the numbers beside the default.
func others(p catalogue.Param) (values []string) {
	if len(p.Choices) > 0 {
		return slices.DeleteFunc(slices.Clone(p.Choices), func(c string) bool { return c == p.Default })
	}
	var x int
	if _, err := fmt.Sscan(p.Default, &x); err != nil || p.Form != "" {
		return nil
	}
	for _, v := range []int{x - 1, x + 1} {
		if v >= p.Min && v <= p.Max {
			values = append(values, fmt.Sprint(v))
		}
	}
	return values
}

// files visits the files of a folder, and says so if there is none.
func files(dir string, visit func(path string)) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		fmt.Fprintf(os.Stderr, "same: %s is not here, and is skipped\n", dir)
		return nil
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".go") {
			visit(path)
		}
		return err
	})
}

// fabrics lists the folders in which there are forwarding tables.
func fabrics(dir string) (folders []string, err error) {
	err = files(dir, func(path string) {
		if base := filepath.Base(path); strings.HasPrefix(base, "opensm") && !slices.Contains(folders, filepath.Dir(path)) {
			folders = append(folders, filepath.Dir(path))
		}
	})
	return folders, err
}

// draw draws networks, protocols and programs, and writes them into files.
func (o *options) draw() ([]subject, error) {
	dir := filepath.Join(o.keep, "drawn")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	switchings := []spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}
	// Random tables deadlock nearly always; ways that keep to a tree, and trees, often do not, and so have certificates.
	routed := rapid.Custom(func(rt *rapid.T) *spec.Network {
		topo := netgen.Topology(rt, netgen.TopologyOptions{Nodes: 9, VCs: 2, Failures: 1})
		vc := netgen.VC(netgen.AnyVC)
		if rapid.Bool().Draw(rt, "some VCs") {
			vc = netgen.VCs(rt, topo)
		}
		relation := netgen.Minimal(topo, vc)
		if rapid.IntRange(0, 3).Draw(rt, "restricted") > 0 {
			relation = netgen.TurnRestricted(rt, topo, true, vc)
		}
		n, err := routing.Compile(context.Background(), routing.Definition{
			Name: "routed", Topology: topo, Routing: relation,
			Switching: rapid.SampledFrom(switchings).Draw(rt, "switching"),
		}, routing.CompileOptions{})
		if err != nil {
			rt.Fatalf("compiling a drawn network: %v", err)
		}
		return n
	})
	network := rapid.Custom(func(rt *rapid.T) *spec.Network {
		s := rapid.SampledFrom(switchings).Draw(rt, "switching")
		return netgen.Network(rt, netgen.Options{
			Nodes: 6, Channels: 12, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Classes: 2, Buffer: 2,
			Ring: true, Sparse: true,
		}, s)
	})
	protocol := rapid.Custom(func(rt *rapid.T) string { return netgen.DrawProtocol(rt, rapid.Bool().Draw(rt, "careful")).Text })
	guarded := rapid.Custom(func(rt *rapid.T) *program.Program { return netgen.Program(rt, true) })
	var all []subject
	for i := range o.drawn {
		seed := int(o.seed)*1_000_000 + i
		var text bytes.Buffer
		var err error
		name, modes := fmt.Sprintf("network%d.json", i), [][]string{{}}
		switch i % 6 {
		case 0:
			modes = [][]string{{}, {"--explore=always", "--liveness"}}
			err = routing.WriteClosed(&text, network.Example(seed))
		case 4:
			modes = [][]string{{}, {"--length", "2", "--switching", "wormhole"}}
			err = routing.WriteClosed(&text, routed.Example(seed))
		case 5:
			modes = [][]string{{"--explore=always"}, {"--packets", "2", "--liveness", "--symmetry"}}
			err = routing.WriteClosed(&text, routed.Example(seed))
		case 1:
			modes = [][]string{{"--length", "3", "--switching", "wormhole"}, {"--explore=whole", "--packets", "3", "--liveness"}}
			err = routing.WriteClosed(&text, network.Example(seed))
		case 2:
			name, modes = fmt.Sprintf("protocol%d.star", i), [][]string{{}, {"--liveness", "--symmetry"}}
			text.WriteString(protocol.Example(seed))
		case 3:
			p := guarded.Example(seed)
			if p.Check() != nil {
				continue
			}
			name, modes = fmt.Sprintf("program%d.json", i), [][]string{{"--liveness"}, {"--slice", "--partial-order"}}
			err = program.WriteClosed(&text, p)
		}
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			return nil, err
		}
		for _, mode := range modes {
			all = append(all, subject{path, append([]string{path}, mode...)})
		}
	}
	return all, nil
}
