// Package starchannel, internal to unknot, models the *-channel routing algorithm on k-ary n-cube
// tori, as described by Sugiyama and Funahashi ("An Output Selection Function Based on the
// Characteristic of Virtual Channel").
//
// Wormhole switching, minimal routing, three VCs per link. The escape is e-cube:
// in the lowest dimension that has hops left, CA may always be used, and CH
// only if the packet will not use the wrap-around link of that dimension from
// the current node on. CF may be used in any dimension that has hops left.
//
// The paper does not say which way a packet goes at distance k/2 with k even: the tie
// rule is a parameter. Each class, and the conditions of CH and CA, can be removed, to
// see what they are for.
package starchannel

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// The VCs of every link, strictest first.
const (
	CH = iota
	CA
	CF
	vcs
)

// Use says under which condition a class of VCs may be used.
type Use uint8

const (
	AsPublished Use = iota
	Never           // the class is removed
	Always          // its condition is removed: CH also before a wrap-around link, CA in any dimension
)

// Options describes a network.
type Options struct {
	K, N       int // N dimensions of K nodes
	Tie        grid.Tie
	CH, CA, CF Use // Always has no meaning for CF, which has no condition
}

// New returns the definition.
func New(o Options) (routing.Definition, error) {
	if o.CF == Always {
		return routing.Definition{}, fmt.Errorf("CF has no condition to take away")
	}
	g, err := grid.New(grid.Options{
		Sizes: grid.Square(o.K, o.N), Wrap: true,
		VCs:     func(int, grid.Direction) int { return vcs },
		VCNames: []string{"CH", "CA", "CF"},
	})
	if err != nil {
		return routing.Definition{}, err
	}
	r := &relation{g: g, o: o}
	r.NodeFunc = routing.NodeFunc{Topology: g.Topology, Hops: r.hops}
	return routing.Definition{
		Name: "star-channel", Topology: g.Topology, Switching: spec.Wormhole,
		Routing: routing.Deliver(g.Topology, r),
	}, nil
}

type relation struct {
	routing.NodeFunc
	g *grid.Grid
	o Options
}

func (r *relation) hops(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
	g := r.g
	lowest := true
	for dim := range g.Sizes {
		ways := g.Minimal(v, h.Dest, dim, r.o.Tie)
		if ways == 0 {
			continue
		}
		for _, d := range [...]grid.Direction{grid.Plus, grid.Minus} {
			if !ways.Has(d) {
				continue
			}
			first := g.Channel(g.Port(v, dim, d), 0)
			if lowest && r.o.CH != Never && (r.o.CH == Always || !g.WrapsAhead(v, h.Dest, dim, d)) {
				dst = append(dst, spec.Hop{Channel: first + CH})
			}
			if (lowest || r.o.CA == Always) && r.o.CA != Never {
				dst = append(dst, spec.Hop{Channel: first + CA})
			}
			if r.o.CF != Never {
				dst = append(dst, spec.Hop{Channel: first + CF})
			}
		}
		lowest = false
	}
	return dst
}

// Reason names the rule of the class.
func (r *relation) Reason(_ spec.ChannelID, _ spec.Header, hop spec.Hop) spec.Reason {
	return spec.Reason{Text: [vcs]string{
		"CH: lowest dimension, no wrap-around ahead",
		"CA: lowest dimension",
		"CF: any minimal hop",
	}[r.g.VC(hop.Channel)]}
}
