package relation

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Descent finds the hops left of one table after the other where the dependencies of the network have no cycle: it
// takes the channels of a table in ascending order of their heights, which every hop lowers, so each site comes after
// those that it leads to. No graph of the table is made, which is what [RowGraph.HopsLeft], its twin, takes most of
// its time for. It is not safe for concurrent use.
type Descent struct {
	net   *spec.Network
	at    []int32  // by channel: its place in the order
	order []int32  // channels, ascending by height
	marks []uint64 // by place in the order: the table has sites there
	first []int32  // by channel with sites: the first of them
	after []int32  // by channel and tag: 1 more than the hops left there
}

// NewDescent returns a descent for the tables of n. heights are those of its dependencies ([graph.Heights]).
func NewDescent(n *spec.Network, heights []int32) *Descent {
	order := graph.Identity[int32](len(heights))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(heights[a], heights[b]) })
	d := &Descent{
		net: n, at: make([]int32, len(heights)), order: order, marks: make([]uint64, (len(heights)+63)/64),
		first: make([]int32, len(heights)), after: make([]int32, len(heights)*n.Tags()),
	}
	for i, c := range order {
		d.at[c] = int32(i)
	}
	return d
}

// HopsLeft fills in, by site of t, the hops of the longest path from there, and returns the most of them. Linear in the
// sites and hops.
func (d *Descent) HopsLeft(t *spec.Table, left []int32) (longest int32) {
	last := spec.ChannelID(-1)
	for s, c := range t.Channels {
		if c != last {
			d.first[c], last = int32(s), c
			d.marks[d.at[c]>>6] |= 1 << (d.at[c] & 63)
		}
	}
	tags := d.net.Tags()
	for i, word := range d.marks {
		if word == 0 {
			continue
		}
		d.marks[i] = 0
		for ; word != 0; word &= word - 1 {
			c := d.order[i<<6+bits.TrailingZeros64(word)]
			for s := d.first[c]; int(s) < len(t.Channels) && int32(t.Channels[s]) == c; s++ {
				most := int32(0)
				for _, h := range d.net.Row(t.Rows[s]) {
					if h.Channel >= 0 {
						most = max(most, d.after[int(h.Channel)*tags+int(h.Tag)])
					}
				}
				left[s], longest = most, max(longest, most)
				d.after[int(c)*tags+int(t.Tag(int(s)))] = most + 1
			}
		}
	}
	return longest
}
