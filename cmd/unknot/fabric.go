package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// scopeNamed returns the scope that a value of --scope names; the first one for "".
func scopeNamed(name string) (scope fabric.Scope) {
	for i := range 4 {
		if s := (fabric.Scope{Switches: i >= 2, VLs: i%2 == 1}); s.Name() == name {
			scope = s
		}
	}
	return scope
}

// isFabric reports whether a name is a folder of dumps.
func (f *networkFlags) isFabric(name string) bool {
	if _, model := models.Find(name); model && f.from != fromOpenSM {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir() && (f.from == fromOpenSM || f.from == "" && fabric.Is(os.DirFS(name)))
}

// readFabric reads a folder of dumps.
func (f *networkFlags) readFabric(ctx context.Context, name string) (*fabric.Fabric, error) {
	opt := fabric.Options{Name: filepath.ToSlash(filepath.Clean(name)), LeaveOut: f.leaveOut}
	if opt.Name == "." {
		opt.Name = "fabric"
	}
	switch {
	case unprintable(name):
		return nil, fmt.Errorf("invalid folder name %s: want printable text", escaped(name))
	case len(f.set) > 0:
		return nil, fmt.Errorf("--set: %s is a fabric, which has no parameters", name)
	case f.sl != "":
		sl, err := strconv.Atoi(f.sl)
		if err != nil || sl < 0 || sl > 15 {
			return nil, invalid("sl", f.sl, "0 to 15")
		}
		opt.SL = &sl
	}
	tables := f.topologyFlags
	if tables.from = ""; tables.engine != "" {
		if file := fabric.Unrouted(os.DirFS(name)); file != "" {
			return nil, invalid("route", tables.engine, "the file %s, as the folder has no forwarding tables",
				spec.Printable(filepath.Join(name, file)))
		}
		return nil, invalid("route", tables.engine, "the output of ibnetdiscover, which has no routes, not the folder %s", name)
	}
	if err := tables.noTopology(name); err != nil {
		return nil, err
	}
	fab, err := fabric.Read(ctx, os.DirFS(name), opt)
	if err == nil {
		err = overwritingOf(ctx).readsAll(namesOf(fab.Files,
			func(file fabric.File) string { return filepath.Join(name, file.Name) }))
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, fmt.Errorf("%s: %v", opt.Name, path.Err)
	}
	return fab, err
}

// fabricPicture draws the nodes and cables of a fabric, however it is routed.
func (f *networkFlags) fabricPicture(ctx context.Context, name string) (*draw.Graph, error) {
	fab, scope, err := f.scopedFabric(ctx, name)
	if err != nil {
		return nil, err
	}
	var ends []spec.NodeID
	for v := range fab.Nodes {
		if scope.Switches || !fab.IsSwitch(v) {
			ends = append(ends, spec.NodeID(v))
		}
	}
	return draw.Topology(fab.Name+": topology", fab.Topology(scope)).Sending(ends), nil
}

// scopedFabric reads a fabric and the requested scope.
func (f *networkFlags) scopedFabric(
	ctx context.Context, name string,
) (fab *fabric.Fabric, scope fabric.Scope, err error) {
	if fab, err = f.readFabric(ctx, name); err == nil {
		scope, err = f.scopeOf(fab)
	}
	return fab, scope, err
}

// scopeOf returns the scope of --scope, or else hosts, with VLs if the dumps name them.
func (f *networkFlags) scopeOf(fab *fabric.Fabric) (fabric.Scope, error) {
	scope := scopeNamed(f.scope)
	switch {
	case f.scope == "":
		scope.VLs = fab.HasVLs()
	case !fab.Judges(scope):
		return scope, fmt.Errorf("--scope %s: the dumps in %s have no SLs of these paths (--sl assumes one)",
			f.scope, fab.Name)
	}
	return scope, nil
}

// loadFabric makes the network of one scope.
func (f *networkFlags) loadFabric(ctx context.Context, name string) (*spec.Network, error) {
	fab, scope, err := f.scopedFabric(ctx, name)
	if err != nil {
		return nil, err
	}
	faults, err := fab.Faults(ctx)
	if err != nil {
		return nil, err
	}
	if _, open := faults.Unreached(scope); open > 0 { // check of the whole fabric still says what is known
		return nil, fmt.Errorf(
			"%s: packets of %s reach switches whose forwarding tables are missing from the dumps or incomplete there: "+
				"no network", fab.Name, words.Plural(open, "pair"))
	}
	for _, w := range fab.Warnings {
		f.warn(fab.Name + ": " + strings.TrimPrefix(w, fab.Name+"/"))
	}
	return fab.Network(ctx, scope, f.maxSites)
}
