package spec

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// How tables are checked.
//
// checkTable says what is wrong with a table, from its lists as they are assembled. It is what to read. Most tables are
// right, and have most of their fragments in common with others, so sound looks first. What can be said of a list
// without its table is said once of each fragment: numbers are in range and in order, and the hops of a row leave the
// node that the packet is at. What is left for each table is that its lists continue each other, and that every hop
// leads to one of its sites. For that, a row that was met in the table is not looked at again.
//
// A table that sound does not accept is refused by checkTable or by nothing. Tables in which a node may have several
// sources, or sites several alternatives, are all left to checkTable.

// tableCheck is the scratch memory of a worker.
type tableCheck struct {
	table  Table
	sites  []int32 // by channel*tags+tag: the number + 1 of a table that lists this site
	parted int     // how many sources are not the first of their node
	// Some site, or some flow as it begins, has several alternatives.
	commits bool
	// met is a table, by its number + 1, and a node at which a row is right: then it is so in every channel into
	// that node, one from the node to itself apart, into which its hops may lead. It is made when first needed.
	met [][2]int32 // by row

	leads []int32 // by row: the number + 1 of a table that lists all sites that its hops lead to
}

// listCheck is what holds of rows and fragments in every table.
type listCheck struct {
	leaves []NodeID // by row: the node that its hops leave; Eject if none leads into a channel
	right  []bool   // by fragment: rightLists accepts it
}

// checkTables checks all tables, and counts as one flow those of a source among which the routing chooses. It reports
// whether some packet commits to an alternative.
func (n *Network) checkTables(ctx context.Context, workers int) (commits bool, err error) {
	lists := n.checkLists()
	plain := n.parts.Asks || n.parts.Alternatives > 0
	if !plain {
		err = each.Do(ctx, workers, n.Fragments(), func(_, f int) error {
			t := n.Fragment(int32(f))
			lists.right[f] = n.rightLists(&t, lists.leaves)
			return nil
		})
	}
	checks := make([]*tableCheck, workers)
	if err == nil {
		err = each.Do(ctx, workers, len(n.parts.Tables), func(worker, table int) error {
			check := checks[worker]
			if check == nil {
				check = &tableCheck{
					sites: make([]int32, n.parts.Topology.Channels()*n.parts.Tags), leads: make([]int32, n.RowCount()),
				}
				checks[worker] = check
			}
			if !plain && check.sound(n, table, &lists) {
				return nil
			}
			return n.checkTable(table, check)
		})
	}
	if err != nil {
		return false, err
	}
	for _, check := range checks {
		if check != nil {
			n.asks = n.asks || check.parted > 0
			commits = commits || check.commits
			n.flows -= check.parted * min(n.parts.Alternatives, 1) // what the routing chooses among is one flow
		}
	}
	return commits, nil
}

// checkLists returns what holds of rows in every table, and of no fragment yet.
func (n *Network) checkLists() listCheck {
	lists := listCheck{make([]NodeID, n.RowCount()), make([]bool, n.Fragments())}
	for r := range lists.leaves {
		lists.leaves[r] = NodeID(Eject)
		if hops := n.Row(RowID(r)); len(hops) > 0 && hops[len(hops)-1].Channel != Eject { // the highest
			lists.leaves[r] = n.Topology().Tail(hops[len(hops)-1].Channel)
		}
	}
	return lists
}

// rightLists reports that the sources and sites of a table, or of a fragment, are in range and in order, that each has
// a row, and that the hops of a row leave the node that the packet is at, and not into the channel that it is in.
func (n *Network) rightLists(t *Table, leaves []NodeID) bool {
	topo, rows := n.Topology(), uint(n.RowCount())
	last := NodeID(-1)
	for _, s := range t.Sources {
		if s.Node <= last || int(s.Node) >= topo.Nodes() || uint(s.Row) >= rows ||
			leaves[s.Row] != s.Node && leaves[s.Row] >= 0 {
			return false
		}
		last = s.Node
	}
	if len(t.Rows) != t.Len() || t.Tags != nil && len(t.Tags) != t.Len() {
		return false
	}
	before, tagBefore := Eject, Tag(0)
	for i, c := range t.Channels {
		r, tag := t.Rows[i], t.Tag(i)
		if c < before || c == before && tag <= tagBefore || c < 0 || int(c) >= topo.Channels() ||
			int(tag) >= n.parts.Tags || uint(r) >= rows {
			return false
		}
		before, tagBefore = c, tag
		if node := topo.Head(c); leaves[r] != node && leaves[r] >= 0 || topo.Tail(c) == node && n.leadsInto(r, c) {
			return false
		}
	}
	return true
}

