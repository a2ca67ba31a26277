package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type exportFlags struct {
	networkFlags
	exploreFlags
	to     string
	out    string
	fabric string
}

// exported is a language of another engine.
type exported struct {
	name, engine string
	write        func(io.Writer, *program.Program) error
}

func languages() []exported {
	return []exported{
		{"promela", "SPIN", export.Promela},
		{"murphi", "Rumur and CMurphi", export.Murphi},
		{"tla", "TLC", export.TLA},
		{"pins", "LTSmin", export.PINS},
	}
}

// exportFormats are the values of --to.
func exportFormats() []string {
	return append(namesOf(languages(), func(l exported) string { return l.name }),
		"opensm-lfts", "opensm-sl2vl", "path-sls", "anynet")
}

func exportCommand(std streams) *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export NETWORK --to FORMAT",
		Short: "Export to SPIN, Rumur, TLC or LTSmin, or a fabric's tables to OpenSM",
		Long: `Export writes the transition system that "check --explore=always" explores in the language of
another model checker, with the same states, steps and counts. It accepts protocols,
and networks under any scenario of whole packets (no --length).

For a network, the invariant "weak" fails in weak deadlocks. If packets can reach dead
ends, it is called "at rest", and also fails when all packets wait for those at dead ends.

For a fabric it writes the tables that a subnet manager loads, and the SLs of paths.
With --fabric FOLDER it does so for a network made from that fabric, by a repair or an
engine.

  SPIN     spin -a m.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E -n
           (it stops at the first violation; with -A it counts all states)
  Rumur    rumur --output m.c --deadlock-detection off m.m && cc -O2 -march=native -mcx16 -o m m.c -lpthread && ./m
  TLC      java -jar tla2tools.jar -config m.cfg m.tla (--out m.tla names the module m)
  LTSmin   cc -O2 -fPIC -shared -o m.so m.c && pins2lts-mc m.so (also pins2lts-dist, pins2lts-sym)`,
		Example: `  unknot export ring --set n=4 --to promela --out m.pml
  unknot export peterson --to murphi --out m.m`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.export(c, args[0], std) },
	}
	f.networkFlags.register(c)
	f.budget.register(c, std)
	f.registerScenario(c)
	wordFlag(c, &f.to, "to", "", exportFormats(),
		"promela, murphi, tla or pins; opensm-lfts (for opensm -R file -U FILE), opensm-sl2vl, path-sls or anynet")
	c.Flags().StringVar(&f.fabric, "fabric", "", "folder with the dumps of the fabric that the network was made from")
	writes(c.Flags(), &f.out, "out", "output file (default standard output)")
	return c
}

func (f *exportFlags) export(c *cobra.Command, name string, std streams) error {
	if write := fabricFormats[f.to]; write != nil {
		return f.exportFabric(c, name, write, std)
	}
	if f.fabric != "" {
		return invalid("fabric", f.fabric, "--to opensm-lfts, opensm-sl2vl, path-sls or anynet with it")
	}
	var language *exported
	for _, l := range languages() {
		if l.name == f.to {
			language = &l
		}
	}
	if language == nil {
		return fmt.Errorf("want --to %s", words.OneOf(exportFormats()))
	}
	meter := newMeter(std)
	defer meter.clear()
	most := f.maxSites
	f.maxSites = min(most, export.MostParts)
	machine, n, err := f.loadMachine(c.Context(), name, meter.show)
	if f.maxSites != most {
		var bound *spec.BoundError
		if f.maxSites = most; errors.As(err, &bound) && bound.Limit == export.MostParts {
			err = export.TooLarge(name)
		}
	}
	if err != nil {
		return err
	}
	meter.clear()
	p, err := f.program(name, machine, n)
	if err != nil {
		return err
	}
	if f.out != "" { // TLC wants the module to be called as its file
		p.Module = strings.TrimSuffix(filepath.Base(f.out), ".tla")
	}
	if f.out == "" {
		return language.write(std.out, p)
	}
	var text bytes.Buffer // as a whole, before there is a file: while one is written, no budget ends the process
	if err := language.write(&text, p); err != nil {
		return err
	}
	return f.budget.writeFile(c.Context(), f.out,
		func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
}

// program returns the machine as a program.
func (f *exportFlags) program(name string, m states.Machine, n *spec.Network) (*program.Program, error) {
	sc, err := f.scenarioOf(name, n)
	if err != nil {
		return nil, err
	}
	if n != nil {
		return export.Network(n, sc)
	}
	if p := programOf(m); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not written as guarded commands, so it cannot be exported", name)
}

// fabricFormats are the formats that a fabric is exported to.
var fabricFormats = map[string]func(*fabric.Fabric, io.Writer) error{
	"opensm-lfts": (*fabric.Fabric).WriteTables, "opensm-sl2vl": (*fabric.Fabric).WriteLanes,
	"path-sls": (*fabric.Fabric).WritePaths, "anynet": (*fabric.Fabric).WriteAnynet,
}

// exportFabric writes the tables of a fabric, with the network's routing if that
// differs.
func (f *exportFlags) exportFabric(
	c *cobra.Command, name string, write func(*fabric.Fabric, io.Writer) error, std streams,
) error {
	ctx, of := c.Context(), name
	useless := []string{"leave-out", "length", "elastic", "shared", "bubble", "sink", "packets", "once"}
	if f.fabric != "" {
		of = f.fabric
	} else {
		useless = append(useless, "scope", "switching", "dest", "source")
	}
	for _, flag := range useless {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s is not for --to %s: tables hold every route of the fabric", flag, f.to)
		}
	}
	if !f.isFabric(of) {
		return invalid("to", f.to, "the dumps of a fabric, not %s, or --fabric FOLDER", of)
	}
	fab, err := f.readFabric(ctx, of)
	if err != nil {
		return err
	}
	if f.fabric != "" {
		n, err := f.load(ctx, name, nil)
		if err != nil {
			return err
		}
		if fab, err = fab.Routed(n); err != nil {
			return err
		}
	}
	if fab.HasVLs() && f.to != "anynet" {
		f.warn(fab.Name + ": OpenSM's engine \"file\" loads no path SLs: set those of --to path-sls by other means")
	}
	to := func(w io.Writer) error {
		if f.to != "anynet" { // BookSim knows no comments; to OpenSM this is one
			if _, err := fmt.Fprintln(w, "# written by unknot"); err != nil {
				return err
			}
		}
		return write(fab, w)
	}
	if f.out != "" {
		return f.budget.writeFile(ctx, f.out, to)
	}
	return to(std.out)
}
