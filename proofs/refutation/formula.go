package refutation

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
// and some channel is held. Where messages are counted, head(channel) says in addition
// that the head of a worm waits there. With whole packets no hop is taken. Variables are
// numbered in this order: channels; sites; rows; hops, by site; heads. Literal 2v says that
// variable v is true, 2v+1 that it is false.
//
// If messages have one length L, a worm whose flits have closed up holds L/B channels of B
// flits, rounded up, or its source still feeds it. So each site exists that many times, in
// layers: in layer i a worm holds i channels ahead of it. A head waits in layer 0 only, a hop leads
// one layer down and is the only one of its site, and to a site below the last layer
//
//	taken(hop)      led, from a site that is held; or
//	fed(channel)    its source feeds it there, and no hop leads into the channel
//
// Where channels are shared, a site is that of the first message in its channel. If the tail of
// that message is in, the head of another may stand behind it. With messages of any length
//
//	taken(hop)      leads into a channel that is held, by whatever site
//
// The hops make no cycle: since the last hop of a cycle was taken, no flit has come into its channels,
// one of which had a free place; so flits go round until a message leaves.
//
// With messages of one length L in shared channels of B flits, more is known once all flits have closed up.
// A channel that a head waits for is full, or its last message would still be coming in; and so is a channel that
// another channel's first message has gone on to, or its flits would follow. So let channel 0 be one whose first
// message waits there, and let the first message of channel i+1 have gone on to channel i, as its last one. All but
// the last of these channels are full, and each message but the last begins where another ends, so their flits stand
// in a row without gaps: the first message of channel i has iB mod L flits ahead of channel i, at least one if i > 0.
// So a row has at most as many channels as it takes for iB to be a multiple of L, and there are that many layers:
//
//	taken(hop)      leads from layer i to i-1: to the site of the same message, if it has B flits or more ahead; or
//	                behind another, into a channel that is held in that layer
//	level(channel)  by layer: one of its sites in that layer is held
//	full(channel)   a head waits for it: so unless a message ends with it ((i+1)B mod L = 0), a hop leads into it from
//	                layer i+1, or it is fed
//
// and if the first message itself goes on behind its channel ((i+1)B mod L >= B), a hop led to its site, or it is
// fed there. Which messages are in a full channel between its first and its last makes no difference. These variables
// are numbered last: never (a constant); fed(channel); level(channel), layer by layer; full(channel).
type formula struct {
	clauses
	sites, waits, hops int32     // the first variable of each kind
	beside             [][]int32 // by site, where channels are shared: that its channel's sites are held
	ends               [][]int32 // by site: waits(row); where messages are counted, also head(channel)
	firstHop           []int32   // by site, and one more: number of its first hop
	to                 []int32   // by hop: the site that it leads to; -1 if no worm takes it
	inside             []bool    // by site; scratch

	meets func(condition []int32) bool // of repairs: adds it, and what goes with it, and reports whether every repair meets it
}

// mostVariables bounds the memory of a check: some 200 bytes each.
const mostVariables = 1 << 23

