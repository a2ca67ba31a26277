package routing

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Committing is implemented by relations that may commit a packet to one of several alternatives (oblivious routing):
// which one, the relation does not tell; a hash or a random bit may decide it. Within its alternative a packet takes
// any hop that is free. An alternative without hops is a dead end.
//
// At a site with several alternatives AppendHops fails with [ErrCommits], so that a caller that knows only hops
// does not mistake them for one packet's choices.
type Committing interface {
	Relation
	// Alternatives returns at least one list of hops. It must be pure, as AppendHops.
	Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error)
}

// ErrCommits is the error of a relation that is asked for hops where it commits packets to one of several lists of
// them.
var ErrCommits = errors.New("packets are committed to one of several alternatives here (oblivious), of which a list " +
	"of hops knows nothing")

// Alternatives returns the alternatives of a relation, one if it knows nothing of them.
func Alternatives(r Relation, at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	if c, ok := r.(Committing); ok {
		return c.Alternatives(at, h)
	}
	hops, err := r.AppendHops(nil, at, h)
	return [][]spec.Hop{hops}, err
}

// Oblivious commits a packet to one of several choices: its routing, a hash or a random bit, say, picks one whether or
// not it has a free hop, and the packet waits for the hops of that one alone. A zero choice among them is a dead end.
func Oblivious(choices ...Choice) Choice {
	var all [][]spec.Hop
	for _, c := range choices {
		all = append(all, c.alternatives()...)
	}
	if len(all) < 2 {
		return Adaptive(slices.Concat(all...)...)
	}
	return Choice{several: all}
}

func (c Choice) alternatives() [][]spec.Hop {
	if c.several != nil {
		return c.several
	}
	return [][]spec.Hop{c.hops}
}

// anyAlternative is the relation that permits the hops of all alternatives: it leads to the same sites.
type anyAlternative struct{ of Committing }

func (a anyAlternative) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	all, err := a.of.Alternatives(at, h)
	for _, hops := range all {
		dst = append(dst, hops...)
	}
	return dst, err
}

// Pure is what the relation says of itself: a sample of its answers is then enough.
func (a anyAlternative) Pure() bool { return pure(a.of) }

func (a anyAlternative) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return Reason(a.of, at, h, hop)
}

// commit compiles a definition whose relation commits packets somewhere: first the hops of all alternatives,
// which finds the sites; then each alternative of a site as a site of its own (package spec, alternatives.go).
func commit(ctx context.Context, def Definition, of Committing, opt CompileOptions) (*spec.Network, error) {
	if def.Selection != nil && def.Selection.Commit != nil {
		return nil, fmt.Errorf("compiling %s: selection %s commits packets, and so does the relation: want one of them",
			def.Name, def.Selection.Name)
	}
	plain := def
	plain.Routing = anyAlternative{of}
	n, err := compile(ctx, plain, opt)
	if err != nil {
		return nil, err
	}
	s, err := splittingOf(ctx, n, of, opt.Workers)
	if err != nil {
		return nil, located(def.Name, err)
	}
	if s == nil { // the alternatives are all alike
		return n, nil
	}
	if s.most*def.Tags > 1<<16 {
		return nil, located(def.Name, &spec.BoundError{What: "tags, one for every alternative of a site", Limit: 1 << 16})
	}
	whole := def
	whole.Routing, whole.Tags, whole.alternatives, whole.split = committed{of, def.Tags}, def.Tags*s.most, s.most, s
	if err := complete(&whole); err != nil {
		return nil, located(def.Name, err)
	}
	return compile(ctx, whole, opt)
}

// committed is a relation whose tags tell alternatives apart. The splitting of its sites answers for it; what it knows
// itself is reasons.
type committed struct {
	of   Committing
	tags int // of the relation
}

// AppendHops answers where there is one alternative.
func (r committed) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return r.of.AppendHops(dst, at, r.own(at, h))
}

// own returns a header as the relation sees it.
func (r committed) own(at spec.ChannelID, h spec.Header) spec.Header {
	if h.Tag = spec.Tag(int(h.Tag) % r.tags); at.IsInjection() {
		h.Tag = 0
	}
	return h
}

// Reason is that of the relation.
func (r committed) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	if hop.Channel != spec.Eject {
		hop.Tag = spec.Tag(int(hop.Tag) % r.tags)
	}
	return Reason(r.of, at, r.own(at, h), hop)
}

