package unsat

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/spec"
)

// formula is satisfied by every set of worms that block each other. Each worm is a
// path of sites, no two in one channel and none in a channel of another worm, and its
// head waits for channels that are all held:
//
//	held(channel)   the channel is held by a worm, at one of the channel's sites
//	held(site)      at most one of a channel; its head waits there, or it has taken a hop
//	waits(row)      a head that waits has this row: all channels of the row are held
//	taken(hop)      leads to a site that is held; at most one into a channel
//
// and some channel is held. Where packets are counted, head(channel) says in addition
// that the head of a worm waits there. With whole packets no hop is taken. Variables are
// numbered in this order: channels; sites; rows; hops, by site; heads. Literal 2v says that
// variable v is true, 2v+1 that it is false.
//
// If packets have one length L, a worm whose flits have closed up holds L/B channels of B
// flits, rounded up, or its source still feeds it. So each site exists that many times, in
// layers: in layer i a worm holds i channels ahead of it. A head waits in layer 0 only, a hop leads
// one layer down and is the only one of its site, and to a site below the last layer
//
//	taken(hop)      led, from a site that is held; or
//	fed(channel)    its source feeds it there, and no hop leads into the channel
//
// Where channels are shared, a site is that of the first packet in its channel. If the tail of
// that packet is in, the head of another may stand behind it. With packets of any length
//
//	taken(hop)      leads into a channel that is held, at any of its sites
//
// The hops make no cycle: since the last hop of a cycle was taken, no flit has come into its channels,
// one of which had a free place; so flits go round until a packet leaves.
//
// With packets of one length L in shared channels of B flits, more is known once all flits have closed up.
// A channel that a head waits for is full, or its last packet would still be coming in; and so is a channel that
// another channel's first packet has gone on to, or its flits would follow. So let channel 0 be one whose first
// packet waits there, and let the first packet of channel i+1 have gone on to channel i, as its last one. All but
// the last of these channels are full, and each packet but the last begins where another ends, so their flits stand
// in a row without gaps: the first packet of channel i has iB mod L flits ahead of channel i, at least one if i > 0.
// So a row has at most as many channels as it takes for iB to be a multiple of L, and there are that many layers:
//
//	taken(hop)      leads from layer i to i-1: to the site of the same packet, if it has B flits or more ahead; or
//	                behind another, into a channel that is held in that layer
//	level(channel)  by layer: one of its sites in that layer is held
//	full(channel)   a head waits for it: so unless a packet ends with it ((i+1)B mod L = 0), a hop leads into it from
//	                layer i+1, or it is fed
//
// and if the first packet itself goes on behind its channel ((i+1)B mod L >= B), a hop led to its site, or it is
// fed there. Which packets are in a full channel between its first and its last makes no difference. These variables
// are numbered last: never (a constant); fed(channel); level(channel), layer by layer; full(channel).
type formula struct {
	clauses
	sites, waits, hops int32     // the first variable of each kind
	beside             [][]int32 // by site, where channels are shared: that its channel's sites are held
	ends               [][]int32 // by site: waits(row); where packets are counted, also head(channel)
	firstHop           []int32   // by site, and one more: number of its first hop
	to                 []int32   // by hop: the site that it leads to; -1 if no worm takes it
	inside             []bool    // by site; scratch

	// Of repairs: adds a condition and what follows from it, and reports whether every repair meets it.
	meets func(condition []int32) bool
}

// mostVariables bounds the memory of a check: some 200 bytes each.
const mostVariables = 1 << 23

// newFormula builds the formula. Linear in the hops of the sites or, if packets have one length or channels
// are shared, in the pairs of hops of a site.
func newFormula(ctx context.Context, n *spec.Network, b Bound, under spec.Scenario) (*formula, error) {
	if b.Of > Channels {
		return ofRepairs(ctx, n, b)
	}
	m, err := newMaker(n, b, under)
	if err != nil {
		return nil, err
	}
	m.add(no(m.never))
	for layer := range m.layers {
		for i := range n.Tables() {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			m.addTable(n.Table(i), layer)
		}
	}
	m.firstHop = append(m.firstHop, int32(len(m.to)))
	m.addLayers()
	m.addChannels()
	m.addRows()
	var some []int32
	for c := range m.channels {
		some = append(some, yes(int32(c)))
	}
	m.add(some...)
	return m.formula, nil
}

// maker is a formula with what is needed only while it is made.
type maker struct {
	*formula
	n                *spec.Network
	index            *spec.Index
	channels, layers int
	length, buffer   int
	shared           bool // channels are shared, by packets of any length
	period           int  // of the flits ahead of a channel's first packet, from layer to layer

	heads, never, fed, level, full int32 // the first variable of each kind

	in     [][]int32 // by channel: its sites
	into   [][]int32 // by channel: the hops into it, and that it is fed
	comes  [][]int32 // by site: the hops that lead to it, and that its channel is fed
	joins  [][]int32 // by layer and channel: the hops that lead into it, and that it is fed
	levels [][]int32 // by layer and channel: its sites
}

