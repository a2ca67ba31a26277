package repair_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// key is what a scheme forbids at once, in words.
func key(s repair.Scheme, at spec.Site, h spec.Hop) string {
	switch {
	case h.Channel == spec.Eject || s == repair.Turns && at.Channel.IsInjection():
		return ""
	case s == repair.Turns:
		return fmt.Sprint(at.Channel, h.Channel)
	}
	return fmt.Sprint(at, spec.Hop{Channel: h.Channel, Tag: h.Tag})
}

// without returns n without some keys and without the hops after which nothing is
// left, by plain iteration over a map.
func without(n *spec.Network, s repair.Scheme, forbidden map[string]bool) routing.Definition {
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
	r, err := checker.Check(rt.Context(), n, checker.Question{Workers: 1, Explore: checker.Never})
	if err != nil {
		rt.Fatal(err)
	}
	return r.Verdict() == spec.Holds && r.Of("deadlock-freedom").Evidence != nil
}

// drawn draws a network: with a random table, or with every hop except straight back on
// a random graph.
func drawn(rt *rapid.T) *spec.Network {
	def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Ring: true, Sparse: true})
	def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(rt, "switching")
	if rapid.Bool().Draw(rt, "every hop") {
		def.Tags = 1
		def.Routing = everyHop(def.Topology)
	}
	return compile(rt, def)
}

// drawnChoices draws a network that commits packets to alternatives, or discards them, or both.
func drawnChoices(rt *rapid.T) *spec.Network {
	o := netgen.Options{Nodes: 4, Channels: 7, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Ring: true, Sparse: true}
	o.Commits = rapid.IntRange(0, 3).Draw(rt, "commits") > 0
	o.Discards = !o.Commits || rapid.Bool().Draw(rt, "discards")
	def := netgen.Definition(rt, o)
	def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(rt, "switching")
	return compile(rt, def)
}

// drawnAny is one or the other, each equally often.
func drawnAny(rt *rapid.T) *spec.Network {
	if rapid.Bool().Draw(rt, "choices") {
		return drawnChoices(rt)
	}
	return drawn(rt)
}

// discardsAtOnce reports whether some source may discard its packets.
func discardsAtOnce(n *spec.Network) bool {
	for i := range n.Tables() {
		if slices.ContainsFunc(n.Table(i).Sources, func(s spec.Source) bool { return n.MayDiscard(s.Row) }) {
			return true
		}
	}
	return false
}

// everyHop permits every hop but one straight back.
func everyHop(t *spec.Topology) routing.Relation {
	return routing.Deliver(t, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		for _, l := range t.OutLinks(t.Head(at)) {
			if at.IsInjection() || t.Link(l).To != t.Tail(at) {
				for vc := range t.Link(l).VCs {
					dst = append(dst, spec.Hop{Channel: t.Channel(l, vc)})
				}
			}
		}
		return dst
	}))
}

// TestLeastOfWorms: for gadgets that only messages of several channels deadlock.
func TestLeastOfWorms(t *testing.T) {
	for i, set := range []map[string]string{
		{"name": "W1"}, {"name": "swap"}, {"name": "pigeonholes", "pigeons": "2", "holes": "2"}, {"name": "pigeonholes", "pigeons": "3", "holes": "3"},
	} {
		for k, s := range []repair.Scheme{repair.Turns, repair.Hops} {
			if i > 2 && !seedtest.Whole() {
				continue
			}
			if !seedtest.Sampled(i/2+k, 2) {
				continue
			}
			e, _ := models.Find("gadget")
			def, err := e.Define(set)
			if err != nil {
				t.Fatal(err)
			}
			def.Switching = spec.Wormhole
			n := compile(t, def)
			r, err := repair.Propose(t.Context(), n, repair.Options{Schemes: []repair.Scheme{s}})
			if err != nil {
				t.Fatal(err)
			}
			p := r.Proposals[0]
			brute := plainOf(n, s)
			got := p.Cost
			if p.Verdict == spec.Violated {
				got = -1
			}
			if want := brute.least(); p.Verdict == spec.Unknown || got != want || got >= 0 && p.AtLeast != want {
				t.Errorf("%v by %s: %s with %d of at least %d, want %d of %d", set, s, p.Verdict, p.Cost, p.AtLeast, want, len(brute.keys))
			}
		}
	}
}

// each is the number of networks that one check draws, so that there are thousands in
// all.
const each = 20

