package bruteforcetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// network is a network as its author writes it.
type network struct {
	topo      *spec.Topology
	switching spec.Switching
	buffer    int // packets that a channel holds; flits of a worm
	classes   int
	tags      int
	sources   bool // routes depend on the source
	commits   bool // a route may be several alternatives, to one of which a packet is committed as it gets there
	route     func(question) [][]spec.Hop
	flows     []flow
	replies   []reply
}

// flow is who sends to whom.
type flow struct {
	from, to spec.NodeID
	class    int
}

// question is all that a routing function may look at. A packet that its source still has is in the source's
// injection channel.
type question struct {
	source spec.NodeID // 0 unless routes depend on it
	at     spec.ChannelID
	to     spec.NodeID
	class  int
	tag    spec.Tag
}

// reply says that a node that receives a request must send a reply.
type reply struct {
	request, reply int
	buffer         string
	places         int // of the request buffer
	// requests of a node that may be outstanding; 0: any number; only of those that begin a transaction
	outstanding int
	to          func(origin, at spec.NodeID) []spec.NodeID // one of them; nil: to the origin, or there to the sender of the request
}

// definition returns the network with a relation in Go. Where routes depend on the source, the tag carries it.
func (n *network) definition() routing.Definition {
	def := routing.Definition{Name: "drawn", Topology: n.topo, Switching: n.switching, Buffer: n.buffer, Tags: n.tags}
	own := spec.Tag(n.tags)
	if n.sources {
		def.Tags *= n.topo.Nodes()
	}
	def.Routing = routing.Router{Topology: n.topo, Route: func(p routing.Packet) routing.Choice {
		q := question{at: p.At, to: p.Dest, class: int(p.Class), tag: p.Tag}
		if n.sources {
			q.source, q.tag = spec.NodeID(p.Tag/own), p.Tag%own
			if p.At.IsInjection() {
				q.source = n.topo.Head(p.At)
			}
		}
		var all []routing.Choice
		for _, row := range n.route(q) {
			var hops []spec.Hop
			for _, hop := range row {
				if hop.Channel != spec.Eject {
					hop.Tag += spec.Tag(q.source) * own
				}
				hops = append(hops, hop)
			}
			all = append(all, routing.Adaptive(hops...))
		}
		return routing.Oblivious(all...)
	}}
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return slices.Contains(n.flows, flow{src, dst, int(c)})
	}
	if n.classes > 1 {
		def.Classes = n.classNames()
	}
	for _, r := range n.replies {
		x := routing.Reply{Request: spec.Class(r.request), Reply: spec.Class(r.reply), Slots: r.places, RequestBuffer: r.buffer, Outstanding: r.outstanding}
		if r.to != nil {
			x.To = func(dst []spec.NodeID, origin, at spec.NodeID) ([]spec.NodeID, error) {
				return append(dst, r.to(origin, at)...), nil
			}
		}
		def.Replies = append(def.Replies, x)
	}
	return def
}

// unit returns how many packets are in a full channel.
func (n *network) unit() int {
	if n.switching == spec.Wormhole {
		return 1
	}
	return n.buffer
}

func (n *network) classNames() []string { return []string{"a", "b", "c"}[:n.classes] }

// file returns the network as a file in Starlark, given the answers of its routing function and of the functions
// that say where replies go. It looks at no more than the answers depend on.
func (n *network) file(routes map[question][][]spec.Hop, uses uses, lists bool, to []map[[2]spec.NodeID][]spec.NodeID) string {
	var b strings.Builder
	fmt.Fprintf(&b, "network(name = \"drawn\", switching = %q, buffer = %d, tags = %d", n.switching, n.buffer, n.tags)
	if n.classes > 1 {
		fmt.Fprintf(&b, ", classes = [\"%s\"]", strings.Join(n.classNames(), `", "`))
	}
	if n.sources {
		b.WriteString(", sources = True")
	}
	fmt.Fprintf(&b, ")\nn = [node() for _ in range(%d)]\nl = [\n", n.topo.Nodes())
	for l := range spec.LinkID(n.topo.Links()) {
		x := n.topo.Link(l)
		fmt.Fprintf(&b, "    link(n[%d], n[%d], vcs = %d),\n", x.From, x.To, x.VCs)
	}
	b.WriteString("]\nflows([")
	for i, f := range n.flows {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(n[%d], n[%d], %d)", f.from, f.to, f.class)
	}
	b.WriteString("])\n")
	for i, r := range n.replies {
		args := ""
		if r.buffer != "" {
			args += fmt.Sprintf(", request_buffer = %q", r.buffer)
		}
		if r.places > 0 {
			args += fmt.Sprintf(", buffer = %d", r.places)
		}
		if r.outstanding > 0 {
			args += fmt.Sprintf(", outstanding = %d", r.outstanding)
		}
		if r.to != nil {
			fmt.Fprintf(&b, "to%d = {", i)
			for _, k := range slices.SortedFunc(maps.Keys(to[i]), func(a, b [2]spec.NodeID) int { return slices.Compare(a[:], b[:]) }) {
				fmt.Fprintf(&b, "(%d, %d): %s, ", k[0], k[1], list(to[i][k]))
			}
			b.WriteString("}\n")
			args += fmt.Sprintf(", to = lambda origin, at: [n[i] for i in to%d.get((origin.id, at.id), [])]", i)
		}
		fmt.Fprintf(&b, "replies(%d, %d%s)\n", r.request, r.reply, args)
	}
	b.WriteString(uses.function(n, routes, lists))
	return b.String()
}

