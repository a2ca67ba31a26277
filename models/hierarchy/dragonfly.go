// Package hierarchy, internal to unknot, models networks with levels: dragonflies, leaf-spine
// networks and k-ary n-trees.
package hierarchy

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// DragonflyOptions describes a dragonfly (Kim, Dally, Scott and Abts, 2008).
type DragonflyOptions struct {
	Routers  int  // a group (a)
	Globals  int  // global links a router (h)
	Groups   int  // g, at most Routers*Globals + 1
	LocalVCs bool // VC 1 on local links in the destination's group; else one VC everywhere
}

// Dragonfly returns a dragonfly with minimal routing: at most one local hop, the global
// link between the two groups, one local hop. The routers of a group are completely
// connected. Port p of group i, which belongs to its router p/h, leads to group i+p+1
// (the palmtree arrangement). With one VC the two local hops and the global one close
// cycles; local VC 0 before and VC 1 after the global hop cut them.
func Dragonfly(o DragonflyOptions) (routing.Definition, error) {
	a, h, g := o.Routers, o.Globals, o.Groups
	if g > a*h+1 {
		return routing.Definition{}, fmt.Errorf("%d groups: %d routers with %d global links each reach %d",
			g, a, h, a*h+1)
	}
	vcs := 1
	if o.LocalVCs {
		vcs = 2
	}
	const mostChannels = 1 << 24
	if channels := a*g*(a-1)*vcs + g*(g-1); channels > mostChannels {
		return routing.Definition{}, fmt.Errorf("%d channels: want at most %d", channels, mostChannels)
	}
	t := spec.NewTopology()
	for i := range g {
		for r := range a {
			t.AddNode(fmt.Sprintf("g%dr%d", i, r), i, r)
		}
	}
	node := func(group, router int) spec.NodeID { return spec.NodeID(group*a + router) }
	local := make([]spec.LinkID, a*g*a) // by node and router of the group
	global := make([]spec.LinkID, g*g)  // by group and group
	gateway := make([]int, g*g)         // the router of the first group that has that link
	for i := range g {
		for r := range a {
			for s := range a {
				if s != r {
					local[int(node(i, r))*a+s] = t.AddLink(spec.Link{
						From: node(i, r), To: node(i, s), VCs: vcs, Dim: 1, Out: fmt.Sprintf("local%d", s),
					})
				}
			}
		}
		for p := range g - 1 {
			j := (i + p + 1) % g
			back := g - 2 - p // the port of group j that leads to group i
			gateway[i*g+j] = p / h
			global[i*g+j] = t.AddLink(spec.Link{
				From: node(i, p/h), To: node(j, back/h), VCs: 1, Dim: 2, Out: fmt.Sprintf("global%d", p%h),
			})
		}
	}
	minimal := routing.NodeFunc{Topology: t, Hops: func(dst []spec.Hop, v spec.NodeID, hd spec.Header) []spec.Hop {
		group, router := int(v)/a, int(v)%a
		toGroup, to := int(hd.Dest)/a, int(hd.Dest)%a
		vc := 0
		if group != toGroup {
			to = gateway[group*g+toGroup]
			if to == router {
				return append(dst, spec.Hop{Channel: t.Channel(global[group*g+toGroup], 0)})
			}
		} else if o.LocalVCs {
			vc = 1
		}
		return append(dst, spec.Hop{Channel: t.Channel(local[int(v)*a+to], vc)})
	}}
	return routing.Definition{Name: "dragonfly", Topology: t, Switching: spec.Wormhole,
		Routing: routing.Deliver(t, routing.Named("local, global, local", minimal))}, nil
}
