package bubbles_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// ringOf returns a ring of n nodes with one channel of two packets each, in which packets for all nodes go around.
// room says which room the hop out of a node needs, from a source or around the ring.
func ringOf(t testing.TB, n int, room func(node int, injects bool) int) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	for range n {
		topo.AddNode("")
	}
	for v := range n {
		topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % n), VCs: 1})
	}
	return compiled(t, routing.Definition{Name: "ring", Topology: topo, Buffer: 2, Routing: routing.Router{
		Topology: topo, Route: func(p routing.Packet) routing.Choice {
			if v := topo.Head(p.At); v != p.Dest {
				return routing.Adaptive(spec.Hop{Channel: spec.ChannelID(v), Room: uint16(room(int(v), p.At.IsInjection()))})
			}
			return routing.Adaptive(spec.Hop{Channel: spec.Eject})
		},
	}})
}

func compiled(t testing.TB, def routing.Definition) *spec.Network {
	t.Helper()
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// guarded is the room of a ring that keeps a bubble.
func guarded(_ int, injects bool) int {
	if injects {
		return 2
	}
	return 1
}

// certified returns the certificate that unknot finds.
func certified(t testing.TB, n *spec.Network, sc spec.Scenario) *bubbles.Certificate {
	t.Helper()
	r, err := checker.Check(t.Context(), n, checker.Question{
		Scenario: sc, Workers: 1, Explore: checker.Never, Properties: []string{"deadlock-freedom"},
	})
	if err != nil {
		t.Fatal(err)
	}
	e, ok := r.Findings[0].Evidence.(evidence.Bubbles)
	if !ok {
		t.Fatalf("%s: %s, by %s", n.Name(), r.Findings[0].Verdict, r.Findings[0].Because)
	}
	return e.Certificate
}

// samples are networks with certificates: a ring; one with a bubble of the scenario; two rings one behind the other.
func samples(t testing.TB) (nets []*spec.Network, certs []*bubbles.Certificate) {
	add := func(n *spec.Network, sc spec.Scenario) {
		nets, certs = append(nets, n), append(certs, certified(t, n, sc))
	}
	add(ringOf(t, 4, guarded), spec.Scenario{})
	add(ringOf(t, 3, func(int, bool) int { return 1 }), spec.Scenario{Bubble: 2})
	add(twoRings(t), spec.Scenario{})
	return nets, certs
}

// twoRings has the rings 0 1 2 and 3 4 5, each guarded, and a link from the first to the second.
func twoRings(t testing.TB) *spec.Network {
	topo := spec.NewTopology()
	for range 6 {
		topo.AddNode("")
	}
	for v := range 6 {
		topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID(v/3*3 + (v+1)%3), VCs: 1})
	}
	topo.AddLink(spec.Link{From: 0, To: 3, VCs: 1})
	return compiled(t, routing.Definition{Name: "two rings", Topology: topo, Buffer: 2,
		Flows: func(src, dest spec.NodeID, _ spec.Class) bool { return src/3 <= dest/3 },
		Routing: routing.Router{
			Topology: topo, Route: func(p routing.Packet) routing.Choice {
				v := topo.Head(p.At)
				h := spec.Hop{Channel: spec.ChannelID(v)}
				switch {
				case v == p.Dest:
					h.Channel = spec.Eject
				case v == 0 && p.Dest > 2:
					h.Channel = 6
				case p.At.IsInjection() || p.At == 6:
					h.Room = 2
				}
				return routing.Adaptive(h)
			},
		}})
}

// forms are those of the check.
var forms = map[string]func(context.Context, *spec.Network, *bubbles.Certificate) error{
	"fast": bubbles.Verify, "plain": bubbles.VerifyPlain,
}

// verified is the answer of both forms of the check, which must agree on whether a certificate is accepted.
func verified(t rapid.TB, n *spec.Network, c *bubbles.Certificate) error {
	t.Helper()
	fast, plain := forms["fast"](context.Background(), n, c), forms["plain"](context.Background(), n, c)
	if (fast == nil) != (plain == nil) {
		t.Fatalf("fast: %v; plain: %v; of %+v", fast, plain, c)
	}
	return fast
}