// newMaker numbers the variables.
func newMaker(n *spec.Network, b Bound, under spec.Scenario) (*maker, error) {
	m := &maker{
		n: n, channels: n.Topology().Channels(), length: under.Length, buffer: n.Buffer(),
		shared: under.Shared && under.Length < 0 && n.Buffer() > 1,
	}
	m.layers = max(1, (m.length+m.buffer-1)/m.buffer)
	m.period = m.layers * m.buffer
	if under.Shared && m.length > 0 {
		for m.layers, m.period = 1, m.length; m.layers*m.buffer%m.period > 0; m.layers++ {
		}
	}
	hops := 0
	for i := range n.Tables() {
		for _, row := range n.Table(i).Rows {
			hops += len(n.Row(row))
		}
	}
	hops *= m.layers
	sites := m.layers * n.SiteCount()
	if m.channels+sites+n.RowCount()+hops > mostVariables {
		return nil, errors.New("the network is too large for an unsatisfiability proof")
	}
	f := &formula{
		ends: make([][]int32, 1, 2), sites: int32(m.channels), inside: make([]bool, sites),
		beside: make([][]int32, sites),
	}
	f.waits = f.sites + int32(sites)
	f.hops = f.waits + int32(n.RowCount())
	m.formula, m.heads = f, f.hops+int32(hops)
	f.clauses = newClauses(int(m.heads))
	if b.Of == Packets || m.shared {
		f.first = m.heads
		for range m.channels {
			f.variable()
		}
		f.ends = f.ends[:2]
	}
	if b.Of != Unbounded {
		f.most, f.last = min(b.Most, m.channels), f.first+f.sites
	}
	m.never = f.variable()
	m.fed = m.never + 1
	m.level = m.fed + int32(m.channels)
	m.full = m.level + int32(m.layers*m.channels)
	for range (m.layers + 2) * m.channels {
		f.variable()
	}
	m.index = n.NewIndex()
	m.in, m.into = make([][]int32, m.channels), make([][]int32, m.channels)
	m.comes = make([][]int32, sites)
	m.joins, m.levels = make([][]int32, m.layers*m.channels), make([][]int32, m.layers*m.channels)
	for c := range m.into {
		m.into[c] = []int32{yes(m.fed + int32(c))}
	}
	return m, nil
}

// addTable adds the clauses of a table's sites and hops in a layer.
func (m *maker) addTable(t *spec.Table, layer int) {
	m.index.Load(t)
	for _, src := range t.Sources {
		for _, h := range m.n.Row(src.Row) {
			if s := m.index.Site(h); s >= 0 {
				m.comes[layer*m.n.SiteCount()+t.First+s] = []int32{yes(m.fed + int32(h.Channel))}
				m.joins[layer*m.channels+int(h.Channel)] = []int32{yes(m.fed + int32(h.Channel))}
			}
		}
	}
	for s := range t.Channels {
		m.addSite(t, s, layer)
	}
}

// addSite adds that a held site belongs to its layer of its channel, and that its packet waits there or has taken
// one of its hops.
func (m *maker) addSite(t *spec.Table, s, layer int) {
	c := t.Channels[s]
	at := layer*m.channels + int(c)
	site := m.sites + int32(layer*m.n.SiteCount()+t.First+s)
	m.in[c] = append(m.in[c], yes(site))
	m.levels[at] = append(m.levels[at], yes(site))
	m.add(no(site), yes(m.level+int32(at)))
	m.firstHop = append(m.firstHop, int32(len(m.to)))
	stays := layer == 0 && (m.length > 0 || m.n.Switching() != spec.Wormhole)
	var goes []int32
	for _, h := range m.n.Row(t.Rows[s]) {
		hop := m.hops + int32(len(m.to))
		// What is ejected is not stuck, and a worm holds a channel once.
		if h.Channel == spec.Eject || h.Channel == c || stays {
			m.add(no(hop))
			m.to = append(m.to, -1)
			continue
		}
		m.to = append(m.to, m.addHop(t, layer, hop, h))
		for _, other := range append(goes, no(site)) {
			if m.length > 0 || m.shared {
				m.add(no(hop), other^1)
			}
		}
		goes = append(goes, yes(hop))
		m.into[h.Channel] = append(m.into[h.Channel], yes(hop))
	}
	waits := m.never
	if layer == 0 {
		waits = m.waits + int32(t.Rows[s])
	}
	m.ends[0] = append(m.ends[0], waits)
	if len(m.ends) > 1 {
		head := m.heads + int32(c)
		m.ends[1] = append(m.ends[1], head)
		m.add(no(site), no(head), yes(waits))
	}
	for _, end := range m.ends {
		m.add(append(goes, no(site), yes(end[len(end)-1]))...)
	}
}

