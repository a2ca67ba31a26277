// Package booksim, internal to unknot, reads the configurations of BookSim 2 (Jiang and others, ISPASS 2013), a
// simulator of interconnection networks: the network that a configuration names ([Configuration.Definition]), and the
// traffic ([Configuration.Run]). It was written from the behaviour of BookSim's sources, and compared with their
// functions.
//
// A network has the links, the ports and the VCs that BookSim has, the numbers of its routers and nodes, and its
// routing function with what that depends on: the port and VC of a packet, its class, and the state that BookSim keeps in it,
// here the tag. Where BookSim draws a random number, or compares credits, to commit a packet, it is committed to one of
// several alternatives. What is decided is thus the function in BookSim, with its faults: some share a VC between two
// sets if the number of VCs is odd.
//
// Switching is wormhole, with vc_buf_size flits a VC. BookSim lets a packet into a VC behind the tail of another unless
// wait_for_tail_credit is set, which is a matter of the scenario ([Configuration.Scenario], [Run.Shared]). Of several
// ranges of VCs with one priority BookSim keeps the first (a std::set ordered by priority alone), so its min_adapt and
// planar_adapt hardly adapt; here they are as their functions mean them, with a warning.
package booksim

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/prompt"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Options settles what a configuration leaves open.
type Options struct {
	Set  map[string]string                 // settings that replace those of the file, as on BookSim's command line
	Open func(name string) ([]byte, error) // reads the network_file of an anynet
}

// Configuration is a configuration that has been read.
type Configuration struct {
	Definition routing.Definition
	Warnings   []string
	settings   *settings
	graph      *graph
	shared     bool // see [Configuration.Scenario]
}

const (
	mostBytes = 1 << 20 // of a configuration
	mostTags  = 1 << 12 // one for each intermediate router, and one for none
)

// Read reads a configuration, or what BookSim printed when it ran one: the copy with which that begins. Errors are
// *spec.PosError (file:line:col: what is wrong), those about Set name --set.
// Time and memory are linear in the network, which has at most 2^20 routers and 2^24 channels; for anynet, a Dijkstra search
// from each router.
func Read(ctx context.Context, file string, text []byte, opt Options) (*Configuration, error) {
	s := &settings{file, map[string]value{}}
	logged := isPrinted(text)
	if len(text) > mostBytes && !logged {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: fmt.Sprintf("too long: want at most %d bytes", mostBytes)}
	}
	if _, pasted := prompt.Above(text); pasted {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: prompt.Advice}
	}
	c := &Configuration{settings: s}
	text, marked := bytes.CutPrefix(text, []byte(byteOrder))
	read := s.scan
	if logged {
		read = s.printed
	}
	var err error
	if c.Warnings, err = read(text); err != nil {
		return nil, err
	}
	if marked {
		c.Warnings = append(c.Warnings, file+":1:1: begins with a byte order mark, at which BookSim stops")
	}
	for _, name := range slices.Sorted(maps.Keys(opt.Set)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("--set %s: no setting of BookSim 2%s", name, words.Suggestion(name, names))
		}
		if s.both(name, opt.Set[name]) {
			return nil, fmt.Errorf("--set %s=%s: here and in %s, %s", name, opt.Set[name], file, bothForms)
		}
		s.of[name] = value{text: opt.Set[name]}
	}
	if err := c.refused(); err != nil {
		return nil, err
	}
	return c, c.define(ctx, opt)
}

// text returns a setting as a string.
func (c *settings) text(name, usual string) string {
	if v, given := c.of[name]; given {
		return v.text
	}
	return usual
}