// function writes the routing function. It looks its answer up in a dict, or in lists, with which fewer runs of it serve more
// sites.
func (u uses) function(n *network, routes map[question][][]spec.Hop, lists bool) string {
	alternative := func(hops []spec.Hop) string {
		var all []string
		for _, h := range hops {
			if h.Discards() {
				all = append(all, "(-1, 0, 0)")
				continue
			}
			if h.Channel == spec.Eject { // only a relation in Go can say this
				all = append(all, "ejected")
				continue
			}
			all = append(all, fmt.Sprintf("(%d, %d, %d)", n.topo.LinkOf(h.Channel), n.topo.VC(h.Channel), h.Tag))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	answer := func(q question) string {
		if !n.commits {
			return alternative(routes[q][0])
		}
		var all []string
		for _, hops := range routes[q] {
			all = append(all, alternative(hops))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	parts := u.parts(n)
	var names, terms []string
	for _, p := range parts {
		names, terms = append(names, p.name), append(terms, p.term)
	}
	var b strings.Builder
	find := "hops[" + strings.Join(terms, "][") + "]"
	if lists {
		byKey := map[string]string{}
		for q := range routes {
			byKey[fmt.Sprint(u.key(n, q))] = answer(q)
		}
		var write func(key []int) string
		write = func(key []int) string {
			if len(key) == len(parts) {
				if hops, known := byKey[fmt.Sprint(key)]; known {
					return hops
				}
				return "[]"
			}
			var all []string
			for i := range parts[len(key)].size {
				all = append(all, write(append(key[:len(key):len(key)], i)))
			}
			separator := ", "
			if len(key) == 0 {
				separator = ",\n    "
			}
			return "[" + strings.Join(all, separator) + "]"
		}
		fmt.Fprintf(&b, "hops = %s  # by %s\n", write(nil), strings.Join(names, ", "))
	} else {
		var lines []string
		for q := range routes {
			lines = append(lines, fmt.Sprintf("    (%s): %s,\n", strings.Trim(strings.ReplaceAll(fmt.Sprint(u.key(n, q)), " ", ", "), "[]"), answer(q)))
		}
		slices.Sort(lines)
		fmt.Fprintf(&b, "hops = {  # by %s\n%s}\n", strings.Join(names, ", "), strings.Join(lines, ""))
		find = "hops.get((" + strings.Join(terms, ", ") + "), [])"
	}
	row := "[discard() if i < 0 else hop(l[i], vc, tag) for i, vc, tag in %s]"
	if n.commits {
		row = "oblivious([[discard() if i < 0 else hop(l[i], vc, tag) for i, vc, tag in x] for x in %s or [[]]])"
	}
	fmt.Fprintf(&b, "def route(at, to):\n    return "+row+"\n", find)
	return b.String()
}

// part is a part of a question that a routing function looks at.
type part struct {
	name, term string // in the file
	size       int    // its values are 0 .. size-1
	of         func(question) int
}

// parts lists what a routing function looks at. The injection channels of nodes are numbered after the others.
func (u uses) parts(n *network) []part {
	nodes, channels := n.topo.Nodes(), n.topo.Channels()
	all := []part{{"node", "at.node.id", nodes, func(q question) int { return int(n.topo.Head(q.at)) }}}
	if u.channel {
		all[0] = part{"channel", fmt.Sprintf("%d + at.node.id if at.injecting else at.channel", channels), channels + nodes, func(q question) int {
			if q.at.IsInjection() {
				return channels + int(n.topo.Head(q.at))
			}
			return int(q.at)
		}}
	}
	all = append(all, part{"destination", "to.id", nodes, func(q question) int { return int(q.to) }})
	if u.class {
		all = append(all, part{"class", "at.cls", n.classes, func(q question) int { return q.class }})
	}
	if u.tag {
		all = append(all, part{"tag", "at.tag", n.tags, func(q question) int { return int(q.tag) }})
	}
	if u.source {
		all = append(all, part{"source", "at.src.id", nodes, func(q question) int { return int(q.source) }})
	}
	return all
}

func (u uses) key(n *network, q question) (key []int) {
	for _, p := range u.parts(n) {
		key = append(key, p.of(q))
	}
	return key
}

func list(nodes []spec.NodeID) string {
	return strings.ReplaceAll(fmt.Sprint(nodes), " ", ", ")
}

// uses says what a routing function looks at, besides the node and the destination.
type uses struct{ channel, class, tag, source bool }

// reduced returns the question with all that is not looked at put to 0, and with the injection channel of the node
// in place of the channel if that is not looked at.
func (u uses) reduced(t *spec.Topology, q question) question {
	if !u.channel {
		q.at = spec.Injection(t.Head(q.at))
	}
	if !u.class {
		q.class = 0
	}
	if !u.tag {
		q.tag = 0
	}
	if !u.source {
		q.source = 0
	}
	return q
}