// TestLeastIsBruteForce: for drawn networks with dead ends, loops and wrong exits, under every
// switching, the least repair by turns and by hops is that of all subsets, and there is evidence
// that none costs less.
func TestLeastIsBruteForce(t *testing.T) {
	found, proofs, choices := map[int]int{}, 0, 0
	seedtest.Sample(t, 25)
	rapid.Check(t, func(rt *rapid.T) {
		for range each {
			n := drawnAny(rt)
			s := rapid.SampledFrom([]repair.Scheme{repair.Turns, repair.Hops}).Draw(rt, "scheme")
			brute := plainOf(n, s)
			if brute == nil || len(brute.keys) > 11 || n.FlowCount() == 0 || discardsAtOnce(n) {
				continue // too many subsets; or a repair may be that no packet enters, of which nothing is decided
			}
			r, err := repair.Propose(rt.Context(), n, repair.Options{Schemes: []repair.Scheme{s}, Workers: 1})
			if err != nil {
				rt.Fatal(err)
			}
			if len(r.Proposals) == 0 {
				continue // nothing to mend
			}
			p, want := r.Proposals[0], brute.least()
			found[want]++
			if n.Alternatives() > 0 && want > 0 {
				choices++
			}
			got := p.Cost
			if p.Verdict == spec.Violated {
				got = -1
			}
			if p.Verdict == spec.Unknown || got != want || got >= 0 && p.AtLeast != p.Cost {
				rt.Fatalf("%s: %s, cost %d of at least %d, want %d (%s)", s, p.Verdict, p.Cost, p.AtLeast, want, p.Because)
			}
			if (p.Least == nil) != (got == 0 || got == 1) {
				rt.Fatalf("%s: evidence %v that nothing costs less than %d", s, p.Least, got)
			}
			if p.Least != nil {
				proofs++
			}
		}
	})
	t.Log("cases by least cost:", found, "proofs:", proofs, "with alternatives:", choices)
	if seedtest.Usual() && choices == 0 {
		t.Error("no repair of a network with alternatives")
	}
}

// TestPlainIsDecided: the checker finds free, with a certificate, what the brute force takes
// for a repair.
func TestPlainIsDecided(t *testing.T) {
	found := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawn(rt)
		s := rapid.SampledFrom([]repair.Scheme{repair.Turns, repair.Hops}).Draw(rt, "scheme")
		brute := plainOf(n, s)
		if brute == nil || len(brute.keys) > 60 || n.FlowCount() == 0 {
			return
		}
		set := rapid.Uint64Range(0, 1<<len(brute.keys)-1).Draw(rt, "forbidden")
		if rapid.Bool().Draw(rt, "few") {
			set &= rapid.Uint64Range(0, 1<<len(brute.keys)-1).Draw(rt, "and")
		}
		forbidden := map[string]bool{}
		for k, number := range brute.keys {
			forbidden[k] = set>>number&1 == 1
		}
		got, want := brute.free(set), isFree(rt, without(n, s, forbidden))
		found[want]++
		if got != want {
			rt.Fatalf("%s without %b: free %v, want %v", s, set, got, want)
		}
	})
	t.Log(found)
}

// TestConditions: every repair satisfies a clause that is accepted as a condition; and the
// clause against all that a set keeps and forbids is accepted if the set is not a repair.
func TestConditions(t *testing.T) {
	met, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnAny(rt)
		s := rapid.SampledFrom([]repair.Scheme{repair.Turns, repair.Hops}).Draw(rt, "scheme")
		brute := plainOf(n, s)
		if brute == nil || len(brute.keys) > 10 || n.FlowCount() == 0 {
			return
		}
		g, err := repairs.New(t.Context(), n, string(s), 0)
		if err != nil || g.Variables != len(brute.keys) {
			rt.Fatal(g.Variables, "units, want", len(brute.keys), err)
		}
		var free []uint64
		for set := range uint64(1) << len(brute.keys) {
			is := brute.free(set)
			if is {
				free = append(free, set)
			}
			var clause []int32
			for v := range int32(len(brute.keys)) {
				clause = append(clause, 2*v+int32(set>>v&1))
			}
			if meets(g, clause) == is {
				rt.Fatalf("%s: free %v without %b, and so is its condition", s, is, set)
			}
		}
		for range 50 {
			clause, yes, no := drawnClause(rt, len(brute.keys))
			if !meets(g, clause) {
				refused++
				continue
			}
			met++
			for _, set := range free {
				if set&yes == 0 && no&^set == 0 {
					rt.Fatalf("%s: %v is accepted, and the repair %b does not meet it", s, clause, set)
				}
			}
		}
	})
	if t.Log(met, "met,", refused, "refused"); seedtest.Usual() && (met == 0 || refused == 0) {
		t.Error("want both")
	}
}

// drawnClause draws a condition on some units, about half of them: that those of yes go or those of no stay.
func drawnClause(t *rapid.T, units int) (clause []int32, yes, no uint64) {
	for v := range int32(units) {
		switch rapid.IntRange(0, 3).Draw(t, "literal") {
		case 0:
			clause, yes = append(clause, 2*v), yes|1<<v
		case 1:
			clause, no = append(clause, 2*v+1), no|1<<v
		}
	}
	return clause, yes, no
}
