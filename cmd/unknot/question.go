package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type sweepFlags struct {
	networkFlags
	ranges       []string
	links, nodes int
	switchLinks  bool
	dests        int
	reroute      string
	properties   []string
	out          string
	shard        string
	mostCases    int
	workers      int
	settle       int64
	merge        bool
	upToSymmetry bool

	names   []string            // of the network's parameters
	choices map[string][]string // by name
	plot    string
}

// question turns flags into the question of a sweep.
func (f *sweepFlags) question(ctx context.Context, name string) (*sweep.Question, error) {
	set, err := settingsOf(f.set)
	if err != nil {
		return nil, err
	}
	for _, flag := range []struct {
		name string
		most int
	}{{"links", f.links}, {"nodes", f.nodes}, {"dests", f.dests}} {
		if flag.most < 0 {
			return nil, invalid(flag.name, flag.most, "at least 0")
		}
	}
	if f.switchLinks && f.links == 0 {
		return nil, invalid("switch-links", "true", "--links with it")
	}
	f.anew = slices.Contains(engines(), f.reroute)
	var text []byte // read once: all cases are of one version of a file
	var dumped *spec.Network
	switch _, model := models.Find(name); {
	case model:
	case f.isFabric(name):
		dumped, err = f.loadFabric(ctx, name)
	default:
		text, err = readNetworkFile(ctx, name)
	}
	if err == nil && dumped == nil {
		err = f.noFabric(name)
	}
	if err != nil {
		return nil, err
	}
	format := ""
	if text != nil {
		format = f.formatOf(name, text)
	}
	if format == "" {
		err = f.noTopology(name)
	} else if f.engine == "" && f.anew {
		f.engine = f.reroute
	}
	if err != nil {
		return nil, err
	}
	var refused error // which Loads leaves to Load, as it does all errors
	open := beside(ctx, name)
	files := star.Loads(text, func(name string) ([]byte, error) {
		text, err := open(name)
		if errors.As(err, new(*overwriteError)) {
			refused = err
		}
		return text, err
	})
	if refused != nil {
		return nil, refused
	}
	if err := f.readChoices(name, text, files); err != nil {
		return nil, err
	}
	content := sha256.New()
	content.Write(text)
	if dumped != nil {
		fmt.Fprintln(content, dumped.Digest())
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(content, "%q %d ", name, len(files[name]))
		content.Write(files[name])
	}
	q := &sweep.Question{
		Network: name, Content: fmt.Sprintf("%x", content.Sum(nil)),
		Build: f.builder(name, text, format, files, dumped), Set: set, Links: f.links, Nodes: f.nodes, Dests: f.dests,
		Reroute: f.reroute, UpToSymmetry: f.upToSymmetry, Under: f.conditions(),
	}
	if f.switchLinks {
		q.Ends = terminals
	}
	return q, f.vary(q)
}

// conditions lists the flags that affect a case, besides those that are varied.
func (f *sweepFlags) conditions() []string {
	under := []string{fmt.Sprintf("settle=%d", max(0, f.settle)), fmt.Sprintf("max-sites=%d", f.maxSites)}
	for _, flag := range []struct{ name, value string }{
		{"switching", f.switching}, {"from", f.from}, {"route", f.engine}, {"scope", f.scope}, {"sl", f.sl},
	} {
		if flag.value != "" {
			under = append(under, flag.name+"="+flag.value)
		}
	}
	if f.bothWays {
		under = append(under, "both-ways")
	}
	if f.vcs > 0 {
		under = append(under, fmt.Sprintf("vcs=%d", f.vcs))
	}
	for _, name := range f.dest {
		under = append(under, fmt.Sprintf("dest=%q", name))
	}
	for _, name := range f.source {
		under = append(under, fmt.Sprintf("source=%q", name))
	}
	return under
}

// vary adds the ranges and the properties.
func (f *sweepFlags) vary(q *sweep.Question) (err error) {
	for _, text := range f.ranges {
		r := sweep.Range{Name: text, Values: f.choices[text]}
		if len(r.Values) == 0 {
			if r, err = sweep.ParseRange(text); err != nil {
				return fmt.Errorf("--range: %w", err)
			}
		}
		if _, fixed := q.Set[r.Name]; fixed {
			return fmt.Errorf("--range: %s has a fixed value, too", r.Name)
		}
		if slices.ContainsFunc(q.Ranges, func(other sweep.Range) bool { return other.Name == r.Name }) {
			return fmt.Errorf("--range %s: %s has a range already", text, r.Name)
		}
		q.Ranges = append(q.Ranges, r)
	}
	for _, s := range f.properties {
		p, ok := spec.ParseProperty(s)
		if !ok {
			return invalid("property", s, "deadlock, livelock or delivery")
		}
		q.Properties = append(q.Properties, p)
	}
	return nil
}

