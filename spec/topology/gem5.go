package topology

import (
	"bytes"
	"slices"
	"strings"
)

// readGem5 reads the configuration that gem5 writes (config.ini) of a network of Ruby, Garnet or Simple. Before
// Garnet 2.0 (2016) its internal links were cables between node_a and node_b; since then each leads one way:
//
//	[system.ruby.network.int_links0]
//	type=GarnetIntLink
//	src_node=system.ruby.network.routers0
//	dst_node=system.ruby.network.routers1
//	src_outport=East
//	dst_inport=West
//	weight=1
//
// Routers are nodes, in the order of their router_id, internal links are links with the ports, the weight and the
// latency that they have. A router sends if it has an external link; its attribute nodes lists the controllers there.
// vcs_per_vnet is the number of VCs of each link: Garnet's virtual networks share nothing.
func (d *draft) readGem5(text []byte) error {
	sections, err := d.sections(text)
	if err != nil {
		return err
	}
	routers := map[string]int{} // by name, its number
	attached := map[string][]string{}
	vcs := 0
	for _, s := range sections {
		switch kind := strings.TrimSuffix(s.values["type"].text, "_d"); { // so were the types of Garnet called, too
		case kind == "GarnetNetwork":
			if f, given := s.values["vcs_per_vnet"]; given {
				if vcs, err = d.natural(f, "vcs_per_vnet", 1); err != nil {
					return err
				}
			}
		case strings.HasSuffix(kind, "Router") || kind == "Switch":
			if f, given := s.values["router_id"]; given {
				if routers[s.name.text], err = d.natural(f, "router_id", 0); err != nil {
					return err
				}
			}
		case strings.HasSuffix(kind, "ExtLink"):
			router, controller, err := d.ends(s, "int_node", "ext_node")
			if err != nil {
				return err
			}
			if _, err := d.node(router.text, lastOf(router.text), router.at); err != nil {
				return err
			}
			attached[router.text] = append(attached[router.text], lastOf(controller.text))
		case strings.HasSuffix(kind, "IntLink"):
			if err := d.gem5Link(s, vcs); err != nil {
				return err
			}
		}
	}
	if len(d.links) == 0 {
		return d.wrong(start, "no internal link (GarnetIntLink or SimpleIntLink) in the configuration")
	}
	key := make([]int, len(d.nodes))
	for name, i := range d.index {
		key[i] = len(routers) + i
		if n, known := routers[name]; known {
			key[i] = n
		}
		if names := attached[name]; names != nil {
			slices.Sort(names)
			d.nodes[i].attributes = []Attribute{{"terminal", true}, {"nodes", strings.Join(names, " ")}}
		}
	}
	d.sort(key)
	return nil
}

// gem5Link adds an internal link.
func (d *draft) gem5Link(s section, vcs int) error {
	ends := [2]string{"src_node", "dst_node"}
	_, cable := s.values["node_a"]
	if cable {
		ends = [2]string{"node_a", "node_b"}
	}
	from, to, err := d.ends(s, ends[0], ends[1])
	if err != nil {
		return err
	}
	l := draftLink{at: s.name.at, both: cable}
	if l.from, err = d.node(from.text, lastOf(from.text), from.at); err != nil {
		return err
	}
	if l.to, err = d.node(to.text, lastOf(to.text), to.at); err != nil {
		return err
	}
	for _, a := range []struct{ key, name string }{
		{"src_outport", "out"}, {"dst_inport", "in"}, {"weight", "weight"}, {"latency", "latency"},
	} {
		if f := s.values[a.key]; f.text != "" {
			l.attributes = append(l.attributes, Attribute{a.name, ValueOf(f.text)})
		}
	}
	if vcs > 0 {
		l.attributes = append(l.attributes, Attribute{"vcs", vcs})
	}
	return d.link(l)
}

// ends returns the nodes that a section joins.
func (d *draft) ends(s section, one, other string) (a, b field, err error) {
	a, b = s.values[one], s.values[other]
	if a.text == "" || b.text == "" {
		return a, b, d.wrong(s.name.at, "section %.60q: want %s and %s", s.name.text, one, other)
	}
	return a, b, nil
}

// lastOf returns the last name of a path of gem5's objects. A router that an external link owns is called int_node, as
// are those of other links, so its name is that of both.
func lastOf(path string) string {
	const owned = ".int_node"
	return path[strings.LastIndexByte(strings.TrimSuffix(path, owned), '.')+1:]
}

// section is a section of a configuration: its name, and its values by their keys.
type section struct {
	name   field
	values map[string]field
}

// sections reads the sections that describe a network.
func (d *draft) sections(text []byte) (all []section, err error) {
	line, seen := 0, map[string]int{}
	for row := range bytes.Lines(text) {
		line++
		if err := d.interrupted(); err != nil {
			return nil, err
		}
		s := strings.TrimSpace(string(row))
		at := place{line, 1 + len(row) - len(bytes.TrimLeft(row, " \t"))}
		switch {
		case s == "" || s[0] == '#' || s[0] == ';':
		case s[0] == '[':
			name, closed := strings.CutSuffix(s[1:], "]")
			if !closed {
				return nil, d.wrong(at, "a section without ]")
			}
			if first, twice := seen[name]; twice {
				return nil, d.wrong(at, "section %.60q is there twice: first at line %d", name, first)
			}
			seen[name] = line
			all = append(all, section{field{name, at}, map[string]field{}})
		default:
			key, value, found := strings.Cut(s, "=")
			if !found || len(all) == 0 {
				return nil, d.wrong(at, "want [section] or key=value")
			}
			value = strings.TrimSpace(value)
			all[len(all)-1].values[strings.TrimSpace(key)] = field{value, place{line, at.col + len(s) - len(value)}}
		}
	}
	return all, nil
}