// TestCertificates: what unknot finds is accepted, is read again as it was written, and rests on what was expected: one
// set for each ring.
func TestCertificates(t *testing.T) {
	nets, certs := samples(t)
	for i, n := range nets {
		if want := []int{1, 1, 2}[i]; len(certs[i].Sets) != want {
			t.Errorf("%s: %d sets, want %d", n.Name(), len(certs[i].Sets), want)
		}
		text := written(t, certs[i])
		again, err := bubbles.Read("c", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := verified(t, n, again); err != nil || written(t, again) != text {
			t.Errorf("%s, read again: %v", n.Name(), err)
		}
		if err := shown(n, again); err != "" {
			t.Errorf("%s: accepted, but %s", n.Name(), err)
		}
	}
}

func written(t testing.TB, c *bubbles.Certificate) string {
	t.Helper()
	var b bytes.Buffer
	if err := write.Bubbles(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEveryNumberAndLine: with any number changed, or any line left out, a certificate is refused, unless it still shows
// what it says by the definition.
func TestEveryNumberAndLine(t *testing.T) {
	nets, certs := samples(t)
	for i, n := range nets {
		lines, refused := strings.SplitAfter(written(t, certs[i]), "\n"), 0
		try := func(k int, line string) {
			text := strings.Join(slices.Concat(lines[:k], []string{line}, lines[k+1:]), "")
			c, err := bubbles.Read("c", strings.NewReader(text))
			if err == nil {
				err = verified(t, n, c)
			}
			if err == nil {
				if wrong := shown(n, c); wrong != "" {
					t.Errorf("%s, line %d now %q: accepted, though %s", n.Name(), k+1, line, wrong)
				}
			} else {
				refused++
			}
		}
		for k := range lines[:len(lines)-1] {
			try(k, "")
			try(k, lines[k]+lines[k])
			for w, word := range strings.Fields(lines[k]) {
				x, err := strconv.Atoi(word)
				if err != nil {
					continue
				}
				for _, other := range []int{0, x - 1, x + 1, x + 7} {
					if other != x && other >= 0 {
						words := strings.Fields(lines[k])
						words[w] = strconv.Itoa(other)
						try(k, strings.Join(words, " ")+"\n")
					}
				}
			}
		}
		if refused < len(lines) {
			t.Errorf("%s: only %d refused", n.Name(), refused)
		}
	}
}

// TestWrongCertificates: what a check refuses before it looks at channels, and the first thing that is wrong there.
func TestWrongCertificates(t *testing.T) {
	nets, certs := samples(t)
	n, ring := nets[2], nets[0]
	for _, tt := range []struct {
		name   string
		change func(c *bubbles.Certificate)
		want   string
	}{
		{"another network", func(c *bubbles.Certificate) { c.Network = ring.Digest() }, "another network"},
		{"no levels", func(c *bubbles.Certificate) { c.Levels = nil }, "0 levels: want 7"},
		{"a level below 0", func(c *bubbles.Certificate) { c.Levels[3] = -1 }, "levels are at least 0"},
		{"a bubble of 1", func(c *bubbles.Certificate) { c.Bubble = 1 }, "a bubble of 1"},
		{"a bubble below 0", func(c *bubbles.Certificate) { c.Bubble = -2 }, "a bubble of -2"},
		{"a bubble that never fits", func(c *bubbles.Certificate) { c.Bubble = 3 }, "never fits"},
		{"no sets", func(c *bubbles.Certificate) { c.Sets = nil }, "a packet in 3->4 vc0 can ever move"},
		{"the lower ring alone", func(c *bubbles.Certificate) {
			c.Sets = slices.DeleteFunc(c.Sets, func(s bubbles.Set) bool { return s.Channels[0] == 0 })
		}, "a packet in 0->1 vc0 can ever move"},
		{"a set of none", func(c *bubbles.Certificate) { c.Sets[0] = bubbles.Set{Free: 1} }, "1 free places: want 1 to 0"},
		{"no place free", func(c *bubbles.Certificate) { c.Sets[0].Free = 0 }, "0 free places: want 1 to 6"},
		{"two places free", func(c *bubbles.Certificate) { c.Sets[0].Free = 2 }, "may leave only 1 of 2 free places"},
		{"more than there are", func(c *bubbles.Certificate) { c.Sets[0].Free = 7 }, "7 free places"},
		{"a channel twice", func(c *bubbles.Certificate) { c.Sets[0].Channels[1] = c.Sets[0].Channels[0] }, "must exist and ascend"},
		{"a channel that is none", func(c *bubbles.Certificate) { c.Sets[0].Channels[2] = 7 }, "must exist and ascend"},
		{"an injection", func(c *bubbles.Certificate) { c.Sets[0].Channels[0] = -2 }, "must exist and ascend"},
		{"part of a ring", func(c *bubbles.Certificate) { c.Sets[0].Channels = c.Sets[0].Channels[:2] }, "may leave only 0 of 1 free places"},
		{"the rings upside down", func(c *bubbles.Certificate) {
			for i := range 3 {
				c.Levels[i], c.Levels[i+3] = 0, 9
			}
		}, "can ever move"},
	} {
		c, err := bubbles.Read("c", strings.NewReader(written(t, certs[2])))
		if err != nil {
			t.Fatal(err)
		}
		tt.change(c)
		if err := verified(t, n, c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if verified(t, n, nil) == nil {
		t.Error("no certificate at all was accepted")
	}
	for form, verify := range forms {
		if verify(contexttest.New(t.Context(), 1), n, certs[2]) == nil {
			t.Errorf("%s: accepted without time", form)
		}
	}
}

// TestEarlierSets: each hop into a channel of this line leaves a place there. The set of that channel alone has this very
// place, so both together do not make the two of both channels; with the set of the other channel they do.
func TestEarlierSets(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(2) {
		topo.AddLink(spec.Link{From: v, To: v + 1, VCs: 1})
	}
	n := compiled(t, routing.Definition{Name: "line", Topology: topo, Buffer: 2,
		Flows: func(src, dest spec.NodeID, _ spec.Class) bool { return src < dest },
		Routing: routing.Router{
			Topology: topo, Route: func(p routing.Packet) routing.Choice {
				if v := topo.Head(p.At); v != p.Dest {
					return routing.Adaptive(spec.Hop{Channel: spec.ChannelID(v), Room: 2})
				}
				return routing.Adaptive(spec.Hop{Channel: spec.Eject})
			},
		}})
	first, second := bubbles.Set{Free: 1, Channels: []spec.ChannelID{0}}, bubbles.Set{Free: 1, Channels: []spec.ChannelID{1}}
	both := bubbles.Set{Free: 2, Channels: []spec.ChannelID{0, 1}}
	for _, c := range []struct {
		sets     []bubbles.Set
		accepted bool
	}{
		{[]bubbles.Set{first, both}, false},
		{[]bubbles.Set{second, both}, false},
		{[]bubbles.Set{first, second, both}, true},
	} {
		err := verified(t, n, &bubbles.Certificate{Network: n.Digest(), Levels: []int32{1, 0}, Sets: c.sets})
		if (err == nil) != c.accepted {
			t.Errorf("%v: %v, want accepted %t", c.sets, err, c.accepted)
		}
	}
}

// TestDeadlockingRings: no certificate is accepted of a ring that fills: entered with room for one packet at one node,
// and the same of a ring in which one hop around needs room for two. Whatever the numbers are.
func TestDeadlockingRings(t *testing.T) {
	for name, n := range map[string]*spec.Network{
		"one entry with room 1": ringOf(t, 3, func(v int, injects bool) int {
			if v == 1 {
				return 1
			}
			return guarded(v, injects)
		}),
		"one hop around with room 2": ringOf(t, 3, func(v int, injects bool) int { return max(guarded(v, injects), 2-v) }),
	} {
		rapid.Check(t, func(rt *rapid.T) {
			c := drawCertificate(rt, n)
			if verified(rt, n, c) == nil {
				rt.Fatalf("%s: accepted: %+v", name, c)
			}
		})
	}
}

func drawCertificate(rt *rapid.T, n *spec.Network) *bubbles.Certificate {
	c := &bubbles.Certificate{Network: n.Digest()}
	for range n.Topology().Channels() {
		c.Levels = append(c.Levels, rapid.Int32Range(0, 2).Draw(rt, "level"))
	}
	for range rapid.IntRange(0, 3).Draw(rt, "sets") {
		s := bubbles.Set{Free: rapid.IntRange(1, 3).Draw(rt, "free")}
		for d := range spec.ChannelID(n.Topology().Channels()) {
			if rapid.Bool().Draw(rt, "in") {
				s.Channels = append(s.Channels, d)
			}
		}
		c.Sets = append(c.Sets, s)
	}
	return c
}

// TestByDefinition: both forms of the check accept of drawn networks, with the certificates that unknot finds and with
// changed ones, what the definition accepts.
func TestByDefinition(t *testing.T) {
	seen := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawNetwork(rt)
		if n.FlowCount() == 0 {
			return
		}
		c := drawCertificate(rt, n)
		r, err := checker.Check(t.Context(), n, checker.Question{Workers: 1, Explore: checker.Never, Properties: []string{"deadlock-freedom"}})
		if err != nil {
			rt.Fatal(err)
		}
		if e, ok := r.Findings[0].Evidence.(evidence.Bubbles); ok {
			c = e.Certificate
			switch rapid.IntRange(0, 3).Draw(rt, "change") {
			case 1:
				c.Levels[rapid.IntRange(0, len(c.Levels)-1).Draw(rt, "channel")] = rapid.Int32Range(0, 3).Draw(rt, "level")
			case 2:
				if len(c.Sets) > 0 {
					i := rapid.IntRange(0, len(c.Sets)-1).Draw(rt, "set")
					c.Sets = slices.Delete(c.Sets, i, i+1)
				}
			case 3:
				if len(c.Sets) > 0 {
					c.Sets[rapid.IntRange(0, len(c.Sets)-1).Draw(rt, "set")].Free = rapid.IntRange(1, 3).Draw(rt, "free")
				}
			}
		}
		err = verified(rt, n, c)
		if wrong := shown(n, c); (err == nil) != (wrong == "") {
			rt.Fatalf("%v, by the definition %q: %+v", err, wrong, c)
		}
		seen[err == nil]++
	})
	if seedtest.Usual() && (seen[true] == 0 || seen[false] == 0) {
		t.Errorf("%d accepted and %d refused, which shows nothing", seen[true], seen[false])
	}
}

// drawNetwork draws a network of up to six channels, with buffers of two or three: mostly, hops need room for two.
func drawNetwork(rt *rapid.T) *spec.Network {
	o := netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Ring: true, Sparse: true, Buffer: 3, Rooms: true}
	return netgen.Network(rt, o, spec.StoreAndForward)
}

// shown says from the definition, by all subsets, what is wrong with a certificate about a network of few channels; "" if
// nothing is. It shares nothing with the check.
func shown(n *spec.Network, c *bubbles.Certificate) (wrong string) {
	traffic, err := n.Traffic(spec.Scenario{Bubble: c.Bubble})
	if err != nil {
		return err.Error()
	}
	capacity := n.Capacity()
	type hop struct {
		from, to spec.ChannelID
		need     int
	}
	var hops []hop
	rows := map[spec.ChannelID][][]hop{}
	_ = routing.Sites(n, func(s spec.Site, row []spec.Hop) error {
		var own []hop
		leaves := false
		for _, h := range row {
			if h.Channel == spec.Eject {
				leaves = true
			} else {
				own = append(own, hop{s.Channel, h.Channel, traffic.Need(s.Channel, h)})
			}
		}
		hops = append(hops, own...)
		if len(own) > 0 && !leaves && s.Channel >= 0 {
			rows[s.Channel] = append(rows[s.Channel], own)
		}
		return nil
	})
	in := func(s bubbles.Set, c spec.ChannelID) bool { return slices.Contains(s.Channels, c) }
	for i, s := range c.Sets {
		for _, h := range hops {
			if !in(s, h.to) || in(s, h.from) {
				continue
			}
			free := h.need - 1
			for _, o := range c.Sets[:i] {
				if !slices.ContainsFunc(o.Channels, func(x spec.ChannelID) bool { return !in(s, x) || x == h.to }) {
					free = max(free, h.need-1+o.Free)
				}
			}
			if free < s.Free {
				return fmt.Sprintf("set %d may have %d places free", i, free)
			}
		}
		if s.Free > capacity*len(s.Channels) {
			return fmt.Sprintf("set %d has too few places", i)
		}
	}
	// A set of channels of one level, each with a row, all of whose hops into the level are within the set.
	channels := n.Topology().Channels()
	for set := 1; set < 1<<channels; set++ {
		var members []spec.ChannelID
		for d := range spec.ChannelID(channels) {
			if set>>d&1 == 1 {
				members = append(members, d)
			}
		}
		level := c.Levels[members[0]]
		if slices.ContainsFunc(members, func(d spec.ChannelID) bool { return c.Levels[d] != level }) {
			continue
		}
		var choose func(k int, least map[spec.ChannelID]int) bool
		choose = func(k int, least map[spec.ChannelID]int) bool {
			if k == len(members) {
				return !slices.ContainsFunc(c.Sets, func(s bubbles.Set) bool {
					held := 0
					for _, d := range s.Channels {
						held += least[d]
					}
					return held+s.Free > len(s.Channels)*capacity
				})
			}
			for _, row := range rows[members[k]] {
				after, fits := map[spec.ChannelID]int{}, true
				for d, x := range least {
					after[d] = x
				}
				for _, h := range row {
					switch {
					case c.Levels[h.to] < level || c.Levels[h.to] == level && !slices.Contains(members, h.to):
						fits = false
					case c.Levels[h.to] == level:
						after[h.to] = max(after[h.to], capacity-h.need+1)
					}
				}
				if fits && choose(k+1, after) {
					return true
				}
			}
			return false
		}
		least := map[spec.ChannelID]int{}
		for _, d := range members {
			least[d] = 1
		}
		if choose(0, least) {
			return fmt.Sprintf("packets in %v may be stuck", members)
		}
	}
	return ""
}

// TestWormholes: bubbles count whole packets.
func TestWormholes(t *testing.T) {
	topo := spec.NewTopology()
	topo.AddNode("")
	topo.AddNode("")
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	def := routing.Definition{Name: "link", Topology: topo, Buffer: 2, Switching: spec.Wormhole,
		Flows: func(src, _ spec.NodeID, _ spec.Class) bool { return src == 0 },
		Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
			if p.At.IsInjection() {
				return routing.Adaptive(spec.Hop{})
			}
			return routing.Adaptive(spec.Hop{Channel: spec.Eject})
		}}}
	n := compiled(t, def)
	c := &bubbles.Certificate{Network: n.Digest(), Levels: []int32{0}}
	if err := verified(t, n, c); err == nil || !strings.Contains(err.Error(), "wormhole") {
		t.Error(err)
	}
	def.Switching, def.Flows = spec.StoreAndForward, func(spec.NodeID, spec.NodeID, spec.Class) bool { return false }
	n = compiled(t, def)
	c.Network = n.Digest()
	if err := verified(t, n, c); err == nil || !strings.Contains(err.Error(), "no flows") {
		t.Error(err)
	}
}