// builder returns a function that makes the network for given parameters.
func (f *sweepFlags) builder(
	name string, text []byte, format string, files map[string][]byte, dumped *spec.Network,
) func(context.Context, map[string]string) (routing.Definition, error) {
	return func(ctx context.Context, set map[string]string) (routing.Definition, error) {
		if e, ok := models.Find(name); ok {
			if e.IsMachine() {
				return routing.Definition{}, fmt.Errorf("%s is a machine, not a network", name)
			}
			def, err := e.WithContext(ctx).Define(set)
			if err != nil {
				return def, err
			}
			return f.changed(def)
		}
		if dumped != nil {
			return f.changed(routing.FromNetwork(dumped))
		}
		if format != "" {
			g, err := f.graph(ctx, name, text)
			if err != nil {
				return routing.Definition{}, err
			}
			def, err := f.routed(ctx, name, g, nil)
			if err != nil {
				return def, err
			}
			return f.changed(def)
		}
		if strings.HasSuffix(name, ".star") {
			file, err := star.Load(ctx, name, text, star.Options{Set: set, MaxSteps: f.maxSteps, Open: kept(files)})
			if err != nil {
				return routing.Definition{}, err
			}
			if file.Program != nil {
				return routing.Definition{}, fmt.Errorf("%s is a machine, not a network", name)
			}
			return f.changed(file.Definition)
		}
		if len(set) > 0 {
			return routing.Definition{}, fmt.Errorf("%s is a closed network, it has no parameters", name)
		}
		n, err := routing.ReadClosed(ctx, name, text,
			routing.CompileOptions{MaxSites: f.maxSites, Memory: f.budget.memory})
		if err != nil {
			return routing.Definition{}, err
		}
		return f.changed(routing.FromNetwork(n))
	}
}

// kept returns a reader of the files that have been read already.
func kept(files map[string][]byte) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return text, nil
		}
		return nil, fmt.Errorf("%s cannot be read", name)
	}
}

// readChoices notes the parameters of a network, with the values of those that have
// a list of them.
func (f *sweepFlags) readChoices(name string, text []byte, files map[string][]byte) error {
	f.choices = map[string][]string{}
	if e, ok := models.Find(name); ok {
		for _, p := range e.Parameters() {
			f.names, f.choices[p.Name] = append(f.names, p.Name), p.Choices
		}
	} else if strings.HasSuffix(name, ".star") {
		params, err := star.Params(name, text, star.Options{MaxSteps: f.maxSteps, Open: kept(files)})
		if err != nil {
			return err
		}
		for _, p := range params {
			f.names, f.choices[p.Name] = append(f.names, p.Name), p.Choices
		}
	}
	return nil
}

// identify refuses a --reroute that is not a parameter, and identifies a model.
func (f *sweepFlags) identify(ctx context.Context, q *sweep.Question) error {
	if e, ok := models.Find(q.Network); ok {
		if err := f.hashModel(ctx, q, e); err != nil {
			return err
		}
	}
	switch {
	case q.Reroute == "" || slices.Contains(f.names, q.Reroute):
		return nil
	case slices.Contains(engines(), q.Reroute):
		q.Engine = f.reroutedBy(q.Reroute)
		return nil
	}
	return invalid("reroute", q.Reroute, "an engine (%s), or a parameter of %s: %s",
		words.OneOf(engines()), q.Network, cmp.Or(strings.Join(f.names, ", "), "none"))
}

// reroutedBy returns what routes the rest of a network by an engine, between the nodes
// that send and receive where nothing has failed; every class takes the same ways.
func (f *sweepFlags) reroutedBy(
	engine string,
) func(context.Context, routing.Definition, routing.Definition) (routing.Definition, error) {
	return func(ctx context.Context, intact, left routing.Definition) (routing.Definition, error) {
		with := topologyFlags{engine: engine, vcs: f.vcs}
		r, err := with.route(ctx, left.Topology, route.Options{Terminals: terminals(intact), Name: intact.Name,
			Switching: intact.Switching, Buffer: intact.Buffer, Workers: 1})
		if err != nil {
			return left, err
		}
		def := routing.FromNetwork(r.Network)
		flows, senders := def.Flows, def.Senders
		def.Classes, def.Replies, def.Routing = intact.Classes, intact.Replies, everyClass{def.Routing}
		def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
			return flows(src, dst, 0) && left.Flows(src, dst, c)
		}
		def.Senders = func(all []spec.NodeID, to spec.Target) []spec.NodeID {
			return senders(all, spec.Target{Dest: to.Dest})
		}
		return def, nil
	}
}

// everyClass routes the packets of each class as those of the first.
type everyClass struct{ routing.Relation }

func (r everyClass) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	h.Class = 0
	return r.Relation.AppendHops(dst, at, h)
}

// terminals lists the nodes that send or receive.
func terminals(def routing.Definition) []spec.NodeID {
	nodes := spec.NodeID(def.Topology.Nodes())
	ends := make([]bool, nodes)
	var senders []spec.NodeID
	for dst := range nodes {
		for c := range spec.Class(max(1, len(def.Classes))) {
			if senders = senders[:0]; def.Senders != nil {
				senders = def.Senders(senders, spec.Target{Dest: dst, Class: c})
			} else {
				for src := range nodes {
					senders = append(senders, src)
				}
			}
			for _, src := range senders {
				if src != dst && (def.Flows == nil || def.Flows(src, dst, c)) {
					ends[src], ends[dst] = true, true
				}
			}
		}
	}
	all := []spec.NodeID{}
	for v, is := range ends {
		if is {
			all = append(all, spec.NodeID(v))
		}
	}
	return all
}

// hashModel makes the digest of a model: of the first of its networks, which stands for
// the code that describes it, and of the files that its parameters name.
func (f *sweepFlags) hashModel(ctx context.Context, q *sweep.Question, e catalogue.Entry) error {
	def, err := q.Build(ctx, q.First())
	if err != nil {
		return err
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{MaxSites: f.maxSites, Memory: f.budget.memory})
	if err != nil {
		return err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, n.Digest())
	for _, p := range e.Parameters() {
		for _, name := range q.Values(p.Name) {
			if !p.IsFile() || name == "" {
				continue
			}
			if err := overwritingOf(ctx).reads(name); err != nil {
				return err
			}
			text, err := readFile(ctx, name, mostClosed)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%s %q %x\n", p.Name, name, sha256.Sum256(text))
		}
	}
	q.Content = fmt.Sprintf("%x", sum.Sum(nil))
	return nil
}
