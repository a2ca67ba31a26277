package refutation

import (
	"context"
	"errors"

	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/spec"
)

// formula is what every set of worms that block each other satisfies. Each worm is a
// path of sites, no two in one channel and none in a channel of another worm, and its
// head waits for channels that are all held:
//
//	held(channel)   the channel is held, by a worm for which one of its sites stands
//	held(site)      at most one of a channel; its head waits there, or it has taken a hop
//	waits(row)      a head that waits has this row: all channels of the row are held
//	taken(hop)      leads to a site that is held; at most one into a channel
//
// and some channel is held. Where messages are counted, head(channel) says besides
// that the head of a worm waits there. With whole packets no hop is taken. Variables are numbered in this order: channels; sites; rows;
// hops, by site; heads. Literal 2v says that variable v is true, 2v+1 that it is false.
//
// Where messages have one length, and so hold a number of channels at most once all flits
// have closed up, a site comes that often, in layers: in layer i a worm holds i channels
// ahead of it. A head waits in layer 0 only, and a hop leads one layer down.
type formula struct {
	clauses
	sites, waits, hops int32     // the first variable of each kind
	ends               [][]int32 // by site: waits(row); where messages are counted, also head(channel)
	firstHop           []int32   // by site, and one more: number of its first hop
	to                 []int32   // by hop: the site that it leads to; -1 if no worm takes it
	inside             []bool    // by site; scratch

	meets func(condition []int32) bool // of repairs
}

// mostVariables bounds the memory of a check: some 200 bytes each.
const mostVariables = 1 << 23

// newFormula builds the formula. Linear in the hops of the sites.
func newFormula(ctx context.Context, n *spec.Network, b Bound, length int) (*formula, error) {
	if b.Of > Channels {
		return ofRepairs(n, b)
	}
	channels, layers, hops := n.Topology().Channels(), max(1, (length+n.Buffer()-1)/n.Buffer()), 0
	for i := range n.Tables() {
		for _, row := range n.Table(i).Rows {
			hops += len(n.Row(row))
		}
	}
	sites := layers * n.SiteCount()
	if hops *= layers; channels+sites+n.RowCount()+hops > mostVariables {
		return nil, errors.New("the network is too large for a refutation")
	}
	f := &formula{ends: make([][]int32, 1, 2), sites: int32(channels), inside: make([]bool, sites)}
	f.waits = f.sites + int32(sites)
	f.hops = f.waits + int32(n.RowCount())
	heads := f.hops + int32(hops)
	f.clauses = newClauses(int(heads))
	if b.Of == Messages {
		f.first, f.last = heads, heads+f.sites
		for range channels {
			f.variable()
		}
		f.ends = f.ends[:2]
	} else if b.Of == Channels {
		f.last = f.sites
	}
	if b.Of != Unbounded {
		f.most = min(b.Most, channels)
	}
	never := f.variable() // a head waits
	f.add(no(never))
	in, into := make([][]int32, channels), make([][]int32, channels) // by channel: its sites, the hops into it
	index := n.NewIndex()
	for i := range layers * n.Tables() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, layer := n.Table(i%n.Tables()), i/n.Tables()
		index.Load(t)
		for s, c := range t.Channels {
			site := f.sites + int32(layer*n.SiteCount()+t.First+s)
			in[c] = append(in[c], yes(site))
			var goes []int32
			f.firstHop = append(f.firstHop, int32(len(f.to)))
			for _, h := range n.Row(t.Rows[s]) {
				hop, to := f.hops+int32(len(f.to)), int32(-1)
				if h.Channel == spec.Eject || h.Channel == c || layer == 0 && (length > 0 || n.Switching() != spec.Wormhole) { // what is ejected is not stuck; a worm holds a channel once
					f.add(no(hop))
				} else {
					to = int32(max(0, layer-1)*n.SiteCount() + t.First + index.Site(h))
					goes = append(goes, yes(hop))
					f.add(no(hop), yes(f.sites+to))
					into[h.Channel] = append(into[h.Channel], yes(hop))
				}
				f.to = append(f.to, to)
			}
			waits, head := []int32{f.waits + int32(t.Rows[s]), never}[min(layer, 1)], heads+int32(c)
			f.ends[0] = append(f.ends[0], waits)
			if b.Of == Messages {
				f.ends[1] = append(f.ends[1], head)
				f.add(no(site), no(head), yes(waits))
			}
			for _, end := range f.ends {
				f.add(append(goes, no(site), yes(end[len(end)-1]))...)
			}
		}
	}
	f.firstHop = append(f.firstHop, int32(len(f.to)))
	var some []int32
	for c, sites := range in {
		for _, site := range sites {
			f.add(site^1, yes(int32(c)))
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
		}
	}
	f.add(some...)
	return f, nil
}

// ofRepairs builds what every repair fulfils.
func ofRepairs(n *spec.Network, b Bound) (*formula, error) {
	g, err := repairs.New(n, b.Of.String(), b.Most)
	if err != nil {
		return nil, err
	}
	f := &formula{clauses: newClauses(g.Variables), ends: make([][]int32, 1), meets: g.Meets}
	if b.Of <= Order && b.Most > 0 {
		f.most, f.last = min(b.Most, g.Variables), int32(g.Variables)
	}
	for _, c := range g.Clauses {
		f.add(c...)
	}
	return f, nil
}

// escape adds that a worm in one of the sites has its head in one of them, or has
// taken a hop out of them.
func (f *formula) escape(sites []int32) {
	for _, s := range sites {
		f.inside[s] = true
	}
	x := f.variable()
	var out []int32
	for _, s := range sites {
		f.add(no(f.sites+s), yes(x))
		for hop := f.firstHop[s]; hop < f.firstHop[s+1]; hop++ {
			if to := f.to[hop]; to < 0 || !f.inside[to] {
				out = append(out, yes(f.hops+hop))
			}
		}
	}
	for _, end := range f.ends {
		stays := []int32{no(x)}
		for _, s := range sites {
			stays = append(stays, yes(end[s]))
		}
		f.add(append(stays, out...)...)
	}
	for _, s := range sites {
		f.inside[s] = false
	}
}
