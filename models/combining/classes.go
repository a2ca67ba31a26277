package combining

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of the message classes over the tree.
//
// A node that has to send an invalidate before it can take another request, an
// Ack before another invalidate, or a reply before another Ack, ties channels of
// one class to those of the next. The theory of channel dependencies knows only
// packets that go from channel to channel, so a transaction is one packet that
// goes the whole round: as a request from the requester to home, on as an
// invalidate to a sharer, as an Ack back home, as a reply to the requester, and
// out through a channel to the requester's processor, which takes all that
// comes. Where it turns from one class to the next it waits in the last channel
// of the one for the first of the other: the dependency that was to be shown.
// The tag of the header is the message class; its class names home and sharer.
//
// Multicast and combining are left out. A multicast waits for all its channels
// instead of one, and a combined Ack stands for several: both only add waits of
// the kinds that are there, between the same channels.

// ClassNames are the message classes of invalidate/Ack, in the order in which one
// brings about the next.
var ClassNames = []string{"request", "invalidate", "Ack", "reply"}

const stages = 4

// Sharing says which message classes have a VC together.
type Sharing uint8

const (
	SharedByAll  Sharing = iota // one VC for all
	EachItsOwn                  // four VCs
	RequestApart                // request | invalidate, Ack, reply
	ThereAndBack                // request, invalidate | Ack, reply
)

// SharingNames are the values of Sharing for people, in their order.
var SharingNames = []string{"all", "each", "request-apart", "there-and-back"}

// vcs[s][k] is the VC of class k.
var vcs = [...][stages]int{{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 1, 1, 1}, {0, 0, 1, 1}}

// ClassOptions describes the tree as a network of channels.
type ClassOptions struct {
	FanOut, Depth int   // of the tree, see NewTree; at most 16 clusters
	Homes         []int // clusters that are homes, 1 to 16 different ones
	Sharing       Sharing
	// Ample says that clusters have room for all that comes: then every class is
	// traffic of its own, and no packet turns into another.
	Ample bool
}

func (o ClassOptions) check(t Tree) error {
	switch {
	case t.Clusters() > 16:
		return fmt.Errorf("message classes over %d clusters: want at most 16", t.Clusters())
	case o.Sharing > ThereAndBack:
		return fmt.Errorf("sharing %d of VCs: want 0 to %d", o.Sharing, ThereAndBack)
	case len(o.Homes) == 0:
		return fmt.Errorf("message classes without a home: want at least one")
	}
	for i, h := range o.Homes {
		if h < 0 || h >= t.Clusters() || slices.Contains(o.Homes[:i], h) {
			return fmt.Errorf("homes %v: want different clusters from 0 to %d", o.Homes, t.Clusters()-1)
		}
	}
	return nil
}

