package clos_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/clos"
	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestCensus: a channel up from a leaf is followed by the cables up to the cores, one fewer leaf below and its cables;
// by hand for the default, where each has two of everything. A leaf's four cables up each hold packets for 3 leaves; those
// for the 2 of the other pod have 2 alternatives, the other one: 5. A spine's 8 up hold packets for the other pod, one hop
// each: 2. A core's 8 down for the 2 below, and a spine's 8 down for one.
func TestCensus(t *testing.T) {
	n := routingtest.Network(t)(clos.New(clos.Options{
		Pods: 2, Leaves: 2, Spines: 2, Cores: 2, Cables: 1, Priorities: 1,
	}))
	want := censustest.Census{
		Channels: 32, Edges: 8*(2+1) + 8*1 + 8*2, Sites: 8*5 + 8*2 + 8*2 + 8, Acyclic: true,
	}
	if diff := cmp.Diff(want, censustest.Count(n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n.FlowCount() != 12 {
		t.Errorf("%d flows, want 12", n.FlowCount())
	}
	if err := errors.Join(censustest.Undelivered(n), censustest.Unexplained(n)); err != nil {
		t.Error(err)
	}
}

// TestHops: what a switch does is what the comment of New says, here by hand. spine0.0 has lost leaf0.0, and core0 has
// lost pod 0.
func TestHops(t *testing.T) {
	def, err := clos.New(clos.Options{
		Pods: 2, Leaves: 3, Spines: 2, Cores: 2, Cables: 2, Priorities: 2, Drop: true,
		Without: "leaf0.0-spine0.0,leaf0.0-spine0.0#2,spine0.0-core0",
	})
	if err != nil {
		t.Fatal(err)
	}
	top := def.Topology
	node := func(name string) spec.NodeID {
		v, ok := top.NodeNamed(name)
		if !ok {
			t.Fatalf("no node %s", name)
		}
		return v
	}
	for _, tt := range []struct{ from, at, to, want string }{
		{"", "leaf0.0", "leaf0.1", "spine0.1/0 spine0.1/0"},
		{"", "leaf0.1", "leaf0.0", "spine0.0/0 spine0.0/0 spine0.1/0 spine0.1/0"},
		{"leaf0.1", "spine0.1", "leaf0.0", "leaf0.0/0 leaf0.0/0"},
		{"leaf0.1", "spine0.0", "leaf0.0", "leaf0.2/0 leaf0.2/0"}, // astray, and not back
		{"core1", "spine0.0", "leaf0.0", "leaf0.1/0 leaf0.1/0 leaf0.2/0 leaf0.2/0"},
		{"spine0.0", "leaf0.2", "leaf0.0", "spine0.1/1 spine0.1/1"}, // bounces
		{"spine0.0/1", "leaf0.2", "leaf0.0", "discard"},             // bounced before
		{"leaf0.2/1", "spine0.1", "leaf0.0", "leaf0.0/1 leaf0.0/1"},
		{"leaf0.1", "spine0.0", "leaf1.0", "core1/0"},  // core0 is not there
		{"spine1.0", "core0", "leaf0.1", "spine1.0/0"}, // the only way is back
		{"core0", "spine1.0", "leaf0.1", "core1/1"},
		{"spine1.1", "core3", "leaf0.1", "spine0.1/0"},
	} {
		at := spec.Injection(node(tt.at))
		if from, vc, _ := strings.Cut(tt.from, "/"); from != "" {
			at = top.Channel(top.LinksBetween(node(from), node(tt.at))[0], len(vc))
		}
		all, err := def.Routing.(routing.Committing).Alternatives(at, spec.Header{Dest: node(tt.to)})
		if err != nil {
			t.Fatal(err)
		}
		var hops []string
		for _, alternative := range all {
			for _, h := range alternative {
				if h.Discards() {
					hops = append(hops, "discard")
					continue
				}
				hops = append(hops, fmt.Sprintf("%s/%d", top.Node(top.Head(h.Channel)).Name, top.VC(h.Channel)))
			}
		}
		slices.Sort(hops)
		if diff := cmp.Diff(tt.want, strings.Join(hops, " ")); diff != "" {
			t.Errorf("%s at %s for %s (-want +got):\n%s", tt.from, tt.at, tt.to, diff)
		}
	}
}

// TestFailures: with drawn failures, bounces that raise the priority and end by a drop leave no cycle. If all switches
// know the failures, nobody turns from down to up, and a packet has a first hop if and only if a search over the cables
// that are left finds a way that leads up and then down; then all of its ways arrive.
func TestFailures(t *testing.T) {
	whole := clos.Options{Pods: 2, Leaves: 2, Spines: 2, Cores: 1, Cables: 2, Priorities: 2, Drop: true}
	intact, err := clos.New(whole)
	if err != nil {
		t.Fatal(err)
	}
	var cables []string
	for l := spec.LinkID(0); int(l) < intact.Topology.Links(); l += 2 { // there and back
		name := intact.Topology.LinkName(l)
		cables = append(cables, strings.Replace(name, "->", "-", 1))
	}
	rapid.Check(t, func(t *rapid.T) {
		o := whole
		o.Adaptive = rapid.Bool().Draw(t, "adaptive")
		o.Without = strings.Join(rapid.SliceOfNDistinct(
			rapid.SampledFrom(append(cables, "core0", "spine1.1", "leaf0.1")), 0, 5, rapid.ID[string],
		).Draw(t, "without"), ",")
		n := network(t, o)
		if k := censustest.Count(n); !k.Acyclic {
			t.Errorf("without %s: a cycle", o.Without)
		}
		o.Converged, o.Priorities = true, 1
		n = network(t, o)
		if k := censustest.Count(n); !k.Acyclic {
			t.Errorf("without %s, all know: a cycle", o.Without)
		}
		for i := range n.Tables() {
			table := n.Table(i)
			for _, src := range table.Sources {
				routed, joined := len(n.Row(src.Row)) > 0, upDown(n.Topology(), src.Node, table.Dest)
				if routed != joined {
					t.Errorf("without %s: %s to %s is routed %t, joined %t", o.Without,
						n.Topology().Node(src.Node).Name, n.Topology().Node(table.Dest).Name, routed, joined)
				}
			}
			for j := range table.Channels {
				if len(n.Row(table.Rows[j])) == 0 {
					t.Errorf("without %s: a dead end in %s", o.Without, n.Topology().ChannelName(table.Channels[j]))
				}
			}
		}
	})
}

// TestBounces: with bounces, a packet may do whatever it may after a failure of any cable, where a switch always has another
// to send it to; and a turn from down to up counts as a bounce, and nothing else does.
func TestBounces(t *testing.T) {
	o := clos.Options{Pods: 3, Leaves: 3, Spines: 2, Cores: 2, Cables: 1, Priorities: 1, Bounces: 1}
	n := routingtest.Network(t)(clos.New(o))
	permitted := map[string]bool{}
	name := func(top *spec.Topology, c spec.ChannelID) string {
		if c == spec.Eject {
			return "eject"
		}
		return top.ChannelName(c)
	}
	collect := func(n *spec.Network, f func(s spec.Site, text string)) {
		_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
			for _, h := range hops {
				top := n.Topology()
				f(s, name(top, s.Channel)+" to "+top.Node(s.Header.Dest).Name+": "+name(top, h.Channel))
			}
			return nil
		})
	}
	tier := func(v spec.NodeID) int { return strings.Index("lsc", n.Topology().Node(v).Name[:1]) }
	collect(n, func(_ spec.Site, text string) { permitted[text] = true })
	_ = routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		for _, h := range hops {
			if s.Channel.IsInjection() || h.Channel == spec.Eject {
				continue
			}
			top := n.Topology()
			from, at, to := tier(top.Tail(s.Channel)), tier(top.Head(s.Channel)), tier(top.Head(h.Channel))
			if before, after := n.OwnTag(s.Header.Tag), n.OwnTag(h.Tag); (from > at && to > at) != (after == before+1) {
				t.Errorf("%s to %s: %d bounces, then %d", top.ChannelName(s.Channel), top.ChannelName(h.Channel), before, after)
			}
		}
		return nil
	})
	o.Bounces = 0
	for _, o.Without = range []string{"leaf0.0-spine0.0", "leaf1.1-spine1.0", "spine0.0-core0", "spine1.1-core3"} {
		collect(routingtest.Network(t)(clos.New(o)), func(_ spec.Site, text string) {
			if !permitted[text] {
				t.Errorf("without %s, but not with bounces: %s", o.Without, text)
			}
		})
	}
}

