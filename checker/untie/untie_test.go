package untie_test

import (
	"context"
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/untie"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// key is what a scheme forbids at once, in words.
func key(s untie.Scheme, at spec.Site, h spec.Hop) string {
	switch {
	case h.Channel == spec.Eject || s == untie.Turns && at.Channel.IsInjection():
		return ""
	case s == untie.Turns:
		return fmt.Sprint(at.Channel, h.Channel)
	}
	return fmt.Sprint(at, h)
}

// without returns n less some keys and the hops behind which nothing is left, by plain
// iteration over a map.
func without(n *spec.Network, s untie.Scheme, forbidden map[string]bool) routing.Definition {
	hops := map[spec.Site][]spec.Hop{}
	_ = routing.Sites(n, func(at spec.Site, all []spec.Hop) error {
		for _, h := range all {
			right := h.Channel != spec.Eject || !at.Channel.IsInjection() && n.Topology().Head(at.Channel) == at.Header.Dest
			if right && !forbidden[key(s, at, h)] {
				hops[at] = append(hops[at], h)
			}
		}
		return nil
	})
	arrives := map[spec.Site]bool{}
	leads := func(at spec.Site, h spec.Hop) bool {
		to := at.Header
		to.Tag = h.Tag
		return h.Channel == spec.Eject || arrives[spec.Site{Channel: h.Channel, Header: to}]
	}
	for again := true; again; {
		again = false
		for at, all := range hops {
			for _, h := range all {
				if leads(at, h) && !arrives[at] {
					arrives[at], again = true, true
				}
			}
		}
	}
	def := routing.FromNetwork(n)
	def.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, header spec.Header) []spec.Hop {
		site := spec.Site{Channel: at, Header: header}
		for _, h := range hops[site] {
			if leads(site, h) {
				dst = append(dst, h)
			}
		}
		return dst
	})
	return def
}

// test is a *testing.T or *rapid.T.
type test interface {
	Fatal(args ...any)
	Context() context.Context
}

func compile(rt test, def routing.Definition) *spec.Network {
	n, err := routing.Compile(rt.Context(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		rt.Fatal(err)
	}
	return n
}

func isFree(rt test, def routing.Definition) bool {
	n := compile(rt, def)
	r, err := checker.Decide(rt.Context(), n, checker.Options{Workers: 1, Settle: -1})
	if err != nil {
		rt.Fatal(err)
	}
	return r.Verdict() == spec.Holds && r.Of("deadlock").Certificate() != nil
}

// drawn draws a network: with a random table, or with every hop but straight back of a
// random graph.
func drawn(rt *rapid.T) *spec.Network {
	def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Ring: true, Sparse: true})
	def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(rt, "switching")
	if rapid.Bool().Draw(rt, "every hop") {
		def.Tags = 1
		def.Routing = everyHop(def.Topology)
	}
	return compile(rt, def)
}

// everyHop permits every hop but one straight back.
func everyHop(t *spec.Topology) routing.Relation {
	return routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		for _, l := range t.Out(t.Head(at)) {
			if at.IsInjection() || t.Link(l).To != t.Tail(at) {
				for vc := range t.Link(l).VCs {
					dst = append(dst, spec.Hop{Channel: t.Channel(l, vc)})
				}
			}
		}
		return dst
	}))
}

// bruteForce returns the fewest keys of n that must go, or -1.
func bruteForce(rt test, n *spec.Network, s untie.Scheme, keys []string) int {
	for size := range len(keys) + 1 {
		for set := range uint(1) << len(keys) {
			if bits.OnesCount(set) != size {
				continue
			}
			forbidden := map[string]bool{}
			for i, k := range keys {
				if set>>i&1 == 1 {
					forbidden[k] = true
				}
			}
			if isFree(rt, without(n, s, forbidden)) {
				return size
			}
		}
	}
	return -1
}

// keysOf lists what a scheme may forbid.
func keysOf(n *spec.Network, s untie.Scheme) []string {
	seen := map[string]bool{"": true}
	var keys []string
	_ = routing.Sites(n, func(at spec.Site, all []spec.Hop) error {
		for _, h := range all {
			if k := key(s, at, h); !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
		return nil
	})
	return keys
}

// TestLeastOfWorms: of gadgets that only messages of several channels deadlock.
func TestLeastOfWorms(t *testing.T) {
	for _, set := range []map[string]string{
		{"name": "W1"}, {"name": "swap"}, {"name": "pigeonholes", "pigeons": "2", "holes": "2"}, {"name": "pigeonholes", "pigeons": "3", "holes": "3"},
	} {
		for _, s := range []untie.Scheme{untie.Turns, untie.Hops} {
			e, _ := models.Find("gadget")
			def, err := e.Define(set)
			if err != nil {
				t.Fatal(err)
			}
			def.Switching = spec.Wormhole
			n := compile(t, def)
			r, err := untie.Untie(t.Context(), n, untie.Options{Schemes: []untie.Scheme{s}})
			if err != nil {
				t.Fatal(err)
			}
			p := r.Proposals[0]
			keys := keysOf(n, s)
			got := p.Cost
			if p.Verdict == spec.Violated {
				got = -1
			}
			if want := bruteForce(t, n, s, keys); p.Verdict == spec.Unknown || got != want || got >= 0 && p.AtLeast != want {
				t.Errorf("%v by %s: %s with %d of at least %d, want %d of %d", set, s, p.Verdict, p.Cost, p.AtLeast, want, len(keys))
			}
		}
	}
}

// TestLeastIsBruteForce: of drawn networks with dead ends, loops and wrong exits, under
// every switching, the least repair by turns and by hops is that of all subsets.
func TestLeastIsBruteForce(t *testing.T) {
	found := map[int]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawn(rt)
		s := rapid.SampledFrom([]untie.Scheme{untie.Turns, untie.Hops}).Draw(rt, "scheme")
		keys := keysOf(n, s)
		if len(keys) > 11 || n.FlowCount() == 0 {
			rt.Skip("too many subsets")
		}
		r, err := untie.Untie(rt.Context(), n, untie.Options{Schemes: []untie.Scheme{s}, Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		if len(r.Proposals) == 0 {
			return // nothing to mend
		}
		p := r.Proposals[0]
		want := bruteForce(rt, n, s, keys)
		found[want]++
		got := p.Cost
		if p.Verdict == spec.Violated {
			got = -1
		}
		if p.Verdict == spec.Unknown || got != want || got >= 0 && p.AtLeast != p.Cost {
			rt.Fatalf("%s: %s, cost %d of at least %d, want %d (%s)", s, p.Verdict, p.Cost, p.AtLeast, want, p.Because)
		}
	})
	t.Log("cases by least cost:", found)
}
