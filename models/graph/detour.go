package graph

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Detour is routing on the complete graph, direct or through one other node. With one
// VC detours deadlock; with two, the second hop is on VC 1.
func Detour(nodes, vcs int) (routing.Definition, error) {
	t := Complete(nodes).topology(vcs)
	return routing.Definition{Name: "complete graph with detours", Topology: t, Switching: spec.StoreAndForward,
		Routing: routing.Deliver(t, routing.Named("direct or via one other node",
			routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				v := t.Head(at)
				for _, l := range t.OutLinks(v) {
					switch {
					case at.IsInjection():
						dst = append(dst, spec.Hop{Channel: t.Channel(l, 0)})
					case t.Link(l).To == h.Dest:
						dst = append(dst, spec.Hop{Channel: t.Channel(l, vcs-1)})
					}
				}
				return dst
			})))}, nil
}