// Classes is the network of the tree's links with the message classes of
// invalidate/Ack: every cluster but the home writes blocks of every home, and
// every cluster but the home has copies. Nodes of the network have the numbers of
// the tree's, behind them stand the processors. If sharing two classes lets
// cycles of waits arise, that is a message-dependent deadlock.
func Classes(o ClassOptions) (routing.Definition, error) {
	tree, err := NewTree(o.FanOut, o.Depth)
	if err != nil {
		return routing.Definition{}, err
	}
	if err := o.check(tree); err != nil {
		return routing.Definition{}, err
	}
	assigned := vcs[o.Sharing]
	vcNames := make([]string, 1+slices.Max(assigned[:]))
	for k, vc := range assigned {
		vcNames[vc] = strings.TrimPrefix(vcNames[vc]+"+"+ClassNames[k], "+")
	}
	c := &classes{ClassOptions: o, tree: tree, topo: spec.NewTopology(vcNames...)}
	for n := range tree.Nodes() {
		c.topo.AddNode(tree.Name(n), tree.lane(n), tree.Height(n))
	}
	for n := range tree.Nodes() {
		if up := tree.Parent(n); up >= 0 {
			c.topo.AddPair(spec.NodeID(n), spec.NodeID(up), len(vcNames))
		}
	}
	d := routing.Definition{
		Name:     fmt.Sprintf("classes of invalidate/Ack, tree of %d by %d, homes %v, VCs %s", o.FanOut, o.Depth, o.Homes, SharingNames[o.Sharing]),
		Topology: c.topo, Buffer: 1,
	}
	if o.Ample {
		d.Name += ", ample clusters"
		d.Classes, d.Flows, d.Routing = ClassNames, c.ampleFlow, routing.Func(c.ample)
		return d, nil
	}
	for w := range tree.Clusters() {
		p := c.topo.AddNode(fmt.Sprintf("processor %d", w), tree.lane(w), -1)
		c.topo.AddLink(spec.Link{From: spec.NodeID(w), To: p, VCs: 1})
	}
	for _, h := range o.Homes {
		for sharer := range tree.Clusters() {
			if sharer != h {
				d.Classes = append(d.Classes, fmt.Sprintf("home %d sharer %d", h, sharer))
				c.transactions = append(c.transactions, [2]int{h, sharer})
			}
		}
	}
	d.Tags, d.Flows, d.Routing = stages, c.flow, routing.Func(c.next)
	return d, nil
}

// lane is the place of a node among the others, for drawing.
func (t Tree) lane(n int) int { return slices.Index(t.Lanes(), n) }

// classes is the relation of Classes.
type classes struct {
	ClassOptions
	tree         Tree
	topo         *spec.Topology
	transactions [][2]int // by class of the header: home and sharer
}

// processor returns the number of a cluster's processor.
func (c *classes) processor(cluster int) int { return c.tree.Nodes() + cluster }

// flow: a cluster writes, for its own processor, what it is not the home of.
func (c *classes) flow(src, dst spec.NodeID, class spec.Class) bool {
	return int(src) < c.tree.Clusters() && int(dst) == c.processor(int(src)) && c.transactions[class][0] != int(src)
}

// next sends a packet on its round.
func (c *classes) next(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
	node, stage := int(c.topo.Head(at)), int(h.Tag)
	if node == int(h.Dest) {
		return append(dst, spec.Hop{Channel: spec.Eject})
	}
	requester := int(h.Dest) - c.tree.Nodes()
	home, sharer := c.transactions[h.Class][0], c.transactions[h.Class][1]
	targets := [stages]int{home, sharer, home, requester}
	for stage < stages && node == targets[stage] {
		stage++
	}
	if stage == stages {
		out := c.topo.Between(spec.NodeID(node), h.Dest)[0]
		return append(dst, spec.Hop{Channel: c.topo.Channel(out, 0), Tag: stages - 1})
	}
	return append(dst, spec.Hop{Channel: c.channel(node, targets[stage], stage), Tag: spec.Tag(stage)})
}

func (c *classes) channel(node, cluster, stage int) spec.ChannelID {
	out := c.topo.Between(spec.NodeID(node), spec.NodeID(c.tree.Next(node, cluster)))[0]
	return c.topo.Channel(out, vcs[c.Sharing][stage])
}

// ampleFlow: requests and Acks go to homes, invalidates and replies come from them.
func (c *classes) ampleFlow(src, dst spec.NodeID, class spec.Class) bool {
	if !c.tree.IsCluster(int(src)) || !c.tree.IsCluster(int(dst)) {
		return false
	}
	home := int(dst)
	if class == 1 || class == 3 {
		home = int(src)
	}
	return slices.Contains(c.Homes, home)
}

func (c *classes) ample(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
	node := c.topo.Head(at)
	if node == h.Dest {
		return append(dst, spec.Hop{Channel: spec.Eject})
	}
	return append(dst, spec.Hop{Channel: c.channel(int(node), int(h.Dest), int(h.Class))})
}