// TestDiffering: switches that are not named as differing have the rows that they have without failures. Where all know
// the failures, which switches differ is not known.
func TestDiffering(t *testing.T) {
	rows := func(t *rapid.T, o clos.Options) (map[string]string, routing.Differing, *spec.Topology) {
		def, err := clos.New(o)
		if err != nil {
			t.Fatal(err)
		}
		all, top := map[string]string{}, def.Topology
		err = routing.Visit(t.Context(), def, routing.CompileOptions{}, func(at spec.Site, hops [][]spec.Hop) error {
			text := ""
			for _, alternative := range hops {
				for _, h := range alternative {
					text += top.ChannelName(h.Channel) + " "
				}
				text += "; "
			}
			key := fmt.Sprint(top.Node(top.Head(at.Channel)).Name, "|", top.ChannelName(at.Channel), " to ", at.Header.Dest)
			all[key] = text
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all, def.Routing.(routing.Differing), top
	}
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		o := clos.Options{
			Pods: rapid.IntRange(1, 2).Draw(rt, "pods"), Leaves: rapid.IntRange(2, 3).Draw(rt, "leaves"), Spines: 2, Cores: 2,
			Cables: rapid.IntRange(1, 2).Draw(rt, "cables"), Priorities: rapid.IntRange(1, 2).Draw(rt, "priorities"),
			Adaptive: rapid.Bool().Draw(rt, "adaptive"), Drop: rapid.Bool().Draw(rt, "drop"),
		}
		whole, _, _ := rows(rt, o)
		names := []string{"leaf0.0-spine0.0", "leaf0.1-spine0.1", "leaf0.0-spine0.1", "spine0.1", "leaf0.0"}
		if o.Pods > 1 {
			names = append(names, "spine0.0-core1", "core0")
		}
		o.Without = strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 2, rapid.ID[string]).Draw(rt, "failed"), ",")
		left, d, top := rows(rt, o)
		nodes, known := d.Differing()
		if !known {
			rt.Fatal("not known")
		}
		differs := map[string]bool{}
		for _, v := range nodes {
			differs[top.Node(v).Name] = true
		}
		for at, row := range left {
			name, _, _ := strings.Cut(at, "|")
			if was, is := whole[at]; is && !differs[name] && was != row {
				rt.Fatalf("without %s, %s: %s, and %s with all", o.Without, at, row, was)
			} else if is && !differs[name] {
				compared++
			}
		}
		o.Converged = true
		if _, d, _ := rows(rt, o); len(o.Without) > 0 {
			if _, known := d.Differing(); known {
				rt.Fatal("known, although all switches know the failures")
			}
		}
	})
	if seedtest.Usual() && compared == 0 {
		t.Error("nothing was compared")
	}
}

