package answers

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// Acyclic names the property that the channel dependency graph of a network has
// no cycle (Dally and Seitz 1987): a legal packet in a channel depends on every
// channel into which it may hop. It is sufficient against deadlock, not necessary,
// so a cycle alone is not a deadlock. A rank certificate of package proofs shows
// that it holds.
const Acyclic = "acyclic"

// Cycle is evidence that the channel dependency graph of a network has a cycle:
// dependencies, each of which leads to the channel in which the next one begins,
// and the last to that of the first.
type Cycle struct {
	Network spec.Digest
	Sites   []spec.Site // packets that may stand there may hop to the channel of the next site
}

// VerifyCycle checks a cycle: that some injected packet reaches each of its
// sites, and is permitted the hop. A nil error is the only acceptance.
//
// Soundness: each site is in the tables with the hop to the channel of the next, which
// is a dependency by definition, and the last leads to the first. A search shows that a
// packet reaches it: its target's sites are followed from all sources, since a table may
// list others ([spec.NewNetwork]). Not covered: that anything is stuck.
func VerifyCycle(n *spec.Network, c *Cycle) error {
	switch {
	case c == nil || len(c.Sites) == 0:
		return errors.New("no cycle")
	case c.Network != n.Digest():
		return fmt.Errorf("the cycle is for another network: %s, not %s", c.Network, n.Digest())
	}
	t := n.Topology()
	packets := regionCheck{n: n, in: slices.Repeat([]bool{true}, t.Nodes()), seen: make([]int, t.Channels()*n.Tags())}
	everyone := make([]spec.NodeID, t.Nodes())
	for v := range everyone {
		everyone[v] = spec.NodeID(v)
	}
	for i, s := range c.Sites {
		if s.Channel < 0 || int(s.Channel) >= t.Channels() {
			return fmt.Errorf("dependency %d begins in channel %d: channels are 0 to %d",
				i+1, s.Channel, t.Channels()-1)
		}
		hops, legal := n.Hops(s)
		if !legal || packets.stays(n.TableOf(s.Header.Target()), everyone) != nil ||
			packets.seen[int(s.Channel)*n.Tags()+int(s.Header.Tag)] != packets.round {
			return fmt.Errorf("dependency %d: no such packet ever reaches %s", i+1, t.ChannelName(s.Channel))
		}
		to := c.Sites[(i+1)%len(c.Sites)].Channel
		if !slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == to }) {
			return fmt.Errorf("dependency %d: the packet in %s may not hop to channel %d",
				i+1, t.ChannelName(s.Channel), to)
		}
	}
	return nil
}

// The written form of a cycle, numbers as in the closed form of the network:
//
//	unknot-cycle 1
//	network DIGEST
//	site CHANNEL DEST CLASS TAG    text after a # is a comment: the same in names
//	end
const cycleLine = "unknot-cycle 1"

// ReadCycle reads the written form. Errors are *spec.PosError with the given file name.
func ReadCycle(file string, in io.Reader) (*Cycle, error) {
	l := lines.New(file, in, cycleLine)
	c := &Cycle{Network: l.Network()}
	for l.Err() == nil && l.Peek() != "end" {
		c.Sites = append(c.Sites, l.Site(l.Commented("site", 4)))
	}
	return lines.End(l, c)
}
