package topology

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// aliases are the names that files use for each attribute of a link or a node.
var aliases = map[string]string{
	"source_port": "out", "sourceport": "out", "src_port": "out", "srcport": "out", "from_port": "out",
	"target_port": "in", "targetport": "in", "dst_port": "in", "dstport": "in", "to_port": "in", "into": "in",
	"tailport": "out", "headport": "in",
	"dimension": "dim",
}

// find returns an attribute, ignoring the case of its name, or nil.
func find(attributes []Attribute, name string) (value any, written string) {
	for _, a := range attributes {
		if lower := strings.ToLower(a.Name); lower == name || aliases[lower] == name {
			return a.Value, a.Name
		}
	}
	return nil, ""
}

// weighing are attributes of links by which other programs choose routes.
var weighing = map[string]bool{
	"weight": true, "cost": true, "metric": true, "latency": true, "delay": true, "distance": true, "length": true,
	"capacity": true, "bandwidth": true, "speed": true, "rate": true,
}

// Weights returns, sorted, the names of the attributes by which other programs would prefer some links to others:
// weights, costs, latencies and the like that differ. Nothing here gives them a meaning.
func (g *Graph) Weights() []string {
	values := map[string]map[any]int{} // how many links have each value
	for _, attributes := range g.Links {
		for _, a := range attributes {
			if !weighing[strings.ToLower(a.Name)] {
				continue
			}
			if values[a.Name] == nil {
				values[a.Name] = map[any]int{}
			}
			values[a.Name][a.Value]++
		}
	}
	var names []string
	for name, of := range values {
		have := 0
		for _, n := range of {
			have += n
		}
		if len(of) > 1 || have < len(g.Links) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// mostWeight bounds weights, so that sums of them along paths are exact.
const mostWeight = 1<<31 - 1

// specLink returns the first of a draft's links, and its weight; 0 if it has none.
func (d *draft) specLink(l *draftLink) (link spec.Link, weight int32, err error) {
	number := func(name string, without, least, most int) int {
		v, written := find(l.attributes, name)
		if v == nil || v == "" {
			return without
		}
		x, ok := whole(v)
		if !ok || x < least || x > most {
			err = d.wrong(l.at, "invalid %s %.40q of a link: want %d to %d", written, fmt.Sprint(v), least, most)
		}
		return x
	}
	if d.opt.Weight != "" {
		weight = int32(number(strings.ToLower(d.opt.Weight), 0, 1, mostWeight))
	}
	port := func(name string) string {
		if v, _ := find(l.attributes, name); v != nil {
			return spec.Printable(fmt.Sprint(v))
		}
		return ""
	}
	const mostVCs, mostDims = 1 << 16, 1 << 16
	link = spec.Link{From: spec.NodeID(l.from), To: spec.NodeID(l.to), Out: port("out"), In: port("in")}
	link.VCs = number("vcs", max(1, d.opt.VCs), 1, mostVCs)
	link.Dim = number("dim", 0, 0, mostDims)
	return link, weight, err
}

// whole returns the integer that a value stands for, if it is one.
func whole(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		return int(v), v == math.Trunc(v) && math.Abs(v) < 1<<31
	case string:
		x, err := strconv.Atoi(strings.TrimSpace(v))
		return x, err == nil
	}
	return 0, false
}

var tuple = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\[(] *(-?\d{1,9}(?: *, *-?\d{1,9})*) *,? *[\])]$`)
})

// coordinates returns the coordinates of all nodes; nil unless all have equally many, integers.
// Names that are coordinates are rewritten as unknot writes them: (0,1).
func (d *draft) coordinates() [][]int {
	for _, of := range []func(*draftNode) []int{
		func(n *draftNode) []int { return listed(n, "at") },
		func(n *draftNode) []int {
			if d.drawn {
				return nil
			}
			return listed(n, "pos")
		},
		d.axes,
		func(n *draftNode) []int { return integers(n.name, true) },
	} {
		all := make([][]int, len(d.nodes))
		for i := range d.nodes {
			if all[i] = of(&d.nodes[i]); all[i] == nil || len(all[i]) != len(all[0]) {
				all = nil
				break
			}
		}
		if all == nil {
			continue
		}
		for i := range all {
			if n := &d.nodes[i]; slices.Equal(integers(n.name, true), all[i]) {
				n.name = routing.CoordinateName(all[i]...)
			}
		}
		return all
	}
	return nil
}

// listed reads coordinates of an attribute: "0,1", "(0, 1)" or "[0, 1]".
func listed(n *draftNode, name string) []int {
	v, _ := find(n.attributes, name)
	if v == nil {
		return nil
	}
	return integers(fmt.Sprint(v), false)
}

func integers(text string, brackets bool) []int {
	m := tuple().FindStringSubmatch(text)
	if m == nil && !brackets {
		m = tuple().FindStringSubmatch("(" + text + ")")
	}
	if m == nil {
		return nil
	}
	var at []int
	for x := range strings.SplitSeq(m[1], ",") {
		n, err := strconv.Atoi(strings.TrimSpace(x))
		if err != nil {
			return nil
		}
		at = append(at, n)
	}
	return at
}

// axes reads coordinates of the attributes x, y and z.
func (d *draft) axes(n *draftNode) []int {
	if d.drawn {
		return nil
	}
	var at []int
	for _, axis := range []string{"x", "y", "z"} {
		v, _ := find(n.attributes, axis)
		if v == nil {
			break
		}
		x, ok := whole(v)
		if !ok {
			return nil
		}
		at = append(at, x)
	}
	return at
}

// sends are the kinds of node that send and receive; nodes of another kind pass packets on.
var sends = map[string]bool{
	"host": true, "terminal": true, "endpoint": true, "node": true, "server": true, "client": true, "compute": true,
	"nic": true, "hca": true, "ca": true, "core": true, "cpu": true, "gpu": true, "pe": true, "memory": true,
	"storage": true,
}

// terminals returns the nodes that send and receive: those that say so, or, if none does, all
// but those that say they do not.
func (d *draft) terminals() ([]spec.NodeID, error) {
	var yes []spec.NodeID
	open := []spec.NodeID{} // not nil: none is not all
	for i := range d.nodes {
		switch says, said, wrong := terminal(d.nodes[i].attributes); {
		case wrong != "":
			return nil, d.wrong(d.nodes[i].at, "invalid terminal %.40q of a node: want true or false", wrong)
		case said && says:
			yes = append(yes, spec.NodeID(i))
		case !said:
			open = append(open, spec.NodeID(i))
		}
	}
	if yes != nil {
		return yes, nil
	}
	return open, nil
}

// terminal reports whether a node says that it sends and receives, or that it does not. A kind alone
// never says that it does not: where there are no hosts, switches send. wrong is an invalid value of
// the attribute terminal, which if ignored could make a switch a sender.
func terminal(attributes []Attribute) (says, said bool, wrong string) {
	if v, _ := find(attributes, "terminal"); v != nil {
		switch text := fmt.Sprint(v); strings.ToLower(text) {
		case "true", "yes", "1":
			return true, true, ""
		case "false", "no", "0":
			return false, true, ""
		case "":
		default:
			return false, false, text
		}
	}
	for _, key := range []string{"type", "kind", "role"} {
		if v, _ := find(attributes, key); v != nil && sends[strings.ToLower(fmt.Sprint(v))] {
			return true, true, ""
		}
	}
	return false, false, ""
}
