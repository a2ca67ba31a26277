package sweep

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// ByEngine returns what routes by an engine, with at most so many VCs (0: any number), what failures leave of a network:
// between the nodes that send or receive where nothing has failed. Every class takes the same ways.
func ByEngine(
	engine route.Engine, vcs int,
) func(ctx context.Context, intact, left routing.Definition) (routing.Definition, error) {
	return func(ctx context.Context, intact, left routing.Definition) (routing.Definition, error) {
		r, err := route.Route(ctx, left.Topology, route.Options{
			Engine: engine, VCs: vcs, Terminals: Terminals(intact), Name: intact.Name,
			Switching: intact.Switching, Buffer: intact.Buffer, Workers: 1,
		})
		if err != nil {
			return left, err
		}
		return withRoutes(intact, left, r.Network), nil
	}
}

// withRoutes returns what failures left of an intact network with the routes that an engine made for the rest.
func withRoutes(intact, left routing.Definition, routed *spec.Network) routing.Definition {
	def := routing.FromNetwork(routed)
	flows, senders := def.Flows, def.Senders
	def.Classes, def.Replies, def.Routing = intact.Classes, intact.Replies, everyClass{def.Routing}
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return flows(src, dst, 0) && left.Flows(src, dst, c)
	}
	def.Senders = func(all []spec.NodeID, to spec.Target) []spec.NodeID {
		return senders(all, spec.Target{Dest: to.Dest})
	}
	return def
}

// everyClass routes the packets of each class as those of the first.
type everyClass struct{ routing.Relation }

func (r everyClass) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	h.Class = 0
	return r.Relation.AppendHops(dst, at, h)
}

// Terminals lists the nodes that send or receive, ascending.
func Terminals(def routing.Definition) []spec.NodeID {
	nodes := spec.NodeID(def.Topology.Nodes())
	ends := make([]bool, nodes)
	var senders []spec.NodeID
	for dst := range nodes {
		for c := range spec.Class(max(1, len(def.Classes))) {
			if senders = senders[:0]; def.Senders != nil {
				senders = def.Senders(senders, spec.Target{Dest: dst, Class: c})
			} else {
				for src := range nodes {
					senders = append(senders, src)
				}
			}
			for _, src := range senders {
				if src != dst && (def.Flows == nil || def.Flows(src, dst, c)) {
					ends[src], ends[dst] = true, true
				}
			}
		}
	}
	all := []spec.NodeID{}
	for v, is := range ends {
		if is {
			all = append(all, spec.NodeID(v))
		}
	}
	return all
}
