package rwc1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestWithoutEndpoints: with one level and infinite input buffers the network is CCCB
// of package mdce, dependency for dependency; every further level is one more copy of
// it.
func TestWithoutEndpoints(t *testing.T) {
	one := censustest.Count(routingtest.Network(t)(mdce.CCCB(3, 3, mdce.CCCFirst)))
	for levels := 1; levels <= 4; levels++ {
		got := censustest.Count(routingtest.Network(t)(rwc1.New(rwc1.Options{N: 3, VCs: 3, Levels: levels})))
		want := censustest.Census{Channels: levels * one.Channels, Edges: levels * one.Edges, Sites: levels * one.Sites, Acyclic: true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d levels (-want +got):\n%s", levels, diff)
		}
	}
	got := censustest.Count(routingtest.Network(t)(rwc1.New(rwc1.Options{N: 3, VCs: 3, Levels: 4, Buffers: rwc1.PerMode})))
	want := censustest.Census{Channels: 2 * one.Channels, Edges: 2 * one.Edges, Sites: 4 * one.Sites, Acyclic: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("two sets of buffers (-want +got):\n%s", diff)
	}
}

// TestRequestAndReply: every request goes to its server's processor and no
// other, leaves it as a reply in the buffers of the reply's level, and ends
// with the requester, whatever the levels and buffers.
func TestRequestAndReply(t *testing.T) {
	for _, tt := range []struct {
		o               rwc1.Options
		levels, answers []int // of class group i: level of requests, level of replies
	}{
		{rwc1.Options{Levels: 1}, []int{0}, []int{0}},
		{rwc1.Options{Levels: 2}, []int{0, 1}, []int{0, 1}},
		{rwc1.Options{Levels: 2, Reply: rwc1.LevelAbove}, []int{0}, []int{1}},
		{rwc1.Options{Levels: 4, Reply: rwc1.LevelAbove, Buffers: rwc1.PerMode}, []int{0, 2}, []int{1, 3}},
	} {
		o := tt.o
		o.N, o.Topology, o.VCs, o.Traffic, o.Finite = 2, rwc1.Banyan, 3, rwc1.RequestReply, true
		set := func(level int) int {
			if o.Buffers == rwc1.PerMode {
				return level / 2
			}
			return level
		}
		n := routingtest.Network(t)(rwc1.New(o))
		top := n.Topology()
		const routers = 8
		if got, want := n.FlowCount(), routers*(routers-1)*len(tt.levels); got != want {
			t.Errorf("%+v: %d flows, want %d", o, got, want)
		}
		for i := range n.Tables() {
			table := n.Table(i)
			group, server := int(table.Class)/routers, spec.NodeID(int(table.Class)%routers)
			if len(table.Sources) != 1 || table.Dest != routers+table.Sources[0].Node {
				t.Fatalf("%+v: %d sources for %s: want the requester alone", o, len(table.Sources), top.Node(table.Dest).Name)
			}
			at := spec.Site{Channel: spec.Injection(table.Sources[0].Node), Header: spec.Header{Dest: table.Dest, Class: table.Class}}
			var processors []string
			for steps := 0; at.Channel != spec.Eject; steps++ {
				hops, ok := n.Hops(at)
				if !ok || len(hops) != 1 || steps > 30 {
					t.Fatalf("%+v: %s: %d hops after %d", o, top.ChannelName(at.Channel), len(hops), steps)
				}
				to := hops[0].Channel
				if n.Reason(at, hops[0]).Text == "" {
					t.Errorf("%+v: no reason for %s", o, top.ChannelName(to))
				}
				at.Channel, at.Header.Tag = to, hops[0].Tag
				if to == spec.Eject {
					break
				}
				level := tt.levels[group]
				if len(processors) > 0 {
					level = tt.answers[group]
				}
				vc := top.VC(to)
				switch top.Link(top.LinkOf(to)).Out {
				case "PIB":
					processors = append(processors, top.Node(top.Head(to)).Name)
					if vc != level {
						t.Errorf("%+v: PIB %d, want %d", o, vc, level)
					}
				case "inject":
					if vc != set(level) {
						t.Errorf("%+v: injection FIFO %d, want %d", o, vc, set(level))
					}
				default:
					if vc/o.VCs != set(level) {
						t.Errorf("%+v: %s at level %d", o, top.ChannelName(to), level)
					}
				}
			}
			want := []string{"PE" + top.Node(server).Name, top.Node(table.Dest).Name}
			if diff := cmp.Diff(want, processors); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", o, diff)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	_, err := rwc1.New(rwc1.Options{N: 5, VCs: 3, Levels: 1, Traffic: rwc1.RequestReply, Finite: true})
	if want := "5120 nodes that wait for each other's replies at 1 levels are too many: want fewer nodes or levels"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