func network(t *rapid.T, o clos.Options) *spec.Network {
	def, err := clos.New(o)
	if err != nil {
		t.Fatal(err)
	}
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// upDown searches for a way that leads up, to a node whose name is of a higher tier, and then down.
func upDown(top *spec.Topology, from, to spec.NodeID) bool {
	tier := func(v spec.NodeID) int { return strings.Index("lsc", top.Node(v).Name[:1]) }
	type place struct {
		v     spec.NodeID
		falls bool
	}
	met, queue := map[place]bool{}, []place{{from, false}}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if met[p] {
			continue
		}
		met[p] = true
		for _, l := range top.OutLinks(p.v) {
			w := top.Link(l).To
			if up := tier(w) > tier(p.v); !up || !p.falls {
				queue = append(queue, place{w, !up})
			}
		}
	}
	return met[place{to, true}]
}

func TestRefuses(t *testing.T) {
	good := clos.Options{Pods: 2, Leaves: 2, Spines: 2, Cores: 2, Cables: 1, Priorities: 1}
	for _, tt := range []struct {
		change func(o *clos.Options)
		want   string
	}{
		{func(o *clos.Options) { o.Cores = 0 }, "2 pods without cores: want cores, which join them"},
		{
			func(o *clos.Options) { o.Bounces, o.Converged = 1, true },
			"bounces stand for all failures: want none of without and knows",
		},
		{
			func(o *clos.Options) { o.Pods, o.Leaves, o.Converged, o.Without = 64, 256, true, "core0" },
			"16384 leaves and 16516 switches whose ways all know: want at most 67108864 pairs",
		},
		{func(o *clos.Options) { o.Pods, o.Leaves, o.Hosts = 1, 1, 1 }, "one leaf: want another, or two hosts"},
		{func(o *clos.Options) { o.Pods, o.Leaves, o.Hosts = 64, 256, 256 }, "4210820 nodes: want at most 1048576"},
		{
			func(o *clos.Options) { o.Pods, o.Leaves, o.Spines, o.Priorities = 64, 256, 64, 8 },
			"16908288 channels: want at most 16777216",
		},
		{
			func(o *clos.Options) { o.Without = "core0,leaf0.0-core0" },
			"invalid without \"leaf0.0-core0\": want switches and cables of the network, such as core0 and leaf0.0-spine0.0",
		},
		{
			func(o *clos.Options) { o.Without = "core0," },
			"invalid without \"\": want switches and cables of the network, such as core0 and leaf0.0-spine0.0",
		},
	} {
		o, got := good, ""
		tt.change(&o)
		if _, err := clos.New(o); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