// addHop adds where a hop from a site of a layer leads, and returns the site; -1: behind another packet.
func (m *maker) addHop(t *spec.Table, layer int, hop int32, h spec.Hop) int32 {
	below := max(0, layer-1)
	to := int32(below*m.n.SiteCount() + t.First + m.index.Site(h))
	at := below*m.channels + int(h.Channel)
	if ahead := layer * m.buffer % m.period; 0 < ahead && ahead < m.buffer {
		m.add(no(hop), yes(m.level+int32(at)))
		m.joins[at] = append(m.joins[at], yes(hop))
		return -1
	}
	if !m.shared {
		m.add(no(hop), yes(m.sites+to))
		m.comes[to] = append(m.comes[to], yes(hop))
	}
	return to
}

// addLayers adds that a level is held by one of its sites, and how its first packet goes on.
func (m *maker) addLayers() {
	for site, hops := range m.comes {
		if ahead := (site/m.n.SiteCount() + 1) * m.buffer % m.period; ahead >= m.buffer {
			m.add(append(hops, no(m.sites+int32(site)))...)
		}
	}
	for i, hops := range m.joins {
		m.add(append(m.levels[i], no(m.level+int32(i)))...)
		if ahead := (i/m.channels + 1) * m.buffer % m.period; 0 < ahead && ahead < m.buffer {
			m.add(append(hops, no(m.level+int32(i)), no(m.full+int32(i%m.channels)))...)
		}
	}
}

// addChannels adds that a channel is held if and only if one of its sites is, by at most one, and that at most one hop
// leads into it.
func (m *maker) addChannels() {
	for c, sites := range m.in {
		held := int32(c)
		for _, site := range sites {
			m.add(site^1, yes(held))
			if m.shared {
				m.beside[site/2-m.sites] = sites
				m.add(no(m.heads+int32(c)), yes(held))
			}
		}
		m.add(append([]int32{no(held)}, sites...)...)
		m.atMostOne(sites)
		m.atMostOne(append(m.into[c], no(held)))
	}
}

// addRows adds that all channels of a row are held, and full, where a head waits with it. None waits where it may be
// ejected, or has no hop.
func (m *maker) addRows() {
	for row := range spec.RowID(m.n.RowCount()) {
		waits := m.waits + int32(row)
		if m.n.Leaves(row) || len(m.n.Row(row)) == 0 {
			m.add(no(waits))
			continue
		}
		for _, h := range m.n.Row(row) {
			m.add(no(waits), yes(int32(h.Channel)))
			m.add(no(waits), yes(m.full+int32(h.Channel)))
		}
	}
}

// ofRepairs builds a formula that every repair satisfies.
func ofRepairs(ctx context.Context, n *spec.Network, b Bound) (*formula, error) {
	g, err := repairs.New(ctx, n, b.Of.String(), b.Most)
	if err != nil {
		return nil, err
	}
	f := &formula{clauses: newClauses(g.Variables), ends: make([][]int32, 1)}
	if b.Of <= Order && b.Most > 0 {
		f.most, f.last = min(b.Most, g.Variables), int32(g.Variables)
	}
	for v := int32(0); b.Of == Dateline && v < int32(g.Variables); v++ {
		f.atMostOne([]int32{yes(v), no(v)})
		f.least = g.LeastTrue
	}
	f.meets = func(condition []int32) bool {
		holds, more := g.Meets(condition)
		for _, c := range append(more, condition) {
			f.add(slices.Compact(slices.Sorted(slices.Values(c)))...) // a literal may occur more than once
		}
		return holds
	}
	return f, nil
}

// escape adds that a worm in one of the sites has its head in one of them, or has
// taken a hop out of them. Where channels are shared, a hop leads to any site of a channel,
// some of which may be outside.
func (f *formula) escape(sites []int32) {
	for _, s := range sites {
		f.inside[s] = true
	}
	x := f.variable()
	var out []int32
	for _, s := range sites {
		f.add(no(f.sites+s), yes(x))
		for hop := f.firstHop[s]; hop < f.firstHop[s+1]; hop++ {
			free := func(other int32) bool { return !f.inside[other/2-f.sites] }
			if to := f.to[hop]; to < 0 || !f.inside[to] || slices.ContainsFunc(f.beside[to], free) {
				out = append(out, yes(f.hops+hop))
			}
		}
	}
	for _, end := range f.ends {
		stays := []int32{no(x)}
		for _, s := range sites {
			stays = append(stays, yes(end[s]))
		}
		stays = append(stays, out...)
		slices.Sort(stays)
		f.add(slices.Compact(stays)...)
	}
	for _, s := range sites {
		f.inside[s] = false
	}
}
