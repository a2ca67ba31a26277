package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/booksim"
	"github.com/seed-105a2da2/unknot/spec/routing/listed"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// isTables reports whether a name is a folder with a table for each router: files .csv, of which one has a column for the
// next hop, so that the others are told what they lack, and no network beside them.
func (f *networkFlags) isTables(name string) bool {
	info, err := os.Stat(name)
	if _, model := models.Find(name); model || f.from != "" || err != nil || !info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return false
	}
	one := false
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".star", ".json":
			return false
		case ".csv":
			if !one {
				text, err := headOf(filepath.Join(name, e.Name()))
				one = err == nil && listed.IsTable(text)
			}
		}
	}
	return one
}

// mostTables bounds the text of all tables of a folder.
const mostTables = 1 << 28

// tables reads a folder with a table for each router.
func (f *networkFlags) tables(ctx context.Context, name string, set map[string]string) (routing.Definition, error) {
	if err := f.noChoices(name, set); err != nil {
		return routing.Definition{}, err
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return routing.Definition{}, err
	}
	var files []listed.File
	size := 0
	for _, e := range entries {
		file := filepath.Join(name, e.Name())
		if filepath.Ext(file) != ".csv" {
			continue
		}
		text, err := readNetworkFile(ctx, file)
		if err != nil {
			return routing.Definition{}, err
		}
		if size += len(text); size > mostTables {
			return routing.Definition{}, fmt.Errorf("%s: tables of more than %d bytes", name, mostTables)
		}
		files = append(files, listed.File{Name: file, Text: text})
	}
	def, err := listed.Tables(ctx, files)
	folder := filepath.Base(filepath.Clean(name))
	def.Name, def.Origin = fmt.Sprintf("%s, %s", folder, words.Plural(len(files), "table")), name
	return def, err
}

// tableOfAll reads one table of all routers.
func (f *networkFlags) tableOfAll(
	ctx context.Context, name string, text []byte, set map[string]string,
) (routing.Definition, error) {
	if err := f.noChoices(name, set); err != nil {
		return routing.Definition{}, err
	}
	def, err := listed.Tables(ctx, []listed.File{{Name: name, Text: text}})
	def.Name, def.Origin = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), name
	return def, err
}

// paths reads a list of paths.
func (f *networkFlags) paths(
	ctx context.Context, name string, text []byte, set map[string]string,
) (routing.Definition, error) {
	if err := f.noChoices(name, set); err != nil {
		return routing.Definition{}, err
	}
	def, err := listed.Paths(ctx, name, text)
	def.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return def, err
}

// configuration reads a file if it is a configuration of BookSim; otherwise it returns nil.
func (f *networkFlags) configuration(ctx context.Context, name string) (*booksim.Configuration, error) {
	info, err := os.Stat(name)
	if _, model := models.Find(name); model || f.from != "" || filepath.Ext(name) == ".star" || err != nil || info.IsDir() {
		return nil, nil
	}
	text, err := readNetworkFile(ctx, name)
	if err != nil || !booksim.Is(text) {
		return nil, nil // load says what is wrong
	}
	set, err := settingsOf("set", f.set)
	if err != nil {
		return nil, err
	}
	return booksim.Read(ctx, name, text, booksim.Options{Set: set, Open: beside(ctx, name)})
}

// asConfigured returns what is asked about packets in one channel if no flag says anything about them: what a configuration
// of BookSim does. The second result is what to say if the answer is not that it holds; "" for other networks.
func (f *networkFlags) asConfigured(ctx context.Context, name string, n *spec.Network, sc spec.Scenario) (spec.Scenario, string) {
	if !sc.Equal(spec.Scenario{}) || n.Switching() != spec.Wormhole {
		return sc, ""
	}
	c, err := f.configuration(ctx, name)
	if err != nil || c == nil || c.Scenario().Equal(spec.Scenario{}) {
		return sc, ""
	}
	return c.Scenario(), c.Behind()
}

// tellBehind says why packets share channels, unless there is no deadlock nevertheless.
func (f *networkFlags) tellBehind(why string, r *checker.Result) {
	if d := r.Of(spec.DeadlockFreedom.String()); d != nil && d.Verdict != spec.Holds && why != "" {
		f.warn(why)
	}
}

// noChoices refuses flags for what lists have no part in, and warns of what they do not say.
func (f *networkFlags) noChoices(name string, set map[string]string) error {
	if len(set) > 0 {
		return fmt.Errorf("--set: %s lists routes and has no parameters", name)
	}
	if err := f.noTopology(name); err != nil {
		return err
	}
	f.tellSwitching(name)
	return nil
}
