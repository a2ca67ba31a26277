package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/booksim"
	"github.com/seed-105a2da2/unknot/spec/routing/listed"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

const maxSteps = "max-steps"

// murphiFile ends the names of protocols in Murphi.
const murphiFile = ".m"

const switchings = "store-and-forward, virtual-cut-through or wormhole (saf, vct, wh)"

// modes are the values of --switching in full.
func modes() []string { return []string{"store-and-forward", "virtual-cut-through", "wormhole"} }

// noSwitching refuses the value of --switching.
func (f *networkFlags) noSwitching() error {
	return invalid("switching", f.switching, "%s%s", switchings, words.Suggestion(f.switching, modes()))
}

// networkFlags are the flags of every command that takes a NETWORK.
type networkFlags struct {
	topologyFlags
	fabricFlags
	set        []string
	switching  string
	maxSites   int
	maxSteps   uint64 // of a file, at top level
	fragments  int64  // see [routing.CompileOptions], as acyclic
	acyclic    int64
	dest       []string
	source     []string
	budget     budget
	warn       func(string)
	loaded     *star.File          // the .star file that was loaded last
	definition *routing.Definition // of the network that was loaded last, if it has a relation beside its tables
}

// topologyFlags say how a file with a topology and no routing becomes a network.
type topologyFlags struct {
	from     string
	bothWays bool
	ways     *pflag.Flag // --both-ways, which may be false
	weight   string
	engine   string
	vcs      int
	anew     bool // an engine routes what has its own routing, too
}

// fromOpenSM is the format of a folder of dumps.
const fromOpenSM = "opensm"

// fromDiscovery is the format of the output of ibnetdiscover alone.
const fromDiscovery = "ibnetdiscover"

// fabricFlags say which network a folder of dumps is.
type fabricFlags struct {
	scope    string
	sl       string
	leaveOut []string
}

func (f *networkFlags) register(c *cobra.Command) {
	f.registerSubject(c)
	f.topologyFlags.register(c)
	c.Flags().StringArrayVar(&f.dest, "dest", nil, "only flows to this node (repeatable)")
	c.Flags().StringArrayVar(&f.source, "source", nil, "only flows from this node (repeatable)")
}

// registerSubject gives a command the flags that say which file or model it is about.
func (f *networkFlags) registerSubject(c *cobra.Command) {
	f.warn = warnings(c)
	c.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter, as in --set k=8 (repeatable)")
	c.Flags().StringVar(&f.switching, "switching", "",
		"override the switching: store-and-forward, virtual-cut-through or wormhole (saf, vct, wh)")
	c.Flags().IntVar(&f.maxSites, "max-sites", 1<<29, "limit on sites; beyond it the answer is unknown (exit 3)")
	c.Flags().Uint64Var(&f.maxSteps, maxSteps, star.DefaultSteps,
		"limit on the execution steps of a .star file at top level, within --timeout and --memory; beyond it the answer is "+
			"unknown (exit 3)")
	f.topologyFlags.registerFormat(c)
	f.fabricFlags.register(c)
	offers(c.Flags(), "switching", modes())
}

// warnings returns a function that prints a warning, once: the cases of a sweep are made of one file, at the same time.
func warnings(c *cobra.Command) func(text string) {
	var mu sync.Mutex
	printed := map[string]bool{}
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !printed[text] {
			printed[text] = true
			fmt.Fprintf(c.ErrOrStderr(), "unknot: warning: %s\n", text)
		}
	}
}

func (f *topologyFlags) registerFormat(c *cobra.Command) {
	wordFlag(c, &f.from, "from", "", formats(),
		"format of a file or folder: "+words.OneOf(formats())+" (default: detected)")
	c.Flags().BoolVar(&f.bothWays, "both-ways", false, "each row of an edge list is a cable: a link in each direction")
	f.ways = c.Flags().Lookup("both-ways")
	c.Flags().StringVar(&f.weight, "weight", "",
		"integer attribute of links; shortest, lash and dfsssp use paths with the smallest sum of it")
}