// refused names the first setting that makes another network than those that are read.
func (c *Configuration) refused() error {
	for _, x := range []struct{ name, usual, why string }{
		{"router", "iq", "only input-queued routers (iq) are read"},
		{"subnets", "1", "they are copies of one network, which alone is read: want 1, as by --set subnets=1"},
		{"link_failures", "0", "links that fail by chance are not read: want 0; unknot sweep fails each of them, by --links"},
		{"buffer_policy", "private", "VCs that share a buffer are not read: want private"},
		{"buf_size", "-1", "VCs that share a buffer are not read: leave it out"},
		{"noq", "0", "next-hop-output queueing is not read: want 0"},
		{"output_buffer_size", "-1", "bounded buffers at the outputs are not read: leave it out"},
		{"channel_file", "", "leave it out"},
	} {
		if got := c.settings.text(x.name, x.usual); got != x.usual {
			return c.settings.wrong(x.name, "%s %.40q: %s", x.name, got, x.why)
		}
	}
	return nil
}

// topologies lists what is read.
var topologies = []string{"mesh", "torus", "cmesh", "fly", "fattree", "flatfly", "dragonflynew", "anynet"}

// define makes the network.
func (c *Configuration) define(ctx context.Context, opt Options) error {
	s := c.settings
	topology, name := s.text("topology", "torus"), s.text("routing_function", "none")
	if !slices.Contains(topologies, topology) {
		return s.wrong("topology", "topology %.40q is not read: want %s", topology, words.OneOf(topologies))
	}
	f, known := functions[name+"_"+topology]
	if !known {
		return s.wrong("routing_function", "routing function %.40q of topology %s is not read: want %s; "+
			"another one can be written in Starlark (unknot help network-files)",
			name, topology, words.OneOf(functionsOf(topology)))
	}
	g, err := c.wire(ctx, topology, opt)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, "_adapt") {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: BookSim 2 keeps one range of VCs of each priority "+
			"(outputset.hpp), so it takes the first dimension alone; here %s may take all that it adds", s.file, name))
	}
	if topology == "anynet" {
		if f.choices, err = c.shortest(ctx, g); err != nil {
			return err
		}
	}
	var buffer, tail int
	err = s.numbers(setting{&buffer, "vc_buf_size", 8, 1, 1 << 20}, setting{&tail, "wait_for_tail_credit", 0, 0, 1})
	if err != nil {
		return err
	}
	c.shared = tail == 0 && buffer > 1
	classes, ranges, err := c.classes(g.vcs)
	if err != nil {
		return err
	}
	for i, r := range ranges {
		if name == "min_adapt" && topology == "mesh" && r[0] > 0 {
			return s.wrong("routing_function", "min_adapt of topology mesh with a %s that begins with VC %d is not read: "+
				"BookSim gives its escape VCs 0 to %[2]d, with the priority %[2]d: want it to begin with VC 0", classes[i], r[0])
		}
		if want := f.vcs(g); r[1]-r[0]+1 < want {
			of := "num_vcs"
			if len(ranges) > 1 {
				of = strings.ReplaceAll(classes[i], "-", "_") + "_end_vc"
			}
			why := ""
			if strings.HasSuffix(name, "_ni") {
				why = ", one for each destination"
			}
			return s.wrong(of, "routing function %s of topology %s has %s here: want at least %d%s", name, topology,
				words.Plural(r[1]-r[0]+1, "VC"), want, why)
		}
	}
	tags := f.tags(g)
	if tags > mostTags {
		return s.wrong("k", "routing function %s has %d intermediate routers: want at most %d", name, tags-1, mostTags-1)
	}
	c.graph = g
	c.Definition = routing.Definition{
		Name: fmt.Sprintf("%s, %s", name, c.title(topology, g)), Origin: s.file, Topology: g.topology, Classes: classes,
		Tags: tags, Switching: spec.Wormhole, Buffer: buffer,
		Routing: routing.Named(name+"_"+topology, routing.Router{
			Topology: g.topology, Arrivals: true,
			Route: func(p routing.Packet) routing.Choice { return g.route(f, p, ranges[p.Class]) },
		}),
	}
	if g.inject != nil {
		ends := map[spec.NodeID]bool{}
		for _, v := range g.node {
			ends[v] = true
		}
		c.Definition.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return ends[src] && ends[dst] }
	}
	return nil
}

