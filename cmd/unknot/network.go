package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// loadMachine finds a model or file that is a network, or a machine itself (n is
// nil then).
func (f *networkFlags) loadMachine(
	ctx context.Context, name string, progress func(routing.Progress),
) (m states.Machine, n *spec.Network, err error) {
	if e, ok := models.Find(name); ok && e.IsMachine() {
		m, err := f.modelMachine(e.WithContext(ctx))
		return m, nil, err
	}
	if isProgramFile(ctx, name) {
		m, err := f.loadProgram(ctx, name)
		return m, nil, err
	}
	n, err = f.load(ctx, name, progress)
	return nil, n, err
}

// modelMachine makes the machine of a model.
func (f *networkFlags) modelMachine(e catalogue.Entry) (states.Machine, error) {
	if f.switching != "" || len(f.dest)+len(f.source) > 0 {
		return nil, fmt.Errorf("%s is a machine: it has no switching or flows to set", e.Name)
	}
	set, err := settingsOf(f.set)
	if err != nil {
		return nil, err
	}
	return e.Machine(set)
}

// isProgramFile reports whether a name is a file that describes a machine, in Starlark
// or in the closed form, and not a model.
func isProgramFile(ctx context.Context, name string) bool {
	if _, model := models.Find(name); model {
		return false
	}
	if strings.HasSuffix(name, ".star") {
		text, err := readNetworkFile(ctx, name)
		return err == nil && star.IsMachine(text)
	}
	text, err := headOf(name)
	misspelt := !spec.IsClosed(text) && bytes.Contains(text, []byte(`"unknot-program`)) // or of another version
	return err == nil && strings.HasSuffix(name, ".json") && (evidence.IsProgram(text) || misspelt)
}

// loadProgram reads a machine from a file.
func (f *networkFlags) loadProgram(ctx context.Context, name string) (*program.Machine, error) {
	set, err := settingsOf(f.set)
	if err != nil {
		return nil, err
	}
	if f.switching != "" || len(f.dest)+len(f.source) > 0 {
		return nil, fmt.Errorf("%s is a machine: it has no switching or flows to set", name)
	}
	text, err := readNetworkFile(ctx, name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".star") {
		file, err := f.star(ctx, name, text, set)
		if err != nil {
			return nil, err
		}
		return file.Program.Machine()
	}
	if len(set) > 0 {
		return nil, fmt.Errorf("--set: %s is a machine in the closed form, it has no parameters", name)
	}
	p, err := program.ReadClosed(name, text)
	if err != nil {
		return nil, err
	}
	return p.Machine()
}

// star loads a Starlark file, and keeps its description.
func (f *networkFlags) star(ctx context.Context, name string, text []byte, set map[string]string) (*star.File, error) {
	file, err := star.Load(ctx, name, text, star.Options{Set: set, MaxSteps: f.maxSteps, Open: beside(ctx, name)})
	if err == nil {
		f.loaded = file
	}
	return file, err
}

// beside returns a reader of the files that a file loads, and of its data, which refuses
// files outside its folder, also by symbolic links.
func beside(ctx context.Context, file string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		folder, err := os.OpenRoot(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		defer folder.Close()
		shown := filepath.Join(filepath.Dir(file), name)
		info, err := folder.Stat(name)
		if err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: want a regular file", shown)
		}
		if err != nil {
			return nil, unread(shown, err)
		}
		if err := overwritingOf(ctx).reads(shown); err != nil {
			return nil, err
		}
		text, err := folder.Open(name)
		if err != nil {
			return nil, unread(shown, err)
		}
		most := int64(star.MostData)
		if filepath.Ext(name) == ".star" || name == filepath.Base(file) {
			most = mostOf(name)
		}
		return readAll(ctx, shown, text, most)
	}
}

// load finds, reads and compiles a network.
func (f *networkFlags) load(ctx context.Context, name string, progress func(routing.Progress)) (*spec.Network, error) {
	set, err := settingsOf(f.set)
	if err != nil {
		return nil, err
	}
	opt := routing.CompileOptions{
		MaxSites: f.maxSites, Progress: progress, Memory: f.budget.memory, Fragments: f.fragments,
	}
	if f.isFabric(name) {
		n, err := f.loadFabric(ctx, name)
		if err != nil || f.switching == "" && len(f.dest)+len(f.source) == 0 {
			return n, err
		}
		return f.compile(ctx, routing.FromNetwork(n), opt)
	}
	if err := f.noFabric(name); err != nil {
		return nil, err
	}
	e, known := models.Find(name)
	if known && e.IsMachine() || !known && isProgramFile(ctx, name) {
		return nil, fmt.Errorf(
			"%s is a machine, not a network: check, run, explore, show, export, verify, replay and shrink take it",
			name)
	}
	if known {
		if err := f.noTopology(name); err != nil {
			return nil, err
		}
		def, err := e.WithContext(ctx).Define(set)
		if err != nil {
			return nil, err
		}
		return f.compile(ctx, def, opt)
	}
	text, err := readNetworkFile(ctx, name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte("unknot-trace")) || bytes.HasPrefix(text, []byte("unknot-certificate")) {
		return nil, fmt.Errorf("invalid network %.60q: want a network or machine, not evidence about one", name)
	}
	if f.formatOf(name, text) != "" {
		g, err := f.graph(ctx, name, text)
		if err != nil {
			return nil, err
		}
		def, err := f.routed(ctx, name, g, progress)
		if err != nil {
			return nil, err
		}
		return f.compile(ctx, def, opt)
	}
	if err := f.noTopology(name); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".star") {
		file, err := f.star(ctx, name, text, set)
		if err != nil {
			return nil, err
		}
		return f.compile(ctx, file.Definition, opt)
	}
	if len(set) > 0 {
		return nil, fmt.Errorf("--set: %s is a closed network, it has no parameters", name)
	}
	n, err := routing.ReadClosed(ctx, name, text, opt)
	if err != nil {
		return nil, err
	}
	n, warning, err := withReasons(ctx, name, n, opt.Memory)
	if warning != "" {
		f.warn(warning)
	}
	if err != nil || f.switching == "" && len(f.dest)+len(f.source) == 0 {
		return n, err
	}
	return f.compile(ctx, routing.FromNetwork(n), opt)
}

func (f *networkFlags) compile(
	ctx context.Context, def routing.Definition, opt routing.CompileOptions,
) (*spec.Network, error) {
	def, err := f.changed(def)
	if err != nil {
		return nil, err
	}
	return routing.Compile(ctx, def, opt)
}

// subject reads a network or machine as the subject of evidence.
func (f *networkFlags) subject(ctx context.Context, name string, meter *meter) (*evidence.Subject, error) {
	m, n, err := f.loadMachine(ctx, name, meter.show)
	if err != nil {
		return nil, err
	}
	meter.clear()
	if n != nil {
		return evidence.OfNetwork(n), nil
	}
	return &evidence.Subject{Machine: m}, nil
}
