package selection

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of a router by itself.
//
// The choice of a function depends on the packet, on the free outputs of the router, and on
// its neighbours and the history, which are left open here. In the machine of a router any
// packet comes at any time, and outputs are taken and freed at any time: its states are all
// packets with all statuses, whether they are reachable in a network or not. So its
// invariants hold for the function in every network of routers that choose again.
// packets.star models the reachable states.

// mostPairs bounds the packets of a router's machine.
const mostPairs = 1024

// NewRouter returns the machine of any router of a torus, by itself. It claims that the
// function chooses [Within] the relation, and a VC that is free; that it [Spares] CF of the lowest dimension; and, as
// section 3.1 argues of it, when CF is chosen: [Beside] and [Alone]. It has a state for each pair of nodes and each status of
// 3 VCs in N dimensions; at most 1024 pairs are accepted.
func NewRouter(o Options) (*program.Program, error) {
	g, err := newGrid(o)
	if err != nil {
		return nil, err
	}
	return o.router(g, func(v, dest spec.NodeID) []direction { return o.directions(g, v, dest) })
}

func (o Options) router(g *grid.Grid, directions func(v, dest spec.NodeID) []direction) (*program.Program, error) {
	pairs := g.Nodes() * (g.Nodes() - 1)
	if pairs > mostPairs {
		return nil, fmt.Errorf("k=%d, n=%d: %d pairs of nodes: want at most %d", o.K, o.N, pairs, mostPairs)
	}
	def, err := o.starChannel(g)
	if err != nil {
		return nil, err
	}
	p := program.New(o.routerName())
	outputs := make([][3]program.Var, o.N) // by dimension with hops left, lowest first
	for i := range outputs {
		for class, name := range ClassNames {
			x := p.Var(fmt.Sprintf("%s of dimension %d of those left", name, i), 2, "taken", "free")
			outputs[i][class] = x
			p.Rule(fmt.Sprintf("%s of dimension %d of those left is taken or freed", name, i), program.And(),
				program.Set(x, program.Sub(1, x)))
		}
	}
	var names []string
	var wrong, unspared, unshared, early []program.Expr
	packet := program.Var(len(p.Variables))
	for v := range spec.NodeID(g.Nodes()) {
		for dest := range spec.NodeID(g.Nodes()) {
			all := directions(v, dest)
			if len(all) == 0 {
				continue
			}
			permitted, err := channels(def.Routing, v, dest)
			if err != nil {
				return nil, err
			}
			s := status{free: func(c spec.ChannelID) program.Expr {
				i := slices.IndexFunc(all, func(w direction) bool { return w.first <= c && c < w.first+3 })
				return program.Eq(outputs[i][c-all[i].first], 1)
			}}
			here := program.Eq(packet, len(names))
			names = append(names, fmt.Sprintf("at %s for %s", g.Node(v).Name, g.Node(dest).Name))
			for _, w := range all {
				w.each(func(c spec.ChannelID) {
					bad := program.Not(s.free(c))
					if !slices.Contains(permitted, c) {
						bad = program.And()
					}
					wrong = append(wrong, program.And(here, o.Function.condition(all, w, g.VC(c), s), bad))
				})
			}
			unspared = append(unspared,
				program.And(here, o.Function.condition(all, all[0], starchannel.CF, s), s.higher(all)))
			vc := func(class int) program.Expr { return s.free(all[0].first + spec.ChannelID(class)) }
			relaxed := program.And(here, o.Function.condition(all, all[0], starchannel.CF, s))
			unshared = append(unshared, program.And(relaxed, vc(starchannel.CH), vc(starchannel.CA)))
			if len(all) == 1 {
				early = append(early, program.And(relaxed, program.Or(vc(starchannel.CH), vc(starchannel.CA))))
			}
		}
	}
	p.Var("packet", len(names), names...)
	p.Rule("another packet comes", program.And(),
		program.Set(packet, program.IfElse(program.Lt(packet, len(names)-1), program.Add(packet, 1), program.Const(0))))
	p.Invariant(Within, program.Not(program.Or(wrong...)))
	p.Invariant(Spares, program.Not(program.Or(unspared...)))
	p.Invariant(Beside, program.Not(program.Or(unshared...)))
	p.Invariant(Alone, program.Not(program.Or(early...)))
	return p, nil
}

// routerName distinguishes routers by their options.
func (o Options) routerName() string {
	rule := "tie=" + grid.TieNames[o.Tie]
	if o.OneWay {
		rule = "one-way"
	}
	return fmt.Sprintf("router of selection %s k=%d n=%d %s", o.function(), o.K, o.N, rule)
}

// higher holds if a packet may use a free VC of a dimension other than the lowest.
func (s status) higher(all []direction) program.Expr {
	var open []program.Expr
	for _, w := range all[1:] {
		open = append(open, s.open(w))
	}
	return program.Or(open...)
}

// channels lists the channels that a relation permits a packet at node v.
func channels(relation routing.Relation, v, dest spec.NodeID) ([]spec.ChannelID, error) {
	hops, err := relation.AppendHops(nil, spec.Injection(v), spec.Header{Dest: dest})
	if err != nil {
		return nil, fmt.Errorf("asking the relation at node %d: %w", v, err)
	}
	var all []spec.ChannelID
	for _, hop := range hops {
		if hop.Channel >= 0 {
			all = append(all, hop.Channel)
		}
	}
	return all, nil
}