// Scenario returns what is to be asked about packets in one VC: BookSim lets a packet into a VC behind the tail of another
// unless wait_for_tail_credit is set, so that packets of the configuration's length share channels, of any length if it has
// several. It is the zero scenario, one packet in each VC, if it is set or a VC has room for one flit.
func (c *Configuration) Scenario() spec.Scenario {
	if !c.shared {
		return spec.Scenario{}
	}
	sc := spec.Scenario{Shared: true, Length: spec.AnyLength}
	if r := (Run{}); len(c.Definition.Classes) == 0 {
		if _, err := c.lengths(&r); err == nil && len(r.Lengths) == 1 {
			sc.Length = r.Lengths[0].Flits
		}
	}
	return sc
}

// Behind says, at the line of the file, why [Configuration.Scenario] is not the zero scenario, and how to make it that.
func (c *Configuration) Behind() string {
	return c.settings.wrong("wait_for_tail_credit", "BookSim lets a packet into a VC behind the tail of another (--shared); "+
		"--set wait_for_tail_credit=1 asks for one packet in each VC").Error()
}

// title names a network.
func (c *Configuration) title(topology string, g *graph) string {
	if topology == "anynet" {
		return "anynet " + spec.Printable(c.settings.text("network_file", ""))
	}
	return fmt.Sprintf("%s k=%d n=%d", topology, g.k, g.n)
}

// functionsOf lists the functions of a topology that are read.
func functionsOf(topology string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(functions)) {
		if name, ok := strings.CutSuffix(key, "_"+topology); ok {
			all = append(all, name)
		}
	}
	return all
}

// route asks a function about a packet, or takes it from its node to its router.
func (g *graph) route(f function, p routing.Packet, vcs [2]int) routing.Choice {
	s := step{
		graph: g, at: int(g.number[p.Node]), dest: int(g.number[p.Dest]), in: -1, tag: int(p.Tag), lo: vcs[0], hi: vcs[1],
	}
	if g.inject != nil && int(p.Node) >= len(g.router) { // at a node
		if p.Node == p.Dest {
			return routing.Arrive()
		}
		l := g.inject[s.at]
		hops := make([]spec.Hop, 0, s.hi-s.lo+1)
		for vc := s.lo; vc <= s.hi; vc++ {
			hops = append(hops, spec.Hop{Channel: g.topology.Channel(l, vc)})
		}
		return routing.Adaptive(hops...)
	}
	if !p.At.IsInjection() {
		s.vc = g.topology.VC(p.At)
		if l := g.topology.LinkOf(p.At); g.inject == nil || int(g.topology.Link(l).From) < len(g.router) {
			s.in = int(g.port[l])
		}
	}
	return f.choices(s)
}

// wire makes the topology.
func (c *Configuration) wire(ctx context.Context, topology string, opt Options) (*graph, error) {
	s := c.settings
	var k, n, con, vcs int
	if err := s.numbers(setting{&vcs, "num_vcs", 16, 1, mostVCs}); err != nil {
		return nil, err
	}
	if topology == "anynet" {
		return c.anynet(ctx, vcs, opt)
	}
	mostN, usualC := 20, 1
	switch topology {
	case "cmesh":
		mostN = 2
	case "flatfly":
		mostN = 4
	case "dragonflynew":
		mostN = 1
	}
	err := s.numbers(setting{&k, "k", 8, 2, 1 << 16}, setting{&n, "n", 2, 1, mostN}, setting{&con, "c", usualC, 1, 1 << 10})
	if err != nil {
		return nil, err
	}
	routers, ports := power(k, n), 2*n
	switch topology {
	case "fly", "fattree":
		routers, ports = n*power(k, n-1), 2*k
	case "flatfly":
		ports = con + (k-1)*n
	case "cmesh":
		ports = 8
	case "dragonflynew":
		routers, ports = 2*k*min(2*k*k+1, mostRouters+1), 4*k
	}
	if routers > mostRouters || routers*ports > mostChannels/vcs {
		return nil, s.wrong("k", "topology %s with k = %d, n = %d and %s is too large: want at most %d routers and %d channels",
			topology, k, n, words.Plural(vcs, "VC"), mostRouters, mostChannels)
	}
	switch topology {
	case "mesh", "torus":
		return cube(k, n, vcs, topology == "torus"), nil
	case "fly":
		return fly(k, n, vcs), nil
	case "fattree":
		return fatTree(k, n, vcs), nil
	case "dragonflynew":
		return dragonfly(k, vcs), nil
	}
	return c.onChip(topology, k, n, con, vcs)
}

