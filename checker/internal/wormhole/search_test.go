package wormhole_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

type fataler interface{ Fatal(...any) }

// rest is what the head/tail fixpoint leaves of n.
func rest(t fataler, n *spec.Network) (*relation.Usage, []spec.ChannelID) {
	u, err := relation.NewUsage(context.Background(), n, 2)
	if err != nil {
		t.Fatal(err)
	}
	tails, err := u.HeadTail(context.Background(), 2, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := tails.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	var left []spec.ChannelID
	for c, r := range tails.Rank {
		if r == relation.Unranked {
			left = append(left, spec.ChannelID(c))
		}
	}
	return u, left
}

// TestGadgets: W1 has one stuck set (see TestCheckRefuses), of two worms of two channels, so none
// of one-channel worms; W2 and W5 have none (ORACLES.md, by brute force over all
// configurations).
func TestGadgets(t *testing.T) {
	for _, tt := range []struct {
		name     string
		channels int
		want     []int // lengths of the worms found; nil: none
	}{
		{"W1", 0, []int{2, 2}},
		{"W1", 1, nil},
		{"W1", 2, []int{2, 2}},
		{"W1", 5, []int{2, 2}},
		{"W2", 0, nil},
		{"W2", 3, nil},
		{"W5", 0, nil},
	} {
		n := gadgetNetwork(t, tt.name)
		u, candidates := rest(t, n)
		found, decided, err := wormhole.Search(t.Context(), n, u, candidates, wormhole.Options{Channels: tt.channels})
		if err != nil || !decided {
			t.Fatalf("%s, %d channels: decided %t, %v", tt.name, tt.channels, decided, err)
		}
		var got []int
		for _, w := range found {
			got = append(got, len(w.Sites))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, %d channels: worms of %v channels, want %v", tt.name, tt.channels, got, tt.want)
		}
	}
}

// plainWorm is a message at rest, by its channels.
type plainWorm struct {
	holds, wants []spec.ChannelID
	entered      bool // from its source, into the first of them
}

// plainWorms lists every legal path segment of at most most channels (0: any
// number), without a channel twice, whose head waits.
func plainWorms(n *spec.Network, most int) []plainWorm {
	var all []plainWorm
	var entered bool
	var extend func(path []spec.ChannelID, s spec.Site)
	extend = func(path []spec.ChannelID, s spec.Site) {
		hops, _ := n.Hops(s)
		if len(hops) > 0 && !slices.Contains(hops, spec.Hop{Channel: spec.Eject}) {
			w := plainWorm{holds: slices.Clone(path), entered: entered}
			for _, h := range hops {
				w.wants = append(w.wants, h.Channel)
			}
			all = append(all, w)
		}
		if len(path) == most {
			return
		}
		for _, h := range hops {
			if h.Channel != spec.Eject && !slices.Contains(path, h.Channel) {
				next := s.Header
				next.Tag = h.Tag
				extend(append(path, h.Channel), spec.Site{Channel: h.Channel, Header: next})
			}
		}
	}
	first := map[spec.Site]bool{}
	_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		for _, h := range hops {
			if s.Channel.IsInjection() {
				first[spec.Site{Channel: h.Channel, Header: spec.Header{Dest: s.Header.Dest, Class: s.Header.Class, Tag: h.Tag}}] = true
			}
		}
		return nil
	})
	_ = routing.Sites(n, func(s spec.Site, _ []spec.Hop) error {
		if !s.Channel.IsInjection() {
			entered = first[s]
			extend([]spec.ChannelID{s.Channel}, s)
		}
		return nil
	})
	return all
}

// plainlyStuck reports whether some of the worms, no two in one channel, are a stuck set, by trying
// every worm for every channel that is waited for. If all worms have one length, those of fewer than
// most channels count only if they begin at their source.
func plainlyStuck(n *spec.Network, most int, ofOneLength bool) bool {
	all := slices.DeleteFunc(plainWorms(n, most), func(w plainWorm) bool {
		return ofOneLength && most > 0 && len(w.holds) < most && !w.entered
	})
	held := make([]bool, n.Topology().Channels())
	var closes func(wanted []spec.ChannelID) bool
	with := func(w plainWorm, wanted []spec.ChannelID) bool {
		if slices.ContainsFunc(w.holds, func(c spec.ChannelID) bool { return held[c] }) {
			return false
		}
		for _, c := range w.holds {
			held[c] = true
		}
		found := closes(slices.Concat(wanted, w.wants))
		for _, c := range w.holds {
			held[c] = false
		}
		return found
	}
	closes = func(wanted []spec.ChannelID) bool {
		i := slices.IndexFunc(wanted, func(c spec.ChannelID) bool { return !held[c] })
		if i < 0 {
			return true
		}
		return slices.ContainsFunc(all, func(w plainWorm) bool { return slices.Contains(w.holds, wanted[i]) && with(w, wanted) })
	}
	return slices.ContainsFunc(all, func(w plainWorm) bool { return with(w, nil) })
}