// splitting says which alternatives the sites of a network have. Many sites have the same.
type splitting struct {
	n     *spec.Network // in which the hops of all alternatives are permitted
	lists [][]int32     // different lists of alternatives
	hops  [][]spec.Hop  // by alternative, ascending, with the tags of the relation
	of    [][]int32     // by table, first its sources and then its sites: the list
	most  int           // alternatives of a site in a network channel

	mu           sync.Mutex // held while the lists are made
	alternatives map[string]int32
	known        map[string]int32
}

// splittingOf asks for the alternatives of all sites, twice unless the relation is [Pure]; nil if each has one.
func splittingOf(ctx context.Context, n *spec.Network, of Committing, workers int) (*splitting, error) {
	s := &splitting{
		n: n, of: make([][]int32, n.Tables()), most: 1, alternatives: map[string]int32{}, known: map[string]int32{},
	}
	times := 2
	if pure(of) {
		times = 1
	}
	single := make([][]int32, workers) // by row: its list if it is the only alternative, + 1
	err := each.Do(ctx, workers, n.Tables(), func(worker, i int) error {
		if single[worker] == nil {
			single[worker] = make([]int32, n.RowCount())
		}
		t := n.Table(i)
		lists := make([]int32, len(t.Sources)+t.Len())
		s.of[i] = lists
		for k := range lists {
			if k&0xff == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var at spec.Site
			var row spec.RowID
			if j := k - len(t.Sources); j < 0 {
				at, row = source(t.Sources[k].Node, t.Target), t.Sources[k].Row
			} else {
				at, row = t.Site(j), t.Rows[j]
			}
			for range times {
				all, err := of.Alternatives(at.Channel, at.Header)
				if err != nil {
					return err
				}
				var list int32
				if len(all) == 1 {
					if list = single[worker][row] - 1; list < 0 {
						list = s.list(all)
						single[worker][row] = list + 1
					}
				} else {
					list = s.list(all)
				}
				if lists[k] != 0 && lists[k] != list+1 {
					return fmt.Errorf("the relation is impure: asked twice for alternatives, it named others (%s)",
						n.Topology().ChannelName(at.Channel))
				}
				lists[k] = list + 1
			}
			lists[k]--
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	several := false
	for i := range s.of {
		sources := len(n.Stored(i).Sources)
		for k, list := range s.of[i] {
			several = several || len(s.lists[list]) > 1
			if k >= sources {
				s.most = max(s.most, len(s.lists[list]))
			}
		}
	}
	if !several {
		return nil, nil
	}
	s.alternatives, s.known = nil, nil
	return s, nil
}

// list returns the number of a list of alternatives, of which equal ones count once, in the order of the relation.
func (s *splitting) list(all [][]spec.Hop) int32 {
	keys := make([]string, len(all))
	sorted := make([][]spec.Hop, len(all))
	for i, hops := range all {
		sorted[i] = spec.Distinct(slices.Clone(hops))
		var key []byte
		for _, h := range sorted[i] {
			key = binary.AppendUvarint(binary.AppendVarint(key, int64(h.Channel)), uint64(h.Tag)|uint64(h.Room)<<16)
		}
		keys[i] = string(key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]int32, 0, len(all))
	met := make(map[int32]bool, len(all))
	var key []byte
	for i := range all {
		number, known := s.alternatives[keys[i]]
		if !known {
			number = int32(len(s.hops))
			s.alternatives[keys[i]], s.hops = number, append(s.hops, sorted[i])
		}
		if !met[number] {
			met[number], list = true, append(list, number)
			key = binary.AppendUvarint(key, uint64(number))
		}
	}
	number, known := s.known[string(key)]
	if !known {
		number = int32(len(s.lists))
		s.known[string(key)], s.lists = number, append(s.lists, list)
	}
	return number
}

// splitter is what a worker needs to split the sites of one table after the other.
type splitter struct {
	table spec.Table
	of    []int32               // by channel and tag of the relation: how many alternatives the site has in this table
	rows  map[string]spec.RowID // of alternatives, by their numbers and how many alternatives their hops lead to
	key   []byte
	left  []int32 // sites of a channel that have further alternatives
}

// splitTable makes the table of a target: each alternative of a site is a site. Linear in these and, where an alternative
// has more than one hop or is met first, in its hops.
func (c *compilation) splitTable(w *tabulator, target spec.Target) (spec.Table, error) {
	s, x := c.def.split, &w.split
	table := spec.Table{Target: target}
	i, sends := s.n.Find(target)
	if !sends {
		return table, nil
	}
	if x.of == nil {
		x.of, x.rows = make([]int32, c.def.Topology.Channels()*s.n.Tags()), map[string]spec.RowID{}
	}
	t := s.n.TableIn(&x.table, i)
	sources, sites := s.of[i][:len(t.Sources)], s.of[i][len(t.Sources):]
	flows, count := 0, 0
	for _, list := range sources {
		flows += len(s.lists[list])
	}
	for j, channel := range t.Channels {
		n := len(s.lists[sites[j]])
		x.of[int(channel)*s.n.Tags()+int(t.Tag(j))] = int32(n)
		if count += n; count+flows > c.opt.MaxSites {
			return table, &spec.BoundError{What: "sites", Limit: c.opt.MaxSites}
		}
	}
	if c.fragments {
		w.slabs, w.spare = w.spare, w.slabs
	}
	table.Sources = w.slabs.sources.take(flows, c.fragments)[:0]
	for k, list := range sources {
		for _, a := range s.lists[list] {
			r, err := c.rowOfAlternative(w, t.SourceSite(k), a)
			if err != nil {
				return table, err
			}
			table.Sources = append(table.Sources, spec.Source{Node: t.Sources[k].Node, Row: r})
		}
	}
	table.Channels, table.Rows = w.slabs.channels.take(count, c.fragments)[:0], w.slabs.rowIDs.take(count, c.fragments)[:0]
	if c.def.Tags > 1 {
		table.Tags = w.slabs.tags.take(count, c.fragments)[:0]
	}
	for from, to := 0, 0; from < t.Len(); from = to {
		x.left = x.left[:0]
		for to = from; to < t.Len() && t.Channels[to] == t.Channels[from]; to++ {
			x.left = append(x.left, int32(to))
		}
		for k := 0; len(x.left) > 0; k++ { // all first alternatives, then all second ones: by tag
			further := x.left[:0]
			for _, j := range x.left {
				list := s.lists[sites[j]]
				r, err := c.rowOfAlternative(w, t.Site(int(j)), list[k])
				if err != nil {
					return table, err
				}
				table.Channels, table.Rows = append(table.Channels, t.Channels[j]), append(table.Rows, r)
				if table.Tags != nil {
					table.Tags = append(table.Tags, t.Tag(int(j))+spec.Tag(k*s.n.Tags()))
				}
				if k+1 < len(list) {
					further = append(further, j)
				}
			}
			x.left = further
		}
	}
	for j, channel := range t.Channels {
		x.of[int(channel)*s.n.Tags()+int(t.Tag(j))] = 0
	}
	return table, nil
}

// rowOfAlternative returns the row of an alternative at a site: for each of its hops, one to every alternative of the
// site that the hop leads to.
func (c *compilation) rowOfAlternative(w *tabulator, at spec.Site, a int32) (spec.RowID, error) {
	s, x := c.def.split, &w.split
	x.key = binary.AppendUvarint(x.key[:0], uint64(a))
	for _, h := range s.hops[a] {
		if h.Channel != spec.Eject {
			x.key = binary.AppendUvarint(x.key, uint64(x.of[int(h.Channel)*s.n.Tags()+int(h.Tag)]))
		}
	}
	if r, known := x.rows[string(x.key)]; known {
		return r, nil
	}
	hops := w.buf[:0]
	for _, h := range s.hops[a] {
		hops = append(hops, h)
		if h.Channel == spec.Eject {
			continue
		}
		for k := 1; k < int(x.of[int(h.Channel)*s.n.Tags()+int(h.Tag)]); k++ {
			hops = append(hops, spec.Hop{Channel: h.Channel, Tag: h.Tag + spec.Tag(k*s.n.Tags()), Room: h.Room})
		}
	}
	slices.SortFunc(hops, spec.Hop.Compare)
	r, err := c.rowOf(w, at, hops)
	if err == nil {
		x.rows[string(x.key)] = r
	}
	return r, err
}