func (f *topologyFlags) register(c *cobra.Command) {
	wordFlag(c, &f.engine, "route", "", engines(),
		"engine that routes a topology without routing: "+words.OneOf(engines()))
	c.Flags().IntVar(&f.vcs, "vcs", 0, "limit on the VCs that the engine uses; 0: no limit")
}

func (f *fabricFlags) register(c *cobra.Command) {
	names := []string{"hosts-vls", "hosts-one-vl", "all-vls", "all-one-vl"}
	wordFlag(c, &f.scope, "scope", "", names, "of a fabric: "+words.OneOf(names)+
		"; all-... includes the LIDs of switches")
	c.Flags().StringVar(&f.sl, "sl", "", "of a fabric: the SL of every path, instead of the path SLs in the dumps")
	c.Flags().StringArrayVar(&f.leaveOut, "leave-out", nil, "of a fabric: no flows of hosts whose description ends in this text, "+
		"as in --leave-out 'Aggregation Node' (repeatable)")
}

// formats lists the formats of files without routing, and of folders of dumps.
func formats() []string { return append(topology.Formats(), fromDiscovery, fromOpenSM) }

// engines lists the engines that route a topology.
func engines() []string {
	return namesOf(route.Engines(), func(e route.Engine) string { return string(e) })
}

// noTopology refuses flags that are only for topologies.
func (f *topologyFlags) noTopology(name string) error {
	for _, flag := range []struct {
		name  string
		given bool
		value any
	}{
		{"from", f.from != "", f.from}, {"both-ways", f.bothWays, true}, {"weight", f.weight != "", f.weight},
		{"route", f.engine != "", f.engine}, {"vcs", f.vcs != 0 && !f.anew, f.vcs},
	} {
		if flag.given {
			return invalid(flag.name, fmt.Sprint(flag.value), "a topology, not %s, which has its own routing", name)
		}
	}
	return nil
}

// noFabric refuses flags that are only for fabrics, or for what ibnetdiscover tells of one.
func (f *networkFlags) noFabric(ctx context.Context, name string) error {
	switch {
	case f.scope != "":
		return invalid("scope", f.scope, "the dumps of a fabric, not %s", name)
	case f.sl != "":
		return invalid("sl", f.sl, "the dumps of a fabric, not %s", name)
	case len(f.leaveOut) > 0:
		if _, model := models.Find(name); !model {
			if text, err := readNetworkFile(ctx, name); err != nil || f.formatOf(name, text) == fromDiscovery {
				return err
			}
		}
		return invalid("leave-out", f.leaveOut[0], "the dumps of a fabric, not %s", name)
	}
	return nil
}

// settingsOfSecond returns the settings of the second of two networks: those of --to, and what they leave of --set.
func settingsOfSecond(set, to []string) ([]string, error) {
	own, err := settingsOf("to", to)
	if err != nil {
		return nil, err
	}
	both := slices.DeleteFunc(slices.Clone(set), func(s string) bool {
		key, _, _ := strings.Cut(s, "=")
		_, other := own[key]
		return other
	})
	return append(both, to...), nil
}

var errTwice = errors.New("is set twice")

// settingsOf reads the values of a flag, --set or another one, that sets parameters.
func settingsOf(flag string, values []string) (map[string]string, error) {
	set := map[string]string{}
	for _, s := range values {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, invalid(flag, s, "NAME=VALUE")
		}
		if _, twice := set[key]; twice {
			return nil, fmt.Errorf("--%s %s: %s %w", flag, s, key, errTwice)
		}
		set[key] = value
	}
	return set, nil
}

// changed returns a network as changed by the flags for switching and flows.
func (f *networkFlags) changed(def routing.Definition) (routing.Definition, error) {
	if f.switching != "" {
		s, ok := routing.ParseSwitching(f.switching)
		if !ok {
			return def, f.noSwitching()
		}
		def.Switching = s
	}
	err := f.restrict(&def)
	return def, err
}