// leadsInto reports whether a hop of row r leads into channel c.
func (n *Network) leadsInto(r RowID, c ChannelID) bool {
	for _, h := range n.Row(r) {
		if h.Channel == c {
			return true
		}
	}
	return false
}

// sound reports that there is nothing wrong with a table of a network in which a node has one source, and a site no
// alternatives. If it is false, checkTable decides.
func (check *tableCheck) sound(n *Network, number int, lists *listCheck) bool {
	t := n.Stored(number)
	mixed := len(t.Fragments) > 0 && t.Len() > 0 && (t.Tags != nil) != (len(n.parts.Pieces.Tags) > 0)
	if t.Dest < 0 || int(t.Dest) >= n.Topology().Nodes() || int(t.Class) >= len(n.parts.Classes) || mixed ||
		!n.rightLists(t, lists.leaves) {
		return false
	}
	mark, p := int32(number)+1, &n.parts.Pieces
	o := order{-1, Eject, 0}
	o.follow(t.Sources, t.Channels, t.Tags) // the first lists come after none
	check.enter(n, t.Channels, t.Tags, mark)
	for _, f := range t.Fragments {
		from, to := n.parts.Ends[f], n.parts.Ends[f+1]
		channels, tags := p.Channels[from[1]:to[1]], []Tag(nil)
		if len(p.Tags) > 0 {
			tags = p.Tags[from[1]:to[1]]
		}
		if !lists.right[f] || !o.follow(p.Sources[from[0]:to[0]], channels, tags) {
			return false
		}
		check.enter(n, channels, tags, mark)
	}
	if o.node < 0 || !check.lead(n, t.Sources, t.Rows, mark) { // o.node: nobody sends
		return false
	}
	for _, f := range t.Fragments {
		from, to := n.parts.Ends[f], n.parts.Ends[f+1]
		if !check.lead(n, p.Sources[from[0]:to[0]], p.Rows[from[1]:to[1]], mark) {
			return false
		}
	}
	return true
}

// order is the last source and the last site of a table so far.
type order struct {
	node    NodeID
	channel ChannelID
	tag     Tag
}

// follow reports that lists, which are in order, come after those before them.
func (o *order) follow(sources []Source, channels []ChannelID, tags []Tag) bool {
	if k := len(sources); k > 0 {
		if sources[0].Node <= o.node {
			return false
		}
		o.node = sources[k-1].Node
	}
	if k := len(channels); k > 0 {
		first, last := Tag(0), Tag(0)
		if tags != nil {
			first, last = tags[0], tags[k-1]
		}
		if channels[0] < o.channel || channels[0] == o.channel && first <= o.tag {
			return false
		}
		o.channel, o.tag = channels[k-1], last
	}
	return true
}

// enter marks sites as those of the table with that mark.
func (check *tableCheck) enter(n *Network, channels []ChannelID, tags []Tag, mark int32) {
	for i, c := range channels {
		place := int(c) * n.parts.Tags
		if tags != nil {
			place += int(tags[i])
		}
		check.sites[place] = mark
	}
}

// lead reports that the hops of sources and rows lead to sites of the table with that mark.
func (check *tableCheck) lead(n *Network, sources []Source, rows []RowID, mark int32) bool {
	for _, s := range sources {
		if check.leads[s.Row] != mark && !check.follow(n, s.Row, mark) {
			return false
		}
	}
	for _, r := range rows {
		if check.leads[r] != mark && !check.follow(n, r, mark) {
			return false
		}
	}
	return true
}

// follow is lead for one row, which it notes.
func (check *tableCheck) follow(n *Network, r RowID, mark int32) bool {
	for _, h := range n.Row(r) {
		if h.Channel != Eject && check.sites[int(h.Channel)*n.parts.Tags+int(h.Tag)] != mark {
			return false
		}
	}
	check.leads[r] = mark
	return true
}
