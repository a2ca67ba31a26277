package star

import (
	_ "embed" // for the rules of a network
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// A protocol runs over a network: its channels are FIFOs of the machine, its hops are
// rules. They come from the compiled relation, as tables that network_of.star reads.
// Packets are whole, and a channel holds as many as the network's buffer says.

//go:embed network_of.star
var networkRules string

const mostNetworkSites = 1 << 14

// networkOf is network_of(file, carries=, name=, and the file's parameters).
func (b *builder) networkOf(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	name, carries := "net", starlark.Value(starlark.NewList([]starlark.Value{starlark.None}))
	set := map[string]string{}
	var own []starlark.Tuple
	for _, kv := range kwargs {
		switch key := string(kv[0].(starlark.String)); key {
		case "file", "carries", "name":
			own = append(own, kv)
		default:
			text, is := starlark.AsString(kv[1])
			if !is {
				text = strings.ToLower(kv[1].String()) // true, as --set has it
			}
			set[key] = text
		}
	}
	var file string
	err := starlark.UnpackArgs(f.Name(), args, own, "file", &file, "carries?", &carries, "name?", &name)
	if err != nil {
		return nil, err
	}
	if !identifier(name) {
		return nil, fmt.Errorf("the name %.40q: want letters, digits and _", name)
	}
	n, err := b.compiled(t, file, set)
	// The call is wrong, not the file.
	wrong, given := new(spec.PosError), new(parameterError)
	if errors.As(err, &given) && errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: %s", file, wrong.Msg)
	}
	if err != nil {
		return nil, err
	}
	if n.Alternatives() > 0 {
		return nil, fmt.Errorf("%s commits packets to alternatives (oblivious): "+
			"a protocol runs over adaptive networks only so far", file)
	}
	if n.Discards() {
		return nil, fmt.Errorf("%s discards packets on purpose: a protocol runs over networks that deliver what they are "+
			"given only, so far", file)
	}
	of, err := domainOf(t, f, carries)
	if err != nil {
		return nil, fmt.Errorf("carries: %w", err)
	}
	predeclared := b.rulesOf(n)
	predeclared["carries"], predeclared["nothing"] = carries, of.values[0]
	text := []byte(strings.ReplaceAll(networkRules, "NET", name))
	tree, err := parse(networkFile, text)
	if err != nil {
		return nil, err
	}
	prog, err := b.compile(networkFile, text, tree, predeclared)
	if err != nil {
		return nil, err
	}
	globals, err := prog.Init(t, predeclared)
	if err != nil {
		return nil, err
	}
	globals.Freeze()
	predeclared.Freeze() // rules are evaluated on several cores
	if d := &b.m.rules[len(b.m.rules)-1]; len(d.over.args) > 0 && d.f.Position().Filename() == networkFile {
		d.hops = hopPlaces(n)
	}
	b.m.over = append(b.m.over, Over{name, n})
	return globals["net"], nil
}

// Networks lists the networks that the protocol runs over. Their flows and replies are ignored:
// the protocol decides who sends, and what a node accepts.
func (s *Source) Networks() []Over { return s.b.m.over }

// hopPlaces returns, by channel, where the network's file permits the hops out of it: at
// most three places, in the order met.
func hopPlaces(n *spec.Network) map[string]spec.Reason {
	const most = 3
	places := map[string][]spec.Reason{}
	_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		if s.Channel.IsInjection() {
			return nil
		}
		channel := n.Topology().ChannelName(s.Channel)
		for _, h := range hops {
			at := n.Reason(s, h)
			if at.File != "" { // without the calls around it
				at = spec.PlaceReason(at.File, at.Line, at.Col)
			}
			if h.Channel != spec.Eject && at.Text != "" && !slices.Contains(places[channel], at) {
				places[channel] = append(places[channel], at)
			}
		}
		return nil
	})
	out := map[string]spec.Reason{}
	for channel, all := range places {
		first := all[0]
		for _, other := range all[1:min(most, len(all))] {
			first.Text += " or " + other.Text
		}
		if len(all) > most {
			first.Text += " or ..."
		}
		out[channel] = first
	}
	return out
}