// restrict keeps the flows that --dest and --source name.
func (f *networkFlags) restrict(def *routing.Definition) error {
	nodes := func(flag string, names []string) (map[spec.NodeID]bool, error) {
		in := map[spec.NodeID]bool{}
		for _, name := range names {
			v, err := nodeNamed(def.Name, def.Topology, flag, name)
			if err != nil {
				return nil, err
			}
			in[v] = true
		}
		return in, nil
	}
	to, err := nodes("dest", f.dest)
	if err != nil {
		return err
	}
	from, err := nodes("source", f.source)
	if err != nil {
		return err
	}
	if len(to)+len(from) == 0 {
		return nil
	}
	all := def.Flows
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return (len(to) == 0 || to[dst]) && (len(from) == 0 || from[src]) && (all == nil || all(src, dst, c))
	}
	return nil
}

// nodeNamed finds the node that a flag names, by its name or by its coordinates
// without the parentheses that a shell would interpret: 3,3 for (3,3).
func nodeNamed(network string, t *spec.Topology, flag, name string) (spec.NodeID, error) {
	for _, as := range []string{name, "(" + name + ")"} {
		if n, ok := t.NodeNamed(as); ok {
			return n, nil
		}
	}
	last := t.Node(spec.NodeID(t.Nodes() - 1)).Name
	return 0, invalid(flag, name, "a node of %s, %s to %s", network, t.Node(0).Name, last)
}

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
	return nil, n, severalValues(f.set, "unknot sweep "+name+" ", err)
}

// modelMachine makes the machine of a model.
func (f *networkFlags) modelMachine(e catalogue.Entry) (states.Machine, error) {
	if f.switching != "" || len(f.dest)+len(f.source) > 0 {
		return nil, fmt.Errorf("%s is a protocol: it has no switching or flows to set", e.Name)
	}
	set, err := settingsOf("set", f.set)
	if err != nil {
		return nil, err
	}
	return e.Machine(set)
}

// isProgramFile reports whether a name is a file that describes a machine, in Starlark,
// in Murphi or in the closed form, and not a model.
func isProgramFile(ctx context.Context, name string) bool {
	if _, model := models.Find(name); model {
		return false
	}
	if strings.HasSuffix(name, ".star") {
		text, err := readNetworkFile(ctx, name)
		return err == nil && star.IsMachine(text)
	}
	if strings.HasSuffix(name, murphiFile) {
		info, err := os.Stat(name)
		return err == nil && !info.IsDir()
	}
	text, err := headOf(name)
	misspelt := !spec.IsClosed(text) && bytes.Contains(text, []byte(`"unknot-program`)) // or of another version
	return err == nil && strings.HasSuffix(name, ".json") && (evidence.IsProgram(text) || misspelt)
}

