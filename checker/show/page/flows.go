package page

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

// flows counts, for every link, the flows that may use it.
type flows struct {
	What string // "flows", or "targets" if there are too many flows to follow
	Of   []int  // by link
	Most int
	Rows []flowRow // the busiest links
	More int       // links that are not among Rows
	Sum  int       // of all flows or targets
}

type flowRow struct {
	Link  string
	Count int
	Share int // per cent of the busiest link
}

// countFlows follows every flow along all hops that it may take, and counts it once on each
// of their links. Beyond a bound on the work it counts targets instead: each once on every
// link that some packet for it may take.
func countFlows(ctx context.Context, n *spec.Network, rows int) (*flows, error) {
	const mostWork = 30_000_000
	work := 0
	for i := range n.Tables() {
		work += len(n.Table(i).Sources) * max(1, n.Table(i).Len())
		if work > mostWork {
			break
		}
	}
	t := n.Topology()
	f := &flows{What: "flows", Of: make([]int, t.Links()), Sum: n.FlowCount()}
	if work > mostWork {
		f.What, f.Sum = "targets", n.Tables()
	}
	walk, seen := relation.NewWalk(n), make([]int, t.Links()) // by link: the last of what is counted that uses it
	number := 0
	count := func(c spec.ChannelID) {
		if l := t.LinkOf(c); seen[l] != number {
			seen[l] = number
			f.Of[l]++
		}
	}
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		table := n.Table(i)
		if f.What == "targets" {
			number++
			for _, c := range table.Channels {
				count(c)
			}
			continue
		}
		walk.Load(table)
		for k := range table.Sources {
			number++
			for s := range walk.FromSource(k) {
				count(table.Channels[s])
			}
		}
	}
	links := make([]spec.LinkID, t.Links())
	for l := range links {
		links[l] = spec.LinkID(l)
		f.Most = max(f.Most, f.Of[l])
	}
	slices.SortStableFunc(links, func(a, b spec.LinkID) int { return cmp.Compare(f.Of[b], f.Of[a]) })
	for i, l := range links {
		if i == rows {
			f.More = len(links) - rows
			break
		}
		f.Rows = append(f.Rows, flowRow{Link: t.LinkName(l), Count: f.Of[l], Share: 100 * f.Of[l] / max(1, f.Most)})
	}
	return f, nil
}

// weigh returns how thick a link is drawn: 0 if no flow may use it, otherwise 1 to 5.
func (f *flows) weigh(l spec.LinkID) int {
	if f.Of[l] == 0 {
		return 0
	}
	return 1 + 4*f.Of[l]/f.Most
}