// compiled reads and compiles the file of a network in the same folder, which takes its steps from those that are
// left. Its replies are left out: they are what the protocol is about.
func (b *builder) compiled(t *starlark.Thread, file string, set map[string]string) (*spec.Network, error) {
	text, err := b.opt.open(file)
	if err != nil {
		return nil, err
	}
	if IsMachine(text) {
		return nil, fmt.Errorf("%s is a protocol: want a network", file)
	}
	opt := b.opt
	opt.Set = set
	opt.MaxSteps = max(1, runOf(t).limit-t.Steps)
	folder := b.file[:strings.LastIndexByte(b.file, '/')+1]
	l, err := Load(b.ctx, folder+file, text, opt)
	if err != nil {
		return nil, err
	}
	def, err := routing.Messages(b.ctx, l.Definition)
	if err != nil {
		return nil, err
	}
	if def.Switching == spec.Wormhole {
		def.Buffer = 1 // a channel belongs to one message
	}
	n, err := routing.Compile(b.ctx, def, routing.CompileOptions{MaxSites: mostNetworkSites, Workers: 1})
	if err != nil {
		return nil, err
	}
	return n, charge(t, int(l.steps)+10*n.SiteCount())
}

// rulesOf returns the tables of a network that its rules read.
func (b *builder) rulesOf(n *spec.Network) starlark.StringDict {
	topo := n.Topology()
	ints := func(n int) *starlark.List {
		l := starlark.NewList(nil)
		for i := range n {
			_ = l.Append(starlark.MakeInt(i))
		}
		return l
	}
	channel := func(c spec.ChannelID) starlark.Value { return starlark.String(topo.ChannelName(c)) }
	var classes, channels []starlark.Value
	for _, c := range n.Classes() {
		classes = append(classes, starlark.String(c))
	}
	ends := make([]*starlark.List, topo.Nodes())
	onward, arrived, entry := starlark.NewDict(topo.Channels()), starlark.NewDict(topo.Channels()),
		starlark.NewDict(n.FlowCount())
	for v := range ends {
		ends[v] = starlark.NewList(nil)
	}
	for c := range spec.ChannelID(topo.Channels()) {
		channels = append(channels, channel(c))
		_ = ends[topo.Head(c)].Append(channel(c))
		_ = onward.SetKey(channel(c), starlark.NewDict(0))
		_ = arrived.SetKey(channel(c), starlark.NewDict(0))
	}
	var passed []starlark.Value // channels that some packet leaves for another
	_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		class := classes[s.Header.Class]
		to := starlark.MakeInt(int(s.Header.Dest))
		onto := starlark.NewList(nil)
		key := starlark.Tuple{to, class, starlark.MakeInt(int(s.Header.Tag))}
		for _, h := range hops {
			if h.Channel != spec.Eject {
				_ = onto.Append(starlark.Tuple{
					channel(h.Channel), starlark.MakeInt(int(h.Tag)), starlark.MakeInt(max(1, int(h.Room))),
				})
				continue
			}
			at, _, _ := arrived.Get(channel(s.Channel))
			_ = at.(*starlark.Dict).SetKey(key, starlark.True)
		}
		if s.Channel.IsInjection() {
			return entry.SetKey(starlark.Tuple{starlark.MakeInt(int(topo.Head(s.Channel))), to, class}, onto)
		}
		if onto.Len() > 0 && !slices.Contains(passed, channel(s.Channel)) {
			passed = append(passed, channel(s.Channel))
		}
		at, _, _ := onward.Get(channel(s.Channel))
		return at.(*starlark.Dict).SetKey(key, onto)
	})
	all := starlark.StringDict{
		"nodes": ints(topo.Nodes()), "classes": starlark.NewList(classes), "tags": starlark.MakeInt(n.Tags()),
		"buffer":   starlark.MakeInt(n.Buffer()),
		"channels": starlark.NewList(channels), "onward": onward, "arrived": arrived, "entry": entry,
		"passed": starlark.NewList(passed),
	}
	perNode := starlark.NewList(nil)
	for _, l := range ends {
		_ = perNode.Append(l)
	}
	all["ends"] = perNode
	all["known"] = starlark.NewBuiltin("known", inNetwork)
	for name, f := range chargedBuiltins() {
		all[name] = f
	}
	for name, f := range b.machineBuiltins() {
		all[name] = f
	}
	return all
}

// inNetwork is known(what, value, values): it refuses a value that the network does not
// have.
func inNetwork(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	values, _ := elements(args[2])
	for _, v := range values {
		if same, err := starlark.Equal(v, args[1]); err != nil || same {
			return starlark.None, err
		}
	}
	if keyText(values[len(values)-1]) == "" { // a class without a name
		return nil, mistakef("invalid class %s: the network names no classes; leave it out", short(args[1]))
	}
	return nil, mistakef("invalid %s %s of the network: want one of %s", shown(args[0]), short(args[1]), short(args[2]))
}