// TestReadRefuses: what is no written form of a certificate.
func TestReadRefuses(t *testing.T) {
	text := "unknot-bubbles 1\nnetwork " + strings.Repeat("0f", 32) +
		"\nscenario bubble 2\nlevels 2\n0 1\nsets 1\nfree 1\nchannels 2\n0 1\nend\n"
	if _, err := bubbles.Read("c", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"bubbles 1", "bubbles 2", "c:1:1"},
		{"bubble 2", "bubble 1", "c:3:10: scenario bubble 1: want"},
		{"bubble 2", "bubble 2 sink 1", "c:3:10: scenario bubble 2 sink 1: want"},
		{"bubble 2", "bubbles 2", "c:3:10: invalid word"},
		{"levels 2", "levels 3", "c:5:1: want 3 numbers"},
		{"sets 1", "sets 2", `c:10:1: want "free ..."`},
		{"sets 1", "sets 0", `c:7:1: want "end"`},
		{"sets 1", "sets 2147483647", `c:10:1: want "free ..."`},
		{"free 1", "free 0", "c:7:6: invalid number"},
		{"channels 2", "channels 1", "c:9:1: want 1 numbers"},
		{"\nend\n", "\n", "unexpected end"},
		{"end\n", "end\nend\n", "text after the end"},
	} {
		_, err := bubbles.Read("c", strings.NewReader(strings.Replace(text, tt.old, tt.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q for %q: %v, want %q", tt.new, tt.old, err, tt.want)
		}
	}
}
