package star

import (
	_ "embed" // for the rules of a network
	"errors"
	"fmt"
	"maps"
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
	of, err := domainOf(t, f, carries)
	if err != nil {
		return nil, fmt.Errorf("carries: %w", err)
	}
	return b.runsOver(t, name, n, networkRules, carries, of.values[0], nil)
}

// runsOver declares a network by rules in Starlark, which find its tables, what it carries and some more names.
func (b *builder) runsOver(t *starlark.Thread, name string, n *spec.Network, rules string,
	carries, nothing starlark.Value, more starlark.StringDict) (starlark.Value, error) {
	predeclared := b.rulesOf(n)
	maps.Copy(predeclared, more)
	predeclared["carries"], predeclared["nothing"] = carries, nothing
	text := []byte(strings.ReplaceAll(rules, "NET", name))
	tree, err := parse(networkFile, text)
	if err != nil {
		return nil, err
	}
	prog, err := b.compile(networkFile, text, tree, predeclared)
	if err != nil {
		return nil, err
	}
	first := len(b.m.rules)
	globals, err := prog.Init(t, predeclared)
	if err != nil {
		return nil, err
	}
	globals.Freeze()
	predeclared.Freeze() // rules are evaluated on several cores
	for i := first; i < len(b.m.rules); i++ {
		d := &b.m.rules[i]
		switch d.f.Name() {
		case "commits":
			d.hops = hopPlaces(n, func(s spec.Site, _ spec.Hop) starlark.Value {
				if !s.Channel.IsInjection() {
					return nil
				}
				name, committed, err := predeclared["committed"].(*starlark.Dict).Get(flowOf(n, s))
				if err != nil || !committed {
					return nil
				}
				return name
			})
		case "discarding":
			d.hops = hopPlaces(n, func(s spec.Site, h spec.Hop) starlark.Value { return inChannel(n, s, h.Discards()) })
		case "moves":
			d.hops = hopPlaces(n, func(s spec.Site, h spec.Hop) starlark.Value {
				return inChannel(n, s, h.Channel != spec.Eject)
			})
		case "arrives":
			d.hops = hopPlaces(n, func(s spec.Site, h spec.Hop) starlark.Value {
				return inChannel(n, s, h.Channel == spec.Eject)
			})
		}
	}
	b.m.over = append(b.m.over, Over{name, n})
	return globals["net"], nil
}

// Networks lists the networks that the protocol runs over. Their flows and replies are ignored:
// the protocol decides who sends, and what a node accepts.
func (s *Source) Networks() []Over { return s.b.m.over }

// inChannel names the channel of a site that is not at a source, if it is of interest; nil otherwise.
func inChannel(n *spec.Network, s spec.Site, of bool) starlark.Value {
	if s.Channel.IsInjection() || !of {
		return nil
	}
	return starlark.String(n.Topology().ChannelName(s.Channel))
}

// flowOf returns the flow of a site at a source: source, destination and class.
func flowOf(n *spec.Network, s spec.Site) starlark.Tuple {
	return starlark.Tuple{
		starlark.MakeInt(int(n.Topology().Head(s.Channel))), starlark.MakeInt(int(s.Header.Dest)),
		starlark.String(n.Classes()[s.Header.Class]),
	}
}

// hopPlaces returns, by the value to which a rule's instance belongs, where the network's file permits its hops: at
// most three places, in the order met. A hop that belongs to none has no value.
func hopPlaces(n *spec.Network, value func(spec.Site, spec.Hop) starlark.Value) map[string]spec.Reason {
	const most = 3
	places := map[string][]spec.Reason{}
	_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		for _, h := range hops {
			of := value(s, h)
			if of == nil {
				continue
			}
			at := n.Reason(s, h)
			if at.File != "" { // without the calls around it
				at = spec.PlaceReason(at.File, at.Line, at.Col)
			}
			if key := shown(of); at.Text != "" && !slices.Contains(places[key], at) {
				places[key] = append(places[key], at)
			}
		}
		return nil
	})
	out := map[string]spec.Reason{}
	for key, all := range places {
		first := all[0]
		for _, other := range all[1:min(most, len(all))] {
			first.Text += " or " + other.Text
		}
		if len(all) > most {
			first.Text += " or ..."
		}
		out[key] = first
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
	onward, arrived, discarded := starlark.NewDict(topo.Channels()), starlark.NewDict(topo.Channels()),
		starlark.NewDict(topo.Channels())
	entry := starlark.NewDict(n.FlowCount())                                 // by flow, its alternatives
	flows, committed := starlark.NewDict(0), starlark.NewDict(n.FlowCount()) // those of several, by name and back
	for v := range ends {
		ends[v] = starlark.NewList(nil)
	}
	for c := range spec.ChannelID(topo.Channels()) {
		channels = append(channels, channel(c))
		_ = ends[topo.Head(c)].Append(channel(c))
		_ = onward.SetKey(channel(c), starlark.NewDict(0))
		_ = arrived.SetKey(channel(c), starlark.NewDict(0))
		_ = discarded.SetKey(channel(c), starlark.NewDict(0))
	}
	var passed, lossy []starlark.Value // channels that some packet leaves for another, or where it may be discarded
	_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		class := classes[s.Header.Class]
		to := starlark.MakeInt(int(s.Header.Dest))
		onto := starlark.NewList(nil)
		key := starlark.Tuple{to, class, starlark.MakeInt(int(s.Header.Tag))}
		for _, h := range hops {
			in := arrived
			switch {
			case h.Channel != spec.Eject:
				_ = onto.Append(starlark.Tuple{
					channel(h.Channel), starlark.MakeInt(int(h.Tag)), starlark.MakeInt(max(1, int(h.Room))),
				})
				continue
			case s.Channel.IsInjection() && h.Discards():
				_ = onto.Append(starlark.Tuple{starlark.String(""), starlark.MakeInt(0), starlark.MakeInt(1)})
				continue
			case s.Channel.IsInjection():
				continue
			case h.Discards():
				if in = discarded; !slices.Contains(lossy, channel(s.Channel)) {
					lossy = append(lossy, channel(s.Channel))
				}
			}
			at, _, _ := in.Get(channel(s.Channel))
			_ = at.(*starlark.Dict).SetKey(key, starlark.True)
		}
		if s.Channel.IsInjection() {
			return enter(entry, flows, committed, flowOf(n, s), onto)
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
		"passed": starlark.NewList(passed), "lossy": starlark.NewList(lossy), "discarded": discarded,
		"flows": flows, "committed": committed,
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

// enter adds the hops of an alternative to those of a flow: its source, destination and class. The second one names the
// flow among those that are committed.
func enter(entry, flows, committed *starlark.Dict, flow starlark.Tuple, hops *starlark.List) error {
	others, met, err := entry.Get(flow)
	if err != nil || !met {
		return errors.Join(err, entry.SetKey(flow, starlark.NewList([]starlark.Value{hops})))
	}
	class := string(flow[2].(starlark.String))
	name := starlark.String(strings.TrimSpace(fmt.Sprintf("%v>%v %s", flow[0], flow[1], class)))
	return errors.Join(others.(*starlark.List).Append(hops), flows.SetKey(name, flow), committed.SetKey(flow, name))
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