// onChip makes the networks whose nodes stand in rows and columns.
func (c *Configuration) onChip(topology string, k, n, con, vcs int) (*graph, error) {
	s := c.settings
	var x, y, xr, yr int
	err := s.numbers(setting{&x, "x", 8, 1, 1 << 16}, setting{&y, "y", 8, 1, 1 << 16},
		setting{&xr, "xr", 1, 1, 1 << 10}, setting{&yr, "yr", 1, 1, 1 << 10})
	switch {
	case err != nil:
		return nil, err
	case x != y:
		return nil, s.wrong("y", "x = %d, y = %d: BookSim 2 asserts that there are as many columns as rows", x, y)
	case xr != yr || xr*yr != con:
		return nil, s.wrong("c", "c = %d, xr = %d, yr = %d: BookSim 2 asserts that a router has xr times yr nodes, "+
			"xr and yr alike", con, xr, yr)
	case x*y != power(k, n):
		return nil, s.wrong("x", "x times y is %d: want %d, the number of routers", x*y, power(k, n))
	case topology == "flatfly":
		return flattenedButterfly(k, n, con, vcs, x, xr), nil
	case con != 4 || n != 2:
		return nil, s.wrong("c", "c = %d, n = %d: BookSim's cmesh has c = 4 and n = 2", con, n)
	case k%2 != 0:
		return nil, s.wrong("k", "k = %d: the express channels of a cmesh lead half of an edge along, want an even k", k)
	}
	return concentratedMesh(k, vcs), nil
}

// classes returns the classes of packets and the VCs that each may use.
func (c *Configuration) classes(vcs int) (names []string, ranges [][2]int, err error) {
	s := c.settings
	text := s.text("use_read_write", "0")
	each := list(text)
	for _, x := range each {
		if x != "0" && x != "1" {
			return nil, nil, s.wrong("use_read_write",
				"invalid use_read_write %.40q: want 0 or 1, or {1} with one for each class", text)
		}
	}
	if !slices.Contains(each, "1") {
		return nil, [][2]int{{0, vcs - 1}}, nil
	}
	of, err := s.number("classes", 1, 1, 1<<10)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case slices.Contains(each, "0"):
		return nil, nil, s.wrong("use_read_write",
			"use_read_write %.40q: classes with reads and writes beside classes without are not read", text)
	case strings.HasPrefix(text, "{") && len(each) != of:
		return nil, nil, s.wrong("use_read_write",
			"use_read_write %.40q with classes = %d: want one for each class", text, of)
	}
	for i, name := range []string{"read_request", "write_request", "read_reply", "write_reply"} {
		usual := [][2]int{{0, 5}, {2, 7}, {8, 13}, {10, 15}}[i]
		half := [][2]int{{0, vcs/2 - 1}, {vcs / 2, vcs - 1}}[i/2]
		var r [2]int
		for j, end := range []string{"begin", "end"} {
			key := fmt.Sprintf("%s_%s_vc", name, end)
			if _, given := s.of[key]; !given && usual[j] >= vcs {
				return nil, nil, s.wrong("use_read_write", "use_read_write gives each type of packet its VCs, and %s is %d unless it "+
					"is set: want -1 to %d (-1: requests have one half of the VCs, replies the other)", key, usual[j], vcs-1)
			}
			if r[j], err = s.number(key, usual[j], -1, vcs-1); err != nil {
				return nil, nil, err
			}
			if r[j] < 0 {
				r[j] = half[j]
			}
		}
		if r[0] > r[1] {
			return nil, nil, s.wrong(name+"_end_vc", "VCs %d to %d of %s: want at least one", r[0], r[1], name)
		}
		names, ranges = append(names, strings.ReplaceAll(name, "_", "-")), append(ranges, r)
	}
	return names, ranges, nil
}