// newFormula builds the formula. Linear in the hops of the sites or, if messages have one length or channels
// are shared, in the pairs of hops of a site.
func newFormula(ctx context.Context, n *spec.Network, b Bound, under spec.Scenario) (*formula, error) {
	if b.Of > Channels {
		return ofRepairs(ctx, n, b)
	}
	channels, length, buffer, hops := n.Topology().Channels(), under.Length, n.Buffer(), 0
	layers, shared := max(1, (length+buffer-1)/buffer), under.Shared && length < 0 && buffer > 1
	period := layers * buffer // of the flits ahead of a channel's first message, from layer to layer
	if under.Shared && length > 0 {
		for layers, period = 1, length; layers*buffer%period > 0; layers++ {
		}
	}
	for i := range n.Tables() {
		for _, row := range n.Table(i).Rows {
			hops += len(n.Row(row))
		}
	}
	sites := layers * n.SiteCount()
	if hops *= layers; channels+sites+n.RowCount()+hops > mostVariables {
		return nil, errors.New("the network is too large for a refutation")
	}
	f := &formula{ends: make([][]int32, 1, 2), sites: int32(channels), inside: make([]bool, sites), beside: make([][]int32, sites)}
	f.waits = f.sites + int32(sites)
	f.hops = f.waits + int32(n.RowCount())
	heads := f.hops + int32(hops)
	f.clauses = newClauses(int(heads))
	if b.Of == Messages || shared {
		f.first = heads
		for range channels {
			f.variable()
		}
		f.ends = f.ends[:2]
	}
	if b.Of != Unbounded {
		f.most, f.last = min(b.Most, channels), f.first+f.sites
	}
	never := f.variable() // a head waits
	f.add(no(never))
	comes, joins, levels := make([][]int32, sites), make([][]int32, layers*channels), make([][]int32, layers*channels) // by site, or by layer and channel: the hops that lead to it, or that it is fed; its sites
	in, into := make([][]int32, channels), make([][]int32, channels)                                                   // by channel: its sites, the hops into it
	for c := range channels {
		into[c] = []int32{yes(f.variable())} // it is fed, where messages have one length
	}
	level, full := never+1+int32(channels), never+1+int32((layers+1)*channels)
	for range (layers + 1) * channels {
		f.variable()
	}
	index := n.NewIndex()
	for i := range layers * n.Tables() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, layer := n.Table(i%n.Tables()), i/n.Tables()
		index.Load(t)
		for _, src := range t.Sources {
			for _, h := range n.Row(src.Row) {
				if s := index.Site(h); s >= 0 {
					comes[layer*n.SiteCount()+t.First+s] = []int32{yes(never + 1 + int32(h.Channel))}
					joins[layer*channels+int(h.Channel)] = []int32{yes(never + 1 + int32(h.Channel))}
				}
			}
		}
		behind := 0 < layer*buffer%period && layer*buffer%period < buffer // a hop leads
		for s, c := range t.Channels {
			site := f.sites + int32(layer*n.SiteCount()+t.First+s)
			in[c] = append(in[c], yes(site))
			levels[layer*channels+int(c)] = append(levels[layer*channels+int(c)], yes(site))
			f.add(no(site), yes(level+int32(layer*channels)+int32(c)))
			var goes []int32
			f.firstHop = append(f.firstHop, int32(len(f.to)))
			for _, h := range n.Row(t.Rows[s]) {
				hop, to := f.hops+int32(len(f.to)), int32(-1)
				if h.Channel == spec.Eject || h.Channel == c || layer == 0 && (length > 0 || n.Switching() != spec.Wormhole) { // what is ejected is not stuck; a worm holds a channel once
					f.add(no(hop))
				} else {
					to = int32(max(0, layer-1)*n.SiteCount() + t.First + index.Site(h))
					at := max(0, layer-1)*channels + int(h.Channel)
					switch {
					case behind:
						f.add(no(hop), yes(level+int32(at)))
						joins[at], to = append(joins[at], yes(hop)), -1
					case !shared:
						f.add(no(hop), yes(f.sites+to))
						comes[to] = append(comes[to], yes(hop))
					}
					for _, other := range append(goes, no(site)) {
						if length > 0 || shared {
							f.add(no(hop), other^1)
						}
					}
					goes = append(goes, yes(hop))
					into[h.Channel] = append(into[h.Channel], yes(hop))
				}
				f.to = append(f.to, to)
			}
			waits, head := []int32{f.waits + int32(t.Rows[s]), never}[min(layer, 1)], heads+int32(c)
			f.ends[0] = append(f.ends[0], waits)
			if len(f.ends) > 1 {
				f.ends[1] = append(f.ends[1], head)
				f.add(no(site), no(head), yes(waits))
			}
			for _, end := range f.ends {
				f.add(append(goes, no(site), yes(end[len(end)-1]))...)
			}
		}
	}
	f.firstHop = append(f.firstHop, int32(len(f.to)))
	for site, hops := range comes {
		if ahead := (site/n.SiteCount() + 1) * buffer % period; ahead >= buffer {
			f.add(append(hops, no(f.sites+int32(site)))...)
		}
	}
	for i, hops := range joins {
		f.add(append(levels[i], no(level+int32(i)))...)
		if ahead := (i/channels + 1) * buffer % period; 0 < ahead && ahead < buffer {
			f.add(append(hops, no(level+int32(i)), no(full+int32(i%channels)))...)
		}
	}
	var some []int32
	for c, sites := range in {
		for _, site := range sites {
			f.add(site^1, yes(int32(c)))
			if shared {
				f.beside[site/2-f.sites] = sites
				f.add(no(heads+int32(c)), yes(int32(c)))
			}
		}
		f.add(append([]int32{no(int32(c))}, sites...)...)
		f.atMostOne(sites)
		f.atMostOne(append(into[c], no(int32(c))))
		some = append(some, yes(int32(c)))
	}
	for row := range spec.RowID(n.RowCount()) {
		waits := f.waits + int32(row)
		if n.Arrives(row) || len(n.Row(row)) == 0 {
			f.add(no(waits))
			continue
		}
		for _, h := range n.Row(row) {
			f.add(no(waits), yes(int32(h.Channel)))
			f.add(no(waits), yes(full+int32(h.Channel)))
		}
	}
	f.add(some...)
	return f, nil
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
		f.least = g.Least
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
			if to := f.to[hop]; to < 0 || !f.inside[to] || slices.ContainsFunc(f.beside[to], func(other int32) bool { return !f.inside[other/2-f.sites] }) {
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