// TestSearchAgreesWithBruteForce on random networks, with worms of one length and of any,
// and with more candidates than necessary.
func TestSearchAgreesWithBruteForce(t *testing.T) {
	var stuck, free, cleared, long int
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 9, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		most := rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(rt, "most")
		u, candidates := rest(rt, n)
		left := len(candidates)
		if rapid.IntRange(0, 3).Draw(rt, "all channels") == 0 {
			candidates = candidates[:0]
			for c := range n.Topology().Channels() {
				candidates = append(candidates, spec.ChannelID(c))
			}
		}
		found, decided, err := wormhole.Search(context.Background(), n, u, candidates, wormhole.Options{Channels: most})
		if err != nil || !decided {
			rt.Fatalf("decided %t, %v", decided, err)
		}
		if want := plainlyStuck(n, most, true); want != (found != nil) {
			rt.Fatalf("stuck: %t, by brute force %t; candidates %d", found != nil, want, left)
		}
		switch {
		case found != nil:
			stuck++
			checkSmall(rt, n, found, most)
			if slices.ContainsFunc(found, func(w wormhole.Worm) bool { return len(w.Sites) > 1 }) {
				long++
			}
		case left > 0:
			cleared++
		default:
			free++
		}
	})
	t.Logf("%d stuck (%d with a worm of several channels), %d free at once, %d false alarms cleared", stuck, long, free, cleared)
}

// checkSmall verifies a stuck set, and that each worm is needed and, unless it has a given length, as
// short as it can be: without it, without its tail, or with its head one channel back, the rest is
// not stuck.
func checkSmall(rt *rapid.T, n *spec.Network, found []wormhole.Worm, most int) {
	if err := wormhole.Check(n, found); err != nil {
		rt.Fatal(err)
	}
	for i, w := range found {
		entered := slices.ContainsFunc(n.TableOf(w.Sites[0].Header.Target()).SourcesOf(n.Topology().Tail(w.Sites[0].Channel)), func(s spec.Source) bool {
			return slices.Contains(n.Row(s.Row), spec.Hop{Channel: w.Sites[0].Channel, Tag: w.Sites[0].Header.Tag})
		})
		if most > 0 && len(w.Sites) != most && (len(w.Sites) > most || !entered) {
			rt.Fatalf("worm %d holds %d channels, want %d", i, len(w.Sites), most)
		}
		for k, sites := range [][]spec.Site{nil, w.Sites[1:], w.Sites[:len(w.Sites)-1]} {
			if k > 0 && most > 1 {
				break
			}
			fewer := slices.Delete(slices.Clone(found), i, i+1)
			if len(sites) > 0 {
				fewer = append(fewer, wormhole.Worm{Sites: sites})
			}
			if wormhole.Check(n, fewer) == nil {
				rt.Fatalf("worm %d holds more than it needs", i)
			}
		}
	}
}

// TestSearchRefuses questions that make no sense, and stops when it is told to.
func TestSearchRefuses(t *testing.T) {
	n := gadgetNetwork(t, "W2")
	u, candidates := rest(t, n)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name       string
		ctx        context.Context
		candidates []spec.ChannelID
		o          wormhole.Options
		want       string
	}{
		{"no such channel", t.Context(), []spec.ChannelID{99}, wormhole.Options{}, "not a channel"},
		{"eject", t.Context(), []spec.ChannelID{spec.Eject}, wormhole.Options{}, "not a channel"},
		{"negative steps", t.Context(), candidates, wormhole.Options{Steps: -1}, "negative"},
		{"negative length", t.Context(), candidates, wormhole.Options{Channels: -1}, "negative"},
		{"interrupted", stopped, candidates, wormhole.Options{}, context.Canceled.Error()},
	} {
		found, decided, err := wormhole.Search(tt.ctx, n, u, tt.candidates, tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || found != nil || decided {
			t.Errorf("%s: %v, %t, %v; want an error that says %q", tt.name, found, decided, err, tt.want)
		}
	}
}