// loadProgram reads a machine from a file.
func (f *networkFlags) loadProgram(ctx context.Context, name string) (*program.Machine, error) {
	set, err := settingsOf("set", f.set)
	if err != nil {
		return nil, err
	}
	if f.switching != "" || len(f.dest)+len(f.source) > 0 {
		return nil, fmt.Errorf("%s is a protocol: it has no switching or flows to set", name)
	}
	text, err := readNetworkFile(ctx, name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".star") {
		file, err := star.Load(ctx, name, text, f.reading(ctx, name, set))
		if err != nil {
			return nil, err
		}
		f.loaded = file
		return file.Program.Machine()
	}
	if strings.HasSuffix(name, murphiFile) {
		if len(set) > 0 {
			return nil, fmt.Errorf("--set: %s is a protocol in Murphi, whose constants are in the file", name)
		}
		p, err := murphi.Load(ctx, name, text)
		if err != nil {
			return nil, err
		}
		return p.Machine()
	}
	if len(set) > 0 {
		return nil, fmt.Errorf("--set: %s is a protocol in the closed form, which has no parameters", name)
	}
	p, err := program.ReadClosed(name, text)
	if err != nil {
		return nil, err
	}
	return p.Machine()
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

// filesBeside returns a lister of folders below that of a file, which refuses those outside it.
func filesBeside(file string) func(folder string) ([]string, error) {
	return func(below string) ([]string, error) {
		folder, err := os.OpenRoot(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		defer folder.Close()
		names, err := star.ListOf(folder.FS())(below)
		if err != nil {
			return nil, unread(filepath.Join(filepath.Dir(file), below), err)
		}
		return names, nil
	}
}

// load finds, reads and compiles a network.
func (f *networkFlags) load(ctx context.Context, name string, progress func(routing.Progress)) (*spec.Network, error) {
	f.definition = nil
	set, err := settingsOf("set", f.set)
	if err != nil {
		return nil, err
	}
	opt := routing.CompileOptions{
		MaxSites: f.maxSites, Progress: progress, Memory: f.budget.memory, Fragments: f.fragments,
		Acyclic: f.acyclic,
	}
	if f.isFabric(name) {
		n, err := f.loadFabric(ctx, name)
		if err != nil || f.switching == "" && len(f.dest)+len(f.source) == 0 {
			return n, err
		}
		return f.compile(ctx, routing.FromNetwork(n), opt)
	}
	if err := f.noFabric(ctx, name); err != nil {
		return nil, err
	}
	e, known := models.Find(name)
	if known && e.IsMachine() || !known && isProgramFile(ctx, name) {
		return nil, fmt.Errorf(
			"%s is a protocol, not a network: check, run, explore, show, export, verify, replay and shrink take it",
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
		f.definition = &def
		return f.compile(ctx, def, opt)
	}
	if f.isTables(name) {
		def, err := f.tables(ctx, name, set)
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
		return nil, fmt.Errorf("invalid network %.60q: want a network or protocol, not evidence about one", name)
	}
	if f.formatOf(name, text) == "" {
		if err := f.noTopology(name); err != nil {
			return nil, err
		}
	}
	def, file, err := f.define(ctx, name, text, f.reading(ctx, name, set), progress)
	if err != nil {
		return nil, err
	}
	if file != nil {
		f.loaded, f.definition = file, def
	}
	if def != nil {
		return f.compile(ctx, *def, opt)
	}
	if len(set) > 0 {
		return nil, fmt.Errorf("--set: %s is a closed network, which has no parameters", name)
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

// define returns what the text of a file defines, which is a topology that an engine routes, a Starlark file, a list of
// paths or a configuration of BookSim; nil if it is a closed network. It also returns the Starlark file, if it is one.
// Calls may run at once.
func (f *networkFlags) define(
	ctx context.Context, name string, text []byte, opt star.Options, progress func(routing.Progress),
) (*routing.Definition, *star.File, error) {
	if f.formatOf(name, text) != "" {
		g, err := f.graph(ctx, name, text)
		if err != nil {
			return nil, nil, err
		}
		def, err := f.routed(ctx, name, g, progress)
		return &def, nil, err
	}
	if strings.HasSuffix(name, ".star") {
		file, err := star.Load(ctx, name, text, opt)
		if err != nil {
			return nil, nil, err
		}
		return &file.Definition, file, nil
	}
	if listed.IsPaths(text) {
		def, err := f.paths(ctx, name, text, opt.Set)
		return &def, nil, err
	}
	if listed.IsTableOfAll(text) {
		def, err := f.tableOfAll(ctx, name, text, opt.Set)
		return &def, nil, err
	}
	if booksim.Is(text) {
		c, err := booksim.Read(ctx, name, text, booksim.Options{Set: opt.Set, Open: opt.Open})
		if err != nil {
			return nil, nil, err
		}
		for _, w := range c.Warnings {
			f.warn(w)
		}
		return &c.Definition, nil, nil
	}
	return nil, nil, nil
}

// reading returns how a Starlark file is read, with the files beside it.
func (f *networkFlags) reading(ctx context.Context, name string, set map[string]string) star.Options {
	return star.Options{
		Set: set, MaxSteps: f.maxSteps, Open: beside(ctx, name), List: filesBeside(name), Warn: f.warn,
	}
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
